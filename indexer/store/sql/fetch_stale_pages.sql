SELECT path, title, days
FROM stale_pages
WHERE repo = $repo
ORDER BY days DESC, path
