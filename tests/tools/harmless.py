"""What must hold for the HTML of every parsed page, whatever its author wrote. Used by the property tests and the tests of attacks."""

from collections import Counter
from html.parser import HTMLParser

from indexer.model.page import ParsedPage
from indexer.parse.slots import NONCHARACTERS, SLOT

TAGS = set(
    (
        "a abbr b bdi bdo blockquote br caption center cite code col colgroup dd del details dfn div dl dt em figcaption "
        "figure h1 h2 h3 h4 h5 h6 hr i input ins kbd li mark ol p pre q rp rt ruby s samp section small span strike strong "
        "sub summary sup table tbody td tfoot th thead tr u ul var wbr"
    ).split()
)


class _Reader(HTMLParser):
    def __init__(self) -> None:
        super().__init__(convert_charrefs=True)
        self.ids: list[str] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        assert tag in TAGS, tag
        for name, value in attrs:
            assert not name.startswith("on"), name
            assert name not in {"style", "src", "srcset", "action", "formaction", "ping", "target", "data", "name"}, name
            assert not NONCHARACTERS.search(value or ""), "a slot stands in an attribute"
            if name == "href":
                assert (value or "").startswith("#"), value
            if name == "id":
                assert value
                self.ids.append(value)

    def handle_comment(self, data: str) -> None:
        raise AssertionError("a comment is left")


def check_page(page: ParsedPage) -> None:
    """Check everything that must hold for a page by itself."""
    reader = _Reader()
    reader.feed(page.html)
    reader.close()
    assert [name for name, count in Counter(reader.ids).items() if count > 1] == []
    assert {heading.id for heading in page.headings} <= set(reader.ids) or not page.headings
    for letter, number in SLOT.findall(page.html):
        known = {"s": page.headings, "b": page.block_ids, "d": page.block_ids, "t": page.inline_tags, "f": (0,)}.get(letter, page.links)
        assert letter in "ociesbdtf"
        assert int(number) < len(known)
    assert not NONCHARACTERS.search(SLOT.sub("", page.html))
