"""Compiled templates are kept between runs, and are no reason to fail."""

from pathlib import Path

import pytest
from jinja2 import DictLoader, Environment

from indexer.publish.template_cache import open_template_cache


def make_environment(text: str) -> Environment:
    return Environment(loader=DictLoader({"a.html": text}), autoescape=True, bytecode_cache=open_template_cache())


@pytest.fixture
def kept(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
    return tmp_path


def test_a_compiled_template_is_used_again_and_a_changed_one_is_not(kept: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    assert make_environment("<p>{{ x }}").get_template("a.html").render(x="<") == "<p>&lt;"
    compiled = [file for file in kept.rglob("*") if file.is_file()]
    assert len(compiled) == 1
    assert compiled[0].parent.stat().st_mode & 0o777 == 0o700
    with monkeypatch.context() as patch:
        patch.setattr(Environment, "compile", None)
        assert make_environment("<p>{{ x }}").get_template("a.html").render(x=1) == "<p>1"
    assert make_environment("<b>{{ x }}").get_template("a.html").render(x=1) == "<b>1"


@pytest.mark.parametrize("left", [b"", b"j2", None])
def test_what_cannot_be_read_is_compiled(kept: Path, left: bytes | None) -> None:
    make_environment("{{ x }}").get_template("a.html")
    (compiled,) = (file for file in kept.rglob("*") if file.is_file())
    compiled.write_bytes(compiled.read_bytes()[:30] if left is None else left)
    assert make_environment("{{ x }}").get_template("a.html").render(x=1) == "1"


def test_a_folder_that_others_may_write_to_is_not_used(kept: Path) -> None:
    make_environment("{{ x }}").get_template("a.html")
    (folder,) = kept.iterdir()
    (compiled,) = folder.iterdir()
    compiled.unlink()
    folder.rmdir()
    folder.symlink_to(kept.parent, target_is_directory=True)
    assert open_template_cache() is None
    assert make_environment("{{ x }}").get_template("a.html").render(x=1) == "1"


def test_nothing_is_kept_where_nothing_can_be_written(kept: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("tempfile.tempdir", str(kept / "missing"))
    assert open_template_cache() is None
    assert make_environment("{{ x }}").get_template("a.html").render(x=1) == "1"
