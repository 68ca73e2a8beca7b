"""Real MkDocs and Material draw the frame: once per depth, with nothing inline, nothing from elsewhere, and every file it names."""

import json
import pickle
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from msgspec.structs import replace

from indexer.errors import ConfigError, PublishError
from indexer.model.site import PageView, Ref, SiteView
from indexer.publish.frames import SLOTS, FrameSet, slot
from indexer.publish.mkdocs_frame import build_frames, frame_key
from indexer.publish.render import render_page

pytestmark = pytest.mark.req("P08")

ROOT = Path(__file__).parents[2]
CONFIG = ROOT / "mkdocs.yml"
SITE = SiteView(
    "Notes & <Boats>", "a" * 40, (Ref("Guide", "guide/"),), repo_url="https://forge.example/notes", contents_url="_/contents/",
    tags_url="_/tags/", recent_url="_/recent/", report_url="_/report/", search_url="_/search-page/", feed_url="feed.xml",
)  # fmt: skip
PAGE = PageView("page", "a/b/", "Mooring", "<p>Text</p>", False)


@pytest.fixture(scope="module")
def frames() -> FrameSet:
    return build_frames(CONFIG, SITE, range(4))


def text_of(frames: FrameSet, depth: int) -> str:
    return "".join(frames.frames[depth].parts)


def copy_config(folder: Path, *changes: tuple[str, str]) -> Path:
    """Write mkdocs.yml with changes beside a link to the templates."""
    text = CONFIG.read_text("utf-8").replace("custom_dir: site_templates", f"custom_dir: {ROOT}/site_templates")
    for old, new in changes:
        assert old in text
        text = text.replace(old, new)
    (folder / "mkdocs.yml").write_text(text, "utf-8")
    return folder / "mkdocs.yml"


def test_there_is_a_frame_with_every_place_for_each_depth(frames: FrameSet) -> None:
    assert sorted(frames.frames) == [0, 1, 2, 3]
    for frame in frames.frames.values():
        assert sorted(frame.slots) == sorted(SLOTS)
        assert len(frame.parts) == len(frame.slots) + 1


def test_everything_a_frame_names_is_shipped_and_lies_at_its_own_address(frames: FrameSet) -> None:
    shipped = {file.path for file in frames.files}
    pages = {"", SITE.contents_url, SITE.tags_url, SITE.recent_url, SITE.report_url, SITE.search_url, SITE.feed_url}
    for depth, root in enumerate(("./", "../", "../../", "../../../")):
        references = re.findall(r'\b(?:href|src)="([^"#]*)"', text_of(frames, depth))
        own = [reference for reference in references if reference != SITE.repo_url]
        assert own
        for reference in own:
            assert reference.startswith(root if depth else ("./", "_/"))
            assert reference.removeprefix(root) in shipped | pages, reference
    assert all(path.startswith(("_/theme/", "_/assets/")) for path in shipped), "a file of the theme lies where a brain may have its own"


def test_every_shipped_file_is_the_one_its_digest_says(frames: FrameSet) -> None:
    from hashlib import sha256

    for file in frames.files:
        content = file.content or Path(file.source).read_bytes()
        assert sha256(content).hexdigest() == file.sha256, file.path
    paths = [file.path for file in frames.files]
    assert paths == sorted(set(paths))
    assert not [path for path in paths if path.endswith(".map") or "lunr" in path or "/workers/" in path]


@pytest.mark.threat(24)
@pytest.mark.threat(49)
def test_a_frame_has_nothing_inline_and_nothing_from_elsewhere(frames: FrameSet) -> None:
    for depth in frames.frames:
        text = text_of(frames, depth)
        assert not re.search(r"<style|\sstyle=|\son[a-z]+=", text)
        assert all("src=" in tag for tag in re.findall(r"<script[^>]*>", text))
        assert set(re.findall(r"https?://[^\"'\s<]+", text)) <= {SITE.repo_url, "http://www.w3.org/2000/svg"}
        assert "default-src 'none'" in text
        assert "unsafe-inline" not in text


