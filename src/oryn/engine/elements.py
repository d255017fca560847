"""Elements as the engine shows them: one line each, from the scanner's own records (`scanner.protocol.ElementData`).

The records stay the dictionaries that came over the wire: a page has thousands, and `observe` is timed.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from typing import Any

from oryn.engine.escape import quoted

_PLAIN_NAME = re.compile(r"[A-Za-z_:][\w:.-]*", re.ASCII)

Element = Mapping[str, Any]
"""An `ElementData`; typed loosely because optional parts come and go with the `fields` of the request."""

UNREMARKABLE = frozenset({"focused", "unchecked"})
"""Modifiers that move on every click: their coming and going alone is no change worth a line.
A box that is no longer `checked` still differs by that."""


def kind(element: Element) -> str:
    """`input/email`, or `link` where the role says nothing more."""
    name: str = element["type"]
    role = element.get("role")
    return f"{name}/{role}" if role and role != "generic" and role != name else name


def label(element: Element) -> str:
    """`[3] button/submit "Sign in"`: how an element is named in notes, candidates and `-` lines."""
    return f"[{element['id']}] {kind(element)} {quoted(element['text'])}"


def extras(element: Element, positions: bool = False) -> str:
    """`options: "France" | "Spain" (of 12); value: "France" @(0,0,80x20)`: of these what there is."""
    parts = []
    if options := element.get("options"):
        first, count = options["first"], options["count"]
        shown = " | ".join(map(quoted, first))
        parts.append(f"options: {shown}" + (f" (of {count})" if count > len(first) else ""))
    if value := element.get("value"):
        parts.append(f"value: {quoted(value)}")
    text = "; ".join(parts)
    if positions and (rect := element.get("rect")):
        at = f"@({rect['x']:.0f},{rect['y']:.0f},{rect['width']:.0f}x{rect['height']:.0f})"
        text = f"{text} {at}" if text else at
    return text


def line(element: Element, *, positions: bool = False) -> str:
    """`[id] type/role "text" {modifiers} options: …; value: …` (intent-language §6)."""
    text = label(element)
    if modifiers := element.get("modifiers"):
        text += f" {{{', '.join(modifiers)}}}"
    if "options" in element or "value" in element or positions:
        more = extras(element, positions)
        if more:
            text += f" {more}"
    return text


def minimal_line(element: Element) -> str:
    """`[id] type "text"` and nothing else (`observe --minimal`)."""
    return f"[{element['id']}] {element['type']} {quoted(element['text'])}"


def full_line(element: Element) -> str:
    """The whole line with position, selector and attributes (`observe --full`)."""
    text = line(element, positions=True)
    if selector := element.get("selector"):
        text += f" css: {quoted(selector)}"
    for name, value in (element.get("attributes") or {}).items():
        if _PLAIN_NAME.fullmatch(name):
            text += f" {name}={quoted(value)}"
    return text


def signature(element: Element) -> tuple[Any, ...]:
    """What makes an element another one to a reader: two scans agree on it when the signatures are equal."""
    modifiers = element.get("modifiers") or ()
    return (
        element["type"],
        element.get("role"),
        element["text"],
        tuple(m for m in modifiers if m not in UNREMARKABLE),
        element.get("value"),
        _options_signature(element.get("options")),
    )


def _options_signature(options: Any) -> tuple[Any, ...] | None:
    return (tuple(options["first"]), options["count"]) if options else None


def ranges(numbers: Iterable[int]) -> str:
    """`1-6, 9`: numbers as the hint of an unknown id lists them."""
    runs: list[list[int]] = []
    for number in sorted(numbers):
        if runs and number == runs[-1][1] + 1:
            runs[-1][1] = number
        else:
            runs.append([number, number])
    return ", ".join(str(low) if low == high else f"{low}-{high}" for low, high in runs)
