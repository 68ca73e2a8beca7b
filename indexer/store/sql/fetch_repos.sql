SELECT name, title, revision, epoch(committed_at)::BIGINT, status, failed_reason, pages, hidden, built_from, judged_for::VARCHAR
FROM repo
ORDER BY name
