"""Selectors of values that were found on a page of a site, for its other pages.

A selector is an XPath of tags, names and classes without positions, which matches one element of its page. It is used
for a value only after it has found the right one on another page too."""

from __future__ import annotations

import json
import os
import re
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from hashlib import sha256
from pathlib import Path
from typing import Any, NamedTuple
from urllib.parse import urlsplit

from lxml.etree import XPathError
from lxml.html import HtmlElement

from oryn.research.structured_data.facts import element_value, text_of
from oryn.research.structured_data.schema import SchemaField
from oryn.research.structured_data.values import clean, convert

MAX_ANCESTORS = 4
MIN_PROOFS = 2
"""The number of pages on which a selector must have found the right value before it is used alone."""
MAX_SELECTOR_CHARACTERS = 600

_PLAIN = re.compile(r"[\w-]+")
_ATTRIBUTES = ("itemprop", "data-testid", "data-test", "data-qa", "data-field")


class SelectorOutcome(NamedTuple):
    """What selectors of other pages have done on this one: `confirmed` found the value that the page says, `added` one
    that was missing, `refuted` another one."""

    confirmed: tuple[tuple[str, str], ...]
    added: tuple[tuple[str, HtmlElement], ...]
    refuted: tuple[str, ...]


class SelectorLearner:
    """Applies and learns selectors on one page. `elements` are those of the page's own content."""

    def __init__(self, root: HtmlElement, elements: Sequence[HtmlElement], base: str) -> None:
        self._root = root
        self._elements = elements
        self._base = base

    def apply(
        self, field: SchemaField, data: Any, selectors: Sequence[tuple[str, str]], proven: Sequence[str]
    ) -> SelectorOutcome:
        """Compare what selectors find with `data`, and put what proven ones find in the place of null."""
        fields = dict(_scalars(field))
        confirmed, added, refuted = [], [], []
        for pointer, selector in selectors:
            target = fields.get(pointer)
            element = self._only(selector)
            if target is None or element is None or not isinstance(data, dict):
                continue
            value = convert(element_value(element), target, self._base)
            current = _get(data, pointer)
            if value is None:
                continue
            if current is None and pointer in proven:
                if _set(data, pointer, value):
                    added.append((pointer, element))
            elif current == value:
                confirmed.append((pointer, selector))
            elif current is not None:
                refuted.append(pointer)
        return SelectorOutcome(tuple(confirmed), tuple(added), tuple(refuted))

    def learn(self, field: SchemaField, data: Any, quotes: Mapping[str, str]) -> Iterator[tuple[str, str]]:
        """Selectors of the elements that have the values of `data`, or the texts of `quotes`, alone."""
        fields = dict(_scalars(field))
        wanted = {pointer: value for pointer in fields if (value := _get(data, pointer)) is not None}
        leaves = [
            (each, element_value(each)) for each in self._elements if not len(each) and each.get("class") is not None
        ]
        for pointer, target in fields.items():
            if pointer not in wanted and pointer not in quotes:
                continue
            quote = clean(quotes.get(pointer, ""))
            value = wanted.get(pointer, None if not quote else convert(quote, target, self._base))
            if value is None or isinstance(value, bool):
                continue
            same = [element for element, text in leaves[:5000]
                    if text and len(text) <= 500 and convert(text, target, self._base) == value]  # fmt: skip
            if len(same) == 1 and (selector := self._selector(same[0])):
                yield pointer, selector

    def _selector(self, element: HtmlElement) -> str:
        """The shortest selector that matches this element alone, or an empty string."""
        steps: list[str] = []
        current: HtmlElement | None = element
        while current is not None and len(steps) < MAX_ANCESTORS and current.tag not in ("body", "html"):
            steps.insert(0, _step(current))
            selector = "//" + "/".join(steps)
            if len(selector) > MAX_SELECTOR_CHARACTERS:
                break
            if self._only(selector) is element:
                return selector
            current = current.getparent()
        return ""

    def _only(self, selector: str) -> HtmlElement | None:
        try:
            found = self._root.xpath(selector)
        except XPathError:
            return None
        return found[0] if isinstance(found, list) and len(found) == 1 and text_of(found[0]) else None


