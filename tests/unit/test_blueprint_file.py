"""Blueprint files: what they may say, that every problem is told at its line, and what the shipped ones hold."""

import json
import os
from itertools import chain
from pathlib import Path
from typing import Any

import jsonschema
import pytest
import yaml

from indexer.errors import ConfigError
from indexer.model.blueprint import RINGS, Blueprint, PlannedDocument
from indexer.registry.blueprint_file import (
    LARGEST_FILE,
    MOST_FILES,
    SCHEMA_FILE,
    build_blueprint_schema,
    check_blueprint_file,
    load_blueprints,
    load_shipped,
    read_shown,
    render_blueprint_schema,
    show_blueprint,
)
from indexer.resources import find_resource

FULL = """\
blueprint: press@2                # name and version
title: Press & Söhne
summary: >
  What a small press
  should know.
documents:
  - file: flow.md
    title: "2026"
    ring: Flow
    deepens: [20, 1]
    asks: 'Which books: next?'
  - id: the-list
    file: books/Our List.md
    title: No
    ring: Public Context
    deepens:
      - 6
    outOfDateAfterDays: 180
    asks: Which books are in print?
  - {file: voice.md, title: Voice, ring: Public Context, deepens: [9], outOfDateAfterDays: ~, asks: "How do we sound?"}
"""
HEAD = "blueprint: press@1\ntitle: Press\nsummary: A press.\ndocuments:\n"
ROW = {"file": "a.md", "title": "A", "ring": "Flow", "deepens": "[1]", "asks": "What?"}


def write(tmp_path: Path, text: str | bytes, name: str = "press@1.yml") -> Path:
    file = tmp_path / name
    file.write_bytes(text.encode() if isinstance(text, str) else text)
    return file


def problems(tmp_path: Path, text: str | bytes, name: str = "press@1.yml") -> list[str]:
    file = write(tmp_path, text, name)
    blueprint, found = check_blueprint_file(file)
    assert (blueprint is None) == bool(found)
    return [problem.removeprefix(f"{file}:") for problem in found]


def row(**keys: str | None) -> str:
    """One document in the file's line 5 and further, with some keys changed or (None) left out."""
    kept = {key: value for key, value in {**ROW, **keys}.items() if value is not None}
    return "  - " + "\n    ".join(f"{key}: {value}" for key, value in kept.items()) + "\n"


def quoted(text: str) -> str:
    return json.dumps(text)


@pytest.mark.req("S02")
def test_everything_that_can_be_declared_is_read_by_ring(tmp_path: Path) -> None:
    blueprint, found = check_blueprint_file(write(tmp_path, FULL, "press@2.yml"))
    assert found == []
    assert blueprint == Blueprint(
        "press@2",
        "Press & Söhne",
        "What a small press should know.",
        (
            PlannedDocument("the-list", "books/Our List.md", "No", "Public Context", (6,), 180, "Which books are in print?"),
            PlannedDocument("voice", "voice.md", "Voice", "Public Context", (9,), None, "How do we sound?"),
            PlannedDocument("flow", "flow.md", "2026", "Flow", (1, 20), None, "Which books: next?"),
        ),
    )
    assert blueprint.type == "press"


@pytest.mark.req("S02")
def test_all_problems_are_told_at_once_in_the_order_of_their_lines(tmp_path: Path) -> None:
    text = """\
blueprint: Press@0
titel: Press
summary: A press.
documents:
  - file: ../a.md
    title: A
    ring: public context
    deepens: [0, 21, x]
    outOfDateAfterDays: soon
    ask: What?
  - file: b.md
    title: B
    ring: Scope
    deepens: 4
    asks: What?
    outOfDateAfterDays: 0
  - c.md
"""
    file = write(tmp_path, text)
    with pytest.raises(ConfigError) as caught:
        load_blueprints(tmp_path)
    days = "must be a whole number from 1 to 36500, not `{}`; leave the key out when the document never falls out of date"
    assert [problem.removeprefix(f"{file}:") for problem in caught.value.problems] == [
        "1: `blueprint` must be a lower-case name and a version from 1 up, such as `site@1`",
        "1: `title` is missing or empty",
        "2: unknown key `titel`; did you mean `title`?",
        "5: `asks` is missing or empty",
        "5: `file`: must not lead upwards (`..`) or have empty parts",
        "7: `ring`: `public context` is no ring; did you mean `Public Context`?",
        "8: `deepens`: must be a whole number from 1 to 20, not `0`",
        "8: `deepens`: must be a whole number from 1 to 20, not `21`",
        "8: `deepens`: must be a whole number from 1 to 20, not `x`",
        f"9: `outOfDateAfterDays`: {days.format('soon')}",
        "10: unknown key `ask`; did you mean `asks`?",
        "13: `ring`: `Scope` is no ring; did you mean `Public Context`?",
        "14: `deepens` must be a list, such as `[4]`, or one `- ` for each element",
        f"16: `outOfDateAfterDays`: {days.format('0')}",
        "17: this element must have keys of its own (`file: …`)",
    ]
    assert "brain blueprint" in caught.value.hint


