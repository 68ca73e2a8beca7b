-- One row per repo of the tenant. A repo that could not be read this time keeps all its rows of the last time and is marked here.
CREATE TABLE repo (
    name VARCHAR NOT NULL, -- Name of the repo; the `repo` column of every other table.
    title VARCHAR NOT NULL, -- Title of its site.
    revision VARCHAR, -- Indexed commit, 40 hex digits; NULL for uncommitted content or when it was never read.
    committed_at TIMESTAMP, -- Committer time of that commit, UTC.
    status VARCHAR NOT NULL, -- `fresh`, or `failed` when the last attempt to read it failed and the rows are older.
    failed_reason VARCHAR NOT NULL, -- Why it failed, one sentence; empty when fresh.
    pages INTEGER NOT NULL, -- Published pages.
    hidden INTEGER NOT NULL, -- Pages that are not published.
    built_from VARCHAR[] NOT NULL, -- Names of all repos that these rows were computed from; a reader needs access to each.
    judged_for DATE -- Date that the states of documents are judged for; NULL = nothing is out of date.
)
