SELECT repo, card, id, folder, title, blueprint, known, parent
FROM brain
WHERE id = $id
