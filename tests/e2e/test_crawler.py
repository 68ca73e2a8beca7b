"""Real Markdown of other people, and the sample workspace: built, then every reference of every page followed.

The corpora are not part of this project; their tests are skipped where they are missing.
"""

import json
import xml.etree.ElementTree as ET
from collections import Counter
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
from jsonschema import Draft202012Validator
from referencing import Registry, Resource

from tests.conftest import CorpusFactory
from tests.tools.built import DEAD_CLASS, Built, build_vault
from tests.tools.commands import run_brain
from tests.tools.crawl import Crawl, crawl_site, resolve_reference
from tests.tools.pages import find_article

CORPORA = ("obsidian-tasks-docs", "tasks-demo-vault", "ms-playbook-docs", "ekgardt-llm-wiki", "opensource-guide")
SAMPLES = Path(__file__).parents[2] / "brains"
INDEXER = Path(__file__).parents[2] / "indexer"
UNREAD = ("node_modules", "__pycache__")


@pytest.fixture(scope="module", params=CORPORA)
def built(request: pytest.FixtureRequest, corpus: CorpusFactory, tmp_path_factory: pytest.TempPathFactory) -> Built:
    """One corpus, built once for all tests here."""
    return build_vault(corpus(f"small/{request.param}"), tmp_path_factory.mktemp(request.param) / "out")


def list_markdown(folder: Path) -> set[str]:
    """Paths of the pages that a plain walk finds."""
    files = (p for p in folder.rglob("*") if p.suffix.lower() in (".md", ".markdown") and p.is_file() and not p.is_symlink())
    paths = (p.relative_to(folder) for p in files)
    return {p.as_posix() for p in paths if not any(part.startswith(".") or part in UNREAD for part in p.parts)}


@pytest.mark.req("P13")
def test_every_page_that_goes_in_comes_out(built: Built) -> None:
    pages = built.inspected["pages"]
    assert {p["path"] for p in pages} == list_markdown(built.source)
    published = [p for p in pages if p["published"]]
    assert all((built.site / p["file"]).is_file() for p in published)
    assert len({p["file"].casefold() for p in published}) == len(published)
    assert f"{len(published)} pages" in built.ran.said


@pytest.mark.req("P05")
def test_no_reference_of_any_page_leads_nowhere(built: Built) -> None:
    assert built.crawl.problems == []
    assert built.crawl.followed > 20 * len(built.crawl.pages)


@pytest.mark.req("P05")
def test_every_dead_link_on_a_page_is_a_finding_of_that_page_or_of_one_it_embeds(built: Built) -> None:
    reported = Counter(f["path"] for f in built.inspected["findings"] if f["code"].startswith("LNK"))
    embeds = {link["from"] for link in built.inspected["links"] if link["kind"] == "embed"}
    for page in built.inspected["pages"]:
        if page["published"] and page["path"] not in embeds:
            dead = [e for e in find_article(built.crawl.pages[page["file"]]).walk() if DEAD_CLASS in e.get("class").split()]
            assert len(dead) <= reported[page["path"]], (page["path"], [e.words for e in dead])


@pytest.mark.req("P05", "P08")
def test_every_resolved_link_is_a_link_on_its_page(built: Built) -> None:
    files = {p["path"]: p["file"] for p in built.inspected["pages"] if p["published"]}
    for path, file in files.items():
        article = find_article(built.crawl.pages[file])
        anchors = len([a for a in article.find_all("a") if "href" in a.attributes])
        wanted = [
            x
            for x in built.links(path).values()
            if x["kind"] in ("wikilink", "markdown", "reference") and x["status"] in ("page", "external")
        ]
        assert anchors >= len(wanted), path


@pytest.mark.req("P10")
def test_every_page_has_a_markdown_twin_and_lists_are_well_formed(built: Built) -> None:
    for page in built.inspected["pages"]:
        if not page["published"]:
            continue
        links = [e for e in built.crawl.pages[page["file"]].find_all("link") if e.get("type") == "text/markdown"]
        assert len(links) == 1, page["path"]
        twin, _ = resolve_reference(page["file"], links[0].get("href"))
        assert (built.site / twin).is_file(), page["path"]
    for name in ("sitemap.xml", "feed.xml"):
        ET.parse(built.site / name)
    for file in built.site.rglob("*.json"):
        json.loads(file.read_bytes())
    titles = (built.site / "llms.txt").read_text("utf-8")
    assert titles.count("](") >= len([p for p in built.inspected["pages"] if p["published"]])


SCHEMAS = {
    "graph.json": "graph",
    "report.json": "site-report",
    "_/graph/overview.json": "explorer-overview",
    "_/graph/pages.json": "explorer-pages",
    "_/graph/related.json": "explorer-related",
    "_/search/index.json": "search-index",
    "_/search/pages/*.json": "search-pages",
    "_/search/parts/*.json": "search-part",
    "_/search/terms/*.json": "search-terms",
    "_/search/words/*.json": "search-word",
    "_/search/whole/*.json": "search-word",
}


