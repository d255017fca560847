"""What a recorded test does and checks, in terms that any browser automation has. Pure.

A step becomes an act and the checks of its expected report. Elements are found by role and accessible name, fields by
label or placeholder, and by section where several are called alike: what its page's users go by."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Literal

from oryn.core.records import Record
from oryn.engine.output.target_description import TargetDescription
from oryn.errors import InvalidTest
from oryn.language import (
    Back,
    Check,
    Clear,
    Click,
    Command,
    CssTarget,
    Forward,
    Goto,
    Hover,
    KindTarget,
    Press,
    Refresh,
    RelatedTarget,
    RoleTarget,
    Select,
    Target,
    TextTarget,
    Type,
    Uncheck,
    Upload,
    XPathTarget,
    parse,
)
from oryn.testing.expectation import CONTAINERS, PAGE_TEXTS, TEXTS, VARIES, ReportEntry
from oryn.testing.test_file import RecordedStep, RecordedTest
from oryn.testing.variation import with_varying

FindBy = Literal["role", "field", "box", "name", "password", "search", "css", "xpath"]
ActName = Literal[
    "click", "fill", "clear", "press", "select", "set", "hover", "upload", "goto", "back", "forward", "reload"
]

FIELDS = frozenset({"input", "textarea", "select"})
ROLES = frozenset(
    {"button", "link", "checkbox", "radio", "tab", "menuitem", "option", "switch", "dialog", "combobox", "treeitem"}
)
BOXES = ("checkbox", "radio", "switch")
_INFERRED = frozenset({"combobox", "option", "treeitem"})
"""Roles of elements whose names Oryn often finds beside them, where Playwright does not look."""
_FIELD_ROLES: Mapping[str, FindBy] = {"password": "password", "search": "search"}
_KEYS = {
    "enter": "Enter", "escape": "Escape", "tab": "Tab", "space": "Space", "backspace": "Backspace", "delete": "Delete",
    "up": "ArrowUp", "down": "ArrowDown", "left": "ArrowLeft", "right": "ArrowRight", "home": "Home", "end": "End",
    "pageup": "PageUp", "pagedown": "PageDown", "control": "Control", "shift": "Shift", "alt": "Alt", "meta": "Meta",
}  # fmt: skip
_MAX_NAME = 80
"""Characters of a name that has to fit as a whole; of a longer one, its beginning has to be there."""


class Locator(Record):
    """How an element is found. `value`: a name, a label or a selector; `role`: ARIA's, of `role`; `section`: a text of
    the row or section that it is in; `place`: which of several visible ones it is, from 1."""

    by: FindBy
    value: str = ""
    role: str = ""
    section: str = ""
    place: int = 0

    @property
    def is_exact(self) -> bool:
        return len(self.value) < _MAX_NAME


class Act(Record):
    """One act. `texts`: what is typed, chosen or uploaded, the URL, the key; `variant`: `double`, `right`, `on`, `off`;
    `dialog`: the answer to the dialog that it opens."""

    name: ActName
    locator: Locator | None = None
    texts: tuple[str, ...] = ()
    variant: str = ""
    dialog: str = ""


class CheckPage(Record):
    """The page has this address, relative to the base, and this title. `{{varies}}` stands for any text."""

    place: str
    title: str = ""


class CheckTexts(Record):
    """The page shows these texts."""

    texts: tuple[str, ...]


class CheckElement(Record):
    """An element is visible, or in a state: `checked`, `not checked`, `disabled`, `enabled`, `value`, `gone`."""

    locator: Locator
    state: str = "visible"
    value: str = ""


class CheckResult(Record):
    """How many elements there are, or what one holds: `exists` and `is` of the language as `yes` or `no`."""

    locator: Locator
    state: str
    value: str


Operation = Act | CheckPage | CheckTexts | CheckElement | CheckResult


class ExportedStep(Record):
    """A step. `line`: as it is in the test."""

    line: str
    operations: tuple[Operation, ...]


def operations_of(test: RecordedTest, name: str) -> list[ExportedStep]:
    """Return what a test does. Raises `InvalidTest` for a line without a counterpart."""
    values = test.values_for({}, test.preparation.base)
    found = []
    for step in test.steps:
        line = step.filled({**values, "base": ""}) if step.line.startswith("goto ") else step.filled(values)
        command = parse(line if not line.startswith("goto ") else f"goto {_address(line)}").command
        assert command is not None
        try:
            acts = [*_acts(step, command)]
        except LookupError:
            where = f"{name}:{step.number}: " if step.number else ""
            raise InvalidTest(f"{where}{step.line} can't be exported", "Export the test as oil or program.") from None
        dialog = _dialog_of(step)
        if dialog and acts:
            last = acts[-1]
            acts[-1] = last.replace(dialog=dialog) if isinstance(last, Act) else last
        found.append(ExportedStep(step.line, (*acts, *_checks(step, (*test.vary, *step.vary)))))
    return found


def _address(line: str) -> str:
    """Return the address of a `goto` as it is, which is relative if it is the base's."""
    rest = line.removeprefix("goto ").strip()
    return f"http://base.invalid{rest or '/'}" if rest.startswith("/") or not rest else rest


