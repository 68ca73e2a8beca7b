-- Placeholder: alias.
SELECT count(*) FROM {alias}.written
