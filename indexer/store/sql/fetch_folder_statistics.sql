SELECT folder, pages, words, broken_links, orphans
FROM folder_statistics
WHERE repo = $repo
ORDER BY folder
