-- Takes over the rows of one repo from the previous file. Placeholders: table, key (column of the repo's name).
INSERT INTO {table} SELECT * FROM previous.{table} WHERE {key} = $repo