def place_of(command: Goto) -> str:
    """Return a `goto`'s URL, relative to the base if it is the base's."""
    return command.url.removeprefix("http://base.invalid") or "/"


# --- acts ---


def _acts(step: RecordedStep, command: Command) -> Iterator[Operation]:
    """Raises `LookupError`."""
    target = getattr(command, "target", None)
    locator = locator_of(target, step.targets.get("target")) if target is not None else None
    match command:
        case Goto():
            yield Act("goto", texts=(place_of(command),))
        case Back():
            yield Act("back")
        case Forward():
            yield Act("forward")
        case Refresh():
            yield Act("reload")
        case Click(double=double, right=right, middle=middle):
            yield Act(
                "click", locator, variant="double" if double else "right" if right else "middle" if middle else ""
            )
        case Type(text=text, enter=enter):
            yield Act("fill", locator, (text,))
            if enter:
                yield Act("press", locator, ("Enter",))
        case Clear():
            yield Act("clear", locator)
        case Press(keys=keys):
            yield Act("press", texts=("+".join(_KEYS.get(key, key) for key in keys),))
        case Select(choice=tuple() as choice):
            yield Act("select", locator, choice)
        case Check():
            yield Act("set", locator, variant="on")
        case Uncheck():
            yield Act("set", locator, variant="off")
        case Hover():
            yield Act("hover", locator)
        case Upload(paths=paths):
            yield Act("upload", locator, paths)
        case _:
            yield from _composed(step, command)


def _composed(step: RecordedStep, command: Command) -> Iterator[Operation]:
    """Return the acts of commands that find their elements by themselves, and the checks of those that ask."""
    entries = step.expected.entries if step.expected else ()
    match command.spec.name:
        case "search":
            yield Act("fill", Locator("search"), (getattr(command, "query"),))  # noqa: B009
            yield Act("press", Locator("search"), ("Enter",))
        case "accept_cookies" | "dismiss":
            gone = next(each for each in entries if each.sign == "-" and each.kind in ("button", "link"))
            yield Act("click", Locator("role", gone.text, gone.kind))
        case "exists":
            target = getattr(command, "target")  # noqa: B009
            result = next(each.text for each in entries if each.kind == "result")
            yield CheckResult(locator_of(target, step.targets.get("target")), "exists", result)
        case "wait text" if not getattr(command, "gone"):  # noqa: B009
            yield CheckTexts((getattr(command, "pattern").replace("*", VARIES),))  # noqa: B009
        case "wait" | "wait text" | "wait url":
            return  # what comes next waits by itself
        case _:
            raise LookupError(command.spec.name)


