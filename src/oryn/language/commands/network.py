"""*Network and console*."""

from __future__ import annotations

from typing import Any, Literal, get_args

from oryn.language.command import Command, argument, flag, option, overwrite_flag
from oryn.language.effects import SCRIPT, Effect
from oryn.language.kinds import (
    COUNT,
    DURATION,
    JSON_OBJECT,
    JSON_TEXT,
    METHOD,
    OUTPUT,
    PASSWORD,
    PATH,
    PATTERN,
    TEXT,
    ChoiceKind,
    NameKind,
    StringKind,
)

__all__ = [
    "Console",
    "ConsoleClear",
    "Credentials",
    "CredentialsClear",
    "Errors",
    "ErrorsClear",
    "Har",
    "Intercept",
    "InterceptClear",
    "Offline",
    "RequestShow",
    "Requests",
    "Throttle",
    "ThrottleOff",
]

_FAMILY = "Network and console"

Level = Literal["log", "warn", "error", "info"]
StartStop = Literal["start", "stop"]
OnOff = Literal["on", "off"]
ResourceType = Literal["document", "stylesheet", "script", "image", "font", "media", "fetch", "other"]
RESOURCE_TYPES: tuple[ResourceType, ...] = get_args(ResourceType)


class Intercept(
    Command,
    path="intercept",
    family=_FAMILY,
    effects=("request",),
    result="InterceptRule",
    help="Block, answer, change or delay requests; without options, only mark them",
    example='intercept "*/api/*" --respond {"items": []}',
):
    """A rule for requests whose URL fits `pattern`; without an option they are only marked. `respond` is JSON text."""

    pattern: str | None = argument(
        PATTERN, "part of the URL, or with * a pattern for the whole URL; default with --type: all", default=None
    )
    type: ResourceType | None = option(
        ChoiceKind[ResourceType](*RESOURCE_TYPES), "only requests of this type; fetch is all that scripts ask for"
    )
    block: bool = flag("make the requests fail")
    respond: str | None = option(JSON_TEXT, "answer with this JSON")
    respond_file: str | None = option(PATH, "answer with the content of this file")
    status: int | None = option(COUNT, "HTTP status of the answer, 200 to 599; default: 200")
    edit_json: dict[str, Any] | None = option(
        JSON_OBJECT, "change the server's JSON: members to set (null removes), or pointers such as /items/0/price"
    )
    delay: float | None = option(DURATION, "wait so long before the request goes on, fails, or is answered")

    @property
    def effects(self) -> tuple[Effect, ...]:
        """An answer of the caller's may be a script, or a page with one."""
        is_answered = any(each is not None for each in (self.respond, self.respond_file, self.edit_json))
        return *self.spec.effects, *(SCRIPT if is_answered else ())


class InterceptClear(
    Command,
    path="intercept clear",
    family=_FAMILY,
    effects=("request",),
    result="int",
    help="Remove rules of intercept",
):
    """All rules, or those with this pattern."""

    pattern: str | None = argument(PATTERN, "the rule's pattern; default: all", default=None)


class Requests(
    Command,
    path="requests",
    family=_FAMILY,
    result="list[RequestRow]",
    safe=True,
    reads=True,
    help="List the requests, or messages of web sockets and server-sent events",
    example="requests --method POST --last 5",
):
    """Newest last, each with its number."""

    filter: str | None = option(TEXT, "only those whose URL contains this")
    method: str | None = option(METHOD, "only those with this HTTP method")
    messages: bool = flag("list the messages of these requests")
    last: int | None = option(COUNT, "only this many, the newest; default for messages: 20")


class RequestShow(
    Command,
    path="request",
    family=_FAMILY,
    result="RequestDetails",
    safe=True,
    reads=True,
    help="Show one request with headers and bodies",
    api_aliases=("network detail",),
):
    """`number` as `requests` shows it."""

    number: int = argument(COUNT, "the request's number in requests")
    messages: bool = flag("show the messages of a web socket, or server-sent events")
    last: int | None = option(COUNT, "only this many messages, the newest; default: 20")


class Har(
    Command, path="har", family=_FAMILY, result="HarFile | None", safe=True, help="Record network traffic in a HAR file"
):
    """Start, or stop and write."""

    action: StartStop = argument(ChoiceKind[StartStop]("start", "stop"), "start, or stop and write the file")
    path: str | None = argument(OUTPUT, "the file to write", default=None)
    overwrite: bool = overwrite_flag()


class Offline(Command, path="offline", family=_FAMILY, safe=True, help="Switch offline mode on or off"):
    """Whether the browser has a network."""

    state: OnOff = argument(ChoiceKind[OnOff]("on", "off"), "on is offline")


class Throttle(
    Command,
    path="throttle",
    family=_FAMILY,
    result="NetworkPreset",
    safe=True,
    help="Slow the network down",
    example="throttle slow-3g",
):
    """A named kind of connection."""

    preset: str = argument(
        NameKind("preset"), "the kind of connection: slow-3g, fast-3g, slow-4g or fast-4g", source="connections"
    )


class ThrottleOff(Command, path="throttle off", family=_FAMILY, safe=True, help="Stop slowing the network down"):
    """Full speed."""


class Credentials(
    Command,
    path="credentials",
    family=_FAMILY,
    effects=("request",),
    help="Set the credentials for HTTP authentication",
):
    """For Basic and Digest authentication."""

    user: str = argument(StringKind("user"), "the user")
    password: str = argument(PASSWORD, "the password")


class CredentialsClear(
    Command,
    path="credentials clear",
    family=_FAMILY,
    effects=("request",),
    help="Remove the credentials for HTTP authentication",
):
    """Forget the credentials."""


class Console(
    Command,
    path="console",
    family=_FAMILY,
    result="list[ConsoleRow]",
    safe=True,
    reads=True,
    help="Show the console's messages",
    example="console --level error",
):
    """Oldest first."""

    level: Level | None = option(ChoiceKind[Level]("log", "warn", "error", "info"), "only this level")
    filter: str | None = option(TEXT, "only those that contain this")
    last: int | None = option(COUNT, "only this many, the newest")


class ConsoleClear(
    Command, path="console clear", family=_FAMILY, result="int", safe=True, help="Clear the console's messages"
):
    """Start anew."""


class Errors(
    Command,
    path="errors",
    family=_FAMILY,
    result="list[ConsoleRow]",
    safe=True,
    reads=True,
    help="Show the page's script errors",
):
    """Uncaught errors, oldest first."""

    last: int | None = option(COUNT, "only this many, the newest")


class ErrorsClear(
    Command, path="errors clear", family=_FAMILY, result="int", safe=True, help="Clear the page's script errors"
):
    """Start anew."""
