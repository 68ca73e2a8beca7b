-- Opens the new file beside the old one. It is thrown away when anything fails, so it needs no log of its own. Placeholders: path (quoted), alias.
ATTACH {path} AS {alias} (TYPE duckdb, RECOVERY_MODE no_wal_writes)
