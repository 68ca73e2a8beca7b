"""tenant.yml: what it may say, and that every problem is told at its line."""

import json
from pathlib import Path

import jsonschema
import pytest
import yaml

from indexer.errors import ConfigError
from indexer.registry.tenant_file import (
    RESERVED_IDS,
    SCHEMA_FILE,
    TenantFile,
    build_tenant_schema,
    check_tenant_file,
    load_tenant_file,
    render_tenant_schema,
)

FULL = """\
id: acme                          # the folder's name
title: Acme & Söhne
url: https://brains.example.org/
accounts:
  - id: ana
    name: Ana Sole
    email: ana@example.org
  - id: bo
    name: Bo
agents:
  - id: filer
    name: Filing agent
memberships:
  - account: ana
    role: operator
  - {account: bo, role: member, status: ended}
repos:
  - id: handbook
    title: "2026"
    owner: ana
    folder: shared/hand book/
    kept_as_is: yes
    grants:
      - {to: everyone, access: read}
      - {to: filer, access: write}
      - {to: bo, access: read}
  - id: ana-home
    title: 1.10
    owner: ana
    kind: home
    status: archived
    address: git@git.example.org:ana/notes.git
    branch: main
    folder: notes
"""

SMALL = """\
id: acme
title: Acme
accounts: [{id: ana, name: Ana}, {id: bo, name: Bo}]
agents: [{id: filer, name: Filer}]
memberships: [{account: ana}]
repos:
"""


def write(tmp_path: Path, text: str | bytes, name: str = "acme") -> Path:
    file = tmp_path / name / "tenant.yml"
    file.parent.mkdir(exist_ok=True)
    file.write_bytes(text.encode() if isinstance(text, str) else text)
    return file


def problems(tmp_path: Path, text: str | bytes) -> list[str]:
    file = write(tmp_path, text)
    return [problem.removeprefix(f"{file}:") for problem in check_tenant_file(file)[1]]


def repo(more: str) -> str:
    """A tenant with one repo; `more` stands from line 8 on."""
    return SMALL + "  - id: handbook\n" + "".join(f"    {line}\n" for line in more.splitlines())


GOOD = "title: Handbook\nowner: ana\n"


@pytest.mark.req("T01")
def test_everything_that_can_be_declared_is_read(tmp_path: Path) -> None:
    tenant = load_tenant_file(write(tmp_path, FULL))
    assert (tenant.id, tenant.title, tenant.url) == ("acme", "Acme & Söhne", "https://brains.example.org")
    assert [(account.id, account.name, account.email) for account in tenant.accounts] == [
        ("ana", "Ana Sole", "ana@example.org"),
        ("bo", "Bo", None),
    ]
    assert [(member.account, member.role, member.status) for member in tenant.memberships] == [
        ("ana", "operator", "active"),
        ("bo", "member", "ended"),
    ]
    handbook, home = tenant.repos
    assert (handbook.folder, handbook.kept_as_is, handbook.kind, handbook.status) == ("shared/hand book", True, "shared", "active")
    assert [(grant.to, grant.access) for grant in handbook.grants] == [("everyone", "read"), ("filer", "write"), ("bo", "read")]
    assert [tenant.find_grantee_kind(grant) for grant in handbook.grants] == ["everyone", "agent", "account"]
    assert (home.title, home.kind, home.status, home.address, home.branch, home.folder) == (
        "1.10",
        "home",
        "archived",
        "git@git.example.org:ana/notes.git",
        "main",
        "notes",
    )


def test_text_stays_what_was_typed(tmp_path: Path) -> None:
    text = "id: acme\ntitle: No\naccounts:\n  - {id: 007, name: 2026-04-25}\n  - {id: on, name: 1e3}\n"
    tenant = load_tenant_file(write(tmp_path, text))
    assert [tenant.title, *(word for account in tenant.accounts for word in (account.id, account.name))] == [
        "No",
        "007",
        "2026-04-25",
        "on",
        "1e3",
    ]


def test_a_file_with_a_byte_order_mark_and_windows_lines_is_read(tmp_path: Path) -> None:
    assert load_tenant_file(write(tmp_path, "\ufeff" + FULL.replace("\n", "\r\n"))) == load_tenant_file(write(tmp_path, FULL))


def test_empty_lists_and_keys_are_as_if_they_were_not_there(tmp_path: Path) -> None:
    tenant = load_tenant_file(write(tmp_path, "id: acme\ntitle: Acme\naccounts:\nagents: []\nrepos: ~\nurl:\n"))
    assert (tenant.accounts, tenant.agents, tenant.repos, tenant.url) == ((), (), (), None)


