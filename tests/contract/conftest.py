"""`site`: a running gateway over both tenants of the customers' workspace; `cyd`: the headers of a customer's program."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.tools.api_sites import make_key, open_api
from tests.tools.gateways import Site, bearer, running


@pytest.fixture(scope="module")
def site(shops: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Site]:
    """One for all tests of a module; none of them changes what another one needs."""
    with running(open_api(shops, tmp_path_factory.mktemp("site") / "registry.sqlite")) as running_site:
        yield running_site


@pytest.fixture(scope="module")
def cyd(site: Site) -> dict[str, str]:
    """What a program sends with a key of `cyd`."""
    return bearer(make_key(site, "shop", "cyd"))
