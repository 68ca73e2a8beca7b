"""Where links lead: every rule in its order, every status, and the name of the rule that decided."""

import time
from unicodedata import normalize

import pytest

from indexer.model.graph import Target
from indexer.model.result import IndexResult
from tests.tools.results import make_result, parse_text
from tests.tools.vaults import Files

HIDDEN = "---\nprivate: true\n---\n# Secret plan\n"


def targets(files: Files, page: str = "a.md") -> tuple[Target, ...]:
    return make_result(files).targets[page]


def only(files: Files, page: str = "a.md") -> Target:
    (target,) = targets(files, page)
    return target


def lead(link: str, *others: str, page: str = "a.md") -> tuple[str, str | None, str]:
    """Status, path and rule of the one link of a page, beside other (empty) pages."""
    target = only({page: link, **dict.fromkeys(others, "text")}, page)
    return target.status, target.path, target.rule


@pytest.mark.req("P05")
@pytest.mark.parametrize(
    ("link", "others", "expected"),
    [
        ("[x](b.md)", ["b.md"], ("page", "b.md", "exact")),
        ("[x](b)", ["b.md"], ("page", "b.md", "exact")),
        ("[x](b.markdown)", ["b.markdown"], ("page", "b.markdown", "exact")),
        ("[x](./d/../b.md)", ["b.md"], ("page", "b.md", "exact")),
        ("[x](/d/b.md)", ["d/b.md"], ("page", "d/b.md", "exact")),
        ("[x](B.MD)", ["b.md"], ("page", "b.md", "letter case")),
        ("[x](B.md)", ["b.md", "B.md"], ("page", "B.md", "exact")),
        ("[x](d/)", ["d/index.md"], ("page", "d/index.md", "folder")),
        ("[x](d)", ["d/README.md"], ("page", "d/README.md", "folder")),
        ("[x](D/)", ["d/README.md"], ("page", "d/README.md", "letter case")),
        ("[x](d/)", ["D/README.md", "d/index.md"], ("page", "d/index.md", "folder")),
        ("[x](D/)", ["D/README.md", "d/index.md"], ("page", "D/README.md", "folder")),
        ("[x](D)", ["D/b.md", "d/b.md"], ("folder", "D", "folder")),
        ("[x](d)", ["D/b.md", "d/b.md"], ("folder", "d", "folder")),
        ("[x](d)", ["d.md", "d/index.md"], ("page", "d.md", "exact")),
        ("[x](d/)", ["d.md", "d/index.md"], ("page", "d/index.md", "folder")),
        ("[x](d/)", ["d/b.md"], ("folder", "d", "folder")),
        ("[x](/)", ["README.md"], ("page", "README.md", "folder")),
        ("[x](/)", ["b.md"], ("folder", "", "folder")),
        ("[x](d/)", ["d.md", "d/b.md"], ("page", "d.md", "folder")),
        ("[x](D/)", ["d.md", "d/b.md"], ("page", "d.md", "letter case")),
        ("[x](a\u00a0b.md)", ["a b.md"], ("page", "a b.md", "letter case")),
        ("[x](b.md)", ["d/b.md"], ("missing", None, "nothing has this path")),
        ("[x](../b.md)", ["b.md"], ("missing", None, "leaves the repository")),
        ("[x](/../b.md)", ["b.md"], ("missing", None, "leaves the repository")),
        ("[x](my%20page.md)", ["my page.md"], ("page", "my page.md", "exact")),
        ("[x](<my page.md>)", ["my page.md"], ("page", "my page.md", "exact")),
        ("[x](50%25.md)", ["50%.md"], ("page", "50%.md", "exact")),
        ("[x](q%3F.md)", ["q?.md"], ("page", "q?.md", "exact")),
        ("[x](c%23.md)", ["c#.md"], ("page", "c#.md", "exact")),
        ("[x](v1.2.md)", ["v1.2.md"], ("page", "v1.2.md", "exact")),
        ("[x](v1.2)", ["v1.2.md"], ("page", "v1.2.md", "exact")),
        ("[x](Re:%20plan.md)", ["Re: plan.md"], ("page", "Re: plan.md", "exact")),
        ("[x][r]\n\n[r]: b.md", ["b.md"], ("page", "b.md", "exact")),
    ],
)
def test_markdown_links_are_paths(link: str, others: list[str], expected: tuple[str, str | None, str]) -> None:
    assert lead(link, *others) == expected


