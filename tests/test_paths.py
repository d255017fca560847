"""Where files live: the conventions, and what a client in a hurry makes of them."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path
from unittest.mock import patch

import pytest
from platformdirs.unix import Unix

from oryn.system import daemon_paths
from oryn.system.daemon_instance import DaemonInstance
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


@pytest.mark.skipif(os.name != "posix", reason="users are numbers")
def test_a_folder_of_root_names_its_owner_and_the_way_out() -> None:
    """As a volume of a container: `docker run --volume`, or a pod without `fsGroup`."""
    code = (
        "import os\n"
        "from pathlib import Path\n"
        "from oryn.errors import ConfigurationError\n"
        "from oryn.system.paths import private_folder\n"
        "if os.geteuid() == 0: os.setgid(4321); os.setuid(4321)\n"
        "try: private_folder(Path('/oryn-has-no-such-folder/data'))\n"
        "except ConfigurationError as error: print(os.geteuid(), error.message, error.hint)\n"
    )
    ended = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    user = ended.stdout.split()[0]
    assert f"/ belongs to user 0, and this is user {user}: run 'chown {user} /'" in ended.stdout
    assert "fsGroup" in ended.stdout and "ORYN_HOME" in ended.stdout
