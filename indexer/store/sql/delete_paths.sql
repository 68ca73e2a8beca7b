-- Removes the rows of some pages before their new rows are added. Placeholders: table, key (column of the page).
DELETE FROM {table} WHERE repo = $repo AND {key} IN (SELECT unnest($paths))
