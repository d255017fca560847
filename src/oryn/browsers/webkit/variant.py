"""GVariant, the format of the parameters of messages to and from WebKit's inspector socket.

A value of a type is bytes without any description: numbers have their own length and alignment, the children of a
container are aligned, and where the end of a child can't be computed a framing offset at the container's end names it.
https://docs.gtk.org/glib/gvariant-specification-1.0.html

Types are written as in GLib; these occur:

| type | Python |
|---|---|
| `b` | `bool` |
| `t` | `int`, 0 to 2^64 - 1 |
| `s` | `str` without NUL |
| `v` | a pair of the type and the value; it is only written |
| `aT` | a list |
| `a{sT}` | a dict |
| `(T…)` | a tuple |"""

from __future__ import annotations

import re
import struct
from collections.abc import Iterable, Sequence
from functools import cache
from typing import Any, Literal

ByteOrder = Literal["little", "big"]
"""Of the numbers. Framing offsets are always little-endian."""

_FIXED = {"b": 1, "t": 8}
"""The length of basic types of fixed length, which is also their alignment."""


_MAX_SIZES = {1: 0xFF, 2: 0xFFFF, 4: 0xFFFF_FFFF, 8: 1 << 64}
"""The longest container whose framing offsets have this width."""


class MalformedVariant(ValueError):
    """The bytes are no value of the type in its normal form."""


def encode(kind: str, value: Any) -> bytes:
    """The bytes of `value` as the type `kind`, little-endian."""
    if (numbers := _leading_numbers(kind)) is not None:
        return numbers.pack(*value[:-1]) + encode("s", value[-1])
    head = kind[0]
    if head == "b":
        return b"\1" if value else b"\0"
    if head == "t":
        return int(value).to_bytes(8, "little")
    if head == "s":
        if "\0" in value:
            raise ValueError("a string holds no NUL")
        return str(value).encode() + b"\0"
    if head == "v":
        inner, content = value
        return b"\0".join((encode(inner, content), str(inner).encode()))
    if head == "a":
        child = kind[1:]
        pairs = value.items() if child[0] == "{" else value
        return _pack([child] * len(pairs), pairs, is_array=True)
    return _pack(_members(kind), value, is_array=False).ljust(_fixed_size(kind), b"\0")


def decode(kind: str, data: bytes | memoryview, order: ByteOrder = "little") -> Any:
    """The value of type `kind` that `data` holds. Raises `MalformedVariant`."""
    try:
        if order == "little" and (numbers := _leading_numbers(kind)) is not None:
            return *numbers.unpack_from(data), _decode("s", memoryview(data)[numbers.size :], order)
        return _decode(kind, memoryview(data), order)
    except (IndexError, UnicodeDecodeError, struct.error) as error:
        raise MalformedVariant(f"no value of type {kind}") from error


def _decode(kind: str, data: memoryview, order: ByteOrder) -> Any:
    head = kind[0]
    size = _fixed_size(kind)
    if size and len(data) != size:
        raise MalformedVariant(f"{len(data)} bytes are no value of type {kind}")
    if head == "b":
        return data[0] != 0
    if head == "t":
        return int.from_bytes(data, order)
    if head == "s":
        text = bytes(data)
        if text.find(b"\0") != len(text) - 1:
            raise MalformedVariant("a string ends with its only NUL")
        return text[:-1].decode()
    if head == "a":
        items = _decode_array(kind[1:], data, order)
        return dict(items) if kind[1] == "{" else items
    return _decode_tuple(_members(kind), data, order)


# --- containers ---


def _pack(kinds: Sequence[str], values: Iterable[Any], *, is_array: bool) -> bytes:
    """The children of a container and its framing offsets: those of an array in order, those of a tuple backwards and
    without that of the last child."""
    body, ends = bytearray(), []
    for number, (kind, value) in enumerate(zip(kinds, values, strict=True)):
        body += bytes(-len(body) % _alignment(kind))
        body += encode(kind, value)
        if not _fixed_size(kind) and (is_array or number < len(kinds) - 1):
            ends.append(len(body))
    if not is_array:
        ends.reverse()
    width = next(width for width, most in _MAX_SIZES.items() if len(body) + width * len(ends) <= most)
    return bytes(body) + b"".join(end.to_bytes(width, "little") for end in ends)