@pytest.mark.req("P05")
@pytest.mark.parametrize(
    ("link", "others", "expected"),
    [
        ("[[d/b]]", ["d/b.md", "f/d/b.md"], ("page", "d/b.md", "path from the root")),
        ("[[b.md]]", ["b.md"], ("page", "b.md", "path from the root")),
        ("[[b]]", ["b.md", "f/b.md"], ("page", "b.md", "path from the root")),
        ("[[b]]", ["f/b.md"], ("page", "f/b.md", "path from the page")),
        ("[[./b]]", ["b.md", "f/b.md"], ("page", "f/b.md", "path from the page")),
        ("[[../b]]", ["b.md", "f/b.md"], ("page", "b.md", "path from the page")),
        ("[[B]]", ["f/b.md", "g/B.md"], ("page", "f/b.md", "letter case")),
        ("[[b]]", ["g/h/b.md"], ("page", "g/h/b.md", "name")),
        ("[[h/b]]", ["g/h/b.md", "i/b.md"], ("page", "g/h/b.md", "name")),
        ("[[h/b]]", ["g/xh/b.md"], ("missing", None, "no page has this name, alias or title")),
        ("[[b]]", ["g/h/b.md", "i/b.md"], ("ambiguous", "i/b.md", "shortest path")),
        ("[[d]]", ["d/x.md"], ("folder", "d", "folder")),
        ("[[Re: plan]]", ["Re: plan.md"], ("page", "Re: plan.md", "path from the root")),
        ("[[v1.2 notes]]", ["g/v1.2 notes.md"], ("page", "g/v1.2 notes.md", "name")),
        ("[[what?]]", ["g/what?.md"], ("page", "g/what?.md", "name")),
        ("[[C# notes]]", ["C# notes.md"], ("page", "C# notes.md", "exact")),
        ("[[C# notes]]", ["g/C# notes.md"], ("page", "g/C# notes.md", "name")),
        ("[[../../b]]", ["b.md"], ("missing", None, "no page has this name, alias or title")),
        ("[[C# notes]]", ["g/C.md", "g/C# notes.md"], ("page", "g/C# notes.md", "name")),
        ("[[.]]", ["f.md", "f/index.md"], ("page", "f/index.md", "folder")),
        ("[[./]]", ["f.md", "f/b.md"], ("page", "f.md", "folder")),
        ("[[..]]", ["README.md"], ("page", "README.md", "folder")),
        ("[[../]]", ["b.md"], ("folder", "", "folder")),
        ("[[/]]", ["README.md"], ("page", "README.md", "folder")),
        ("[[d]]", ["e/d.md", "d/b.md"], ("page", "e/d.md", "name")),
        ("[[d]]", ["g/d/index.md"], ("page", "g/d/index.md", "folder")),
        ("[[D]]", ["g/d/README.md", "g/d/b.md"], ("page", "g/d/README.md", "folder")),
        ("[[g/d/]]", ["h/g/d/_index.md", "d/index.md"], ("page", "h/g/d/_index.md", "folder")),
        ("[[d]]", ["g/h/d/index.md", "i/d/index.md"], ("ambiguous", "i/d/index.md", "shortest path")),
        ("[[d]]", ["D/b.md", "f/d/b.md"], ("folder", "f/d", "folder")),
        ("[[d]]", ["g/d/b.md"], ("missing", None, "no page has this name, alias or title")),
        ("[[a\u00a0b]]", ["a b.md"], ("page", "a b.md", "letter case")),
        ("[[a b]]", ["g/a\u202fb.md"], ("page", "g/a\u202fb.md", "name")),
        ("[[b]]", ["i/b.md", "f/g/h/b.md"], ("ambiguous", "f/g/h/b.md", "nearest")),
        ("[[b]]", ["i/b.md", "fg/b.md"], ("ambiguous", "i/b.md", "shortest path")),
        ("[[pic.png]]", ["g/pic.png"], ("asset", "g/pic.png", "name")),
        ("![[pic.png]]", ["a/files/pic.png", "f/files/pic.png"], ("asset", "f/files/pic.png", "nearest")),
        ("![[pic.png]]", ["g/Pic.png"], ("asset", "g/Pic.png", "name")),
        ("![[pic.png]]", ["pic.png.md", "g/pic.png"], ("asset", "g/pic.png", "name")),
        ("[[pic.png]]", ["f/pic.png.md", "f/g/pic.png"], ("asset", "f/g/pic.png", "name")),
        ("[[notes/pic.png]]", ["notes/pic.png.md", "g/pic.png"], ("page", "notes/pic.png.md", "path from the root")),
        ("![[pic.png]]", ["g/pic.png.md"], ("page", "g/pic.png.md", "name")),
        ("[[licence]]", ["g/licence.md", "licence.txt", "h/licence"], ("page", "g/licence.md", "name")),
        ("[[gone.pdf]]", ["b.md"], ("asset-missing", None, "no page has this name, alias or title")),
        ("[[gone.2]]", ["b.md"], ("missing", None, "no page has this name, alias or title")),
        ("[[C#]]", ["C.md", "C#.md"], ("page", "C#.md", "exact")),
        ("[[C#]]", ["C.md", "g/c#.md"], ("page", "g/c#.md", "name")),
        ("[[C#]]", ["C.md"], ("page", "C.md", "path from the root")),
        ("[[d/]]", ["d.md", "d/index.md"], ("page", "d/index.md", "folder")),
        ("[[d/]]", ["g/d.md", "d/b.md"], ("folder", "d", "folder")),
        ("[[d/]]", ["d.md", "g/d/README.md"], ("page", "g/d/README.md", "folder")),
        ("[[d/]]", ["d.md"], ("page", "d.md", "path from the root")),
        ("[[/]]", ["INDEX.md", "index.md"], ("page", "index.md", "folder")),
        ("[[d/]]", ["d/README.md", "d/readme.md"], ("page", "d/README.md", "folder")),
        ("![]()", ["b.md"], ("asset-missing", None, "it names no file")),
    ],
)
def test_wikilinks_are_names(link: str, others: list[str], expected: tuple[str, str | None, str]) -> None:
    assert lead(link, *others, page="f/a.md") == expected


