-- One tag of a page, each once.
CREATE TABLE tag (
    repo VARCHAR NOT NULL, -- Name of the repo.
    path VARCHAR NOT NULL, -- Page.
    tag VARCHAR NOT NULL -- Without `#`; a nested tag with `/`.
)
