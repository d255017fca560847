"""How the text that a field holds differs from the one that it should hold, in a few words."""

from __future__ import annotations

from typing import TYPE_CHECKING

from oryn.core.text_safety import quoted, shortened

if TYPE_CHECKING:
    from oryn.scanner.protocol import WrittenValue

_EXCERPT = 24
_SHORT = 60
"""Characters of a text that is quoted whole."""


def with_plain_breaks(text: str) -> str:
    """Return the text with `\\n` for each line break."""
    return text.replace("\r\n", "\n").replace("\r", "\n")


def describe_difference(wanted: str, held: str) -> str | None:
    """Return how a text differs from the wanted one, or None if it doesn't. Columns and lengths are in characters."""
    if held == wanted:
        return None
    shared = next((at for at, (one, other) in enumerate(zip(wanted, held, strict=False)) if one != other), None)
    if shared is None:
        shared = min(len(wanted), len(held))
    line = wanted.count("\n", 0, shared) + 1
    column = shared - (wanted.rfind("\n", 0, shared) + 1) + 1
    has, missing = (quoted(shortened(text[shared : shared + 2 * _EXCERPT], _EXCERPT)) for text in (held, wanted))
    return (
        f"it holds {len(held)} characters instead of {len(wanted)}, "
        f"and from line {line}, column {column} on {has} instead of {missing}"
    )


def describe_written(name: str, written: WrittenValue, *, past: bool = False) -> str:
    """Return what a field of this name holds instead of the text that was written into it. That of a password field is
    not said. `past`: it held that, and does not any more."""
    holds = "held" if past else "holds"
    held, wanted = written["held_text"], written["wanted_text"]
    if held is None or wanted is None:
        return f"{name} {holds} {written['length']} characters instead of {written['wanted']}"
    if max(len(held), len(wanted)) <= _SHORT:
        return f"{name} {holds} {_quoted(held)} instead of {_quoted(wanted)}"
    return f"{name} {'took' if past else 'has'} another text: {describe_difference(wanted, held)}"


def form_notes(outcome: str | None, length: int, wanted: int, *, same: str = "letters and digits") -> list[str]:
    """Return the notes about a field that holds a text in another form (`formatted`), or only its beginning
    (`limited`). length, wanted: the characters that it holds, and that the text has. same: what both forms share."""
    match outcome:
        case "formatted":
            return [f"the field shows it in another form: the same {same}"]
        case "limited":
            return [f"the field takes {length} characters: the rest of {wanted} is missing"]
    return []


def _quoted(text: str) -> str:
    return quoted(text) if text else "nothing"
