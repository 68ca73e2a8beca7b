"""Same input, same bytes; and after a change, only what shows the change is written anew."""

import os
from pathlib import Path

import pytest

from indexer.pipeline import build_path
from indexer.sources.orders import BuildOptions
from tests.bench.make_brain import write_brain
from tests.conftest import BuildFactory, RepoFactory
from tests.tools.built import build_vault
from tests.tools.commands import run_brain
from tests.tools.trees import compare_trees, read_states, read_tree
from tests.tools.vaults import PNG, write_files

FILES: dict[str, str | bytes] = {
    "index.md": "# Home\n\n[[a]] [[b]] ![[pic.png]] #x #y\n",
    "a.md": "---\ntags: [x, y/z]\ndate: 2024-03-10\naliases: [Alpha, Anna]\n---\n# A\n\n[[b]] [[missing]] [[index]]\n\n"
    "## Part\n\nWords ünï 日本.\n",
    "b.md": "# B\n\n[[a#Part]] ![[a#Part]] https://example.org\n\n```python\nx = {1, 2}\n```\n\n$x$\n",
    "sub/c.md": "# C\n\n[a](../a.md) [[Alpha]]\n",
    "sub/README.md": "# Sub\n\n- [[c]]\n",
    "hidden.md": "---\ndraft: true\n---\n# H\n\n[[a]]\n",
    "pic.png": PNG,
    **{f"many/n{i:03d}.md": f"# N{i}\n\n[[n{(i * 7) % 60:03d}]] #t{i % 5} word{i}\n" for i in range(60)},
}
ENVIRONMENTS = (
    {"TZ": "Pacific/Kiritimati", "PYTHONHASHSEED": "1", "LC_ALL": "C", "LANG": "C"},
    {"TZ": "America/Los_Angeles", "PYTHONHASHSEED": "4242", "LC_ALL": "C.UTF-8", "LANG": "de_DE.UTF-8", "PYTHONUTF8": "0"},
)


def read_output(out: Path) -> dict[str, bytes]:
    """The site and the report; the index is a database and is compared by its rows."""
    return {name: content for name, content in read_tree(out).items() if name.startswith("site/") or name == "report.json"}


def build_in(source: Path, out: Path, env: dict[str, str]) -> dict[str, bytes]:
    """Build with these variables and return the output."""
    ran = run_brain("build", source, "--out", out, env=env)
    assert ran.code == 0, ran.said
    return read_output(out)


@pytest.mark.req("P14")
def test_time_zone_locale_hash_seed_and_file_order_change_no_byte(tmp_path: Path) -> None:
    first = write_files(tmp_path / "one" / "vault", FILES)
    second = write_files(tmp_path / "two" / "vault", dict(reversed(list(FILES.items()))))
    for number, path in enumerate(sorted(second.rglob("*"))):
        os.utime(path, (1_000_000_000 + number, 1_000_000_000 + number))
    left = build_in(first, tmp_path / "out1", ENVIRONMENTS[0])
    right = build_in(second, tmp_path / "out2", ENVIRONMENTS[1])
    assert compare_trees(left, right) == []
    assert len(left) > 100


@pytest.mark.req("P14")
def test_a_repository_gives_the_same_bytes_from_its_work_tree_a_bare_clone_and_on_another_day(
    git_repo: RepoFactory, tmp_path: Path
) -> None:
    repo = git_repo(FILES, name="vault")
    repo.commit({"a.md": "# A\n\nchanged [[b]]\n"}, rename=(("sub/c.md", "sub/d.md"),))
    (tmp_path / "bare").mkdir()
    left = build_in(repo.path, tmp_path / "out1", ENVIRONMENTS[0])
    right = build_in(repo.bare(tmp_path / "bare" / "vault.git"), tmp_path / "out2", ENVIRONMENTS[1])
    names = {name for name in left if "report" not in name}
    assert compare_trees({n: left[n] for n in names}, {n: right[n] for n in right if n in names}) == []
    again = build_in(repo.path, tmp_path / "out1", ENVIRONMENTS[1])
    assert compare_trees(left, again) == []


@pytest.mark.req("P14", "P07")
def test_the_index_holds_the_same_rows_after_every_build(tmp_path: Path) -> None:
    import duckdb

    vault = write_files(tmp_path / "vault", FILES)
    dumps = []
    for number, env in enumerate(ENVIRONMENTS):
        out = tmp_path / f"out{number}"
        build_in(vault, out, env)
        with duckdb.connect(str(out / "index.duckdb"), read_only=True) as index:
            tables = [row[0] for row in index.sql("SELECT table_name FROM duckdb_tables() ORDER BY 1").fetchall()]
            dumps.append({t: index.sql(f'SELECT * FROM "{t}" ORDER BY ALL').fetchall() for t in tables})
    assert len(dumps[0]) > 3
    assert sum(len(rows) for rows in dumps[0].values()) > 100
    assert dumps[0] == dumps[1]


EDITS = {
    "a word": {"many/n007.md": "# N7\n\n[[n049]] #t2 word7 another\n"},
    "a title": {"a.md": "---\ntags: [x]\n---\n# A renamed\n\n[[b]]\n\n## Part\n\nother\n"},
    "a heading that others link to": {"a.md": "# A\n\n[[b]]\n\n## Gone\n"},
    "a new page that was missing": {"missing.md": "# Missing no more\n"},
    "a page becomes hidden": {"b.md": "---\ndraft: true\n---\n# B\n"},
    "a hidden page is published": {"hidden.md": "# H\n\n[[a]]\n"},
    "a new tag": {"many/n010.md": "# N10\n\n#brandnew\n"},
    "an embedded section": {"a.md": str(FILES["a.md"]).replace("Words", "Other words")},
    "a picture": {"pic.png": PNG + b"\x00"},
    "a page that clashes": {"a/index.md": "# Other A\n"},
    "a folder gets a page": {"many/index.md": "# Many\n"},
}


