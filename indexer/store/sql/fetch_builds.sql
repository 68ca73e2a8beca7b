SELECT
    revision, epoch(committed_at)::BIGINT, pages, hidden, words, links, edges, broken_links, orphans, stubs, errors, warnings, infos
FROM build
WHERE repo = $repo
ORDER BY committed_at, revision
