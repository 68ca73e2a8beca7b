"""Files for programs beside the pages: llms.txt, sitemap.xml, the Atom feed, graph.json (SPEC P10). Called by the pipeline; pure.

Addresses are absolute where the site's own address is known (`site_url`), else relative to the site's root.
"""

import html
import json

import msgspec

from indexer.model.result import IndexResult
from indexer.publish.jobs import to_moment
from indexer.publish.listings import newest_pages

_FEED_ENTRIES = 50
_UNREADABLE = dict.fromkeys((*range(9), 11, 12, *range(14, 32), 65534, 65535, *range(55296, 57344)), "�")


def render_llms(result: IndexResult, site_url: str) -> bytes:
    """The pages of a site for language models by folder, each folder once: title, summary, address of the Markdown twin."""
    lines = [f"# {result.title}", "", f"> {len(result.graph.nodes)} pages of Markdown. Each link leads to the page's Markdown.", ""]
    folders: dict[str, list[str]] = {"": []}
    for path in sorted(result.graph.nodes, key=lambda path: result.addresses[path].url != ""):  # the front page, then by path
        folders.setdefault(path.rpartition("/")[0], []).append(path)
    for folder in sorted(folders):
        lines += ["", f"## {folder or 'Start'}", ""] if folders[folder] else ()
        for path in folders[folder]:
            summary = " ".join(result.pages[path].summary.split())
            title = result.title_of(path).replace("[", "(").replace("]", ")")
            lines.append(f"- [{title}]({site_url}{result.addresses[path].url}index.md)" + (f": {summary}" if summary else ""))
    return ("\n".join(lines) + "\n").encode("utf-8", "replace")


def render_sitemap(result: IndexResult, site_url: str) -> bytes:
    """Sitemap protocol 0.9; last changes from git only."""
    entries = []
    for path in result.graph.nodes:
        change = result.history.last.get(path)
        lastmod = f"<lastmod>{_to_utc(change.at)}</lastmod>" if change else ""
        entries.append(f"<url><loc>{_xml(site_url + result.addresses[path].url or './')}</loc>{lastmod}</url>")
    head = '<?xml version="1.0" encoding="UTF-8"?>\n<urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">\n'
    return (head + "\n".join(entries) + "\n</urlset>\n").encode("utf-8", "replace")


def render_feed(result: IndexResult, site_url: str) -> bytes:
    """Atom feed of the last changed pages."""
    newest = newest_pages(result)[:_FEED_ENTRIES]
    updated = _to_utc(result.history.last[newest[0]].at) if newest else "1970-01-01T00:00:00Z"
    name = f"tag:brainpress,2026:{result.repo}"
    parts = [
        '<?xml version="1.0" encoding="UTF-8"?>',
        f'<feed xmlns="http://www.w3.org/2005/Atom"{f" xml:base={_quote(site_url)}" if site_url else ""}>',
        f"<title>{_xml(result.title)}</title><id>{_xml(name)}</id><updated>{updated}</updated>",
        f'<author><name>{_xml(result.title)}</name></author><link rel="self" href="feed.xml"/>',
    ]
    for path in newest:
        change = result.history.last[path]
        url = result.addresses[path].url
        parts.append(
            f"<entry><title>{_xml(result.title_of(path))}</title><id>{_xml(f'{name}/{url}')}</id><updated>{_to_utc(change.at)}</updated>"
            f"<link href={_quote(url or './')}/><summary>{_xml(result.pages[path].summary)}</summary></entry>"
        )
    return ("\n".join(parts) + "\n</feed>\n").encode("utf-8", "replace")


def render_graph(result: IndexResult) -> bytes:
    """The link graph of the published pages: nodes with title, address and scores, edges as pairs of node numbers.

    Names that are linked but not written are left out: the hidden pages would be those that are missing among them.
    """
    graph = result.graph
    number = {path: index for index, path in enumerate(graph.nodes)}
    hubs, orphans = set(graph.hubs), set(graph.orphans)
    nodes = [
        {
            "path": path,
            "title": result.title_of(path),
            "url": result.addresses[path].url,
            "rank": graph.pagerank[path],
            "community": graph.communities[path],
            "hub": path in hubs,
            "orphan": path in orphans,
        }
        for path in graph.nodes
    ]
    edges = [[number[source], number[to], count] for source, to, count in graph.edges]
    return to_json({"revision": result.snapshot.revision, "nodes": nodes, "edges": edges})


def render_redirect(target: str) -> bytes:
    """A page that leads on to `target`, an address relative to it."""
    href = _quote(target)
    return (
        f'<!doctype html><html lang="en"><head><meta charset="utf-8"><title>Moved</title><meta name="robots" content="noindex">'
        f'<link rel="canonical" href={href}><meta http-equiv="refresh" content={_quote("0; url=" + target)}></head>'
        f"<body><p>This page has moved: <a href={href}>open it</a>.</p></body></html>\n"
    ).encode("utf-8", "replace")


def to_json(value: object) -> bytes:
    """Compact JSON that is harmless even inside a script element."""
    try:
        data = msgspec.json.encode(value)
    except (UnicodeEncodeError, OverflowError):  # half of a surrogate pair, or a number of more than 64 bits
        data = json.dumps(value, ensure_ascii=False, separators=(",", ":")).encode("utf-8", "replace")
    for char in "<>&\u2028\u2029":
        data = data.replace(char.encode(), f"\\u{ord(char):04x}".encode())
    return data + b"\n"


def _to_utc(seconds: int) -> str:
    return to_moment(seconds).strftime("%Y-%m-%dT%H:%M:%SZ")


def _xml(text: str) -> str:
    return html.escape(text.translate(_UNREADABLE), quote=False)


def _quote(address: str) -> str:
    """Return an address as the value of an attribute. A single quote may stay: in a URL it need not be encoded."""
    return '"' + html.escape(address, quote=False).replace('"', "&quot;") + '"'
