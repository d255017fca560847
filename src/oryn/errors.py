"""Every error that Oryn raises, as one tree.

Each class declares a stable code (the wire's `code`), the HTTP status of an answer that has it (a command that fails is
an answer like any other: 200), and the exit code of a command line that ends with it. An instance says what happened
(`message`), and what to do next (`hint`). Nothing else may cross a door: foreign exceptions are mapped where the
foreign code is called (`browsers/cdp/failures.py` for the DevTools protocol, `engine/failures.py` for the scanner).

    OrynError
    ├── LanguageError      the line is not a command              UNKNOWN_COMMAND … CONFLICTING_OPTIONS
    ├── TargetError        the element is not there, or not fit   ELEMENT_NOT_FOUND … AMBIGUOUS
    ├── PageError          the page did not do it                 NAVIGATION_ERROR, SCRIPT_ERROR, TIMEOUT …
    ├── BrowserError       the browser did not do it              BROWSER_NOT_FOUND, BROWSER_CRASHED …
    ├── IntentError        an intent of one's own is wrong        INVALID_DEFINITION, INTENT_FAILED …
    ├── PolicyError        the user's limits do not let it        DOMAIN_NOT_ALLOWED, READ_ONLY …
    ├── VaultError         a secret that can't be had            SECRET_NOT_FOUND, VAULT_ORIGIN, VAULT_KEY
    ├── NotSupported       this mode has no such thing            NOT_SUPPORTED
    ├── Session…           the session is none, or not in reach   SESSION_NOT_FOUND …
    ├── RequestError       what a daemon is asked is wrong        INVALID_REQUEST, UNAUTHORIZED …
    ├── Daemon…            the daemon is none, or has ended       DAEMON_NOT_RUNNING, DAEMON_FAILED
    ├── ClientError        a client library has no answer        ENGINE_NOT_FOUND, CONNECTION_LOST …
    ├── RemoteError        the user's browser is not reached      PAIRING_FAILED, MALFORMED_MESSAGE …
    ├── ModelError         a chat model does not answer           MODEL_UNREACHABLE, MODEL_RATE_LIMITED …
    ├── AgentError         an agent did not reach its goal        STEP_LIMIT, AGENT_STUCK, MODEL_REFUSED …
    ├── ResearchError      a step of research came to nothing     FETCH_FAILED … (oryn.research.failures)
    ├── ConfigurationError a setting or file is wrong             INVALID_SETTING
    └── InternalError      a bug of ours                          INTERNAL_ERROR

Exit codes tell the kinds apart (`EXIT_CODES`).
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import ClassVar, Literal

EXIT_CODES = {
    0: "nothing",
    2: "what was asked: the line, the request, a setting",
    3: "the browser, the daemon or the engine is not there, or went away",
    4: "the element: not found, hidden, disabled, covered, ambiguous",
    5: "the page or a file",
    6: "it took too long",
    7: "an intent",
    8: "the user's limits do not let it",
    9: "the vault",
    10: "the session",
    11: "not supported",
    12: "the chat model: its endpoint does not answer, wants a key, has no such model",
    13: "an agent's run: it refused, went in circles, or had no steps left",
    14: "research: the search, a page, the index, the embedding model",
    70: "a bug in Oryn",
    130: "interrupted with Ctrl-C; the command goes on in the daemon",
    1: "all else",
}
"""What is wrong where the command line ends with each code."""


class OrynError(Exception):
    """Base of every error. `str(error)` is the message alone; `hint` is a sentence or a usage line, or None."""

    code: ClassVar[str] = "INTERNAL_ERROR"
    http_status: ClassVar[int] = 200
    exit_code: ClassVar[int] = 1
    advice: ClassVar[str | None] = None
    """The hint of an error that has none of its own."""

    def __init__(self, message: str, hint: str | None = None) -> None:
        super().__init__(message)
        self.message = message
        self.hint = hint or self.advice


# --- the line is not a command (intent-language §5) -------------------------------------------------------------


class LanguageError(OrynError):
    """A line that is no command. `position` is a 0-based offset into the raw line, or None."""

    phase: ClassVar[Literal["parsing", "semantic"]] = "parsing"
    exit_code = 2

    def __init__(self, message: str, hint: str | None = None, position: int | None = None) -> None:
        super().__init__(message, hint)
        self.position = position


class UnknownCommand(LanguageError):
    """The first word is no verb."""

    code = "UNKNOWN_COMMAND"


class MissingArgument(LanguageError):
    """Something is missing that the command needs."""

    code = "MISSING_ARGUMENT"


class InvalidValue(LanguageError):
    """A value that is not of its kind."""

    code = "INVALID_VALUE"
    advice = "Run 'help' with the command's name to see what it takes."


class UnterminatedString(LanguageError):
    """A quote, a bracket or a regular expression that is not closed."""

    code = "UNTERMINATED_STRING"


class UnexpectedInput(LanguageError):
    """More than the command takes, an option that it does not have, or a line that can't be one."""

    code = "UNEXPECTED_INPUT"
    advice = "Run 'help' with the command's name to see what it takes."


