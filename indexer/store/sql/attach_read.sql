-- Opens an index file that nobody will change. Placeholders: path (quoted), alias.
ATTACH {path} AS {alias} (TYPE duckdb, READ_ONLY)
