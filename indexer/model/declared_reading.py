"""Declarations of what can be wrong when files are read: repositories, decoding, frontmatter, privacy. Read through `codes`."""

from indexer.model.declared import Declared

SOURCES = (
    Declared(
        "SRC001",
        "warning",
        "Symbolic link skipped",
        "A symbolic link can point outside the repository, so none is followed: nothing is read, indexed or published at its place. "
        "Links to it count as links to the file or folder that it names, where that lies in the repository.",
        "Put a copy of the file in its place, or link to the real page.",
        "notes/today.md -> ../../private/diary.md",
    ),
    Declared(
        "SRC002",
        "info",
        "Submodule skipped",
        "A submodule is another repository with its own access rules; its files are not part of this one.",
        "Register the other repository by itself if it should be published.",
        '[submodule "handbook"]\n    path = handbook',
    ),
    Declared(
        "SRC003",
        "warning",
        "File is kept in Git LFS",
        "The repository holds only a pointer of three lines in place of the file, so an image or document is missing from the site.",
        "Store the file in git itself, or leave it out of the pages.",
        "version https://git-lfs.github.com/spec/v1\noid sha256:4d7a2146…\nsize 12345",
    ),
    Declared(
        "SRC004",
        "warning",
        "File is larger than the cap",
        "One file may hold 10 MiB unless configured otherwise; a larger one is skipped so that it cannot slow down or stop the others.",
        "Make the file smaller, split it, or raise the cap with `brain build --max-file-mb`.",
        "archive/all-mail.md    48 MiB",
    ),
    Declared(
        "SRC005",
        "warning",
        "Folders are nested too deep",
        "Files below 32 folders (unless configured otherwise) are skipped.",
        "Move the files further up, or raise the cap with `brain build --max-depth`.",
        "a/b/c/d/e/…/page.md",
    ),
    Declared(
        "SRC006",
        "warning",
        "File name refused",
        "Some names cannot be stored or served safely everywhere: `.git`, `..`, control characters, backslashes. The file is skipped.",
        "Rename the file.",
        "notes\\today.md",
    ),
    Declared(
        "SRC007",
        "warning",
        "File name is not UTF-8",
        "The name has bytes that are no text, so no address and no link can name the file. It is skipped.",
        "Rename the file; names made on very old systems often use Latin-1.",
        "caf\\xe9.md",
    ),
    Declared(
        "SRC008",
        "info",
        "Clone or checkout is incomplete",
        "The clone is shallow, so the date of the last change is known for recent pages only and renames further back leave no redirect. "
        "Or files are read as they lie there, and a sparse checkout leaves some of them out.",
        "Fetch the whole history; in GitHub Actions, set `fetch-depth: 0` at the checkout.",
        "git clone --depth 1 …",
    ),
    Declared(
        "SRC009",
        "warning",
        "File or folder cannot be read",
        "The system refuses to open it, so it is neither indexed nor published; everything else is.",
        "Give the user who runs the program the right to read it.",
        "-rw------- 1 root root 812 notes/plan.md",
    ),
)