@pytest.mark.req("S02")
@pytest.mark.parametrize(
    ("keys", "expected"),
    [
        ({"deepens": "[]"}, ["`deepens` is missing or empty"]),
        ({"deepens": None}, ["`deepens` is missing or empty"]),
        ({"deepens": "[4, 4]"}, ["`deepens`: names domain 4 twice"]),
        ({"deepens": f"[{', '.join(['1'] * 21)}]"}, ["`deepens`: must have at most 20 elements, not 21"]),
        ({"deepens": "[1.5]"}, ["`deepens`: must be a whole number from 1 to 20, not `1.5`"]),
        ({"deepens": "[[1]]"}, ["`deepens`: must be a whole number from 1 to 20"]),
        ({"deepens": "[20, 1, 07]"}, []),
        ({"ring": "Flows"}, ["`ring`: `Flows` is no ring; did you mean `Flow`?"]),
        ({"ring": "Organizational Knowledge"}, ["`ring`: `Organizational Knowledge` is no ring; did you mean `Organisational Knowledge`?"]),
        ({"ring": "'  FLOW '"}, ["`ring`: `  FLOW ` is no ring; did you mean `Flow`?"]),
        ({"ring": "zzz"}, ["`ring`: `zzz` is no ring; the rings are " + ", ".join(f"`{ring}`" for ring, _ in RINGS)]),
        ({"id": "A B"}, ["`id` must have 1 to 63 lower-case letters, digits and dashes and must not begin with a dash"]),
        ({"id": "007"}, []),
        ({"title": quoted("a\nb")}, ["`title`: must be one line of text"]),
        ({"title": "x" * 80}, []),
        ({"title": "x" * 81}, ["`title` must have at most 80 characters"]),
        ({"title": "[A]"}, ["`title` must be text"]),
        ({"title": quoted("a\u202eb")}, ["`title`: holds invisible signs that turn text around or cannot be stored"]),
        ({"asks": "x" * 300}, []),
        ({"asks": "x" * 301}, ["`asks` must have at most 300 characters"]),
        ({"asks": quoted("a\u2028b")}, ["`asks`: must be one line of text"]),
        ({"asks": quoted("   ")}, ["`asks`: must be one line of text"]),
        ({"outOfDateAfterDays": "36500"}, []),
        ({"out_of_date_after_days": "5"}, ["unknown key `out_of_date_after_days`; did you mean `outOfDateAfterDays`?"]),
        ({"outOfDateAfterDays": "[1]"}, ["`outOfDateAfterDays`: must be a whole number from 1 to 36500"]),
    ],
)
def test_what_is_wrong_with_a_document_is_said(tmp_path: Path, keys: dict[str, str | None], expected: list[str]) -> None:
    found = [problem.split(": ", 1)[1] for problem in problems(tmp_path, HEAD + row(**keys))]
    assert [problem.split("; leave", 1)[0] for problem in found] == expected