class ConflictingOptions(LanguageError):
    """Two options that exclude each other."""

    code = "CONFLICTING_OPTIONS"
    advice = "Leave one of them out."
    phase = "semantic"


# --- the element is not there, or not fit (seed 003 §2.3) -------------------------------------------------------


class TargetError(OrynError):
    """Base of what is wrong with the element that a command names."""

    exit_code = 4


class ElementNotFound(TargetError):
    """Nothing on the page fits the target."""

    code = "ELEMENT_NOT_FOUND"
    advice = "Run 'observe' to refresh."


class ElementStale(TargetError):
    """The element was there, and has left the page since."""

    code = "ELEMENT_STALE"
    advice = "The element has left the page. Run 'observe' to refresh."


class ElementNotVisible(TargetError):
    """The element takes no room, is hidden, or can't be brought into view."""

    code = "ELEMENT_NOT_VISIBLE"
    advice = "Wait for it ('wait visible …') or open what hides it."


class ElementDisabled(TargetError):
    """The element is disabled or read-only."""

    code = "ELEMENT_DISABLED"
    advice = "Wait for it ('wait enabled …') or fill in what it asks for first."


class ElementNotInteractable(TargetError):
    """Something else lies over the element."""

    code = "ELEMENT_NOT_INTERACTABLE"
    advice = "Close what covers it, or use --force."


class InvalidElementType(TargetError):
    """An element, or a value, of a kind that the command is not for."""

    code = "INVALID_ELEMENT_TYPE"
    advice = "Choose an element, or a value, of the kind that the command is for."


class OptionNotFound(TargetError):
    """The select has no such option."""

    code = "OPTION_NOT_FOUND"
    advice = "Run 'observe' to see its options."


class SelectorInvalid(TargetError):
    """A CSS selector or an XPath that can't be read."""

    code = "SELECTOR_INVALID"
    advice = "Check the selector's brackets and quotes."


class Ambiguous(TargetError):
    """Several elements fit equally well, and `strict` was asked for."""

    code = "AMBIGUOUS"


class FrameNotFound(TargetError):
    """The element is no frame, or the frame is gone."""

    code = "FRAME_NOT_FOUND"
    advice = "Run 'frames' to see the frames."


# --- the page did not do it -------------------------------------------------------------------------------------


class PageError(OrynError):
    """Base of what a page refuses, breaks or delays."""

    exit_code = 5


class NavigationError(PageError):
    """The page did not load."""

    code = "NAVIGATION_ERROR"
    advice = "Check the URL."


class ScriptError(PageError):
    """A script threw an error, or can't be read."""

    code = "SCRIPT_ERROR"
    advice = "Check the script."


