"""The access log: a line for each request, in the file that has its name at that moment."""

from pathlib import Path

import pytest

from indexer.serve.access_log import AccessLog


@pytest.mark.req("P13")
def test_a_log_that_is_moved_away_is_begun_anew_in_its_place(tmp_path: Path) -> None:
    path, log = tmp_path / "access.log", AccessLog(tmp_path / "access.log")
    log.write({"n": 1})
    path.rename(tmp_path / "access.log.1")
    log.write({"n": 2})
    path.unlink()
    path.write_text("made by the rotation\n")
    log.write({"n": 3})
    assert (tmp_path / "access.log.1").read_text() == '{"n":1}\n'
    assert path.read_text() == 'made by the rotation\n{"n":3}\n'
    path.unlink()
    path.mkdir()
    log.write({"n": 4})  # nowhere to write it: an answer must not fail for that
    log.close()
    log.write({"n": 5})
    assert list(path.iterdir()) == []


def test_a_new_log_is_for_its_owner_alone(tmp_path: Path) -> None:
    log = AccessLog(tmp_path / "access.log")
    (tmp_path / "access.log").unlink()
    log.write({"n": 1})
    log.close()
    assert (tmp_path / "access.log").stat().st_mode & 0o777 == 0o600
