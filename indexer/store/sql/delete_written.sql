-- Removes digests that are about to be replaced.
DELETE FROM written WHERE repo = $repo AND part = $part AND path IN (SELECT unnest($paths))
