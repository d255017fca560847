"""The options of a session. `oryn.settings` declares which of them a user may choose."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from oryn.browsers.base.leases import LEASE_SECONDS
from oryn.core.records import Record
from oryn.engine.file_access import FileLedger, Files, HostFolders

if TYPE_CHECKING:
    from oryn.engine.policy.policy import Policy


class Options(Record):
    """How a session runs commands, and its limits. Times are in seconds."""

    timeout: float = 30.0
    """Seconds that a command without `--timeout` may take."""
    strict: bool = False
    """Whether several equally good matches of a target are an error for every command."""
    settle_limit: float = 3.0
    """Maximum seconds that an answer waits for requests and mutations that an action started."""
    settle_grace: float = 0.4
    """Seconds that a page has for its first reaction to an action before the answer says that nothing changed."""
    action_wait: float = 5.0
    """Seconds that an element may be hidden, disabled or covered before an action on it is refused."""
    presence_wait: float = 1.0
    """Seconds that the target of an action may be missing before it is not found; while the page is still loading,
    `action_wait`."""
    tab_lease: float = LEASE_SECONDS
    """Seconds without a command after which a tab of a shared browser is no longer the session's."""
    observe_limit: int = 200
    """Elements that `observe` lists without `--limit`; 0 means all."""
    files_root: Sequence[Path] = ()
    """The folders that commands may read and write files in; empty means every folder."""
    host_folders: HostFolders = HostFolders()
    """The host's own folders, which commands must not access, and the session's private ones."""
    ledger_folder: Path | None = None
    """Folder of the ledger of files that Oryn has created. None: the ledger is only in the session's memory."""
    max_output: int = 0
    """Maximum characters of an answer; 0 means no limit."""
    answer_folder: Path | None = None
    """Folder for the full text of answers that `max_output` cuts; None means the system's temporary folder."""
    screenshot_folder: Path | None = None
    """Folder for `screenshot` without `--output`; None means the system's temporary folder."""
    trace_folder: Path | None = None
    """Folder for `trace stop` without a path; None means the system's temporary folder."""
    download_folder: Path | None = None
    """Folder of finished downloads; None means a folder in the system's temporary one."""
    download_limit: int = 0
    """Maximum bytes of a download; 0 means no limit."""
    ephemeral: bool = False
    """Whether nothing of the session outlives its host, even if the host saves its sessions."""
    policy: Policy | None = None
    """What the session may do; None means everything."""
    confirms_presses: bool = False
    """Whether the host has a person confirm presses: what an engine without a policy, in the user's own browser, has
    to know of its host's."""
    boundaries: bool = False
    """Whether answers put markers around all content that may come from a page."""

    def file_access(self) -> Files:
        """Return the access to files for a session with these options. Each call creates a new object with its own
        ledger."""
        confined = self.policy is not None and self.policy.read_only
        ledger = FileLedger(self.ledger_folder) if self.ledger_folder else None
        return Files(self.files_root, self.host_folders, confined, ledger)

    @property
    def only_clicks_press(self) -> bool:
        """Whether a command that fills in presses only what opens something: a person confirms presses."""
        return self.confirms_presses or (self.policy is not None and "press" in self.policy.confirm_effects)

    @property
    def limits(self) -> tuple[Policy | None, bool, tuple[Path, ...]]:
        """The limits of the session: its policy, boundary markers in its answers, and its folders."""
        return self.policy, self.boundaries, tuple(self.files_root)

    @property
    def limited(self) -> bool:
        return self.limits != (None, False, ())
