"""Launches a browser process: its flags, its run folder, and the process itself (`browsers.process` has its end).

Nothing here needs an event loop. Importing asyncio takes longer than starting the browser's process, so a host that
must start fast launches first (`prepare_launch`) and passes the `LaunchedProcess` to `ChromiumBrowser`.

On Linux and macOS the browser communicates over a socket pair that it inherits as descriptors 3 and 4: no port is open,
and it ends by itself when its owner does. On Windows, which can't pass descriptors this way, it opens a loopback port.
https://peter.sh/experiments/chromium-command-line-switches/"""

from __future__ import annotations

import os
import socket
import sys
from collections.abc import Sequence
from pathlib import Path

from oryn.browsers.chromium.discovery import find_browser
from oryn.browsers.chromium.machine_limits import (
    MIN_SHARED_MEMORY_BYTES,
    free_shared_memory,
    has_sandbox,
    warn_without_sandbox,
)
from oryn.browsers.process.run_folder import LaunchedProcess, RunFolder
from oryn.core.records import Record
from oryn.errors import BrowserFailed, OrynError

# Switch off what the browser would do besides showing pages.
_QUIET_FLAGS = (
    "--no-first-run",
    "--no-default-browser-check",
    "--no-startup-window",
    "--disable-background-networking",
    "--disable-breakpad",
    "--disable-client-side-phishing-detection",
    "--disable-component-extensions-with-background-pages",
    "--disable-component-update",
    "--disable-default-apps",
    "--disable-field-trial-config",
    "--disable-search-engine-choice-screen",
    "--disable-sync",
    "--metrics-recording-only",
)
# Keep the browser from requesting the key of cookies and passwords from the desktop, which may prompt the user.
_KEYCHAIN_FLAGS = ("--password-store=basic", "--use-mock-keychain")
# Make pages behave as in a visible window, and keep input from getting lost.
_STABILITY_FLAGS = (
    "--allow-pre-commit-input",
    "--disable-back-forward-cache",
    "--disable-background-timer-throttling",
    "--disable-backgrounding-occluded-windows",
    "--disable-hang-monitor",
    "--disable-prompt-on-repost",
    "--disable-quic",
    "--disable-renderer-backgrounding",
    "--enable-automation",
)
DISABLED_FEATURES = (
    "AcceptCHFrame",
    "DestroyProfileOnBrowserClose",
    "MediaRouter",
    "OptimizationHints",
    "Prerender2",
    # A renderer that is kept ready belongs to one browser context: sessions that take turns throw each other's away,
    # which is a third of the processor time of a navigation, and it takes memory while nothing happens.
    "SpareRendererForSitePerProcess",
    "Translate",
    # The address bar's popups are pages that each window loads before anybody types there: a renderer of 43 MB for each
    # browser context, and half of the processor time of a start.
    "WebUIOmniboxAimPopup",
    "WebUIOmniboxPopup",
)
# Pages may offer tools (`document.modelContext`): https://developer.chrome.com/docs/ai/webmcp
_ENABLED_FEATURES = ("WebMCP",)
_HEADLESS_FLAGS = ("--headless=new", "--disable-gpu", "--hide-scrollbars", "--mute-audio")

PORT_FILE = "DevToolsActivePort"
"""The file in the profile into which a browser writes its debugging port and the path of its endpoint."""


class LaunchOptions(Record):
    """The options of a browser process.

    viewport: the window size in CSS pixels.
    attachable: open a debugging port on loopback besides the pipe.
    use_system_keys: encrypt cookies and passwords with the key of the desktop.
    sandbox: run the processes of pages in Chromium's sandbox.
    use_shared_memory: let the processes share memory through `/dev/shm` instead of files."""

    executable: str
    profile: Path
    headful: bool
    viewport: tuple[int, int]
    extra_args: tuple[str, ...] = ()
    extensions: tuple[Path, ...] = ()
    attachable: bool = False
    use_system_keys: bool = False
    sandbox: bool = True
    use_shared_memory: bool = True

    def arguments(self, *, over_port: bool) -> list[str]:
        width, height = self.viewport
        return [
            self.executable,
            *_QUIET_FLAGS,
            *_STABILITY_FLAGS,
            f"--disable-features={','.join(DISABLED_FEATURES)}",
            _enabled_features(self.extra_args),
            *(() if self.use_system_keys else _KEYCHAIN_FLAGS),
            *(() if self.headful else _HEADLESS_FLAGS),
            *(() if self.sandbox else ("--no-sandbox",)),
            *(() if self.use_shared_memory else ("--disable-dev-shm-usage",)),
            f"--window-size={width},{height}",
            f"--user-data-dir={self.profile}",
            *(("--remote-debugging-port=0",) if over_port or self.attachable else ()),
            *(() if over_port else ("--remote-debugging-pipe",)),
            *self._extension_arguments(over_port),
            *(each for each in self.extra_args if not each.startswith(_ENABLE)),
        ]

    def _extension_arguments(self, over_port: bool) -> tuple[str, ...]:
        """The flags for extensions. Over a pipe they are loaded by a command (`extensions.py`)."""
        if not self.extensions:
            return ()
        if not over_port:
            return ("--enable-unsafe-extension-debugging",)
        paths = ",".join(map(str, self.extensions))
        return (f"--load-extension={paths}", f"--disable-extensions-except={paths}")


_ENABLE = "--enable-features="


