-- One further name of a page, by which wikilinks find it.
CREATE TABLE alias (
    repo VARCHAR NOT NULL, -- Name of the repo.
    path VARCHAR NOT NULL, -- Page.
    alias VARCHAR NOT NULL -- The name.
)