@pytest.mark.req("P05")
def test_alias_comes_after_name_and_before_title() -> None:
    pages = {"n.md": "# One", "x.md": "---\naliases: [Plan]\n---\n", "y.md": "---\ntitle: Plan\n---\n"}
    assert only({"a.md": "[[plan]]", **pages}) == Target("page", "x.md", rule="alias", edge=True)
    assert only({"a.md": "[[Plan]]", **pages, "g/plan.md": "text"}).rule == "name"
    assert only({"a.md": "[[PLAN]]", "y.md": pages["y.md"]}) == Target("page", "y.md", rule="title", edge=True)


@pytest.mark.req("P05")
def test_several_candidates_are_all_named_the_best_first() -> None:
    target = only({"a.md": "[[notes]]", "z/notes.md": "", "long/er/notes.md": "", "b/notes.md": ""})
    assert target.status == "ambiguous"
    assert target.candidates == ("b/notes.md", "z/notes.md", "long/er/notes.md")
    assert target.path == "b/notes.md"
    assert target.edge


@pytest.mark.req("P05")
def test_files_of_one_name_are_candidates_too() -> None:
    target = only({"a.md": "![[pic.png]]", "z/pic.png": "1", "long/er/pic.png": "2", "b/pic.png": "3"})
    assert (target.status, target.path, target.rule) == ("asset", "b/pic.png", "shortest path")
    assert target.candidates == ("b/pic.png", "z/pic.png", "long/er/pic.png")


@pytest.mark.req("P05")
@pytest.mark.parametrize("link", [".", "./", "", "../guide/", "../guide/."])
def test_a_dot_is_the_folder_whatever_page_has_its_name(link: str) -> None:
    files = {"guide.md": "# Guide", "guide/index.md": "# Index", "guide/a.md": f"[x]({link})"}
    wanted = "guide/index.md" if link else "guide/a.md"
    assert only(files, "guide/a.md").path == wanted


