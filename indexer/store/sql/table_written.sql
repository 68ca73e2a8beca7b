-- Bookkeeping: a digest of everything written for one page, so that the next build writes only pages that differ. Not for queries.
CREATE TABLE written (
    repo VARCHAR NOT NULL, -- Name of the repo.
    part VARCHAR NOT NULL, -- `page`, or the name of a table that is compared as a whole.
    path VARCHAR NOT NULL, -- Page; empty for a whole table.
    digest BLOB NOT NULL -- BLAKE2b of the rows, 16 bytes.
)