@pytest.mark.req("T01", "P13")
def test_all_problems_are_told_at_once_in_the_order_of_their_lines(tmp_path: Path) -> None:
    text = """\
id: acme
titel: Acme
accounts:
  - id: ana
    name: Ana
  - id: Ana
    nmae: Ana
memberships:
  - {account: anna, role: boss}
repos:
  - id: handbook
    title: Handbook
    owner: bo
    kept_as_is: perhaps
    folder: ../other
"""
    file = write(tmp_path, text)
    with pytest.raises(ConfigError) as caught:
        load_tenant_file(file)
    assert [problem.removeprefix(f"{file}:") for problem in caught.value.problems] == [
        "1: `title` is missing or empty",
        "2: unknown key `titel`; did you mean `title`?",
        "6: `id` must have 1 to 63 lower-case letters, digits and dashes and must not begin with a dash",
        "6: `name` is missing or empty",
        "7: unknown key `nmae`; did you mean `name`?",
        "9: `anna` is not among the accounts; did you mean `ana`?",
        "9: `role` must be `operator`, `admin`, `staff` or `member`, not `boss`",
        "13: `bo` is no member of this tenant, so it cannot own a repo",
        "14: `kept_as_is` must be true or false",
        "15: `folder`: a folder must not be empty, lead upwards (`..`) or have parts that begin with a dot",
    ]
    assert str(file) in caught.value.message


@pytest.mark.req("T01")
@pytest.mark.threat(10)
@pytest.mark.parametrize("word", sorted(RESERVED_IDS - {"_"}))
def test_reserved_ids_are_refused(tmp_path: Path, word: str) -> None:
    text = SMALL.replace("{id: bo,", f"{{id: {word},") + f"  - {{id: {word}, title: T, owner: ana, folder: x}}\n"
    assert [problem.split(": ", 1)[1] for problem in problems(tmp_path, text)] == [f"`id`: `{word}` is reserved; choose another id"] * 2


@pytest.mark.threat(10)
def test_every_route_that_a_reader_can_ask_for_is_reserved() -> None:
    assert {
        "_",
        "search",
        "api",
        "mcp",
        "assets",
        "healthz",
        "login",
        "logout",
        "home",
        "static",
        "well-known",
        "con",
        "aux",
    } <= RESERVED_IDS


@pytest.mark.req("T01")
@pytest.mark.threat(1)
@pytest.mark.parametrize("word", ["", "-a", "A", "a_b", "a.b", "../x", "a/b", "ä", "a" * 64, "a b", "a\\n", ".", "%2e"])
def test_ids_are_plain(tmp_path: Path, word: str) -> None:
    found = problems(tmp_path, SMALL.replace("id: bo", f'id: "{word}"'))
    assert [problem for problem in found if problem.startswith("3: `id` must have 1 to 63")] == found
    assert len(found) == 1


def test_the_longest_id_is_taken(tmp_path: Path) -> None:
    assert problems(tmp_path, SMALL.replace("id: bo", f"id: {'a' * 63}")) == []


@pytest.mark.req("T01")
@pytest.mark.parametrize(
    ("more", "expected"),
    [
        (GOOD + "folder: docs", []),
        (GOOD + "address: https://git.example.org/a\nbranch: main", []),
        (GOOD, ["7: a repo needs a `folder`, or an `address` and a `branch`"]),
        (GOOD + "address: https://git.example.org/a", ["10: a repo with an `address` needs its `branch`"]),
        (
            GOOD + "folder: a\nbranch: main",
            ["11: `branch` belongs to a repo with an `address`; a folder is read at the commit of its workspace"],
        ),
        (GOOD.replace("ana", "bo") + "folder: a", ["9: `bo` is no member of this tenant, so it cannot own a repo"]),
        (GOOD.replace("ana", "filer") + "folder: a", ["9: `filer` is no member of this tenant, so it cannot own a repo"]),
        (GOOD + "folder: a\nkind: private", ["11: `kind` must be `home` or `shared`, not `private`"]),
        (GOOD + "folder: a\nstatus: gone", ["11: `status` must be `active` or `archived`, not `gone`"]),
        (GOOD + "folder: a\ngrants: everyone", ["11: `grants` must be a list: one `- ` for each element"]),
        (GOOD + "folder: a\ngrants: [everyone]", ["11: this element must have keys of its own (`id: …`)"]),
        (GOOD + "folder: [a]", ["10: `folder` must be text"]),
        (GOOD + "folder: a\ntitle: again", ["11: key `title` occurs twice, first in line 8"]),
        (GOOD + "folder: a\nfolders: b", ["11: unknown key `folders`; did you mean `folder`?"]),
        (GOOD + "folder: a\nzzz: b", ["11: unknown key `zzz`"]),
        (GOOD + "folder: /etc", ["10: `folder`: a folder is written relative, such as `docs/notes`"]),
    ],
)
def test_what_is_wrong_with_a_repo_is_said_at_its_line(tmp_path: Path, more: str, expected: list[str]) -> None:
    assert problems(tmp_path, repo(more)) == expected


