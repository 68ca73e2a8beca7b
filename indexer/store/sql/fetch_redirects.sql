SELECT redirect.from_path, redirect.from_url, redirect.to_path, redirect.to_url
FROM redirect
JOIN page ON page.repo = redirect.repo AND page.path = redirect.to_path AND page.published
WHERE redirect.repo = $repo
ORDER BY redirect.from_path