@pytest.mark.req("S02")
@pytest.mark.threat(1)
@pytest.mark.parametrize(
    ("file", "expected"),
    [
        ("offer.md", ""),
        ("a/b/offer.md", ""),
        ("/etc/offer.md", "a file is written relative"),
        ("~/offer.md", "a file is written relative"),
        ("C:/offer.md", "a file is written relative"),
        ("../offer.md", "must not lead upwards"),
        ("a/../../offer.md", "must not lead upwards"),
        ("a//offer.md", "must not lead upwards"),
        ("./offer.md", "must not lead upwards"),
        ("a\\..\\offer.md", "must not hold"),
        (".hidden.md", "`.hidden.md` begins with a dot"),
        (".brain/offer.md", "`.brain` begins with a dot"),
        (".md", "`.md` begins with a dot"),
        ("offer.MD", "must end with `.md`"),
        ("offer.txt", "must end with `.md`"),
        ("offer", "must end with `.md`"),
        ("brain.md", "`brain.md` is the card"),
        ("sub/Brain.md", "`brain.md` is the card"),
        ("con.md", "`con.md` is a reserved name"),
        ("Aux/offer.md", "`Aux` is a reserved name"),
        ("com1.x.md", "`com1.x.md` is a reserved name"),
        ("node_modules/offer.md", "`node_modules` is a reserved name"),
        ("git~1/offer.md", "must not hold"),
        ("a\x00b.md", "must not hold"),
        ("a\nb.md", "must not hold"),
        ("of\u200bfer.md", "must not hold"),
        ("off\u202edm.md", "must not hold"),
        ("a#b.md", "must not hold"),
        ("a|b.md", "must not hold"),
        ("a /offer.md", "`a ` begins or ends with a space"),
        ("a./offer.md", "`a.` begins or ends with a space, or ends with a dot"),
        ("ä" * 101 + ".md", "`" + "ä" * 59 + "…` has more than 200 bytes"),
    ],
)
def test_files_stay_in_the_folder_of_the_brain(tmp_path: Path, file: str, expected: str) -> None:
    found = problems(tmp_path, HEAD + row(id="a", file=quoted(file)))
    assert len(found) == bool(expected)
    assert all(problem.startswith(f"5: `file`: {expected}") for problem in found), found


@pytest.mark.req("S02")
@pytest.mark.parametrize(
    ("first", "second", "expected"),
    [
        ({"file": "a.md"}, {"file": "b.md"}, []),
        ({"file": "a.md"}, {"file": "x/a.md"}, ["10: `a` is the id of document 1 already"]),
        ({"file": "a.md"}, {"id": "b", "file": "x/a.md"}, []),
        ({"file": "b.md"}, {"id": "b", "file": "a.md"}, ["10: `b` is the id of document 1 already"]),
        ({"id": "a"}, {"id": "b", "file": "A.md"}, ["12: the file of document 1 is the same one; letter case makes no difference"]),
        (
            {"id": "a", "file": '"caf\\u00e9.md"'},
            {"id": "b", "file": '"cafe\\u0301.md"'},
            ["12: the file of document 1 is the same one; letter case makes no difference"],
        ),
        (
            {"id": "a", "file": "a.md"},
            {"id": "b", "file": "A.md/b.md"},
            ["12: this file and that of document 1 cannot both exist: one would be a folder of the other"],
        ),
        (
            {"id": "a", "file": "a.md/b.md"},
            {"id": "b", "file": "a.md"},
            ["12: this file and that of document 1 cannot both exist: one would be a folder of the other"],
        ),
        ({"file": "a.md"}, {"file": "Big Offer.md"}, ["10: `Big Offer` cannot be an id; give the document an `id` of its own"]),
        ({"file": "a.md"}, {"id": "offer", "file": "Big Offer.md"}, []),
    ],
)
def test_ids_and_files_are_given_once(tmp_path: Path, first: dict[str, str], second: dict[str, str], expected: list[str]) -> None:
    first, second = (dict(sorted({**ROW, **each}.items(), key=lambda pair: pair[0] not in {"id", "file"})) for each in (first, second))
    ordered = [
        {**({"id": each["id"]} if "id" in each else {}), **{key: each[key] for key in each if key != "id"}} for each in (first, second)
    ]
    text = HEAD + "".join("  - " + "\n    ".join(f"{key}: {value}" for key, value in each.items()) + "\n" for each in ordered)
    assert problems(tmp_path, text) == expected


@pytest.mark.req("S02")
@pytest.mark.parametrize(
    "ref", ["press", "press@0", "press@01", "press@-1", "Press@1", "press@1 x", "@1", "-a@1", "a@b@1", "../x@1", "é@1"]
)
def test_a_ref_is_a_plain_name_and_a_version(tmp_path: Path, ref: str) -> None:
    found = problems(tmp_path, HEAD.replace("press@1", quoted(ref)) + row())
    assert "1: `blueprint` must be a lower-case name and a version from 1 up, such as `site@1`" in found


