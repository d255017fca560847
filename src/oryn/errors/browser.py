"""Errors of the browser itself (not installed, did not start, crashed, or lacks a feature in this mode), of sessions,
and of the commands in their history."""

from __future__ import annotations

from oryn.errors.base import OrynError

TYPE_CHECKING = False  # without the import of `typing`
if TYPE_CHECKING:
    from collections.abc import Iterable


class NotSupported(OrynError):
    """This mode does not have the command.

    The default message is that of docs/spec/extension-protocol.md#errors."""

    code = "NOT_SUPPORTED"
    exit_code = 11
    advice = "Use another command, or a mode that supports this one."

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


class SandboxUnavailable(BrowserFailed):
    """The browser's sandbox needs user namespaces, and `chroot` in them, which this user may not have."""

    code = "SANDBOX_UNAVAILABLE"

    def __init__(
        self,
        message: str = "the browser did not start: its sandbox needs user namespaces, and `chroot` in them, which this "
        "user may not have",
        hint: str | None = None,
    ) -> None:
        super().__init__(message, hint)


class BrowserUnsuitable(BrowserError):
    """The browser starts, and can't be driven: its version does not do what Oryn needs."""

    code = "BROWSER_UNSUITABLE"


class BackendUnavailable(BrowserError):
    """The session's browser is not connected, and this host can't start it."""

    code = "BACKEND_UNAVAILABLE"
    advice = "Connect its browser and try again, or close the session to have it forgotten."


class ProviderUnavailable(BrowserError):
    """A provider of browsers does not answer, refuses, or is drained. The command did nothing."""

    code = "PROVIDER_UNAVAILABLE"
    advice = "Try again when it is back, or name another provider with --provider: 'oryn daemon status' lists them."


class QueueTimedOut(BrowserError):
    """All browsers were taken for as long as the command could wait. Its request has left the queue."""

    code = "QUEUE_TIMED_OUT"
    advice = "Run it again with a longer --timeout, or close a session: 'sessions' lists them."


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


class SessionNotFound(OrynError):
    """No session has that name, or no session is open."""

    code = "SESSION_NOT_FOUND"
    exit_code = 10

    def __init__(self, message: str = "session not found", hint: str | None = None) -> None:
        super().__init__(message, hint)

    @classmethod
    def among(cls, names: Iterable[str], requested: str = "") -> SessionNotFound:
        """The error for the name `requested`, with the names of the open sessions as its hint."""
        listed = ", ".join(names)
        hint = f"Sessions: {listed}." if listed else "Run 'session new <name>': no session is open."
        if requested.startswith("tab") and requested[3:].isdecimal():
            hint += (
                f" '@{requested}' is for an open session in the user's own browser: give that a line without it first."
            )
        return cls(hint=hint)


class SessionExists(OrynError):
    """Another session has that name."""

    code = "SESSION_EXISTS"
    exit_code = 10


class SessionUnreachable(OrynError):
    """A session of another process does not answer, or takes no commands."""

    code = "SESSION_UNREACHABLE"
    exit_code = 10
    advice = "Run 'sessions' to see which there are."


class TakenOver(OrynError):
    """A person has taken the session over, and did not give it back within the command's time."""

    code = "TAKEN_OVER"
    exit_code = 10
    advice = "Run it again when they have given it back, on the live page ('oryn open')."


class TabHeld(OrynError):
    """The tab belongs to another session, or to a person who uses it, so that acts on it are refused. Nothing was
    done."""

    code = "TAB_HELD"
    exit_code = 10
    advice = "Use another tab ('tab new <url>'), or 'tab take <number>' to wait until it is free."


class SessionLimit(OrynError):
    """As many sessions are open as the host allows."""

    code = "SESSION_LIMIT"
    exit_code = 10
    advice = "Close one: 'sessions' lists them."


class NoteNotFound(OrynError):
    """The session has no note of a person with this number."""

    code = "NOTE_NOT_FOUND"
    exit_code = 10
    advice = "Run 'notes' to see which there are."


class NotesFull(OrynError):
    """As many notes of a person are open as a session keeps."""

    code = "NOTES_FULL"
    exit_code = 10
    advice = "Mark some of them done, or remove them."


class ActionNotFound(OrynError):
    """No row of the history has this id."""

    code = "ACTION_NOT_FOUND"
    advice = "'oryn daemon trace' lists the history."


class NotReplayable(OrynError):
    """The command can't be repeated: it contained a secret, or needs a person."""

    code = "NOT_REPLAYABLE"


class Cancelled(OrynError):
    """The client cancelled the command while it was running."""

    code = "CANCELLED"
    advice = "What it had done by then is done: look before going on."

    def __init__(self, message: str = "cancelled by the client that sent it", hint: str | None = None) -> None:
        super().__init__(message, hint)
