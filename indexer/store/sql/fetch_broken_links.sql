SELECT from_path, line, raw, kind, problem
FROM broken_links
WHERE repo = $repo
ORDER BY from_path, line, raw
