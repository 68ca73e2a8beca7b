"""`brain blueprint`: what it lists, shows, finds wrong and writes, and how it ends."""

import io
import json
import sys
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from indexer.cli.edge import run_guarded
from indexer.registry.blueprint_draft import next_ref
from indexer.registry.blueprint_file import check_blueprint_file, load_shipped, show_blueprint
from indexer.resources import find_resource
from tests.tools.commands import Ran, run_brain

OWN = """\
blueprint: press@1
title: Press
summary: A press.
documents:
  - {file: books/list.md, title: The list, ring: Flow, deepens: [6, 7], outOfDateAfterDays: 1, asks: "Which books?"}
  - {id: sound, file: voice.md, title: Voice, ring: Public Context, deepens: [9], asks: "How do we sound?"}
"""


class Terminal(io.StringIO):
    """A terminal of 60 columns."""

    def isatty(self) -> bool:
        return True


@pytest.fixture
def run(capsys: pytest.CaptureFixture[str]) -> "Runner":
    return Runner(capsys)


class Runner:
    """Runs `brain blueprint` in this process."""

    def __init__(self, capsys: pytest.CaptureFixture[str]) -> None:
        self.capsys = capsys

    def __call__(self, *args: str | Path) -> Ran:
        code = run_guarded(["blueprint", *map(str, args)])
        said = self.capsys.readouterr()
        return Ran(code, said.out, said.err)


@pytest.fixture
def own(tmp_path: Path) -> Path:
    folder = tmp_path / "own"
    folder.mkdir()
    (folder / "press@1.yml").write_text(OWN, encoding="utf-8")
    return folder


@pytest.mark.req("S02", "S03", "S04")
def test_list_names_every_blueprint_with_its_rings(run: Runner, own: Path) -> None:
    ran = run("list", "--blueprints", own)
    assert (ran.code, ran.err) == (0, "")
    lines = ran.out.splitlines()
    refs = [line.split()[0] for line in lines if "@" in line]
    assert refs == ["business@1", "press@1", "product@1", "site@1"]
    assert lines[0] == "business@1  Business  20 documents"
    assert lines[2].split(", ")[0].strip() == "Public Context 4"
    assert lines[lines.index("press@1     Press  2 documents") + 2].strip() == "Public Context 1, Flow 1"
    assert "press@1" not in run("list").out


@pytest.mark.req("S02", "P17")
def test_list_as_json_counts_documents_and_rings(run: Runner, own: Path) -> None:
    blueprints = run("list", "--json", "--blueprints", own).json["blueprints"]
    assert blueprints[1] == {
        "type": "press@1",
        "title": "Press",
        "summary": "A press.",
        "documents": 2,
        "rings": [{"ring": "Public Context", "stage": "Scope", "documents": 1}, {"ring": "Flow", "stage": "Flow", "documents": 1}],
    }


@pytest.mark.req("S02")
def test_show_tells_by_ring_what_each_document_should_contain(run: Runner, own: Path) -> None:
    ran = run("show", "press@1", "--blueprints", own)
    assert ran.code == 0
    assert ran.out == (
        "press@1  Press  2 documents\n"
        "A press.\n"
        "\n"
        "Public Context (Scope)  1 document\n"
        "  voice.md       Voice  id sound · domain 9\n"
        "                 How do we sound?\n"
        "\n"
        "Flow (Flow)  1 document\n"
        "  books/list.md  The list  domains 6, 7 · a check holds 1 day\n"
        "                 Which books?\n"
    )


@pytest.mark.req("S02", "P17")
def test_show_as_json_is_what_the_reading_tool_gives(run: Runner) -> None:
    assert run("show", "site@1", "--json").json == show_blueprint(load_shipped()["site@1"])


@pytest.mark.req("S02")
def test_show_without_a_version_shows_the_newest(run: Runner, own: Path) -> None:
    for version in (2, 10):
        (own / f"press@{version}.yml").write_text(OWN.replace("press@1", f"press@{version}"), encoding="utf-8")
    assert run("show", "press", "--json", "--blueprints", own).json["type"] == "press@10"
    assert run("show", "press@2", "--json", "--blueprints", own).json["type"] == "press@2"


