-- One heading of a page.
CREATE TABLE heading (
    repo VARCHAR NOT NULL, -- Name of the repo.
    path VARCHAR NOT NULL, -- Page.
    position INTEGER NOT NULL, -- Order on the page, from 0.
    level INTEGER NOT NULL, -- 1 to 6.
    text VARCHAR NOT NULL, -- Plain text.
    id VARCHAR NOT NULL, -- Id in the page's HTML; what stands after `#` in an address.
    line INTEGER NOT NULL -- Line of the file, from 1.
)
