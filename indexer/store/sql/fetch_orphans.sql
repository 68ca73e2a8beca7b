SELECT path, title, in_degree, out_degree, pagerank
FROM orphans
WHERE repo = $repo
ORDER BY pagerank DESC, path
