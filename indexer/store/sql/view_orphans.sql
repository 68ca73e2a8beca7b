-- Published pages that no page links to. The front page and others to which readers come without a link are not among them.
CREATE VIEW orphans AS
SELECT
    page.repo, -- Name of the repo.
    page.path, -- Page.
    page.title, -- Its title.
    graph_score.in_degree, -- Pages that link to it.
    graph_score.out_degree, -- Pages that it links to.
    graph_score.pagerank -- Share of attention, all pages of the repo together 1.
FROM page
JOIN graph_score ON graph_score.repo = page.repo AND graph_score.path = page.path
WHERE page.published AND graph_score.is_orphan
