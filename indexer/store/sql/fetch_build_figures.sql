SELECT revision, name, value
FROM build_figure
WHERE repo = $repo
ORDER BY revision, name