@pytest.mark.req("P09", "P10")
def test_every_json_of_the_output_fits_its_published_schema(built: Built) -> None:
    known = {path.name.removesuffix(".schema.json"): json.loads(path.read_bytes()) for path in INDEXER.glob("*/schemas/*.schema.json")}
    resources = [(f"{name}.schema.json", Resource.from_contents(schema)) for name, schema in known.items()]
    registry: Registry[Any] = Registry().with_resources(resources)
    checked = {"report": built.out / "report.json"}
    for pattern, name in SCHEMAS.items():
        validator = Draft202012Validator(known[name], registry=registry)
        for file in sorted(built.site.glob(pattern)):
            checked[file.relative_to(built.site).as_posix()] = file
            assert [e.message for e in validator.iter_errors(json.loads(file.read_bytes()))] == [], file.name
    for name, content in (("report", json.loads(checked["report"].read_bytes())), ("inspect", built.inspected)):
        assert [e.message for e in Draft202012Validator(known[name], registry=registry).iter_errors(content)] == []
    unknown = {p.relative_to(built.site).as_posix() for p in built.site.rglob("*.json")} - checked.keys()
    assert {name for name in unknown if not name.startswith(("_/theme/", "_/assets/"))} == set()
    assert len(checked) > 5


@pytest.mark.req("P06")
def test_the_graph_says_the_same_as_the_links(built: Built) -> None:
    graph = built.inspected["graph"]
    published = {p["path"] for p in built.inspected["pages"] if p["published"]}
    edges = {tuple(edge) for edge in graph["edge_list"]}
    assert graph["edges"] == len(graph["edge_list"]) == len(edges)
    assert graph["nodes"] == len(published)
    assert {one for edge in edges for one in edge} <= published
    backlinks: dict[str, list[str]] = {}
    for source, target in sorted(edges):
        backlinks.setdefault(target, []).append(source)
    assert {page: sorted(found) for page, found in graph["backlinks"].items() if found} == backlinks
    unlinked = {page for page in published if not backlinks.get(page)}
    orphans = set(graph["orphans"])
    assert orphans <= unlinked
    assert {Path(page).stem.lower() for page in unlinked - orphans} <= {"index", "readme", "_index", "home"}, (
        "only pages where readers begin are no orphans"
    )


@pytest.mark.req("P09")
def test_words_of_titles_find_their_pages(built: Built) -> None:
    pages = [p for p in built.inspected["pages"] if p["published"]]
    for page in pages[:: max(1, len(pages) // 5)]:
        ran = run_brain("search", built.source, page["title"], "--json")
        found = [r["path"] for r in ran.json["results"]]
        same = {p["path"] for p in pages if p["title"] == page["title"]}
        assert same & set(found[:5]), (page["title"], found[:5])


@pytest.mark.req("P05")
def test_the_documentation_of_obsidian_tasks_has_no_broken_wikilink(corpus: CorpusFactory) -> None:
    ran = run_brain("inspect", corpus("small/obsidian-tasks-docs"), "--json")
    broken = [x for x in ran.json["links"] if x["kind"] in ("wikilink", "embed") and x["status"] in ("missing", "asset-missing")]
    assert [(x["from"], x["raw"]) for x in broken] == []
    assert len([x for x in ran.json["links"] if x["kind"] == "wikilink"]) > 1000


@dataclass(frozen=True, slots=True)
class Workspace:
    """The sample workspace, built."""

    out: Path
    sites: tuple[Path, ...]
    report: Any


@pytest.fixture(scope="module")
def workspace(tmp_path_factory: pytest.TempPathFactory) -> Workspace:
    """`brain build brains`, once for all tests here."""
    out = tmp_path_factory.mktemp("workspace") / "out"
    ran = run_brain("build", SAMPLES, "--out", out, "--json")
    assert ran.code == 0, ran.said
    return Workspace(out, tuple(sorted(p.parent for p in out.glob("*/*/site/index.html"))), ran.json)


@pytest.mark.req("P01", "P08")
def test_the_sample_workspace_has_a_site_per_repository_and_an_index_per_tenant(workspace: Workspace) -> None:
    sites = {p.parent.relative_to(workspace.out).as_posix() for p in workspace.sites}
    assert {"brainpress/handbook", "northwind/northwind-advisory", "northwind/engineering"} <= sites
    assert len(sites) >= 5
    assert sorted(p.parent.name for p in workspace.out.glob("*/index.duckdb")) == ["brainpress", "northwind"]
    pages = sum(1 for site in workspace.sites for _ in site.rglob("*.md"))
    assert pages >= 60


@pytest.mark.req("P05", "P08")
def test_no_reference_of_the_sample_workspace_leads_nowhere(workspace: Workspace) -> None:
    crawls: dict[str, Crawl] = {site.parent.name: crawl_site(site) for site in workspace.sites}
    assert {name: crawl.problems for name, crawl in crawls.items() if crawl.problems} == {}


@pytest.mark.req("P08")
def test_the_handbook_has_no_finding_at_all(tmp_path: Path) -> None:
    ran = run_brain("inspect", SAMPLES / "brainpress" / "handbook", "--json")
    assert [f for f in ran.json["findings"] if f["severity"] in ("error", "warning")] == []
