"""Redirects of renamed pages, and what a run takes over from the last one."""

import pytest

from indexer.model.snapshot import Origin
from tests.tools.results import copy_known, make_result
from tests.tools.vaults import Files

FORGE = Origin("https://example.org/ada/brain", "main", "", "github")


@pytest.mark.req("P15")
def test_a_redirect_lies_where_the_page_was_published() -> None:
    result = make_result({"b.md": ""}, renames={"a:x.md": "b.md", "con.md": "b.md", "d/index.md": "b.md"})
    assert result.redirects == {"a-x/index.html": "b/", "con-/index.html": "b/", "d/index.html": "b/"}


@pytest.mark.req("P15")
@pytest.mark.threat(8)
def test_a_redirect_never_takes_the_place_of_a_page_where_letter_case_is_ignored() -> None:
    assert make_result({"foo.md": ""}, renames={"Foo.md": "foo.md"}).redirects == {}
    assert make_result({"new.md": "", "d/index.md": ""}, renames={"D/README.md": "new.md"}).redirects == {}


@pytest.mark.req("P13", "P15")
def test_a_redirect_never_needs_a_folder_where_a_file_lies() -> None:
    files: Files = {"b.md": "![x](logo.png)", "logo.png": b"x"}
    assert make_result(files, renames={"logo.png.md": "b.md", "logo.png/x.md": "b.md"}).redirects == {}


@pytest.mark.req("P15", "P19")
def test_no_redirect_leads_to_a_hidden_page() -> None:
    assert make_result({"s.md": "---\ndraft: true\n---\n"}, renames={"a.md": "s.md"}).redirects == {}


@pytest.mark.req("P14")
def test_the_same_files_touch_nothing() -> None:
    files = {"a.md": "[[b]]", "b.md": "# B"}
    first = make_result(files)
    second = make_result(files, last=copy_known(first.known))
    assert first.touched is None
    assert second.touched == frozenset()


@pytest.mark.req("P14")
def test_a_changed_page_touches_what_it_links_and_what_links_to_its_headings() -> None:
    first = make_result({"a.md": "[[b#Old]]", "b.md": "## Old", "c.md": "", "d.md": ""})
    second = make_result({"a.md": "[[b#Old]]", "b.md": "## New\n[[c]]", "c.md": "", "d.md": ""}, last=copy_known(first.known))
    assert second.touched == frozenset({"a.md", "b.md", "c.md"})
    assert second.targets["a.md"][0].status == "anchor-missing"


@pytest.mark.req("P14")
def test_a_page_that_was_edited_and_set_back_has_changed() -> None:
    """Its bytes are those of the last run, the date of its last change is not."""
    files = {"a.md": "a", "b.md": "b"}
    first = make_result(files, changes={"a.md": 1, "b.md": 1})
    second = make_result(files, changes={"a.md": 3, "b.md": 1}, last=copy_known(first.known), before=first.history)
    assert second.touched == frozenset({"a.md"})


@pytest.mark.req("P14")
def test_a_page_without_a_known_change_names_the_built_revision_and_so_changes_with_it() -> None:
    history = {"a.md": 1}
    first = make_result({"a.md": "a", "b.md": "b"}, changes=history, origin=FORGE, revision="1" * 40)
    second = make_result(
        {"a.md": "a", "b.md": "b"}, changes=history, origin=FORGE, revision="2" * 40, last=copy_known(first.known), before=first.history
    )
    assert second.touched == frozenset({"b.md"})


@pytest.mark.req("P14")
def test_renaming_retitling_or_hiding_a_page_starts_anew() -> None:
    first = make_result({"a.md": "[[T]]", "b.md": "# T"})
    for files in (
        {"a.md": "[[T]]", "c.md": "# T"},
        {"a.md": "[[T]]", "b.md": "# U"},
        {"a.md": "[[T]]", "b.md": "---\nprivate: true\n---\n# T"},
        {"a.md": "[[T]]", "b.md": "---\naliases: [V]\n---\n# T"},
    ):
        second = make_result(files, last=copy_known(first.known))
        assert second.touched is None
        assert second.targets == make_result(files).targets
