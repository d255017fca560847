"""Where files are stored: the XDG folders and their equivalents on macOS and Windows, and `~/.oryn` for sessions and
intents.

`ORYN_HOME` moves everything below one folder. Folders are created for the owner alone (0700), and so are files (0600).
"""

from __future__ import annotations

import os
import re
import stat
from collections.abc import Mapping
from pathlib import Path

from oryn.core.records import Record
from oryn.errors import ConfigurationError
from oryn.system import daemon_paths

SESSION_NAME = re.compile(r"[A-Za-z_][A-Za-z0-9_-]*")
RESERVED_NAMES = frozenset(("new", "close"))
"""Names that no session may have, in any case: the sub-commands of `session`."""
MAX_SESSION_NAME_CHARACTERS = 64


def is_session_name(text: str) -> bool:
    """Whether `text` is a valid name of a session."""
    named = SESSION_NAME.fullmatch(text) is not None and len(text) <= MAX_SESSION_NAME_CHARACTERS
    return named and text.lower() not in RESERVED_NAMES


class Paths(Record):
    """The folders of one user. A folder is created when something is written into it (`private_folder`)."""

    config: Path
    data: Path
    cache: Path
    runtime: Path
    """Files that are needed while a process runs: temporary profiles, pipes."""
    sessions: Path
    """`<name>.pid` of each running session (docs/spec/line-protocol.md#registry-of-running-sessions)."""
    intents: Path
    """The user's own intents, `*.yaml`."""

    @property
    def config_file(self) -> Path:
        """The configuration file, which need not exist."""
        return self.config / "config.toml"

    @property
    def packs(self) -> Path:
        """The user's packs of intents, one folder each."""
        return self.intents.parent / "packs"

    @property
    def profiles(self) -> Path:
        """The folder of browser profiles."""
        return self.data / "profiles"

    @property
    def screenshots(self) -> Path:
        """The folder of screenshots without a path of their own."""
        return self.data / "screenshots"

    @property
    def downloads(self) -> Path:
        """Downloads, in a folder for each session."""
        return self.data / "downloads"

    @property
    def traces(self) -> Path:
        """The folder of traces."""
        return self.data / "traces"

    @property
    def files(self) -> Path:
        """The private folders of sessions that may use no other folder (`Options.file_access`)."""
        return self.data / "files"

    @property
    def crawls(self) -> Path:
        """Results of crawls without an output file."""
        return self.data / "crawls"

    @property
    def ledger(self) -> Path:
        """The list of files that Oryn has created, wherever they are."""
        return self.data / "ledger"

    @property
    def agent(self) -> Path:
        """Transcripts of agents' runs."""
        return self.data / "agent"

    @property
    def agent_files(self) -> Path:
        """Files that agents read and write."""
        return self.agent / "files"

    @property
    def own(self) -> tuple[Path, ...]:
        """Oryn's own folders, in which no command opens a file, except in those of `shared`."""
        moved = () if self.sessions.parent.name != ".oryn" else (self.sessions.parent,)
        return self.config, self.data, self.cache, self.runtime, self.sessions, self.intents, self.packs, *moved

    @property
    def shared(self) -> tuple[Path, ...]:
        """The folders in Oryn's own that commands may use: what Oryn has written for the user, and what the user has
        written for Oryn."""
        written = self.downloads, self.screenshots, self.traces, self.answers, self.files, self.crawls, self.agent_files
        return *written, self.intents, self.packs

    @property
    def answers(self) -> Path:
        """The full text of truncated answers; each is kept for a day."""
        return self.data / "answers"

    @property
    def daemon(self) -> Path:
        """The daemon's data: history, sessions, token, log."""
        return self.data / "daemon"

    @property
    def recordings(self) -> Path:
        """The tests that are being recorded."""
        return self.daemon / "recordings"

    @property
    def remote_keys(self) -> Path:
        """The keys of the paired browsers."""
        return self.data / "remote-keys.json"

    @property
    def index(self) -> Path:
        """Passages that research has found, with their vectors."""
        return self.data / "index"

    @property
    def pages(self) -> Path:
        """Pages that research has fetched."""
        return self.cache / "pages"

    @property
    def prompt_history(self) -> Path:
        """The history file of the interactive prompt."""
        return self.data / "prompt-history"


def find(environment: Mapping[str, str] = os.environ) -> Paths:
    """The folders according to `ORYN_HOME`, else to the platform's conventions.

    Raises `ConfigurationError` if one of them is not a folder, belongs to another user, or can be written to by others.
    """
    paths = _resolve_paths(environment)
    for folder in dict.fromkeys((paths.config, paths.data, paths.cache, paths.runtime, paths.sessions, paths.intents)):
        daemon_paths.require_private_folder(str(folder))
    return paths


def _resolve_paths(environment: Mapping[str, str]) -> Paths:
    if home := daemon_paths.oryn_home(environment):
        root = Path(home)
        return Paths(root / "config", root / "data", root / "cache", root / "run", root / "sessions", root / "intents")
    config, data, cache = daemon_paths.platform_folders(environment)
    runtime = daemon_paths.runtime_folder(environment, cache)
    own = Path.home() / ".oryn"
    return Paths(Path(config), Path(data), Path(cache), Path(runtime), own / "sessions", own / "intents")


def private_folder(folder: Path) -> Path:
    """Create `folder` for the owner alone, with its missing parents, and return it.

    Raises `ConfigurationError` if it can't be created, belongs to another user, or can be written to by others."""
    try:
        _create_folder(folder)
        daemon_paths.require_private_folder(str(folder))
        if os.name == "posix" and stat.S_IMODE(folder.stat().st_mode) & 0o077:
            folder.chmod(0o700)
    except OSError as error:
        raise ConfigurationError(f"can't make the folder {folder}: {error.strerror}", _remedy(folder, error)) from error
    return folder


def _remedy(folder: Path, error: OSError) -> str:
    """What the user can do if a folder can't be created: in a container, a new volume often belongs to root."""
    other = "Set ORYN_HOME to a folder that you may write to."
    parent = next((each for each in folder.parents if each.is_dir()), None)
    if not isinstance(error, PermissionError) or parent is None or os.name != "posix":
        return other
    owner, own = parent.stat().st_uid, os.geteuid()
    return (
        f"{parent} belongs to user {owner}, and this is user {own}: run 'chown {own} {parent}' as root (Kubernetes: "
        f"fsGroup in the pod's securityContext). Or: {other}"
    )


def _create_folder(folder: Path) -> None:
    """Create a folder and its parents, all private: `Path.mkdir` would create the parents with the umask."""
    if not folder.parent.is_dir():
        _create_folder(folder.parent)
    folder.mkdir(mode=0o700, exist_ok=True)


def write_private(file: Path, text: str) -> None:
    """Replace `file` atomically with `text`, readable by the owner alone. Raises `ConfigurationError`, `OSError`."""
    private_folder(file.parent)
    draft = file.with_name(f".{file.name}.{os.getpid()}")
    descriptor = os.open(draft, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600)
    try:
        with os.fdopen(descriptor, "w", encoding="utf-8") as stream:
            stream.write(text)
        draft.replace(file)
    except OSError:  # the disk is full: the old file stays, and the draft is removed
        draft.unlink(missing_ok=True)
        raise
