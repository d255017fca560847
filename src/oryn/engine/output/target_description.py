"""What a command's target was, in words that find it again on another page: the history and tests have it beside the
number, which means nothing there."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import Any

from oryn.core import text_safety
from oryn.core.records import Record
from oryn.engine.output.elements import Element, kind, without_repetition
from oryn.language import (
    ROLES,
    Command,
    IdTarget,
    KindTarget,
    ReferenceTarget,
    RelatedTarget,
    RoleTarget,
    SimpleTarget,
    Target,
    TextTarget,
)

MAX_NAME_CHARACTERS = 120
"""Characters of a name, of which targets need no more."""
_QUERY = re.compile(r"[?#]")
_MARK = re.compile(r"#[A-Za-z_-]+|\[(?:data-[a-z-]+|name)=\"[^\"\]\d]+\"\]")
"""A selector that an author has chosen: no path, and nothing counted."""


class TargetDescription(Record):
    """An element in words. Empty texts are unknown.

    `kind` is its type, `role` its role and `name` its accessible name. `section` is a text of the row, card or section
    that it is in, if another element is called like it. `previous` and `next` are the names of the nearest elements
    before and after it that have another name. `mark` is a selector that its author has given it. `place` counts the
    elements of its kind from 1 to itself. `page` is the path of its page."""

    kind: str
    role: str = ""
    name: str = ""
    section: str = ""
    previous: str = ""
    next: str = ""
    mark: str = ""
    place: int = 0
    page: str = ""

    def data(self) -> dict[str, Any]:
        """The description as JSON, without what is unknown."""
        return {name: value for name, value in self.values().items() if value}

    @classmethod
    def of_fields(cls, row: Mapping[str, Any] | None) -> dict[str, TargetDescription]:
        """The descriptions in a row of the history, by the names of fields; without those that are none."""
        described = {name: cls.of(data) for name, data in (row or {}).items()}
        return {name: each for name, each in described.items() if each is not None}

    @classmethod
    def of(cls, data: Mapping[str, Any]) -> TargetDescription | None:
        """The description in JSON; None if that is none."""
        kind, place = data.get("kind"), data.get("place", 0)
        texts = {name: data[name] for name in cls.__fields__ if isinstance(data.get(name), str)}
        return cls(**texts, place=place) if kind and isinstance(kind, str) and isinstance(place, int) else None

    def masked(self, mask: Callable[..., Any]) -> TargetDescription:
        """The description with its texts masked by `SessionSecrets.mask_data`."""
        return TargetDescription(**mask(self.values(), numbers=False, displayed=True))

    @property
    def target(self) -> Target | None:
        """The target that means the element without its number; None for one that has neither name nor role."""
        subject: SimpleTarget
        if self.name:
            subject = KindTarget(self.kind, self.name)
        elif self.role in ROLES:
            subject = RoleTarget(self.role)
        else:
            return None
        return RelatedTarget(subject, "inside", TextTarget(self.section)) if self.section else subject


def describe_element(elements: Mapping[int, Element], number: int, url: str = "") -> TargetDescription | None:
    """Describe one of the elements of a scan of the page `url`, which are in the page's order; None if it is not one of
    them."""
    element = elements.get(number)
    if element is None:
        return None
    rows, at, own_kind = list(elements.values()), list(elements).index(number), kind(element)
    return TargetDescription(
        kind=element["type"],
        role=element.get("role") or "",
        name=_name(element),
        section=_shortened(element.get("context") or ""),
        previous=_nearest(reversed(rows[:at]), element),
        next=_nearest(rows[at + 1 :], element),
        place=sum(kind(each) == own_kind for each in rows[: at + 1]),
        page=text_safety.path(_QUERY.split(url, maxsplit=1)[0]) if url else "",
    )


def with_mark(target: TargetDescription, elements: Sequence[Element]) -> TargetDescription:
    """Add the mark that the author of the page has given the element, if it has one. `elements`: those of its page,
    with their selectors, as `observe --full` has them."""
    found = {each["id"]: each for each in elements}
    for number, element in found.items():
        selector = element.get("selector") or ""
        if _MARK.fullmatch(selector) and describe_element(found, number) == target.replace(page="", mark=""):
            return target.replace(mark=selector)
    return target


def describe_numbers(elements: Mapping[int, Element], command: Command, url: str = "") -> dict[str, TargetDescription]:
    """Describe the targets of a command that are numbers, by the names of its fields, from a scan of the page `url`."""
    found = {}
    for name, target in targets_of(command):
        subject = target.subject if isinstance(target, RelatedTarget) else target
        number = subject.number if isinstance(subject, IdTarget | KindTarget) else None
        if number is not None and (described := describe_element(elements, number, url)):
            found[name] = described
    return found


def targets_of(command: Command) -> Iterator[tuple[str, Target]]:
    """The targets of a command, with the names of its fields."""
    for field in (*command.spec.arguments, *command.spec.options.values()):
        if isinstance(value := getattr(command, field.name), Target):
            yield field.name, value


def without_numbers(command: Command, described: Mapping[str, TargetDescription]) -> Command | None:
    """Return the command with targets in words instead of numbers and references; the command itself if it has none,
    None if nothing describes one of them."""
    changed: dict[str, Target] = {}
    for name, target in targets_of(command):
        if not _has_number(target):
            continue
        wanted = described[name].target if name in described else None
        if wanted is None and isinstance(target, KindTarget):
            wanted = target.replace(number=None)
        if wanted is None:
            return None
        changed[name] = wanted
    return command.replace(**changed) if changed else command


def _has_number(target: Target) -> bool:
    match target:
        case RelatedTarget(subject, _, to):
            return _has_number(subject) or _has_number(to)
        case IdTarget() | ReferenceTarget():
            return True
        case KindTarget(number=number):
            return number is not None
    return False


def _name(element: Element) -> str:
    return _shortened(without_repetition(element["text"].strip()))


def _shortened(text: str) -> str:
    return text[:MAX_NAME_CHARACTERS].rstrip()  # without an ellipsis: a beginning is found, too


def _nearest(elements: Iterable[Element], subject: Element) -> str:
    """The name of the first element that has one, which is not the subject's own."""
    own = subject["text"]
    return next((_name(each) for each in elements if each["text"].strip() and each["text"] != own), "")