def _step(element: HtmlElement) -> str:
    conditions = [f"@{name}='{value}'" for name in _ATTRIBUTES
                  if (value := element.get(name) or "") and _PLAIN.fullmatch(value)]  # fmt: skip
    conditions += [f"contains(concat(' ',normalize-space(@class),' '),' {name} ')"
                   for name in (element.get("class") or "").split()[:3] if _PLAIN.fullmatch(name)]  # fmt: skip
    return str(element.tag) + "".join(f"[{each}]" for each in conditions)


def _scalars(field: SchemaField, pointer: str = "") -> Iterator[tuple[str, SchemaField]]:
    for each in field.properties:
        key = f"{pointer}/{each.name.replace('~', '~0').replace('/', '~1')}"
        if each.is_record:
            yield from _scalars(each, key)
        elif each.type not in ("array", "object"):
            yield key, each


def scalar_fields(field: SchemaField) -> dict[str, SchemaField]:
    """The scalar fields outside lists, by JSON Pointer."""
    return dict(_scalars(field))


def _parts(pointer: str) -> list[str]:
    return [part.replace("~1", "/").replace("~0", "~") for part in pointer.split("/")[1:]]


def _get(data: Any, pointer: str) -> Any:
    for part in _parts(pointer):
        data = data.get(part) if isinstance(data, dict) else None
    return data


def _set(data: dict[str, Any], pointer: str, value: Any) -> bool:
    *parents, name = _parts(pointer)
    for part in parents:
        if not isinstance(found := data.get(part), dict):
            return False
        data = found
    data[name] = value
    return True


def set_value(data: dict[str, Any], pointer: str, value: Any) -> bool:
    """Set a value by its JSON Pointer; whether the object that it belongs to is there."""
    return _set(data, pointer, value)


class SelectorStore:
    """The selectors of sites by schema, as files of a folder that only its owner can read."""

    min_proofs = MIN_PROOFS

    def __init__(self, folder: Path) -> None:
        self._folder = folder

    def load(self, url: str, schema: Mapping[str, Any]) -> dict[str, tuple[str, int]]:
        """The selectors with the number of pages that prove them, by JSON Pointer."""
        try:
            entries = json.loads(self._file(url, schema).read_text("utf-8"))
            return {str(pointer): (str(selector), int(proofs)) for pointer, (selector, proofs) in entries.items()}
        except (OSError, ValueError, TypeError, AttributeError):  # none yet, or damaged: it is learnt again
            return {}

    def update(
        self, url: str, schema: Mapping[str, Any], learnt: Sequence[tuple[str, str]], refuted: Sequence[str]
    ) -> None:
        """Count the proofs of selectors that were found again, add new ones, and drop refuted ones."""
        entries = self.load(url, schema)
        before = dict(entries)
        for pointer, selector in learnt:
            entry = entries.get(pointer)
            entries[pointer] = (selector, entry[1] + 1 if entry and entry[0] == selector else 1)
        for pointer in refuted:
            entries.pop(pointer, None)
        if entries == before:
            return
        self._folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        file = self._file(url, schema)
        draft = file.with_suffix(f".{os.getpid()}")
        with open(os.open(draft, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600), "w", encoding="utf-8") as target:
            json.dump(entries, target)
        with suppress(FileNotFoundError):
            os.replace(draft, file)

    def _file(self, url: str, schema: Mapping[str, Any]) -> Path:
        text = json.dumps([urlsplit(url).netloc.lower(), schema], sort_keys=True)
        return self._folder / f"{sha256(text.encode()).hexdigest()[:32]}.json"
