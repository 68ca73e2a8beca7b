-- Which of some ids are those of brains.
SELECT id
FROM brain
WHERE id IN (SELECT unnest($ids))
ORDER BY id
