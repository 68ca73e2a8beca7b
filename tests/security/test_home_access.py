"""The gateway's own pages over raw sockets: what somebody does not reach is in no byte of them, and owners alone see the owner's pages."""

import shutil
from collections.abc import Iterator
from pathlib import Path
from urllib.parse import urlencode

import pytest

from indexer.publish.visible import INVISIBLE
from indexer.registry.grants import give_grant, revoke_grant
from indexer.registry.members import end_membership
from indexer.registry.reach import Reader
from indexer.registry.tables import PRINCIPAL, REPO, TENANT
from tests.tools.gateways import SECRETS, Reply, Site, running
from tests.tools.home_sites import (
    COMMON,
    FORM,
    PEOPLE,
    REPOS,
    cookie_of_ended,
    copy_home_site,
    follow,
    open_home_site,
    read_token,
    send_form,
)
from tests.tools.registries import act

Roles = dict[str, tuple[dict[str, str], dict[str, str]]]
STEPS = {"grant": {"to": "cy", "access": "read"}, "revoke": {"to": "ed"}, "archive": {}, "restore": {}}
MISSING = "/-/repos/acme/never-existed/"


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Site]:
    """A gateway that runs for all tests that change nothing."""
    with running(open_home_site(tmp_path_factory.mktemp("home"))) as running_site:
        yield running_site


