SELECT from_path, number, line, raw, kind, status, target, to_path, to_anchor, label
FROM link
JOIN page ON page.repo = link.repo AND page.path = link.from_path AND page.published
WHERE link.repo = $repo AND from_path = $path
ORDER BY number
