-- The brain that a page belongs to: the deepest one above it.
SELECT id
FROM brain
WHERE repo = $repo AND starts_with($path, folder || '/')
ORDER BY length(folder) DESC
LIMIT 1
