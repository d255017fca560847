"""The keys that are held, between the command that presses one and the one that lets it go."""

from __future__ import annotations

from collections.abc import Sequence

from oryn.browsers.common import keyboard
from oryn.browsers.common.keyboard import Key
from oryn.errors import InvalidValue


class Held:
    """Keys of one tab in the order in which they were pressed, by the language's names."""

    def __init__(self) -> None:
        self._keys: dict[str, Key] = {}

    @property
    def names(self) -> tuple[str, ...]:
        return tuple(self._keys)

    @property
    def modifiers(self) -> int:
        """The bits of the held modifiers."""
        return modifier_bits(self.names)

    def add(self, name: str) -> Key:
        """Raises `InvalidValue` for what is no key."""
        key = self._keys[name] = key_called(name)
        return key

    def remove(self, name: str) -> None:
        del self._keys[name]

    def __contains__(self, name: str) -> bool:
        return name in self._keys

    def combination(self, keys: Sequence[str]) -> tuple[str, ...]:
        """`keys` as pressed now: the held modifiers come first, each key once."""
        held = [name for name in self._keys if name in keyboard.MODIFIERS and name not in keys]
        return (*held, *keys)


def modifier_bits(names: Sequence[str]) -> int:
    bits = 0
    for name in names:
        bits |= keyboard.MODIFIERS.get(name, 0)
    return bits


def key_called(name: str) -> Key:
    """Raises `InvalidValue`."""
    key = keyboard.named(name)
    if key is not None:
        return key
    if len(name) == 1:
        return Key(name, "", 0, name)
    raise InvalidValue(f"there is no key called {name!r}", "'help press' lists the names of keys.")