def locator_of(target: Target, described: TargetDescription | None) -> Locator:
    """Return how a target is found. Raises `LookupError` for a number or a point."""
    if isinstance(target, CssTarget):
        return Locator("css", target.selector)
    if isinstance(target, XPathTarget):
        return Locator("xpath", target.expression)
    if described is not None and not described.name and described.place and described.kind in FIELDS:
        return Locator("css", _selector(described.kind, described.role), place=described.place)
    related = target.to if isinstance(target, RelatedTarget) else None
    if described is not None and (described.name or described.role in _FIELD_ROLES):
        section = related.text if isinstance(related, TextTarget) else described.section
        return _described(described.kind, described.role, described.name, section)
    match target:
        case RelatedTarget(subject, "inside" | "near", TextTarget(text)):
            return locator_of(subject, None).replace(section=text)
        case KindTarget(kind, text) if text:
            type_, _, role = kind.partition("/")
            return _described(type_, role, text)
        case RoleTarget("password" | "search" as name):
            return Locator(name)
        case TextTarget(text):
            return Locator("name", text)
    raise LookupError(str(target))


def _selector(kind: str, role: str) -> str:
    """Return the selector of the fields that are counted with a nameless one."""
    if kind != "input" or role in ("", "generic"):
        return kind
    return "input:not([type]), input[type=text]" if role == "text" else f"input[type={role}]"


def _described(kind: str, role: str, name: str, section: str = "") -> Locator:
    if kind in FIELDS:
        by: FindBy = "field" if name else _FIELD_ROLES.get(role, "field")
        return Locator(by, name[:_MAX_NAME], section=section)
    if kind in BOXES and name:
        return Locator("box", name[:_MAX_NAME], kind, section)
    aria = next((each for each in (role, kind) if each in ROLES), "")
    if not name:
        raise LookupError(kind)
    return Locator("role" if aria else "name", name[:_MAX_NAME], aria, section)


# --- checks ---


def _checks(step: RecordedStep, vary: Sequence[str]) -> Iterator[Operation]:
    texts: list[str] = []
    for each in step.expected.entries if step.expected else ():
        if each.sometimes:
            continue
        entry = each.replace(text=with_varying(each.text, vary), place=with_varying(each.place, vary)) if vary else each
        if entry.kind in ("page", "url"):
            yield CheckPage(entry.place, entry.text)
        elif entry.kind == "title":
            yield CheckPage("", entry.text)
        elif entry.kind in TEXTS:
            if entry.sign != "-" and entry.kind in PAGE_TEXTS and entry.text.strip():
                texts.append(entry.text)
        elif entry.is_element and entry.sign != "=":
            yield from _element_checks(entry)
    if texts:
        yield CheckTexts(tuple(dict.fromkeys(texts)))


def _element_checks(entry: ReportEntry) -> Iterator[Operation]:
    kind, _, role = entry.kind.partition("/")
    is_named = kind in FIELDS or {kind, role} & ROLES - _INFERRED
    if VARIES in entry.text or not is_named or not _is_written(entry):
        return
    locator = _described(kind, role, entry.text)
    if entry.sign == "-":
        if entry.kind in CONTAINERS:
            yield CheckElement(locator, "gone")
        return
    states = set(entry.states)
    if (kind in FIELDS or kind in BOXES) and entry.sign == "+":
        return  # its label may be a text beside it, where Playwright does not look
    if kind in BOXES:
        yield CheckElement(locator, "checked" if "checked" in states else "not checked")
    elif entry.value is not None and VARIES not in entry.value and kind in FIELDS and not entry.value.endswith("…"):
        yield CheckElement(locator, "value", entry.value)
    elif states & {"disabled", "enabled"}:
        yield CheckElement(locator, "disabled" if "disabled" in states else "enabled")
    else:
        yield CheckElement(locator)


def _is_written(entry: ReportEntry) -> bool:
    """Return whether a name was written for people: that of an icon may come from its class, as no other tool does."""
    return bool(entry.text) and not entry.text[0].islower()


def _dialog_of(step: RecordedStep) -> str:
    entries = step.expected.entries if step.expected else ()
    found = next((each for each in entries if each.kind.startswith("dialog ")), None)
    if found is None:
        return ""
    return "accept" if "accepted" in found.states or found.kind == "dialog alert" else "dismiss"
