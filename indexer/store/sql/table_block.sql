-- One paragraph or list entry that has an id of its own.
CREATE TABLE block (
    repo VARCHAR NOT NULL, -- Name of the repo.
    path VARCHAR NOT NULL, -- Page.
    block VARCHAR NOT NULL -- Id, without `^`.
)
