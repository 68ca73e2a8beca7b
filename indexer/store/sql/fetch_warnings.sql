-- What is wrong with some cards; `repos` and `cards` belong together.
SELECT repo, card, text
FROM brain_warning
JOIN (SELECT unnest($repos) AS repo, unnest($cards) AS card) AS asked USING (repo, card)
ORDER BY repo, card, position