@pytest.mark.req("P02", "P14")
@pytest.mark.parametrize("edit", EDITS.values(), ids=EDITS.keys())
def test_a_build_after_an_edit_equals_a_fresh_one(build: BuildFactory, tmp_path: Path, edit: dict[str, str | bytes]) -> None:
    built = build(FILES)
    write_files(built.source, edit)
    again = build_vault(built.source, built.out)
    fresh = build_vault(built.source, tmp_path / "fresh")
    assert compare_trees(read_output(again.out), read_output(fresh.out)) == []


@pytest.mark.req("P02", "P07")
def test_links_to_a_file_follow_when_its_twin_is_published_and_when_it_is_not_any_more(build: BuildFactory, tmp_path: Path) -> None:
    plain = {"z.md": "# Z\n"}
    built = build({"y.md": "# Y\n\n[x](img/a.txt)\n", "img/a.txt": "1\n", "img/A.txt": "2\n", **plain})
    for number, page in enumerate(({"z.md": "# Z\n\n[h](img/A.txt)\n"}, plain)):
        write_files(built.source, page)
        again = build_vault(built.source, built.out)
        fresh = build_vault(built.source, tmp_path / f"fresh{number}")
        assert again.target("y.md", "x")[0] == ("img/a.txt" if page == plain else "img/a-2.txt")
        assert compare_trees(read_output(again.out), read_output(fresh.out)) == []


@pytest.mark.req("P02", "P14")
def test_a_build_after_a_page_is_removed_or_moved_equals_a_fresh_one(build: BuildFactory, tmp_path: Path) -> None:
    built = build(FILES)
    (built.source / "b.md").unlink()
    (built.source / "many" / "n003.md").rename(built.source / "sub" / "n003.md")
    again = build_vault(built.source, built.out)
    fresh = build_vault(built.source, tmp_path / "fresh")
    assert compare_trees(read_output(again.out), read_output(fresh.out)) == []
    assert not (again.site / "b").exists()


@pytest.mark.req("P02")
def test_one_edited_page_rewrites_that_page_and_what_shows_it_only(tmp_path: Path) -> None:
    write_brain(tmp_path / "vault", 200, 10)
    built = build_vault(tmp_path / "vault", tmp_path / "out")
    before = read_states(built.site)
    edited = sorted(built.source.rglob("note-*.md"))[77]
    edited.write_text(edited.read_text("utf-8") + "\nOne more zebra word.\n", encoding="utf-8")
    build_vault(built.source, built.out)
    after = read_states(built.site)
    assert before.keys() == after.keys()
    written = {name for name in after if after[name] != before[name]}
    pages = {name for name in written if name.endswith(".html")}
    own = edited.relative_to(built.source).with_suffix("").as_posix()
    assert f"{own}/index.html" in pages
    assert f"{own}/index.md" in written
    assert len(pages) <= 40, sorted(pages)
    assert len(written) <= 100, sorted(written)


@pytest.mark.req("P02")
def test_nothing_changed_rewrites_nothing(build: BuildFactory) -> None:
    built = build(FILES)
    before = read_states(built.out / "site")
    again = build_vault(built.source, built.out)
    assert read_states(built.out / "site") == before
    assert "nothing has changed" in again.ran.said


@pytest.mark.req("P02")
def test_damaged_caches_cost_time_and_nothing_else(build: BuildFactory) -> None:
    built = build(FILES)
    wanted = read_output(built.out)
    for file in sorted((built.out / ".brain").rglob("*")):
        if file.is_file():
            content = file.read_bytes()
            for damaged in (b"", content[: len(content) // 2], b"\xff" * 64 + content[64:]):
                file.write_bytes(damaged)
                again = build_vault(built.source, built.out)
                assert compare_trees(read_output(again.out), wanted) == [], (file.name, damaged[:8])


@pytest.mark.req("P02")
def test_a_file_that_someone_removed_from_the_site_is_there_again(build: BuildFactory) -> None:
    built = build(FILES)
    wanted = read_output(built.out)
    for name in ("b/index.html", "b/index.md", "sitemap.xml", "graph.json"):
        (built.site / name).unlink()
    (built.site / "stranger.html").write_text("not ours")
    again = build_vault(built.source, built.out)
    assert compare_trees(read_output(again.out), wanted) == []


@pytest.mark.req("P14")
def test_one_process_and_two_give_the_same_bytes_also_when_most_pages_change(tmp_path: Path) -> None:
    """With so many pages the search index and the frames are made beside the planning of the pages."""
    vault, one, two = (tmp_path / name for name in ("vault", "one", "two"))
    write_brain(vault, 210, 5)
    for change in (0, 1, 100, 3):
        for number, page in enumerate(sorted(vault.rglob("*.md"))[:change]):
            page.write_text(page.read_text("utf-8") + f"\nA zebra{number} more.\n", encoding="utf-8")
        build_path(vault, one, BuildOptions(processes=1))
        build_path(vault, two, BuildOptions(processes=2))
        assert compare_trees(read_output(one), read_output(two)) == []
    build_path(vault, tmp_path / "fresh", BuildOptions(processes=2))
    wanted = read_output(tmp_path / "fresh")
    assert sum(name.startswith("site/_/search/") for name in wanted) > 50
    assert compare_trees(read_output(two), wanted) == []