@pytest.mark.threat(49)
def test_no_script_or_style_of_the_site_names_another_origin(frames: FrameSet) -> None:
    for file in frames.files:
        if not file.path.endswith(".css"):
            continue
        text = Path(file.source).read_text("utf-8")
        assert not re.search(r"""(url\(|@import)\s*["']?(https?:)?//""", text), file.path
    always = [Path(file.source).read_text("utf-8") for file in frames.files if file.path.endswith(".js") and not file.feature]
    assert not [word for text in always for word in re.findall(r"https?://[\w.-]+", text)]


def test_a_title_is_text_in_the_frame(frames: FrameSet) -> None:
    assert "Notes &amp; &lt;Boats&gt;" in text_of(frames, 0)
    assert "<Boats>" not in text_of(frames, 0)
    forged = build_frames(CONFIG, replace(SITE, title=f"Notes {slot('nav')}"), [0])
    assert forged.frames[0].slots.count("nav") == 1


def test_a_frame_is_small(frames: FrameSet) -> None:
    # Of the 25 kB that may stand around a page; the rest is in tests/unit/test_publish_render.py.
    assert max(len(text_of(frames, depth).encode()) for depth in frames.frames) < 5_000
    assert len(render_page(frames, SITE, PAGE)) < 8_000


@pytest.mark.req("P14")
def test_the_same_frame_is_drawn_each_time_and_another_for_another_site(frames: FrameSet) -> None:
    again = build_frames(CONFIG, SITE, range(4))
    assert again == frames
    assert build_frames(CONFIG, replace(SITE, title="Other"), range(4)).version != frames.version


@pytest.mark.req("P02")
def test_a_new_commit_alone_draws_no_new_frame(frames: FrameSet) -> None:
    later = replace(SITE, revision="b" * 40, top=(Ref("New", "new/"),), counts=(("pages", 7),))
    assert frame_key(CONFIG, later, range(4)) == frame_key(CONFIG, SITE, range(4))
    assert build_frames(CONFIG, later, range(4)).version == frames.version


def test_the_key_of_kept_frames_changes_with_what_they_show(tmp_path: Path) -> None:
    key = frame_key(CONFIG, SITE, range(4))
    assert frame_key(CONFIG, replace(SITE, title="Other"), range(4)) != key
    assert frame_key(CONFIG, SITE, range(5)) != key
    assert frame_key(copy_config(tmp_path), SITE, range(4)) != key


def test_frames_travel_between_processes(frames: FrameSet) -> None:
    assert pickle.loads(pickle.dumps(frames)) == frames


@pytest.mark.req("P02")
def test_rendering_pages_and_checking_the_key_never_loads_mkdocs() -> None:
    code = (
        "import sys; from indexer.publish import render, mkdocs_frame, fragments, contents; from indexer.model.site import SiteView; "
        "from pathlib import Path; mkdocs_frame.frame_key(Path('mkdocs.yml'), SiteView('x', '', ()), [0]); "
        "sys.exit(any(m.startswith(('mkdocs.', 'material.', 'markdown')) and not m.startswith('markdown_it') for m in sys.modules))"
    )
    assert subprocess.run([sys.executable, "-c", code], cwd=ROOT, check=False).returncode == 0


def test_an_operator_can_change_a_template_and_add_a_style_sheet(tmp_path: Path) -> None:
    shutil.copytree(ROOT / "site_templates" / "overrides", tmp_path / "look")
    (tmp_path / "look" / "brand.css").write_text(":root { --c-accent: teal }", "utf-8")
    footer = tmp_path / "look" / "partials" / "footer.html"
    footer.write_text("<footer>Ours</footer>", "utf-8")
    text = CONFIG.read_text("utf-8").replace("custom_dir: site_templates/overrides", "custom_dir: look")
    (tmp_path / "mkdocs.yml").write_text(text + "extra_css: [brand.css]\n", "utf-8")
    frames = build_frames(tmp_path / "mkdocs.yml", SITE, [1])
    assert "<footer>Ours</footer>" in text_of(frames, 1)
    assert 'href="../_/theme/brand.css"' in text_of(frames, 1)
    assert "_/theme/brand.css" in {file.path for file in frames.files}


