"""Whatever the checked-in document allows, and whatever it does not, sent to a running gateway: it answers as the document says."""

from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from schemathesis import APIOperation, Case, GenerationMode
from schemathesis.checks import not_a_server_error
from schemathesis.core.result import Ok
from schemathesis.openapi import from_dict
from schemathesis.specs.openapi.checks import ignored_auth

from indexer.serve.api_schema import build_openapi
from tests.tools.gateways import Site, bearer

Operation = APIOperation[Any, Any, Any, Any]
Sent = Case[Any]
OPERATIONS: list[Operation] = [found.ok() for found in from_dict(build_openapi()).get_all_operations() if isinstance(found, Ok)]
EACH = pytest.mark.parametrize("operation", OPERATIONS, ids=lambda each: str(each.label))
QUIET = settings(deadline=None, derandomize=True, database=None, suppress_health_check=list(HealthCheck))


def address(site: Site) -> str:
    """Where the gateway is."""
    return "http://{}:{}".format(*site.address)


@pytest.mark.req("S10")
@pytest.mark.threat(48)
@EACH
def test_what_the_document_allows_is_answered_as_it_says(site: Site, cyd: dict[str, str], operation: Operation) -> None:
    """Statuses, media types and bodies. A cursor is one that an answer held, and a query has a word in it: no schema can say that."""

    @given(case=operation.as_strategy(generation_mode=GenerationMode.POSITIVE))
    @settings(QUIET, max_examples=20)
    def hold(case: Sent) -> None:
        case.query.pop("tenant", None)
        if isinstance(case.body, dict):
            case.body.pop("cursor", None)
            case.body |= {"query": f"a{str(case.body['query'])[1:]}"} if "query" in case.body else {}
        case.call_and_validate(base_url=address(site), headers=cyd, excluded_checks=[ignored_auth], timeout=20)

    hold()


@pytest.mark.req("S10")
@pytest.mark.threat(48)
@pytest.mark.parametrize("operation", [each for each in OPERATIONS if each.query], ids=lambda each: str(each.label))
def test_what_the_document_does_not_allow_is_refused_as_it_says(site: Site, cyd: dict[str, str], operation: Operation) -> None:
    @given(case=operation.as_strategy(generation_mode=GenerationMode.NEGATIVE))
    @settings(QUIET, max_examples=20)
    def hold(case: Sent) -> None:
        case.call_and_validate(base_url=address(site), headers=cyd, excluded_checks=[ignored_auth], timeout=20)

    hold()


@pytest.mark.req("M12")
@EACH
def test_nothing_but_the_document_itself_is_answered_without_a_key(site: Site, operation: Operation) -> None:
    @given(case=operation.as_strategy(), key=st.sampled_from(["", "sk_live_shop_" + "A" * 40, "x", "\t"]))
    @settings(QUIET, max_examples=5)
    def hold(case: Sent, key: str) -> None:
        answer = case.call(base_url=address(site), headers=bearer(key) if key else {}, timeout=20)
        assert answer.status_code == (401 if case.path != "/api/v1/openapi.json" or key else 200)
        case.validate_response(answer, checks=[not_a_server_error])

    hold()
