SELECT heading.path, position, level, text, id, line
FROM heading
JOIN page ON page.repo = heading.repo AND page.path = heading.path AND page.published
WHERE heading.repo = $repo AND heading.path = $path
ORDER BY position
