"""The root of the tree of errors, its exit codes, and the errors that belong to no branch."""

from __future__ import annotations

TYPE_CHECKING = False  # without the import of `typing`
if TYPE_CHECKING:
    from collections.abc import Iterator
    from typing import ClassVar

EXIT_CODES = {
    0: "nothing",
    2: "the input: a command line, a request or a setting",
    3: "the browser, the daemon or the engine is missing, failed to start, or ended",
    4: "the element: not found, hidden, disabled, covered, ambiguous",
    5: "the page or a file",
    6: "it took too long",
    7: "an intent",
    8: "the user's limits forbid it",
    9: "the vault",
    10: "the session",
    11: "not supported",
    12: "the chat model: its endpoint does not answer, rejects the key, or lacks the model",
    13: "an agent's run: the model refused, got stuck, or ran out of steps",
    14: "research: the search, a page, the index, the embedding model",
    15: "a test: an outcome is another one than it expects",
    16: "a test that could not be prepared: its state, its seed command",
    70: "a bug in Oryn",
    130: "interrupted with Ctrl-C",
    1: "all else",
}
"""The exit codes of the command line, and the kind of error that each stands for."""


class OrynError(Exception):
    """Base of every error.

    `message`: what happened. `hint`: what to do next, a sentence or a usage line, or None. `str(error)`: the message;
    with a `command`, also code, command and hint. Each class with a `code` of its own declares the code as the wire has
    it, the HTTP status of an answer with it (200: a command that fails is an answer like any other), and the exit code
    of a command line that ends with it."""

    code: ClassVar[str] = "INTERNAL_ERROR"
    http_status: ClassVar[int] = 200
    exit_code: ClassVar[int] = 1
    advice: ClassVar[str | None] = None
    """The hint of an instance that is created without one."""
    command: str | None = None
    """The command that has failed, as a line, with secrets masked: in an error that a client library raises."""
    target: object = None
    """The target that its method was called with; None without one, and elsewhere."""

    def __init__(self, message: str, hint: str | None = None) -> None:
        super().__init__(message)
        self.message = message
        self.hint = hint or self.advice

    def __str__(self) -> str:
        if self.command is None:
            return self.message
        lines = [
            f"{self.message} ({self.code})",
            f"command: {self.command}",
            *([f"hint: {self.hint}"] if self.hint else []),
        ]
        return "\n".join(lines)


class ConfigurationError(OrynError):
    """A setting has an invalid value, or a configuration file can't be read."""

    code = "INVALID_SETTING"
    exit_code = 2


class InternalError(OrynError):
    """A bug in Oryn. `__cause__` has the original exception."""

    code = "INTERNAL_ERROR"
    http_status = 500
    exit_code = 70
    advice = "This is a bug in Oryn: please report it at https://github.com/oryn-browser/oryn/issues."


def error_class_of(code: str, otherwise: type[OrynError] = OrynError) -> type[OrynError]:
    """The class that declares `code`, for errors that another process reports; `otherwise` if no class does, as with a
    code of a later version."""
    return next((each for each in _all_subclasses(OrynError) if vars(each).get("code") == code), otherwise)


def _all_subclasses(base: type[OrynError]) -> Iterator[type[OrynError]]:
    for each in base.__subclasses__():
        yield each
        yield from _all_subclasses(each)
