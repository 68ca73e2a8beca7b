SELECT code, path, line, message, hint, severity
FROM finding
WHERE repo = $repo
ORDER BY path, line, code, message