@pytest.mark.req("P05")
@pytest.mark.parametrize("folder", ["guide/", "guide/#first-part", "./guide/?x=1#first-part"])
def test_a_folder_without_an_index_leads_to_the_page_at_its_address(folder: str) -> None:
    target = only({"a.md": f"[x]({folder})", "guide.md": "# First part", "guide/b.md": ""})
    assert (target.status, target.path, target.edge) == ("page", "guide.md", True)
    assert target.fragment == ("first-part" if "#" in folder else "")


@pytest.mark.req("P05", "P19")
def test_a_hidden_page_of_the_name_of_a_folder_leaves_the_folder_as_it_is() -> None:
    target = only({"a.md": "[x](guide/)", "guide.md": HIDDEN, "guide/b.md": ""})
    assert (target.status, target.path) == ("folder", "guide")


@pytest.mark.req("P05")
def test_an_alias_or_title_may_hold_what_looks_like_an_anchor() -> None:
    titled = {name: f"---\ntitle: {title}\n---\n" for name, title in (("y.md", "C# notes"), ("c.md", "Sea"), ("v.md", "w#part"))}
    files = {"x.md": '---\naliases: [Plan#9, "c#"]\n---\n', "w.md": "# Part", **titled}
    found = targets({"a.md": "[[plan#9]] [[C# notes]] [[C# notes|label]] [[w#part]] [[C#]] [[Gone# notes]]", **files})
    assert [(target.path, target.rule) for target in found[:5]] == [
        ("x.md", "alias"),
        ("y.md", "title"),
        ("y.md", "title"),
        ("w.md", "path from the root"),
        ("x.md", "alias"),
    ]
    assert found[5].status == "missing"


@pytest.mark.req("P05")
def test_composed_and_decomposed_names_are_the_same_name() -> None:
    decomposed = normalize("NFD", "café.md")
    assert only({"a.md": "[[café]]", decomposed: "text"}).path == decomposed
    assert only({"a.md": "[x](caf%C3%A9.md)", decomposed: "text"}).path == decomposed
    assert only({"a.md": normalize("NFD", "[[café]]"), "café.md": "text"}).path == "café.md"


@pytest.mark.req("P05")
@pytest.mark.parametrize("link", ["[x](caf%C3%A9/)", "[[café]]", "[[x/café]]"])
def test_a_folder_stored_in_two_unicode_forms_is_one_folder(link: str) -> None:
    composed, decomposed = normalize("NFC", "x/café/index.md"), normalize("NFD", "x/café/b.md")
    files = {"x/a.md": link, composed: "text", decomposed: "text"}
    assert only(files, "x/a.md").path == composed


@pytest.mark.req("P05")
@pytest.mark.parametrize(
    ("link", "status"),
    [
        ("[x](https://example.org/)", "external"),
        ("<https://example.org/>", "external"),
        ("[[https://example.org/a|x]]", "external"),
        ("[x](//example.org/)", "external"),
        ("[x](mailto:ada@example.org)", "external"),
        ("[x](#part)", "self"),
        ("[x](#nothing)", "anchor-missing"),
        ("[[#Part]]", "self"),
        ("[[a]]", "self"),
        ("![x](gone.png)", "asset-missing"),
        ("![[gone.png]]", "asset-missing"),
        ("![x](pic.png)", "asset"),
        ("[x](data.csv)", "asset"),
        ("[[gone]]", "missing"),
        ("[[b#gone]]", "anchor-missing"),
        ("[[b#^gone]]", "anchor-missing"),
    ],
)
def test_every_kind_of_target_has_its_status(link: str, status: str) -> None:
    assert only({"a.md": f"{link}\n\n# Part", "b.md": "# Other", "pic.png": b"", "data.csv": ""}).status == status


