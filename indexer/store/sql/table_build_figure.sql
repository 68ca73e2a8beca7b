-- History: further figures of an indexed revision, by name.
CREATE TABLE build_figure (
    repo VARCHAR NOT NULL, -- Name of the repo.
    revision VARCHAR NOT NULL, -- Indexed commit.
    name VARCHAR NOT NULL, -- What was counted.
    value BIGINT NOT NULL -- How many.
)
