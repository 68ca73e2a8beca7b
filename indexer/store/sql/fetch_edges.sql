SELECT edge.from_path, edge.to_path, edge.links
FROM edge
JOIN page AS source ON source.repo = edge.repo AND source.path = edge.from_path AND source.published
JOIN page AS target ON target.repo = edge.repo AND target.path = edge.to_path AND target.published
WHERE edge.repo = $repo
ORDER BY edge.from_path, edge.to_path
