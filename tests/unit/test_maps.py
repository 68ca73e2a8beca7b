"""Maps of a brain: what is listed where, how large it gets, and that hidden pages are in none of it."""

import re
from collections import Counter

import pytest

from indexer.model.maps import ATTRIBUTES, FOLDER, FRONT, GRAPH, HUBS, INDEX, ORPHANS
from indexer.model.relations import Relations
from indexer.parse.page import parse_page
from indexer.publish.maps import make_maps
from indexer.publish.maps_text import MOST_TOKENS, count_bytes
from tests.bench.finding import read_choices, resolve
from tests.tools.results import make_result
from tests.tools.vaults import Files

NOTHING = Relations()


def map_files(files: Files, relations: Relations = NOTHING, kept: dict[str, bytes] | None = None) -> dict[str, bytes]:
    """Return the maps of these pages."""
    return dict(make_maps(make_result(files), relations, kept or {}))


def list_pages(maps: dict[str, bytes]) -> Counter[str]:
    """Return how often each page is listed on a hub, beginning at the index and following links."""
    listed: Counter[str] = Counter()
    waiting, seen = [INDEX], {INDEX}
    while waiting:
        name = waiting.pop()
        for choice in read_choices(name, maps[name].decode()):
            if choice.target not in maps:
                listed[choice.target] += 1
            elif choice.target not in seen:
                seen.add(choice.target)
                waiting.append(choice.target)
    assert {path for path in maps if path.startswith(HUBS)} == seen - {INDEX}
    return listed


def flat(count: int, folder: str = "", words: str = "") -> dict[str, str]:
    """Return so many pages side by side."""
    return {
        f"{folder}p{number:05d}.md": f"# Page {number * 7919 % 99991:05d} {words}\n\nWhat it says of {number}.\n" for number in range(count)
    }


SHAPES: dict[str, dict[str, str]] = {
    "none": {"only.md": "---\ndraft: true\n---\n# Hidden\n"},
    "one": {"only.md": "# Only\n\nOne page.\n"},
    "one folder": flat(1_500, "notes/"),
    "many folders": {f"f{number:04d}/p{page}.md": f"# Page {page} of {number}\n" for number in range(400) for page in range(5)},
    "deep": {"/".join(f"d{level}" for level in range(depth)) + f"/p{depth}.md": f"# Depth {depth}\n" for depth in range(1, 32)},
    "one title": {f"p{number:04d}.md": "# Untitled\n" for number in range(700)},
    "two large folders": flat(1_800, "a/x/", "left") | flat(1_800, "a/y/", "right") | flat(5, "b/", "other"),
    "long names": {"f" * 200 + f"/{'n' * 190}{number}.md": f"# {'T' * 190} {number}\n" for number in range(60)},
    "no words": {f"{number}.md": f"# {sign * 3}\n" for number, sign in enumerate("!?*[]()#$%&~=+—…😀")},
}


@pytest.mark.req("T07", "T29")
@pytest.mark.parametrize("shape", SHAPES)
def test_every_published_page_is_listed_once_and_no_map_is_too_long(shape: str) -> None:
    files = SHAPES[shape]
    maps = map_files(files)
    result = make_result(files)
    assert list_pages(maps) == Counter(result.graph.nodes)
    assert max(count_bytes(text) for path, text in maps.items() if path.endswith(".md")) <= MOST_TOKENS


@pytest.mark.req("T07")
def test_a_hub_is_reached_through_one_index_more_at_most() -> None:
    maps = map_files(SHAPES["many folders"])
    first = [choice.target for choice in read_choices(INDEX, maps[INDEX].decode())]
    second = [choice.target for name in first for choice in read_choices(name, maps[name].decode()) if choice.target in maps]
    third = [choice.target for name in second for choice in read_choices(name, maps[name].decode()) if choice.target in maps]
    assert second
    assert not third