def test_an_unknown_blueprint_is_a_usage_error_that_names_those_there_are(run: Runner) -> None:
    ran = run("show", "sitte@1")
    assert (ran.code, ran.out) == (2, "")
    assert ran.err.startswith("Error: There is no blueprint called sitte@1; did you mean `site@1`?\n  Choose one of: business@1, ")
    assert run("show", "zzz").err.startswith("Error: There is no blueprint called zzz.\n")


def test_show_breaks_lines_at_words_on_a_terminal(monkeypatch: pytest.MonkeyPatch) -> None:
    terminal = Terminal()
    for name in ("CI", "NO_COLOR", "LINES"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("TERM", "xterm")
    monkeypatch.setenv("COLUMNS", "60")
    monkeypatch.setattr(sys, "stdout", terminal)
    assert run_guarded(["blueprint", "show", "business"]) == 0
    plain = "".join(part.partition("m")[2] if at else part for at, part in enumerate(terminal.getvalue().split("\x1b[")))
    assert plain != terminal.getvalue()
    asks = [line for line in plain.splitlines() if line.startswith(" " * 10)]
    assert len(asks) > 40
    assert all(len(line) <= 60 for line in asks)
    words = " ".join(" ".join(asks).split())
    assert all(" ".join(each.asks.split()) in words for each in load_shipped()["business@1"].documents)


@pytest.mark.req("S02", "P13")
def test_check_shows_all_problems_and_exits_1(run: Runner, own: Path) -> None:
    good = run("check", own / "press@1.yml")
    assert (good.code, good.out) == (0, "1 file, no problems.\n")
    wrong = own / "wrong@1.yml"
    wrong.write_text(OWN.replace("Flow,", "Flo,").replace("[9]", "[90]"), encoding="utf-8")
    ran = run("check", own, wrong)
    assert ran.code == 1
    assert ran.out.splitlines() == [
        f"{wrong}:1: the file must be called `press@1.yml`, not `wrong@1.yml`",
        f"{wrong}:5: `ring`: `Flo` is no ring; did you mean `Flow`?",
        f"{wrong}:6: `deepens`: must be a whole number from 1 to 20, not `90`",
        "3 problems in 1 of 2 files.",
    ]
    as_json = run("check", own, "--json")
    assert as_json.code == 1
    assert as_json.json == {"files": 2, "problems": ran.out.splitlines()[:3]}


@pytest.mark.req("S02")
def test_check_takes_the_shipped_files_and_refuses_a_copy(run: Runner, tmp_path: Path) -> None:
    shipped = find_resource("blueprints")
    assert run("check", shipped).code == 0
    copy = tmp_path / "site@1.yml"
    copy.write_bytes((shipped / "site@1.yml").read_bytes())
    ran = run("check", copy)
    assert ran.code == 1
    assert "`site@1` ships with the program and cannot be replaced" in ran.out


@pytest.mark.req("P13")
def test_check_of_what_is_not_there_is_an_expected_failure(run: Runner, tmp_path: Path) -> None:
    gone = run("check", tmp_path / "gone@1.yml")
    assert (gone.code, gone.out) == (3, "")
    assert "gone@1.yml cannot be read: No such file or directory." in gone.err
    empty = run("check", tmp_path)
    assert empty.code == 3
    assert "holds no blueprint file" in empty.err
    assert run("check").code == 2


@pytest.mark.req("S02")
def test_a_folder_of_faulty_blueprints_is_an_expected_failure_that_tells_all(run: Runner, own: Path) -> None:
    (own / "press@1.yml").write_text("blueprint: press@1\ntitel: x\n", encoding="utf-8")
    ran = run("list", "--blueprints", own)
    assert (ran.code, ran.out) == (3, "")
    assert "press@1.yml:2: unknown key `titel`; did you mean `title`?" in ran.err
    assert "press@1.yml:1: `documents` is missing or empty" in ran.err
    assert run("list", "--blueprints", own / "gone").code == 3


@pytest.mark.threat(45)
def test_texts_of_a_blueprint_give_no_orders(run: Runner, own: Path) -> None:
    text = OWN.replace("title: Press", 'title: "::error::Press ##[x]"').replace("Which books?", "::stop-commands::x \u200e")
    (own / "press@1.yml").write_text(text, encoding="utf-8")
    (own / "bad@1.yml").write_text('blueprint: bad@1\n"\\e[31m\\n::error::": x\n', encoding="utf-8")
    shown = run("check", own).out
    (own / "bad@1.yml").unlink()
    shown += run("show", "press@1", "--blueprints", own).out + run("list", "--blueprints", own).out
    assert all(char == "\n" or char.isprintable() for char in shown)
    assert not [line for line in shown.splitlines() if line.lstrip().startswith("::") or "##[" in line]


@pytest.mark.req("S02")
def test_new_writes_a_file_that_check_finds_no_fault_with(run: Runner, tmp_path: Path) -> None:
    out = tmp_path / "made" / "blueprints"
    ran = run("new", "press", "--out", out)
    file = out / "press@1.yml"
    assert ran.code == 0
    assert str(file) in ran.out
    blueprint, problems = check_blueprint_file(file)
    assert problems == []
    assert blueprint is not None
    assert len({each.ring for each in blueprint.documents}) == 5
    text = file.read_text("utf-8")
    assert all(f"#   {key} " in text for key in ("file", "id", "title", "ring", "deepens", "outOfDateAfterDays", "asks"))


@pytest.mark.req("S02")
@pytest.mark.parametrize("ref", sorted(load_shipped()))
def test_new_can_begin_with_the_documents_of_another(run: Runner, tmp_path: Path, ref: str) -> None:
    assert run("new", "mine", "--from", ref, "--out", tmp_path).code == 0
    blueprint, problems = check_blueprint_file(tmp_path / "mine@1.yml")
    assert problems == []
    assert blueprint is not None
    assert blueprint.documents == load_shipped()[ref].documents


@pytest.mark.req("S02")
def test_new_takes_the_next_version_and_never_overwrites(run: Runner, own: Path) -> None:
    before = (own / "press@1.yml").read_bytes()
    (own / "press@7.yml").write_text("no blueprint", encoding="utf-8")
    assert run("new", "press", "--out", own).code == 0
    assert (own / "press@8.yml").exists()
    taken = run("new", "press@1", "--out", own)
    assert taken.code == 3
    assert "press@1.yml exists and is not overwritten." in taken.err
    assert (own / "press@1.yml").read_bytes() == before
    (own / "press@9.yml").symlink_to(own / "elsewhere")
    assert run("new", "press@9", "--out", own).code == 3
    assert not (own / "elsewhere").exists()


@pytest.mark.req("S02")
def test_new_counts_the_versions_of_the_blueprints_there_are(run: Runner, own: Path, tmp_path: Path) -> None:
    assert run("new", "press", "--blueprints", own, "--out", tmp_path / "a").code == 0
    assert (tmp_path / "a" / "press@2.yml").exists()
    assert run("new", "site", "--out", tmp_path / "a").code == 0
    assert (tmp_path / "a" / "site@2.yml").exists()
    refused = run("new", "site@1", "--out", tmp_path / "a")
    assert refused.code == 2
    assert "site@1 ships with the program" in refused.err


@pytest.mark.threat(1)
@pytest.mark.parametrize("name", ["Press", "../press", "a/b", "press@0", "", "a b", "press@", "press\n", "é"])
def test_new_refuses_names_that_are_none(run: Runner, tmp_path: Path, name: str) -> None:
    ran = run("new", name, "--out", tmp_path / "out")
    assert ran.code == 2
    assert "cannot be the name of a blueprint" in ran.err
    assert not (tmp_path / "out").exists()


def test_new_says_where_it_could_not_write(run: Runner, tmp_path: Path) -> None:
    (tmp_path / "file").write_text("x", encoding="utf-8")
    ran = run("new", "press", "--out", tmp_path / "file" / "below")
    assert ran.code == 3
    assert "below cannot be made: Not a directory." in ran.err


@given(st.lists(st.from_regex(r"\A(a|b)@[0-9]{1,3}\Z") | st.text(max_size=8)))
@settings(max_examples=50, deadline=None, derandomize=True)
def test_the_next_ref_is_new(refs: list[str]) -> None:
    assert next_ref("a", refs) not in refs


@pytest.mark.req("S02", "P17")
def test_the_command_is_part_of_brain(own: Path) -> None:
    ran = run_brain("blueprint", "show", "press", "--blueprints", own, "--json")
    assert (ran.code, ran.err) == (0, "")
    assert json.loads(ran.out)["documents"][1]["id"] == "list"
    assert run_brain("schema", "blueprint").json["title"] == "BlueprintFile"
