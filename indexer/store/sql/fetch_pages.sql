SELECT path, url, title, published, date::VARCHAR, epoch(changed)::BIGINT, changed_revision, words, blob, summary, meta
FROM page
WHERE repo = $repo AND (published OR $hidden)
ORDER BY path
