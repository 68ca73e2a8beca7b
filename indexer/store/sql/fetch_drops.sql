-- What some cards leave out; `repos` and `cards` belong together.
SELECT repo, card, id, file, title, reason
FROM document_drop
JOIN (SELECT unnest($repos) AS repo, unnest($cards) AS card) AS asked USING (repo, card)
ORDER BY repo, card, position
