"""Parsed pages → IndexResult: the second pass, when all pages are known. Called by the pipeline; pure."""

from collections.abc import Collection, Iterable, Mapping
from datetime import UTC, datetime
from hashlib import blake2b

from msgspec.structs import replace

from indexer.analysis.addresses import assign_addresses, former_file, is_free, list_taken
from indexer.analysis.brains import check_brains, find_brains
from indexer.analysis.graph import build_graph
from indexer.analysis.link_findings import Around, check_links
from indexer.analysis.names import Names, build_names, folder_of, is_page
from indexer.analysis.resolve import resolve_link, resolve_page
from indexer.analysis.suggestions import Suggestions
from indexer.analysis.unread import Unread, find_unread, tell_unread
from indexer.model.blueprint import Blueprints
from indexer.model.codes import make_finding
from indexer.model.finding import Finding
from indexer.model.graph import Address, Target
from indexer.model.known import Known
from indexer.model.page import PageFacts
from indexer.model.result import IndexResult
from indexer.model.snapshot import Entry, History, Origin, Snapshot

_NOTHING = Known()
_NO_HISTORY = History()
_NO_SYMLINKS: Mapping[str, str] = {}


def build_index(
    repo: str,
    title: str,
    snapshot: Snapshot,
    origin: Origin,
    history: History,
    facts: Mapping[str, PageFacts],
    last: Known = _NOTHING,
    before: History = _NO_HISTORY,
) -> IndexResult:
    """Return the resolved repo; `facts` are by blob id, `last` and `before` are what the last run knew.

    The result is the same with and without them, but for `touched`.
    """
    entries = {entry.path: entry for entry in snapshot.entries}
    pages = {path: facts[entry.blob] for path, entry in entries.items() if is_page(path)}
    blobs = {path: entries[path].blob for path in pages}
    unread = find_unread(snapshot.findings)
    digest = _digest_names(entries, pages, snapshot.symlinks, unread)
    names = name_all(entries, pages, snapshot.symlinks)
    shown = name_shown(snapshot, pages, names)
    last = last if last.names == digest else Known()
    changed = {path for path, blob in blobs.items() if last.blobs.get(path) != blob}
    targets = _resolve_all(pages, names, shown, changed, last, unread)
    addresses, renamed, assets = _place_all(pages, targets, shown, last)
    taken_over = addresses is last.addresses
    moved = set() if taken_over else {path for path, address in last.addresses.items() if addresses.get(path) != address}
    graph, scores = build_graph(pages, targets, last.scores)
    around = look_around(entries, pages, targets, names, assets)
    return IndexResult(
        repo=repo,
        title=title,
        snapshot=snapshot,
        origin=origin,
        history=history,
        entries=entries,
        pages=pages,
        targets=targets,
        graph=graph,
        addresses=addresses,
        redirects=_find_redirects(history, addresses),
        findings=sort_findings((*snapshot.findings, *renamed, *_check_pages(targets, around))),
        known=Known(digest, blobs, targets, assets, addresses, scores, renamed),
        touched=_find_touched(changed | _find_redated(pages, snapshot, history, before), targets, moved, last) if last.names else None,
    )


def judge_brains(result: IndexResult, blueprints: Blueprints, date: str | None = None) -> IndexResult:
    """Return the repo with its brains and what is to be said about them; without a `date`, states are judged for the day of the commit."""
    date = date or show_day(result.snapshot.committed_at)
    brains = find_brains(result.repo, result.pages, blueprints)
    findings = sort_findings((*result.findings, *check_brains(brains, result.pages, blueprints, date)))
    return replace(result, brains=brains, blueprints=blueprints, date=date, findings=findings)


def show_day(seconds: int | None) -> str | None:
    """Return the day of a time, `YYYY-MM-DD` in UTC; None for a time no calendar has (a commit may claim any number)."""
    try:
        return None if seconds is None else datetime.fromtimestamp(seconds, UTC).date().isoformat()
    except (OverflowError, ValueError, OSError):
        return None


def name_shown(snapshot: Snapshot, pages: Mapping[str, PageFacts], names: Names | None) -> Names:
    """Return the names of what is published; `names` are those of everything, where they are known."""
    hidden = {path for path, page in pages.items() if page.hidden}
    if names is not None and not hidden:
        return names
    return name_all([entry.path for entry in snapshot.entries if entry.path not in hidden], pages, snapshot.symlinks)


def name_all(paths: Collection[str], pages: Mapping[str, PageFacts], symlinks: Mapping[str, str] = _NO_SYMLINKS) -> Names:
    """Return the names by which links find these files; `pages` and `symlinks` may hold more."""
    named = [(path, pages[path]) for path in paths if path in pages]
    aliases = [(alias, path) for path, page in named for alias in page.aliases]
    return build_names(paths, aliases, [(page.title, path) for path, page in named if page.title], symlinks)


def _digest_names(entries: Mapping[str, Entry], pages: Mapping[str, PageFacts], symlinks: Mapping[str, str], unread: Unread) -> str:
    digest = blake2b(repr((sorted(symlinks.items()), sorted(unread.places.items()))).encode("utf-8", "surrogateescape"), digest_size=16)
    for path in entries:
        page = pages.get(path)
        said = (path, page.title, page.aliases, page.tags, page.hidden, page.meta.get("order")) if page else path
        digest.update(repr(said).encode("utf-8", "surrogateescape"))
    return digest.hexdigest()