@pytest.fixture(scope="module")
def prepared(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The files of a site that is copied for each test that changes it."""
    folder = tmp_path_factory.mktemp("prepared")
    open_home_site(folder).world.registry.close()
    return folder


@pytest.fixture
def own_site(prepared: Path, tmp_path: Path) -> Iterator[Site]:
    """A gateway of one test's own."""
    with running(copy_home_site(prepared, tmp_path)) as running_site:
        yield running_site


@pytest.fixture(scope="module")
def roles(site: Site) -> Roles:
    """Name → headers, and the account in each tenant."""
    people = {f"acme/{who}": (site.cookie(f"{who}@acme.example"), {"acme": who}) for who in PEOPLE}
    # Di is somebody in both tenants.
    people["acme/di"][1]["other"] = "zoe"
    return {
        **people,
        "anonymous": ({}, {}),
        "other tenant": (site.cookie("ana@other.example"), {"other": "ana"}),
        "ended member": (cookie_of_ended(site), {}),
        "forged session": ({"Cookie": f"brain={'A' * 43}"}, {}),
        "key": (site.bearer("filer"), {}),
    }


def list_pages() -> list[str]:
    """Every address of the gateway's own pages, for every repo there is, and some there are not."""
    named = [f"/-/repos/{tenant}/{repo}/" for tenant, repos in REPOS.items() for repo in (*repos, "never-existed")]
    return [
        "/",
        "/acme/",
        "/other/",
        "/nobody/",
        "/-/search",
        f"/-/search?q={COMMON}",
        f"/-/search?q={COMMON}&in=acme/plans",
        "/-/search?q=page",
        *(f"/-/repos/{tenant}/{step}" for tenant in ("acme", "other", "nobody") for step in ("", "new")),
        *named,
    ]


def find_reach(site: Site, accounts: dict[str, str]) -> set[str]:
    return {repo for tenant, account in accounts.items() for repo in site.world.reach(Reader(tenant, account=account))}


@pytest.mark.req("T33", "X01")
@pytest.mark.threat(32)
def test_no_byte_of_a_hidden_repo_is_on_any_page(site: Site, roles: Roles) -> None:
    for role, (headers, accounts) in roles.items():
        reached = find_reach(site, accounts) if role != "key" else {"handbook"}
        # Who owns a repo sees it on the owner's pages though it is archived.
        own = {"old"} if role == "acme/ana" else set()
        for target in list_pages():
            reply = site.ask("GET", target, headers)
            shown = {repo for repo, word in SECRETS.items() if word.encode() in reply.body or word in str(reply.headers)}
            assert shown <= reached | own, (role, target)
            if target in {"/", f"/-/search?q={COMMON}"} and role != "key":
                assert shown == reached, (role, target)


@pytest.mark.req("T33")
@pytest.mark.threat(30)
def test_what_is_hidden_is_not_counted(site: Site, own_site: Site) -> None:
    """The same pages, byte for byte but for tokens, with hidden repos and without them."""
    own_site.world.now = site.world.now
    with own_site.world.writing() as connection:
        end_membership(connection, "acme", "di", act("ana"), own_site.world.now)
    own_site.world.now = site.world.now
    for target in ("/", "/acme/", "/-/search", f"/-/search?q={COMMON}"):
        bodies = []
        for each in (site, own_site):
            cookie = each.cookie("ana@acme.example")
            each.world.now = site.world.now
            body = each.ask("GET", target, cookie).body
            bodies.append(body.replace(read_token(each.ask("GET", target, cookie)).encode(), b""))
        assert bodies[0] == bodies[1], target


@pytest.mark.threat(31)
def test_words_of_hidden_repos_are_as_good_as_words_that_nobody_wrote(site: Site, roles: Roles) -> None:
    unknown = "canary-nobody-7f3a"
    for role, (headers, accounts) in roles.items():
        for repo in set(SECRETS) - find_reach(site, accounts):
            found, none = (site.ask("GET", f"/-/search?q={word}", headers) for word in (SECRETS[repo], unknown))
            assert found.body.replace(SECRETS[repo].encode(), b"") == none.body.replace(unknown.encode(), b""), (role, repo)
            assert found.status == none.status
            hidden, missing = (site.ask("GET", f"/-/search?q={COMMON}&in=acme/{name}", headers) for name in (repo, "never-existed"))
            assert hidden.body == missing.body


@pytest.mark.threat(31)
def test_a_page_is_found_in_the_same_place_whatever_hidden_repos_hold(own_site: Site) -> None:
    """No statistic is shared: the words of the search may be in no, or in all, pages of a repo out of reach."""
    cookie = own_site.cookie("ana@acme.example")
    before = own_site.ask("GET", f"/-/search?q={COMMON}", cookie).body
    for repo in ("plans", "di-home"):
        shutil.rmtree(own_site.out / "acme" / repo)
    assert own_site.ask("GET", f"/-/search?q={COMMON}", cookie).body == before


@pytest.mark.req("T04", "T33")
@pytest.mark.threat(28)
def test_owners_pages_are_missing_for_everybody_else(site: Site, roles: Roles) -> None:
    owners = {"acme/ana": {"handbook", "old"}, "acme/di": {"plans", "di-home"}}
    for role, (headers, _) in roles.items():
        missing = site.ask("GET", MISSING, headers).bare
        assert missing == site.ask("GET", "/acme/never-existed/").bare
        for repo in REPOS["acme"]:
            reply = site.ask("GET", f"/-/repos/acme/{repo}/", headers)
            if repo in owners.get(role, ()):
                assert reply.status == 200
            else:
                assert reply.bare == missing, (role, repo)
        for odd in (
            "/-/repos/ACME/plans/",
            "/-/repos/acme/..%2fplans/",
            "/-/repos/acme/pl%00ans/",
            "/-/repos/%ff/plans/",
            "/-/repos/acme/plans",
        ):
            assert site.ask("GET", odd, headers).bare == missing, (role, odd)


@pytest.mark.req("T04")
@pytest.mark.threat(37)
def test_changes_by_others_are_as_good_as_changes_to_nothing(site: Site, roles: Roles) -> None:
    for role in ("acme/ana", "acme/bo", "acme/cy", "acme/ed", "other tenant", "ended member"):
        headers, _ = roles[role]
        for step, fields in STEPS.items():
            missing = send_form(site, headers, f"{MISSING}{step}", **fields).bare
            assert missing[0] == 404
            assert send_form(site, headers, f"/-/repos/acme/plans/{step}", **fields).bare == missing, (role, step)
            assert send_form(site, headers, f"/-/repos/acme/di-home/{step}", **fields).bare == missing, (role, step)
    for role in ("anonymous", "forged session", "key"):
        for step in STEPS:
            body = urlencode({"csrf": "0" * 64, "to": "cy", "access": "read"}).encode()
            replies = {
                str(site.ask("POST", f"/-/repos/acme/{name}/{step}", {**FORM, **roles[role][0]}, body).bare)
                for name in ("plans", "never-existed")
            }
            assert len(replies) == 1
            assert "403" in next(iter(replies))
            assert ("Sign in" in next(iter(replies))) == (role != "key"), "whose session ended learns what to do"
    for step in STEPS:
        for cookie in ({}, roles["acme/di"][0]):  # the address of a refused form, loaded again after the sign-in
            assert site.ask("GET", f"{MISSING}{step}", cookie).get("location") == MISSING
            assert site.ask("GET", f"/-/repos/acme/plans/{step}", cookie).get("location") == "/-/repos/acme/plans/"


@pytest.mark.req("T04")
@pytest.mark.threat(37)
@pytest.mark.parametrize("step", [*STEPS, "../new", "../existing", "../home"])
def test_no_form_of_another_page_changes_anything(own_site: Site, step: str) -> None:
    cookie, other = own_site.cookie("di@acme.example"), own_site.cookie("ed@acme.example")
    token, foreign = (read_token(own_site.ask("GET", "/", each)) for each in (cookie, other))
    before = own_site.world.load()
    target = f"/-/repos/acme/{step.removeprefix('../')}" if step.startswith("..") else f"/-/repos/acme/plans/{step}"
    fields = {"to": "cy", "access": "read", "id": "new-one", "title": "New"}
    good = urlencode({"csrf": token, **fields}).encode()
    attempts = [
        (FORM, urlencode(fields).encode()),
        (FORM, urlencode({"csrf": foreign, **fields}).encode()),
        (FORM, urlencode({"csrf": token[:-1] + ("0" if token[-1] != "0" else "1"), **fields}).encode()),
        ({**FORM, "Sec-Fetch-Site": "cross-site"}, good),
        ({**FORM, "Sec-Fetch-Site": "same-site"}, good),
        ({"Content-Type": FORM["Content-Type"]}, good),
        ({"Content-Type": FORM["Content-Type"], "Origin": "https://evil.example"}, good),
    ]
    for headers, body in attempts:
        assert own_site.ask("POST", target, {**headers, **cookie}, body).status == 403, headers
    assert own_site.ask("POST", target, {**FORM, "Content-Type": "text/plain", **cookie}, good).status == 415
    assert own_site.ask("GET", f"{target}?{good.decode()}", cookie).status in {200, 303}
    assert own_site.world.load() == before


@pytest.mark.req("T04", "T09")
def test_an_owner_grants_and_revokes_and_the_next_request_knows(own_site: Site) -> None:
    owner, reader = own_site.cookie("di@acme.example"), own_site.cookie("ana@acme.example")
    assert own_site.ask("GET", "/acme/plans/", reader).status == 404
    page = follow(own_site, owner, send_form(own_site, owner, "/-/repos/acme/plans/grant", to="ana@acme.example", access="write"))
    assert b"ana can read and write this repo now." in page.body
    assert own_site.ask("GET", "/acme/plans/", reader).status == 200
    assert SECRETS["plans"].encode() in own_site.ask("GET", "/", reader).body
    again = follow(own_site, owner, send_form(own_site, owner, "/-/repos/acme/plans/grant", to="ana", access="write"))
    assert b"nothing was changed" in again.body
    page = follow(own_site, owner, send_form(own_site, owner, "/-/repos/acme/plans/revoke", to="ana"))
    assert b"is taken back" in page.body
    assert own_site.ask("GET", "/acme/plans/", reader).status == 404
    assert SECRETS["plans"].encode() not in own_site.ask("GET", "/", reader).body
    assert SECRETS["plans"].encode() not in own_site.ask("GET", f"/-/search?q={COMMON}", reader).body


@pytest.mark.req("T02", "T04")
@pytest.mark.threat(30)
@pytest.mark.parametrize("to", ["zoe", "ana@other.example", "left", "nobody-here", "di", "", "<b>x</b>", "a\nb", "ä" * 300])
def test_what_cannot_be_granted_is_refused_with_the_form(own_site: Site, to: str) -> None:
    owner = own_site.cookie("di@acme.example")
    before = own_site.world.load()
    reply = send_form(own_site, owner, "/-/repos/acme/plans/grant", to=to, access="read")
    assert reply.status == 422
    assert b'role="alert"' in reply.body
    assert b"<b>x" not in reply.body
    assert own_site.world.load() == before


@pytest.mark.req("T04")
@pytest.mark.threat(39)
def test_everyone_is_people_of_the_tenant_and_nobody_else(own_site: Site) -> None:
    owner = own_site.cookie("di@acme.example")
    follow(own_site, owner, send_form(own_site, owner, "/-/repos/acme/di-home/grant", to="everyone", access="read"))
    for who in ("ana", "bo", "cy", "ed"):
        assert own_site.ask("GET", "/acme/di-home/", own_site.cookie(f"{who}@acme.example")).status == 200
    for headers in (cookie_of_ended(own_site), own_site.cookie("ana@other.example"), own_site.bearer("filer")):
        assert own_site.ask("GET", "/acme/di-home/", headers).status == 404
        assert SECRETS["di-home"].encode() not in own_site.ask("GET", "/", headers).body


@pytest.mark.req("T33")
@pytest.mark.threat(30)
def test_a_plain_member_learns_of_no_other_member_by_owning_a_repo(own_site: Site) -> None:
    """Members may be customers of each other's competitors: a grant to everyone does not hand out the list of them (S15)."""
    owner = own_site.cookie("di@acme.example")
    page = follow(own_site, owner, send_form(own_site, owner, "/-/repos/acme/di-home/grant", to="everyone", access="read")).body
    assert b"Everyone in Acme" in page
    assert b"Ed Poe" not in page
    assert b"Bo Lind" not in page
    admin = own_site.cookie("ana@acme.example")
    assert b"Ed Poe" in own_site.ask("GET", "/-/repos/acme/handbook/", admin).body


@pytest.mark.req("T03")
def test_a_personal_repo_is_not_created_until_it_is_used(own_site: Site) -> None:
    cookie = own_site.cookie("ed@acme.example")
    assert b"Not created yet" in own_site.ask("GET", "/", cookie).body
    assert b"Not created yet" not in own_site.ask("GET", "/acme/", own_site.cookie("di@acme.example")).body
    page = follow(own_site, cookie, send_form(own_site, cookie, "/-/repos/acme/home")).body
    assert b"Your personal repo ed-home is created" in page
    assert b"Not created yet" not in own_site.ask("GET", "/", cookie).body
    assert own_site.world.reach(Reader("acme", account="ed"))["ed-home"] == "write"
    assert all("ed-home" not in own_site.world.reach(Reader("acme", account=who)) for who in ("ana", "bo", "cy", "di"))


@pytest.mark.req("T08")
@pytest.mark.threat(30)
def test_a_member_creates_a_repo_and_learns_nothing_of_names_that_are_taken(own_site: Site) -> None:
    cookie = own_site.cookie("ed@acme.example")
    page = follow(own_site, cookie, send_form(own_site, cookie, "/-/repos/acme/new", id="notes", title="Our <notes>"))
    assert b"Our &lt;notes&gt; is created and yours" in page.body
    assert own_site.world.reach(Reader("acme", account="ed"))["notes"] == "write"
    # Admins and staff read every shared repo (S14).
    reached = {who: own_site.world.reach(Reader("acme", account=who)).get("notes") for who in ("ana", "bo", "cy", "di")}
    assert reached == {"ana": None, "bo": "read", "cy": "read", "di": None}
    assert all("notes" not in own_site.world.reach(Reader("acme", agent=agent)) for agent in ("filer", "pager"))
    refusals = {
        send_form(own_site, cookie, "/-/repos/acme/new", id=name, title="X").body.replace(name.encode(), b"")
        for name in ("di-home", "old", "orphaned")
    }
    assert len({read.split(b'role="alert"')[1].split(b"</div>")[0] for read in refusals}) == 1
    for bad in ("new one", "-x", "api", "everyone", "ä", "x" * 64, ""):
        assert send_form(own_site, cookie, "/-/repos/acme/new", id=bad, title="X").status == 422
    assert send_form(own_site, cookie, "/-/repos/other/new", id="spy", title="X").status == 404


@pytest.mark.threat(9)
def test_no_name_turns_the_words_around_it_or_hides(own_site: Site) -> None:
    """A mark that is never ended turns the rest of a sentence around, and a name without a visible letter is a link that nobody sees."""
    odd = "\u202eecila\u2066 \u200b\U000e0041x"
    with own_site.world.writing() as connection:
        for table in (TENANT, PRINCIPAL, REPO):
            connection.execute(table.update().values(title=table.c.title + odd))
    cookie = own_site.cookie("ana@acme.example")
    made = send_form(own_site, cookie, "/-/repos/acme/new", id="notes", title=f"Ours{odd}")
    pages = [follow(own_site, cookie, made), send_form(own_site, cookie, "/-/repos/acme/handbook/grant", to=f"cy{odd}", access="read")]
    pages += [own_site.ask("GET", page, cookie) for page in list_pages()]
    for page in pages:
        assert INVISIBLE.search(page.body.decode().replace("\r", "")) is None
    assert pages[0].status == 200
    assert "Ours" in pages[0].body.decode()
    assert pages[1].status == 422
    assert next(repo.title for repo in own_site.world.load().repos if repo.id == "notes") == "Oursecila x"
    assert send_form(own_site, cookie, "/-/repos/acme/new", id="nameless", title="\u200b\u2060").status == 422


@pytest.mark.req("T05")
def test_only_operators_register_what_exists(own_site: Site) -> None:
    fields = {"id": "wiki", "title": "Wiki", "owner": "ed", "address": "https://git.example.org/wiki.git", "branch": "main"}
    for who in ("bo", "cy", "di"):
        cookie = own_site.cookie(f"{who}@acme.example")
        assert b"Register" not in own_site.ask("GET", "/-/repos/acme/new", cookie).body
        assert send_form(own_site, cookie, "/-/repos/acme/existing", **fields).status == 404
    cookie = own_site.cookie("ana@acme.example")
    secret = send_form(own_site, cookie, "/-/repos/acme/existing", **{**fields, "address": "https://u:pw@git.example.org/w.git"})
    assert secret.status == 422
    page = follow(own_site, cookie, send_form(own_site, cookie, "/-/repos/acme/existing", **fields))
    assert b"wiki is registered. Nobody but ed reaches it." in page.body
    assert own_site.world.reach(Reader("acme", account="ed"))["wiki"] == "write"
    assert "wiki" not in own_site.world.reach(Reader("acme", account="ana"))


@pytest.mark.req("T04", "T15")
def test_an_archived_repo_is_gone_for_all_and_comes_back(own_site: Site) -> None:
    owner, reader = own_site.cookie("di@acme.example"), own_site.cookie("ed@acme.example")
    page = follow(own_site, owner, send_form(own_site, owner, "/-/repos/acme/plans/archive"))
    assert b"This repo is archived" in page.body
    for cookie in (owner, reader):
        assert own_site.ask("GET", "/acme/plans/", cookie).status == 404
        assert SECRETS["plans"].encode() not in own_site.ask("GET", "/", cookie).body
    follow(own_site, owner, send_form(own_site, owner, "/-/repos/acme/plans/restore"))
    assert own_site.ask("GET", "/acme/plans/", reader).status == 200


@pytest.mark.threat(37)
def test_nobody_can_have_the_gateway_say_something_by_a_link(site: Site, roles: Roles, own_site: Site) -> None:
    page = "/-/repos/acme/plans/"
    owner = own_site.cookie("di@acme.example")
    sealed = send_form(own_site, owner, f"{page}grant", to="cy", access="read").get("location") or ""
    assert b"cy can read this repo now." in own_site.ask("GET", sealed, owner).body
    other_session = own_site.cookie("di@acme.example")
    for target, cookie in (
        (sealed, other_session),
        (sealed.replace("cy", "ed"), owner),
        (sealed.replace("reads", "writes"), owner),
        (f"{page}?said=revoked%1Fcy", owner),
        (f"{page}?said=revoked%1Fcy&seal=%C3%A4", owner),
    ):
        reply = own_site.ask("GET", target, cookie)
        assert reply.status == 200
        assert b'role="status"' not in reply.body, target


@pytest.mark.req("T33")
def test_why_a_repo_is_not_fresh_is_for_its_owner(site: Site, roles: Roles) -> None:
    reason = b"did not answer"
    assert reason in site.ask("GET", "/", roles["acme/di"][0]).body
    for role in ("acme/ed", "acme/bo"):
        body = site.ask("GET", "/", roles[role][0]).body
        assert b"Stale" in body
        assert reason not in body


@pytest.mark.req("T33", "S07")
def test_depth_is_judged_for_the_day_of_the_request(own_site: Site) -> None:
    cookie = own_site.cookie("ed@acme.example")
    assert b"1 of 2 written (1 checked, 1 missing)" in own_site.ask("GET", "/", cookie).body
    own_site.world.now = own_site.world.now.replace(month=3, day=23)
    late = own_site.ask("GET", "/", own_site.cookie("ed@acme.example"))
    assert b"1 of 2 written (1 out of date, 1 missing)" in late.body


@pytest.mark.req("T33")
@pytest.mark.threat(36)
def test_a_person_of_two_tenants_sees_them_apart(site: Site, roles: Roles) -> None:
    cookie, _ = roles["acme/di"]
    both = site.ask("GET", "/", cookie).body
    assert both.index(b">Acme<") < both.index(SECRETS["plans"].encode()) < both.index(b">Other<") < both.index(SECRETS["ledger"].encode())
    acme, other = site.ask("GET", "/acme/", cookie).body, site.ask("GET", "/other/", cookie).body
    assert SECRETS["ledger"].encode() not in acme
    assert b"Other" not in acme
    assert SECRETS["plans"].encode() not in other
    assert b"Acme" not in other


@pytest.mark.threat(36)
def test_on_the_host_of_a_tenant_there_is_only_that_tenant(tmp_path: Path) -> None:
    opened = open_home_site(tmp_path, url="http://brain.localhost:8080", hosts=frozenset({"brain.localhost"}), host_per_tenant=True)
    with running(opened) as site:
        cookie = site.cookie("di@acme.example")
        for tenant, mine, foreign in (("acme", "plans", "ledger"), ("other", "ledger", "plans")):
            host = {"Host": f"{tenant}.brain.localhost:8080", **cookie}
            for target in ("/", f"/-/search?q={COMMON}", "/-/repos/other/", "/-/repos/acme/"):
                assert SECRETS[foreign].encode() not in site.ask("GET", target, host).body
            home = site.ask("GET", "/", host).body
            assert SECRETS[mine].encode() in home
            assert f'href="http://{tenant}.brain.localhost:8080/{mine}/"'.encode() in home
        assert site.ask("GET", "/-/repos/acme/plans/", {"Host": "other.brain.localhost:8080", **cookie}).status == 404


@pytest.mark.req("T33")
def test_a_key_for_one_brain_sees_that_repo_alone(own_site: Site) -> None:
    both = own_site.ask("GET", "/acme/", own_site.bearer("ed")).body
    assert all(SECRETS[repo].encode() in both for repo in ("plans", "handbook"))
    one = own_site.ask("GET", "/acme/", own_site.bearer("ed", brain="handbook")).body
    assert SECRETS["plans"].encode() not in one


@pytest.mark.req("T33")
def test_pages_carry_the_headers_of_the_gateway_and_no_style_or_script_of_their_own(site: Site, roles: Roles) -> None:
    for headers, _ in roles.values():
        for target in list_pages():
            reply: Reply = site.ask("GET", target, headers)
            policy = reply.get("content-security-policy") or ""
            assert "unsafe" not in policy
            assert reply.get("cache-control") == "private, no-store"
            assert b" style=" not in reply.body
            # A short page brings its own, which its policy names by digest.
            assert b"<style" not in reply.body or "style-src 'sha256-" in policy
            assert b"<script>" not in reply.body
            assert b" onclick" not in reply.body


@pytest.mark.threat(34)
def test_assets_are_those_of_the_list_and_nothing_else(site: Site) -> None:
    home = site.ask("GET", "/").body.decode()
    style = home.split('rel="stylesheet" href="')[1].split('"')[0]
    reply = site.ask("GET", style)
    assert reply.status == 200
    assert reply.get("content-type") == "text/css; charset=utf-8"
    assert "immutable" in (reply.get("cache-control") or "")
    missing = site.ask("GET", "/acme/never-existed/").bare
    for target in ("manifest.json", "", "fonts/", "../boot.js", "%2e%2e/manifest.json", "fonts/..%2fmanifest.json", "x.css"):
        assert site.ask("GET", f"/-/assets/{target}").bare == missing
    assert site.ask("GET", f"{style}?x=1").bare == missing


@pytest.mark.threat(48)
def test_long_and_odd_queries_get_a_short_page_without_script(site: Site, roles: Roles) -> None:
    cookie, _ = roles["acme/ed"]
    for query in (
        "a" * 7000,
        "%00",
        "%ff%fe",
        "%22" * 500,
        "%F0%9F%98%80" * 400,
        "%3Cscript%3E",
        "+" * 300,
        "(((",
        "__proto__ constructor".replace(" ", "+"),
    ):
        reply = site.ask("GET", f"/-/search?q={query}", cookie)
        assert reply.status == 200
        assert b"<script>" not in reply.body
        assert len(reply.body) < 20_000


@pytest.mark.req("T09")
@pytest.mark.threat(33)
def test_the_home_page_knows_of_a_revocation_on_the_same_connection(own_site: Site) -> None:
    cookie = own_site.cookie("ed@acme.example")
    line = own_site.open()
    assert SECRETS["plans"].encode() in line.request("GET", "/", cookie).body
    with own_site.world.writing() as connection:
        revoke_grant(connection, "acme", "plans", "ed", act("di"), own_site.world.now)
    assert SECRETS["plans"].encode() not in line.request("GET", "/", cookie).body
    assert SECRETS["plans"].encode() not in line.request("GET", f"/-/search?q={COMMON}", cookie).body
    with own_site.world.writing() as connection:
        give_grant(connection, "acme", "plans", "ed", "read", act("di"), own_site.world.now)
    assert SECRETS["plans"].encode() in line.request("GET", "/", cookie).body


@pytest.mark.req("T04")
@pytest.mark.threat(36)
def test_the_owners_pages_are_for_people_and_not_for_their_keys(site: Site) -> None:
    key = site.bearer("di")
    missing = site.ask("GET", "/acme/never-existed/", key).bare
    assert site.ask("GET", "/acme/plans/", key).status == 200
    for target in ("/-/repos/acme/", "/-/repos/acme/new", "/-/repos/acme/plans/", f"/-/search?q={COMMON}"):
        assert site.ask("GET", target, key).bare == missing