@pytest.mark.req("S02")
@pytest.mark.parametrize("name", ["press.yml", "Press@1.yml", "press@1.yaml", "press@2.yml", "press@1.yml.yml"])
def test_the_ref_is_the_name_of_the_file(tmp_path: Path, name: str) -> None:
    assert problems(tmp_path, HEAD + row(), name) == [f"1: the file must be called `press@1.yml`, not `{name}`"]


@pytest.mark.req("S02")
def test_a_blueprint_holds_one_to_five_hundred_documents(tmp_path: Path) -> None:
    assert problems(tmp_path, HEAD) == ["4: `documents` is missing or empty"]
    assert problems(tmp_path, HEAD.rstrip() + " []\n") == ["4: `documents` is missing or empty"]
    assert problems(tmp_path, HEAD.rstrip() + " {a: b}\n")[0].startswith("4: `documents` must be a list")
    rows = [row(file=f"f{number}.md") for number in range(501)]
    assert problems(tmp_path, HEAD + "".join(rows[:500])) == []
    assert problems(tmp_path, HEAD + "".join(rows)) == ["4: `documents`: must have at most 500 elements, not 501"]


@pytest.mark.threat(12)
@pytest.mark.threat(13)
@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("blueprint: press@1\ntitle: !!python/object/apply:os.system [x]\n", "2: tags (`!`) are not allowed"),
        ("blueprint: press@1\ntitle: &a Press\n", "2: anchors (`&`) and aliases (`*`) are not allowed"),
        ("blueprint: press@1\n---\ntitle: x\n", "2: a second document begins"),
        ("blueprint: press@1\n\ttitle: x\n", "2: not valid YAML: "),
        ("documents: " + "[" * 50, "1: nested deeper than 16 levels"),
        ("", "1: the file must hold keys such as `blueprint:`, `title:` and `documents:`"),
        ("- a\n", "1: the file must hold keys"),
        (
            FULL.replace("title: No", "title: No\n    title: Yes").replace("press@2", "press@1"),
            "15: key `title` occurs twice, first in line 14",
        ),
        (b"blueprint: caf\xe9\n", " is not UTF-8"),
        (b"#" * (LARGEST_FILE + 1), " has more than 1,048,576 bytes"),
    ],
)
def test_what_is_no_plain_yaml_is_one_problem(tmp_path: Path, text: str | bytes, expected: str) -> None:
    (found,) = problems(tmp_path, text)
    assert found.startswith(expected)


@pytest.mark.threat(13)
@pytest.mark.parametrize(
    "text",
    [
        "".join(f"k{number}: 1\n" for number in range(5000)),
        "a: 1\n" * 5000,
        HEAD + "  - {}\n" * 5000,
        HEAD + f"  - {{deepens: [{'x, ' * 5000}]}}\n",
        pytest.param(HEAD + f"  - {{file: {'a/' * 500_000}b.md}}\n", id="deep"),
    ],
)
def test_a_flood_of_problems_is_cut(tmp_path: Path, text: str) -> None:
    assert 0 < len(problems(tmp_path, text)) <= 1001


def test_a_value_that_is_repeated_cannot_forge_a_line(tmp_path: Path) -> None:
    found = problems(tmp_path, HEAD + row(ring=quoted("x\n::error::y" + "z" * 500)) + '    "a\\nb": c\n    "a\\nb": c\n')
    assert all(len(problem.splitlines()) == 1 and len(problem) < 300 for problem in found)
    assert [problem.split(":")[0] for problem in found] == ["7", "10", "11"]


@pytest.mark.threat(2)
def test_links_and_what_is_no_file_are_refused(tmp_path: Path) -> None:
    secret = write(tmp_path, "blueprint: SECRET\n", "elsewhere.txt")
    folder = tmp_path / "blueprints"
    folder.mkdir()
    (folder / "a@1.yml").symlink_to(secret)
    (folder / "b@1.yml").symlink_to("nowhere")
    (folder / "c@1.yml").mkdir()
    os.mkfifo(folder / "d@1.yml")
    with pytest.raises(ConfigError) as caught:
        load_blueprints(folder)
    assert [problem.removeprefix(f"{folder}/") for problem in caught.value.problems] == [
        "a@1.yml: is a symbolic link; put the file itself there",
        "b@1.yml: is a symbolic link; put the file itself there",
        "c@1.yml: is not a file",
        "d@1.yml: is not a file",
    ]
    (tmp_path / "linked").symlink_to(folder)
    with pytest.raises(ConfigError, match="linked: is a symbolic link"):
        load_blueprints(tmp_path / "linked")
    assert check_blueprint_file(tmp_path / "gone@1.yml") == (
        None,
        [f"{tmp_path / 'gone@1.yml'}: cannot be read: No such file or directory"],
    )
    assert check_blueprint_file(Path("a\0b"))[1]


