SELECT
    graph_score.path, in_degree, out_degree, pagerank, community, component, is_hub, is_orphan, is_dead_end
FROM graph_score
JOIN page ON page.repo = graph_score.repo AND page.path = graph_score.path AND page.published
WHERE graph_score.repo = $repo
ORDER BY graph_score.path
