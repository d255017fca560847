"""Resolves a command's target (`click "Sign in"`) to one element of the page, and clicks it.

The scanner checks whether and where the element can be clicked, both before the mouse moves and again under the mouse.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import TYPE_CHECKING, NamedTuple

from oryn.browsers.base import Checkpoint, Frame, MouseButton, Page
from oryn.core.suggestions import similar_names
from oryn.core.text_folding import fold
from oryn.core.text_safety import quoted
from oryn.engine.output.elements import Element, label, quoted_name, without_repetition
from oryn.engine.page import ranking
from oryn.engine.page.actionability import wait_until_accepted, wait_until_found
from oryn.engine.page.element_index import ElementIndex
from oryn.engine.page.scanner import Resolved, query_frames, query_scanner
from oryn.errors import Ambiguous, ElementNotFound, ElementStale, LanguageError
from oryn.language import (
    CssTarget,
    IdTarget,
    KindTarget,
    PointTarget,
    ReferenceTarget,
    RelatedTarget,
    RoleTarget,
    SimpleTarget,
    Target,
    TargetData,
    TextTarget,
    XPathTarget,
    is_kind,
    render,
    target_json,
    target_of_text,
)

if TYPE_CHECKING:
    from oryn.engine.page.context import PageContext
    from oryn.scanner.protocol import (
        ApproachPlace,
        ApproachRequest,
        ApproachResponse,
        FindRequest,
        FindResponse,
        LocateParameters,
        LocatePurpose,
        LocateRequest,
        LocateResponse,
        WatchResponse,
    )

MAX_EQUALS_LISTED = 5


def numbers_in(target: Target) -> list[int]:
    """Return the ids that a target names, also inside relations."""
    return [part.number for part in _parts(target) if isinstance(part, IdTarget)]


def printed_references_in(target: Target) -> list[int]:
    """Return the references of `button "Save" @e5` in a target, which stand for an element as `@e5` alone does."""
    parts = _parts(target)
    return [part.reference for part in parts if isinstance(part, KindTarget) and part.reference is not None]


def references_in(target: Target) -> list[int]:
    """Return the references (`@e5`) that a target names, also inside relations."""
    return [part.number for part in _parts(target) if isinstance(part, ReferenceTarget)]


def _parts(target: Target) -> Iterator[Target]:
    while isinstance(target, RelatedTarget):
        yield target.subject
        target = target.to
    yield target


def printed_numbers_in(target: Target) -> list[int]:
    """Return the numbers of `[5] button "Save"` in a target, which stand for an element as ids do."""
    parts = _parts(target)
    return [part.number for part in parts if isinstance(part, KindTarget) and part.number is not None]


def _subject(target: Target) -> Target:
    return target.subject if isinstance(target, RelatedTarget) else target


def _names_elements(target: Target) -> bool:
    """Return whether a target names an element by number or reference, also inside relations."""
    return any(isinstance(part, IdTarget | ReferenceTarget) for part in _parts(target))


async def _with_numbers(context: PageContext, target: Target) -> Target:
    """Return the target with the number alone in the place of `[5] button "Save"` and `button "Save" @e5`, if that
    element is still called so, else without the number."""
    if isinstance(target, RelatedTarget):
        subject = await _with_numbers(context, target.subject)
        assert not isinstance(subject, RelatedTarget)
        return target.replace(subject=subject, to=await _with_numbers(context, target.to))
    if not isinstance(target, KindTarget):
        return target
    if target.reference is not None:
        named = ReferenceTarget(target.reference)
        return named if await _is_called(context, named, target.text) else target.replace(reference=None)
    if target.number is None:
        return target
    element = (context.element_index.elements or {}).get(target.number)
    is_reported = target.number in context.element_index.reported_ids
    if element is not None and is_reported and fold(without_repetition(element["text"])) == fold(target.text):
        return IdTarget(target.number)
    return target.replace(number=None)


async def _is_called(context: PageContext, reference: ReferenceTarget, text: str) -> bool:
    """Return whether the element with a reference is there, and has just this text."""
    frames = context.element_index.references
    if reference.number not in frames:
        return False
    try:
        found = await _matches_in(context, reference, {frames[reference.number]}, any=True)
    except ElementStale:
        return False
    return any(fold(without_repetition(element["text"])) == fold(text) for element, _ in found)


def frames_of_numbers(index: ElementIndex, target: Target) -> set[Frame | None]:
    """Return the frames of the elements that a target names by number; related elements are in the same frame. Empty if
    it names none. Raises `ElementNotFound` if no answer has shown a number."""
    for number in numbers_in(target):
        index.check_reported(number)
    for reference in references_in(target):
        index.check_reference(reference)
    frames = {index.frames.get(number) for number in numbers_in(target)}
    return frames | {index.references[reference] for reference in references_in(target)}


async def find_in_frames(
    context: PageContext,
    page: Page,
    wanted: TargetData,
    *,
    any: bool = False,
    frames: bool = False,
    places: bool = False,
    only: set[Frame | None] | None = None,
) -> list[tuple[FindResponse, Frame | None]]:
    """Run the scanner's `find` in every frame of an entered page (or those of `only`). The index records the new
    numbers. `places`: the matches of a pattern have where they stand."""
    index = context.element_index
    answers: list[tuple[FindResponse, Frame | None]] = []

    def request() -> FindRequest:
        return {
            "cmd": "find",
            "target": wanted,
            "any": any,
            "frames": frames,
            "places": places,
            "next_id": index.next_id,
        }

    async for data, frame in query_frames(page, context.frame, request, context.deadline.remaining, only=only):
        index.next_id = data["next_id"]
        if frame is not None:
            index.frames.update((element["id"], frame) for element in data["matches"])
        answers.append((data, frame))
    return answers


Found = list[tuple[Element, Frame | None]]


async def matches(context: PageContext, target: Target, *, any: bool = False) -> Found:
    """Return all elements that match, in document order. Raises `ElementNotFound` if no answer has shown a number."""
    target = await _with_numbers(context, target)
    only = frames_of_numbers(context.element_index, target)
    try:
        return await _matches_in(context, target, only, any=any)
    except ElementStale as error:
        if references_in(target):
            raise ElementStale(error.message, "The element has left the page. Run 'snapshot' to refresh.") from error
        raise


async def _matches_in(context: PageContext, target: Target, only: set[Frame | None], *, any: bool) -> Found:
    answers = await find_in_frames(context, context.enter_page(), target_json(target), any=any, only=only)
    return [(element, frame) for data, frame in answers for element in data["matches"]]


@dataclass(frozen=True, slots=True)
class Approach:
    """What one request has found out before an action: the scanner's responses to `find`, `watch` and `locate`, None if
    it has not got so far."""

    frame: Frame | None
    checkpoint: Checkpoint
    """Before the request."""
    found: FindResponse | None
    watched: WatchResponse | None
    place: ApproachPlace | None
    """With the `id` of the element."""

    @property
    def matches(self) -> Found | None:
        """All elements that match; None if none were searched, as of a number."""
        return None if self.found is None else [(element, self.frame) for element in self.found["matches"]]

    async def place_of(self, target: Resolved, context: PageContext) -> HitPlace | None:
        """Where `target` can be pressed; None if that is not known."""
        if self.place is None or self.place["id"] != target.id:
            return None
        return await _place(context, self.place, self.frame)


async def approach(
    context: PageContext, target: Target, verb: str, *, locate: LocateParameters | None, strict: bool = False
) -> Approach | None:
    """Search an action's target, watch the page, and locate the target, in one round trip.

    locate: the parameters of the scanner's `locate`; None for an action that needs no place.
    Return None if one request can't do that: if the page has several documents or was not scanned yet, and for a
    target that may be refused."""
    page, index = context.enter_page(), context.element_index
    roots = page.roots(context.frame)
    if strict or context.options.strict or index.elements is None or len(roots) > 1 or page.error_page is not None:
        return None
    target = await _with_numbers(context, target)
    request: ApproachRequest = {"cmd": "approach"}
    if isinstance(target, IdTarget):
        index.check_reported(target.number)
        if target.number not in index.elements:
            return None
        request["id"] = target.number
    elif _names_elements(target):
        return None
    else:
        request |= {"target": target_json(target), "any": verb in ranking.PLAIN_VERBS, "next_id": index.next_id}
    if locate is not None:
        request["locate"] = {**locate, "words": words} if (words := _words(target, verb)) else locate
    frame = roots[0] if context.frame else None
    checkpoint = page.checkpoint()
    data: ApproachResponse = await query_scanner(page, request, frame, context.deadline.remaining())
    answer = Approach(frame, checkpoint, data["found"], data.get("watched"), data.get("place"))
    if answer.found is not None:
        index.next_id = answer.found["next_id"]
        if frame is not None:
            index.frames.update((element["id"], frame) for element in answer.found["matches"])
    return answer


async def resolve(
    context: PageContext,
    target: Target,
    verb: str,
    *,
    strict: bool = False,
    wait: bool = False,
    found: Found | None = None,
) -> Resolved:
    """Return the element that a target means for a verb. With `strict`, several equal matches are an error.

    wait: wait for an element that is not there yet (`Options.presence_wait`), as actions do.
    found: the target's matches, if they are known.
    Raises `ElementNotFound`, `Ambiguous`."""
    if wait and not found and not _names_elements(target):
        return await wait_until_found(context, lambda: resolve(context, target, verb, strict=strict))
    page, index = context.enter_page(), context.element_index
    if index.elements is None:
        # Numbers follow the page's order, whatever is requested first.
        await index.refresh(page, context.frame, timeout=context.deadline.remaining())
    target = await _with_numbers(context, target)
    if isinstance(target, IdTarget):
        index.check_reported(target.number)
        if element := (index.elements or {}).get(target.number):
            return Resolved(target.number, index.frames.get(target.number), element)
    if found is None:
        found = await matches(context, target, any=verb in ranking.PLAIN_VERBS)
    if not found and isinstance(target, RoleTarget):
        # `click submit` also matches a button with only that text.
        found = await matches(context, TextTarget(target.name))
    if not found and not isinstance(target, CssTarget | XPathTarget):
        found = await matches(context, target, any=True)
    if not found and (otherwise := await _resolve_otherwise(context, target, verb, strict)) is not None:
        return otherwise
    equals = ranking.best([element for element, _ in found], verb)
    if not equals:
        raise ElementNotFound("element not found", _suggestions(context, target))
    if verb in POINTER_VERBS and isinstance(target, TextTarget):
        if _is_part_of_word(equals[0]):
            found, equals = await _whole_matches(context, target, verb, found, equals)
        if _is_loose(equals[0]):
            found, equals = await _closer_matches(context, target, found, equals)
    taken, others = equals[0], equals[1:]
    notes = []
    if others and not isinstance(target, PointTarget):  # a point means the topmost element
        if strict or context.options.strict or _is_kind_alone(target):
            index.mark_reported([element["id"] for element in equals])
            candidates = "\n".join(label(element) for element in equals)
            raise Ambiguous(
                f"{len(equals)} elements match {render(target)}", f"Choose one by its number:\n{candidates}"
            )
        index.mark_reported([element["id"] for element in equals[: MAX_EQUALS_LISTED + 1]])
        notes.append(_equals_note(target, taken, others))
    elif taken["match"]["tier"] == "begins" and taken["match"]["source"] != "attribute":
        index.mark_reported([taken["id"]])
        notes.append(f"{render(_subject(target))} only begins a word of {label(taken)}")
    frame = next(frame for element, frame in found if element is taken)
    return Resolved(taken["id"], frame, taken, notes, _words(target, verb))


def _words(target: Target, verb: str) -> str:
    """Return the words that a target names, for verbs that are for them; '' if it is no text. What is dragged, and
    dropped on, is the whole element."""
    if verb == "drag":
        return ""
    subject = _subject(target)
    return subject.text if isinstance(subject, TextTarget) else ""


async def _resolve_otherwise(context: PageContext, target: Target, verb: str, strict: bool) -> Resolved | None:
    """Return the element that a target means if nothing fits it as it is written; None if it has no other meaning.

    An element of another kind has the text of `button "Save"`, which is noted. `[5]` is a number. A kind alone
    (`button`) is the only element of that kind; of several none is chosen (`Ambiguous`)."""
    match _subject(target):
        case KindTarget(kind, text) if text:
            other = _with_subject(target, TextTarget(text))
            found = await matches(context, other, any=verb in ranking.PLAIN_VERBS)
            if not found:
                return None
            resolved = await resolve(context, other, verb, strict=strict, found=found)
            taken = label(resolved.element) if resolved.element else f"[{resolved.id}]"
            note = f"no {kind} is called {quoted(text)}: took {taken}"
            context.element_index.mark_reported([resolved.id])
            return replace(resolved, notes=[note, *resolved.notes])
        case TextTarget(text) if (written := _of_other_tool(text)) is not None:
            if isinstance(target, RelatedTarget) and isinstance(written, RelatedTarget):
                return None
            meant = target.replace(subject=written) if isinstance(target, RelatedTarget) else written
            try:
                resolved = await resolve(context, meant, verb, strict=strict)
            except ElementNotFound:
                if isinstance(written, CssTarget | XPathTarget):
                    return None  # the error has the form of a selector
                raise
            return replace(resolved, notes=[f"read {quoted(text)} as {render(written)}", *resolved.notes])
        case TextTarget(text) if number := BRACKETED_NUMBER.fullmatch(text):
            return await resolve(context, _with_subject(target, IdTarget(int(number[1]))), verb, strict=strict)
        case TextTarget(text) if is_kind(text.lower()):
            other = _with_subject(target, KindTarget(text.lower(), ""))
            found = [
                ({**element, "match": {**element["match"], "tier": "exact"}}, frame)  # what it is called is not asked
                for element, frame in await matches(context, other)
                if element["state"]["visible"]
            ]
            return await resolve(context, other, verb, strict=True, found=found) if found else None
    return None


def _of_other_tool(text: str) -> Target | None:
    """Return what a text means as a target in the form of another tool (`text=Save`); None if it is none. Raises
    `ElementNotFound` with the right form for one that has no meaning here."""
    try:
        return target_of_text(text)
    except LanguageError as error:
        raise ElementNotFound(f"element not found: {error.message}", error.hint) from error


def _is_kind_alone(target: Target) -> bool:
    """Return whether a target names a kind and no text (`button ""`), of which none of several is chosen."""
    subject = _subject(target)
    return isinstance(subject, KindTarget) and not subject.text


def _with_subject(target: Target, subject: SimpleTarget) -> Target:
    return target.replace(subject=subject) if isinstance(target, RelatedTarget) else subject


POINTER_VERBS = frozenset({"click", "hover", "drag"})
"""Verbs that press or point at one place of the element: the place of the text matters."""


def _is_part_of_word(element: Element) -> bool:
    """Return whether the text is nowhere as whole words that people read, but only begins one: `4` in `42`."""
    match = element["match"]
    return match["tier"] == "begins" or ranking.is_part_of_attribute(match)


async def _whole_matches(
    context: PageContext, target: TextTarget, verb: str, found: Found, equals: list[Element]
) -> tuple[Found, list[Element]]:
    """Return the elements of any kind that show just the text; what was found if there are none."""
    whole = await matches(context, target, any=True)
    exact = [element for element, _ in whole if _is_visible_exactly(element)]
    return (whole, ranking.best(exact, verb)) if exact else (found, equals)


def _is_visible_exactly(element: Element) -> bool:
    match = element["match"]
    is_whole = match["tier"] not in ranking.PARTIAL_TIERS and match["source"] != "attribute"
    return bool(element["state"]["visible"] and is_whole)


def _is_loose(element: Element) -> bool:
    """Return whether a match is only a container of the text, such as a list with one listener for all its rows."""
    match = element["match"]
    return bool(element["type"] == "generic" and match["interactive"] and match["tier"] in ranking.PARTIAL_TIERS)


async def _closer_matches(
    context: PageContext, target: TextTarget, found: Found, equals: list[Element]
) -> tuple[Found, list[Element]]:
    """Return the innermost elements inside the best match that show the text, if they fit it better; else what was
    found. A press on one of them reaches the container too."""
    container = equals[0]
    inside = RelatedTarget(target, "inside", IdTarget(container["id"]))
    # No answer has to have shown the container's number: it is not the user who names it.
    only = {context.element_index.frames.get(container["id"])}
    inner = [pair for pair in await _matches_in(context, inside, only, any=True) if pair[0]["state"]["visible"]]
    if not inner:
        return found, equals
    closest = min(map(ranking.closeness, (element for element, _ in inner)))
    if closest >= ranking.closeness(container):
        return found, equals
    return inner, [element for element, _ in inner if ranking.closeness(element) == closest]


def _equals_note(target: Target, taken: Element, others: Sequence[Element]) -> str:
    """Return the note about equal matches: `2 elements match "Delete": took [5] in "1003", also [9] in "1004"`
    (docs/spec/intent-language.md#resolution)."""
    also = ", ".join(map(_numbered, others[:MAX_EQUALS_LISTED]))
    more = f" and {len(others) - MAX_EQUALS_LISTED} more" if len(others) > MAX_EQUALS_LISTED else ""
    return f"{len(others) + 1} elements match {render(target)}: took {_numbered(taken)}, also {also}{more}"


def _numbered(element: Element) -> str:
    context = element.get("context")
    return f"[{element['id']}]" + (f" in {quoted_name(context)}" if context else "")


BRACKETED_NUMBER = re.compile(r"\[(\d{1,15})\]")
"""An element's number as answers print it."""


_BARE_REFERENCE = re.compile(r"e([0-9]{1,15})")
_MARKED_NUMBER = re.compile(r"[#@]([0-9]{1,15})")
_XPATH = re.compile(r"\.?//?[\w@*]")
_POINT = re.compile(r"\(?\s*+(\d++)(?:\s*+,|\s)\s*+(\d++)\s*+\)?")
_SELECTOR = re.compile(r"[\w-]*(?:[#.][A-Za-z_-][\w-]*|\[[\w-]+[\]=~|^$*])|[a-z]\w*\s*>\s*[\w.#]")


def _form_hint(text: str) -> str:
    """Return a hint for a text that looks like a selector or a point: the form in which that is a target."""
    form: Target | None = None
    if reference := _BARE_REFERENCE.fullmatch(text):
        return f"A text is what the page shows; element {text} of the last snapshot is @e{reference[1]}."
    if number := _MARKED_NUMBER.fullmatch(text):
        return f"A text is what the page shows; the element with this number is {number[1]}."
    if point := _POINT.fullmatch(text):
        form = PointTarget(int(point[1]), int(point[2]))
    elif _XPATH.match(text):
        form = XPathTarget(text)
    elif _SELECTOR.match(text):
        return "Nothing shows this text, and as a selector it matches nothing either."
    kind = "point" if isinstance(form, PointTarget) else "selector"
    return f"A text is what the page shows; as a {kind} it is {form}." if form else ""


def _suggestions(context: PageContext, target: Target) -> str:
    """Return a hint with the element names most similar to the wanted text."""
    target = _subject(target)
    if isinstance(target, TextTarget | KindTarget):
        form = _form_hint(target.text)
        by_name: dict[str, Element] = {}
        for element in (context.element_index.elements or {}).values():
            by_name.setdefault(element["text"], element)
        if near := [by_name[name] for name in similar_names(target.text, by_name)]:
            context.element_index.mark_reported([element["id"] for element in near])
            return f"{form} Did you mean {', '.join(map(label, near))}?".lstrip()
        if form:
            return form
    return "Run 'observe' to see what is there."


class HitPlace(NamedTuple):
    """Where an element can be pressed."""

    point: tuple[float, float]
    """In the tab's viewport, in CSS pixels."""
    is_hovered: bool
    """Whether the mouse is over what is there already."""


async def hit_place(
    context: PageContext,
    target: Resolved,
    *,
    purpose: LocatePurpose,
    force: bool = False,
    scroll: bool = True,
    presses: int = 0,
) -> HitPlace:
    """Return where the element can be pressed. The scanner checks it first.

    presses: how often the mouse presses there next; 0 if it does not."""
    request: LocateRequest = {"cmd": "locate", "id": target.id, "force": force, "purpose": purpose}
    request["scroll_into_view"] = scroll
    if presses:
        request["presses"] = presses
    if target.words:
        request["words"] = target.words
    data: LocateResponse = await query_scanner(context.page, request, target.frame, context.deadline.remaining())
    return await _place(context, data, target.frame)


async def _place(context: PageContext, located: LocateResponse, frame: Frame | None) -> HitPlace:
    point = located["x"], located["y"]
    return HitPlace(point if frame is None else await context.page.to_viewport(*point, frame), located["hovered"])


async def accepted_place(
    context: PageContext, target: Resolved, *, purpose: LocatePurpose, force: bool = False, presses: int = 0
) -> HitPlace:
    """Return `hit_place` as soon as the element can be pressed. Raises its errors after `Options.action_wait`.

    The mouse is moved to the place of an element that takes room but is not visible: many pages show what belongs to a
    row only while the mouse is over it."""

    async def hover() -> None:
        hidden = await hit_place(context, target, purpose="hover", force=True)
        await context.page.mouse.move(*hidden.point)

    locate = partial(hit_place, context, target, purpose=purpose, force=force, presses=presses)
    return await wait_until_accepted(context, target.frame, locate, reveal=hover)


async def click_element(
    context: PageContext,
    target: Resolved,
    *,
    place: HitPlace | None = None,
    button: MouseButton = "left",
    count: int = 1,
    modifiers: Sequence[str] = (),
    force: bool = False,
    purpose: LocatePurpose = "click",
) -> None:
    """Move the mouse over the element, check that it is still there, and press.

    A page's reaction to the mouse (a menu, another picture) may move or cover the element; a press at the former
    position would miss it.

    place: where the element is, if it was located just now.
    purpose: `choose` refuses buttons that may do something else than to open a list or to choose from it; `open`
        refuses links, and buttons that send a form."""
    place = place or await accepted_place(context, target, purpose=purpose, force=force)
    mouse = context.page.mouse
    if not force:
        if not place.is_hovered:
            await mouse.move(*place.point)
        place = await accepted_place(context, target, purpose=purpose, presses=count)
    await mouse.click(*place.point, button=button, count=count, modifiers=modifiers)
