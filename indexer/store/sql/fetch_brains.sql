SELECT repo, card, id, folder, title, blueprint, known, parent
FROM brain
WHERE repo IN (SELECT unnest($repos)) AND id > $after
ORDER BY id
LIMIT $limit
