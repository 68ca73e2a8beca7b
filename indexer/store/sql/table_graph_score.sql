-- Where a page stands in the graph of its repo.
CREATE TABLE graph_score (
    repo VARCHAR NOT NULL, -- Name of the repo.
    path VARCHAR NOT NULL, -- Page.
    in_degree INTEGER NOT NULL, -- Pages that link to it.
    out_degree INTEGER NOT NULL, -- Pages that it links to.
    pagerank DOUBLE NOT NULL, -- Share of attention, all pages of the repo together 1.
    community INTEGER NOT NULL, -- Number of the group of pages that it is tied to most closely.
    component INTEGER NOT NULL, -- Number of the set of pages that can be reached from it over links in any direction.
    is_hub BOOLEAN NOT NULL, -- Many pages lead here or on from here.
    is_orphan BOOLEAN NOT NULL, -- No page links to it; the front page and other entry pages never are.
    is_dead_end BOOLEAN NOT NULL -- Edges in, none out.
)
