"""What fingers do on a keyboard for a command: which keys go down and up in which order, and what that types.

A backend delivers the strokes in its own way. Keys that `keydown` holds stay down until they are let go.
"""

from __future__ import annotations

import sys
from collections.abc import Sequence
from typing import Literal

from oryn.browsers.common import keyboard
from oryn.browsers.common.graphemes import graphemes
from oryn.browsers.common.held import Held, key_called, modifier_bits
from oryn.browsers.common.keyboard import Key
from oryn.records import Record


class Stroke(Record):
    """One key going `down` or `up`."""

    kind: Literal["down", "up"]
    key: Key
    """With shift held, the key that it is then."""
    modifiers: int = 0
    """Bits of `keyboard.MODIFIERS`."""
    text: str = ""
    """What it types; nothing while control, alt or meta is held."""
    command: str | None = None
    """The editing command that it stands for (`keyboard.editing_command`)."""
    repeated: bool = False
    """It was down already."""


class Fingers:
    """The keys of one tab. `platform` is that of the browser, as `sys.platform` names it."""

    def __init__(self, platform: str = sys.platform) -> None:
        self.held = Held()
        self.platform = platform

    def command(self, keys: Sequence[str]) -> str | None:
        """The editing command of a combination, with what is held."""
        return keyboard.editing_command(self.held.combination(keys), self.platform)

    def press(self, keys: Sequence[str]) -> list[Stroke]:
        """Keys that are held already are neither pressed again, save the last, nor let go. Raises `InvalidValue`."""
        together = self.held.combination(keys)
        pressed = [(name, key_called(name)) for name in together if name not in self.held or name == together[-1]]
        command = self.command(keys)
        bits = self.held.modifiers
        strokes = []
        for name, key in pressed:
            bits |= keyboard.MODIFIERS.get(name, 0)
            strokes.append(down(key, bits, command if name == together[-1] else None, name in self.held))
        for name, key in reversed(pressed):
            if name not in self.held:
                bits &= ~keyboard.MODIFIERS.get(name, 0)
                strokes.append(up(key, bits))
        return strokes

    def hold(self, name: str) -> tuple[bool, list[Stroke]]:
        """Press a key and keep it: whether it was up before, and the strokes. Raises `InvalidValue`."""
        was_up = name not in self.held
        key = self.held.add(name)
        return was_up, [down(key, self.held.modifiers, self.command((name,)), not was_up)]

    def let_go(self, names: Sequence[str]) -> list[Stroke]:
        """Let held keys go, in this order; others are let be."""
        strokes = []
        for name in names:
            if name in self.held:
                self.held.remove(name)
                strokes.append(up(key_called(name), self.held.modifiers))
        return strokes

    def type(self, piece: str) -> list[Stroke]:
        """The strokes that make one of `pieces`."""
        key, shifted = keyboard.typing(piece) or (keyboard.elsewhere(piece), False)
        bits = self.held.modifiers | (keyboard.SHIFT if shifted else 0)
        return [down(key, bits), up(key, bits)]

    def modifiers(self, names: Sequence[str]) -> int:
        """The bits of these modifiers and of those that are held."""
        return self.held.modifiers | modifier_bits(names)


def down(key: Key, modifiers: int, command: str | None = None, repeated: bool = False) -> Stroke:
    key = keyboard.with_shift(key) if modifiers & keyboard.SHIFT else key
    text = key.text if not modifiers & ~keyboard.SHIFT else ""
    return Stroke("down", key, modifiers, text, command, repeated)


def up(key: Key, modifiers: int) -> Stroke:
    return Stroke("up", keyboard.with_shift(key) if modifiers & keyboard.SHIFT else key, modifiers)


def pieces(text: str) -> list[str]:
    """What is typed with a key each; `\\r\\n` is one line break."""
    return graphemes(text.replace("\r\n", "\n"))
