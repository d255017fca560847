"""`find`: where a text stands on the page."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

from oryn.core.text_safety import quoted
from oryn.engine.handlers.registry import handles
from oryn.engine.output.answer import Answer
from oryn.engine.output.elements import Element, kind, quoted_name
from oryn.engine.page.context import require_no_dialog
from oryn.engine.page.resolve import find_in_frames, resolve
from oryn.language import Find, IdTarget, PatternTarget, RelatedTarget, Target, target_json
from oryn.language.patterns import check_pattern

if TYPE_CHECKING:
    from oryn.engine.page.context import PageContext

DEFAULT_LIMIT = 20
_ALIKE = (("'", "['\u2018\u2019\u02bc]"), ('"', '["\u201c\u201d\u201e]'), ("-", "[-\u2010-\u2015\u2212]"))
"""Characters that people type for others. A dash and a quote need no backslash in a pattern."""


@handles(Find)
async def find(context: PageContext, command: Find) -> Answer:
    """Places inside of what is hidden are counted, and not listed."""
    require_no_dialog(context)
    pattern = PatternTarget(_pattern(command), "i")
    target: Target = pattern
    only, notes = None, []
    page = context.enter_page()
    if context.element_index.elements is None:
        await context.element_index.refresh(page, context.frame, timeout=context.deadline.remaining())
    if command.within is not None:
        container = await resolve(context, command.within, "find", strict=command.strict)
        target, only = RelatedTarget(pattern, "inside", IdTarget(container.id)), {container.frame}
        notes += container.notes
    answers = await find_in_frames(context, page, target_json(target), any=True, places=True, only=only)
    found = [element for data, _ in answers for element in data["matches"] if element["state"]["visible"]]
    total = sum(data["visible"] for data, _ in answers)
    hidden = sum(data["count"] for data, _ in answers) - total
    limit = DEFAULT_LIMIT if command.limit is None else command.limit or len(found)
    places = [_place(element) for element in found[:limit]]
    context.element_index.mark_reported([place["id"] for place in places])
    if total > len(places):
        notes.append(f"{total - len(places)} more places; --within narrows it down")
    if hidden:
        notes.append(f"{hidden} more {'is' if hidden == 1 else 'are'} hidden")
    lines = [_line(place) for place in places] or [f"{quoted(command.text)} is nowhere on the page"]
    return Answer(lines=lines, data=places, notes=notes)


def _pattern(command: Find) -> str:
    """Return the pattern of the text: as it is, or with the runs of white space, quotes and dashes that fit it."""
    if command.regex:
        check_pattern(command.text)
        return command.text
    pattern = r"\s+".join(re.escape(word).replace("\\-", "-") for word in command.text.split())
    for character, alike in _ALIKE:
        pattern = pattern.replace(character, alike)
    return pattern


def _place(element: Element) -> dict[str, Any]:
    """Return a place as `FoundPlace` has it."""
    place: dict[str, str] = element["place"]
    data = {name: element[name] for name in ("id", "type", "role", "text")}
    data |= {name: place[name] for name in ("row", "section") if place[name]}
    if place["around"] and place["around"] != element["text"]:
        data["around"] = place["around"]
    return data


def _line(place: dict[str, Any]) -> str:
    """Render `[7] button "Details" in "1003" under "Orders": "1003 Ada Details"`. Of a text that is no control only the
    number and the text around it are printed."""
    is_text = place["type"] == "generic" and place["role"] in ("", "generic")
    text = f"[{place['id']}] text" if is_text else f"[{place['id']}] {kind(place)} {quoted_name(place['text'])}"
    for word, name in (("in", "row"), ("under", "section")):
        if name in place:
            text += f" {word} {quoted_name(place[name])}"
    around = place.get("around") or (place["text"] if is_text else "")
    return f"{text}: {quoted(around)}" if around else text
