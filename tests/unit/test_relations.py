"""Pages that belong together: what brings them together, what keeps them out, brains of odd shapes."""

import pytest

from indexer.analysis.relations import MOST
from indexer.model.page import Link
from tests.bench.relations_cost import _cut_links, hide_links, list_neighbours, make_clique, score_recall
from tests.tools.results import find_relations, load_terms, make_result
from tests.tools.vaults import Files

FILLER = {f"other/o{number}.md": f"Filler about subject{number} and matter{number % 7}." for number in range(30)}
"""Pages that have little to do with anything, so that words can be rare."""


def relate(files: Files) -> dict[str, list[str]]:
    return {path: [other for other, _ in pairs] for path, pairs in find_relations(files).related.items()}


@pytest.mark.req("P06", "T30")
def test_rare_words_in_common_say_more_than_frequent_ones() -> None:
    files = FILLER | {"a.md": "violin varnish report", "b.md": "violin varnish plan", "c.md": "report plan"}
    files |= {f"r{number}.md": f"report plan w{number}" for number in range(9)}
    assert relate(files)["a.md"][0] == "b.md"


@pytest.mark.req("P06", "T30")
@pytest.mark.parametrize("name", ["cold-brew.md", "x1.md"])
def test_a_page_that_is_named_belongs_to_the_one_that_names_it(name: str) -> None:
    """By its file name, written with a hyphen, or by its alias."""
    files = FILLER | {
        name: "---\naliases: [Cold brew]\n---\nCoffee.",
        "day.md": "We made cold brew at noon, then cake.",
        "b.md": "cold soup",
    }
    assert relate(files)["day.md"][0] == name
    assert relate(files)[name][0] == "day.md"


@pytest.mark.req("P06", "T30")
def test_pages_that_the_same_page_links_belong_together_and_a_page_that_links_everything_says_nothing() -> None:
    links = " ".join(f"[[o{number}]]" for number in range(30)) + " [[a]] [[b]] [[c]]"
    files = FILLER | {"a.md": "apple", "b.md": "banana", "c.md": "cherry", "pair.md": "[[a]] [[b]]", "all.md": links}
    assert relate(files)["a.md"] == ["b.md"]
    assert "c.md" not in relate(files)


@pytest.mark.req("P06", "T30")
def test_of_pages_equally_alike_the_one_in_the_same_folder_comes_first() -> None:
    files = FILLER | {"z/a.md": "violin", "z/b.md": "violin w1", "c/b.md": "violin w2"}
    assert relate(files)["z/a.md"] == ["z/b.md", "c/b.md"]


@pytest.mark.req("P06", "T30")
def test_lying_in_the_same_folder_alone_relates_nothing_but_an_index_page_and_its_folder() -> None:
    files = {
        "d/a.md": "apple",
        "d/b.md": "banana",
        "d/README.md": "",
        "e/c.md": "cherry",
        "e/e.md": "",
        "e/f/index.md": "",
        "g.md": "grape",
    }
    assert relate(files) == {
        "d/README.md": ["d/a.md", "d/b.md"],
        "d/a.md": ["d/README.md"],
        "d/b.md": ["d/README.md"],
        "e/c.md": ["e/e.md"],
        "e/e.md": ["e/c.md", "e/f/index.md"],
        "e/f/index.md": ["e/e.md"],
    }


@pytest.mark.req("P06", "T30")
def test_near_copies_and_linked_pages_are_left_out_in_both_directions() -> None:
    text = " ".join(f"word{number}" for number in range(40))
    files = FILLER | {
        "a.md": text,
        "copy.md": text,
        "near.md": f"{text} more",
        "l.md": f"{text} [[a]]".replace("word1 ", "") + text[:90],
        "k.md": text[:200],
    }
    related = relate(files)
    assert "copy.md" not in related["a.md"]
    assert "near.md" not in related["a.md"]
    assert "k.md" in related["a.md"]
    assert "l.md" not in related["a.md"]
    assert "a.md" not in related["l.md"] + related["copy.md"] + related["near.md"]


@pytest.mark.req("P06", "T30")
@pytest.mark.parametrize(
    ("one", "two"),
    [
        ("Die Geige ist aus Fichte gebaut.", "Fichte für die Geige"),
        ("La vérité des violons", "VERITE, violons"),
        ("Скрипка из ели", "Ель для скрипки: скрипка"),
        ("小提琴由云杉制成", "云杉与小提琴"),
        ("バイオリンのニス", "ニスとバイオリン"),
        ("الكمان من خشب", "خشب الكمان"),
        ("वायलिन की लकड़ी", "लकड़ी का वायलिन"),
    ],
)
def test_pages_in_any_language_are_related_by_their_words(one: str, two: str) -> None:
    related = relate(FILLER | {"a.md": one, "b.md": two})
    assert related["a.md"][0] == "b.md"
    assert related["b.md"][0] == "a.md"


@pytest.mark.req("P06", "T30")
@pytest.mark.parametrize(
    "files",
    [
        {},
        {"a.md": "alone"},
        {"a.md": "", "b.md": ""},
        {"a.md": "# !!!", "b.md": "# ???", "c.md": "---\ntitle: '***'\naliases: ['', '…']\n---\n"},
        make_clique(30),
        {"s.md": "---\nprivate: true\n---\nx", "a.md": "x"},
    ],
    ids=["no page", "one page", "no text", "titles of symbols", "clique", "one published page"],
)
def test_brains_where_nothing_can_be_related_give_nothing(files: Files) -> None:
    assert relate(files) == {}


@pytest.mark.req("P06", "T30")
def test_orphans_are_related_all_the_same_and_lists_stay_short() -> None:
    files = {f"d{number % 3}/p{number:02}.md": f"violin w{number}" for number in range(20)} | FILLER
    related = find_relations(files).related
    assert len(related["d0/p00.md"]) == MOST
    assert all(len(pairs) <= MOST for pairs in related.values())


@pytest.mark.req("T30")
def test_the_benchmark_leaves_no_word_of_a_link_in_the_text() -> None:
    files = {
        "a.md": "---\nup: '[[b]]'\n---\nSee [[b|secret one]], [secret two](b.md), ![[b]], <https://x.example/b>\n"
        "and [secret three][r].\n\n[r]: b.md\n",
        "b.md": "Nothing.",
    }
    bare = hide_links(files, None)
    result = make_result(bare)
    assert result.graph.edges == ()
    assert all("secret" not in token for section in load_terms(bare).values() for terms in section.sections for token in terms)
    assert bare["b.md"] == "Nothing."


@pytest.mark.req("T30")
def test_the_benchmark_hides_the_pairs_it_says_and_no_others() -> None:
    files = {"a.md": "[[b]] [[c]]", "b.md": "[[a]] [[c]]", "c.md": ""}
    assert list_neighbours(make_result(hide_links(files, {("a.md", "b.md")}))) == {
        "a.md": {"c.md"},
        "b.md": {"c.md"},
        "c.md": {"a.md", "b.md"},
    }


@pytest.mark.req("T30")
def test_recall_counts_what_is_found_among_ten_of_all_that_there_is() -> None:
    wanted = {"a.md": {"b.md", "c.md"}, "d.md": {f"p{number}.md" for number in range(20)}}
    given = {"a.md": [("b.md", 0.5), ("x.md", 0.4)], "d.md": [(f"p{number}.md", 0.5) for number in range(20)]}
    assert score_recall(given, wanted) == pytest.approx((1 / 2 + 10 / 20) / 2)
    assert _cut_links("[[b]] b [[b]]", [Link("wikilink", "[[b]]", "b", "", "", 1)] * 2) == "  b  "
