"""Which SVG files are pictures, and what becomes of the others."""

from collections.abc import Callable, Iterator, Sequence
from types import TracebackType
from typing import Self

import pytest

from indexer.model.result import IndexResult
from indexer.model.snapshot import Entry, History, Origin, Snapshot
from indexer.publish.active_svg import find_active_content
from indexer.publish.attachments import withhold_active_svg
from tests.tools.results import copy_known, make_jobs, make_result
from tests.tools.vaults import Files

HEAD = '<svg xmlns="http://www.w3.org/2000/svg" xmlns:xlink="http://www.w3.org/1999/xlink">'
SCRIPT = f"{HEAD}<script>alert(1)</script></svg>"
PLAIN = f'{HEAD}<rect width="1" height="1"/></svg>'


@pytest.mark.threat(19)
@pytest.mark.parametrize(
    "inside",
    [
        "<script>alert(1)</script>",
        "<SCRIPT/>",
        '<x:script xmlns:x="http://www.w3.org/2000/svg"/>',
        "<foreignObject><p>x</p></foreignObject>",
        '<rect onload="alert(1)"/>',
        '<rect ONCLICK="x"/>',
        '<a href="javascript:alert(1)"/>',
        '<a xlink:href=" java&#9;script:alert(1)"/>',
        '<a xlink:href="&#106;avascript:alert(1)"/>',
        '<a href="data:text/html,x"/>',
        '<image href="https://evil.example/x.png"/>',
        '<image href="//evil.example/x.png"/>',
        '<use href="data:image/svg+xml,&lt;svg/>"/>',
        '<feImage href="http://evil.example/"/>',
        '<rect style="fill:url(https://evil.example/#x)"/>',
        '<rect fill="url(//evil.example/#x)"/>',
        "<style>@import 'https://evil.example/x.css';</style>",
        "<style>@font-face{src:url(http://evil.example/f)}</style>",
        "<style>a{background:u\\72l(http://evil.example/)} @x</style>",
        '<set attributeName="href" to="x"/>',
        '<animate attributeName="xlink:href" values="#a"/>',
        '<set attributeName="onclick" to="alert(1)"/>',
        '<animate attributeName="x" values="javascript:alert(1)"/>',
        '<iframe src="x"/>',
        "<rect></svg",
    ],
)
def test_what_runs_or_loads_is_found(inside: str) -> None:
    assert find_active_content(f"{HEAD}{inside}</svg>".encode())


@pytest.mark.threat(13)
@pytest.mark.threat(19)
@pytest.mark.parametrize(
    "data",
    [
        f'<?xml-stylesheet href="x.xsl"?>{PLAIN}',
        '<!DOCTYPE svg [<!ENTITY x "<script>alert(1)</script>">]>' + HEAD + "&x;</svg>",
        '<!DOCTYPE svg [<!ENTITY x SYSTEM "file:///etc/passwd">]>' + HEAD + "&x;</svg>",
        '<!DOCTYPE svg [<!ENTITY a "aa"><!ENTITY b "&a;&a;"><!ENTITY c "&b;&b;">]>' + HEAD + "&c;</svg>",
        "",
        "not XML",
        PLAIN + "<script/>",
    ],
)
def test_what_no_drawing_needs_is_found(data: str) -> None:
    assert find_active_content(data.encode())


@pytest.mark.threat(19)
@pytest.mark.parametrize(
    "data",
    [
        PLAIN,
        '<?xml version="1.0" encoding="UTF-8" standalone="no"?>\n<!-- made by hand -->\n' + PLAIN,
        '<!DOCTYPE svg PUBLIC "-//W3C//DTD SVG 1.1//EN" "http://www.w3.org/Graphics/SVG/1.1/DTD/svg11.dtd">' + PLAIN,
        '<!DOCTYPE svg [<!ENTITY ns "http://www.w3.org/2000/svg">]><svg xmlns="&ns;"/>',
        HEAD + '<a href="https://example.org/"><text>Ada &amp; co: url is fine</text></a></svg>',
        HEAD + '<defs><g id="a"/></defs><use xlink:href="#a" fill="url(#b)" style="stroke:url(#c)"/></svg>',
        HEAD + '<image xlink:href="data:image/png;base64,AAAA"/></svg>',
        HEAD + "<style>.a{fill:red} @font-face{src:url(data:font/woff2;base64,AAAA)}</style></svg>",
        HEAD + '<animate attributeName="x" from="0" to="9"/><feColorMatrix values="0 0 1"/></svg>',
    ],
)
def test_a_drawing_is_a_drawing(data: str) -> None:
    assert find_active_content(data.encode()) == ""


