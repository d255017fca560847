"""Errors of a page and its tab, of the files that a command uses, and of the element that it names
(docs/spec/scanner-protocol.md#error-codes)."""

from __future__ import annotations

from oryn.errors.base import OrynError


class PageError(OrynError):
    """Base of errors that a page causes: it rejects, breaks or delays something."""

    exit_code = 5


class NavigationError(PageError):
    """The page did not load."""

    code = "NAVIGATION_ERROR"
    advice = "Check the URL."
    unanswered = False
    """Whether the server closed the connection without an answer."""


class ScriptError(PageError):
    """A script threw an error, or has a syntax error."""

    code = "SCRIPT_ERROR"
    advice = "Check the script."


class ToolFailed(PageError):
    """A tool that the page, or a plugin, offers has failed, or reports an error."""

    code = "TOOL_FAILED"
    advice = "Check the arguments ('tools' describes them), or use other commands instead."


class AuditFailed(PageError):
    """An audit has found what it is told to fail on; the answer has the findings."""

    code = "AUDIT_FAILED"
    advice = "Repair what the answer lists."


class PicturesDiffer(PageError):
    """Two pictures differ in more than is allowed; the answer says where."""

    code = "PICTURES_DIFFER"
    advice = "Look at both (--output draws the differences), and replace the former picture if the new one is right."


class Timeout(PageError):
    """The command did not finish within its time limit."""

    code = "TIMEOUT"
    exit_code = 6
    advice = "Give more time with --timeout."


class NoReaction(PageError):
    """The page did not react to any of the actions that should have had a visible effect."""

    code = "NO_REACTION"


class NotDone(PageError):
    """The command was executed, and the page does not show what it is for. The answer says what is true now, and what
    has changed."""

    code = "NOT_DONE"
    advice = "Run 'observe' to see what the page asks for."


class DialogOpen(PageError):
    """A dialog of the page waits for an answer and blocks all other commands."""

    code = "DIALOG_OPEN"


class DialogNotPresent(PageError):
    """No dialog is open."""

    code = "DIALOG_NOT_PRESENT"


class TabNotFound(PageError):
    """No tab has that number."""

    code = "TAB_NOT_FOUND"


class NoActiveTab(PageError):
    """The user's browser has no active tab that the command could be for."""

    code = "NO_ACTIVE_TAB"
    advice = "Open a window in the browser, or a tab with 'tab new <url>'."

    def __init__(self, message: str = "no active tab", hint: str | None = None) -> None:
        super().__init__(message, hint)


class CannotAccessPage(PageError):
    """The browser protects this page, such as a certificate warning; in the user's browser also its settings, its store
    and the pages of other extensions."""

    code = "CANNOT_ACCESS_PAGE"
    advice = "The browser keeps extensions out of its own pages and its store: 'goto' another page."

    def __init__(self, message: str = "cannot access page", hint: str | None = None) -> None:
        super().__init__(message, hint)


class ScannerNotReady(PageError):
    """The extension's script in the page is not loaded yet, or does not answer."""

    code = "SCANNER_NOT_READY"
    advice = "Try again in a moment; 'refresh' reloads the page and the scanner."

    def __init__(self, message: str = "scanner not ready", hint: str | None = None) -> None:
        super().__init__(message, hint)


class ScannerFailed(PageError):
    """Oryn's script in the page failed on something that the page has: a bug in Oryn. What the command has done by then
    stays done."""

    code = "SCANNER_FAILED"
    advice = (
        "Run 'observe' before you repeat the command: it may have been done. This is a bug in Oryn: please report it, "
        "with the page, at https://github.com/oryn-browser/oryn/issues."
    )


class LastTab(PageError):
    """The last tab of a session can't be closed."""

    code = "LAST_TAB"


class TabLimit(PageError):
    """The session has as many tabs as it may have."""

    code = "TAB_LIMIT"
    advice = "Close some: 'tabs' lists them, 'tab close <number>' closes one."


class AlreadyRunning(PageError):
    """The trace or the recording is running already."""

    code = "ALREADY_RUNNING"


