SELECT brain, position, id, title, ring, state, path, asks, owner, checked::VARCHAR, checked_by, due::VARCHAR, declined
FROM document_states
WHERE repo = $repo
ORDER BY brain, position
