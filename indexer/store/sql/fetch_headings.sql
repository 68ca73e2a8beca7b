SELECT path, position, level, text, id, line
FROM heading
WHERE repo = $repo AND path = $path
ORDER BY position
