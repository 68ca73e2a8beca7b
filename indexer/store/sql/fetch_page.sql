SELECT path, url, title, published, date::VARCHAR, epoch(changed)::BIGINT, changed_revision, words, blob, summary, meta
FROM page
WHERE repo = $repo AND path = $path AND (published OR $hidden)
