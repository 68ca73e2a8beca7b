-- Placeholder: alias.
SELECT name FROM {alias}.repo ORDER BY name
