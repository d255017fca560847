"""Errors of the browser itself: not installed, did not start, crashed, or lacks a feature in this mode."""

from __future__ import annotations

from oryn.errors.base import OrynError


class NotSupported(OrynError):
    """This mode does not have the command.

    The default message is the seed's, word for word (seed 000 §6.5)."""

    code = "NOT_SUPPORTED"
    exit_code = 11
    advice = "Run 'help' to see the commands."

    def __init__(self, message: str = "not supported in this mode", hint: str | None = None) -> None:
        super().__init__(message, hint)


class BrowserError(OrynError):
    """Base of errors of the browser itself."""

    exit_code = 3


class BrowserNotFound(BrowserError):
    """No browser is installed in the places that were searched."""

    code = "BROWSER_NOT_FOUND"


class BrowserFailed(BrowserError):
    """The browser did not start, or closed the connection."""

    code = "BROWSER_FAILED"


class BackendUnavailable(BrowserError):
    """The session's browser is not connected, and this host can't start it."""

    code = "BACKEND_UNAVAILABLE"
    advice = "Connect its browser and try again, or close the session to have it forgotten."


class PageCrashed(BrowserError):
    """The tab's renderer crashed; the next `goto` starts a new one."""

    code = "PAGE_CRASHED"


class NoDisplay(BrowserError):
    """A window for a person is needed, and there is no display to show it on."""

    code = "NO_DISPLAY"
    advice = (
        "Run the daemon in a graphical session or under 'xvfb-run'; or log in on another computer and 'state load' "
        "what 'state save' wrote there."
    )


class ProfileInUse(BrowserError):
    """Another browser uses the profile."""

    code = "PROFILE_IN_USE"
