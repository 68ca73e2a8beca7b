SELECT from_path, number, line, raw, kind, status, target, to_path, to_anchor, label
FROM link
WHERE repo = $repo AND from_path = $path
ORDER BY number
