"""What `brain check --base` says about pages and the graph. Used by `check_words`; pure."""

from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence

from indexer.cli.check_lines import Kind, Line, Part, Section, join, make_section
from indexer.cli.terminal import count
from indexer.model.changes import Changes, PageChange, PageMove

FOLDER = 3
"""Pages that moved from one folder to another, from which on the folder is told and not each page."""
NAMED = 12
"""Pages or names in one line."""


def make_page_section(changes: Changes) -> Section:
    """Return the pages that came, went and moved; what moved together is one line."""
    moved, rest = _group_moves([page for page in changes.pages if page.change == "renamed"])
    lines = [(_order(page), _say_page(page)) for page in (*(page for page in changes.pages if page.change != "renamed"), *rest)]
    lines += [((_RANKS["renamed"], old), _say_move(old, new, pages)) for (old, new), pages in moved.items()]
    return make_section(_title_pages(changes), [line for _, line in sorted(lines, key=lambda pair: pair[0])])


def _group_moves(pages: Sequence[PageChange]) -> tuple[dict[tuple[str, str], list[PageChange]], list[PageChange]]:
    """Return (folder before, folder now) → pages that moved with it, and the pages that were renamed by themselves."""
    groups: dict[tuple[str, str], list[PageChange]] = defaultdict(list)
    for page in pages:
        groups[_part_folders(page.former, page.path)].append(page)
    moved = {folders: group for folders, group in groups.items() if len(group) >= FOLDER}
    return moved, [page for folders, group in groups.items() if folders not in moved for page in group]


def _part_folders(old: str, new: str) -> tuple[str, str]:
    """Return what two paths have in front of what they have in common at the end; whole names only, and at least one where there is one."""
    before, after = old.split("/"), new.split("/")
    common: list[str] = []
    while before and after and before[-1] == after[-1]:
        common.append(before.pop())
        after.pop()
    if len(common) > 1 and not (before and after):
        before.append(common[-1])
        after.append(common[-1])
    return "/".join(before), "/".join(after)


def _say_move(old: str, new: str, pages: Sequence[PageChange]) -> Line:
    broken = sum(page.broken for page in pages)
    gone = sum(not page.redirected and not page.hidden for page in pages)
    old_addresses = f"{gone:,} old {'address is' if gone == 1 else 'addresses are'} gone" if gone else "old addresses lead to the new ones"
    notes = [count(len(pages), "page"), old_addresses, _say_broken(broken) or "no link breaks"]
    return join(("word", "renamed  "), ("code", f"{old}/"), ("word", " → "), ("code", f"{new}/"), ("word", f"  ({'; '.join(notes)})"))


def _say_broken(number: int) -> str:
    return count(number, "link") + (" breaks" if number == 1 else " break") if number else ""


def make_graph_section(changes: Changes) -> Section:
    """Return what lost its last link or found one, and names that links wait for."""
    stubs = [f"{name} ({count(links, 'link')})" for name, links in changes.stubs]
    lines = (
        _say_names("nothing links to: ", "code", changes.orphans),
        _say_names("something links now to: ", "code", changes.adopted),
        _say_names("linked and not written: ", "text", stubs),
        _say_names("linked and not written before, now written or linked no more: ", "text", changes.filled_stubs),
    )
    return make_section("Graph", [line for line in lines if line])


def _say_names(say: str, kind: Kind, names: Sequence[str]) -> Line:
    if not names:
        return ()
    shown: list[Part] = [part for name in names[:NAMED] for part in ((kind, name), ("word", ", "))]
    more = f" and {len(names) - NAMED:,} more" if len(names) > NAMED else ""
    return join(("word", say), *shown[:-1], ("word", more))


_MOVES: Mapping[PageMove, str] = {
    "removed": "removed",
    "hidden": "made private",
    "renamed": "renamed",
    "published": "made public",
    "added": "added",
}
"""In order of how much a reader may miss."""


_RANKS = {move: rank for rank, move in enumerate(_MOVES)}


def _order(page: PageChange) -> tuple[int, str]:
    return _RANKS[page.change], page.former or page.path


def _title_pages(changes: Changes) -> str:
    counted = Counter(page.change for page in changes.pages)
    named = [f"{counted[kind]:,} {word}" for kind, word in _MOVES.items() if counted[kind]]
    return "Pages: " + ", ".join([*named, *([f"{changes.edited:,} edited"] if changes.edited else [])])


def _say_page(page: PageChange) -> Line:
    broken = _say_broken(page.broken)
    title: list[Part] = [("word", "  "), ("text", page.title)] if page.title else []
    match page.change:
        case "added":
            return join(("word", "added  "), ("code", page.path), *title, ("word", "  (private)" if page.hidden else ""))
        case "removed":
            return join(("word", "removed  "), ("code", page.path), *title, ("word", f"  ({broken})" if broken else ""))
        case "renamed":
            old = "its old address leads to the new one" if page.redirected else "" if page.hidden else "its old address is gone"
            notes = "; ".join(note for note in (old, broken or "no link breaks") if note)
            return join(("word", "renamed  "), ("code", page.former), ("word", " → "), ("code", page.path), ("word", f"  ({notes})"))
        case "hidden":
            return join(("word", "made private  "), ("code", page.path), ("word", f"  ({broken})" if broken else ""))
        case "published":
            return join(("word", "made public  "), ("code", page.path), *title)
