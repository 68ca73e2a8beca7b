-- One sentence on what is wrong with a card or one of its entries.
CREATE TABLE brain_warning (
    repo VARCHAR NOT NULL, -- Name of the repo.
    card VARCHAR NOT NULL, -- The card.
    position INTEGER NOT NULL, -- Order in the brain, from 0.
    text VARCHAR NOT NULL -- What is wrong.
)
