-- Placeholder: alias.
SELECT schema_version, updates FROM {alias}.index_version
