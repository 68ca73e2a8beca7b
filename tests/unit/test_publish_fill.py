"""Links in the finished page: none stands in another, as HTML wants it."""

import re

import pytest

from tests.unit.test_publish_plan import show

LINK_IN_LINK = re.compile(r"<a\b(?:(?!</a>).)*<a\b", re.DOTALL)


@pytest.mark.req("P05")
@pytest.mark.parametrize(
    ("written", "shown"),
    [
        ("[![build](https://img.example/b.svg)](https://ci.example)", '<a class="brain-external" href="https://ci.example"'),
        ("[![sheet](s.pdf)](b.md)", '<a href="../b/">sheet</a>'),
        ("[![[s.pdf]]](b.md)", '<a href="../b/">s.pdf</a>'),
        ("[![film](f.mp4)](b.md)", 'src="../f.mp4">film</video></a>'),
        ('<a href="b.md"><img src="https://img.example/b.svg" alt="build"></a>', '<a href="../b/">build</a>'),
        ('<a href="b.md">go [c](c.md)</a>', '<a href="../b/">go </a><a href="../c/">c</a>'),
        ('<a href="b.md">never closed\n\n[c](c.md) and [b](b.md)', '<a href="../c/">c</a> and <a href="../b/">b</a>'),
    ],
)
def test_no_link_stands_in_another(written: str, shown: str) -> None:
    html = show({"a.md": f"# A\n\n{written}\n", "b.md": "# B\n", "c.md": "# C\n", "s.pdf": "pdf", "f.mp4": "film"})
    article = html.partition("</h1>")[2]
    assert shown in article
    assert not LINK_IN_LINK.search(article)


@pytest.mark.req("P05")
def test_an_image_in_a_link_stays_an_image() -> None:
    html = show({"a.md": "[![[i.png|20]]](b.md) [![gone](gone.png)](b.md)", "b.md": "# B\n", "i.png": "picture"})
    assert '<a href="../b/"><img src="../i.png" alt="i.png" width="20" loading="lazy"></a>' in html
    assert re.search(r'<a href="../b/"><span class="brain-dead"[^>]*>gone</span></a>', html)


@pytest.mark.req("P05")
@pytest.mark.parametrize(
    "written", ["![](img/gone.png)", '<img src="img/gone.png">', '<img src="img/gone.png" alt="">', "![[img/gone.png]]"]
)
def test_a_missing_image_without_a_description_shows_its_name(written: str) -> None:
    assert re.search(r'<span class="brain-dead" title="This file does not exist">[^<]*gone.png</span>', show({"a.md": written}))
