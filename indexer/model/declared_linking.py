"""Declarations of what can be wrong in a page and between pages: Markdown, links, names and addresses. Read through `codes`."""

from indexer.model.declared import Declared

MARKDOWN = (
    Declared(
        "MDN001",
        "warning",
        "Page is too costly, shown as plain text",
        "Some constructs take a parser very long. A page over its budget is shown as plain text, so that the others need not wait.",
        "Split the page, or look for thousands of unclosed brackets, asterisks or quotes in one paragraph.",
        "[[[[[[[[[[[[[[[[[[[[[[[[[[[[… (50,000 times)",
    ),
    Declared(
        "MDN002",
        "warning",
        "Pages embed one another in a circle",
        "The embed that would close the circle is shown as a link.",
        "Make one of the embeds a link: `[[page]]` in place of `![[page]]`.",
        "a.md: ![[b]]\nb.md: ![[a]]",
    ),
    Declared(
        "MDN003",
        "warning",
        "Embed is nested too deep or too large",
        "Embeds inside embeds multiply. Past the limit, the embed is shown as a link.",
        "Embed a section (`![[page#heading]]`) or write a link.",
        "![[everything]]",
    ),
    Declared(
        "MDN004",
        "info",
        "Raw HTML was removed",
        "Scripts, styles, forms, frames and event attributes are taken out of every page, for they would run in the reader's browser.",
        "Write it in Markdown, or leave it out.",
        "<script>document.title = 'Plan'</script>",
    ),
    Declared(
        "MDN005",
        "warning",
        "Page is larger than the cap for rendering",
        "The page is indexed, but shown as plain text.",
        "Split the page.",
        "log.md    6 MiB of Markdown",
    ),
    Declared(
        "MDN006",
        "warning",
        "SVG with active content is not published",
        "An SVG can hold scripts, web pages and references to other sites, which would run or load when a reader opens it. It is left out, "
        "and links to it are shown as dead.",
        "Export the drawing without HTML text and with its fonts and images inside it, or as PNG.",
        '<svg xmlns="http://www.w3.org/2000/svg"><script>…</script></svg>',
    ),
    Declared(
        "MDN007",
        "warning",
        "Comment is never closed",
        "What begins a line with `%%` or `<!--` and is never closed hides the rest of the page. Inside a line it is text, and what was "
        "meant for nobody is read by everybody. Where one of several marks has no partner, nothing from the first to the last of them "
        "is published.",
        "Close the comment with `%%` or `-->`. Write a mark that is meant as text as code, or with a backslash: `\\%%`.",
        "The contract ends in May. %% Ask Vera first.",
    ),
    Declared(
        "MDN008",
        "warning",
        "Row has more cells than the table has columns",
        "Cells behind the last column are not shown, on GitHub and in editors neither: their words are in no page and no search, and their "
        "links lead nowhere. Mostly a bar that was meant as text has ended a cell, as one in code does.",
        "Write a bar that is part of a cell as `\\|`, also in code. Give the heading of the table more cells where there are more columns.",
        "| Command      | Does   |\n|--------------|--------|\n| `sort | uniq` | counts |",
    ),
    Declared(
        "MDN009",
        "warning",
        "Code block is never closed",
        "Everything below it is code, to the end of the page or of the list, quote or callout that it stands in: headings there are no "
        "places for links, and links lead nowhere. Mostly the line that was to close it has fewer signs, a word behind them, or another "
        "indentation than the block in a list: then that line has begun a block of its own.",
        "Close it with a line of at least as many backticks or tildes, indented like the line that begins it.",
        "- Run this:\n\n  ```\n  brain build .\n```\n\n## Next",
    ),
    Declared(
        "MDN010",
        "warning",
        "Link with a space in its address",
        "An address in round brackets ends at a space, so this is text and no link, on GitHub and in most editors too: readers see the "
        "brackets, and the page has no link from here. Some programs that make websites take it for one.",
        "Write the address in angle brackets, or each space as `%20`. A size stands behind a bar: `![a plan|300](plan.png)`.",
        "[the plan](marketing plan.md)",
    ),
)

