"""What the slots of links show: addresses that a browser takes, places in files, words alone where nothing may be told."""

import pytest

from indexer.model.job import SlotLink
from indexer.publish.targets import show_links
from tests.tools.results import make_result


def shown(link: str, *files: str) -> SlotLink:
    result = make_result({"a.md": link, **dict.fromkeys(files, "1")})
    (slot,) = show_links("a.md", result)
    return slot


@pytest.mark.req("P04")
@pytest.mark.parametrize(
    ("link", "address"),
    [
        ("[x](<https://example.org/a b>)", "https://example.org/a%20b"),
        ("[x](<https://example.org/a\tb>)", "https://example.org/a%09b"),
        ("[x](https://example.org/a%20b?q=c%26d#e%2520f)", "https://example.org/a%20b?q=c%26d#e%2520f"),
        ('[x](https://example.org/a\\b`c"d)', "https://example.org/a%5Cb%60c%22d"),
        ("[x](https://пример.рф/путь|[1])", "https://пример.рф/путь|[1]"),
        ("[x](http://[::1]:80/)", "http://[::1]:80/"),
        ("[x](https://example.org/a_(b))", "https://example.org/a_(b)"),
        ("![x](<https://example.org/a b.png>)", "https://example.org/a%20b.png"),
    ],
)
def test_addresses_on_the_web_hold_nothing_that_none_may_hold(link: str, address: str) -> None:
    assert shown(link).href == address


@pytest.mark.req("P04")
@pytest.mark.parametrize(
    ("link", "file", "url"),
    [
        ("[[spec.pdf#page=3]]", "spec.pdf", "spec.pdf#page=3"),
        ("![[talk.mp4#t=10,20]]", "talk.mp4", "talk.mp4#t=10,20"),
        ("![[talk.mp3#t=10]]", "talk.mp3", "talk.mp3#t=10"),
        ("![[pic.png#center]]", "pic.png", "pic.png"),
        ("[x](a%20b.csv#row=4)", "a b.csv", "a%20b.csv#row=4"),
    ],
)
def test_a_place_in_a_file_is_kept_where_files_have_places(link: str, file: str, url: str) -> None:
    assert shown(link, file).href == url


@pytest.mark.req("P04", "P05")
@pytest.mark.parametrize(
    ("link", "url"),
    [
        ("[x](b.md#:~:text=a%2Cb,c%20d)", "b/#:~:text=a%2Cb,c%20d"),
        ("[x](b.md#Part:~:text=a%20b)", "b/#part:~:text=a%20b"),
        ("[x](b.md#gone:~:text=a)", "b/#:~:text=a"),
        ("[x](#:~:text=a)", "a/#:~:text=a"),
    ],
)
def test_words_that_a_browser_is_to_mark_are_no_part_of_a_heading(link: str, url: str) -> None:
    result = make_result({"a.md": link, "b.md": "# Part", "index.md": ""})
    (slot,) = show_links("a.md", result)
    assert slot.href == url
    assert [finding.code for finding in result.findings] == (["LNK002"] if "gone" in link else [])
