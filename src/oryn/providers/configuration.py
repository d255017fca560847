"""The file that names providers (docs/providers.md#file). Mistakes are reported with their line."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

from oryn.core.suggestions import nearest
from oryn.errors import ConfigurationError
from oryn.providers.addresses import AddressProvider, BrowserAddress, PlaywrightProvider
from oryn.providers.grid import GridProvider
from oryn.providers.local import LocalProvider
from oryn.providers.provider import BrowserProvider
from oryn.system.paths import SESSION_NAME

RELEASE_SECONDS = 60.0
"""The default of `release_after`."""
_BEGIN = "Each provider begins with [[provider]]."
_LABEL = re.compile(r"[A-Za-z0-9][A-Za-z0-9._/-]{0,62}")
_COMMON_KEYS = frozenset({"name", "kind", "labels", "release_after"})
_KEYS = {
    "local": _COMMON_KEYS | {"capacity", "min_free_memory"},
    "cdp": _COMMON_KEYS | {"addresses", "capacity"},
    "grid": _COMMON_KEYS | {"url", "capabilities", "idle"},
    "playwright": _COMMON_KEYS | {"addresses", "capacity"},
}
"""The keys of each kind of provider."""
_SCHEMES = {"cdp": ("http", "https", "ws", "wss"), "grid": ("http", "https"), "playwright": ("ws", "wss")}


def read_providers(file: Path) -> list[BrowserProvider]:
    """The providers that a file names, in its order. Raises `ConfigurationError` with the line of a mistake."""
    try:
        text = file.read_text("utf-8")
    except (OSError, UnicodeDecodeError) as error:
        reason = error.strerror if isinstance(error, OSError) else "it is not UTF-8"
        raise ConfigurationError(
            f"can't read the providers in {file}: {reason}", "Correct the setting providers."
        ) from error
    try:
        data = tomllib.loads(text)
    except (tomllib.TOMLDecodeError, RecursionError) as error:
        raise ConfigurationError(f"{file} is not TOML: {error}", "Correct the file.") from error
    return _ProviderFile(file, text, data).providers()


class _ProviderFile:
    """A file that is TOML. TOML's reader reports no positions of values, so lines are searched for in the text."""

    def __init__(self, file: Path, text: str, data: Mapping[str, Any]) -> None:
        self._file = file
        self._lines = text.splitlines()
        self._data = data

    def providers(self) -> list[BrowserProvider]:
        for key in self._data:
            if key != "provider":
                raise self._mistake(None, key, f"there is no key {key!r} here", _BEGIN)
        rows = self._data.get("provider")
        if not isinstance(rows, list) or not rows:
            raise self._mistake(None, "provider", "it names no provider", _BEGIN)
        found = [self._provider(index, row) for index, row in enumerate(rows)]
        names = [each.name for each in found]
        for index, name in enumerate(names):
            if name in names[:index]:
                raise self._mistake(index, "name", f"another provider is named {name}", "Give each a name of its own.")
        return found

    def _provider(self, index: int, row: Any) -> BrowserProvider:
        kind = self._value(index, row, "kind", _is_kind, f"one of {', '.join(_KEYS)}")
        for key in row:
            if key not in _KEYS[kind]:
                near = nearest(key, sorted(_KEYS[kind]))
                hint = f"Did you mean {near}?" if near else f"It may have: {', '.join(sorted(_KEYS[kind]))}."
                raise self._mistake(index, key, f"a provider of the kind {kind} has no key {key!r}", hint)
        common: dict[str, Any] = {
            "labels": self._value(index, row, "labels", _is_labels, 'texts by name, such as { region = "eu" }', {}),
            "release_after": self._value(index, row, "release_after", _is_time, "seconds, or 0", RELEASE_SECONDS),
        }
        name = self._value(index, row, "name", _is_name, "a name of a letter, then letters, digits, _ and -")
        match kind:
            case "grid":
                return GridProvider(
                    name,
                    self._url(index, row.get("url"), kind, "url"),
                    capabilities=self._value(index, row, "capabilities", _is_table, "a table", {}),
                    idle=self._value(index, row, "idle", lambda value: _is_time(value) and value > 0, "seconds", None),
                    **common,
                )
            case "local":
                minimum = self._value(index, row, "min_free_memory", _is_count, "a number of megabytes", 0)
                return LocalProvider(
                    name, capacity=self._capacity(index, row), min_free_memory=minimum * 1_000_000, **common
                )
            case _:
                kinds = {"cdp": AddressProvider, "playwright": PlaywrightProvider}
                capacity = self._capacity(index, row)
                rows = self._value(index, row, "addresses", _is_list, "a list of addresses")
                addresses = [self._address(index, each, kind, capacity) for each in rows]
                return kinds[kind](name, addresses, **common)

    def _capacity(self, index: int, row: Mapping[str, Any]) -> int | None:
        capacity: int | None = self._value(index, row, "capacity", _is_positive, "a number from 1", None)
        return capacity

    def _address(self, index: int, value: Any, kind: str, capacity: int | None) -> BrowserAddress:
        if isinstance(value, dict) and value.keys() <= {"url", "capacity"}:
            own = self._capacity(index, value)
            return BrowserAddress(self._url(index, value.get("url"), kind, "addresses"), own or capacity)
        return BrowserAddress(self._url(index, value, kind, "addresses"), capacity)

    def _url(self, index: int, value: Any, kind: str, key: str) -> str:
        schemes = _SCHEMES[kind]
        try:
            parts = urlsplit(value) if isinstance(value, str) else None
            is_valid = parts is not None and parts.scheme in schemes and bool(parts.hostname) and parts.port != 0
        except ValueError:
            is_valid = False
        if not is_valid:
            raise self._mistake(index, key, f"{key} must begin with {' or '.join(f'{each}://' for each in schemes)}")
        return str(value)

    def _value(
        self, index: int, row: Any, key: str, is_valid: Callable[[Any], bool], description: str, *default: Any
    ) -> Any:
        """A checked value of a provider. A value that has a `default` may be missing."""
        if not isinstance(row, dict):
            raise self._mistake(index, key, "a provider is a table", _BEGIN)
        if key not in row:
            if default:
                return default[0]
            raise self._mistake(index, key, f"{key} is missing: {description}")
        if not is_valid(row[key]):
            raise self._mistake(index, key, f"{key} must be {description}")
        return row[key]

    def _mistake(self, index: int | None, key: str, what: str, hint: str = "Correct the file.") -> ConfigurationError:
        return ConfigurationError(f"{self._file}, line {self._line_of(index, key)}: {what}", hint)

    def _line_of(self, index: int | None, key: str) -> int:
        """The line of a key of the provider at a position, or of the provider itself if the key is missing."""
        starts = [n for n, line in enumerate(self._lines) if re.match(r"\s*\[\[\s*provider\s*\]\]", line)]
        first, last = 0, len(self._lines)
        if index is not None and index < len(starts):
            first = starts[index]
            last = starts[index + 1] if index + 1 < len(starts) else last
        of_key = re.compile(rf"\s*(\[+\s*(provider\.)?)?[\"']?{re.escape(key)}[\"']?\s*[.=\]]")
        return 1 + next((n for n in range(first, last) if of_key.match(self._lines[n])), first)


def _is_kind(value: Any) -> bool:
    return isinstance(value, str) and value in _KEYS


def _is_name(value: Any) -> bool:
    return isinstance(value, str) and SESSION_NAME.fullmatch(value) is not None


def _is_labels(value: Any) -> bool:
    return isinstance(value, dict) and all(
        isinstance(text, str) and _LABEL.fullmatch(name) and _LABEL.fullmatch(text) for name, text in value.items()
    )


def _is_count(value: Any) -> bool:
    return isinstance(value, int) and not isinstance(value, bool) and value >= 0


def _is_positive(value: Any) -> bool:
    return _is_count(value) and value > 0


def _is_time(value: Any) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool) and 0 <= value < 86_400


def _is_table(value: Any) -> bool:
    return isinstance(value, dict)


def _is_list(value: Any) -> bool:
    return isinstance(value, list) and bool(value)
