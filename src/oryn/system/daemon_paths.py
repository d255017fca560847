"""The folders of one user and of the daemon, as text. Imports only `os`, as clients of the daemon have to start fast.

`oryn.system.paths` has them as `Path` objects, with every file and folder in them."""

from __future__ import annotations

import os
import sys

TYPE_CHECKING = False  # without the import of `typing`
if TYPE_CHECKING:
    from collections.abc import Mapping

USES_XDG = sys.platform not in ("win32", "darwin")
"""Whether the platform's folders are those of https://specifications.freedesktop.org/basedir-spec/latest/."""

TOKEN_FILE = "token"
PERSON_KEY_FILE = "person-key"
"""The key with which a person approves a command. It is not the token, which agents may have."""
DAEMON_URL = "ORYN_DAEMON_URL"
"""The environment variable with the URL of a daemon that clients use in the place of the user's own."""
SOCKET_FILE = "daemon.sock"
INFO_FILE = "daemon.json"
DAEMON_PROTOCOL = "1"
"""The version of the protocol between a daemon and its clients."""


def oryn_home(environment: Mapping[str, str]) -> str | None:
    """The folder in `ORYN_HOME`, which contains all others; None if it is not set.

    Raises `ConfigurationError` if it is not a folder of the user's own, or if other users can write to it."""
    home = environment.get("ORYN_HOME")
    if not home:
        return None
    folder = os.path.abspath(os.path.expanduser(home))
    require_private_folder(folder)
    return folder


def require_private_folder(folder: str) -> None:
    """Check that a folder, if it exists, belongs to this user and that no other user can write to it.

    Other users could put something there that clients trust, such as a socket that receives the token. Raises
    `ConfigurationError`."""
    if why := _folder_problem(folder):
        from oryn.errors import ConfigurationError

        raise ConfigurationError(f"{folder} {why[0]}", why[1])


_SET_ORYN_HOME = "Set ORYN_HOME to a folder of your own."


def _folder_problem(folder: str) -> tuple[str, str] | None:
    """The problem with a folder, and a hint; None if the folder is valid."""
    try:
        status = os.stat(folder)
    except FileNotFoundError:
        return None
    except NotADirectoryError:
        return "is below a file, and can be no folder", _SET_ORYN_HOME
    except OSError as error:
        return f"can't be looked at: {error.strerror}", _SET_ORYN_HOME
    if status.st_mode & 0o170000 != 0o040000:  # S_ISDIR, without the import of `stat`
        return "is a file, and no folder", _SET_ORYN_HOME
    if not hasattr(os, "getuid"):
        return None
    if status.st_uid != os.getuid():
        return "belongs to another user", _SET_ORYN_HOME
    if status.st_mode & 0o022:
        return "can be written to by others", f"If you trust what is in it: chmod go-w {folder}"
    return None


def xdg_folder(environment: Mapping[str, str], variable: str, otherwise: str) -> str:
    """Oryn's folder in the one that an XDG variable names; `otherwise` is the variable's default."""
    folder = environment.get(variable, "")
    return f"{folder if folder.strip() else os.path.expanduser(otherwise)}/oryn"


def runtime_folder(environment: Mapping[str, str], cache: str) -> str:
    """The folder for files that are needed while a process runs. `environment` has the environment variables, `cache`
    is the user's cache folder."""
    # Without a login session this folder does not exist, and a predictable name in a shared /tmp could belong to
    # another user.
    login = environment.get("XDG_RUNTIME_DIR")
    return os.path.join(login, "oryn") if login and os.access(login, os.W_OK) else os.path.join(cache, "run")


def platform_folders(environment: Mapping[str, str]) -> tuple[str, str, str]:
    """Oryn's folders for configuration, data and cache, by the platform's conventions. `environment` has the
    environment variables."""
    if USES_XDG:
        return (
            xdg_folder(environment, "XDG_CONFIG_HOME", "~/.config"),
            xdg_folder(environment, "XDG_DATA_HOME", "~/.local/share"),
            xdg_folder(environment, "XDG_CACHE_HOME", "~/.cache"),
        )
    from platformdirs import PlatformDirs

    folders = PlatformDirs("oryn", appauthor=False)
    return folders.user_config_dir, folders.user_data_dir, folders.user_cache_dir


def daemon_folders(environment: Mapping[str, str] = os.environ) -> tuple[str, str]:
    """The daemon's runtime folder, which is used while it runs, and its data folder.

    Clients check both before they trust files in them (`require_private_folder`). Raises `ConfigurationError` if
    `ORYN_HOME` is not a private folder."""
    if home := oryn_home(environment):
        return f"{home}/run", f"{home}/data/daemon"
    _, data, cache = platform_folders(environment)
    return runtime_folder(environment, cache), os.path.join(data, "daemon")
