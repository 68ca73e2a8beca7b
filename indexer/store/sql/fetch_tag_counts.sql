SELECT tag, pages
FROM tag_counts
WHERE repo = $repo
ORDER BY pages DESC, tag