class NotRunning(PageError):
    """Nothing is running that could be stopped (`trace stop`, `record stop`)."""

    code = "NOT_RUNNING"


class LoginNotDone(PageError):
    """The person closed the window before the page reached what `login --until` waits for."""

    code = "LOGIN_NOT_DONE"
    advice = "Run 'observe' to see the current page, or run 'login' again."


class CaptchaError(PageError):
    """The captcha was not solved."""

    code = "CAPTCHA_NOT_SOLVED"
    advice = "A person can solve it: 'login' opens the page in a window."


class CaptchaNotConfigured(CaptchaError):
    """`captcha solve` was given, and the user has not configured a service."""

    code = "CAPTCHA_NOT_CONFIGURED"
    advice = (
        "Only the user can choose one, with captcha_service and captcha_key; many sites forbid it. A person can solve "
        "it: 'login' opens the page in a window."
    )


class NameNotFound(PageError):
    """No cookie, storage key or attribute has that name."""

    code = "NAME_NOT_FOUND"


class NotStored(PageError):
    """The browser did not store the data for this origin."""

    code = "NOT_STORED"


class FileError(PageError):
    """A file can't be read or written."""

    code = "FILE_ERROR"
    advice = "Check the path."


class StateKeyWrong(FileError):
    """The key of encrypted states is missing, or the file was saved with another key."""

    code = "STATE_KEY"


class PathNotAllowed(FileError):
    """The path is outside the folders that commands may use (`--files-root`), or inside one of Oryn's own."""

    code = "PATH_NOT_ALLOWED"
    advice = "Name another file: only the user can allow more folders (--files-root)."


class FileNotOurs(FileError):
    """The file exists, and Oryn did not write it or it was changed since."""

    code = "FILE_EXISTS"
    advice = "Name another file, or say --overwrite to replace this one."


class TargetError(OrynError):
    """Base of errors about the element that a command names."""

    exit_code = 4


class ElementNotFound(TargetError):
    """No element on the page matches the target."""

    code = "ELEMENT_NOT_FOUND"
    advice = "Run 'observe' to refresh."


class ElementStale(TargetError):
    """The element has left the page since it was observed."""

    code = "ELEMENT_STALE"
    advice = "The element has left the page. Run 'observe' to refresh."


class ElementChanged(TargetError):
    """Another session, or a person, has changed what the number stood for since the session last looked. Nothing was
    done."""

    code = "ELEMENT_CHANGED"
    advice = "Repeat the command if it is still what you mean, or run 'observe'."


class ElementNotVisible(TargetError):
    """The element has no size, is hidden, or can't be scrolled into view."""

    code = "ELEMENT_NOT_VISIBLE"
    advice = "Wait for it ('wait visible …') or open what hides it."


class ElementDisabled(TargetError):
    """The element is disabled or read-only."""

    code = "ELEMENT_DISABLED"
    advice = "Wait for it ('wait enabled …'), or first fill in the fields that the page requires."


class ElementNotInteractable(TargetError):
    """Another element covers it."""

    code = "ELEMENT_NOT_INTERACTABLE"
    advice = "Close what covers it, or use --force."
    is_behind_dialog = False
    """Whether it is a dialog with buttons, which waits for a person."""


class InvalidElementType(TargetError):
    """The command does not work on an element, or a value, of this kind."""

    code = "INVALID_ELEMENT_TYPE"
    advice = "Choose an element, or a value, of the kind that the command is for."


class OptionNotFound(TargetError):
    """The select has no such option."""

    code = "OPTION_NOT_FOUND"
    advice = "Run 'observe' to see its options."
    count: int | None = None
    """How many options it offers; None if that is not known."""


class SelectorInvalid(TargetError):
    """The CSS selector or the XPath has a syntax error."""

    code = "SELECTOR_INVALID"
    advice = "Check the selector's brackets and quotes."


class Ambiguous(TargetError):
    """Several elements match equally well, and `strict` was requested."""

    code = "AMBIGUOUS"


class FrameNotFound(TargetError):
    """The element is not a frame, or the frame no longer exists."""

    code = "FRAME_NOT_FOUND"
    advice = "Run 'frames' to see the frames."
