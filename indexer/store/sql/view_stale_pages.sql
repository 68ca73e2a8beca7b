-- Published pages that no commit has touched in the year before the indexed commit.
CREATE VIEW stale_pages AS
SELECT
    page.repo, -- Name of the repo.
    page.path, -- Page.
    page.title, -- Its title.
    date_diff('day', page.changed, repo.committed_at) AS days -- From the last change of the page to the indexed commit.
FROM page
JOIN repo ON repo.name = page.repo
WHERE page.published AND date_diff('day', page.changed, repo.committed_at) >= 365
