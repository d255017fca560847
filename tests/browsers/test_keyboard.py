"""The keyboard as data."""

from __future__ import annotations

import string

import pytest

from oryn.browsers.common import keyboard

# docs/spec/intent-language.md#keys
NAMES = (
    "enter tab escape space backspace delete arrowup arrowdown arrowleft arrowright home end pageup pagedown insert "
    "f1 f2 f3 f4 f5 f6 f7 f8 f9 f10 f11 f12 control shift alt meta"
).split()


@pytest.mark.parametrize("name", NAMES)
def test_every_name_of_the_language_is_a_key(name):
    key = keyboard.find_key(name)
    assert key is not None
    assert key.code
    assert key.key_code


def test_every_printable_character_has_a_key():
    for character in string.printable.replace("\x0b", "").replace("\x0c", ""):
        made = keyboard.key_for_character(character)
        assert made is not None, character
        assert keyboard.find_key(character) is not None or character in "\n\r\t"


@pytest.mark.parametrize("character", ["é", "ß", "你", "👩", "\ud83d", "\x00"])
def test_other_characters_have_none(character):
    assert keyboard.key_for_character(character) is None


def test_shift_changes_what_a_key_types():
    for character in string.ascii_uppercase + '~_+{}|:"<>?!@#$%^&*()':
        key, shifted = keyboard.key_for_character(character) or (None, None)
        assert shifted
        assert key is not None
        plain = next(
            found
            for found in map(keyboard.find_key, string.printable)
            if found and found.code == key.code and found != key
        )
        assert keyboard.with_shift(plain) == key
    for name in ("enter", "f1", "arrowup"):
        key = keyboard.find_key(name)
        assert key is not None
        assert keyboard.with_shift(key) == key


@pytest.mark.parametrize(
    ("keys", "platform", "command"),
    [
        (("control", "a"), "linux", "selectAll"),
        (("control", "a"), "darwin", "selectAll"),
        (("meta", "a"), "darwin", "selectAll"),
        (("meta", "a"), "linux", None),
        (("control", "shift", "z"), "linux", "redo"),
        (("control", "alt", "a"), "linux", None),
        (("control", "shift", "a"), "linux", None),
        (("a",), "linux", None),
        (("meta", "arrowleft"), "darwin", "moveToBeginningOfLine"),
        (("meta", "arrowleft"), "linux", None),
    ],
)
def test_editing_commands(keys, platform, command):
    assert keyboard.editing_command(keys, platform) == command
