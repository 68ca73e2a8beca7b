SELECT from_path, number, position, path
FROM link_candidate
WHERE repo = $repo AND from_path = $path
ORDER BY number, position
