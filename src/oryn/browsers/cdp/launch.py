"""Starting a browser: its flags, its folder, its process (whose life is in `process.py`).

Nothing here needs an event loop: importing one takes longer than starting the browser's process, so a host that is in a
hurry does this first (`begin`) and hands what it `Started` to `Headless`.

On Linux and macOS the browser speaks over a socket pair that it inherits as descriptors 3 and 4: no port is open, and
it ends by itself when its owner does. Windows can't hand descriptors on this way: there it opens a port on loopback.
https://peter.sh/experiments/chromium-command-line-switches/
"""

from __future__ import annotations

import os
import socket
import sys
from collections.abc import Callable
from pathlib import Path

from oryn.browsers.cdp.cleanup import RunFolder
from oryn.browsers.cdp.discovery import find_browser
from oryn.errors import BrowserFailed, OrynError
from oryn.records import Record

# What the browser would do besides showing pages.
_QUIET = (
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
# What keeps it from asking the desktop for the key of cookies and passwords, and a person for leave to have it.
_OWN_KEYS = ("--password-store=basic", "--use-mock-keychain")
# What would make a page behave otherwise than in a window that a person looks at, or lose input.
_STEADY = (
    "--allow-pre-commit-input",
    "--disable-back-forward-cache",
    "--disable-background-timer-throttling",
    "--disable-backgrounding-occluded-windows",
    "--disable-hang-monitor",
    "--disable-prompt-on-repost",
    "--disable-quic",
    "--disable-renderer-backgrounding",
    "--disable-features=Translate,MediaRouter,OptimizationHints,Prerender2,AcceptCHFrame,DestroyProfileOnBrowserClose",
    "--enable-automation",
)
_HEADLESS = ("--headless=new", "--disable-gpu", "--hide-scrollbars", "--mute-audio")

PORT_FILE = "DevToolsActivePort"
"""The file in the profile into which a browser writes its open port, and the path of its endpoint there."""

# The keys of saved states and of the vault (`oryn.sealing`), and that of the service which solves captchas.
_SECRETS = frozenset({"ORYN_STATE_KEY", "ORYN_VAULT_KEY", "ORYN_CAPTCHA_KEY"})


class Launch(Record):
    """What to start and how."""

    executable: str
    profile: Path
    headful: bool
    viewport: tuple[int, int]
    extra_args: tuple[str, ...] = ()
    extensions: tuple[Path, ...] = ()
    attachable: bool = False
    system_keys: bool = False

    def arguments(self, *, over_port: bool, as_root: bool) -> list[str]:
        width, height = self.viewport
        return [
            self.executable,
            *_QUIET,
            *_STEADY,
            *(() if self.system_keys else _OWN_KEYS),
            *(() if self.headful else _HEADLESS),
            # Chromium refuses to run as root with its sandbox: https://crbug.com/638180
            *(("--no-sandbox",) if as_root else ()),
            f"--window-size={width},{height}",
            f"--user-data-dir={self.profile}",
            *(("--remote-debugging-port=0",) if over_port or self.attachable else ()),
            *(() if over_port else ("--remote-debugging-pipe",)),
            *self._extension_arguments(over_port),
            *self.extra_args,
        ]

    def _extension_arguments(self, over_port: bool) -> tuple[str, ...]:
        """What lets extensions in: over a pipe they are loaded by command (`extensions.py`)."""
        if not self.extensions:
            return ()
        if not over_port:
            return ("--enable-unsafe-extension-debugging",)
        listed = ",".join(map(str, self.extensions))
        return (f"--load-extension={listed}", f"--disable-extensions-except={listed}")


class Started(Record):
    """A browser's process, a moment old. `pipe` is our end, None where it opens a port; `wait` blocks until its end."""

    pid: int
    wait: Callable[[], object]
    pipe: socket.socket | None
    folder: RunFolder
    profile: Path


def begin(
    executable: str | None,
    *,
    headful: bool,
    profile: Path | None,
    viewport: tuple[int, int],
    runtime_dir: Path,
    extra_args: tuple[str, ...] = (),
    extensions: tuple[Path, ...] = (),
    attachable: bool = False,
    folder: RunFolder | None = None,
) -> Started:
    """Find the browser and start it in a run folder of its own (or in `folder`). `attachable`: with a port on loopback
    besides. Raises `BrowserNotFound`, `BrowserFailed`, `ProfileInUse`."""
    found = find_browser(executable)
    home = folder or RunFolder.make(runtime_dir)
    folder_of_data, keys = profile or home.profile, profile is not None and _uses_system_keys(profile)
    launch = Launch(found, folder_of_data, headful, viewport, extra_args, extensions, attachable, keys)
    try:
        if profile is not None:
            home.hold(profile)
        if attachable or sys.platform == "win32":
            (launch.profile / PORT_FILE).unlink(missing_ok=True)  # of a browser that was killed
        started = _start(launch, home)
    except OrynError:
        if folder is None:
            home.remove()
            home.release()
        raise
    home.tell(started.pid, launch.profile)
    return started


def _uses_system_keys(profile: Path) -> bool:
    from oryn.profiles.about import uses_system_keys

    return uses_system_keys(profile)


def _start(launch: Launch, folder: RunFolder) -> Started:
    try:
        if sys.platform == "win32":
            return _start_with_port(launch, folder)
        else:
            return _start_with_pipe(launch, folder)
    except OSError as error:
        raise BrowserFailed(
            f"{launch.executable} did not start: {error.strerror}", "Run 'oryn doctor', or name another with --browser."
        ) from error


def _environment(folder: RunFolder) -> dict[str, str]:
    """Ours, with the run folder's, and without the secrets that are none of the browser's business."""
    return {name: value for name, value in os.environ.items() if name not in _SECRETS} | folder.environment()


if sys.platform != "win32":

    def _start_with_pipe(launch: Launch, folder: RunFolder) -> Started:
        import fcntl

        arguments = launch.arguments(over_port=False, as_root=os.geteuid() == 0)
        ours, theirs = socket.socketpair()
        # Above 10, so that duplicating onto 3 and 4 can't overwrite it.
        end = fcntl.fcntl(theirs, fcntl.F_DUPFD_CLOEXEC, 10)
        log = os.open(folder.log, os.O_WRONLY | os.O_CREAT | os.O_TRUNC | os.O_CLOEXEC, 0o600)
        try:
            pid = os.posix_spawn(
                arguments[0],
                arguments,
                _environment(folder),
                file_actions=[
                    (os.POSIX_SPAWN_OPEN, 0, os.devnull, os.O_RDONLY, 0),
                    (os.POSIX_SPAWN_DUP2, log, 1),
                    (os.POSIX_SPAWN_DUP2, log, 2),
                    (os.POSIX_SPAWN_DUP2, end, 3),
                    (os.POSIX_SPAWN_DUP2, end, 4),
                ],
                # A group of its own: Ctrl-C in our terminal is not for the browser, and the group can be killed whole.
                setpgroup=0,
            )
        except OSError:
            ours.close()
            raise
        finally:
            theirs.close()
            os.close(end)
            os.close(log)
        ours.setblocking(False)
        return Started(pid, lambda: os.waitpid(pid, 0), ours, folder, launch.profile)


def _start_with_port(launch: Launch, folder: RunFolder) -> Started:
    import subprocess

    with folder.log.open("wb") as log:
        process = subprocess.Popen(
            launch.arguments(over_port=True, as_root=False),
            stdin=subprocess.DEVNULL,
            stdout=log,
            stderr=log,
            env=_environment(folder),
        )
    return Started(process.pid, process.wait, None, folder, launch.profile)
