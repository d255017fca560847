"""From the settings to what a session is told."""

from __future__ import annotations

from pathlib import Path

import pytest

from oryn.errors import ConfigurationError
from oryn.hosts.session_factory import download_folder
from oryn.settings import load
from oryn.system.paths import find


def folder(tmp_path: Path, **flags: object) -> Path:
    paths = find({"ORYN_HOME": str(tmp_path / "home")})
    return download_folder(load(flags, paths, {}), "work")


def test_downloads_lie_in_a_folder_of_the_session(tmp_path: Path) -> None:
    assert folder(tmp_path) == tmp_path / "home" / "data" / "downloads" / "work"


def test_downloads_lie_in_the_files_root_where_there_is_one(tmp_path: Path) -> None:
    root = tmp_path / "root"
    assert folder(tmp_path, files_root=str(root)) == root / "downloads" / "work"
    assert folder(tmp_path, files_root=str(root), downloads=str(root / "mine")) == root / "mine"


def test_a_folder_outside_the_files_root_is_refused(tmp_path: Path) -> None:
    with pytest.raises(ConfigurationError, match="outside the files root"):
        folder(tmp_path, files_root=str(tmp_path / "root"), downloads=str(tmp_path / "elsewhere"))


def test_any_folder_may_be_chosen(tmp_path: Path) -> None:
    assert folder(tmp_path, downloads=str(tmp_path / "mine")) == tmp_path / "mine"
