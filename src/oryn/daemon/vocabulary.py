"""Translates the JSON vocabulary (docs/spec/daemon-protocol.md#vocabulary) into commands if its names or arguments
differ from those of the command table.

Examples are `@eN`, CSS or a point as the target, and `tab` and `network` with their sub-verbs. The module also finds
the canonical name of an action (`tab list` is `tabs`).

An action that is not here (`goto`, `observe`, `cookies set` …) has the name and the arguments of its command's class.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from functools import cache
from typing import Any

from oryn.errors import ConflictingOptions, InvalidValue, MissingArgument
from oryn.language import api_vocabulary

Arguments = dict[str, Any]
CommandArguments = tuple[str, Arguments]
"""A command's name and its arguments."""

UNKNOWN_ACTION = "unknown"
"""The name of an action that does not exist, in rows and events."""
_DAY = 86_400_000
_REFERENCE = re.compile(r"@?e[0-9]{1,9}")

_translations: dict[str, Callable[[Arguments], CommandArguments]] = {}


def translate_action(action: str, args: Mapping[str, Any]) -> CommandArguments:
    """The name and arguments of the command that an action stands for. Raises `LanguageError`."""
    name = action.strip().lower()
    found = _translations.get(name)
    return found(dict(args)) if found else (name, dict(args))


_WAIT_OPTIONS = {
    "--ref": ("visible",),
    "--selector": ("visible",),
    "--url": ("url",),
    "--url-pattern": ("url",),
    "--network-idle": ("idle",),
    "--ms": (),
}


def translate_words(words: Sequence[str]) -> list[str]:
    """Translate the options of the vocabulary's `wait` (`--ref @e3`, `--url "*/cart*"`, `--network-idle`, `--ms 500`)
    and its `navigate … --new-tab` into the words of the command table.

    All other words are returned unchanged."""
    verb, *rest = words
    if verb.lower() == "wait" and rest and (option := rest[0].partition("=")[0].lower()) in _WAIT_OPTIONS:
        value = rest[0].partition("=")[2]
        values = [value, *rest[1:]] if value else rest[1:]
        if option == "--ms" and values and values[0].isdecimal():
            values[0] += "ms"
        options = [option] if option in ("--ref", "--selector") else []
        return [verb, *_WAIT_OPTIONS[option], *options, *values]
    if "--new-tab" in rest and api_vocabulary().find(verb.lower()) is api_vocabulary().verbs["goto"]:
        return ["tab", "new", *(word for word in rest if word != "--new-tab")]
    return list(words)


def _action(name: str) -> Callable[[Callable[[Arguments], CommandArguments]], Callable[[Arguments], CommandArguments]]:
    def register(translation: Callable[[Arguments], CommandArguments]) -> Callable[[Arguments], CommandArguments]:
        _translations[name] = translation
        return translation

    return register


def _rename_arguments(args: Arguments, **names: str) -> Arguments:
    """Rename arguments to their names in the table: `names` maps other names to those.

    Raises `ConflictingOptions` if an argument is given under two names."""
    for other, name in names.items():
        if other in args:
            if name in args:
                raise ConflictingOptions(f"{other} and {name} are the same")
            args[name] = args.pop(other)
    return args


def _with_target(args: Arguments) -> Arguments:
    """Replace `ref`, `selector`, or `x` and `y` by the target that they describe."""
    if "x" in args or "y" in args:
        try:
            args["target"] = {"point": [args.pop("x"), args.pop("y")]}
        except KeyError as missing:
            raise MissingArgument(f"a point needs {missing}", "Give both x and y, in CSS pixels.") from None
    for name in ("ref", "selector"):
        if (value := args.pop(name, None)) is not None:
            args.setdefault("target", _target(name, value))
    return args


def _target(name: str, value: Any) -> Any:
    if not isinstance(value, str):
        raise InvalidValue(f"{name} must be a text", "It is a reference such as @e3, or a CSS selector.")
    if _REFERENCE.fullmatch(value) and (value.startswith("@") or name == "ref"):
        return {"reference": int(value.lstrip("@e"))}
    return {"css": value}


@_action("navigate")
def _navigate(args: Arguments) -> CommandArguments:
    return ("tab new" if args.pop("new_tab", False) else "goto"), args


for _name in ("click", "hover", "scroll"):
    _translations[_name] = lambda args, name=_name: (name, _with_target(args))  # type: ignore[misc]


@_action("fill")
def _fill(args: Arguments) -> CommandArguments:
    return "type", _with_target(_rename_arguments(args, value="text"))


@_action("key")
def _key(args: Arguments) -> CommandArguments:
    return "press", _rename_arguments(args, key="keys", combo="keys", combination="keys")


@_action("upload")
def _upload(args: Arguments) -> CommandArguments:
    return "upload", _with_target(_rename_arguments(args, files="paths", path="paths", file="paths"))


@_action("screenshot")
def _screenshot(args: Arguments) -> CommandArguments:
    return "screenshot", _with_target(
        _rename_arguments(args, path="output", full_page="fullpage", full_length="fullpage")
    )


