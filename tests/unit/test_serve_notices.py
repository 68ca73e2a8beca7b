"""The gateway's short pages look like something by themselves, and nothing but their own style may act in them."""

import re
from base64 import b64encode
from hashlib import sha256

import pytest

from indexer.serve.answers import Answer
from indexer.serve.notices import BROKEN, NOT_FOUND, UNAVAILABLE
from indexer.serve.sign_in import FAILED


@pytest.mark.threat(17)
@pytest.mark.parametrize("notice", [NOT_FOUND, UNAVAILABLE, BROKEN, FAILED])
def test_the_style_in_the_page_is_the_one_that_the_policy_allows(notice: Answer) -> None:
    headers = dict(notice.headers)
    body = notice.body.decode()
    policy = headers[b"content-security-policy"].decode()
    (style,) = re.findall(r"<style>(.*?)</style>", body)
    assert f"'sha256-{b64encode(sha256(style.encode()).digest()).decode()}'" in policy
    assert "unsafe" not in policy
    assert "script-src" not in policy
    assert policy.startswith("default-src 'none';")
    assert "style=" not in body
    assert "url(" not in style