class Timeout(PageError):
    """It was not done in time."""

    code = "TIMEOUT"
    exit_code = 6
    advice = "Give more time with --timeout."


class NoReaction(PageError):
    """Everything was done that a page could be expected to react to, and it did nothing that could be seen."""

    code = "NO_REACTION"


class DialogOpen(PageError):
    """A dialog of the page waits for an answer and blocks everything else."""

    code = "DIALOG_OPEN"


class DialogNotPresent(PageError):
    """No dialog is open."""

    code = "DIALOG_NOT_PRESENT"


class TabNotFound(PageError):
    """No tab has that number."""

    code = "TAB_NOT_FOUND"


class NoActiveTab(PageError):
    """The user's browser shows no tab that a command could mean."""

    code = "NO_ACTIVE_TAB"
    advice = "Open a window in the browser, or a tab with 'tab new <url>'."

    def __init__(self, message: str = "no active tab", hint: str | None = None) -> None:
        super().__init__(message, hint)


class CannotAccessPage(PageError):
    """A page of the browser's own, such as a warning; in the user's browser also its store and other extensions'."""

    code = "CANNOT_ACCESS_PAGE"
    advice = "The browser keeps extensions out of its own pages and its store: 'goto' another page."

    def __init__(self, message: str = "cannot access page", hint: str | None = None) -> None:
        super().__init__(message, hint)


class ScannerNotReady(PageError):
    """The extension's script in a page did not answer, or is not there yet."""

    code = "SCANNER_NOT_READY"
    advice = "Try again in a moment; 'refresh' loads the page, and the scanner with it, anew."

    def __init__(self, message: str = "scanner not ready", hint: str | None = None) -> None:
        super().__init__(message, hint)


class LastTab(PageError):
    """The last tab of a session is not closed."""

    code = "LAST_TAB"


class TabLimit(PageError):
    """As many tabs are open as a session may have."""

    code = "TAB_LIMIT"
    advice = "Close some: 'tabs' lists them, 'tab close <number>' closes one."


class AlreadyRunning(PageError):
    """What was to be started runs: a trace, a video."""

    code = "ALREADY_RUNNING"


class NotRunning(PageError):
    """What was to be stopped does not run."""

    code = "NOT_RUNNING"


class LoginNotDone(PageError):
    """The person has closed the window before the page was where `login --until` waits for it."""

    code = "LOGIN_NOT_DONE"
    advice = "Run 'observe' to see how far it came, or 'login' again."


class CaptchaError(PageError):
    """A captcha that was not solved."""

    code = "CAPTCHA_NOT_SOLVED"
    advice = "A person can solve it: 'login' opens the page in a window."


class CaptchaNotConfigured(CaptchaError):
    """`captcha solve` without a service that the user has chosen."""

    code = "CAPTCHA_NOT_CONFIGURED"
    advice = (
        "Only the user can choose one, with captcha_service and captcha_key; many sites forbid it. A person can solve "
        "it: 'login' opens the page in a window."
    )


class NameNotFound(PageError):
    """A cookie, a storage key or an attribute that is not there."""

    code = "NAME_NOT_FOUND"


class NotStored(PageError):
    """The browser does not take what was to be kept for an origin."""

    code = "NOT_STORED"


class FileError(PageError):
    """A file that can't be read or written."""

    code = "FILE_ERROR"
    advice = "Check the path."


class StateKeyWrong(FileError):
    """The key of encrypted states is missing, or another one than a file was saved with."""

    code = "STATE_KEY"


class PathNotAllowed(FileError):
    """A path outside the folders that commands may use (`--files-root`), or in one of Oryn's own."""

    code = "PATH_NOT_ALLOWED"
    advice = "Name another file: only the user can allow more folders (--files-root)."


class FileNotOurs(FileError):
    """A file that is there already, and that Oryn has not made or that was changed since."""

    code = "FILE_EXISTS"
    advice = "Name another file, or say --overwrite to replace this one."


# --- the browser did not do it ----------------------------------------------------------------------------------


