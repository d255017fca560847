"""Errors between processes: the daemon and requests that it rejects (docs/spec/daemon-protocol.md#rejected-requests),
the user's browser (docs/spec/extension-protocol.md#errors), and a client library with its engine (docs/clients.md)."""

from __future__ import annotations

from oryn.errors.base import OrynError


class RequestError(OrynError):
    """The request itself is invalid, whatever it is for."""

    code = "INVALID_REQUEST"
    http_status = 400
    exit_code = 2
    advice = "GET /openapi.json describes valid requests."


class ProtocolMismatch(RequestError):
    """Client and daemon use different versions of the protocol."""

    code = "PROTOCOL_MISMATCH"
    advice = "Use a client and a daemon of the same version: 'oryn daemon restart' starts one of the client's."


class Unauthorized(RequestError):
    """The token is missing or wrong."""

    code = "UNAUTHORIZED"
    http_status = 401
    advice = "Send 'Authorization: Bearer <token>'; 'oryn daemon status' shows the token's file."


class NotFromHere(RequestError):
    """The `Host` or the `Origin` of the request is not this daemon's."""

    code = "FORBIDDEN_ORIGIN"
    http_status = 403
    advice = "Send it from a program on this computer, to http://127.0.0.1:PORT; 'oryn daemon status' shows the port."


class TokenScope(RequestError):
    """The token does not have the scope that the request needs."""

    code = "TOKEN_SCOPE"
    http_status = 403
    exit_code = 8


class RateLimited(RequestError):
    """The token has sent more requests in a minute than it may."""

    code = "RATE_LIMITED"
    http_status = 429
    exit_code = 1
    advice = "Wait as long as Retry-After says."

    def __init__(self, message: str, hint: str | None = None, *, retry_after: int = 1) -> None:
        super().__init__(message, hint)
        self.retry_after = retry_after
        """Seconds after which a request is taken again."""


class RequestTooLarge(RequestError):
    """The request is larger than the daemon accepts."""

    code = "REQUEST_TOO_LARGE"
    http_status = 413


class TooManyCommands(RequestError):
    """As many commands are running as the daemon allows."""

    code = "TOO_MANY_COMMANDS"
    http_status = 429
    exit_code = 1
    advice = "Wait for some of them to end."


class TooManyConnections(RequestError):
    """As many connections are open as the daemon allows."""

    code = "TOO_MANY_CONNECTIONS"
    http_status = 429
    exit_code = 1
    advice = "Close some, or ask over the socket that 'oryn daemon status' names."


class NoSuchAddress(RequestError):
    """The daemon has no such path, or not with this method."""

    code = "NO_SUCH_ADDRESS"
    http_status = 404


class DaemonNotRunning(OrynError):
    """No daemon is running."""

    code = "DAEMON_NOT_RUNNING"
    exit_code = 3
    advice = "Start it: 'oryn daemon start'. 'oryn daemon logs' shows why it ended."


class DaemonFailed(DaemonNotRunning):
    """The daemon did not start, or ended while the command was running."""

    code = "DAEMON_FAILED"


class DaemonEnding(DaemonFailed):
    """The daemon is shutting down and accepts no commands; this one was not started."""

    code = "DAEMON_ENDING"
    http_status = 503
    advice = "Give it again: another one starts."


class RecordsUnavailable(OrynError):
    """The database with the records does not answer, takes no writes, or has no room."""

    code = "RECORDS_UNAVAILABLE"
    http_status = 504
    exit_code = 3
    advice = "Try again when the database answers; 'oryn daemon logs' has what it said."


class SessionMoved(OrynError):
    """Another daemon has the session."""

    code = "SESSION_MOVED"
    http_status = 421
    exit_code = 10
    advice = "Give the command again; any daemon takes it to the one that has the session."


class RemoteError(OrynError):
    """Base of errors between the extension in a user's browser and the server that it connects to."""

    exit_code = 3


class MalformedMessage(RemoteError):
    """A message does not follow the protocol."""

    code = "MALFORMED_MESSAGE"
    advice = "docs/spec/extension-protocol.md describes the messages."


class PairingRequired(RemoteError):
    """A command came before authentication, or the server has neither the code nor the key."""

    code = "PAIRING_REQUIRED"
    advice = "The user gives the server the code that the extension's popup shows."

    def __init__(self, message: str = "pairing required", hint: str | None = None) -> None:
        super().__init__(message, hint)


class PairingFailed(RemoteError):
    """The proof is wrong: a wrong, used or expired code, or a revoked key."""

    code = "PAIRING_FAILED"
    advice = "Make a new code in the extension's popup, and give it to the server."

    def __init__(self, message: str = "pairing failed", hint: str | None = None) -> None:
        super().__init__(message, hint)


class AnswerTooLarge(RemoteError):
    """The answer is longer than one message may be."""

    code = "ANSWER_TOO_LARGE"
    advice = "Ask for a part of it: a selector, a limit, one element."


class EndpointNotAllowed(RemoteError):
    """The extension does not connect to this address."""

    code = "ENDPOINT_NOT_ALLOWED"


class Stopped(RemoteError):
    """The user stopped the command, in the extension's popup or its banner on the page."""

    code = "STOPPED"
    advice = "The user wants it to end: ask before going on."

    def __init__(self, message: str = "stopped by the user", hint: str | None = None) -> None:
        super().__init__(message, hint)


class ClientError(OrynError):
    """Base of errors in a client library that got no answer. An engine's own errors are answers, and raised as such."""

    exit_code = 3


class EngineNotFound(ClientError):
    """No engine is installed in the places that the client searched."""

    code = "ENGINE_NOT_FOUND"


class EngineFailed(ClientError):
    """The process that the client started does not become ready, or is not an engine."""

    code = "ENGINE_FAILED"


class ConnectionLost(ClientError):
    """The engine, or the extension, disconnected before it answered."""

    code = "CONNECTION_LOST"
    advice = "What was under way may have been done, and is not sent again: look before you repeat it."


class NotConnected(ClientError):
    """The client is not connected, or was closed."""

    code = "NOT_CONNECTED"
    advice = "Call connect() first."


class NoAnswer(ClientError):
    """The client's own time limit passed without an answer, and the command was cancelled."""

    code = "NO_ANSWER"
    exit_code = 6
    advice = "Give the client a longer timeout, or none: every command has a limit of its own."
