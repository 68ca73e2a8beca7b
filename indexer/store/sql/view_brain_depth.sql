-- How deep each brain is: its documents in each ring by state. documents = filled + declined + missing.
CREATE VIEW brain_depth AS
SELECT
    repo, -- Name of the repo.
    brain, -- Id of the brain.
    ring, -- Ring.
    count(*) AS documents, -- Documents that belong there.
    count(*) FILTER (state IN ('filled', 'checked', 'outOfDate')) AS filled, -- Those that are written.
    count(*) FILTER (state = 'checked') AS checked, -- Written and checked.
    count(*) FILTER (state = 'declined') AS declined, -- Not going to be written, with a reason.
    count(*) FILTER (state = 'outOfDate') AS out_of_date, -- Written and to be checked again.
    count(*) FILTER (state = 'missing') AS missing -- Still to be written.
FROM document_states
GROUP BY repo, brain, ring
