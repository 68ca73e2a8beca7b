-- Makes the new file beside the old one. It is thrown away when anything fails, so it needs no log of its own; small blocks keep the file
-- of a small brain small. Placeholders: path (quoted), alias.
ATTACH {path} AS {alias} (TYPE duckdb, RECOVERY_MODE no_wal_writes, BLOCK_SIZE 65536)
