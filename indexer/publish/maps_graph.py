"""`.brain/graph.json`: what is linked, what belongs together and what is alike, for programs and for the next build. Pure.

One JSON array, one entry a line; its first line and its last never change, and every other line begins with a comma. So a merge that keeps
the lines of both sides is still JSON, and says of some pages twice what the next refresh says once. No revision stands in it: `from` is a
digest of the published pages, or each refresh would change the file that it commits.
"""

import json
from collections import defaultdict
from collections.abc import Collection, Iterable, Iterator, Mapping
from hashlib import blake2b
from typing import Any

from msgspec.structs import replace

from indexer.model.relations import Copies, Mention, Relations
from indexer.model.result import IndexResult

_FROM = b',{"from":'
HEAD, TAIL = b'[{"graph":1}\n', b"]\n"
_STEADY = 0.05
"""A likeness that moves less is left as it was recorded: every page that comes or goes moves all of them a little."""
_MOST_RELATED, _MOST_TIMES, _LONGEST_WORDS, _LONGEST_REASON = 10, 1_000_000, 500, 300


def render_graph(result: IndexResult, relations: Relations, content: str) -> bytes:
    """Return the graph; `content` is what `digest_content` says of the pages."""
    entries: list[dict[str, Any]] = [{"from": [result.repo], "content": content}]
    entries += [{"waiting": relations.waiting}] if relations.waiting else []
    entries += _list_pages(result, relations)
    entries += [{"copies": each.path, "others": [[path, round(share, 2)] for path, share in each.others]} for each in relations.copies]
    groups: dict[int, list[str]] = defaultdict(list)
    for path in result.graph.nodes:
        groups[result.graph.communities[path]].append(path)
    entries += [{"community": paths} for paths in sorted(groups.values()) if len(paths) > 1]
    return HEAD + b"".join(b"," + _encode(entry) + b"\n" for entry in entries) + TAIL


def _encode(entry: object) -> bytes:
    """Paths that are no text keep their bytes as escapes, which every program reads."""
    text = json.dumps(entry, ensure_ascii=False, separators=(",", ":"))
    try:
        return text.encode()
    except UnicodeEncodeError:
        return json.dumps(entry, separators=(",", ":")).encode()


def _list_pages(result: IndexResult, relations: Relations) -> Iterator[dict[str, Any]]:
    links: dict[str, list[list[Any]]] = defaultdict(list)
    for source, to, count in result.graph.edges:
        links[source].append([to, count])
    mentions: dict[str, list[list[Any]]] = defaultdict(list)
    for mention in relations.mentions:
        mentions[mention.path].append([mention.line, mention.words, mention.target, mention.times])
    orphans = set(result.graph.orphans)
    for path in result.graph.nodes:
        entry: dict[str, Any] = {"page": path, "title": result.title_of(path)}
        entry |= {"links": links[path]} if path in links else {}
        entry |= {"related": [[other, round(like, 2)] for other, like in relations.related[path]]} if relations.related.get(path) else {}
        entry |= {"mentions": mentions[path]} if path in mentions else {}
        entry |= {"orphan": True} if path in orphans else {}
        yield entry


def digest_content(result: IndexResult, front: bytes) -> str:
    """Return what stands for the published pages; `front` is `index.md` without what the maps write into it."""
    digest = blake2b(digest_size=16)
    for path in result.graph.nodes:
        blob = result.entries[path].blob if path != "index.md" else blake2b(front, digest_size=20).hexdigest()
        digest.update(f"{path}\0{blob}\n".encode("utf-8", "surrogateescape"))
    return digest.hexdigest()


