"""The JSON vocabulary of seed 004 where its names or arguments are not those of the table: `@eN`, CSS or a point in the
place of a target, `tab` and `network` with their sub-verbs. Each becomes a command of the table and its arguments.

Whatever is not here (`goto`, `observe`, `cookies set` …) has the name and the arguments of its command's class."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from oryn.errors import ConflictingOptions, InvalidValue, MissingArgument
from oryn.language import doors

Arguments = dict[str, Any]
Meaning = tuple[str, Arguments]
"""A command's name and its arguments."""

_DAY = 86_400_000
_REFERENCE = re.compile(r"@?e[0-9]{1,9}")

_meanings: dict[str, Callable[[Arguments], Meaning]] = {}


def meaning_of(action: str, args: Mapping[str, Any]) -> Meaning:
    """The command that an action means. Raises `LanguageError`."""
    name = action.strip().lower()
    found = _meanings.get(name)
    return found(dict(args)) if found else (name, dict(args))


_WAITS = {
    "--ref": ("visible",),
    "--selector": ("visible",),
    "--url": ("url",),
    "--url-pattern": ("url",),
    "--network-idle": ("idle",),
    "--ms": (),
}


def worded(words: Sequence[str]) -> list[str]:
    """The words of a command line with what seed 004 waits for (`wait --ref @e3`, `--url "*/cart*"`, `--network-idle`,
    `--ms 500`) and its `navigate … --new-tab` as the table says these; all others as they are."""
    verb, *rest = words
    if verb.lower() == "wait" and rest and (option := rest[0].partition("=")[0].lower()) in _WAITS:
        given = rest[0].partition("=")[2]
        values = [given, *rest[1:]] if given else rest[1:]
        if option == "--ms" and values and values[0].isdecimal():
            values[0] += "ms"
        kept = [option] if option in ("--ref", "--selector") else []
        return [verb, *_WAITS[option], *kept, *values]
    if "--new-tab" in rest and doors().find(verb.lower()) is doors().verbs["goto"]:
        return ["tab", "new", *(word for word in rest if word != "--new-tab")]
    return list(words)


def _action(name: str) -> Callable[[Callable[[Arguments], Meaning]], Callable[[Arguments], Meaning]]:
    def register(meaning: Callable[[Arguments], Meaning]) -> Callable[[Arguments], Meaning]:
        _meanings[name] = meaning
        return meaning

    return register


def _renamed(args: Arguments, **names: str) -> Arguments:
    """The arguments with their names in the table in the place of others. Raises `ConflictingOptions` for two names of
    one argument."""
    for other, name in names.items():
        if other in args:
            if name in args:
                raise ConflictingOptions(f"{other} and {name} are the same")
            args[name] = args.pop(other)
    return args


def _targeted(args: Arguments) -> Arguments:
    """`ref`, `selector` or `x` and `y` as the target that they mean."""
    if "x" in args or "y" in args:
        try:
            args["target"] = {"point": [args.pop("x"), args.pop("y")]}
        except KeyError as missing:
            raise MissingArgument(f"a point needs {missing}", "Give both x and y, in CSS pixels.") from None
    for name in ("ref", "selector"):
        if (given := args.pop(name, None)) is not None:
            args.setdefault("target", _target(name, given))
    return args


def _target(name: str, given: Any) -> Any:
    if not isinstance(given, str):
        raise InvalidValue(f"{name} is no text", "It is a reference such as @e3, or a CSS selector.")
    if _REFERENCE.fullmatch(given) and (given.startswith("@") or name == "ref"):
        return {"reference": int(given.lstrip("@e"))}
    return {"css": given}


@_action("navigate")
def _navigate(args: Arguments) -> Meaning:
    return ("tab new" if args.pop("new_tab", False) else "goto"), args


for _name in ("click", "hover", "scroll"):
    _meanings[_name] = lambda args, name=_name: (name, _targeted(args))  # type: ignore[misc]


@_action("fill")
def _fill(args: Arguments) -> Meaning:
    return "type", _targeted(_renamed(args, value="text"))


@_action("key")
def _key(args: Arguments) -> Meaning:
    return "press", _renamed(args, key="keys", combo="keys", combination="keys")


@_action("upload")
def _upload(args: Arguments) -> Meaning:
    return "upload", _targeted(_renamed(args, files="paths", path="paths", file="paths"))


@_action("screenshot")
def _screenshot(args: Arguments) -> Meaning:
    return "screenshot", _targeted(_renamed(args, path="output", full_page="fullpage", full_length="fullpage"))


@_action("pdf")
def _pdf(args: Arguments) -> Meaning:
    return "pdf", _renamed(args, output="path")


@_action("eval")
def _eval(args: Arguments) -> Meaning:
    return "eval", _renamed(args, expression="script", js="script", code="script")


@_action("wait")
def _wait(args: Arguments) -> Meaning:
    """For an element (`ref`, `selector`), a URL pattern (`url`, `url_pattern`), an idle network (`network_idle`), or a
    time (`ms`)."""
    args = _targeted(_renamed(args, url_pattern="url", time_ms="ms"))
    if "ms" in args:
        milliseconds = args.pop("ms")
        if isinstance(milliseconds, bool) or not isinstance(milliseconds, int | float) or abs(milliseconds) > _DAY:
            raise InvalidValue("ms is no time", "It is a number of milliseconds, below a day.")
        return "wait", {**args, "duration": milliseconds / 1000}
    if args.pop("network_idle", False):
        return "wait", {**args, "state": "idle"}
    if "url" in args:
        return "wait url", _renamed(args, url="pattern")
    if "target" in args:
        args.setdefault("state", "visible")
    return "wait", args


def _sub_action(verb: str, args: Arguments, meanings: Mapping[str, Callable[[Arguments], Meaning]]) -> Meaning:
    chosen = args.pop("action", args.pop("op", None))
    if not isinstance(chosen, str) or chosen not in meanings:
        raise InvalidValue(f"{verb} has no action {chosen!r}", f"One of {', '.join(meanings)}.")
    return meanings[chosen](args)


def _numbered(args: Arguments) -> Arguments:
    return _renamed(args, index="number", tab="number", id="number")


@_action("tab")
def _tab(args: Arguments) -> Meaning:
    return _sub_action(
        "tab",
        args,
        {
            "list": lambda rest: ("tabs", rest),
            "new": lambda rest: ("tab new", {"url": "about:blank", **rest}),
            "switch": lambda rest: ("tab switch", _numbered(rest)),
            "close": lambda rest: ("tab close", _numbered(rest)),
        },
    )


@_action("login")
def _login(args: Arguments) -> Meaning:
    return "login", _renamed(args, url_pattern="until", success_url="until")


@_action("captcha")
def _captcha(args: Arguments) -> Meaning:
    args.setdefault("action", "detect")
    return _sub_action(
        "captcha", args, {"detect": lambda rest: ("captcha", rest), "solve": lambda rest: ("captcha solve", rest)}
    )


@_action("network")
def _network(args: Arguments) -> Meaning:
    return _sub_action(
        "network",
        args,
        {
            "start": lambda rest: ("network start", rest),
            "stop": lambda rest: ("network stop", rest),
            "list": lambda rest: ("network list", rest),
            "detail": lambda rest: ("request", _numbered(rest)),
        },
    )
