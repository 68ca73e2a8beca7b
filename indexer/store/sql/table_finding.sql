-- One problem in the content. What the codes mean is on the page of findings.
CREATE TABLE finding (
    repo VARCHAR NOT NULL, -- Name of the repo.
    code VARCHAR NOT NULL, -- Stable code such as `LNK001`.
    path VARCHAR NOT NULL, -- File; empty when it is about the repo as a whole.
    line INTEGER NOT NULL, -- Line of the file, from 1; 0 = the file as a whole.
    message VARCHAR NOT NULL, -- What is wrong, one sentence.
    hint VARCHAR NOT NULL, -- What to do about it; may be empty.
    severity VARCHAR NOT NULL -- `error`, `warning` or `info`.
)
