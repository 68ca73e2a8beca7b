-- Removes all rows of one repo. Placeholders: table, key (column of the repo's name).
DELETE FROM {table} WHERE {key} = $repo
