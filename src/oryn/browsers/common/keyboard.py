"""The keys of a US keyboard, as data: what each is called in the language, in events, and what it types.

https://w3c.github.io/uievents-key/ (key), https://w3c.github.io/uievents-code/ (code); the key codes are those that
browsers agree on: https://w3c.github.io/uievents/#legacy-key-models
"""

from __future__ import annotations

import sys

from oryn.records import Record

ALT, CONTROL, META, SHIFT = 1, 2, 4, 8
MODIFIERS = {"alt": ALT, "control": CONTROL, "meta": META, "shift": SHIFT}


class Key(Record):
    """One key, as pressed alone or with shift."""

    key: str
    code: str
    key_code: int
    text: str = ""
    location: int = 0


_NAMED: dict[str, Key] = {
    "enter": Key("Enter", "Enter", 13, "\r"),
    "tab": Key("Tab", "Tab", 9),
    "escape": Key("Escape", "Escape", 27),
    "space": Key(" ", "Space", 32, " "),
    "backspace": Key("Backspace", "Backspace", 8),
    "delete": Key("Delete", "Delete", 46),
    "arrowup": Key("ArrowUp", "ArrowUp", 38),
    "arrowdown": Key("ArrowDown", "ArrowDown", 40),
    "arrowleft": Key("ArrowLeft", "ArrowLeft", 37),
    "arrowright": Key("ArrowRight", "ArrowRight", 39),
    "home": Key("Home", "Home", 36),
    "end": Key("End", "End", 35),
    "pageup": Key("PageUp", "PageUp", 33),
    "pagedown": Key("PageDown", "PageDown", 34),
    "insert": Key("Insert", "Insert", 45),
    "control": Key("Control", "ControlLeft", 17, location=1),
    "shift": Key("Shift", "ShiftLeft", 16, location=1),
    "alt": Key("Alt", "AltLeft", 18, location=1),
    "meta": Key("Meta", "MetaLeft", 91, location=1),
    **{f"f{number}": Key(f"F{number}", f"F{number}", 111 + number) for number in range(1, 13)},
}

# code, key code, plain, with shift
_PRINTED: tuple[tuple[str, int, str, str], ...] = (
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

_PLAIN = {plain: Key(plain, code, number, plain) for code, number, plain, _ in _PRINTED}
_SHIFTED = {
    shifted: Key(shifted, code, number, shifted) for code, number, plain, shifted in _PRINTED if plain != shifted
}
_TYPED = {"\n": _NAMED["enter"], "\r": _NAMED["enter"], "\t": _NAMED["tab"]}


def named(name: str) -> Key | None:
    """The key that the language calls `name` (intent-language §4), or None; single characters name themselves."""
    return _NAMED.get(name) or _PLAIN.get(name) or _SHIFTED.get(name)


def typing(character: str) -> tuple[Key, bool] | None:
    """The key that makes `character` and whether shift is held for it, or None when no key of this keyboard does."""
    if key := _PLAIN.get(character) or _TYPED.get(character):
        return key, False
    if key := _SHIFTED.get(character):
        return key, True
    return None


def elsewhere(piece: str) -> Key:
    """A key for what no key of this keyboard makes, as on a keyboard that has it: one without a place or a number.
    https://w3c.github.io/uievents-key/#keys-unicode"""
    return Key(piece if len(piece) == 1 else "Unidentified", "", 0, piece)


def with_shift(key: Key) -> Key:
    """What the key is while shift is held: another character, or itself."""
    for code, number, plain, shifted in _PRINTED:
        if key.code == code and key.text == plain:
            return Key(shifted, code, number, shifted)
    return key


# Editing commands that a page gets from the operating system's shortcuts, and not from key events alone.
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
PASTES = frozenset({"paste", "pasteAndMatchStyle"})
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
    """The editing command that a combination (`("control", "a")`) stands for on this platform, or None.

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