@pytest.mark.req("P05")
@pytest.mark.parametrize(
    ("link", "fragment"),
    [
        ("[x](b.md#first-part)", "first-part"),
        ("[x](b.md#First-Part)", "first-part"),
        ("[x](b.md#First%20Part)", "first-part"),
        ("[[b#First Part]]", "first-part"),
        ("[[b#first PART]]", "first-part"),
        ("[[b#first-part]]", "first-part"),
        ("[[b#Second#Linux]]", "linux-1"),
        ("[[b#First Part#Linux]]", "linux"),
        ("[[b#Linux]]", "linux"),
        ("[[b#Gone#Linux]]", "linux"),
        ("[[b#^block-1]]", "^block-1"),
        ("[[b#^BLOCK-1]]", "^block-1"),
        ("[[b #^ block-1 | words]]", "^block-1"),
        ("[x](b.md#^block-1)", "^block-1"),
    ],
)
def test_fragments_lead_to_ids_headings_and_blocks(link: str, fragment: str) -> None:
    page = "# First Part\n\n## Linux\n\ntext ^block-1\n\n# Second\n\n### Linux\n"
    target = only({"a.md": link, "b.md": page})
    assert (target.status, target.fragment) == ("page", fragment)


LANGUAGES = """# C

## C++

## C#

## .NET

## NET

## Foo -- bar

## Foo - bar

## Minecraft: the game

## NOTE:JULY

## CI/CD && DevOps

## 🎉

## ⚙️ Settings

## [Cisco](https://example.com) routers

## Help

### Sub

## Other

### Sub
"""


@pytest.mark.req("P05")
@pytest.mark.parametrize(
    ("anchor", "fragment"),
    [
        ("linux_1", None),  # MkDocs; on GitHub it is dead
        ("linux-1", "linux-1"),
        ("user-content-linux", "linux"),  # GitHub's own ids, as its pages hold them
        ("user-content-linux-1", "linux-1"),
        ("__dirname", "h-__dirname"),  # what the frame keeps for itself
        ("step_1", "step_1"),
        ("user-content-", None),
    ],
)
def test_fragments_as_other_programs_write_them(anchor: str, fragment: str | None) -> None:
    target = only({"a.md": f"[x](b.md#{anchor})", "b.md": "# Linux\n\n# Linux\n\n# `__dirname`\n\n# Step\n\n# Step\n\n# step_1\n"})
    assert (target.status, target.fragment) == (("page", fragment) if fragment else ("anchor-missing", "")), anchor


@pytest.mark.req("P05")
@pytest.mark.parametrize(
    ("link", "fragment"),
    [
        ("[[b#C]]", "c"),
        ("[[b#C++]]", "c-1"),
        ("[[b#c#]]", "c-2"),
        ("[[b#.NET]]", "net"),
        ("[[b#NET]]", "net-1"),
        ("[[b#Foo - bar]]", "foo---bar"),
        ("[[b#Foo -- bar]]", "foo----bar"),
        ("[[b#Other#Sub]]", "sub-1"),
        ("[[b#Minecraft the game]]", "minecraft-the-game"),
        ("[[b#⚙ Settings]]", "\ufe0f-settings"),
        ("[[b#[Cisco](https://example.com) routers]]", "cisco-routers"),
        ("[x](b.md#C++)", "c-1"),
        ("[x](b.md#C%23)", "c-2"),
        ("[x](b.md#🎉)", "section"),
        ("[x](b.md#-settings)", "\ufe0f-settings"),
        ("[x](b.md#%EF%B8%8F-settings)", "\ufe0f-settings"),
        ("[x](b.md#Other#Sub)", "sub-1"),
        ("[x](b.md#NOTE%20JULY)", "notejuly"),
        ("[x](b.md#CI%20CD%20DevOps)", "cicd--devops"),
    ],
)
def test_a_heading_is_meant_as_it_is_written_before_its_words_alone_count(link: str, fragment: str) -> None:
    target = only({"a.md": link, "b.md": LANGUAGES})
    assert (target.status, target.fragment) == ("page", fragment)


@pytest.mark.req("P05")
def test_markdown_fragments_that_could_be_ids_are_no_words() -> None:
    for link in ("[x](b.md#settings)", "[x](b.md#ci-cd-devops)", "[x](b.md#note-july)", "[x](b.md#c_1)"):
        assert only({"a.md": link, "b.md": LANGUAGES}).status == "anchor-missing", link


