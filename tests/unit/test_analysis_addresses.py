"""Addresses: never two for one, whatever the names, even where letter case is ignored; the same for any order of the files."""

import random
from collections.abc import Iterable
from unicodedata import normalize

import pytest

from indexer.analysis.addresses import assign_addresses
from indexer.analysis.names import build_names
from indexer.model.finding import Finding
from indexer.model.graph import Address


def assign(pages: Iterable[str], assets: Iterable[str] = ()) -> tuple[dict[str, Address], list[Finding]]:
    pages, assets = list(pages), list(assets)
    return assign_addresses(pages, assets, build_names([*pages, *assets], [], []))


def files_of(*pages: str, assets: Iterable[str] = ()) -> dict[str, str]:
    addresses, _ = assign(pages, assets)
    return {path: addresses[path].file for path in (*pages, *assets)}


def codes_of(*pages: str, assets: Iterable[str] = ()) -> list[tuple[str, str]]:
    return sorted((finding.code, finding.path) for finding in assign(pages, assets)[1])


def check_unique(addresses: dict[str, Address]) -> None:
    """No file is also another file, or a folder of another, for a file system that ignores letter case and Unicode form."""
    files = {normalize("NFC", address.file).casefold() for path, address in addresses.items() if not path.endswith("/")}
    assert len(files) == sum(not path.endswith("/") for path in addresses)
    folders = {"/".join(file.split("/")[:length]) for file in files for length in range(1, file.count("/") + 1)}
    assert not files & folders


@pytest.mark.req("P15")
def test_ordinary_names_keep_their_paths() -> None:
    files = files_of("index.md", "a/b c.md", "a/README.md", "ü.md", assets=["a/p q.png"])
    assert files == {
        "index.md": "index.html",
        "a/b c.md": "a/b c/index.html",
        "a/README.md": "a/index.html",
        "ü.md": "ü/index.html",
        "a/p q.png": "a/p q.png",
    }
    assert codes_of("index.md", "a/b c.md", "a/README.md", "ü.md", assets=["a/p q.png"]) == []
    assert codes_of("a/b.md") == []


@pytest.mark.req("P15")
def test_a_page_named_like_its_folder_speaks_for_it_unless_one_beside_it_does() -> None:
    assert files_of("e/e.md", "e/x.md")["e/e.md"] == "e/index.html"
    assert files_of("d.md", "d/D.md") == {"d.md": "d/index.html", "d/D.md": "d/D/index.html"}
    assert codes_of("d.md", "d/D.md") == []


@pytest.mark.req("P15")
@pytest.mark.threat(8)
@pytest.mark.parametrize(
    ("pages", "codes"),
    [
        (["Foo.md", "foo.md"], [("NAM003", "foo.md")]),
        (["a.md", "a/index.md"], [("NAM001", "a.md")]),
        (["index.md", "README.md"], []),
        (["d/index.md", "d/README.md", "d/readme.md"], [("NAM003", "d/readme.md")]),
        ([normalize("NFC", "é.md"), normalize("NFD", "é.md")], [("NAM003", "é.md")]),
        (["a.md", "a.markdown"], [("NAM001", "a.md")]),
        (["a?.md", "a:.md"], [("NAM001", "a?.md")]),
        (["a.md", "a-2.md", "A.md"], [("NAM003", "a.md")]),
        (["X/p.md", "x/p.md"], [("NAM003", "x/"), ("NAM003", "x/p.md")]),
        (["X/README.md", "x/index.md"], [("NAM001", "x/index.md")]),
    ],
)
def test_clashing_pages_are_all_published_with_a_finding(pages: list[str], codes: list[tuple[str, str]]) -> None:
    addresses, findings = assign(pages)
    check_unique(addresses)
    assert all(path in addresses for path in pages)
    assert sorted((finding.code, finding.path) for finding in findings) == sorted(codes)


@pytest.mark.req("P15")
@pytest.mark.threat(9)
def test_invisible_characters_are_left_out_and_named_by_code_point() -> None:
    addresses, findings = assign(["pay\u200bpal.md", "paypal.md"])
    check_unique(addresses)
    named = [finding for finding in findings if finding.code == "NAM004"]
    assert [finding.path for finding in named] == ["pay\u200bpal.md"]
    assert "U+200B" in named[0].message


@pytest.mark.req("P15")
@pytest.mark.threat(10)
@pytest.mark.parametrize("name", ["_", "sitemap.xml", "feed.xml", "llms.txt", "graph.json", "404.html", "index.html", "index.md"])
def test_names_of_the_site_itself_cannot_be_taken(name: str) -> None:
    assert files_of(f"{name}.md")[f"{name}.md"] == f"{name}-/index.html"
    assert files_of(f"{name}/x.md")[f"{name}/x.md"] == f"{name}-/x/index.html"
    assert ("NAM002", f"{name}.md") in codes_of(f"{name}.md")


@pytest.mark.req("P15")
@pytest.mark.parametrize("name", ["می\u200cخواهم", "ක්\u200dෂ", "👨\u200d👩\u200d👧 family", "❤\ufe0f\u200d🔥"])
def test_joiners_that_belong_to_a_word_or_picture_stay(name: str) -> None:
    addresses, findings = assign([f"{name}.md"])
    assert addresses[f"{name}.md"].file == f"{name}/index.html"
    assert findings == []


