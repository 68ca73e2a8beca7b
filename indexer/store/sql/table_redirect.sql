-- One former address of a page that was renamed.
CREATE TABLE redirect (
    repo VARCHAR NOT NULL, -- Name of the repo.
    from_path VARCHAR NOT NULL, -- Former path.
    from_url VARCHAR NOT NULL, -- Former address, relative to the site's root.
    to_path VARCHAR NOT NULL, -- Path now.
    to_url VARCHAR NOT NULL -- Address now.
)