FORMAT = (
    Declared(
        "FMT001",
        "warning",
        "File is not UTF-8",
        "Bytes that are no UTF-8 are shown as � on the page, and searches for these words find nothing.",
        "Save the file as UTF-8.",
        "Caf\\xe9 on the corner",
    ),
    Declared(
        "FMT002",
        "warning",
        "File is UTF-16 or UTF-32",
        "It was decoded by its byte order mark and published, but git and most tools treat such a file as binary and show no differences.",
        "Save the file as UTF-8.",
        "\\xff\\xfe#\\x00 \\x00T\\x00i\\x00t\\x00l\\x00e\\x00",
    ),
    Declared(
        "FMT003",
        "warning",
        "Characters that mean nothing were replaced",
        "NUL and Unicode noncharacters have no meaning in text and can break programs that read the page; they are shown as �.",
        "Delete them; they usually come from a broken copy or a damaged file.",
        "The price is \\x00 12",
    ),
    Declared(
        "FMT004",
        "error",
        "Frontmatter is not valid YAML",
        "The page is published with its body, but without its title, tags, dates and everything else the frontmatter says.",
        "Correct the named line. Frequent causes: a tab, a colon in unquoted text, a quote that is not closed.",
        "---\ntitle: Plan: the next year\n---",
    ),
    Declared(
        "FMT005",
        "warning",
        "Frontmatter is never closed",
        "The page begins with `---`, but no second `---` line follows, so everything is read as text.",
        "Add a line `---` after the frontmatter, or an empty line before a rule that is meant as a rule.",
        "---\ntitle: Plan\n\nThe plan is…",
    ),
    Declared(
        "FMT006",
        "warning",
        "Frontmatter is not a list of keys",
        "Frontmatter has to consist of `key: value` lines; anything else is ignored.",
        "Write `key: value` lines, or move the text below the second `---`.",
        "---\n- plan\n- budget\n---",
    ),
    Declared(
        "FMT007",
        "warning",
        "Key occurs twice in the frontmatter",
        "Only one of the values can count, and programs disagree about which.",
        "Keep one of the lines.",
        "---\ntitle: Plan\ntitle: Budget\n---",
    ),
    Declared(
        "FMT008",
        "warning",
        "YAML alias, anchor or tag refused",
        "Anchors (`&a`) and aliases (`*a`) can make a small file grow without end, tags (`!!python/…`) can run code; none is "
        "evaluated. A tag is left out; an anchor or alias costs the whole frontmatter.",
        "Write the value out; quote text that begins with `&`, `*` or `!`.",
        "---\ntitle: *default\n---",
    ),
    Declared(
        "FMT009",
        "warning",
        "Frontmatter is TOML",
        "Frontmatter between `+++` lines is read, but other tools that read these pages expect YAML.",
        "Rewrite it as YAML between `---` lines.",
        '+++\ntitle = "Plan"\n+++',
    ),
    Declared(
        "FMT010",
        "warning",
        "Date cannot be read",
        "The page counts as undated: it is missing from lists by date, and nothing can tell when it falls out of date.",
        "Write the date as `2026-04-25`.",
        "---\ndate: 31.02.2026\n---",
    ),
    Declared(
        "FMT011",
        "warning",
        "Value has the wrong type",
        "A key that is known needs a certain kind of value; this one was ignored or turned into text as well as possible.",
        "Write the value as the hint says.",
        "---\ntags: {plan: true}\n---",
    ),
    Declared(
        "FMT012",
        "warning",
        "Frontmatter does not stand where it should",
        "Frontmatter is what stands between two `---` lines at the very beginning. After empty lines and comments it is read all the same; "
        "other marks, such as four hyphens or a dash, make it text. Other programs show both as text.",
        "Let the file begin with a line that holds only `---`.",
        "----\ntitle: Plan\n----",
    ),
)

PRIVACY = (
    Declared(
        "PRV001",
        "warning",
        "Publishing flag cannot be read, page is hidden",
        "The value of `draft`, `private` or `publish` is neither yes nor no. To be safe, the page is not published.",
        "Write `true` or `false`.",
        "---\npublish: perhaps\n---",
    ),
    Declared(
        "PRV002",
        "warning",
        "Broken frontmatter mentions a publishing flag, page is hidden",
        "The frontmatter cannot be read, or stands where none is read, but it names `draft`, `private` or `publish`. To be safe, the page "
        "is not published.",
        "Correct the frontmatter.",
        '---\ntitle: "Salaries\nprivate: true\n---',
    ),
    Declared(
        "PRV003",
        "info",
        "Page is hidden",
        "The page says that it is not to be published. Nothing of it is in the website; only the owner's report counts it.",
        "Nothing, if this is meant. Remove the flag to publish the page.",
        "---\ndraft: true\n---",
    ),
)

INDEX = (
    Declared(
        "IDX001",
        "error",
        "Repository could not be read this time",
        "Its last release and its last index stay in place, marked as failed; the other repositories were built.",
        "The message says what went wrong: address, credential, branch or a cap. Run the build again once it is put right.",
        "remote: Repository not found.",
    ),
    Declared(
        "IDX002",
        "error",
        "Page failed unexpectedly",
        "The program could not deal with this page. It costs this page only: everything else was indexed and published.",
        "Please report it with the page, or with the smallest part of the page that still causes it.",
        "(any page)",
    ),
)

READING = (*SOURCES, *FORMAT, *PRIVACY, *INDEX)
