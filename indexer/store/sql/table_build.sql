-- History: the figures of every revision that was indexed, for the trend. Times are those of the commits; the index reads no clock.
CREATE TABLE build (
    repo VARCHAR NOT NULL, -- Name of the repo.
    revision VARCHAR NOT NULL, -- Indexed commit.
    committed_at TIMESTAMP, -- Committer time of that commit, UTC.
    pages INTEGER NOT NULL, -- Published pages.
    hidden INTEGER NOT NULL, -- Pages that are not published.
    words BIGINT NOT NULL, -- Words of the published pages.
    links INTEGER NOT NULL, -- Links written on published pages.
    edges INTEGER NOT NULL, -- Edges between published pages.
    broken_links INTEGER NOT NULL, -- Rows of `broken_links`.
    orphans INTEGER NOT NULL, -- Rows of `orphans`.
    stubs INTEGER NOT NULL, -- Rows of `stubs`.
    errors INTEGER NOT NULL, -- Findings that are errors.
    warnings INTEGER NOT NULL, -- Findings that are warnings.
    infos INTEGER NOT NULL -- Findings that are only told.
)
