-- Digests of everything the previous file holds of one repo. Placeholder: alias.
SELECT part, path, digest FROM {alias}.written WHERE repo = $repo