def _resolve_all(
    pages: Mapping[str, PageFacts], names: Names, shown: Names, changed: set[str], last: Known, unread: Unread
) -> dict[str, tuple[Target, ...]]:
    """Resolve what may have changed: the links of changed pages, and links to them, whose headings may be others now.

    Links of published pages are resolved among what is published, as if hidden pages did not exist; only then is it said of a link that
    leads nowhere that it leads to a hidden page.
    """
    targets: dict[str, tuple[Target, ...]] = {}
    for path, page in pages.items():
        before = last.targets.get(path)
        if before is None or path in changed or any(target.path in changed for target in before):
            found = resolve_page(path, page, pages, names if page.hidden else shown)
            found = found if names is shown or page.hidden else _tell_private(path, page, found, pages, names)
            targets[path] = tell_unread(path, page, found, unread)
        else:
            targets[path] = before
    return targets


def _tell_private(
    path: str, page: PageFacts, targets: tuple[Target, ...], pages: Mapping[str, PageFacts], names: Names
) -> tuple[Target, ...]:
    told = []
    for link, target in zip(page.links, targets, strict=True):
        other = resolve_link(path, link, pages, names) if target.status == "missing" else target
        told.append(other if other.status == "private" else target)
    return tuple(told)


def _place_all(
    pages: Mapping[str, PageFacts], targets: Mapping[str, tuple[Target, ...]], names: Names, last: Known
) -> tuple[dict[str, Address], list[Finding], tuple[str, ...]]:
    assets = tuple(used_files(pages, targets))
    if last.names and assets == last.assets:
        return last.addresses, last.renamed, assets
    published = [path for path, page in pages.items() if not page.hidden]
    addresses, renamed = assign_addresses(published, assets, names)
    return addresses, renamed, assets


def _find_redated(pages: Iterable[str], snapshot: Snapshot, history: History, before: History) -> set[str]:
    """Pages with the same text and another last change (edited and set back), or, where none is known, another revision to name."""
    nameless = snapshot.revision is not None
    changes = ((path, history.last.get(path)) for path in pages)
    return {path for path, change in changes if change != before.last.get(path) or (change is None and nameless)}


def _find_touched(changed: set[str], targets: Mapping[str, tuple[Target, ...]], moved: set[str], last: Known) -> frozenset[str]:
    """Changed pages, pages whose links lead elsewhere now, pages that gained or lost a backlink, pages that embed any of these.

    `moved` are files with another address than last time, because another file of nearly the same name is published now, or no more.
    """
    touched = set(changed)
    if moved:
        touched |= {path for path, resolved in targets.items() if any(target.path in moved for target in resolved)}
    for path, resolved in targets.items():
        before = last.targets.get(path, ())
        if resolved is not before and resolved != before:
            touched.add(path)
            touched |= {target.path for target in (*before, *resolved) if target.path}
    return frozenset(touched)


def _check_pages(targets: Mapping[str, tuple[Target, ...]], around: Around) -> list[Finding]:
    findings: list[Finding] = []
    for path, page in around.pages.items():
        findings += [replace(finding, path=path) for finding in page.findings]
        findings += check_links(path, page, targets[path], around)
        if page.hidden:
            findings.append(make_finding("PRV003", path, 0, "The page is not published."))
    return findings


def look_around(
    entries: Mapping[str, Entry],
    pages: Mapping[str, PageFacts],
    targets: Mapping[str, tuple[Target, ...]],
    names: Names,
    assets: Collection[str],
) -> Around:
    """Return what findings about links compare them with; `names` are those that a hint may give, `assets` the files that are published."""
    used = frozenset(assets)
    withheld = {target.path for path, page in pages.items() if page.hidden for target in targets[path] if target.path} - used
    blobs = {path: entry.blob for path, entry in entries.items()}
    return Around(pages, Suggestions(names, pages, used, withheld), blobs, frozenset(_list_folders(pages)))


def _list_folders(pages: Mapping[str, PageFacts]) -> set[str]:
    """Return the folders with published pages somewhere below them."""
    folders = {""}
    for path, page in pages.items():
        folder = "" if page.hidden else folder_of(path)
        while folder not in folders:
            folders.add(folder)
            folder = folder_of(folder)
    return folders


def sort_findings(findings: Iterable[Finding]) -> tuple[Finding, ...]:
    """Return findings by path, line and code."""
    return tuple(sorted(findings, key=_order))


def _order(finding: Finding) -> tuple[str, int, str, str]:
    return finding.path, finding.line, finding.code, finding.message


def used_files(pages: Mapping[str, PageFacts], targets: Mapping[str, tuple[Target, ...]]) -> list[str]:
    """Files that published pages show or link to; nothing else of a repo is published."""
    used = {
        target.path
        for path, resolved in targets.items()
        if not pages[path].hidden
        for target in resolved
        if target.status == "asset" and target.path is not None
    }
    return sorted(used)


def _find_redirects(history: History, addresses: Mapping[str, Address]) -> dict[str, str]:
    """Former page addresses that nothing has taken since (SPEC P15)."""
    told = (pair for pair in sorted(history.renames.items()) if pair[0] not in history.concealed)
    renames = [(old, new) for old, new in told if is_page(old) and new in addresses]
    taken = list_taken(addresses) if renames else set()
    redirects: dict[str, str] = {}
    for old, new in renames:
        if is_free(file := former_file(old), taken):
            redirects[file] = addresses[new].url
            taken |= list_taken({old: Address("", file)})
    return redirects
