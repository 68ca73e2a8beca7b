-- Documents that are still to be written, with what each should contain.
CREATE VIEW missing_documents AS
SELECT
    repo, -- Name of the repo.
    brain, -- Id of the brain.
    id, -- Id of the document.
    title, -- Its title.
    ring, -- Ring that it belongs to.
    path, -- Where it belongs.
    asks -- What it should contain.
FROM document_states
WHERE state = 'missing'
