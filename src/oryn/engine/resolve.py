"""From what a command says (`click "Sign in"`) to one element of the page."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from difflib import get_close_matches
from typing import TYPE_CHECKING, Any

from oryn.browsers.base import Frame
from oryn.engine import ranking
from oryn.engine.elements import Element, label
from oryn.engine.view import FRAME_GONE, ask
from oryn.errors import Ambiguous, ElementNotFound, ElementStale
from oryn.language import Css, Id, Point, Reference, Related, Role, Target, Text, XPath, render, target_json

if TYPE_CHECKING:
    from oryn.engine.session import Session

EQUALS_TOLD = 5
_COMPARED = 100
"""Characters of a text that names of elements are compared with, where it is none of them."""


@dataclass(frozen=True, slots=True)
class Resolved:
    """One element: its number, the frame whose scanner knows it (None: the top one), its record if one is known."""

    id: int
    frame: Frame | None = None
    element: Element | None = None
    notes: list[str] = field(default_factory=list)


def numbers_in(target: Target) -> list[int]:
    """The ids that a target names, also inside relations."""
    return [part.number for part in _parts(target) if isinstance(part, Id)]


def references_in(target: Target) -> list[int]:
    """The references (`@e5`) that a target names, also inside relations."""
    return [part.number for part in _parts(target) if isinstance(part, Reference)]


def _parts(target: Target) -> Iterator[Target]:
    while isinstance(target, Related):
        yield target.subject
        target = target.to
    yield target


def frames_of_numbers(session: Session, target: Target) -> set[Frame | None]:
    """The frames of the elements that a target names by number; what is related to one is in its frame. Empty where it
    names none. Raises `ElementNotFound` for a number nobody was told."""
    view = session.view
    view.enter(session.page)
    for number in numbers_in(target):
        view.check_told(number)
    for reference in references_in(target):
        view.check_reference(reference)
    frames = {view.frames.get(number) for number in numbers_in(target)}
    return frames | {view.references[reference] for reference in references_in(target)}


async def find_in_frames(
    session: Session,
    wanted: dict[str, Any],
    *,
    any: bool = False,
    frames: bool = False,
    only: set[Frame | None] | None = None,
) -> list[tuple[dict[str, Any], Frame | None]]:
    """The scanner's `find` in every frame (or in those of `only`), with the numbers it gave noted in the view."""
    view, page = session.view, session.page
    view.enter(page)
    answers: list[tuple[dict[str, Any], Frame | None]] = []
    for position, root in enumerate(page.roots(session.frame)):
        frame = root if position or session.frame else None
        if only and frame not in only:
            continue
        request = {"cmd": "find", "target": wanted, "any": any, "frames": frames, "next_id": view.next_id}
        try:
            data = await ask(page, request, frame, session.remaining())
        except FRAME_GONE:
            if position == 0:
                raise
            continue
        view.next_id = data["next_id"]
        if frame is not None:
            view.frames.update((element["id"], frame) for element in data["matches"])
        answers.append((data, frame))
    return answers


async def matches(session: Session, target: Target, *, any: bool = False) -> list[tuple[Element, Frame | None]]:
    """All elements that fit, in document order. Raises `ElementNotFound` for a number nobody was told."""
    only = frames_of_numbers(session, target)
    try:
        answers = await find_in_frames(session, target_json(target), any=any, only=only)
    except ElementStale as error:
        if references_in(target):
            raise ElementStale(error.message, "The element has left the page. Run 'snapshot' to refresh.") from error
        raise
    return [(element, frame) for data, frame in answers for element in data["matches"]]


async def resolve(session: Session, target: Target, verb: str, *, strict: bool = False) -> Resolved:
    """The element that a target means for a verb. Raises `ElementNotFound`, `Ambiguous` (`strict`, or the setting)."""
    view = session.view
    view.enter(session.page)
    if view.elements is None:
        # Numbers follow the page's order, whatever is asked for first.
        await view.refresh(session.page, session.frame, timeout=session.remaining())
    if isinstance(target, Id):
        view.check_told(target.number)
        if known := (view.elements or {}).get(target.number):
            return Resolved(target.number, view.frames.get(target.number), known)
    found = await matches(session, target, any=verb in ranking.PLAIN_VERBS)
    if not found and isinstance(target, Role):
        # `click submit` also means a button that only says so.
        found = await matches(session, Text(target.name))
    if not found and not isinstance(target, Css | XPath):
        found = await matches(session, target, any=True)
    equals = ranking.best([element for element, _ in found], verb)
    if not equals:
        raise ElementNotFound("element not found", _nearest(session, target))
    taken, others = equals[0], equals[1:]
    notes = []
    if others and not _may_tie(target):
        if strict or session.options.strict:
            view.tell([element["id"] for element in equals])
            candidates = "\n".join(label(element) for element in equals)
            raise Ambiguous(
                f"{len(equals)} elements match {render(target)}", f"Choose one by its number:\n{candidates}"
            )
        view.tell([element["id"] for element in equals[: EQUALS_TOLD + 1]])
        notes.append(_equals_note(target, taken, others))
    frame = next(frame for element, frame in found if element is taken)
    return Resolved(taken["id"], frame, taken, notes)


def _may_tie(target: Target) -> bool:
    """A point means what is there, whatever else is below it."""
    return isinstance(target, Point)


def _equals_note(target: Target, taken: Element, others: Sequence[Element]) -> str:
    """`2 elements match "Delete": took [5], also [9]` (intent-language §3)."""
    also = ", ".join(f"[{element['id']}]" for element in others[:EQUALS_TOLD])
    more = f" and {len(others) - EQUALS_TOLD} more" if len(others) > EQUALS_TOLD else ""
    return f"{len(others) + 1} elements match {render(target)}: took [{taken['id']}], also {also}{more}"


def _nearest(session: Session, target: Target) -> str:
    """A hint with the names most like the wanted text, from what is known of the page."""
    while isinstance(target, Related):
        target = target.subject
    known = {element["text"].lower(): element for element in (session.view.elements or {}).values() if element["text"]}
    if isinstance(target, Text):
        near = get_close_matches(target.text[:_COMPARED].lower(), known, n=3, cutoff=0.5)
        if near:
            session.view.tell([known[name]["id"] for name in near])
            return "Did you mean " + ", ".join(label(known[name]) for name in near) + "?"
    return "Run 'observe' to see what is there."