class BrowserError(OrynError):
    """Base of what is wrong with the browser itself."""

    exit_code = 3


class BrowserNotFound(BrowserError):
    """No browser is installed where it was looked for."""

    code = "BROWSER_NOT_FOUND"


class BrowserFailed(BrowserError):
    """The browser did not start, or closed the connection."""

    code = "BROWSER_FAILED"


class BackendUnavailable(BrowserError):
    """The session lives in a browser that this host does not start, and which is not connected."""

    code = "BACKEND_UNAVAILABLE"
    advice = "Connect its browser and try again, or close the session to have it forgotten."


class PageCrashed(BrowserError):
    """The tab's renderer died; the next `goto` gets a new one."""

    code = "PAGE_CRASHED"


class NoDisplay(BrowserError):
    """A window for a person, where none can be shown."""

    code = "NO_DISPLAY"
    advice = (
        "Run the daemon in a graphical session or under 'xvfb-run'; or log in on another computer and 'state load' "
        "what 'state save' wrote there."
    )


class ProfileInUse(BrowserError):
    """Another browser is in the profile already."""

    code = "PROFILE_IN_USE"


# --- an intent of one's own -------------------------------------------------------------------------------------


class IntentError(OrynError):
    """Base of what is wrong with intents that are not built in, and their packs."""

    exit_code = 7


class IntentNotFound(IntentError):
    """No intent has that name."""

    code = "INTENT_NOT_FOUND"
    advice = "Run 'intents' to see them."


class PackNotFound(IntentError):
    """No pack has that name."""

    code = "PACK_NOT_FOUND"
    advice = "Run 'packs' to see them."


class InvalidDefinition(IntentError):
    """A definition, or a file of one, that can't be run; the message names the place in it."""

    code = "INVALID_DEFINITION"
    advice = "Correct the definition; 'oryn schema' prints what one may hold."


class IntentFailed(IntentError):
    """A step did not do it, a condition did not hold, a limit was reached; the message says which."""

    code = "INTENT_FAILED"
    advice = "The steps before it are done: run 'observe' to see where the page stands."


# --- the user's limits do not let it (docs/policy.md) ------------------------------------------------------------


class PolicyError(OrynError):
    """Base of what the settings of a session forbid. Nothing of the command has been done."""

    exit_code = 8


class DomainNotAllowed(PolicyError):
    """A navigation to a host that `allowed_domains` or `denied_domains` keeps the session from."""

    code = "DOMAIN_NOT_ALLOWED"
    advice = "Go elsewhere: only the user can change the setting."


class ReadOnly(PolicyError):
    """A command that may change something, in a session that only looks."""

    code = "READ_ONLY"
    advice = "The session only looks (read_only): only the user can change the setting."


class UrlNotAllowed(PolicyError):
    """An address that is no page of the web or a file: the browser's own (`chrome:`), an extension's, `javascript:`."""

    code = "URL_NOT_ALLOWED"
    advice = "Go to a page: http:, https:, file:, data:, blob: or about:blank."


class SessionNotAllowed(PolicyError):
    """A line from a session with limits that is about a session in which these would not hold."""

    code = "SESSION_NOT_ALLOWED"
    advice = "A session with limits reaches itself and what it has opened: only the user manages the others."


class ConfirmationRequired(PolicyError):
    """A command that waits for a person's yes, as `id` of `session`; without an `id` the session is another process's,
    and the message has it. `shown` is the command as a person reads it, its secrets masked."""

    code = "CONFIRMATION_REQUIRED"

    def __init__(
        self, message: str, hint: str | None = None, id: str | None = None, session: str = "", shown: str = ""
    ) -> None:
        super().__init__(message, hint)
        self.id = id
        self.session = session
        self.shown = shown


class ConfirmationDenied(PolicyError):
    """A person was asked for their yes to a command, and said no, or nothing."""

    code = "CONFIRMATION_DENIED"
    advice = "Don't try it another way: ask the user what to do instead."


