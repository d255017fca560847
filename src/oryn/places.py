"""Where the folders of one user are, as text and with no import but `os`: a client of the daemon has no time for more.
`oryn.paths` has them as paths, with all that stands in them."""

from __future__ import annotations

import os
import sys

TYPE_CHECKING = False  # without the import of `typing`
if TYPE_CHECKING:
    from collections.abc import Mapping

CONVENTIONS = sys.platform not in ("win32", "darwin")
"""Whether the platform's folders are those of https://specifications.freedesktop.org/basedir-spec/latest/."""

TOKEN = "token"
SOCKET = "daemon.sock"
ABOUT = "daemon.json"
PROTOCOL = "1"
"""The version of what a daemon and its clients say to each other."""


def moved(environment: Mapping[str, str]) -> str | None:
    """The folder below which `ORYN_HOME` moves everything."""
    home = environment.get("ORYN_HOME")
    return os.path.abspath(os.path.expanduser(home)) if home else None


def conventional(environment: Mapping[str, str], variable: str, otherwise: str) -> str:
    """Our folder in the one that a variable of the conventions names."""
    folder = environment.get(variable, "")
    return f"{folder if folder.strip() else os.path.expanduser(otherwise)}/oryn"


def runtime(environment: Mapping[str, str], cache: str) -> str:
    """The folder of what lives as long as a process."""
    # Without a login session there is no such folder, and a predictable name in a shared /tmp could be another user's.
    login = environment.get("XDG_RUNTIME_DIR")
    return os.path.join(login, "oryn") if login and os.access(login, os.W_OK) else os.path.join(cache, "run")


def of_daemon(environment: Mapping[str, str] = os.environ) -> tuple[str, str]:
    """The folders of a daemon: of what lives as long as it does, and of what it keeps."""
    if home := moved(environment):
        return f"{home}/run", f"{home}/data/daemon"
    if CONVENTIONS:
        cache = conventional(environment, "XDG_CACHE_HOME", "~/.cache")
        return runtime(environment, cache), f"{conventional(environment, 'XDG_DATA_HOME', '~/.local/share')}/daemon"
    from oryn.paths import find

    paths = find(environment)
    return str(paths.runtime), str(paths.daemon)