@pytest.mark.req("T29")
def test_a_line_gives_title_size_and_summary() -> None:
    maps = map_files({"plan.md": "---\nsummary: What we do in spring.\n---\n# Plan\n\nText.\n", "bare.md": "# Bare\n"})
    lines = maps[f"{HUBS}top-level.md"].decode().splitlines()
    assert "- [Plan](../../plan.md) ~100: What we do in spring." in lines
    assert "- [Bare](../../bare.md) ~100" in lines


@pytest.mark.req("T29")
def test_a_summary_that_says_nothing_is_left_out() -> None:
    same = {f"p{number}.md": f"# Page {number}\n\nThis page was made from a template.\n" for number in range(5)}
    maps = map_files(same | {"plan.md": "# Our plan\n\nOur plan.\n"})
    text = maps[f"{HUBS}top-level.md"].decode()
    assert "template" not in text
    assert "- [Our plan](../../plan.md) ~100\n" in text


@pytest.mark.req("T29")
@pytest.mark.parametrize("folder", ["guides", "con", "Ünïcode – ☃", "a b", "☃"])
def test_folders_become_hubs_named_after_them(folder: str) -> None:
    maps = map_files(flat(40, f"{folder}/") | flat(20, "other/"))
    (name,) = (path for path in maps if path.startswith(HUBS) and "other" not in path)
    assert name != f"{HUBS}con.md"
    assert re.fullmatch(r"[\w/.-]+", name)
    assert f"# {folder}".split()[0] in maps[name].decode()


@pytest.mark.req("T29", "P06")
def test_orphans_are_listed_by_page_by_map_or_by_folder() -> None:
    few = map_files({"index.md": "# Start\n\n[A](a.md)\n", "a.md": "# A\n", "b.md": "# B\n"})
    assert few[ORPHANS].decode().splitlines()[-1] == "- [B](../b.md)"
    many = map_files(SHAPES["one folder"])
    assert ": all its pages" in many[ORPHANS].decode()
    none = map_files({"index.md": "# Start\n\n[A](a.md)\n", "a.md": "# A\n"})
    assert none[ORPHANS].decode().endswith("None.\n")


@pytest.mark.req("T30")
def test_what_belongs_together_is_named_where_it_lies_on_another_map_and_nothing_links_it() -> None:
    files = flat(60, "a/") | flat(60, "b/") | {"a/x.md": "# X\n\n[Linked](../b/p00001.md)\n", "b/y.md": "# Y\n"}
    related = {"a/x.md": (("b/y.md", 0.8), ("b/p00001.md", 0.7), ("a/p00001.md", 0.7), ("gone.md", 0.9))}
    text = map_files(files, Relations(related=related))[f"{HUBS}a.md"].decode()
    assert text.endswith("## Belong together, though no link says so\n\n- [X](../../a/x.md): [Y](../../b/y.md)\n")


@pytest.mark.req("T32")
def test_the_index_says_that_relations_wait() -> None:
    maps = map_files({"a.md": "# A\n"}, Relations(waiting="The embedding server does not answer."))
    assert "- Pages that belong together wait: The embedding server does not answer." in maps[INDEX].decode()


@pytest.mark.req("X01", "P19", "T29")
def test_maps_of_a_repo_with_hidden_pages_are_those_of_the_repo_without_them() -> None:
    files = flat(30, "a/") | flat(30, "b/") | {"index.md": "# Start\n\n<!-- brain:index -->\n<!-- /brain:index -->\n[One](a/p00001.md)\n"}
    hidden = {
        "a/secret.md": "---\nprivate: true\ntitle: Canary\n---\n[One](p00001.md)\n",
        "canary/README.md": "---\ndraft: true\n---\n# Canary\n",
        "BRAIN.md": "---\npublish: false\n---\n# Canary\n",
    }
    kept = {FRONT: files["index.md"].encode()}
    related = {"a/p00001.md": (("a/secret.md", 0.9),)}
    with_hidden = map_files(files | hidden, Relations(related=related), kept)
    assert with_hidden == map_files(files, NOTHING, kept)
    assert not any(b"anary" in text for text in with_hidden.values())