class ConfirmationNotFound(PolicyError):
    code = "CONFIRMATION_NOT_FOUND"
    advice = "It was answered already, or waited too long: give the command again."


# --- the vault (docs/vault.md) ----------------------------------------------------------------------------------


class VaultError(OrynError):
    """Base of what keeps a value of the vault from being used. Its message has names, never values."""

    exit_code = 9


class SecretNotFound(VaultError):
    """A name that the vault does not have, or that can't be one."""

    code = "SECRET_NOT_FOUND"
    advice = "Only the user can store it: oryn vault set <name>."


class SecretNotAllowed(VaultError):
    """A value that is not for this page, or in a place that takes none."""

    code = "VAULT_ORIGIN"


class VaultKeyWrong(VaultError):
    """The vault can't be opened, or written: its key is missing or another one, or its file is damaged."""

    code = "VAULT_KEY"


# --- the rest ---------------------------------------------------------------------------------------------------


class NotSupported(OrynError):
    """A command that this mode does not have. The message is the seed's, word for word (seed 000 §6.5)."""

    code = "NOT_SUPPORTED"
    exit_code = 11
    advice = "Run 'help' to see the commands."

    def __init__(self, message: str = "not supported in this mode", hint: str | None = None) -> None:
        super().__init__(message, hint)


class SessionNotFound(OrynError):
    """No session has that name, or none is open."""

    code = "SESSION_NOT_FOUND"
    exit_code = 10

    def __init__(self, message: str = "session not found", hint: str | None = None) -> None:
        super().__init__(message, hint)

    @classmethod
    def among(cls, names: Iterable[str], asked: str = "") -> SessionNotFound:
        """The error of somebody who could have had one of these, and has `asked` for another."""
        known = ", ".join(names)
        hint = f"Sessions: {known}." if known else "Run 'session new <name>': no session is open."
        if asked.startswith("tab") and asked[3:].isdecimal():
            hint += f" '@{asked}' is for an open session in the user's own browser: give that a line without it first."
        return cls(hint=hint)


class SessionExists(OrynError):
    """A new session with a name that another has."""

    code = "SESSION_EXISTS"
    exit_code = 10


class SessionUnreachable(OrynError):
    """A session of another process that can't be sent commands, or did not answer."""

    code = "SESSION_UNREACHABLE"
    exit_code = 10
    advice = "Run 'sessions' to see which there are."


# --- what is asked of a daemon (seed 004) -----------------------------------------------------------------------


class RequestError(OrynError):
    """Base of what is wrong with a request itself, whatever it asks for."""

    code = "INVALID_REQUEST"
    http_status = 400
    exit_code = 2
    advice = "GET /openapi.json tells what a request may hold."


class ProtocolMismatch(RequestError):
    """Client and daemon speak different versions of the protocol."""

    code = "PROTOCOL_MISMATCH"
    advice = "Use a client and a daemon of the same version: 'oryn daemon restart' starts one of the client's."


class Unauthorized(RequestError):
    """The token is missing or wrong."""

    code = "UNAUTHORIZED"
    http_status = 401
    advice = "Send 'Authorization: Bearer <token>'; 'oryn daemon status' says which file has the token."


class NotFromHere(RequestError):
    """The `Host` or the `Origin` of a request is not this daemon."""

    code = "FORBIDDEN_ORIGIN"
    http_status = 403
    advice = "Only programs of this computer may ask, under the daemon's own address."


class RequestTooLarge(RequestError):
    """The request has more bytes than it may."""

    code = "REQUEST_TOO_LARGE"
    http_status = 413


class TooManyCommands(RequestError):
    """As many commands are being done as there may be at once."""

    code = "TOO_MANY_COMMANDS"
    http_status = 429
    exit_code = 1
    advice = "Wait for some of them to end."


