"""A US keyboard: its keys as data, the pressed keys, and the key events that type text or press a combination.

Each key has its name in the Intent Language, its values in events, and the text that it types.
https://w3c.github.io/uievents-key/ (key), https://w3c.github.io/uievents-code/ (code); the key codes are those that
browsers agree on: https://w3c.github.io/uievents/#legacy-key-models

The backends deliver the events. Keys pressed by the command `keydown` stay pressed until they are released.

Text is typed grapheme by grapheme, that is in pieces that people perceive as one character: a letter with its accents,
an emoji of several parts. The rules of https://www.unicode.org/reports/tr29/#Grapheme_Cluster_Boundary_Rules are
followed as far as typing needs them; a grapheme that is split too far is typed in two parts."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from typing import Literal

from oryn.core.records import Record
from oryn.errors import InvalidValue

ALT, CONTROL, META, SHIFT = 1, 2, 4, 8
MODIFIERS = {
    "alt": ALT,
    "control": CONTROL,
    "meta": META,
    "shift": SHIFT,
}


class KeyDefinition(Record):
    """A key: its values in key events, and the text that it types."""

    key: str
    code: str
    key_code: int
    text: str = ""
    location: int = 0


_NAMED: dict[str, KeyDefinition] = {
    "enter": KeyDefinition("Enter", "Enter", 13, "\r"),
    "tab": KeyDefinition("Tab", "Tab", 9),
    "escape": KeyDefinition("Escape", "Escape", 27),
    "space": KeyDefinition(" ", "Space", 32, " "),
    "backspace": KeyDefinition("Backspace", "Backspace", 8),
    "delete": KeyDefinition("Delete", "Delete", 46),
    "arrowup": KeyDefinition("ArrowUp", "ArrowUp", 38),
    "arrowdown": KeyDefinition("ArrowDown", "ArrowDown", 40),
    "arrowleft": KeyDefinition("ArrowLeft", "ArrowLeft", 37),
    "arrowright": KeyDefinition("ArrowRight", "ArrowRight", 39),
    "home": KeyDefinition("Home", "Home", 36),
    "end": KeyDefinition("End", "End", 35),
    "pageup": KeyDefinition("PageUp", "PageUp", 33),
    "pagedown": KeyDefinition("PageDown", "PageDown", 34),
    "insert": KeyDefinition("Insert", "Insert", 45),
    "control": KeyDefinition("Control", "ControlLeft", 17, location=1),
    "shift": KeyDefinition("Shift", "ShiftLeft", 16, location=1),
    "alt": KeyDefinition("Alt", "AltLeft", 18, location=1),
    "meta": KeyDefinition("Meta", "MetaLeft", 91, location=1),
    **{f"f{number}": KeyDefinition(f"F{number}", f"F{number}", 111 + number) for number in range(1, 13)},
}

# code, key code, plain, with shift
_PRINTABLE: tuple[tuple[str, int, str, str], ...] = (
    ("Backquote", 192, "`", "~"),
    ("Minus", 189, "-", "_"),
    ("Equal", 187, "=", "+"),
    ("BracketLeft", 219, "[", "{"),
    ("BracketRight", 221, "]", "}"),
    ("Backslash", 220, "\\", "|"),
    ("Semicolon", 186, ";", ":"),
    ("Quote", 222, "'", '"'),
    ("Comma", 188, ",", "<"),
    ("Period", 190, ".", ">"),
    ("Slash", 191, "/", "?"),
    ("Space", 32, " ", " "),
    *((f"Digit{digit}", 48 + digit, str(digit), shifted) for digit, shifted in enumerate(")!@#$%^&*(")),
    *((f"Key{letter}", ord(letter), letter.lower(), letter) for letter in "ABCDEFGHIJKLMNOPQRSTUVWXYZ"),
)

_PLAIN = {plain: KeyDefinition(plain, code, number, plain) for code, number, plain, _ in _PRINTABLE}
_SHIFTED = {
    shifted: KeyDefinition(shifted, code, number, shifted)
    for code, number, plain, shifted in _PRINTABLE
    if plain != shifted
}
_CONTROL_CHARACTERS = {"\n": _NAMED["enter"], "\r": _NAMED["enter"], "\t": _NAMED["tab"]}


def find_key(name: str) -> KeyDefinition | None:
    """The key with this name in the Intent Language (docs/spec/intent-language.md#keys), or None; the name of a
    character is the character."""
    return _NAMED.get(name) or _PLAIN.get(name) or _SHIFTED.get(name)


def key_for_character(character: str) -> tuple[KeyDefinition, bool] | None:
    """The key that types `character`, and whether with shift; None if no key of this keyboard types it."""
    if key := _PLAIN.get(character) or _CONTROL_CHARACTERS.get(character):
        return key, False
    if key := _SHIFTED.get(character):
        return key, True
    return None


def unmapped_key(piece: str) -> KeyDefinition:
    """A key for text that no key of this keyboard types: it has neither a code nor a key code.
    https://w3c.github.io/uievents-key/#keys-unicode"""
    return KeyDefinition(piece if len(piece) == 1 else "Unidentified", "", 0, piece)


def with_shift(key: KeyDefinition) -> KeyDefinition:
    """The key while shift is pressed: that of another character, or itself."""
    for code, number, plain, shifted in _PRINTABLE:
        if key.code == code and key.text == plain:
            return KeyDefinition(shifted, code, number, shifted)
    return key


# Editing commands, which operating systems assign to shortcuts: key events alone do not start them.
# https://source.chromium.org/chromium/chromium/src/+/main:third_party/blink/renderer/core/editing/commands/editor_command_names.h
_EDITING = {
    "a": "selectAll",
    "c": "copy",
    "x": "cut",
    "v": "paste",
    "z": "undo",
    "y": "redo",
    "shift+z": "redo",
    "shift+v": "pasteAndMatchStyle",
}
PASTE_COMMANDS = frozenset({"paste", "pasteAndMatchStyle"})
_EDITING_MAC = {
    "meta+arrowleft": "moveToBeginningOfLine",
    "meta+arrowright": "moveToEndOfLine",
    "meta+arrowup": "moveToBeginningOfDocument",
    "meta+arrowdown": "moveToEndOfDocument",
    "meta+backspace": "deleteToBeginningOfLine",
    "alt+arrowleft": "moveWordLeft",
    "alt+arrowright": "moveWordRight",
    "alt+backspace": "deleteWordBackward",
}


def editing_command(keys: tuple[str, ...], platform: str = sys.platform) -> str | None:
    """The editing command of a combination (`("control", "a")`) on this platform, or None.

    Control is the shortcut key everywhere, so that a script of combinations does the same on every machine; on macOS
    `meta` is one as well."""
    modifiers, key = frozenset(keys[:-1]), keys[-1]
    shortcuts = ("control", "meta") if platform == "darwin" else ("control",)
    for shortcut in shortcuts:
        if shortcut in modifiers and not modifiers - {shortcut, "shift"}:
            command = _EDITING.get(f"shift+{key}" if "shift" in modifiers else key)
            if command:
                return command
    return _EDITING_MAC.get("+".join(keys)) if platform == "darwin" else None


class PressedKeys:
    """The pressed keys of one tab in order of pressing, by their names in the Intent Language."""

    def __init__(self) -> None:
        self._keys: dict[str, KeyDefinition] = {}

    @property
    def names(self) -> tuple[str, ...]:
        """The names of the pressed keys."""
        return tuple(self._keys)

    @property
    def modifiers(self) -> int:
        """The bits of the pressed modifiers."""
        return modifier_bits(self.names)

    def add(self, name: str) -> KeyDefinition:
        """Add a key. Raises `InvalidValue` if there is no such key."""
        key = self._keys[name] = get_key(name)
        return key

    def remove(self, name: str) -> None:
        """Remove a pressed key."""
        del self._keys[name]

    def __contains__(self, name: str) -> bool:
        return name in self._keys

    def combination(self, keys: Sequence[str]) -> tuple[str, ...]:
        """`keys` together with the pressed modifiers, which come first; each key once."""
        held = [name for name in self._keys if name in MODIFIERS and name not in keys]
        return (*held, *keys)


def modifier_bits(names: Sequence[str]) -> int:
    """The bits of the modifiers among these keys."""
    bits = 0
    for name in names:
        bits |= MODIFIERS.get(name, 0)
    return bits


def get_key(name: str) -> KeyDefinition:
    """The key with this name; characters that are not on the keyboard are keys too. Raises `InvalidValue`."""
    key = find_key(name)
    if key is not None:
        return key
    if len(name) == 1:
        return KeyDefinition(name, "", 0, name)
    raise InvalidValue(f"there is no key called {name!r}", "'help press' lists the names of keys.")


_JOINER = "\u200d"
_EXTENDING = ("Mn", "Me", "Mc")
_HANGUL = (range(0x1100, 0x1200), range(0xA960, 0xA980), range(0xD7B0, 0xD800))


def graphemes(text: str) -> list[str]:
    """The graphemes of a text. Lone surrogates, which browsers reject, are replaced by U+FFFD."""
    if text.isascii():
        return list(text)
    found: list[str] = []
    for character in text.encode("utf-16", "surrogatepass").decode("utf-16", "replace"):
        if found and _belongs_to(character, found[-1]):
            found[-1] += character
        else:
            found.append(character)
    return found


def _belongs_to(character: str, before: str) -> bool:
    import unicodedata  # a megabyte, which most texts don't need

    last = before[-1]
    if character.isascii() or last in "\r\n\t":
        return False
    code = ord(character)
    if character == _JOINER or unicodedata.category(character) in _EXTENDING:
        return True
    if last == _JOINER:
        return len(before) > 1
    if 0x1F3FB <= code <= 0x1F3FF or 0xE0020 <= code <= 0xE007F:  # skin tones, tags of flags
        return not before.isascii()
    if 0x1F1E6 <= code <= 0x1F1FF:  # two of them are a flag
        return len(before) == 1 and 0x1F1E6 <= ord(before) <= 0x1F1FF
    is_vowel_or_end = 0x1160 <= code < 0x1200 or 0xD7B0 <= code < 0xD800
    return is_vowel_or_end and any(ord(last) in each for each in _HANGUL)


class KeyEvent(Record):
    """A key is pressed or released."""

    kind: Literal["down", "up"]
    key: KeyDefinition
    """With shift, the shifted key."""
    modifiers: int = 0
    """Bits of `MODIFIERS`."""
    text: str = ""
    """The text that it types; empty while control, alt or meta is pressed."""
    command: str | None = None
    """The editing command of the combination (`editing_command`)."""
    repeated: bool = False
    """Whether the key was pressed already."""


class KeySequencer:
    """Turns key combinations and text into the key events of one tab."""

    def __init__(self, platform: str = sys.platform) -> None:
        """`platform` is that of the browser, by its name in `sys.platform`."""
        self.held = PressedKeys()
        self.platform = platform

    def command(self, keys: Sequence[str]) -> str | None:
        """The editing command of a combination, with the pressed modifiers."""
        return editing_command(self.held.combination(keys), self.platform)

    def press(self, keys: Sequence[str]) -> list[KeyEvent]:
        """The events of a combination. Keys that are held already are not released, and not pressed again, except the
        last one. Raises `InvalidValue`."""
        combination = self.held.combination(keys)
        pressed = [(name, get_key(name)) for name in combination if name not in self.held or name == combination[-1]]
        command = self.command(keys)
        bits = self.held.modifiers
        events = []
        for name, key in pressed:
            bits |= MODIFIERS.get(name, 0)
            events.append(key_down_event(key, bits, command if name == combination[-1] else None, name in self.held))
        for name, key in reversed(pressed):
            if name not in self.held:
                bits &= ~MODIFIERS.get(name, 0)
                events.append(key_up_event(key, bits))
        return events

    def hold(self, name: str) -> tuple[bool, list[KeyEvent]]:
        """Hold a key from now on: whether it was up before, and the events. Raises `InvalidValue`."""
        was_up = name not in self.held
        key = self.held.add(name)
        return was_up, [key_down_event(key, self.held.modifiers, self.command((name,)), not was_up)]

    def release(self, names: Sequence[str]) -> list[KeyEvent]:
        """The events that release held keys, in this order; others are ignored."""
        events = []
        for name in names:
            if name in self.held:
                self.held.remove(name)
                events.append(key_up_event(get_key(name), self.held.modifiers))
        return events

    def type(self, piece: str) -> list[KeyEvent]:
        """The events that type one piece of `split_text`."""
        key, shifted = key_for_character(piece) or (unmapped_key(piece), False)
        bits = self.held.modifiers | (SHIFT if shifted else 0)
        return [key_down_event(key, bits), key_up_event(key, bits)]

    def modifiers(self, names: Sequence[str]) -> int:
        """The bits of these modifiers and of the held ones."""
        return modifier_bits((*self.held.names, *names))


def key_down_event(key: KeyDefinition, modifiers: int, command: str | None = None, repeated: bool = False) -> KeyEvent:
    """The event of a pressed key, with these modifiers (bits)."""
    key = with_shift(key) if modifiers & SHIFT else key
    text = key.text if not modifiers & ~SHIFT else ""
    return KeyEvent("down", key, modifiers, text, command, repeated)


def key_up_event(key: KeyDefinition, modifiers: int) -> KeyEvent:
    """The event of a released key, with these modifiers (bits)."""
    return KeyEvent("up", with_shift(key) if modifiers & SHIFT else key, modifiers)


def split_text(text: str) -> list[str]:
    """The pieces of a text that are typed with one key each; `\\r\\n` is one line break."""
    return graphemes(text.replace("\r\n", "\n"))
