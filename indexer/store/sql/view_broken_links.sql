-- Links of published pages that lead nowhere. A link to a hidden page is listed like one to a page that does not exist.
CREATE VIEW broken_links AS
SELECT
    link.repo, -- Name of the repo.
    link.from_path, -- Page that holds the link.
    link.line, -- Line of the file, from 1.
    link.raw, -- Exactly as written.
    link.kind, -- Kind of link, as in `link`.
    CASE link.status WHEN 'private' THEN 'missing' ELSE link.status END AS problem -- `missing`, `asset-missing` or `anchor-missing`.
FROM link
JOIN page ON page.repo = link.repo AND page.path = link.from_path AND page.published
WHERE link.status IN ('missing', 'private', 'asset-missing', 'anchor-missing')
