"""Bytes → ParsedPage: the whole way of one page (SPEC P02–P04). Called by the pipeline in worker processes; pure, never raises.

`PARSER_VERSION` in `indexer.parse.versions` is part of the cache key: raise it with every change that gives other results for the same
bytes.
"""

import html
import re
import unicodedata
from collections.abc import Callable
from functools import lru_cache

from msgspec.structs import replace

from indexer.model.codes import make_finding
from indexer.model.finding import Finding
from indexer.model.page import Link, ParsedPage, Section
from indexer.parse.budget import OverBudgetError, time_budget
from indexer.parse.clean import clean_html
from indexer.parse.comments import Shown, read_shown
from indexer.parse.decode import decode_text
from indexer.parse.destinations import is_template, names_page, split_destination
from indexer.parse.frontmatter import Frontmatter, parse_frontmatter
from indexer.parse.generated import cut_block
from indexer.parse.outline import Outline
from indexer.parse.positions import cut_spans
from indexer.parse.renderer import render_tokens, restore_parts

_PLAIN_ABOVE = 8 * 1024 * 1024
_COMMENT = re.compile(r"%%.*?%%|(?<![^\n])%%.*|<!--.*?(?:-->|\Z)", re.DOTALL)
_WIKILINK = re.compile(r"\[\[([^\[\]\n]+)\]\]")
_MARKDOWN_LINK = re.compile(
    r"\[([^\[\]\n]*)\]\((?:<([^<>\n]+)>|((?!<)[^()\s]+(?:\([^()\s]*\)[^()\s]*)*))(?:[ \t]+(?:\"[^\"\n]*\"|'[^'\n]*'))?[ \t]*\)"
)
_LINE_END = re.compile("\n")


def parse_page(data: bytes) -> ParsedPage:
    """Return what the bytes of one Markdown file say."""
    text, findings = decode_text(data)
    front = parse_frontmatter(cut_block(text))
    text = front.text
    findings += front.findings
    blank = "\n" * text.count("\n", 0, front.body_start)
    body = blank + text[front.body_start :]
    try:
        with time_budget():
            return _parse_body(text, body, front, findings)
    except (OverBudgetError, RecursionError) as problem:
        reason = "it nests too deeply" if isinstance(problem, RecursionError) else "it takes too long to read as Markdown"
        finding = make_finding(
            "MDN001", "", 0, f"The page is shown as plain text: {reason}.", "Shorten the line or block that repeats markup."
        )
        return _as_plain_text(text, body, front, [*findings, finding])


def parse_plain(data: bytes, reason: str) -> ParsedPage:
    """Return the page as plain text, because reading it as Markdown failed for a reason that is not its fault."""
    text, findings = decode_text(data)
    front = parse_frontmatter(cut_block(text))
    text = front.text
    finding = make_finding(
        "IDX002", "", 0, f"The page is shown as plain text, for reading it met a mistake of the program ({reason[:200]})."
    )
    return _as_plain_text(text, text[front.body_start :], front, [*findings, *front.findings, finding])


def _parse_body(text: str, body: str, front: Frontmatter, findings: list[Finding]) -> ParsedPage:
    if len(body) > _PLAIN_ABOVE:
        finding = make_finding("MDN005", "", 0, f"The page is larger than {_PLAIN_ABOVE // 1024 // 1024} MB and is shown as plain text.")
        return _as_plain_text(text, body, front, [*findings, finding])
    shown = read_shown(body)
    outline = shown.outline
    rendered, parts = render_tokens(shown.tokens, outline.block_ids, embeds=any(link.kind == "embed" for link in outline.links))
    rendered += outline.html.close_all()
    findings = [*findings, *shown.findings, *(_note_removed(name, line) for name, line in outline.html.removed)]
    findings += [_note_lost(*row) for row in outline.lost_cells]
    findings += [_note_open(*fence) for fence in outline.open_fences]
    findings += [_note_spaced(*spaced) for spaced in outline.spaced]
    twin = _write_twin(text, body, front, shown)
    outline.links = [_match_twin(link, twin) for link in outline.links]
    return _make_page(twin, front, outline, restore_parts(clean_html(rendered), parts), findings)


def _write_twin(text: str, body: str, front: Frontmatter, shown: Shown) -> str:
    """Return the file without its comments."""
    begin, shift = front.body_start, len(text) - len(body)
    if shown.body is not body:
        text = text[:begin] + shown.body[begin - shift :]
    return cut_spans(text, [*shown.outline.comments, *shown.outline.html.comments], shift)


def _note_removed(name: str, line: int) -> Finding:
    return make_finding("MDN004", "", line, f"The HTML element <{name}> is not published.", "Write it as Markdown.")


def _note_lost(line: int, cells: int, columns: int) -> Finding:
    name = "column" if columns == 1 else "columns"
    message = f"The row has {cells} cells and the table {columns} {name}: what stands behind is not shown."
    return make_finding("MDN008", "", line, message, "Write a bar that is part of a cell as `\\|`, or give the table more columns.")


