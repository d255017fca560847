"""Where files live: the conventions, and what a client in a hurry makes of them."""

from __future__ import annotations

from pathlib import Path
from unittest.mock import patch

import pytest
from platformdirs.unix import Unix

from oryn.daemon.instance import DaemonInstance
from oryn.system import daemon_paths
from oryn.system.paths import find

HOME = {"HOME": "/home/ann"}


@pytest.mark.skipif(not daemon_paths.USES_XDG, reason="the conventions are of other platforms")
@pytest.mark.parametrize(
    "environment",
    [
        HOME,
        HOME | {"XDG_DATA_HOME": "/d", "XDG_CONFIG_HOME": "/c", "XDG_CACHE_HOME": "/k"},
        HOME | {"XDG_DATA_HOME": " ", "XDG_CONFIG_HOME": "", "XDG_CACHE_HOME": "/k/"},
        HOME | {"XDG_RUNTIME_DIR": "/nowhere"},
    ],
)
def test_the_conventions_are_what_platformdirs_makes_of_them(environment: dict[str, str]) -> None:
    with patch.dict("os.environ", environment, clear=True):
        paths, theirs = find(environment), Unix("oryn", appauthor=False)
        assert (paths.data, paths.config, paths.cache) == (
            theirs.user_data_path, theirs.user_config_path, theirs.user_cache_path,
        )  # fmt: skip


@pytest.mark.parametrize("moved", [True, False])
def test_a_client_looks_where_the_daemon_is(tmp_path: Path, moved: bool) -> None:
    environment = HOME | ({"ORYN_HOME": str(tmp_path)} if moved else {"XDG_RUNTIME_DIR": str(tmp_path)})
    with patch.dict("os.environ", environment, clear=True):
        paths = find(environment)
        assert daemon_paths.daemon_folders(environment) == (str(paths.runtime), str(paths.daemon))
        assert DaemonInstance(paths).info_file == paths.runtime / daemon_paths.INFO_FILE