@pytest.mark.req("P15")
@pytest.mark.parametrize("name", ["ad\u200cmin", "ad\u200dmin", "\u200dadmin", "soft\u00adhyphen", "می\u200c", "🔥\u200c🔥"])
def test_joiners_that_join_nothing_are_left_out(name: str) -> None:
    addresses, findings = assign([f"{name}.md"])
    assert not {"\u200c", "\u200d", "\u00ad"} & set(addresses[f"{name}.md"].file)
    assert [finding.code for finding in findings] == ["NAM004"]


@pytest.mark.req("P15")
def test_only_the_first_folder_is_compared_with_the_names_of_the_site() -> None:
    assert files_of("d/_.md", "d/llms.txt.md") == {"d/_.md": "d/_/index.html", "d/llms.txt.md": "d/llms.txt/index.html"}
    assert files_of(assets=["llms.txt", "d/index.html"]) == {"llms.txt": "llms.txt-", "d/index.html": "d/index.html-.txt"}


@pytest.mark.req("P15")
@pytest.mark.threat(10)
@pytest.mark.parametrize(
    ("name", "file"), [("con", "con-"), ("AUX.notes", "AUX-.notes"), ("lpt1", "lpt1-"), ("con .x", "con-.x"), ("console", "console")]
)
def test_names_of_devices_are_none_any_more(name: str, file: str) -> None:
    assert files_of(f"{name}.md")[f"{name}.md"] == f"{file}/index.html"
    assert codes_of(f"{name}.md") == ([("NAM002", f"{name}.md")] if name != file else [])


@pytest.mark.req("P15")
def test_a_picture_called_like_a_device_is_still_a_picture() -> None:
    assert files_of(assets=["con.png"]) == {"con.png": "con-.png"}


@pytest.mark.req("P15")
def test_a_name_of_300_bytes_is_shortened_and_two_of_them_stay_apart() -> None:
    long = "é" * 150
    addresses, findings = assign([f"{long}1.md", f"{long}2.md"])
    check_unique(addresses)
    assert all(len(part.encode()) <= 255 for address in addresses.values() for part in address.file.split("/"))
    assert [finding.path for finding in findings if finding.code == "NAM005"] == [f"{long}1.md", f"{long}2.md"]


@pytest.mark.req("P15")
def test_a_long_picture_keeps_its_suffix() -> None:
    files = files_of(assets=["x" * 300 + ".png", "x" * 301 + ".png"])
    assert all(file.endswith(".png") and len(file) <= 255 for file in files.values())
    assert len(set(files.values())) == 2


@pytest.mark.req("P15")
@pytest.mark.threat(19)
@pytest.mark.parametrize("name", ["x.html", "x.HTM", "x.js", "x.svgz", "x.xml", "x.php", "x.html."])
def test_files_that_a_browser_would_run_become_text(name: str) -> None:
    assert files_of(assets=[name])[name].endswith(".txt")


@pytest.mark.req("P15")
@pytest.mark.parametrize(
    ("pages", "assets"),
    [
        (["a.png.md"], ["a.png"]),
        ([], ["X", "x/y.png"]),
        ([], ["X", "x/y.png", "x-2/y.png"]),
        (["d/p.md"], ["D"]),
        (["Pic.PNG/p.md"], ["pic.png"]),
        ([], ["Pic.png", "pic.png", "pic-2.png"]),
        ([], ["a.html", "a.html.txt"]),
        (["x.md", "X.md", "x-2.md", "x-2/index.md"], ["x", "X"]),
    ],
)
def test_assets_and_pages_never_take_each_others_place(pages: list[str], assets: list[str]) -> None:
    addresses, findings = assign(pages, assets)
    check_unique(addresses)
    assert findings
    assert {*pages, *assets} <= addresses.keys()


@pytest.mark.req("P15")
def test_a_folder_opens_its_index_or_the_page_that_lies_there() -> None:
    addresses, _ = assign(["guide.md", "guide/a.md", "list/a.md", "d/index.md"])
    assert addresses["guide/"] == addresses["guide.md"]
    assert addresses["d/"] == addresses["d/index.md"]
    assert addresses["list/"] == Address("list/", "list/index.html")
    assert addresses["/"] == Address("", "index.html")


@pytest.mark.req("P14", "P15")
def test_the_order_of_the_files_does_not_matter() -> None:
    pages = ["Foo.md", "foo.md", "FOO.md", "foo/index.md", "foo-2.md", "é.md", normalize("NFD", "é.md"), "_.md", "con.md", "a?.md", "a:.md"]
    assets = ["x.html", "X.html", "foo.png", "Foo.PNG", "x.html.txt"]
    expected = assign(pages, assets)
    generator = random.Random(7)
    for _ in range(10):
        generator.shuffle(pages)
        generator.shuffle(assets)
        assert assign(pages, assets) == expected


@pytest.mark.req("P15")
def test_addresses_are_encoded() -> None:
    addresses, _ = assign(["a b/ü#1.md"])
    assert addresses["a b/ü#1.md"] == Address("a%20b/%C3%BC%231/", "a b/ü#1/index.html")