class TooManyConnections(RequestError):
    """As many connections are open as there may be."""

    code = "TOO_MANY_CONNECTIONS"
    http_status = 429
    exit_code = 1
    advice = "Close some, or ask over the socket that 'oryn daemon status' names."


class NoSuchAddress(RequestError):
    """A path or a method that the daemon does not have."""

    code = "NO_SUCH_ADDRESS"
    http_status = 404


class SessionLimit(OrynError):
    """As many sessions are open as there may be."""

    code = "SESSION_LIMIT"
    exit_code = 10
    advice = "Close one: 'sessions' lists them."


class ActionNotFound(OrynError):
    """No row of the history has this identifier."""

    code = "ACTION_NOT_FOUND"
    advice = "'oryn daemon trace' lists what was done."


class NotReplayable(OrynError):
    """A row of the history that can't be done again: it held a secret, or needs a person."""

    code = "NOT_REPLAYABLE"


class Cancelled(OrynError):
    """Whoever gave the command has taken it back while it was done."""

    code = "CANCELLED"
    advice = "What it had done by then is done: look before going on."

    def __init__(self, message: str = "taken back by whoever gave it", hint: str | None = None) -> None:
        super().__init__(message, hint)


class DaemonNotRunning(OrynError):
    """No daemon runs."""

    code = "DAEMON_NOT_RUNNING"
    exit_code = 3
    advice = "Start it: 'oryn daemon start'. 'oryn daemon logs' tells why it ended."


class DaemonFailed(DaemonNotRunning):
    """The daemon did not start, or ended in the middle of a command."""

    code = "DAEMON_FAILED"


class DaemonEnding(DaemonFailed):
    """The daemon takes no more commands; this one was not begun."""

    code = "DAEMON_ENDING"
    http_status = 503
    advice = "Give it again: another one starts."


# --- the user's own browser (docs/remote-protocol.md) -------------------------------------------------------------


class RemoteError(OrynError):
    """Base of what is wrong between the extension in a user's browser and the server that it is connected to."""

    exit_code = 3


class MalformedMessage(RemoteError):
    """A message that the protocol does not have."""

    code = "MALFORMED_MESSAGE"
    advice = "docs/remote-protocol.md says how messages look."


class PairingRequired(RemoteError):
    """A command before the two have proved who they are, or a server that knows neither the code nor the key."""

    code = "PAIRING_REQUIRED"
    advice = "The user gives the server the code that the extension's popup shows."

    def __init__(self, message: str = "pairing required", hint: str | None = None) -> None:
        super().__init__(message, hint)


class PairingFailed(RemoteError):
    """A proof that is wrong: another code, one that was used or has expired, or a key that was revoked."""

    code = "PAIRING_FAILED"
    advice = "Make a new code in the extension's popup, and give it to the server."

    def __init__(self, message: str = "pairing failed", hint: str | None = None) -> None:
        super().__init__(message, hint)


class AnswerTooLarge(RemoteError):
    """An answer that is longer than one message may be."""

    code = "ANSWER_TOO_LARGE"
    advice = "Ask for a part of it: a selector, a limit, one element."


class EndpointNotAllowed(RemoteError):
    """An address that the extension does not connect to."""

    code = "ENDPOINT_NOT_ALLOWED"


class Stopped(RemoteError):
    """The user has ended what ran, in the extension's popup or its banner on the page."""

    code = "STOPPED"
    advice = "The user wants it to end: ask before going on."

    def __init__(self, message: str = "stopped by the user", hint: str | None = None) -> None:
        super().__init__(message, hint)


# --- client libraries (seed 000 §4; docs/clients.md) --------------------------------------------------------------


class ClientError(OrynError):
    """Base of what keeps a client library from an answer. Whatever an engine answers, also an error, is none."""

    exit_code = 3


class EngineNotFound(ClientError):
    """No engine is installed where a client looked."""

    code = "ENGINE_NOT_FOUND"