@pytest.mark.req("S02")
def test_a_tenant_adds_its_own_blueprints(tmp_path: Path) -> None:
    for version in (1, 10, 2):
        write(tmp_path, HEAD.replace("press@1", f"press@{version}") + row(), f"press@{version}.yml")
    write(tmp_path, "not: a blueprint", "README.md")
    write(tmp_path, "not: a blueprint", ".hidden.yml")
    loaded = load_blueprints(tmp_path)
    assert list(loaded) == ["business@1", "press@1", "press@2", "press@10", "product@1", "site@1"]
    assert loaded["press@2"].documents[0].file == "a.md"
    assert load_blueprints(None) == load_shipped()
    assert "press@1" not in load_shipped()


@pytest.mark.req("S02")
def test_a_tenant_cannot_replace_a_shipped_blueprint(tmp_path: Path) -> None:
    file = write(tmp_path, HEAD.replace("press@1", "site@1") + row(), "site@1.yml")
    write(tmp_path, HEAD.replace("press@1", "site@999") + row(), "site@999.yml")
    with pytest.raises(ConfigError) as caught:
        load_blueprints(tmp_path)
    assert caught.value.problems == [f"{file}:1: `site@1` ships with the program and cannot be replaced; choose another name"]


def test_the_problems_of_all_files_are_told_together(tmp_path: Path) -> None:
    write(tmp_path, HEAD, "b@1.yml")
    write(tmp_path, "x", "a@1.yml")
    with pytest.raises(ConfigError) as caught:
        load_blueprints(tmp_path)
    assert [problem.removeprefix(f"{tmp_path}/").split(":")[0] for problem in caught.value.problems] == ["a@1.yml", "b@1.yml", "b@1.yml"]


def test_a_folder_that_is_missing_or_too_full_is_a_problem(tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match="cannot be listed: No such file"):
        load_blueprints(tmp_path / "gone")
    for number in range(MOST_FILES + 1):
        write(tmp_path, "x", f"f{number}.yml")
    with pytest.raises(ConfigError, match="holds 201 blueprint files; 200 at most are read"):
        load_blueprints(tmp_path)


@pytest.mark.req("S02")
def test_every_shipped_file_is_without_a_problem() -> None:
    files = sorted(find_resource("blueprints").glob("*"))
    assert {"business@1.yml", "product@1.yml", "site@1.yml"} <= {file.name for file in files}
    assert [problem for file in files for problem in check_blueprint_file(file)[1]] == []
    assert list(load_shipped()) == [file.stem for file in files]


@pytest.mark.req("S02")
@pytest.mark.parametrize("ref", sorted(load_shipped()))
def test_a_shipped_blueprint_asks_for_something_everywhere(ref: str) -> None:
    documents = load_shipped()[ref].documents
    assert all("?" in each.asks for each in documents)
    assert len({each.asks for each in documents}) == len({each.title for each in documents}) == len(documents)
    assert {each.ring for each in documents} == {ring for ring, _ in RINGS}


@pytest.mark.req("S03")
def test_the_business_blueprint_is_the_context_spine() -> None:
    documents = load_shipped()["business@1"].documents
    assert len(documents) == 20
    assert all(len(each.deepens) == 1 for each in documents)
    assert sorted(chain.from_iterable(each.deepens for each in documents)) == list(range(1, 21))
    assert list(dict.fromkeys(each.ring for each in documents)) == [ring for ring, _ in RINGS]
    assert [each.ring for each in documents].count("Public Context") == 4