LINKS = (
    Declared(
        "LNK001",
        "error",
        "Page does not exist",
        "The link leads nowhere. On the site it is shown as dead, and the page it names is listed among those still to be written.",
        "Correct the link, or write the page.",
        "See [[Marketing plan]] or [the plan](plans/marketing.md).",
    ),
    Declared(
        "LNK002",
        "warning",
        "Heading or block does not exist",
        "The page exists, but not the place on it, so the reader lands at its top.",
        "Correct the part after `#`; headings that were renamed are the usual cause.",
        "[prices](offer.md#pricse)",
    ),
    Declared(
        "LNK003",
        "warning",
        "Several pages or files fit the link",
        "The link goes to one of them by a fixed rule, perhaps not to the one that is meant.",
        "Write more of the path: `[[clients/acme/notes]]` in place of `[[notes]]`.",
        "[[notes]]",
    ),
    Declared(
        "LNK004",
        "error",
        "File does not exist",
        "The image or attachment that the page names is not in the repository, so the reader sees a gap.",
        "Add the file, or correct its name.",
        "![floor plan](images/florplan.png)",
    ),
    Declared(
        "LNK005",
        "info",
        "Folder has no page of its own",
        "The link names a folder without `index.md` or `README.md`; it leads to a generated list of its pages.",
        "Add an `index.md`, or link to one of its pages.",
        "[clients](clients/)",
    ),
    Declared(
        "LNK006",
        "warning",
        "Linked page is not published",
        "The link names a page that is hidden. Readers see the words, but neither a link nor a sign that such a page exists.",
        "Publish the page, or take the link out.",
        "[[Salaries]] (that page says `private: true`)",
    ),
    Declared(
        "LNK007",
        "warning",
        "Link leaves what is published",
        "The path climbs above the top folder, or into a file or folder whose name begins with a dot: such ones are not read, whether or "
        "not they exist. Or it names what is there and not published: a file in Git LFS or in a submodule, a folder that holds no page.",
        "Link to a page of this repository, or write the full address.",
        "[sources](../../other-project/readme.md)",
    ),
    Declared(
        "LNK008",
        "info",
        "Letter case differs",
        "The link was found only because upper and lower case, kinds of spaces or invisible characters were ignored; other programs and "
        "file systems will not find it.",
        "Write the name as the file has it.",
        "[plan](Plans/Marketing.md) (the file is plans/marketing.md)",
    ),
    Declared(
        "LNK009",
        "warning",
        "Unsafe kind of address removed",
        "Addresses such as `javascript:` or `data:` can run code in the reader's browser; the words stay, the link is taken out.",
        "Use an `https:` or `mailto:` address.",
        "[open](javascript:alert(1))",
    ),
)

NAMES = (
    Declared(
        "NAM001",
        "error",
        "Two pages want one address",
        "Both are published, but one of them under an address with a suffix, so links from elsewhere may open the other one.",
        "Rename one of the files.",
        "plans.md\nplans/index.md",
    ),
    Declared(
        "NAM002",
        "warning",
        "Name is reserved",
        "The address is used by the site itself (such as its search) or is no valid file name on some systems; the page has another one.",
        "Rename the file.",
        "search.md\ncon.md",
    ),
    Declared(
        "NAM003",
        "warning",
        "Names differ only in case or Unicode form",
        "On many computers only one of these files can exist: a checkout there loses the other, or mixes the two.",
        "Rename one of the files.",
        "Plan.md\nplan.md",
    ),
    Declared(
        "NAM004",
        "warning",
        "Name looks like something else",
        "The name has invisible or direction-changing characters, or mixes alphabets, so that it can pass for another name.",
        "Type the name anew with ordinary letters.",
        "раypal.md (the first two letters are Cyrillic)",
    ),
    Declared(
        "NAM005",
        "info",
        "Name is too long for an address",
        "File systems allow 255 bytes for one part of a path; the address was shortened, with a suffix that keeps it unique.",
        "Choose a shorter file name; the long one can be the page's title.",
        "what-we-learnt-from-the-interviews-with-… (300 characters).md",
    ),
)

RELATIONS = (
    Declared(
        "REL001",
        "info",
        "Page is a near-copy of another",
        "Of ten words at most one is another. Whoever corrects one of the pages leaves the other one wrong, and searches find both.",
        "Keep one of them, and link to it where the other one was.",
        "guides/install.md\nold/install.md (the same text)",
    ),
)

LINKING = (*MARKDOWN, *LINKS, *NAMES, *RELATIONS)
