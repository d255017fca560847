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
    """The folder below which `ORYN_HOME` moves everything. Raises `ConfigurationError` for what is no folder of the
    user's own, or one that others may write to."""
    home = environment.get("ORYN_HOME")
    if not home:
        return None
    folder = os.path.abspath(os.path.expanduser(home))
    require_own(folder)
    return folder


def require_own(folder: str) -> None:
    """See to it that a folder, if it is there, is this user's and that nobody else writes to it: others may have put
    there what we would trust, such as a socket that takes our token. Raises `ConfigurationError`."""
    if why := _strange(folder):
        from oryn.errors import ConfigurationError

        raise ConfigurationError(f"{folder} {why[0]}", why[1])


_ANOTHER = "Set ORYN_HOME to a folder of your own."


def _strange(folder: str) -> tuple[str, str] | None:
    """What is wrong with a folder, and what to do."""
    try:
        status = os.stat(folder)
    except FileNotFoundError:
        return None
    except NotADirectoryError:
        return "is below a file, and can be no folder", _ANOTHER
    except OSError as error:
        return f"can't be looked at: {error.strerror}", _ANOTHER
    if status.st_mode & 0o170000 != 0o040000:  # S_ISDIR, without the import of `stat`
        return "is a file, and no folder", _ANOTHER
    if not hasattr(os, "getuid"):
        return None
    if status.st_uid != os.getuid():
        return "belongs to another user", _ANOTHER
    if status.st_mode & 0o022:
        return "can be written to by others", f"If you trust what is in it: chmod go-w {folder}"
    return None


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
