-- Removes one revision from the history before it is added anew. Placeholder: table.
DELETE FROM {table} WHERE repo = $repo AND revision = $revision