@pytest.mark.req("P05")
@pytest.mark.threat(48)
def test_a_page_of_thousands_of_headings_and_links_to_them_takes_a_moment() -> None:
    headings = "".join(f"## Section {number}: a title\n\n### Example\n\n" for number in range(1_500))
    links = "".join(f"[[#Section {number} a title]] [[#Section {number}: a title#Example]]\n\n" for number in range(1_500))
    files: Files = {"a.md": links + headings}
    parse_text(files["a.md"])
    began = time.process_time()
    found = targets(files)
    assert time.process_time() - began < 5  # 0.5 s here; comparing each link with each heading took 100
    assert [target.fragment for target in found[-2:]] == ["section-1499-a-title", "example-1499"]


@pytest.mark.req("P05")
@pytest.mark.parametrize("link", ["[[b#See [it](https //x.example) now[^1]]]", "[[b#See it now]]", "[[b#See ![it](a.png) **now**]]"])
def test_headings_are_found_by_what_stands_in_the_file(link: str) -> None:
    target = only({"a.md": link, "b.md": "# See [it](https://x.example) **now**[^1]\n\n[^1]: note\n"})
    assert (target.status, target.fragment) == ("page", "see-it-now")


@pytest.mark.req("P05", "P19")
def test_a_link_to_a_hidden_page_is_private_and_no_edge() -> None:
    for link in ("[[s]]", "[x](s.md)", "[[Secret plan]]", "[[s#Secret plan]]", "![[s]]"):
        target = only({"a.md": link, "s.md": HIDDEN})
        assert (target.status, target.path, target.fragment, target.edge) == ("private", "s.md", "", False), link


@pytest.mark.req("P05", "P19")
def test_a_hidden_page_never_wins_over_a_published_one_and_is_no_candidate() -> None:
    target = only({"a.md": "[[n]]", "b/n.md": HIDDEN, "long/n.md": "text"})
    assert (target.status, target.path, target.candidates) == ("page", "long/n.md", ())
    assert only({"a.md": "[[n]]", "b/n.md": HIDDEN, "c/n.md": HIDDEN}).status == "private"


@pytest.mark.req("P05", "P06", "P19")
def test_links_of_hidden_pages_and_to_oneself_are_no_edges() -> None:
    result = make_result({"a.md": "[[a]] [x](#h) [[b]]\n# H", "b.md": "", "s.md": HIDDEN + "[[b]]"})
    assert [target.edge for target in result.targets["a.md"]] == [False, False, True]
    assert [target.edge for target in result.targets["s.md"]] == [False]


def links_of(text: str) -> IndexResult:
    return make_result({"a.md": text, "b.md": ""})


@pytest.mark.req("P05")
def test_links_in_code_and_comments_do_not_count() -> None:
    assert links_of("`[[b]]` %%[[b]]%% <!-- [[b]] -->\n\n```\n[[b]]\n```\n").targets["a.md"] == ()


@pytest.mark.req("P05")
def test_frontmatter_links_are_names() -> None:
    target = only({"a.md": '---\nrelated: "[[b]]"\n---\n', "g/b.md": ""})
    assert (target.status, target.path) == ("page", "g/b.md")


@pytest.mark.req("P05")
@pytest.mark.parametrize(
    ("link", "expected"),
    [
        ("[[C# notes#Part]]", ("page", "C# notes.md", "part")),
        ("[[c# notes#Part#Sub|x]]", ("page", "C# notes.md", "sub")),
        ("![[C# notes#^b]]", ("page", "C# notes.md", "^b")),
        ("[[C# notes#None]]", ("anchor-missing", "C# notes.md", "")),
        ("[[C#Part]]", ("page", "C.md", "part")),
        ("[[C#Part#Sub]]", ("page", "C.md", "sub")),
        ("[[D# notes#Part]]", ("missing", None, "")),
    ],
)
def test_a_name_with_a_hash_may_be_followed_by_a_heading(link: str, expected: tuple[str, str | None, str]) -> None:
    text = "## Part\n\n### Sub\n\nx ^b\n"
    target = only({"a.md": link, "C# notes.md": text, "C.md": text})
    assert (target.status, target.path, target.fragment) == expected
