SELECT name, pages, links
FROM stubs
WHERE repo = $repo
ORDER BY pages DESC, links DESC, name
