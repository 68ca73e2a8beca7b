SELECT name, title, revision, epoch(committed_at)::BIGINT, status, failed_reason, pages, hidden, built_from
FROM repo
ORDER BY name
