"""Drawing the graph of a tenant from what was built, and publishing it from the command line (SPEC T36, X01)."""

import json
from pathlib import Path
from typing import Any

import pytest

from indexer.publish.tenant_graph import DrawnRepo, draw_tenant_graph
from indexer.serve.graph_shapes import parse_graph
from tests.tools.commands import Ran, run_brain

TENANT = """\
id: acme
title: Acme
url: https://brains.acme.example/acme
accounts:
  - {id: ana, name: Ana}
  - {id: bo, name: Bo}
agents:
  - {id: pub, name: Publisher}
memberships:
  - {account: ana, role: operator}
  - {account: bo}
repos:
  - {id: a, title: A, owner: ana, folder: a, grants: [{to: everyone, access: read}]}
  - {id: b, title: B, owner: ana, folder: b}
  - {id: ana-home, title: Own, owner: ana, folder: ana-home, kind: home}
  - {id: kept, title: Kept, owner: ana, folder: kept, kept_as_is: true}
"""
FILES = {
    "a/index.md": "# Start\n\n[There](https://brains.acme.example/acme/b/deep/page/#part), [again](https://brains.acme.example/acme/b/deep/page).\n"
    "[Odd](https://brains.acme.example/acme/b/nowhere/), [out](https://example.org/), [[two]].\n",
    "a/two.md": "# Two\n",
    "b/index.md": "# B\n\n<https://brains.acme.example/acme/a/>, [own](https://brains.acme.example/acme/b/deep/page/)\n",
    "b/deep/page.md": "# Page\n\n## Part\n\n[home](https://brains.acme.example/acme/ana-home/)\n",
    "ana-home/index.md": "# Own\n",
    "kept/index.md": "# Kept\n",
}
HIDDEN = {
    "a/secret.md": "---\nprivate: true\n---\n# Canary\n\n[x](https://brains.acme.example/acme/b/) [[two]]\n",
    "b/deep/canary.md": "---\ndraft: true\n---\n# Canary\n",
}


def build(root: Path, files: dict[str, str]) -> Path:
    for name, text in {"tenant.yml": TENANT, **files}.items():
        path = root / "brains" / "acme" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
    assert run_brain("build", root / "brains", "--out", root / "out", "-q").code == 0
    assert brain(root, "registry", "apply", "brains").code == 0
    return root


def brain(root: Path, *arguments: str, **env: str) -> Ran:
    return run_brain(*arguments, cwd=root, env={"BRAIN_REGISTRY": str(root / "registry.sqlite"), **env})


@pytest.fixture(scope="module")
def root(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return build(tmp_path_factory.mktemp("graph"), FILES | HIDDEN)


def name_edges(graph: Any) -> set[tuple[str, str, int]]:
    def name(at: int) -> str:
        node = graph["nodes"][at]
        return f"{graph['repos'][node['repo']]['id']}/{node['path']}"

    return {(name(a), name(b), count) for a, b, count in graph["edges"]}


@pytest.mark.req("T36")
def test_pages_of_all_shared_repos_and_the_links_between_them_are_drawn(root: Path) -> None:
    graph = brain(root, "graph", "make", "--out", "out").json
    assert [repo["id"] for repo in graph["repos"]] == ["a", "b"]
    assert name_edges(graph) == {
        ("a/index.md", "a/two.md", 1),
        ("a/index.md", "b/deep/page.md", 2),
        ("b/index.md", "a/index.md", 1),
    }
    assert parse_graph(graph, "acme") == graph
    named = brain(root, "graph", "make", "--out", "out", "--repo", "b", "--repo", "ana-home").json
    assert name_edges(named) == {("b/deep/page.md", "ana-home/index.md", 1)}


@pytest.mark.req("T06", "T36")
@pytest.mark.parametrize("repo", ["kept", "nothing"])
def test_no_graph_is_drawn_from_what_is_kept_as_it_is(root: Path, repo: str) -> None:
    assert brain(root, "graph", "make", "--out", "out", "--repo", repo).code == 3


@pytest.mark.req("X01", "P19")
def test_hidden_pages_are_in_no_byte_of_it(root: Path, tmp_path: Path) -> None:
    without = brain(build(tmp_path, FILES), "graph", "make", "--out", "out").out
    with_hidden = brain(root, "graph", "make", "--out", "out").out
    assert json.loads(with_hidden) == json.loads(without)
    assert "anary" not in with_hidden


@pytest.mark.req("T36")
@pytest.mark.threat(38)
def test_publishing_takes_the_system_token_and_replaces_the_last(root: Path) -> None:
    file = root / "out" / "acme" / "graph.json"
    reading = brain(root, "key", "add", "--for", "pub", "--json").json["key"]
    made = brain(root, "key", "add", "--for", "pub", "--scope", "graph:publish", "--json").json
    assert brain(root, "graph", "publish", "--out", "out").code == 2
    for key in (reading, reading[:-1], "nonsense"):
        refused = brain(root, "graph", "publish", "--out", "out", BRAIN_KEY=key)
        assert refused.code == 3
        assert key not in refused.said.replace("BRAIN_KEY", "")
    assert not file.exists()
    said = brain(root, "graph", "publish", "--out", "out", "--json", BRAIN_KEY=made["key"]).json
    assert said == {"tenant": "acme", "repos": 2, "nodes": 4, "edges": 3}
    first = file.read_bytes()
    brain(root, "graph", "publish", "--out", "out", "--repo", "a", BRAIN_KEY=made["key"])
    assert [repo["id"] for repo in json.loads(file.read_bytes())["repos"]] == ["a"]
    brain(root, "graph", "publish", "--out", "out", BRAIN_KEY=made["key"])
    assert file.read_bytes() == first, "the same builds give the same bytes"
    assert [path.name for path in file.parent.glob(".graph*")] == []
    assert any(line["action"] == "graph.publish" for line in brain(root, "registry", "audit", "--json").json)
    brain(root, "key", "revoke", made["id"])
    assert brain(root, "graph", "publish", "--out", "out", BRAIN_KEY=made["key"]).code == 3


def test_a_parent_in_a_repo_that_is_not_drawn_is_not_named() -> None:
    empty: dict[str, Any] = {"revision": None, "nodes": [], "edges": []}
    parents = [("a/x", "b/y"), ("a/x", "hidden/y"), ("a/x", "a/z"), ("a/x", "b")]
    graph = draw_tenant_graph("acme", "", [DrawnRepo("a", "A", empty, parents=parents), DrawnRepo("b", "B", empty)])
    assert graph["parents"] == [["a/x", "b"], ["a/x", "b/y"]]
