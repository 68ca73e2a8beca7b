-- From here on no file but the attached one can be read, and none written; it cannot be switched on again.
SET enable_external_access = false
