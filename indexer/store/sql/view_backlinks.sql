-- Published pages that link to a published page.
CREATE VIEW backlinks AS
SELECT
    edge.repo, -- Name of the repo.
    edge.to_path AS path, -- Page that is linked to.
    edge.from_path, -- Page that links.
    source.title AS from_title, -- Title of the page that links.
    source.url AS from_url, -- Address of the page that links.
    edge.links, -- Number of links between the two.
    coalesce(graph_score.pagerank, 0.0) AS rank -- PageRank of the page that links.
FROM edge
JOIN page AS source ON source.repo = edge.repo AND source.path = edge.from_path AND source.published
JOIN page AS target ON target.repo = edge.repo AND target.path = edge.to_path AND target.published
LEFT JOIN graph_score ON graph_score.repo = edge.repo AND graph_score.path = edge.from_path
