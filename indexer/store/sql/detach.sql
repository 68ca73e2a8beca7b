-- Placeholder: alias.
DETACH {alias}
