-- One link as written, and what became of it.
CREATE TABLE link (
    repo VARCHAR NOT NULL, -- Name of the repo.
    from_path VARCHAR NOT NULL, -- Page that holds the link.
    number INTEGER NOT NULL, -- Order on the page, from 0.
    line INTEGER NOT NULL, -- Line of the file, from 1.
    raw VARCHAR NOT NULL, -- Exactly as written.
    kind VARCHAR NOT NULL, -- `wikilink`, `embed`, `markdown`, `reference`, `image`, `autolink` or `frontmatter`.
    status VARCHAR NOT NULL, -- `page`, `self`, `asset`, `folder`, `external`, `missing`, `asset-missing`, `anchor-missing`, `ambiguous` or `private`.
    target VARCHAR NOT NULL, -- What the link names, without anchor and label.
    to_path VARCHAR, -- Page, file or folder that it leads to; NULL when it leads nowhere or outside the repo.
    to_anchor VARCHAR NOT NULL, -- Heading id or `^block` that it leads to; empty without one.
    label VARCHAR NOT NULL -- Text shown; empty when the target gives it.
)
