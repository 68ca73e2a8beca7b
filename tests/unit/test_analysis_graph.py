"""The graph of a repo: what counts as an edge and what follows from the edges."""

import math

import pytest

from indexer.analysis.communities import find_communities, find_components
from indexer.analysis.graph import score_pagerank
from indexer.model.graph import Graph
from tests.tools.results import make_result
from tests.tools.vaults import Files


def graph_of(files: Files) -> Graph:
    return make_result(files).graph


@pytest.mark.req("P06")
def test_edges_are_distinct_pairs_with_the_number_of_links_and_never_loops() -> None:
    graph = graph_of({"a.md": "[[b]] [[b|again]] [x](b.md#h) [[a]] [[#h]]", "b.md": "# h\n[[a]]", "c.md": "[x](B.md)"})
    assert graph.edges == (("a.md", "b.md", 3), ("b.md", "a.md", 1), ("c.md", "b.md", 1))
    assert graph.backlinks == {"a.md": ("b.md",), "b.md": ("a.md", "c.md")}
    assert graph.outgoing == {"a.md": ("b.md",), "b.md": ("a.md",), "c.md": ("b.md",)}


@pytest.mark.req("P06")
def test_orphans_isolated_pages_and_dead_ends_are_told_apart() -> None:
    graph = graph_of({"index.md": "[[a]]", "a.md": "[[b]]", "b.md": "", "lone.md": "", "out.md": "[[b]]", "log.md": "", "d/index.md": ""})
    assert graph.orphans == ("d/index.md", "lone.md", "out.md")
    assert graph.isolated == ("d/index.md", "log.md", "lone.md")
    assert graph.dead_ends == ("b.md",)


@pytest.mark.req("P06", "S01")
def test_the_card_of_a_brain_is_no_orphan_for_readers_come_to_it_from_the_report() -> None:
    graph = graph_of({"index.md": "", "web/brain.md": "", "web/other.md": ""})
    assert graph.orphans == ("web/other.md",)


@pytest.mark.req("P06", "P19")
def test_hidden_pages_are_in_no_part_of_the_graph() -> None:
    graph = graph_of({"a.md": "[[s]]", "b.md": "[[a]]", "s.md": "---\ndraft: true\n---\n[[a]] [[b]] [[never written]]"})
    assert graph.nodes == ("a.md", "b.md")
    assert graph.edges == (("b.md", "a.md", 1),)
    assert graph.stubs == ()


@pytest.mark.req("P06")
def test_a_stub_has_a_name_whatever_its_spaces() -> None:
    files = {"a.md": "[[Big  Plan]] [[big plan]] [[/]] [[.]] [[..]] [[^]] [[🚀]] [x](big%20plan.md)"}
    assert graph_of(files).stubs == (("big plan", 3), ("🚀", 1))


@pytest.mark.req("P06")
def test_stubs_count_links_and_take_the_usual_spelling() -> None:
    files = {"a.md": "[[Big Plan]] [[big plan]] [[Other]]", "b.md": "[[x/Big Plan]] [x](Other.md) [[Big Plan]] ![x](gone.png)"}
    assert graph_of(files).stubs == (("Big Plan", 4), ("Other", 2))


@pytest.mark.req("P06")
def test_an_index_page_that_nobody_has_written_is_called_after_its_folder() -> None:
    files = {"a.md": "[x](ops/README.md) [y](./ops/index.md) [[law/readme]] [z](README.md) [[index]] [v](../README.md)"}
    assert graph_of(files).stubs == (("ops", 2), ("README", 1), ("index", 1), ("law", 1))


@pytest.mark.req("P06")
def test_hubs_stand_out_and_small_graphs_have_none() -> None:
    spokes = {f"p{number}.md": "[[hub]]" for number in range(30)}
    assert graph_of({"hub.md": "", **spokes}).hubs == ("hub.md",)
    assert graph_of({"a.md": "[[b]] [[c]]", "b.md": "", "c.md": ""}).hubs == ()


@pytest.mark.req("P06")
def test_components_ignore_directions_and_are_numbered_from_the_largest() -> None:
    edges = [("x", "y", 1), ("c", "a", 1), ("b", "a", 1)]
    assert find_components(["a", "b", "c", "x", "y", "z"], edges) == {"a": 0, "b": 0, "c": 0, "x": 1, "y": 1, "z": 2}


@pytest.mark.req("P06", "P14")
def test_communities_find_two_cliques_joined_by_one_edge() -> None:
    left, right = [f"a{n}" for n in range(6)], [f"b{n}" for n in range(5)]
    edges = [(one, other, 1) for group in (left, right) for one in group for other in group if one < other] + [("a0", "b0", 1)]
    found = find_communities(sorted(left + right), sorted(edges))
    assert {found[path] for path in left} == {0}
    assert {found[path] for path in right} == {1}
    assert find_communities(sorted(left + right), sorted(edges)) == found


@pytest.mark.req("P06")
def test_pagerank_sums_to_one_and_prefers_what_is_linked() -> None:
    nodes = ["a", "b", "c", "d"]
    ranks = score_pagerank(nodes, [("a", "b", 1), ("c", "b", 1), ("b", "a", 5)])
    assert math.isclose(sum(ranks.values()), 1, abs_tol=1e-4)
    assert max(ranks, key=lambda node: ranks[node]) == "b"
    assert ranks["c"] == ranks["d"]
    assert score_pagerank([], []) == {}
    assert score_pagerank(["a", "b"], []) == {"a": 0.5, "b": 0.5}


@pytest.mark.req("P06")
def test_pagerank_is_that_of_the_definition() -> None:
    """Two pages that link to each other and a third that links to one: solved by hand."""
    ranks = score_pagerank(["a", "b", "c"], [("a", "b", 1), ("b", "a", 1), ("c", "a", 1)])
    c = 0.05
    a = (c + 0.85 * (0.05 + c)) / (1 - 0.85**2)
    assert math.isclose(ranks["c"], c, abs_tol=1e-4)
    assert math.isclose(ranks["a"], a, abs_tol=1e-4)
