-- Documents of all brains with their state on the date that the repo was indexed for (`judged_for` of its row in `repo`).
CREATE VIEW document_states AS
SELECT
    document.repo, -- Name of the repo.
    brain.id AS brain, -- Id of the brain.
    document.position, -- Order in the brain, from 0.
    document.id, -- Id of the document.
    document.title, -- Its title.
    document.ring, -- Ring that it belongs to.
    CASE
        WHEN document.declined <> '' THEN 'declined'
        WHEN NOT document.written THEN 'missing'
        WHEN document.checked IS NULL OR document.checked > repo.judged_for + 1 THEN 'filled'
        WHEN document.checked + document.out_of_date_after_days < repo.judged_for THEN 'outOfDate'
        ELSE 'checked'
    END AS state, -- `missing`, `filled`, `checked`, `declined` or `outOfDate`; the last and `checked` are filled as well.
    CASE document.page WHEN '' THEN brain.folder || '/' || document.file ELSE document.page END AS path, -- Where it lies, or belongs.
    document.asks, -- What it should contain.
    document.owner, -- Who looks after it.
    document.checked, -- When it was last checked.
    document.checked_by, -- Who checked it.
    CASE
        WHEN document.written AND document.declined = '' AND document.checked + document.out_of_date_after_days < DATE '9999-12-31'
        THEN document.checked + document.out_of_date_after_days + 1
    END AS due, -- First day on which it is out of date; NULL when never.
    document.declined -- Why it is not going to be written; empty when it is.
FROM document
JOIN brain ON brain.repo = document.repo AND brain.card = document.card
JOIN repo ON repo.name = document.repo