def _note_open(line: int, lines: int) -> Finding:
    taken = {0: "", 1: " The line below it is shown as code."}.get(lines, f" The {lines:,} lines below it are shown as code.")
    hint = "Close it with a line of as many signs as it begins with. If this line was to end the block above, indent it as that one begins."
    return make_finding("MDN009", "", line, f"The code block that begins here is never closed.{taken}", hint)


def _note_spaced(line: int, raw: str, better: str) -> Finding:
    message = f"{raw[:200]} is shown as text: an address may hold no space."
    return make_finding("MDN010", "", line, message, f"Write it as {better[:200]}")


def _make_page(text: str, front: Frontmatter, outline: Outline, rendered: str, findings: list[Finding]) -> ParsedPage:
    first = next((heading.text for heading in outline.headings if heading.level == 1 and heading.text), "")
    links = [*outline.links, *_read_property_links(front)]
    return ParsedPage(
        meta=front.meta,
        meta_lines=front.meta_lines,
        entry_lines=tuple(front.entry_lines),
        title=front.title or first,
        aliases=tuple(front.aliases),
        tags=_merge_tags([*front.tags, *outline.tags]),
        date=front.date,
        hidden=front.hidden,
        headings=tuple(outline.headings),
        block_ids=tuple(outline.block_ids),
        anchors=tuple(outline.html.anchors),
        links=tuple(links),
        summary=(front.summary or outline.summary)[:200].strip(),
        sections=tuple(outline.sections),
        html=rendered,
        text=text,
        has_text=outline.has_text,
        words=sum(_count_words(section.text) for section in outline.sections),
        inline_tags=tuple(outline.tags),
        features=tuple(sorted(outline.features)),
        findings=tuple(findings),
    )


def _merge_tags(tags: list[str]) -> tuple[str, ...]:
    """Return each tag once, as it is written first: letter case makes no difference."""
    merged: dict[str, str] = {}
    for tag in tags:
        merged.setdefault(tag.casefold() if tag.isascii() else unicodedata.normalize("NFC", tag).casefold(), tag)
    return tuple(merged.values())


@lru_cache(maxsize=1)
def _find_cjk() -> Callable[[str], list[str]]:
    return re.compile(r"[\u3040-\u30ff\u3400-\u9fff\uac00-\ud7a3]").findall  # takes 5 ms, and few pages need it


def _count_words(text: str) -> int:
    return len(text.split()) + (len(_find_cjk()(text)) // 2 if not text.isascii() else 0)


def _read_property_links(front: Frontmatter) -> list[Link]:
    """Links in frontmatter values: `parent: "[[page]]"`."""
    links: list[Link] = []
    starts = [0, *(end.end() for end in _LINE_END.finditer(front.text, 0, front.body_start))] if front.strings else []
    for text, line in front.strings:
        for match in _WIKILINK.finditer(text):
            target, _, label = match[1].partition("|")
            if not names_page(target):
                continue
            name, _, anchor = target.partition("#")
            at = _find_line(front, match[0], line, starts)
            links.append(Link("frontmatter", match[0], name.strip().removesuffix("\\"), anchor.strip(), label.strip(), at))
        for match in _MARKDOWN_LINK.finditer(text):
            dest = match[2] or match[3]
            if is_template(dest):
                continue
            name, anchor = split_destination(dest)
            links.append(Link("frontmatter", match[0], name, anchor, match[1], _find_line(front, match[0], line, starts)))
    return links


def _find_line(front: Frontmatter, raw: str, line: int, starts: list[int]) -> int:
    """Return the line of a link in a value that begins in `line`: a text in a block, or in JSON, goes over several."""
    start = starts[min(line, len(starts)) - 1]
    found = front.text.find(raw, start, front.body_start)
    return line if found < 0 else line + front.text.count("\n", start, found)


def _match_twin(link: Link, twin: str) -> Link:
    """A comment inside a link is not published either, and the link must be found in the text without it."""
    if "%%" not in link.raw and "<!--" not in link.raw:
        return link
    bare = _cut_plainly(link.raw)
    return link if link.raw in twin or bare not in twin else replace(link, raw=bare)


def _as_plain_text(text: str, body: str, front: Frontmatter, findings: list[Finding]) -> ParsedPage:
    body, text = _cut_plainly(body), text[: front.body_start] + _cut_plainly(text[front.body_start :])
    shown = body.strip("\n")
    outline = Outline(has_text=bool(shown.strip()))
    outline.sections.append(Section(-1, 1, " ".join(shown[:200_000].split())))
    rendered = f"<pre>{html.escape(shown, quote=False)}</pre>\n"
    return _make_page(text, front, outline, rendered, findings)


def _cut_plainly(text: str) -> str:
    """Take out comments wherever their marks stand: what is code is not known of a text that is not read as Markdown."""
    return _COMMENT.sub(lambda comment: "\n" * comment[0].count("\n"), text)
