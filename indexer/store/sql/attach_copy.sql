-- Opens the copy of the old file that is to be brought up to date. Placeholders: path (quoted), alias.
ATTACH {path} AS {alias} (TYPE duckdb, RECOVERY_MODE no_wal_writes)
