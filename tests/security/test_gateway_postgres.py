"""The gateway on PostgreSQL: the same decisions, and the same refusal when the database is gone (SPEC T09)."""

from pathlib import Path

import pytest

from indexer.registry.grants import revoke_grant
from tests.tools.gateways import open_site, running
from tests.tools.registries import act, new_database


@pytest.mark.req("T09", "S11")
@pytest.mark.threat(28, 33)
def test_on_postgresql_the_next_request_knows_as_well(postgres: str, tmp_path: Path) -> None:
    with new_database(postgres, "gateway") as url, running(open_site(tmp_path, registry=url)) as site:
        cookie, bearer, line = site.cookie("ed@acme.example"), site.bearer("pager"), site.open()
        missing = line.request("GET", "/acme/never-existed/", cookie).bare
        for credentials in (cookie, bearer):
            assert line.request("GET", "/acme/plans/", credentials).status == 200
            assert line.request("GET", "/acme/di-home/", credentials).bare == missing
        with site.world.writing() as connection:
            revoke_grant(connection, "acme", "plans", "ed", act("di"), site.world.now)
        assert line.request("GET", "/acme/plans/", cookie).bare == missing
        assert site.ask("GET", "/healthz").status == 200
        with site.world.registry.reading() as connection:
            connection.exec_driver_sql("alter table schema_version rename to gone")
        assert {line.request("GET", path, cookie).status for path in ("/", "/acme/plans/", "/healthz")} == {503}
