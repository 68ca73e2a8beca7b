-- One Markdown file at the indexed commit. Hidden pages are here too, for the owner's report; no view shows them.
CREATE TABLE page (
    repo VARCHAR NOT NULL, -- Name of the repo.
    path VARCHAR NOT NULL, -- Path inside the repo, with `/`, as git stores it.
    url VARCHAR NOT NULL, -- Address relative to the site's root; empty for the front page.
    title VARCHAR NOT NULL, -- Title shown.
    published BOOLEAN NOT NULL, -- False for a hidden page: nothing of it may be shown to anyone but the owner.
    date DATE, -- Date that the frontmatter gives.
    changed TIMESTAMP, -- Committer time of the last commit that touched the file, UTC; NULL when unknown.
    changed_revision VARCHAR, -- That commit, 40 hex digits.
    words INTEGER NOT NULL, -- Words of the text.
    blob VARCHAR NOT NULL, -- Git id of the content, 40 hex digits.
    summary VARCHAR NOT NULL, -- Summary of the frontmatter, else the first sentence.
    meta JSON NOT NULL -- The whole frontmatter; `meta->>'owner'` reads one key.
)
