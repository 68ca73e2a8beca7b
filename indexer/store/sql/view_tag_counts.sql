-- How many published pages carry a tag.
CREATE VIEW tag_counts AS
SELECT
    tag.repo, -- Name of the repo.
    tag.tag, -- Without `#`.
    count(DISTINCT tag.path) AS pages -- Pages that carry it.
FROM tag
JOIN page ON page.repo = tag.repo AND page.path = tag.path AND page.published
GROUP BY ALL