class EngineFailed(ClientError):
    """The process that a client started does not get ready, or is no engine."""

    code = "ENGINE_FAILED"


class ConnectionLost(ClientError):
    """The engine, or the extension, went away before it answered."""

    code = "CONNECTION_LOST"
    advice = "What was under way may have been done, and is not sent again: look before you repeat it."


class NotConnected(ClientError):
    """A client that is not connected yet, or was closed."""

    code = "NOT_CONNECTED"
    advice = "Call connect() first."


class NoAnswer(ClientError):
    """No answer within the client's own time limit; what was sent may still be done."""

    code = "NO_ANSWER"
    exit_code = 6
    advice = "Give the client a longer timeout, or none: every command has a limit of its own."


# --- a step of research came to nothing (seed 004) ---------------------------------------------------------------


class ResearchError(OrynError):
    """Base of what keeps research from its result; `oryn.research.failures` has all of them."""

    exit_code = 14


# --- chat models, and agents that they drive (docs/agent.md) -------------------------------------------------------


class ModelError(OrynError):
    """Base of what keeps a chat model from answering. `again`: whether the same request may succeed later; `wait`: the
    seconds that the endpoint asks for before that."""

    exit_code = 12

    def __init__(
        self, message: str, hint: str | None = None, *, again: bool = False, wait: float | None = None
    ) -> None:
        super().__init__(message, hint)
        self.again = again
        self.wait = wait

    def withhold(self, secret: str) -> None:
        """Put dots in the place of a secret that the other side may have repeated."""
        self.message = self.message.replace(secret, "••••")
        self.args = (self.message,)


class ModelUnreachable(ModelError):
    """Nothing answers at the endpoint, or what began to answer broke off."""

    code = "MODEL_UNREACHABLE"
    advice = "Check --endpoint, and that the server there runs."


class ModelUnauthorized(ModelError):
    """The endpoint wants a key, or another one."""

    code = "MODEL_UNAUTHORIZED"
    advice = "Set the key in ORYN_MODEL_KEY, or name one of the vault: --model-key '{{vault:model.key}}'."


class ModelNotFound(ModelError):
    """The endpoint has no model of that name, or is at another address."""

    code = "MODEL_NOT_FOUND"
    advice = "Check --model; 'GET /models' at the endpoint lists those it has."


class ModelRateLimited(ModelError):
    """The endpoint wants fewer requests, or money."""

    code = "MODEL_RATE_LIMITED"
    advice = "Wait, then go on with --resume."


class ContextTooLong(ModelError):
    """The conversation does not fit into the model's context."""

    code = "CONTEXT_TOO_LONG"
    advice = "Choose a model with a larger context, fewer tabs (--max-tabs), or begin anew from where the page stands."


class ModelFailed(ModelError):
    """The endpoint answered something else than a reply."""

    code = "MODEL_FAILED"


class AgentError(OrynError):
    """Base of how an agent's run ends without its goal."""

    exit_code = 13


class ModelRefused(AgentError):
    """The model does not want to, or its endpoint's filter would not let it."""

    code = "MODEL_REFUSED"
    advice = "Say the goal otherwise, or choose another model."


class AgentStuck(AgentError):
    """The model does the same thing again and again."""

    code = "AGENT_STUCK"
    advice = "Go on with --resume, and type a correction."


class StepLimit(AgentError):
    """As many steps are done as the run may have."""

    code = "STEP_LIMIT"
    advice = "Go on with --resume, which has as many steps again."


class TranscriptError(AgentError):
    """A transcript that can't be read or written."""

    code = "TRANSCRIPT_ERROR"
    exit_code = 2


class ConfigurationError(OrynError):
    """A setting with a value that it can't have, or a configuration file that can't be read."""

    code = "INVALID_SETTING"
    exit_code = 2


class InternalError(OrynError):
    """A bug: what should not happen did. Carries the original as `__cause__`."""

    code = "INTERNAL_ERROR"
    http_status = 500
    exit_code = 70