@pytest.mark.req("T02")
@pytest.mark.parametrize(
    ("grant", "expected"),
    [
        ("{to: everyone, access: read}", []),
        ("{to: ana, access: write}", []),
        ("{to: filer, access: write}", []),
        ("{to: bo, access: read}", ["11: `bo` is neither a member nor an agent of this tenant"]),
        ("{to: stranger, access: read}", ["11: `stranger` is neither a member nor an agent of this tenant"]),
        ("{to: every, access: read}", ["11: `every` is neither a member nor an agent of this tenant; did you mean `everyone`?"]),
        ("{to: ana, access: admin}", ["11: `access` must be `read` or `write`, not `admin`"]),
        ("{to: ana}", ["11: `access` is missing or empty"]),
        ("{access: read}", ["11: `to` is missing or empty"]),
        ("{to: ana, access: read}, {to: ana, access: write}", ["11: `ana` has a grant to this repo already"]),
    ],
)
def test_grants_stay_within_the_tenant(tmp_path: Path, grant: str, expected: list[str]) -> None:
    assert problems(tmp_path, repo(f"{GOOD}folder: a\ngrants: [{grant}]")) == expected


@pytest.mark.req("T01")
def test_ids_are_given_once(tmp_path: Path) -> None:
    text = """\
id: acme
title: Acme
accounts: [{id: ana, name: Ana}, {id: ana, name: Other}]
agents: [{id: ana, name: Agent}]
memberships: [{account: ana}, {account: ana, role: admin}]
repos:
  - {id: a, title: A, owner: ana, folder: a}
  - {id: a, title: A, owner: ana, folder: b}
  - {id: h1, title: A, owner: ana, folder: c, kind: home}
  - {id: h2, title: A, owner: ana, folder: d, kind: home}
"""
    assert problems(tmp_path, text) == [
        "3: `ana` is the id of another account or agent already",
        "4: `ana` is the id of another account or agent already",
        "5: `ana` has a membership already",
        "8: `a` is the id of another repo already",
        "10: `ana` has a repo of kind home already",
    ]


@pytest.mark.req("P01", "T01")
@pytest.mark.threat(1)
@pytest.mark.parametrize(
    ("first", "second", "overlap"),
    [
        ("folder: docs", "folder: docs", True),
        ("folder: docs", "folder: docs/private", True),
        ("folder: docs/private", "folder: docs/", True),
        ("folder: docs", "folder: Docs", True),
        ("folder: docs", "folder: docs2", False),
        ('address: "f:a", branch: main', 'address: "f:a", branch: main, folder: x', True),
        ('address: "f:a", branch: main, folder: y', 'address: "f:a", branch: main, folder: x', False),
        ('address: "f:a", branch: main', 'address: "f:a", branch: other', False),
        ('address: "f:a", branch: main, folder: docs', "folder: docs", False),
    ],
)
def test_two_repos_never_share_files(tmp_path: Path, first: str, second: str, overlap: bool) -> None:
    text = SMALL + f"  - {{id: a, title: A, owner: ana, {first}}}\n  - {{id: b, title: B, owner: ana, {second}}}\n"
    found = problems(tmp_path, text)
    assert found == (["8: its files are also those of repo `a`: two repos must not overlap"] if overlap else [])


@pytest.mark.threat(38)
def test_a_credential_in_an_address_is_refused_and_not_repeated(tmp_path: Path) -> None:
    (found,) = problems(tmp_path, repo(GOOD + "address: https://ana:S3CRET@git.example.org/a\nbranch: main"))
    assert found.startswith("10: `address`: an address must not hold a user name, password or token")
    assert "S3CRET" not in found


@pytest.mark.threat(42)
@pytest.mark.parametrize(
    ("key", "value"), [("name", '"Ana\\nCo-authored-by: x"'), ("name", '"Ana <root@x>"'), ("email", '"a@b.c\\nx"'), ("email", "ana")]
)
def test_a_name_cannot_forge_the_author_of_a_commit(tmp_path: Path, key: str, value: str) -> None:
    text = "id: acme\ntitle: Acme\naccounts:\n  - id: ana\n" + ("    name: Ana\n" if key == "email" else "") + f"    {key}: {value}\n"
    (found,) = problems(tmp_path, text)
    assert f"`{key}`: must" in found


