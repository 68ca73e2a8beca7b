"""The state of a document beside its title, in the navigation and in lists of folders; what a new state writes anew."""

import pytest
from msgspec.structs import replace

from indexer.analysis.index import judge_brains
from indexer.model.site import Ref
from indexer.publish.looks import LOOKS
from indexer.publish.rows import link_rows
from indexer.publish.state import BuildState
from indexer.publish.website import compare_jobs
from tests.tools.judged import FIRM, PLANS, TODAY, judge
from tests.tools.results import copy_known, make_plan, make_result
from tests.unit.test_publish_render import PAGE, part, show

pytestmark = pytest.mark.req("P08", "S06")


def section(file: str) -> dict[str, str | None]:
    """Title → state in the navigation of a page."""
    job = {job.file: job for job in make_plan(judge(FIRM)).jobs}[file]
    return {ref.title: ref.state for ref in job.view.section}


def test_documents_carry_their_state_in_the_navigation_of_the_pages_beside_them() -> None:
    assert section("firm/offer/index.html") == {"The firm": None, "offer": "checked", "people": "declined", "price": "outOfDate"}
    assert set(section("index.html").values()) == {None}


@pytest.mark.parametrize("state", list(LOOKS))
def test_a_mark_says_the_state_in_words(state: str) -> None:
    look = LOOKS[state]  # type: ignore[index]
    html = link_rows("./", [Ref("Prices", "prices/", state=state)])  # type: ignore[arg-type]
    assert html == f'<li><a href="./prices/">Prices <small class="brain-mark {look.css}">{look.words}</small></a></li>'


def test_lists_of_folders_carry_states_and_the_top_level_and_the_contents_none() -> None:
    jobs = {job.file: job for job in make_plan(judge(FIRM)).jobs}
    assert 'brain-mark checked">Checked<' in jobs["firm/index.html"].view.content
    assert "brain-mark" not in jobs["_/contents/index.html"].view.content
    assert {ref.state for ref in make_plan(judge(FIRM)).site.top} == {None}


def test_many_documents_in_one_folder_stay_within_the_room_of_a_section() -> None:
    refs = tuple(Ref(f"Document {n}", f"brain/documents/document-{n}/", state="filled", current=n == 30) for n in range(60))
    nav = part(show(replace(PAGE, section=refs, section_title="Documents")), "nav")
    assert len(nav.encode()) < 8_000
    assert 'aria-current="page">Document 30 <small' in nav


@pytest.mark.req("P02", "P14")
def test_a_new_state_writes_the_pages_that_show_it_and_no_other() -> None:
    files = FIRM | {f"firm/note{n}.md": "A note." for n in range(3)} | {"elsewhere/note.md": "Far away."}
    before = judge(files)
    made = make_plan(before)
    state = BuildState(fingerprints=compare_jobs(made, BuildState(), "").fingerprints, brains=made.brains)
    edited = files | {"firm/offer.md": str(files["firm/offer.md"]).replace("checked: 2026-11-01\n", "")}
    now = judge_brains(make_result(edited, last=copy_known(before.known), before=before.history), PLANS, TODAY)
    assert now.touched == frozenset({"firm/offer.md"})
    partial = compare_jobs(make_plan(now, touched=now.touched, brains=state.brains), state, "")
    assert partial.fingerprints == compare_jobs(make_plan(now), BuildState(), "").fingerprints
    written = {job.file for job in partial.jobs if not job.file.startswith("_/")}
    shown = {"brain", "offer", "people", "price", "note0", "note1", "note2"}
    assert written == {f"firm/{name}/index.html" for name in shown} | {"firm/index.html"}