@pytest.mark.req("X01", "T29")
def test_a_hidden_index_page_gets_no_block() -> None:
    front = "---\ndraft: true\n---\n<!-- brain:index -->\n<!-- /brain:index -->\n"
    assert FRONT not in map_files({"index.md": front, "a.md": "# A\n"}, kept={FRONT: front.encode()})


NASTY = [
    "a [b] c",
    "a ](evil.md) b",
    "[x](y)",
    "`code`",
    "<b>bold</b>",
    "a | b",
    "&amp; &lt;",
    "*stars* _and_ __lines__",
    "back\\slash\\",
    "a\u202eb\u2066c",
    "![i](j)",
    "<!-- brain:index -->",
    "# Hash",
    "~~no~~ ==yes== %%no%%",
    "$x$",
    "]]",
    "[[wiki|link]]",
    "Überschrift",
    "Заголовок",
    "العنوان",
    "題名",
    "제목",
    "शीर्षक",
    "\U000e0041tag",
    "…",
]


@pytest.mark.req("T29")
@pytest.mark.threat(46)
def test_titles_stay_one_link_whatever_they_hold() -> None:
    files = {f"x/{number:02d} (a) #b &amp;.md": f"---\ntitle: {quote(title)}\n---\n" for number, title in enumerate(NASTY)}
    maps = map_files(files)
    listed = [link for path, text in maps.items() if path.startswith(HUBS) for link in parse_page(text).links]
    pages = [resolve(f"{HUBS}x.md", link.target) for link in listed if link.target != "../index.md"]
    assert sorted(pages) == sorted(files)
    labels = {resolve(f"{HUBS}x.md", link.target): link.label for link in listed}
    for number, title in enumerate(NASTY):
        visible = title.replace("\u202e", "").replace("\u2066", "").replace("\U000e0041", "")
        assert labels[f"x/{number:02d} (a) #b &amp;.md"] == visible
    assert not re.search(
        "[\u202a-\u202e\u2066-\u2069\U000e0000-\U000e007f]", "".join(text.decode() for path, text in maps.items() if path != GRAPH)
    )


def quote(title: str) -> str:
    """Return a title as YAML writes it."""
    return '"' + title.replace("\\", "\\\\").replace('"', '\\"') + '"'


@pytest.mark.req("T29", "P14")
def test_a_new_page_changes_few_lines_of_few_maps() -> None:
    files = flat(1_500, "notes/") | flat(100, "other/")
    before = map_files(files)
    after = map_files(files | {"notes/new.md": "# Page 55555 anew\n\nNew.\n"})
    changed = [path for path in before.keys() | after.keys() if before.get(path) != after.get(path)]
    assert len(changed) <= 4
    lines = sum((Counter(after[path].splitlines()) - Counter(before[path].splitlines())).total() for path in changed)
    assert lines <= 6


@pytest.mark.req("T29")
def test_maps_lie_in_one_folder_with_how_git_merges_them() -> None:
    maps = map_files({"index.md": "# A\n"})
    assert all(path.startswith(f"{FOLDER}/") for path in maps)
    assert maps[ATTRIBUTES].endswith(b"* merge=union linguist-generated\n")


@pytest.mark.req("T29", "P14")
def test_maps_are_the_same_again_when_they_are_made_from_what_they_made() -> None:
    front = "# Start\n\n<!-- brain:index -->\n<!-- /brain:index -->\n"
    files = flat(100, "a/") | flat(100, "b/") | {"index.md": front}
    first = map_files(files, kept={FRONT: front.encode()})
    assert first[FRONT] != front.encode()
    again = map_files(files | {"index.md": first[FRONT].decode()}, kept=first)
    assert again == first
