-- What wrote this file. An index of another schema version is never converted: the next build writes it anew.
CREATE TABLE index_version (
    schema_version INTEGER NOT NULL, -- Version of the tables and views described here.
    program VARCHAR NOT NULL, -- Version of the program that wrote the file last.
    updates INTEGER NOT NULL -- How often only the difference was written since the file was last written whole.
)
