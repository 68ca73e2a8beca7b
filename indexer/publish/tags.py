"""Tags of a site and the addresses of their pages. Called by the pipeline and `indexer.publish.jobs`; pure."""

import re
from collections import Counter, defaultdict
from collections.abc import Iterable
from hashlib import blake2b

from indexer.analysis.addresses import encode_url
from indexer.analysis.names import fold, nfc
from indexer.model.result import IndexResult
from indexer.model.site import Ref

ROOT = "_/tags/"
_LONGEST = 60
_UNSAFE = re.compile(r'[\x00-\x1f\x7f\\:*?"<>|]')


class TagPages:
    """All tags of the published pages; letter case makes no difference, a page of `a/b` is also one of `a`."""

    def __init__(self, result: IndexResult) -> None:
        spellings: dict[str, Counter[str]] = defaultdict(Counter)
        self.pages: dict[str, list[str]] = defaultdict(list)
        keys = {tag: _list_keys(tag) for path in result.graph.nodes for tag in result.pages[path].tags}
        for path in result.graph.nodes:
            for tag, key in dict.fromkeys(pair for each in result.pages[path].tags for pair in keys[each]):
                spellings[key][tag] += 1
                if path not in self.pages[key][-1:]:
                    self.pages[key].append(path)
        self.names = {key: min(forms, key=lambda form, forms=forms: (-forms[form], form)) for key, forms in sorted(spellings.items())}  # type: ignore[misc]

    def url(self, tag: str) -> str:
        """Address of a tag's page, relative to the site's root. Below `t/`, so that no tag takes the address of another page."""
        return f"{ROOT}t/{encode_url(_safe(fold(tag)))}/"

    def file(self, tag: str) -> str:
        """HTML file of a tag's page, below the site's folder."""
        return f"{ROOT}t/{_safe(fold(tag))}/index.html"

    def refer(self, tags: Iterable[str]) -> tuple[Ref, ...]:
        """Return links to the pages of `tags`."""
        return tuple(Ref(tag, self.url(tag)) for tag in tags)

    def pair(self, tags: Iterable[str]) -> tuple[tuple[str, str], ...]:
        """Return (name, address) of `tags`."""
        return tuple((tag, self.url(tag)) for tag in tags)


def _list_keys(tag: str) -> list[tuple[str, str]]:
    """Return (spelling, key) of a tag and of those that it is inside of, from the outside in."""
    parts = [part for part in tag.split("/") if part]
    forms = ["/".join(parts[:length]) for length in range(1, len(parts) + 1)]
    return [(form, fold(form)) for form in forms]


def _safe(tag: str) -> str:
    """Tags become folders: no part may be empty, `.`, `..`, `index.html` or too long; a part that is changed gets a mark of its own."""
    return "/".join(_safe_part(part) for part in nfc(tag).split("/") if part) or "_"


def _safe_part(part: str) -> str:
    safe = _UNSAFE.sub("-", part)[:_LONGEST]
    if safe == part and part.strip(".") and part != "index.html":
        return part
    return f"{safe}_{blake2b(part.encode('utf-8', 'surrogateescape'), digest_size=4).hexdigest()}"