def _enabled_features(extra_args: Sequence[str]) -> str:
    """Ours and those of `extra_args`, of whose flags the browser would take only the last one."""
    others = [each.removeprefix(_ENABLE) for each in extra_args if each.startswith(_ENABLE)]
    return _ENABLE + ",".join([*_ENABLED_FEATURES, *others])


def provided_arguments(*, headful: bool, viewport: tuple[int, int], extra_args: Sequence[str]) -> tuple[str, ...]:
    """The flags for a browser that a provider starts: those by which pages behave as in one that is started here."""
    width, height = viewport
    return (
        *_STABILITY_FLAGS,
        f"--disable-features={','.join(DISABLED_FEATURES)}",
        _enabled_features(extra_args),
        *(() if headful else _HEADLESS_FLAGS),
        f"--window-size={width},{height}",
        *(each for each in extra_args if not each.startswith(_ENABLE)),
    )


class PreparedLaunch(Record):
    """A browser process that is about to be started, with its run folder.

    is_new_folder: whether the folder was created for it, and has to go if the process does not start."""

    options: LaunchOptions
    folder: RunFolder
    is_new_folder: bool

    def launch(self) -> LaunchedProcess:
        """Start the process. Raises `BrowserFailed`."""
        try:
            launched = _spawn(self.options, self.folder)
        except OrynError:
            self.discard()
            raise
        self.folder.write_owner(launched.pid, self.options.profile)
        return launched

    def discard(self) -> None:
        """Remove the folder if it was created for the process."""
        if self.is_new_folder:
            self.folder.remove()
            self.folder.release()


def prepare_launch(
    executable: str | None,
    *,
    headful: bool,
    profile: Path | None,
    viewport: tuple[int, int],
    runtime_dir: Path,
    extra_args: tuple[str, ...] = (),
    extensions: tuple[Path, ...] = (),
    attachable: bool = False,
    sandbox: bool = True,
    folder: RunFolder | None = None,
) -> PreparedLaunch:
    """Find the browser and lock its profile, for a process in `folder` or in a new run folder below `runtime_dir`.

    See `ChromiumBrowser` for the other parameters. Raises `BrowserNotFound`, `ProfileInUse`."""
    found = find_browser(executable)
    run_folder = folder or RunFolder.create(runtime_dir)
    use_system_keys = False
    if profile is not None:
        from oryn.profiles.metadata import uses_system_keys  # of no use for a temporary profile

        use_system_keys = uses_system_keys(profile)
    if not sandbox:
        warn_without_sandbox()
    shared_memory = free_shared_memory()
    options = LaunchOptions(
        found,
        profile or run_folder.profile,
        headful,
        viewport,
        extra_args,
        extensions,
        attachable,
        use_system_keys,
        sandbox=has_sandbox(sandbox),
        use_shared_memory=shared_memory is None or shared_memory >= MIN_SHARED_MEMORY_BYTES,
    )
    prepared = PreparedLaunch(options, run_folder, is_new_folder=folder is None)
    try:
        if profile is not None:
            run_folder.lock_profile(profile)
        if attachable or sys.platform == "win32":
            (options.profile / PORT_FILE).unlink(missing_ok=True)  # of a browser that was killed
    except OrynError:
        prepared.discard()
        raise
    return prepared


def _spawn(options: LaunchOptions, folder: RunFolder) -> LaunchedProcess:
    try:
        if sys.platform == "win32":
            return _start_with_port(options, folder)
        else:
            return _start_with_pipe(options, folder)
    except OSError as error:
        raise BrowserFailed(
            f"{options.executable} did not start: {error.strerror}",
            "Run 'oryn doctor', or name another with --browser.",
        ) from error


if sys.platform != "win32":

    def _start_with_pipe(options: LaunchOptions, folder: RunFolder) -> LaunchedProcess:
        import fcntl

        arguments = options.arguments(over_port=False)
        parent_end, child_end = socket.socketpair()
        # Above 10, so that duplicating onto 3 and 4 can't overwrite it.
        end = fcntl.fcntl(child_end, fcntl.F_DUPFD_CLOEXEC, 10)
        log = os.open(folder.log, os.O_WRONLY | os.O_CREAT | os.O_TRUNC | os.O_CLOEXEC, 0o600)
        try:
            pid = os.posix_spawn(
                arguments[0],
                arguments,
                folder.environment(),
                file_actions=[
                    (os.POSIX_SPAWN_OPEN, 0, os.devnull, os.O_RDONLY, 0),
                    (os.POSIX_SPAWN_DUP2, log, 1),
                    (os.POSIX_SPAWN_DUP2, log, 2),
                    (os.POSIX_SPAWN_DUP2, end, 3),
                    (os.POSIX_SPAWN_DUP2, end, 4),
                ],
                # A process group of its own: Ctrl-C in our terminal does not reach it, and it can be killed whole.
                setpgroup=0,
            )
        except OSError:
            parent_end.close()
            raise
        finally:
            child_end.close()
            os.close(end)
            os.close(log)
        parent_end.setblocking(False)
        return LaunchedProcess(pid, lambda: os.waitpid(pid, 0), parent_end, folder, options.profile)


def _start_with_port(options: LaunchOptions, folder: RunFolder) -> LaunchedProcess:
    import subprocess

    with folder.log.open("wb") as log:
        process = subprocess.Popen(
            options.arguments(over_port=True),
            stdin=subprocess.DEVNULL,
            stdout=log,
            stderr=log,
            env=folder.environment(),
        )
    return LaunchedProcess(process.pid, process.wait, None, folder, options.profile)
