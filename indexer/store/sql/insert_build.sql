-- Adds the figures of the revision that was just written to the history.
INSERT INTO build
SELECT
    repo.name,
    repo.revision,
    repo.committed_at,
    repo.pages,
    repo.hidden,
    (SELECT coalesce(sum(words), 0) FROM page WHERE page.repo = $repo AND page.published),
    (
        SELECT count(*) FROM link
        JOIN page ON page.repo = link.repo AND page.path = link.from_path AND page.published
        WHERE link.repo = $repo
    ),
    (SELECT count(*) FROM backlinks WHERE backlinks.repo = $repo),
    (SELECT count(*) FROM broken_links WHERE broken_links.repo = $repo),
    (SELECT count(*) FROM orphans WHERE orphans.repo = $repo),
    (SELECT count(*) FROM stubs WHERE stubs.repo = $repo),
    (SELECT count(*) FROM finding WHERE finding.repo = $repo AND severity = 'error'),
    (SELECT count(*) FROM finding WHERE finding.repo = $repo AND severity = 'warning'),
    (SELECT count(*) FROM finding WHERE finding.repo = $repo AND severity = 'info')
FROM repo
WHERE repo.name = $repo AND repo.revision IS NOT NULL
