-- Placeholder: alias.
USE {alias}
