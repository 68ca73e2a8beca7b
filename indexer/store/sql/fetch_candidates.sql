SELECT from_path, number, position, link_candidate.path
FROM link_candidate
JOIN page AS source ON source.repo = link_candidate.repo AND source.path = from_path AND source.published
JOIN page AS target ON target.repo = link_candidate.repo AND target.path = link_candidate.path AND target.published
WHERE link_candidate.repo = $repo AND from_path = $path
ORDER BY number, position
