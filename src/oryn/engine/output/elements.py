"""Elements as the engine displays them: one line each, from the scanner's records (`scanner.protocol.ElementData`).

The records stay dictionaries as received, for speed: a page has thousands, and `observe` is timed."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Set
from typing import Any

from oryn.core.text_folding import without_ignorable
from oryn.core.text_safety import quoted

_PLAIN_NAME = re.compile(r"[A-Za-z_:][\w:.-]*", re.ASCII)

Element = Mapping[str, Any]
"""An `ElementData`. It is typed loosely because its optional parts depend on the `fields` of the request."""

INSIGNIFICANT_MODIFIERS = frozenset({"focused", "unchecked"})
"""Modifiers that change on every click. A change of these alone is not reported. A checkbox that is no longer `checked`
still differs by that modifier."""
HIGHLIGHT_MODIFIERS = INSIGNIFICANT_MODIFIERS | {"active"}
"""Modifiers that a page sets as soon as an element is pressed or pointed at, before it does what that leads to."""

SHORTEST_REPEATED = 12
"""Length of the shortest text whose repetition in a name is not displayed."""


def kind(element: Element) -> str:
    """Return type and role: `input/email`; `link` if the role adds nothing to the type."""
    name: str = element["type"]
    role = element.get("role")
    return f"{name}/{role}" if role and role != "generic" and role != name else name


def label(element: Element) -> str:
    """Render the label of an element in notes, candidates and `-` lines: `[3] button/submit "Sign in"`, and among equal
    ones `[5] link "Details" in "1003"`."""
    text = f"[{element['id']}] {kind(element)} {quoted_name(without_repetition(element['text']))}"
    context = element.get("context")
    return f"{text} in {quoted_name(context)}" if context else text


def quoted_name(name: str) -> str:
    """Quote a name as it is typed: the characters that nobody sees are left out. Targets are compared without them."""
    return quoted(without_ignorable(name))


def without_repetition(name: str) -> str:
    """Return a name that says the same two or more times as if it did once: a link's picture is often described by the
    link's text, `Budget passed at last Budget passed at last`. The last time may be cut short with an ellipsis.

    What is shorter than `SHORTEST_REPEATED` characters stays: `New York, New York` is a name."""
    if len(name) <= 2 * SHORTEST_REPEATED:
        return name
    again = name.find(name[:SHORTEST_REPEATED], SHORTEST_REPEATED)
    if again < 0:
        return name
    once, rest = name[:again].rstrip(), name[again:]
    if not rest.replace(once, "").strip():
        return once
    cut = rest.rstrip(".… ")
    return once if cut != rest and once.startswith(cut) else name


def extras(element: Element, positions: bool = False) -> str:
    """Render an element's available options, value and position: `options: "France" | "Spain" (of 12); value: "France"
    @(0,0,80x20)`."""
    parts = []
    if options := element.get("options"):
        first, count = options["first"], options["count"]
        choices = " | ".join(map(quoted_name, first))
        parts.append(f"options: {choices}" + (f" (of {count})" if count > len(first) else ""))
    if value := element.get("value"):
        parts.append(f"value: {quoted(value)}")
    text = "; ".join(parts)
    if positions and (rect := element.get("rect")):
        at = f"@({rect['x']:.0f},{rect['y']:.0f},{rect['width']:.0f}x{rect['height']:.0f})"
        text = f"{text} {at}" if text else at
    return text


def line(element: Element, *, positions: bool = False) -> str:
    """Render `[id] type/role "text" {modifiers} options: …; value: …` (docs/spec/intent-language.md#element-lines)."""
    text = label(element)
    if modifiers := element.get("modifiers"):
        text += f" {{{', '.join(modifiers)}}}"
    if "options" in element or "value" in element or positions:
        more = extras(element, positions)
        if more:
            text += f" {more}"
    return text


def minimal_line(element: Element) -> str:
    """Render `[id] type "text"` and nothing else (`observe --minimal`)."""
    return f"[{element['id']}] {element['type']} {quoted_name(without_repetition(element['text']))}"


def full_line(element: Element) -> str:
    """Render the whole line with position, selector and attributes (`observe --full`)."""
    text = line(element, positions=True)
    if selector := element.get("selector"):
        text += f" css: {quoted(selector)}"
    for name, value in (element.get("attributes") or {}).items():
        if _PLAIN_NAME.fullmatch(name):
            text += f" {name}={quoted(value)}"
    return text


def signature(element: Element, ignored: Set[str] = INSIGNIFICANT_MODIFIERS) -> tuple[Any, ...]:
    """Return what identifies an element's state to a reader: if it is equal in two scans, the element has
    not changed but for the `ignored` modifiers."""
    modifiers, options = element.get("modifiers"), element.get("options")
    return (
        element["type"],
        element.get("role"),
        element["text"],
        tuple(m for m in modifiers if m not in ignored) if modifiers else (),
        element.get("value"),
        (tuple(options["first"]), options["count"]) if options else None,
    )


def ranges(numbers: Iterable[int]) -> str:
    """Render numbers as ranges, for the hint about an unknown id: `1-6, 9`."""
    runs: list[list[int]] = []
    for number in sorted(numbers):
        if runs and number == runs[-1][1] + 1:
            runs[-1][1] = number
        else:
            runs.append([number, number])
    return ", ".join(str(low) if low == high else f"{low}-{high}" for low, high in runs)
