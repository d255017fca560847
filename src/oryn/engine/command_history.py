"""The history of a session's commands, as far as they can be repeated: the input of `learn`.

Typed or chosen texts are stored apart from the command, so that commands that differ only in them are equal. The
content of password fields is never stored, except a reference to the vault, which only names it."""

from __future__ import annotations

import re
import time
from collections import deque
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from oryn.core import text_safety
from oryn.errors import OrynError
from oryn.language import (
    MASK,
    ROLES,
    VAULT_REFERENCE,
    AcceptCookies,
    Back,
    Check,
    Clear,
    Click,
    Command,
    CssTarget,
    Dismiss,
    FillForm,
    Goto,
    Hover,
    IdTarget,
    Login,
    Press,
    RelatedTarget,
    RoleTarget,
    Run,
    ScrollUntil,
    Search,
    Select,
    Submit,
    Target,
    TextTarget,
    Type,
    Uncheck,
    XPathTarget,
    mask_secret,
    render,
)

if TYPE_CHECKING:
    from oryn.browsers.base import Browser
    from oryn.engine.output.answer import Answer
    from oryn.engine.page.element_index import ElementIndex

MAX_COMMANDS = 200
"""Maximum number of commands in the history."""
MAX_COMMAND_CHARACTERS = 500
MAX_REQUEST_SECONDS = 600.0
"""How long after a press a site's message may come that the press has led to."""
TYPED_TEXT_WINDOW = 10
"""A clicked text counts as typed if one of this many previous commands has typed it."""

