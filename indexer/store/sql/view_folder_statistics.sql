-- Figures of the published pages that lie directly in a folder.
CREATE VIEW folder_statistics AS
WITH broken AS (
    SELECT repo, from_path AS path, count(*) AS links
    FROM broken_links
    GROUP BY ALL
)
SELECT
    page.repo, -- Name of the repo.
    regexp_extract(page.path, '^(.*)/[^/]*$', 1) AS folder, -- Folder without a slash at either end; empty for the root.
    count(*) AS pages, -- Pages.
    sum(page.words)::BIGINT AS words, -- Words of these pages.
    coalesce(sum(broken.links), 0)::BIGINT AS broken_links, -- Their links that lead nowhere.
    count(*) FILTER (graph_score.is_orphan) AS orphans -- Pages among them that no page links to.
FROM page
LEFT JOIN broken ON broken.repo = page.repo AND broken.path = page.path
LEFT JOIN graph_score ON graph_score.repo = page.repo AND graph_score.path = page.path
WHERE page.published
GROUP BY ALL
