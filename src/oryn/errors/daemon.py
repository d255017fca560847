"""Errors of the daemon: requests that it rejects, and a daemon that does not run (seed 004)."""

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
    advice = "Only programs of this computer may ask, under the daemon's own address."


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
