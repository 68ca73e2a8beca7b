-- Documents of some brains; `repos` and `cards` belong together. The WHERE changes nothing but the time: it skips most of the table.
SELECT
    repo, card, id, file, title, ring, deepens, out_of_date_after_days, asks, page, written, added, reason, summary, owner,
    coalesce(checked::VARCHAR, ''), checked_by, declined, facts
FROM document
JOIN (SELECT unnest($repos) AS repo, unnest($cards) AS card) AS asked USING (repo, card)
WHERE card BETWEEN list_min($cards) AND list_max($cards)
ORDER BY repo, card, position
