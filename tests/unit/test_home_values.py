"""The home page's values, and the merging of searches: pure functions, and a search over releases on disk."""

from datetime import UTC, datetime
from pathlib import Path

import pytest
from msgspec.structs import replace

from indexer.model.blueprint import RingDepth
from indexer.model.index_views import RepoEntry
from indexer.model.search import Piece, SearchResult
from indexer.registry.reached_repos import ShownRepo
from indexer.registry.rights import Entitled, Reason
from indexer.serve.home_shelf import Figures, Shelf, add_depths
from indexer.serve.home_values import choose_state, make_card
from indexer.serve.owner_values import make_rows
from indexer.serve.releases import Releases
from indexer.serve.search_all import MOST_REPOS, PER_REPO, Place, merge_by_rank, search_places
from tests.tools.gateways import make_files, publish
from tests.tools.search_vault import build_index

RELEASED = datetime(2026, 3, 1, 8, 5, tzinfo=UTC)
ENTRY = RepoEntry("plans", "Plans", "a" * 40, 1772000000, "fresh", "", 3, 1, ())
SHOWN = ShownRepo("plans", "Plans", "shared", "read", "di", "Di Wu", "", None, "")
FIGURES = Figures(ENTRY, RELEASED, ())


def make_result(title: str, *, score: float = 1.0, missing: tuple[str, ...] = ()) -> SearchResult:
    return SearchResult(f"{title}.md", title, f"{title}/", "", 1, (Piece(title, False),), score, missing)


def place(repo: str) -> Place:
    return Place("acme", repo, repo.title())


@pytest.mark.threat(31)
def test_merging_goes_by_rank_and_never_by_score() -> None:
    few = [make_result("a1", score=0.001), make_result("a2", score=0.0005)]
    many = [make_result(f"b{number}", score=1000.0 - number) for number in range(4)]
    merged = merge_by_rank({place("a"): few, place("b"): many}, "word", 10)
    assert [hit.result.title for hit in merged] == ["a1", "b0", "a2", "b1", "b2", "b3"]
    raised = [replace(result, score=result.score * 1e6) for result in few]
    assert [hit.result.title for hit in merge_by_rank({place("a"): raised, place("b"): many}, "word", 10)] == [
        hit.result.title for hit in merged
    ]


def test_pages_with_all_words_come_first_and_titles_decide_between_equals() -> None:
    first = [make_result("other"), make_result("none", missing=("kiln",))]
    second = [make_result("The Kíln"), make_result("late")]
    merged = merge_by_rank({place("a"): first, place("b"): second}, "kiln", 3)
    assert [hit.result.title for hit in merged] == ["The Kíln", "other", "late"]
    assert merged[0].place.repo == "b"


@pytest.mark.threat(31)
def test_order_and_snippets_of_a_repo_are_its_own_whatever_else_is_searched(tmp_path: Path) -> None:
    pages = {f"p{number}.md": f"# P{number}\n\n{'kiln ' * number} and words.\n" for number in range(1, 5)}
    crowd = {f"c{number}.md": "# Kiln\n\nkiln kiln kiln\n" for number in range(40)}
    for repo, files in (("small", pages), ("crowd", crowd)):
        index = {f"_/search/{name}": content for name, content in build_index(files).items()}
        publish(tmp_path / "acme" / repo, {**make_files(repo), **index})
    releases = Releases(tmp_path, lambda _: None)
    alone = search_places(releases, [place("small")], "kiln")
    both = search_places(releases, [place("crowd"), place("small")], "kiln")
    assert [hit.result for hit in both.hits if hit.place.repo == "small"] == [hit.result for hit in alone.hits]
    assert len([hit for hit in both.hits if hit.place.repo == "crowd"]) == PER_REPO
    assert len(alone.hits) == 4


def test_a_search_gives_up_in_time_and_names_what_it_left_out(tmp_path: Path) -> None:
    index = {f"_/search/{name}": content for name, content in build_index({"p.md": "# P\n\nkiln\n"}).items()}
    for repo in ("one", "two"):
        publish(tmp_path / "acme" / repo, {**make_files(repo), **index})
    ticks = iter(range(1000))
    found = search_places(Releases(tmp_path, lambda _: None), [place("one"), place("two")], "kiln", seconds=6, clock=lambda: next(ticks))
    assert [hit.place.repo for hit in found.hits] == ["one"]
    assert [left.repo for left in found.unsearched] == ["two"]
    places = [place(f"none-{number}") for number in range(MOST_REPOS + 2)]
    assert len(search_places(Releases(tmp_path, lambda _: None), places, "kiln").unsearched) == 2


