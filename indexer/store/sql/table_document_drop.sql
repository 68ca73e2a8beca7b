-- One document of the blueprint that a card leaves out.
CREATE TABLE document_drop (
    repo VARCHAR NOT NULL, -- Name of the repo.
    card VARCHAR NOT NULL, -- Card that leaves it out.
    position INTEGER NOT NULL, -- Order in the brain, from 0.
    id VARCHAR NOT NULL, -- Id of the document.
    file VARCHAR NOT NULL, -- Where it would belong, relative to the brain's folder.
    title VARCHAR NOT NULL, -- Title that the blueprint gives it.
    reason VARCHAR NOT NULL -- Why it is left out.
)
