"""What the machine, or the container, allows the browser: its sandbox, and shared memory."""

from __future__ import annotations

import os
import sys
from functools import cache

from oryn.errors import BrowserError, BrowserFailed, NoDisplay, SandboxUnavailable

MIN_SHARED_MEMORY_BYTES = 512 * 2**20
"""With less, the browser keeps in files what its processes share: with the 64 MB that container engines give, a picture
of a long page crashes the page."""
SHARED_MEMORY_FOLDER = "/dev/shm"
_SANDBOX_COMPLAINTS = (
    "No usable sandbox!",
    "SUID sandbox helper binary was found, but is not configured correctly",
    "Failed to move to new namespace",
    "sandbox/linux/services/credentials.cc",
    "Check failed: sys_chroot(",
)
"""What Chromium writes if it can't start its sandbox (content/browser/zygote_host/zygote_host_impl_linux.cc,
sandbox/linux/suid, sandbox/linux/services/credentials.cc)."""
_DISPLAY_COMPLAINT = "Missing X server or $DISPLAY"
"""What Chromium writes if it has no display for its window (ui/ozone/platform/x11/ozone_platform_x11.cc)."""
_APPARMOR_SWITCH = "/proc/sys/kernel/apparmor_restrict_unprivileged_userns"


def has_sandbox(is_wanted: bool) -> bool:
    """Whether the browser runs in its sandbox, if the setting `sandbox` is `is_wanted`. Chromium refuses to run as root
    with it: https://crbug.com/638180"""
    return is_wanted and not (os.name == "posix" and os.geteuid() == 0)


@cache
def warn_without_sandbox() -> None:
    """Warn, once in a process, that the user has switched the sandbox off."""
    import logging

    logging.getLogger(__name__).warning("sandbox is off: a page that breaks into its browser has your rights")


def free_shared_memory() -> int | None:
    """The free bytes of shared memory; None if the platform does not limit it by a file system."""
    if not sys.platform.startswith("linux"):
        return None
    try:
        found = os.statvfs(SHARED_MEMORY_FOLDER)
    except OSError:
        return 0
    return found.f_bavail * found.f_frsize


def start_error(output: str) -> BrowserError:
    """The error for a browser that did not start, by the end of its standard error."""
    if any(each in output for each in _SANDBOX_COMPLAINTS):
        return SandboxUnavailable(hint=sandbox_remedy())
    if _DISPLAY_COMPLAINT in output:
        return NoDisplay(
            "there is no display for the browser's window", "Run it under 'xvfb-run', or without a window."
        )
    return BrowserFailed(f"the browser did not start: {output}", "Run 'oryn doctor' to see what is wrong.")


def sandbox_remedy() -> str:
    """How the user lets Chromium have its sandbox, or does without it."""
    allow = "In a container, use containers/seccomp.json as its seccomp profile (docs/containers.md)"
    try:
        with open(_APPARMOR_SWITCH) as switch:
            if switch.read().strip() == "1":
                # https://chromium.googlesource.com/chromium/src/+/main/docs/security/apparmor-userns-restrictions.md
                allow = f"Run 'echo 0 | sudo tee {_APPARMOR_SWITCH}'"
    except OSError:
        pass
    return f"{allow}; or set sandbox to off (ORYN_SANDBOX=off), only for pages that you trust."
