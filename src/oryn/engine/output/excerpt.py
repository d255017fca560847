"""A part of a long text, as `text` and `value` return it with `--skip`, `--first` and `--last`."""

from __future__ import annotations

from oryn.language import ReadText, Value


def excerpt(text: str, command: ReadText | Value) -> tuple[str, list[str]]:
    """Return the part of a text that a command asks for, and a note that says which one it is, in characters."""
    total = len(text)
    start = total - min(total, command.last) if command.last is not None else min(total, command.skip or 0)
    end = total if command.first is None else min(total, start + command.first)
    if (start, end) == (0, total):
        return text, []
    more = f"; go on with --skip {end}" if end < total else ""
    return text[start:end], [f"characters {start} to {end} of {total}{more}"]
