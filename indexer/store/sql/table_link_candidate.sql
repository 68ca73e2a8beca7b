-- One page that an ambiguous link could mean.
CREATE TABLE link_candidate (
    repo VARCHAR NOT NULL, -- Name of the repo.
    from_path VARCHAR NOT NULL, -- Page that holds the link.
    number INTEGER NOT NULL, -- `number` of the link.
    position INTEGER NOT NULL, -- From 0; the first is the one that the rule picks.
    path VARCHAR NOT NULL -- The page it could mean.
)