@pytest.mark.req("S03")
def test_the_rings_and_their_stages_are_in_order() -> None:
    shown = show_blueprint(load_shipped()["business@1"])["documents"]
    assert list(dict.fromkeys((each["ring"], each["stage"]) for each in shown)) == [
        ("Public Context", "Scope"),
        ("Organisational Knowledge", "Land"),
        ("Proprietary Methodology", "Expand"),
        ("System Integration", "Embed"),
        ("Flow", "Flow"),
    ]


@pytest.mark.req("S04")
def test_the_site_blueprint_has_ten_documents_in_the_first_ring() -> None:
    first = [each.file for each in load_shipped()["site@1"].documents if each.ring == "Public Context"]
    assert len(first) == 10
    assert "offer.md" in first


@pytest.mark.req("S02")
def test_a_blueprint_is_shown_as_the_reading_tool_shows_it(tmp_path: Path) -> None:
    blueprint, _ = check_blueprint_file(write(tmp_path, FULL, "press@2.yml"))
    assert blueprint is not None
    shown = show_blueprint(blueprint)
    assert {key: value for key, value in shown.items() if key != "documents"} == {
        "type": "press@2",
        "title": "Press & Söhne",
        "summary": "What a small press should know.",
    }
    assert shown["documents"][0] == {
        "id": "the-list",
        "file": "books/Our List.md",
        "title": "No",
        "ring": "Public Context",
        "stage": "Scope",
        "deepens": [6],
        "outOfDateAfterDays": 180,
        "asks": "Which books are in print?",
    }
    assert shown["documents"][2]["outOfDateAfterDays"] is None
    assert read_shown(json.loads(json.dumps(shown))) == blueprint


@pytest.mark.parametrize("ref", sorted(load_shipped()))
def test_what_is_shown_is_read_back(ref: str) -> None:
    assert read_shown(show_blueprint(load_shipped()[ref])) == load_shipped()[ref]


@pytest.mark.parametrize(
    "change",
    [
        {"type": "site"},
        {"type": None},
        {"documents": None},
        {"documents": [{}]},
        {"documents": [1]},
        {"documents": [{**show_blueprint(load_shipped()["site@1"])["documents"][0], "file": "../x.md"}]},
        {"documents": [show_blueprint(load_shipped()["site@1"])["documents"][0]] * 2},
        {"more": 1},
    ],
)
def test_what_nobody_has_shown_is_refused(change: dict[str, Any]) -> None:
    with pytest.raises(ConfigError):
        read_shown({**show_blueprint(load_shipped()["site@1"]), **change})


@pytest.mark.req("S02")
def test_the_published_schema_is_current() -> None:
    assert SCHEMA_FILE.read_text(encoding="utf-8") == render_blueprint_schema(), (
        f"run: python -m indexer.registry.blueprint_file {SCHEMA_FILE.name}"
    )


@pytest.mark.req("S02")
def test_the_schema_says_what_the_program_says(tmp_path: Path) -> None:
    schema = build_blueprint_schema()
    jsonschema.Draft202012Validator.check_schema(schema)
    check = jsonschema.Draft202012Validator(schema)
    for file in find_resource("blueprints").glob("*.yml"):
        assert list(check.iter_errors(yaml.safe_load(file.read_text("utf-8")))) == []
    good = FULL.replace("title: No", 'title: "No"').replace("press@2", "press@1")
    assert problems(tmp_path, good) == []
    assert list(check.iter_errors(yaml.safe_load(good))) == []
    for old, new in (
        ("press@1", "Press@1"),
        ("title: Press", "titel: Press"),
        ("ring: Flow", "ring: flow"),
        ("[20, 1]", "[21]"),
        ("[20, 1]", "[1, 1]"),
        ("[20, 1]", "[]"),
        ("[20, 1]", "1"),
        ("180", "0"),
        ("180", "36501"),
        ("file: flow.md", "file: flow.txt"),
        ("file: flow.md", "file: ../flow.md"),
        ("id: the-list", "id: The List"),
        ("asks: 'Which", "asks: 'Which" + " and which" * 30),
    ):
        wrong = good.replace(old, new, 1)
        assert wrong != good
        assert problems(tmp_path, wrong), new
        assert list(check.iter_errors(yaml.safe_load(wrong))), new


def test_every_key_of_the_schema_says_what_it_is() -> None:
    schema = build_blueprint_schema()
    for model in (schema, *schema["$defs"].values()):
        assert model["description"]
        assert all(field.get("description") for field in model["properties"].values())
