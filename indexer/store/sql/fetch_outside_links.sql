SELECT link.from_path, link.target, count(*)
FROM link
JOIN page ON page.repo = link.repo AND page.path = link.from_path AND page.published
WHERE link.repo = $repo AND link.status = 'external' AND starts_with(link.target, $prefix)
GROUP BY link.from_path, link.target
ORDER BY link.from_path, link.target
