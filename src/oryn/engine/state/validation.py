"""Typed reader of untrusted JSON data: its errors name the place of a wrong value."""

from __future__ import annotations

import json
import math
from typing import Any

from oryn.errors import FileError


def damaged_state(why: str) -> FileError:
    return FileError(f"the state is damaged: {why}", "Nothing was changed. Save the state again, or load another file.")


class JsonReader:
    """An object of JSON data. Its methods return a member of the kind that they are called after, or raise
    `FileError`."""

    def __init__(self, data: Any, place: str) -> None:
        if not isinstance(data, dict):
            raise damaged_state(f"{place} is not an object")
        self.data: dict[str, Any] = data
        self._place = f"{place}." if place else ""

    def _get(self, name: str, kind: type | tuple[type, ...], what: str, *, optional: bool = False) -> Any:
        value = self.data.get(name)
        if value is None and optional:
            return None
        if not isinstance(value, kind) or (isinstance(value, bool) and kind is not bool):
            raise damaged_state(f"{self._place}{name} is not {what}")
        return value

    def text(self, name: str) -> str:
        found: str = self._get(name, str, "a string")
        return found

    def optional_text(self, name: str) -> str | None:
        found: str | None = self._get(name, str, "a string", optional=True)
        return found

    def choice(self, name: str, *choices: str) -> Any:
        found = self.optional_text(name)
        if found is not None and found not in choices:
            raise damaged_state(f"{self._place}{name} is not one of {', '.join(choices)}")
        return found

    def flag(self, name: str) -> bool:
        found: bool = self._get(name, bool, "true or false")
        return found

    def number(self, name: str) -> float | None:
        found: float | None = self._get(name, (int, float), "a number", optional=True)
        if found is not None and not (math.isfinite(found) and abs(found) < 1e12):
            raise damaged_state(f"{self._place}{name} is not a time")
        return found

    def port(self, name: str) -> int | None:
        found: int | None = self._get(name, int, "a port", optional=True)
        if found is not None and not -1 <= found <= 65_535:
            raise damaged_state(f"{self._place}{name} is not a port")
        return found

    def count(self, name: str) -> int:
        found: int = self._get(name, int, "a number")
        if found < 0:
            raise damaged_state(f"{self._place}{name} is below 0")
        return found

    def mapping(self, name: str) -> JsonReader:
        return JsonReader(self.data.get(name), f"{self._place}{name}")

    def parts(self, name: str) -> list[JsonReader]:
        items = self._get(name, list, "a list")
        return [JsonReader(item, f"{self._place}{name}[{position}]") for position, item in enumerate(items)]

    def strings(self, name: str) -> list[str]:
        found: list[str] = self._get(name, list, "a list")
        if not all(isinstance(item, str) for item in found):
            raise damaged_state(f"{self._place}{name} is not a list of strings")
        return found

    def counts(self, name: str) -> list[int]:
        found: list[int] = self._get(name, list, "a list")
        if not all(isinstance(item, int) and not isinstance(item, bool) and item >= 0 for item in found):
            raise damaged_state(f"{self._place}{name} is not a list of numbers")
        return found

    def lists(self, name: str) -> list[list[JsonReader]]:
        """Lists of parts, in a list."""
        return [
            JsonReader({"": rows}, f"{self._place}{name}[{position}]").parts("")
            for position, rows in enumerate(self._get(name, list, "a list"))
        ]

    def texts(self, name: str) -> dict[str, str]:
        found = self.mapping(name).data
        for key, value in found.items():
            if not isinstance(value, str):
                raise damaged_state(f"{self._place}{name}[{json.dumps(key[:40])}] is not a string")
        return found


# --- IndexedDB ---

_FIELDS = frozenset({"key", "keyEncoded", "value", "valueEncoded"})


def read_databases(part: JsonReader) -> list[Any]:
    """Return the member `indexedDB` of an origin, in the format of Playwright's storage state. Raises `FileError`."""
    for database in part.parts("indexedDB"):
        database.text("name")
        if database.count("version") == 0:
            raise damaged_state("a database has the version 0")
        for store in database.parts("stores"):
            _check_key_path(store, optional=True)
            store.flag("autoIncrement")
            for index in store.parts("indexes"):
                _check_key_path(index, optional=False)
                index.flag("multiEntry")
                index.flag("unique")
            for record in store.parts("records"):
                if not record.data.keys() <= _FIELDS or not record.data.keys() & {"value", "valueEncoded"}:
                    raise damaged_state("a record of a database has other members than a key and a value")
    rows: list[Any] = part.data["indexedDB"]
    return rows


def _check_key_path(part: JsonReader, *, optional: bool) -> None:
    part.text("name")
    if part.data.get("keyPathArray") is not None:
        part.strings("keyPathArray")
    elif part.optional_text("keyPath") is None and not optional:
        raise damaged_state("an index has no key path")
