"""Files for programs: well-formed whatever the titles hold, with absolute addresses where the site's own is known."""

import json
from xml.etree import ElementTree as ET

import pytest

from indexer.publish import feeds
from tests.tools.pages import parse_html
from tests.tools.results import make_result

ATOM = "{http://www.w3.org/2005/Atom}"
SITE = "https://brain.example.org/x/"
ODD = '---\ntitle: "A \\x01\\x0b & <b> \\uFFFE ]]> end"\nsummary: "quote \\" <i>"\n---\n'


def parse_feed(changes: dict[str, int]) -> ET.Element:
    return ET.fromstring(feeds.render_feed(make_result({"a.md": ODD, "b.md": "", "index.md": ""}, changes=changes), ""))


@pytest.mark.req("P10")
def test_the_feed_is_well_formed_with_any_title_and_newest_first() -> None:
    feed = parse_feed({"a.md": 1_767_225_600, "b.md": 1_767_312_000, "index.md": 0})
    titles = [entry.findtext(f"{ATOM}title") for entry in feed.findall(f"{ATOM}entry")]
    assert titles[0] == "b"
    assert "& <b>" in (titles[1] or "")
    assert feed.findtext(f"{ATOM}updated") == "2026-01-02T00:00:00Z"
    assert [link.get("href") for link in feed.iter(f"{ATOM}link")] == ["feed.xml", "b/", "a/", "./"]
    ids = [each.text for each in feed.iter(f"{ATOM}id")]
    assert len(ids) == len(set(ids))


@pytest.mark.req("P10", "P14")
def test_without_history_the_feed_has_no_clock() -> None:
    feed = parse_feed({})
    assert feed.findtext(f"{ATOM}updated") == "1970-01-01T00:00:00Z"
    assert feed.findall(f"{ATOM}entry") == []


@pytest.mark.req("P10")
def test_addresses_are_absolute_where_the_site_is_known() -> None:
    result = make_result({"a b.md": "", "index.md": ""}, changes={"a b.md": 1})
    feed = ET.fromstring(feeds.render_feed(result, SITE))
    assert feed.get("{http://www.w3.org/XML/1998/namespace}base") == SITE
    sitemap = ET.fromstring(feeds.render_sitemap(result, SITE))
    assert [each.text for each in sitemap.iter("{http://www.sitemaps.org/schemas/sitemap/0.9}loc")] == [SITE + "a%20b/", SITE]
    assert [each.text for each in sitemap.iter("{http://www.sitemaps.org/schemas/sitemap/0.9}lastmod")] == ["1970-01-01T00:00:01Z"]
    assert f"- [a b]({SITE}a%20b/index.md)" in feeds.render_llms(result, SITE).decode()
    assert "- [a b](a%20b/index.md)" in feeds.render_llms(result, "").decode()


@pytest.mark.req("P10", "P13")
def test_a_date_that_no_calendar_has_costs_nothing_but_itself() -> None:
    result = make_result({"a.md": "", "b.md": ""}, changes={"a.md": 10**14, "b.md": -(10**14)})
    ET.fromstring(feeds.render_feed(result, ""))
    ET.fromstring(feeds.render_sitemap(result, ""))


@pytest.mark.req("P10")
def test_titles_cannot_break_the_list_for_language_models() -> None:
    page = "---\ntitle: 'x](http://evil.example) [y'\nsummary: |\n  one\n  # two\n---\n"
    text = feeds.render_llms(make_result({"a.md": page}), "").decode()
    assert "- [x)(http://evil.example) (y](a/index.md): one # two" in text
    assert "\n# two" not in text


@pytest.mark.req("P10")
def test_the_list_for_language_models_has_each_folder_once_and_begins_with_the_front_page() -> None:
    result = make_result(dict.fromkeys(("a.md", "b/c.md", "b/d/e.md", "b/f.md", "index.md", "z.md"), ""))
    lines = feeds.render_llms(result, "").decode().splitlines()
    shown = [line.partition("](")[2].removesuffix("index.md)") or line for line in lines if line[:2] in {"- ", "##"}]
    assert shown == ["## Start", "- [Brain](index.md)", "a/", "z/", "## b", "b/c/", "b/f/", "## b/d", "b/d/e/"]


@pytest.mark.req("P10", "P19")
@pytest.mark.threat(32)
def test_no_feed_names_a_hidden_page() -> None:
    result = make_result({"a.md": "", "canary.md": "---\ndraft: yes\n---\n# canary [[a]]"}, changes={"a.md": 1, "canary.md": 2})
    for render in (feeds.render_feed, feeds.render_sitemap, feeds.render_llms):
        assert b"canary" not in render(result, SITE)
    assert b"canary" not in feeds.render_graph(result)


@pytest.mark.req("P15")
def test_a_redirect_leads_on_without_a_script_and_escapes_its_target() -> None:
    target = "../a\"b'<c>&/"
    page = feeds.render_redirect(target).decode()
    document = parse_html(page)
    assert [each.get("href") for each in (*document.find_all("link"), *document.find_all("a"))] == [target, target]
    assert [each.get("content") for each in document.find_all("meta", http_equiv="refresh")] == [f"0; url={target}"]
    assert "<script" not in page


@pytest.mark.req("P10")
@pytest.mark.threat(25)
@pytest.mark.parametrize("odd", ["plain", "half of a pair \ud800", 1 << 80, 2.6e-05])
def test_json_is_valid_and_harmless_in_a_script_element_whatever_a_page_says(odd: object) -> None:
    value = {"a": "</script><!-- & \u2028\u2029 é", "odd": odd}
    data = feeds.to_json(value)
    assert not any(char.encode() in data for char in "<>&\u2028\u2029")
    read = json.loads(data)
    assert read["a"] == value["a"]
    assert read["odd"] == (odd.replace("\ud800", "?") if isinstance(odd, str) else odd)
