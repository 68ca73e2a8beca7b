-- This documentation, so that it can be queried where the data is.
CREATE TABLE documentation (
    table_name VARCHAR NOT NULL, -- Table or view.
    column_name VARCHAR NOT NULL, -- Column; empty in the row about the table or view itself.
    type VARCHAR NOT NULL, -- Type of the column; `table` or `view` in the row about the whole; empty for columns of views.
    text VARCHAR NOT NULL -- What it holds.
)
