-- Only before the configuration is locked.
SET memory_limit = ?