def test_a_repo_without_or_with_a_damaged_index_holds_nothing(tmp_path: Path) -> None:
    index = {f"_/search/{name}": content for name, content in build_index({"p.md": "# P\n\nkiln\n"}).items()}
    publish(tmp_path / "acme" / "plain", make_files("x"))
    publish(tmp_path / "acme" / "bad", {**make_files("x"), **dict.fromkeys(index, b"{")})
    publish(tmp_path / "acme" / "good", {**make_files("x"), **index})
    places = [place(repo) for repo in ("plain", "bad", "missing", "good")]
    found = search_places(Releases(tmp_path, lambda _: None), places, "kiln")
    assert [hit.place.repo for hit in found.hits] == ["good"]
    assert found.unsearched == ()


@pytest.mark.req("T33")
@pytest.mark.parametrize(
    ("told", "status", "released", "expected"),
    [
        ("stale", "fresh", True, "stale"),
        ("failed", "fresh", True, "failed"),
        ("", "fresh", True, "fresh"),
        ("", "failed", True, "stale"),
        ("", "failed", False, "failed"),
        ("", "fresh", False, ""),
    ],
)
def test_the_state_is_what_the_registry_was_told_or_what_the_build_left(told: str, status: str, released: bool, expected: str) -> None:
    figures = Figures(replace(ENTRY, status=status), RELEASED if released else None, ())
    assert choose_state(replace(SHOWN, state=told), figures) == expected


@pytest.mark.req("T33")
def test_a_card_says_who_owns_a_repo_and_tells_reasons_to_the_owner_alone() -> None:
    failed = Figures(replace(ENTRY, status="failed", failed_reason="secret place"), RELEASED, ())
    owned, other = (make_card(SHOWN, failed, reader, "/acme/plans/") for reader in ("di", "ed"))
    assert (owned.owner, owned.owned, owned.reason) == ("You", True, "secret place")
    assert (other.owner, other.owned) == ("Di Wu", False)
    assert "secret" not in other.reason
    assert "lately" in other.reason
    card = make_card(SHOWN, FIGURES, "", "/acme/plans/")
    assert not card.owned
    assert (card.changed, card.refreshed, card.url) == ("2026-02-25", "2026-03-01T08:05:00Z", "/acme/plans/")
    assert make_card(SHOWN, Figures(None, None, ()), "ed", "/acme/plans/").url == ""


@pytest.mark.req("S07")
def test_the_depth_of_a_repo_is_that_of_its_brains_added_up() -> None:
    flow = RingDepth("Flow", "Flow", 3, 2, 1, 0, 1, 1)
    public = RingDepth("Public Context", "Scope", 1, 0, 0, 1, 0, 0)
    assert add_depths([flow, public, flow]) == (public, RingDepth("Flow", "Flow", 6, 4, 2, 0, 2, 2))
    assert add_depths([]) == ()


def test_without_an_index_the_sites_are_listed_all_the_same(tmp_path: Path) -> None:
    publish(tmp_path / "acme" / "plans", make_files("x"))
    found = Shelf(tmp_path).read("acme", {"plans", "nothing"}, "2026-03-01")
    assert found["plans"].entry is None
    assert found["plans"].released is not None
    assert found["nothing"].released is None


@pytest.mark.req("T33")
def test_reasons_are_sentences() -> None:
    rows = make_rows(
        [
            Entitled("di", "account", "Di Wu", (Reason("owner", "write"), Reason("everyone", "read"))),
            Entitled("everyone", "everyone", "everyone", (Reason("grant", "read"),)),
            Entitled("cy", "account", "Cy", (Reason("role", "read", "staff"), Reason("everyone", "read"))),
            Entitled("left", "account", "Lee", (Reason("grant", "write"),), counts=False),
            Entitled("filer", "agent", "Filer", (Reason("grant", "write"),)),
        ],
        "Acme",
        "di",
    )
    assert [(row.name, row.access, row.why, row.revocable) for row in rows] == [
        ("You", "Read and write", "You own it", False),
        ("Everyone in Acme", "Read", "Reads, now and later, because you granted it", True),
        ("Cy", "Read", "Reads, because the role staff reads every shared repo; reads, because everyone in Acme may", False),
        ("Lee", "Nothing now", "Reads and writes, because you granted it", True),
        ("Filer", "Read and write", "Reads and writes, because you granted it", True),
    ]
