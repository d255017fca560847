"""What a session can be told about its ways; the settings (`oryn.settings`) say what a user may choose."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from oryn.engine.files import Places
from oryn.records import Record

if TYPE_CHECKING:
    from oryn.engine.policy import Policy


class Options(Record):
    timeout: float = 30.0
    """Seconds a command may take, where it has no `--timeout`."""
    strict: bool = False
    """Equals among the best matches of a target are an error for every command."""
    settle_limit: float = 3.0
    """Seconds that an answer waits for requests and mutations that an action started."""
    observe_limit: int = 200
    """Elements that `observe` shows without `--limit`; 0 is all."""
    files_root: Sequence[Path] = ()
    """The folders that commands may read and write files in; none means every folder."""
    places: Places = Places()
    """The host's own folders, which commands stay out of, and the session's private ones."""
    ledger_folder: Path | None = None
    """Where it is noted which files Oryn has made; None is nowhere, and the session remembers its own."""
    max_output: int = 0
    """The most characters of an answer; 0 is no limit."""
    answer_folder: Path | None = None
    """Where answers that `max_output` cuts are kept whole; None is the system's temporary folder."""
    screenshot_folder: Path | None = None
    """Where `screenshot` without `--output` writes; None is the system's temporary folder."""
    trace_folder: Path | None = None
    """Where `trace stop` without a path writes; None is the system's temporary folder."""
    download_folder: Path | None = None
    """Where finished downloads lie; None is a folder in the system's temporary one."""
    download_limit: int = 0
    """The most bytes of a download; 0 is no limit."""
    ephemeral: bool = False
    """Nothing of the session outlives its host, even one that keeps its sessions."""
    policy: Policy | None = None
    """What the session may do; None is everything."""
    boundaries: bool = False
    """What may come from a page stands between fences in answers."""

    @property
    def limits(self) -> tuple[Policy | None, bool, tuple[Path, ...]]:
        """What limits the session's lines: what they may do, how its answers are fenced, where its files may be."""
        return self.policy, self.boundaries, tuple(self.files_root)

    @property
    def limited(self) -> bool:
        return self.limits != (None, False, ())
