"""Where files live: the XDG folders and their like on macOS and Windows, save what the client seed puts in `~/.oryn`.

`ORYN_HOME` moves everything below one folder. Folders are made for the owner alone (0700), files likewise (0600).
"""

from __future__ import annotations

import os
import re
import stat
from collections.abc import Mapping
from pathlib import Path

from oryn import places
from oryn.errors import ConfigurationError
from oryn.records import Record

SESSION_NAME = re.compile(r"[A-Za-z_][A-Za-z0-9_-]*")
RESERVED_NAMES = frozenset(("new", "close"))
"""Names that no session has, in any case: the language's sub-commands of `session`."""
LONGEST_SESSION_NAME = 64


def is_session_name(text: str) -> bool:
    """Whether a session can be called so."""
    named = SESSION_NAME.fullmatch(text) is not None and len(text) <= LONGEST_SESSION_NAME
    return named and text.lower() not in RESERVED_NAMES


class Paths(Record):
    """The folders of one user. None of them is made until something is written into it (`private_folder`)."""

    config: Path
    data: Path
    cache: Path
    runtime: Path
    """What lives as long as a process: temporary profiles, pipes."""
    sessions: Path
    """`<name>.pid` of each running session (seed 000 §3.3)."""
    intents: Path
    """The user's own intents, `*.yaml`."""

    @property
    def config_file(self) -> Path:
        return self.config / "config.toml"

    @property
    def packs(self) -> Path:
        """The user's packs of intents, a folder each."""
        return self.intents.parent / "packs"

    @property
    def profiles(self) -> Path:
        return self.data / "profiles"

    @property
    def screenshots(self) -> Path:
        return self.data / "screenshots"

    @property
    def downloads(self) -> Path:
        """A folder for each session."""
        return self.data / "downloads"

    @property
    def traces(self) -> Path:
        return self.data / "traces"

    @property
    def files(self) -> Path:
        """A folder for each session that may use no other (`files_of`)."""
        return self.data / "files"

    @property
    def crawls(self) -> Path:
        """What was crawled, where nobody named a file for it."""
        return self.data / "crawls"

    @property
    def ledger(self) -> Path:
        """Which files Oryn has made, wherever they are."""
        return self.data / "ledger"

    @property
    def agent(self) -> Path:
        """Transcripts of agents' runs."""
        return self.data / "agent"

    @property
    def agent_files(self) -> Path:
        """What agents read and write."""
        return self.agent / "files"

    @property
    def own(self) -> tuple[Path, ...]:
        """The folders that are Oryn's, which no command opens a file in …"""
        moved = () if self.sessions.parent.name != ".oryn" else (self.sessions.parent,)
        return self.config, self.data, self.cache, self.runtime, self.sessions, self.intents, self.packs, *moved

    @property
    def shared(self) -> tuple[Path, ...]:
        """… save in these: what it has written for its user, and what the user has written for it."""
        written = self.downloads, self.screenshots, self.traces, self.answers, self.files, self.crawls, self.agent_files
        return *written, self.intents, self.packs

    @property
    def answers(self) -> Path:
        """Answers that were too long, whole; each stays for a day."""
        return self.data / "answers"

    @property
    def daemon(self) -> Path:
        """What a daemon keeps: history, sessions, token, log."""
        return self.data / "daemon"

    @property
    def remote_keys(self) -> Path:
        """The keys of the browsers that were paired."""
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
        return self.data / "prompt-history"


def find(environment: Mapping[str, str] = os.environ) -> Paths:
    """The folders that `ORYN_HOME`, else the platform's conventions, name. Raises `ConfigurationError` where one of
    them is no folder, another user's, or one that others may write to."""
    paths = _named(environment)
    for folder in dict.fromkeys((paths.config, paths.data, paths.cache, paths.runtime, paths.sessions, paths.intents)):
        places.require_own(str(folder))
    return paths


def _named(environment: Mapping[str, str]) -> Paths:
    if home := places.moved(environment):
        root = Path(home)
        return Paths(root / "config", root / "data", root / "cache", root / "run", root / "sessions", root / "intents")
    config, data, cache = _platform(environment)
    own = Path.home() / ".oryn"
    return Paths(config, data, cache, Path(places.runtime(environment, str(cache))), own / "sessions", own / "intents")


def _platform(environment: Mapping[str, str]) -> tuple[Path, Path, Path]:
    """The platform's folders for configuration, data and what can be made again."""
    if places.CONVENTIONS:
        names = (("XDG_CONFIG_HOME", "~/.config"), ("XDG_DATA_HOME", "~/.local/share"), ("XDG_CACHE_HOME", "~/.cache"))
        config, data, cache = (Path(places.conventional(environment, *each)) for each in names)
        return config, data, cache
    from platformdirs import PlatformDirs

    folders = PlatformDirs("oryn", appauthor=False)
    return folders.user_config_path, folders.user_data_path, folders.user_cache_path


def private_folder(folder: Path) -> Path:
    """Make `folder` for the owner alone, and the folders above it that are missing, and return it.

    Raises `ConfigurationError` when it can't be made, belongs to someone else, or others may write to it."""
    try:
        _make(folder)
        places.require_own(str(folder))
        if os.name == "posix" and stat.S_IMODE(folder.stat().st_mode) & 0o077:
            folder.chmod(0o700)
    except OSError as error:
        raise ConfigurationError(
            f"can't make the folder {folder}: {error.strerror}", "Set ORYN_HOME to a folder that you may write to."
        ) from error
    return folder


def _make(folder: Path) -> None:
    """`Path.mkdir` would let whoever the umask allows into the parents that it makes."""
    if not folder.parent.is_dir():
        _make(folder.parent)
    folder.mkdir(mode=0o700, exist_ok=True)


def write_private(file: Path, text: str) -> None:
    """Replace `file` with `text` at once, readable by the owner alone. Raises `ConfigurationError`, `OSError`."""
    private_folder(file.parent)
    draft = file.with_name(f".{file.name}.{os.getpid()}")
    descriptor = os.open(draft, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600)
    try:
        with os.fdopen(descriptor, "w", encoding="utf-8") as stream:
            stream.write(text)
        draft.replace(file)
    except OSError:  # the disk is full: what was there stays, and nothing besides
        draft.unlink(missing_ok=True)
        raise