LEARNABLE = (
    Click, Type, Clear, Press, Select, Check, Uncheck, Submit, Hover,
    Login, Search, Dismiss, AcceptCookies, FillForm, ScrollUntil,
)  # fmt: skip
MOVES = (Goto, Back)
"""Commands that are recorded for programs alone: an intent of steps begins on the page on which it is run."""
_VARYING_PART = re.compile(r"\d|[0-9a-f]{8,}", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class TextSlot:
    """A text of a command. `word` replaces it there, `label` says what it is for; `text` is None for a secret."""

    word: str
    label: str
    text: str | None


@dataclass(frozen=True, slots=True)
class RecordedCommand:
    """A command that was run. `fresh`: it began on another page than the one on which the previous command ended."""

    command: Command
    slots: tuple[TextSlot, ...]
    page: str
    fresh: bool

    @property
    def moves(self) -> bool:
        return isinstance(self.command, MOVES)

    @property
    def key(self) -> str:
        """A text that is equal for commands that differ only in their texts, on pages of one pattern."""
        return f"{self.page} {render(self.command)}"


@dataclass(frozen=True, slots=True)
class NotedCommand:
    """A command that was run, its secrets masked, as it is until somebody asks for the history. `text` of its elements
    replaces their numbers already; `url` and `document` are those at its start."""

    command: Command
    url: str
    document: str
    former: str | None
    """The document on which the command before ended; None if another command ran since."""


class CommandHistory:
    """The latest commands of a session that `learn` may use."""

    def __init__(self) -> None:
        self._noted: deque[NotedCommand] = deque(maxlen=MAX_COMMANDS)
        self._commands: deque[RecordedCommand] = deque(maxlen=MAX_COMMANDS)
        self._document: str | None = None
        """The document on which the last command of the history ended; None if another command ran since."""
        self._request_at = self._next_request_at = 0.0

    @property
    def request_at(self) -> float | None:
        """When the last command before the current one began that may have made a site send a code, as Unix time: it
        has pressed something other than a field. None if none did in the last ten minutes."""
        return self._request_at if time.time() - self._request_at < MAX_REQUEST_SECONDS else None

    @property
    def commands(self) -> list[RecordedCommand]:
        """The commands that can be repeated, without moves."""
        return [each for each in self.sequence if not each.moves]

    @property
    def sequence(self) -> deque[RecordedCommand]:
        """The commands that can be repeated. Texts are cut out of them here, since few sessions ask for them."""
        while self._noted:
            each = self._noted.popleft()
            if _is_repeatable(each.command):
                typed = [slot.text for one in list(self._commands)[-TYPED_TEXT_WINDOW:] for slot in one.slots]
                command, slots = _extract_slots(each.command, [one for one in typed if one])
                is_fresh = each.former is None or each.former != each.document
                self._commands.append(RecordedCommand(command, slots, page_pattern(each.url), is_fresh))
        return self._commands

    def begin(self, browser: Browser, index: ElementIndex, command: Command) -> NotedCommand | None:
        """Return what is to be added if the command succeeds; None if it can't be repeated on another page. Called
        before the command runs; `index` resolves its numbers."""
        if command.spec.family == "Moving":
            if not isinstance(command, MOVES):
                return None
            _, url = _document_and_url(browser)
            return NotedCommand(_masked(command) if command.has_secret else command, url, "", None)
        former, self._document = self._document, None
        self._request_at = self._next_request_at
        if _may_request(index, command):
            self._next_request_at = time.time()
        if not isinstance(command, LEARNABLE):
            return None
        document, url = _document_and_url(browser)
        plain = _with_text_target(index, command) if document is not None else None
        if document is None or plain is None:
            return None
        if isinstance(plain, FillForm) or plain.has_secret:
            plain = _masked(plain)
        return NotedCommand(plain, url, document, former)

    def add(self, noted: NotedCommand | None, answer: Answer, browser: Browser) -> None:
        """Add a command that was run. Its answer says whether it has succeeded, and whether its text is a secret."""
        if noted is None or not answer.ok:
            return
        if MASK in answer.command:
            noted = replace(noted, command=_masked(noted.command))
        self._noted.append(noted)
        if isinstance(noted.command, MOVES):
            return
        try:
            self._document = browser.page.document
        except OrynError:
            self._document = None


def _may_request(index: ElementIndex, command: Command) -> bool:
    """Return whether the command may make a site send something: it presses what is not a field."""
    match command:
        case Click(target=target):
            return not _is_field(index, target)
        case Press(keys=keys):
            return bool({"enter", "space"} & set(keys))
        case Type(text=text, enter=enter):
            return bool(enter) or "\n" in text
        case Login() | Submit() | Run():
            return True
    return False


def _is_field(index: ElementIndex, target: Target) -> bool:
    elements = (index.elements or {}).values()
    match target:
        case IdTarget(number):
            named = [each for each in elements if each["id"] == number]
        case TextTarget(text):
            named = [each for each in elements if each["text"].strip().casefold() == text.strip().casefold()]
        case _:
            return False
    return bool(named) and all(each["type"] in ("input", "textarea") for each in named)


def _is_repeatable(command: Command) -> bool:
    """Return whether a definition may contain the command: it is short, and has no placeholder but of the vault."""
    text = render(command)
    return len(text) <= MAX_COMMAND_CHARACTERS and "{{" not in VAULT_REFERENCE.sub("", text)


def _document_and_url(browser: Browser) -> tuple[str | None, str]:
    """Return document and URL of the page; None and an empty URL while the browser starts, or after it has ended."""
    try:
        page = browser.page
        return page.document, page.url
    except OrynError:
        return None, ""


def page_pattern(url: str) -> str:
    """Return a pattern for a URL, without its query: `shop.example/plants/*`. Parts with digits become `*`, as does the
    last of several parts of a path."""
    host, *parts = text_safety.location(re.split(r"[?#]", url, maxsplit=1)[0]).split("/")
    pattern = ["*" if _VARYING_PART.search(part) else part for part in parts]
    if len(pattern) > 1:
        pattern[-1] = "*"
    return "/".join([host, *pattern])


def _with_text_target(index: ElementIndex, command: Command) -> Command | None:
    target: Target | None = getattr(command, "target", None)
    if target is None:
        return command
    named = _target_by_text(index, target)
    return command.replace(target=named) if named is not None else None


def _target_by_text(index: ElementIndex, target: Target) -> Target | None:
    """Return the target without numbers, which are not valid on another page; None if that is impossible."""
    match target:
        case IdTarget(number):
            element = (index.elements or {}).get(number)
            text = element["text"].strip() if element else ""
            if element and not text and element.get("role") in ROLES:
                return RoleTarget(element["role"])
            return TextTarget(text) if 0 < len(text) <= 80 else None
        case RelatedTarget(subject, relation, to):
            first, second = _target_by_text(index, subject), _target_by_text(index, to)
            if first is None or second is None or isinstance(first, RelatedTarget):
                return None
            return RelatedTarget(first, relation, second)
        case TextTarget() | RoleTarget() | CssTarget() | XPathTarget():
            return target
    return None


def _masked(command: Command) -> Command:
    """Mask what may be a credential. All values of a form may be, because its password fields are not known here."""
    if isinstance(command, Type):
        return command.replace(text=mask_secret(command.text))
    if isinstance(command, FillForm):
        values = {name: mask_secret(v) if isinstance(v, str) else v for name, v in command.values_by_field.items()}
        return command.replace(values_by_field=values)
    return command.masked()


def _extract_slots(command: Command, typed: list[str]) -> tuple[Command, tuple[TextSlot, ...]]:
    """Replace each text of a command that may vary by a slot's word. `typed` are the texts of the previous commands: a
    click on one of them means a click on whatever was typed."""
    slots: list[TextSlot] = []

    def slot(label: str, text: str) -> str:
        word = f"slotz{len(slots)}x"
        slots.append(TextSlot(word, label, None if text == MASK else text))
        return word

    changes: dict[str, Any] = {}
    match command:
        case Type(target, text):
            changes = {"text": slot(_label(target), text)}
        case Goto(url):
            changes = {"url": slot("url", url)}
        case Search(query):
            changes = {"query": slot("query", query)}
        case Login(user, password):
            changes = {"user": slot("user", user), "password": slot("password", password)}
        case Select(target, tuple() as choice):
            changes = {"choice": tuple(slot(_label(target), each) for each in choice)}
        case FillForm(values):
            changes = {
                "values_by_field": {
                    name: slot(name, each) if isinstance(each, str) else each for name, each in values.items()
                }
            }
        case Click(TextTarget(text)) | ScrollUntil(TextTarget(text)) if text in typed:
            changes = {"target": TextTarget(slot("text", text))}
    return (command.replace(**changes) if changes else command), tuple(slots)


def _label(target: Target) -> str:
    match target:
        case TextTarget(text):
            return text
        case RoleTarget(name):
            return name
        case RelatedTarget(subject):
            return _label(subject)
    return "text"
