-- One folder with a card. Cards that are not published have no row, and neither the index nor its views say that they exist.
CREATE TABLE brain (
    repo VARCHAR NOT NULL, -- Name of the repo.
    card VARCHAR NOT NULL, -- Path of the card.
    id VARCHAR NOT NULL, -- Id: the repo's name, a slash, the folder.
    folder VARCHAR NOT NULL, -- Folder of the card.
    title VARCHAR NOT NULL, -- Title of the card.
    blueprint VARCHAR NOT NULL, -- Blueprint that the card names, such as `site@1`; empty when it names none.
    known BOOLEAN NOT NULL, -- False when there is no such blueprint; then there are no documents.
    parent VARCHAR NOT NULL -- Id of the parent as the card names it, which may be a brain of another repo or none at all; empty without one.
)
