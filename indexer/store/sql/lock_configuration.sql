-- The last setting: a query can change none after it.
SET lock_configuration = true
