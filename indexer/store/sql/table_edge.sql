-- One pair of pages joined by links: an edge of the graph. Generated maps make no edges.
CREATE TABLE edge (
    repo VARCHAR NOT NULL, -- Name of the repo.
    from_path VARCHAR NOT NULL, -- Page that links.
    to_path VARCHAR NOT NULL, -- Page that is linked to.
    links INTEGER NOT NULL -- Number of links that make up the edge.
)
