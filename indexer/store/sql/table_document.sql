-- One document that a brain should hold, and what the page in its place says of itself. A page that is not published counts as none.
CREATE TABLE document (
    repo VARCHAR NOT NULL, -- Name of the repo.
    card VARCHAR NOT NULL, -- Card of its brain.
    position INTEGER NOT NULL, -- Order in the brain, from 0: by ring, then as the blueprint lists them.
    id VARCHAR NOT NULL, -- Id, unique in the brain.
    file VARCHAR NOT NULL, -- Where it belongs, relative to the brain's folder.
    title VARCHAR NOT NULL, -- Title that the blueprint or the card gives it.
    ring VARCHAR NOT NULL, -- Ring that it belongs to, such as `Public Context`.
    deepens INTEGER[] NOT NULL, -- Domains of the Context Spine that it covers, 1 to 20.
    out_of_date_after_days INTEGER, -- Days after which it must be checked again; NULL = never.
    asks VARCHAR NOT NULL, -- What it should contain, one line.
    page VARCHAR NOT NULL, -- Path of the page in its place; empty when there is none.
    written BOOLEAN NOT NULL, -- True when that page has text besides its frontmatter.
    added BOOLEAN NOT NULL, -- True when the card adds it to those of the blueprint.
    reason VARCHAR NOT NULL, -- Why the card adds it.
    summary VARCHAR NOT NULL, -- Summary of the page.
    owner VARCHAR NOT NULL, -- Who looks after it, as the page says.
    checked DATE, -- When it was last checked; NULL when it was not, or when the page does not say by whom.
    checked_by VARCHAR NOT NULL, -- Who checked it.
    declined VARCHAR NOT NULL, -- Why it is not going to be written; empty when it is.
    facts JSON NOT NULL -- Other frontmatter with one plain value each; `facts->>'price'` reads one.
)
