"""GVariant against GLib's own code, where it is installed, and against bytes that are no values. No browser."""

from __future__ import annotations

import ctypes
import ctypes.util
from functools import cache
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from oryn.browsers.webkit.transport import FROM_BROWSER, TO_BROWSER
from oryn.browsers.webkit.variant import ByteOrder, MalformedVariant, decode, encode

# --- GLib ---


@cache
def glib() -> Any:
    name = ctypes.util.find_library("glib-2.0")
    if name is None:
        pytest.skip("needs GLib")
    library = ctypes.CDLL(name)
    pointer, text = ctypes.c_void_p, ctypes.c_char_p
    for function, result, arguments in (
        ("g_variant_type_new", pointer, [text]),
        ("g_variant_parse", pointer, [pointer, text, pointer, pointer, pointer]),
        ("g_variant_byteswap", pointer, [pointer]),
        ("g_variant_get_size", ctypes.c_size_t, [pointer]),
        ("g_variant_get_data", pointer, [pointer]),
        ("g_variant_unref", None, [pointer]),
        ("g_variant_type_free", None, [pointer]),
    ):
        getattr(library, function).restype = result
        getattr(library, function).argtypes = arguments
    return library


def by_glib(kind: str, value: Any, order: ByteOrder = "little") -> bytes:
    """The bytes that GLib makes of a value."""
    library = glib()
    variant_type = library.g_variant_type_new(kind.encode())
    variant = library.g_variant_parse(variant_type, written(kind, value).encode(), None, None, None)
    assert variant, written(kind, value)
    if order == "big":  # on a little-endian machine, as those are that run this
        variant = library.g_variant_byteswap(variant)
    size = library.g_variant_get_size(variant)
    data = ctypes.string_at(library.g_variant_get_data(variant), size) if size else b""
    library.g_variant_unref(variant)
    library.g_variant_type_free(variant_type)
    return data


def written(kind: str, value: Any) -> str:
    """A value in GLib's text format. https://docs.gtk.org/glib/gvariant-text-format.html"""
    match kind[0]:
        case "b":
            return str(value).lower()
        case "t":
            return str(value)
        case "s":
            return '"' + "".join(f"\\U{ord(letter):08x}" for letter in value) + '"'
        case "v":
            return f"<@{value[0]} {written(*value)}>"
        case "a" if kind[1] == "{":
            return (
                "{"
                + ", ".join(f"{written('s', key)}: {written(kind[3:-1], each)}" for key, each in value.items())
                + "}"
            )
        case "a":
            return "[" + ", ".join(written(kind[1:], each) for each in value) + "]"
        case _:
            members = [written(*member) for member in zip(split(kind[1:-1]), value, strict=True)]
            return "(" + ", ".join(members) + ("," if len(members) == 1 else "") + ")"


def split(kinds: str) -> list[str]:
    found, depth, start = [], 0, 0
    for at, letter in enumerate(kinds):
        depth += (letter in "({") - (letter in ")}")
        if depth == 0 and letter != "a":
            found.append(kinds[start : at + 1])
            start = at + 1
    return found


# --- types and values ---

TEXT = st.text(st.characters(exclude_categories=("Cs",), exclude_characters="\0"), max_size=300)
NUMBER = st.integers(0, 2**64 - 1)


def tuple_type(members: list[str]) -> str:
    return f"({''.join(members)})"


def types(*basic: str) -> st.SearchStrategy[str]:
    return st.recursive(
        st.sampled_from(basic),
        lambda inner: st.one_of(
            inner.map(lambda kind: f"a{kind}"),
            inner.map(lambda kind: f"a{{s{kind}}}"),
            st.lists(inner, min_size=1, max_size=4).map(tuple_type),
        ),
        max_leaves=6,
    )


def values(kind: str) -> st.SearchStrategy[Any]:
    match kind[0]:
        case "b":
            return st.booleans()
        case "t":
            return NUMBER
        case "s":
            return TEXT
        case "v":
            return types("b", "t", "s").flatmap(lambda inner: st.tuples(st.just(inner), values(inner)))
        case "a" if kind[1] == "{":
            return st.dictionaries(TEXT, values(kind[3:-1]), max_size=4)
        case "a":
            return st.lists(values(kind[1:]), max_size=5)
        case _:
            return st.tuples(*(values(each) for each in split(kind[1:-1])))


def typed(*basic: str) -> st.SearchStrategy[tuple[str, Any]]:
    return types(*basic).flatmap(lambda kind: st.tuples(st.just(kind), values(kind)))


MESSAGES = st.sampled_from([*TO_BROWSER.values(), *FROM_BROWSER.values()]).flatmap(
    lambda kind: st.tuples(st.just(kind), values(kind))
)


@given(typed("b", "t", "s", "v") | MESSAGES)
def test_glib_writes_the_same(case: tuple[str, Any]) -> None:
    assert encode(*case) == by_glib(*case)


@given(typed("b", "t", "s") | MESSAGES.filter(lambda case: "v" not in case[0]), st.sampled_from(["little", "big"]))
def test_what_glib_writes_is_read(case: tuple[str, Any], order: ByteOrder) -> None:
    kind, value = case
    assert decode(kind, by_glib(kind, value, order), order) == value


@given(typed("b", "t", "s"))
def test_what_was_written_is_read(case: tuple[str, Any]) -> None:
    kind, value = case
    assert decode(kind, encode(kind, value)) == value


@pytest.mark.parametrize("length", [200, 250, 254, 255, 256, 300, 65_500, 65_534, 65_535, 65_536, 70_000])
def test_offsets_grow_with_the_container(length: int) -> None:
    for kind, value in (
        ("(ss)", ("x" * length, "y")),
        ("as", ["x" * length, "y", ""]),
        ("(tts)", (1, 2, "x" * length)),
    ):
        assert encode(kind, value) == by_glib(kind, value)
        assert decode(kind, encode(kind, value)) == value


@given(st.sampled_from(sorted(FROM_BROWSER.values())), st.binary(max_size=200))
def test_bytes_that_are_no_value(kind: str, data: bytes) -> None:
    try:
        decode(kind, data)
    except MalformedVariant:
        pass


@given(st.data())
def test_a_value_that_is_cut_or_damaged(data: st.DataObject) -> None:
    kind, value = data.draw(typed("b", "t", "s") | MESSAGES.filter(lambda case: "v" not in case[0]))
    whole = encode(kind, value)
    damaged = bytearray(whole[: data.draw(st.integers(0, len(whole)))])
    for _ in range(data.draw(st.integers(0, 3)) if damaged else 0):
        damaged[data.draw(st.integers(0, len(damaged) - 1))] = data.draw(st.integers(0, 255))
    try:
        decode(kind, bytes(damaged))
    except MalformedVariant:
        pass


def test_no_string_holds_a_nul() -> None:
    with pytest.raises(ValueError, match="NUL"):
        encode("s", "a\0b")


def test_every_message_has_a_type() -> None:
    for kind in (*TO_BROWSER.values(), *FROM_BROWSER.values()):
        assert kind.startswith("(") and "".join(split(kind[1:-1])) == kind[1:-1]
