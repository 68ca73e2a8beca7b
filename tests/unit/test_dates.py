"""Days as people write them."""

import pytest

from indexer.parse.dates import read_day, says_when, to_date
from indexer.parse.page import parse_page

pytestmark = pytest.mark.req("P03")


@pytest.mark.parametrize(
    "text",
    [
        "2024-03-10",
        "2024-3-10",
        "2024/03/10",
        "2024.03.10",
        "2024-03-10T23:30:00-08:00",
        "2024-03-10t10:00z",
        "2024-03-10 08:58:26Z",
        "2024-03-10Z",
        "2024-03-10+01:00",
        "March 10, 2024",
        "Mar 10 2024",
        "10 Mar 2024",
        "Sunday, March 10th 2024, 11:30:00 am",
        "Sun, 10 Mar 2024 10:00:00 +0800",
        "10. March 2024",
        "2024年3月10日",
    ],
)
def test_every_spelling_that_can_mean_one_day_is_read(text: str) -> None:
    assert read_day(text) == "2024-03-10"
    assert says_when(text)


@pytest.mark.parametrize(
    "text", ["03/10/2024", "20240310", "2024", "2024-03", "2024-13-45", "Feb 30, 2024", "next spring", "0", "2024-03/10", "{{date}}"]
)
def test_what_means_no_day_or_several_is_not(text: str) -> None:
    assert read_day(text) is None
    assert to_date(text) is None


@pytest.mark.parametrize(
    ("text", "when"),
    [("03/10/2024", True), ("2024", True), ("2024-03", True), ("20240310", True), ("2024, or later", False), ("soon", False)],
)
def test_a_vague_date_still_says_when(text: str, when: bool) -> None:
    assert says_when(text) is when


@pytest.mark.parametrize(
    "key", ["date", "created", "created_at", "createdAt", "date created", "published", "publishDate", "pubDate", "publishedAt", "Date"]
)
def test_the_key_of_a_date_has_many_spellings(key: str) -> None:
    page = parse_page(f"---\n{key}: 'Jul 08 2022'\n---\n".encode())
    assert (page.date, page.hidden, page.findings) == ("2022-07-08", False, ())


def test_the_first_key_of_the_order_counts_and_a_bad_one_is_passed_over() -> None:
    page = parse_page(b"---\npubDate: 2020-01-01\ncreated: 2021-01-01\ndate: someday\n---\n")
    assert page.date == "2021-01-01"
    assert [(finding.code, finding.line) for finding in page.findings] == [("FMT010", 4)]