@_action("pdf")
def _pdf(args: Arguments) -> CommandArguments:
    return "pdf", _rename_arguments(args, output="path")


@_action("eval")
def _eval(args: Arguments) -> CommandArguments:
    return "eval", _rename_arguments(args, expression="script", js="script", code="script")


@_action("wait")
def _wait(args: Arguments) -> CommandArguments:
    """`wait` for an element (`ref`, `selector`), a URL pattern (`url`, `url_pattern`), an idle network
    (`network_idle`), or a time (`ms`)."""
    args = _with_target(_rename_arguments(args, url_pattern="url", time_ms="ms"))
    if "ms" in args:
        milliseconds = args.pop("ms")
        if isinstance(milliseconds, bool) or not isinstance(milliseconds, int | float) or abs(milliseconds) > _DAY:
            raise InvalidValue("ms must be a number of milliseconds", "It is below a day.")
        return "wait", {**args, "duration": milliseconds / 1000}
    if args.pop("network_idle", False):
        return "wait", {**args, "state": "idle"}
    if "url" in args:
        return "wait url", _rename_arguments(args, url="pattern")
    if "target" in args:
        args.setdefault("state", "visible")
    return "wait", args


def _sub_action(
    verb: str, args: Arguments, sub_actions: Mapping[str, Callable[[Arguments], CommandArguments]]
) -> CommandArguments:
    chosen = args.pop("action", args.pop("op", "list" if "list" in sub_actions else None))
    if not isinstance(chosen, str) or chosen not in sub_actions:
        raise InvalidValue(f"{verb} has no action {chosen!r}", f"One of {', '.join(sub_actions)}.")
    return sub_actions[chosen](args)


def _with_number(args: Arguments) -> Arguments:
    return _rename_arguments(args, index="number", tab="number", id="number")


@_action("tab")
def _tab(args: Arguments) -> CommandArguments:
    return _sub_action(
        "tab",
        args,
        {
            "list": lambda rest: ("tabs", rest),
            "new": lambda rest: ("tab new", {"url": "about:blank", **rest}),
            "switch": lambda rest: ("tab switch", _with_number(rest)),
            "close": lambda rest: ("tab close", _with_number(rest)),
        },
    )


_translations["switch_tab"] = lambda args: ("tab switch", _with_number(args))
_translations["close_tab"] = lambda args: ("tab close", _with_number(args))


@_action("close_session")
def _close_session(args: Arguments) -> CommandArguments:
    """`close_session`: the session of the request, or the one that is named."""
    args = _rename_arguments(args, session="name", id="name")
    return ("session close" if "name" in args else "close"), args


@_action("login")
def _login(args: Arguments) -> CommandArguments:
    return "login", _rename_arguments(args, url_pattern="until", success_url="until")


@_action("captcha")
def _captcha(args: Arguments) -> CommandArguments:
    args.setdefault("action", "detect")
    return _sub_action(
        "captcha", args, {"detect": lambda rest: ("captcha", rest), "solve": lambda rest: ("captcha solve", rest)}
    )


_translations["network_detail"] = lambda args: ("request", _with_number(args))


def _with_urls(args: Arguments) -> Arguments:
    """Accept `url`, one URL, for `urls`."""
    if "url" in args:
        args["url"] = [args["url"]] if isinstance(args["url"], str) else args["url"]
    return _rename_arguments(args, url="urls")


for _name in ("extract", "crawl"):
    _translations[_name] = lambda args, name=_name: (name, _with_urls(args))  # type: ignore[misc]


@_action("network")
def _network(args: Arguments) -> CommandArguments:
    return _sub_action(
        "network",
        args,
        {
            "start": lambda rest: ("network start", rest),
            "stop": lambda rest: ("network stop", rest),
            "list": lambda rest: ("network list", rest),
            "detail": lambda rest: ("request", _with_number(rest)),
        },
    )


@cache
def aliases() -> frozenset[str]:
    """All alternative names of commands."""
    return frozenset((*api_vocabulary().aliases, *(" ".join(phrase) for phrase in api_vocabulary().phrases)))


@cache
def canonical_action(name: str) -> str:
    """The name of an action in the command table: `goto` for `navigate`."""
    words = name.lower().split()
    phrase = tuple(words[:2]) in api_vocabulary().phrases
    verb = api_vocabulary().find(*words[:2]) if phrase else api_vocabulary().find(words[0]) if words else None
    return " ".join((verb.name, *words[2 if phrase else 1 :])) if verb else name


def table_action(name: str) -> str:
    """The name of an action of an event in the command table, or `UNKNOWN_ACTION`: one of a bounded number of names,
    for labels and spans."""
    action = canonical_action(name)
    return action if action.partition(" ")[0] in api_vocabulary().verbs else UNKNOWN_ACTION


def matches_action(action: str, wanted: str) -> bool:
    """Whether an action of the history matches the action `wanted`, by any of their names; `cookies` matches `cookies
    set` and the like."""
    found, kind = canonical_action(action), canonical_action(wanted)
    return found == kind or any(each.startswith(f"{kind} ") for each in (found, action))
