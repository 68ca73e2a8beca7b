SELECT path, title, in_degree, out_degree, pagerank
FROM hubs
WHERE repo = $repo
ORDER BY pagerank DESC, path
