-- Published pages that belong to a brain: those below its folder, except where a brain further down has them.
SELECT path, url, title, published, date::VARCHAR, epoch(changed)::BIGINT, changed_revision, words, blob, summary, meta
FROM page
WHERE repo = $repo AND published AND starts_with(path, $folder || '/')
    AND NOT EXISTS (
        SELECT 1
        FROM brain
        WHERE brain.repo = $repo AND starts_with(brain.folder, $folder || '/') AND starts_with(page.path, brain.folder || '/')
    )
ORDER BY path
