-- Placeholder: alias.
CHECKPOINT {alias}