def settle(relations: Relations, recorded: Relations | None, published: Collection[str]) -> Relations:
    """Return the relations as they are to be recorded: between published pages only, those that have hardly moved as they were.

    What waits is not forgotten: without any relations, the recorded ones stay, with the reason.
    """
    if recorded and relations.waiting and not (relations.related or relations.mentions or relations.copies):
        return replace(recorded, waiting=relations.waiting)
    before = recorded.related if recorded else {}
    related = {
        path: _settle_one([pair for pair in pairs if pair[0] in published], dict(before.get(path, ())))
        for path, pairs in relations.related.items()
        if path in published
    }
    copies = (replace(each, others=tuple(pair for pair in each.others if pair[0] in published)) for each in relations.copies)
    return Relations(
        {path: pairs for path, pairs in related.items() if pairs},
        tuple(each for each in relations.mentions if each.path in published and each.target in published),
        tuple(each for each in copies if each.others and each.path in published),
        relations.waiting,
    )


def _settle_one(pairs: Iterable[tuple[str, float]], before: Mapping[str, float]) -> tuple[tuple[str, float], ...]:
    kept = ((path, before[path] if abs(before.get(path, -1.0) - like) < _STEADY else round(like, 2)) for path, like in pairs)
    return tuple(sorted(kept, key=lambda pair: (-pair[1], pair[0])))


def is_current(data: bytes, content: str) -> bool:
    """Whether a record is of the very pages of which `digest_content` says `content`; one that a merge put together is of none."""
    made_of = [line for line in data.split(b"\n") if line.startswith(_FROM)]
    try:
        return len(made_of) == 1 and bool(json.loads(made_of[0][1:])["content"] == content)
    except (ValueError, TypeError, KeyError, RecursionError):
        return False


def read_recorded(data: bytes, published: Collection[str]) -> Relations | None:
    """Return the relations that a repo has recorded, between pages that are published now; None for anything that is no such file.

    The file comes from a repo, where anybody may have written it: whatever has another shape than we write makes it worthless as a whole.
    Of several entries for one page, which a merge leaves, the last counts.
    """
    if not data.startswith(HEAD.rstrip()):
        return None
    try:
        entries = json.loads(data.decode())
        return _read_entries(entries, frozenset(published))
    except (ValueError, TypeError, RecursionError):
        return None


def _read_entries(entries: Iterable[Any], published: Collection[str]) -> Relations:
    related: dict[str, tuple[tuple[str, float], ...]] = {}
    mentions: dict[str, list[Mention]] = {}
    copies: dict[str, Copies] = {}
    waiting = ""
    for entry in entries:
        if not isinstance(entry, dict):
            raise TypeError
        if "page" in entry and _text(entry["page"]) in published:
            path = entry["page"]
            related[path] = _read_pairs(entry.get("related", []), path, published)[:_MOST_RELATED]
            mentions[path] = [mention for each in entry.get("mentions", []) if (mention := _read_mention(path, each)).target in published]
        elif "copies" in entry and _text(entry["copies"]) in published:
            others = _read_pairs(entry.get("others", []), entry["copies"], published)
            copies[entry["copies"]] = Copies(entry["copies"], tuple(sorted(others)))
        elif "waiting" in entry:
            waiting = _text(entry["waiting"])[:_LONGEST_REASON]
    listed = sorted((each for group in mentions.values() for each in group), key=lambda each: (each.path, each.line, each.target))
    return Relations(
        {path: pairs for path, pairs in sorted(related.items()) if pairs},
        tuple(listed),
        tuple(each for _, each in sorted(copies.items()) if each.others),
        waiting,
    )


def _read_pairs(pairs: Any, own: str, published: Collection[str]) -> tuple[tuple[str, float], ...]:
    found: dict[str, float] = {}
    for path, like in pairs:
        if isinstance(like, bool) or not isinstance(like, int | float) or not 0 <= like <= 1:
            raise TypeError
        if _text(path) in published and path != own:
            found.setdefault(path, float(like))
    return tuple(found.items())


def _read_mention(path: str, given: Any) -> Mention:
    line, words, target, times = given
    for number in (line, times):
        if isinstance(number, bool) or not isinstance(number, int) or not 0 <= number <= _MOST_TIMES:
            raise TypeError
    return Mention(path, line, _text(words)[:_LONGEST_WORDS], _text(target), times)


def _text(value: Any) -> str:
    if not isinstance(value, str):
        raise TypeError
    return value
