"""Commands of the host, for APIs and the command line only: in a line these verbs mean something else, or
nothing.

`Hosting.perform` of the daemon runs them; none of them waits for the session's lock."""

from __future__ import annotations

from oryn.language.command import Command, argument, flag, option
from oryn.language.kinds import COUNT, METHOD, PATTERN, TEXT, URL, NameKind

__all__ = [
    "HOST_COMMANDS",
    "Captcha",
    "CaptchaSolve",
    "CloseSession",
    "Confirm",
    "Deny",
    "InteractiveLogin",
    "LoginDone",
    "NetworkList",
    "NetworkStart",
    "NetworkStop",
]

_FAMILY = "The host"


class CloseSession(
    Command,
    path="close",
    family=_FAMILY,
    effects=("close",),
    result="ClosedSessions",
    scope="host",
    help="End the session, even a busy one",
):
    """The session that the command is for, or with `--all` every session of the host."""

    all: bool = flag("close every session")


class Confirm(
    Command,
    path="confirm",
    family=_FAMILY,
    effects=("confirm",),
    result="Any",
    scope="host",
    person=True,
    help="Approve a command that waits for approval",
    example="confirm c_3f9a1c20",
):
    """A person's yes (the setting `confirm`); the command runs now, and its answer is this one's."""

    id: str = argument(NameKind("id"), "the id of the waiting command")


class Deny(
    Command,
    path="deny",
    family=_FAMILY,
    effects=("confirm",),
    result="dict[str, Any]",
    scope="host",
    person=True,
    help="Reject a command that waits for approval",
):
    """The command is dropped."""

    id: str = argument(NameKind("id"), "the id of the waiting command")


class InteractiveLogin(
    Command,
    path="login",
    family=_FAMILY,
    effects=("sign_in", "navigate"),
    scope="host",
    help="Let a person log in, in a window",
    example='login shop.example/login --until "*/account*"',
):
    """Opens the page where a person sees it, and waits until its URL fits, `login_done`, or the window is closed. What
    the session does meanwhile, it does in that window. `timeout`: 5 minutes, unless it says otherwise."""

    url: str = argument(URL, "where to log in")
    until: str | None = option(
        PATTERN,
        "the URL after the login: part of it, or with * a pattern for the whole URL",
        aliases=("url-pattern", "success-url"),
    )


class LoginDone(
    Command,
    path="login_done",
    family=_FAMILY,
    effects=("sign_in",),
    scope="host",
    help="Report that the person has logged in",
    timed=False,
):
    """Ends the session's `login`, and answers what that does."""


class Captcha(
    Command,
    path="captcha",
    family=_FAMILY,
    result="CaptchaList",
    scope="host",
    safe=True,
    reads=True,
    help="List the page's captchas",
    api_aliases=("captcha detect",),
):
    """Their kinds, site keys and places, and whether they are solved."""


class CaptchaSolve(
    Command,
    path="captcha solve",
    family=_FAMILY,
    effects=("captcha", "fill"),
    result="dict[str, Any]",
    scope="host",
    help="Solve a captcha with the user's service",
):
    """Only where the user has set `captcha_service`. Sends the site key and the page's address, nothing else."""


class NetworkStart(
    Command,
    path="network start",
    family=_FAMILY,
    result="list[str]",
    scope="host",
    safe=True,
    help="Start recording requests",
):
    """Requests are always listed; this says from where on `network list` shows them."""


class NetworkStop(
    Command,
    path="network stop",
    family=_FAMILY,
    result="RequestCount",
    scope="host",
    safe=True,
    help="Stop recording requests",
):
    """`network list` shows those until now."""


class NetworkList(
    Command,
    path="network list",
    family=_FAMILY,
    result="list[RequestRow]",
    scope="host",
    safe=True,
    reads=True,
    help="List the recorded requests",
):
    """Those between `network start` and `network stop`; without these, all. As `requests`."""

    filter: str | None = option(TEXT, "only those whose URL contains this")
    method: str | None = option(METHOD, "only those with this HTTP method")
    last: int | None = option(COUNT, "only this many, the newest")


HOST_COMMANDS: tuple[type[Command], ...] = (
    CloseSession,
    Confirm,
    Deny,
    InteractiveLogin,
    LoginDone,
    Captcha,
    CaptchaSolve,
    NetworkStart,
    NetworkStop,
    NetworkList,
)
"""Every one of them."""