@pytest.mark.parametrize(
    "url",
    [
        "javascript:alert(1)",
        "brains.example.org",
        "https://u:p@example.org",
        "https://example.org/?a",
        "https://e x",
        "https://",
        "https://e:x",
    ],
)
def test_the_site_address_is_a_web_address(tmp_path: Path, url: str) -> None:
    assert [problem.split(" must", 1)[0] for problem in problems(tmp_path, f'id: acme\ntitle: Acme\nurl: "{url}"\n')] == ["3: `url`:"]


def test_the_id_is_the_name_of_the_folder(tmp_path: Path) -> None:
    assert problems(tmp_path, "title: Other\nid: other\n") == ["2: `other` must be the name of the folder that holds this file, `acme`"]


@pytest.mark.threat(12)
@pytest.mark.threat(13)
@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("id: acme\ntitle: !!python/object/apply:os.system [x]\n", "2: tags (`!`) are not allowed"),
        ("id: acme\ntitle: &a Acme\n", "2: anchors (`&`) and aliases (`*`) are not allowed"),
        ("id: acme\ntitle: *a\n", "2: anchors (`&`) and aliases (`*`) are not allowed"),
        ("id: acme\n---\ntitle: x\n", "2: a second document begins"),
        ("id: acme\n\ttitle: x\n", "2: not valid YAML: "),
        ("id: acme\ntitle: 'x\n", "3: not valid YAML: "),
        ("id: acme\n? [a, b]\n: x\n", "2: a key is itself a list or mapping"),
        ("id: acme\naccounts: " + "[" * 50 + "\n", "2: nested deeper than 16 levels"),
        pytest.param("id: acme\naccounts: " + "[" * 50_000 + "\n", "2: ", id="bomb"),
        ("", "1: the file must hold keys"),
        ("- a\n", "1: the file must hold keys"),
        ("acme\n", "1: the file must hold keys"),
    ],
)
def test_what_is_no_plain_yaml_is_one_problem(tmp_path: Path, text: str, expected: str) -> None:
    (found,) = problems(tmp_path, text)
    assert found.startswith(expected)


def test_a_file_that_cannot_be_read_is_one_problem(tmp_path: Path) -> None:
    assert [": is not UTF-8" in problem for problem in check_tenant_file(write(tmp_path, b"id: caf\xe9\n"))[1]] == [True]
    assert [": cannot be read" in problem for problem in check_tenant_file(tmp_path / "acme" / "nothing.yml")[1]] == [True]
    assert [": has more than" in problem for problem in check_tenant_file(write(tmp_path, b"#" * (4 * 1024 * 1024 + 1)))[1]] == [True]


def test_a_tenant_of_two_thousand_repos_is_read(tmp_path: Path) -> None:
    rows = "".join(f"  - {{id: r{n}, title: R, owner: ana, folder: f{n}, grants: [{{to: everyone, access: read}}]}}\n" for n in range(2000))
    assert len(load_tenant_file(write(tmp_path, SMALL + rows)).repos) == 2000


@pytest.mark.req("T01")
def test_the_published_schema_is_current() -> None:
    assert SCHEMA_FILE.read_text(encoding="utf-8") == render_tenant_schema(), (
        "run: python -m indexer.registry.tenant_file " + SCHEMA_FILE.name
    )


def test_the_schema_says_what_the_program_says(tmp_path: Path) -> None:
    schema = build_tenant_schema()
    jsonschema.Draft202012Validator.check_schema(schema)
    check = jsonschema.Draft202012Validator(schema)
    good = json.loads(json.dumps(yaml.safe_load(FULL.replace("1.10", '"1.10"'))))
    assert list(check.iter_errors(good)) == []
    for text in (
        FULL.replace("id: ana-home", "id: home"),
        FULL.replace("    branch: main\n", ""),
        FULL.replace("folder: shared", "dir: shared"),
    ):
        assert problems(tmp_path, text)
        assert list(check.iter_errors(json.loads(json.dumps(yaml.safe_load(text.replace("1.10", '"1.10"'))))))


def test_every_key_of_the_schema_says_what_it_is() -> None:
    schema = build_tenant_schema()
    for model in (schema, *schema["$defs"].values()):
        assert model["description"]
        assert all(field.get("description") for field in model["properties"].values())


def test_a_tenant_cannot_be_changed_once_read(tmp_path: Path) -> None:
    tenant: TenantFile = load_tenant_file(write(tmp_path, FULL))
    with pytest.raises(ValueError, match="frozen"):
        tenant.title = "Other"