def test_an_inline_script_of_an_operator_becomes_a_file(tmp_path: Path) -> None:
    shutil.copytree(ROOT / "site_templates" / "overrides", tmp_path / "look")
    (tmp_path / "look" / "partials" / "footer.html").write_text("<footer><script>document.title += '!'</script></footer>", "utf-8")
    config = tmp_path / "mkdocs.yml"
    config.write_text(CONFIG.read_text("utf-8").replace("custom_dir: site_templates/overrides", "custom_dir: look"), "utf-8")
    frames = build_frames(config, SITE, [0, 2])
    moved = {file.path: file.content for file in frames.files if "/inline/" in file.path}
    assert list(moved.values()) == [b"document.title += '!'"]
    assert f'<script src="../../{next(iter(moved))}"></script>' in text_of(frames, 2)


def test_a_frame_without_a_place_for_the_page_is_refused(tmp_path: Path) -> None:
    shutil.copytree(ROOT / "site_templates" / "overrides", tmp_path / "look")
    main = tmp_path / "look" / "main.html"
    main.write_text(main.read_text("utf-8").replace("{{ slot.article }}", ""), "utf-8")
    config = tmp_path / "mkdocs.yml"
    config.write_text(CONFIG.read_text("utf-8").replace("custom_dir: site_templates/overrides", "custom_dir: look"), "utf-8")
    with pytest.raises(PublishError, match="no place for: article"):
        build_frames(config, SITE, [0])


def test_a_template_that_does_not_render_is_told_by_name(tmp_path: Path) -> None:
    shutil.copytree(ROOT / "site_templates" / "overrides", tmp_path / "look")
    (tmp_path / "look" / "partials" / "footer.html").write_text("{% if %}", "utf-8")
    config = tmp_path / "mkdocs.yml"
    config.write_text(CONFIG.read_text("utf-8").replace("custom_dir: site_templates/overrides", "custom_dir: look"), "utf-8")
    with pytest.raises(PublishError, match="does not render"):
        build_frames(config, SITE, [0])


@pytest.mark.parametrize(
    ("change", "problem"),
    [(("  - brain:", "  - other:"), "other"), (("name: material", "name: nothing"), "nothing"), (("plugins:", "plugin:"), "brain")],
)
def test_a_wrong_mkdocs_yml_is_told_with_its_name(tmp_path: Path, change: tuple[str, str], problem: str) -> None:
    with pytest.raises(ConfigError, match=problem) as caught:
        build_frames(copy_config(tmp_path, change), SITE, [0])
    assert "mkdocs.yml" in str(caught.value)


def test_plain_mkdocs_builds_the_handbook_in_the_same_frame(tmp_path: Path) -> None:
    out = tmp_path / "site"
    ran = subprocess.run(
        [sys.executable, "-m", "mkdocs", "build", "--site-dir", str(out), "--strict"], cwd=ROOT, capture_output=True, text=True, check=False
    )
    assert ran.returncode == 0, ran.stderr
    front = (out / "index.html").read_text("utf-8")
    assert '<article class="brain-article' in front
    assert "\ufdd0" not in front
    assets = json.loads((ROOT / "site_templates" / "dist" / "manifest.json").read_text("utf-8"))["files"]
    assert (out / "_" / "assets" / next(iter(assets))).is_file()
    twins = [page for page in out.rglob("index.md") if (page.parent / "index.html").is_file()]
    assert twins, "the pages have no Markdown twins"
    missing = [
        f"{page.relative_to(out)}: {reference}"
        for page in (out / "index.html", *sorted(out.glob("*/index.html")))
        for reference in re.findall(r'(?:src|rel="stylesheet" href)="([^"]+)"', page.read_text("utf-8"))
        if not (page.parent / reference).resolve().is_file()
    ]
    assert missing == []
