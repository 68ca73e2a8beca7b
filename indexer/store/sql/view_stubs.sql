-- Pages that published pages link to but that are not written. A hidden page is listed like one that does not exist.
CREATE VIEW stubs AS
SELECT
    link.repo, -- Name of the repo.
    link.target AS name, -- What the links name.
    count(DISTINCT link.from_path) AS pages, -- Pages that link to it.
    count(*) AS links -- Links to it.
FROM link
JOIN page ON page.repo = link.repo AND page.path = link.from_path AND page.published
WHERE link.status IN ('missing', 'private')
GROUP BY link.repo, link.target