@pytest.mark.threat(16)
def test_other_encodings_are_read_as_a_browser_reads_them() -> None:
    assert find_active_content(SCRIPT.encode("utf-16"))
    assert find_active_content(PLAIN.encode("utf-16")) == ""
    assert find_active_content(b'<?xml version="1.0" encoding="nonsense"?>' + PLAIN.encode())


class MemorySource:
    """Bytes of a result's files; counts what is read."""

    snapshot, origin = Snapshot(None, None, ()), Origin()

    def __init__(self, files: Files) -> None:
        self.files = files
        self.asked: list[str] = []

    def read(self, entries: Sequence[Entry]) -> Iterator[tuple[Entry, bytes]]:
        for entry in entries:
            self.asked.append(entry.path)
            content = self.files[entry.path]
            yield entry, content if isinstance(content, bytes) else content.encode()

    def read_unlisted(self, path: str, largest: int) -> bytes | None:
        return None

    def history(self, known: History | None = None, since: str | None = None, conceals: Callable[[bytes], bool] | None = None) -> History:
        return History()

    def close(self) -> None: ...

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None) -> None: ...


def withhold(files: Files, last: IndexResult | None = None) -> tuple[IndexResult, list[str]]:
    source = MemorySource(files)
    known = copy_known(last.known) if last else None
    result = make_result(files, last=known, before=last.history if last else None)
    return withhold_active_svg(result, source, known or result.known), source.asked


@pytest.mark.req("P08")
@pytest.mark.threat(19)
def test_an_active_drawing_has_no_address_and_links_to_it_are_dead() -> None:
    result, _ = withhold({"a.md": "![x](bad.svg) ![[Bad2.SVG]] ![x](good.svg)", "bad.svg": SCRIPT, "Bad2.SVG": SCRIPT, "good.svg": PLAIN})
    assert sorted(path for path in result.addresses if path.lower().endswith(".svg")) == ["good.svg"]
    assert [(finding.code, finding.path) for finding in result.findings] == [("MDN006", "Bad2.SVG"), ("MDN006", "bad.svg")]
    assert [link.kind for link in make_jobs(result)["a/index.html"].links] == ["dead", "dead", "image"]


@pytest.mark.req("P02", "P14")
def test_a_drawing_is_judged_once_and_pages_follow_when_it_changes() -> None:
    files = {"a.md": "![x](pic.svg)", "b.md": "", "pic.svg": PLAIN}
    first, asked = withhold(files)
    assert asked == ["pic.svg"]
    second, asked = withhold(files, first)
    assert (asked, second.touched) == ([], frozenset())
    third, asked = withhold({**files, "pic.svg": SCRIPT}, second)
    assert (asked, third.touched) == (["pic.svg"], frozenset({"a.md"}))
    assert third.addresses == withhold({**files, "pic.svg": SCRIPT})[0].addresses
    fourth, _ = withhold({**files, "pic.svg": SCRIPT}, third)
    assert fourth.touched == frozenset()
    assert [finding.code for finding in fourth.findings] == ["MDN006"]
    fifth, _ = withhold(files, fourth)
    assert fifth.touched == frozenset({"a.md"})
    assert "pic.svg" in fifth.addresses


@pytest.mark.req("P19")
def test_a_drawing_that_only_hidden_pages_use_is_not_even_read() -> None:
    result, asked = withhold({"a.md": "", "s.md": "---\nprivate: true\n---\n![x](bad.svg)", "bad.svg": SCRIPT})
    assert asked == []
    assert result.findings == tuple(finding for finding in result.findings if finding.code != "MDN006")
