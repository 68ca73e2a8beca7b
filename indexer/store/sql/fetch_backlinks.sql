SELECT path, from_path, from_title, from_url, links, rank
FROM backlinks
WHERE repo = $repo AND path = $path
ORDER BY rank DESC, from_path
