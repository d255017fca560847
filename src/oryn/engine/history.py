"""What a session has done of late, as far as it could be done again: what `learn` looks at.

Texts that were typed or chosen are held apart from the command, so that commands that differ in them alone are equal.
What goes into a password field is not held at all, save what only names it: a reference to the vault.
"""

from __future__ import annotations

import re
from collections import deque
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from oryn.engine import escape
from oryn.errors import OrynError
from oryn.language import (
    MASK,
    ROLES,
    VAULT_REFERENCE,
    AcceptCookies,
    Check,
    Clear,
    Click,
    Command,
    Css,
    Dismiss,
    FillForm,
    Hover,
    Id,
    Login,
    Press,
    Related,
    Role,
    ScrollUntil,
    Search,
    Select,
    Submit,
    Target,
    Text,
    Type,
    Uncheck,
    XPath,
    dots,
    render,
)

if TYPE_CHECKING:
    from oryn.engine.answer import Answer
    from oryn.engine.session import Session

KEPT = 200
"""Commands that are remembered."""
TEXT_LIMIT = 500
LOOK_BACK = 10
"""How many commands back a text that is clicked on may have been typed."""

LEARNT = (
    Click, Type, Clear, Press, Select, Check, Uncheck, Submit, Hover,
    Login, Search, Dismiss, AcceptCookies, FillForm, ScrollUntil,
)  # fmt: skip
_VARYING_PART = re.compile(r"\d|[0-9a-f]{8,}", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Slot:
    """A text of a command. `word` stands for it there, `label` says what it is for; `text` is None for a secret."""

    word: str
    label: str
    text: str | None


@dataclass(frozen=True, slots=True)
class Done:
    """A command that was done. `fresh`: it began on another page than the one before it ended on."""

    command: Command
    slots: tuple[Slot, ...]
    page: str
    fresh: bool

    @property
    def key(self) -> str:
        """The same for what is the same but for its texts, on pages of one pattern."""
        return f"{self.page} {render(self.command)}"


class Seen:
    """A command under way; `answer` is set once it has one."""

    answer: Answer


class History:
    """The last commands of a session that `learn` may use."""

    def __init__(self) -> None:
        self.done: deque[Done] = deque(maxlen=KEPT)
        self._document: str | None = None
        """The document where the last of them ended; None where something else came between."""

    @contextmanager
    def watching(self, session: Session, command: Command) -> Iterator[Seen]:
        """Remember the command if it ends well."""
        seen = Seen()
        noted = self._note(session, command)
        document, self._document = self._document, None
        yield seen
        if noted is None or not seen.answer.ok:
            return
        page, began, plain = noted
        if MASK in seen.answer.command:
            plain = _masked(plain)
        recent = list(self.done)[-LOOK_BACK:]
        command, slots = _apart(plain, [slot.text for each in recent for slot in each.slots if slot.text])
        self.done.append(Done(command, slots, page, fresh=document is None or document != began))
        self._document = _where(session)[0]

    def _note(self, session: Session, command: Command) -> tuple[str, str, Command] | None:
        """Before it is done: the page's pattern, its document, and the command with its elements by their texts; None
        for what can't be done again elsewhere."""
        if not isinstance(command, LEARNT):
            return None
        document, url = _where(session)
        if document is None:
            return None
        plain = _by_text(session, command)
        if plain is None or len(render(plain)) > TEXT_LIMIT or "{{" in VAULT_REFERENCE.sub("", render(plain)):
            return None
        if isinstance(plain, FillForm) or plain.has_secret:
            plain = _masked(plain)
        return page_pattern(url), document, plain


def _where(session: Session) -> tuple[str | None, str]:
    """The document and the URL of the page; none while the browser starts, or when it has ended."""
    try:
        return session.page.document, session.page.url
    except OrynError:
        return None, ""


def page_pattern(url: str) -> str:
    """`shop.example/plants/*`: a URL without its query; of several parts of a path the last may be any, as may
    what has digits."""
    host, *parts = escape.location(re.split(r"[?#]", url, maxsplit=1)[0]).split("/")
    shown = ["*" if _VARYING_PART.search(part) else part for part in parts]
    if len(shown) > 1:
        shown[-1] = "*"
    return "/".join([host, *shown])


def _by_text(session: Session, command: Command) -> Command | None:
    target: Target | None = getattr(command, "target", None)
    if target is None:
        return command
    named = _target_by_text(session, target)
    return command.replace(target=named) if named is not None else None


def _target_by_text(session: Session, target: Target) -> Target | None:
    """The target without numbers, which mean nothing on another page."""
    match target:
        case Id(number):
            element = (session.view.elements or {}).get(number)
            text = element["text"].strip() if element else ""
            if element and not text and element.get("role") in ROLES:
                return Role(element["role"])
            return Text(text) if 0 < len(text) <= 80 else None
        case Related(subject, relation, to):
            first, second = _target_by_text(session, subject), _target_by_text(session, to)
            if first is None or second is None or isinstance(first, Related):
                return None
            return Related(first, relation, second)
        case Text() | Role() | Css() | XPath():
            return target
    return None


def _masked(command: Command) -> Command:
    """Without what may be a credential. A form's values all may be: which fields are passwords is not known here."""
    if isinstance(command, Type):
        return command.replace(text=dots(command.text))
    if isinstance(command, FillForm):
        values = {name: dots(v) if isinstance(v, str) else v for name, v in command.values_by_field.items()}
        return command.replace(values_by_field=values)
    return command.masked()


def _apart(command: Command, typed: list[str]) -> tuple[Command, tuple[Slot, ...]]:
    """The command with a word in the place of each text that may be another the next time. `typed` are the texts of the
    commands before: clicking on one of them is clicking on whatever was typed."""
    slots: list[Slot] = []

    def slot(label: str, text: str) -> str:
        word = f"slotz{len(slots)}x"
        slots.append(Slot(word, label, None if text == MASK else text))
        return word

    changes: dict[str, Any] = {}
    match command:
        case Type(target, text):
            changes = {"text": slot(_label(target), text)}
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
        case Click(Text(text)) | ScrollUntil(Text(text)) if text in typed:
            changes = {"target": Text(slot("text", text))}
    return (command.replace(**changes) if changes else command), tuple(slots)


def _label(target: Target) -> str:
    match target:
        case Text(text):
            return text
        case Role(name):
            return name
        case Related(subject):
            return _label(subject)
    return "text"