def _offset_width(size: int) -> int:
    return next(width for width, most in _MAX_SIZES.items() if size <= most)


def _decode_array(kind: str, data: memoryview, order: ByteOrder) -> list[Any]:
    if not data:
        return []
    if size := _fixed_size(kind):
        if len(data) % size:
            raise MalformedVariant(f"{len(data)} bytes are no array of type {kind}")
        return [_decode(kind, data[start : start + size], order) for start in range(0, len(data), size)]
    width = _offset_width(len(data))
    first = _offset(data, len(data) - width, width)  # where the last element ends, and the offsets begin
    if first >= len(data) or (len(data) - first) % width:
        raise MalformedVariant("the framing offsets do not fit")
    items, start = [], 0
    for at in range(first, len(data), width):
        start += -start % _alignment(kind)
        end = _offset(data, at, width)
        items.append(_decode(kind, _part(data, start, end, first), order))
        start = end
    return items


def _decode_tuple(kinds: tuple[str, ...], data: memoryview, order: ByteOrder) -> tuple[Any, ...]:
    width = _offset_width(len(data))
    rest = len(data)  # the offsets, the last of which is the first child's, are read from the end
    limit = rest - width * sum(not _fixed_size(kind) for kind in kinds[:-1])
    values, start = [], 0
    for number, kind in enumerate(kinds):
        start += -start % _alignment(kind)
        if size := _fixed_size(kind):
            end = start + size
        elif number == len(kinds) - 1:
            end = limit
        else:
            rest -= width
            end = _offset(data, rest, width)
        values.append(_decode(kind, _part(data, start, end, limit), order))
        start = end
    return tuple(values)


def _offset(data: memoryview, at: int, width: int) -> int:
    if at < 0:
        raise MalformedVariant("it is cut")
    return int.from_bytes(data[at : at + width], "little")


def _part(data: memoryview, start: int, end: int, limit: int) -> memoryview:
    if not start <= end <= limit:
        raise MalformedVariant("the framing offsets do not fit")
    return data[start:end]


# --- types ---


@cache
def _leading_numbers(kind: str) -> struct.Struct | None:
    """The numbers at the beginning of a tuple of numbers and one string: nearly all messages are that, and it is eight
    times as fast. None for other types."""
    found = re.fullmatch(r"\((t+)s\)", kind)
    return None if found is None else struct.Struct(f"<{len(found[1])}Q")


@cache
def _members(kind: str) -> tuple[str, ...]:
    """The types of the members of a tuple or a dictionary entry."""
    members, at = [], 1
    while at < len(kind) - 1:
        end = _end(kind, at)
        members.append(kind[at:end])
        at = end
    return tuple(members)


def _end(kind: str, at: int) -> int:
    """The end of the type that begins at `at`."""
    if kind[at] == "a":
        return _end(kind, at + 1)
    if kind[at] not in "({":
        return at + 1
    at += 1
    while kind[at] not in ")}":
        at = _end(kind, at)
    return at + 1


@cache
def _alignment(kind: str) -> int:
    if kind[0] in "({":
        return max(map(_alignment, _members(kind)), default=1)
    if kind[0] == "a":
        return _alignment(kind[1:])
    return 8 if kind[0] == "v" else _FIXED.get(kind[0], 1)


@cache
def _fixed_size(kind: str) -> int:
    """The length of each value of a type, or 0 if it varies."""
    if kind[0] not in "({":
        return _FIXED.get(kind, 0)
    size = 0
    for member in _members(kind):
        if not (length := _fixed_size(member)):
            return 0
        size += -size % _alignment(member) + length
    return size + -size % _alignment(kind)
