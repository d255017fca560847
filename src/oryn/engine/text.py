"""Answers as text (intent-language §6). Pure."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from oryn.engine import escape
from oryn.engine.answer import Answer, Observation
from oryn.engine.changes import page_line
from oryn.errors import OrynError


def render(answer: Answer) -> str:
    return _joined(_sections(answer) if answer.boundary is None else _fenced_sections(answer, answer.boundary))


def _joined(sections: Iterable[str]) -> str:
    return "\n\n".join(filter(None, sections))


def _sections(answer: Answer) -> Iterator[str]:
    if answer.told is not None:
        yield answer.told.text
        yield _headed("note", answer.notes)
        return
    if answer.error is not None:
        yield f"error {answer.command}: {escape.one_line(answer.error.message)}"
        yield _hint(answer.error)
    elif answer.observation is not None:
        yield from _observation(answer.observation)
    else:
        yield f"ok {answer.command}"
    yield from _found(answer)


def _fenced_sections(answer: Answer, drawn: str) -> Iterator[str]:
    """What is ours, and in the fence what may come from a page."""
    from oryn.engine import boundary

    error, inside = answer.error, list(_found(answer))
    if error is None:
        yield f"ok {answer.command}"
        if answer.observation is not None:
            inside = [*_observation(answer.observation), *inside]
    else:
        message = escape.one_line(error.message)
        ours = boundary.message_is_ours(error), boundary.hint_is_ours(error)
        yield f"error {answer.command}" + (f": {message}" if ours[0] else "")
        yield _hint(error) if ours[1] else ""
        inside = ["" if ours[0] else message, "" if ours[1] else _hint(error), *inside]
    yield boundary.fence(_joined(inside), drawn)


def _found(answer: Answer) -> Iterator[str]:
    """Everything below the head."""
    if answer.told is not None:
        yield answer.told.body
    if answer.page is not None:
        yield f"@ {page_line(*answer.page)}"
    yield "\n".join(answer.lines)
    if answer.block is not None:
        yield escape.block(answer.block)
    yield _headed("note", answer.notes)
    rows = [change.render() for change in answer.changes]
    if answer.more_changes:
        rows.append(f"… {answer.more_changes} more; run 'observe'")
    yield _headed("changes", rows)


def _hint(error: OrynError) -> str:
    return _headed("hint", [escape.one_line(row) for row in error.hint.split("\n")] if error.hint else [])


def _headed(title: str, rows: list[str]) -> str:
    return f"# {title}\n" + "\n".join(rows) if rows else ""


def observed(seen: Observation) -> str:
    """An observation alone, for an answer that has it among other things."""
    return _joined(_observation(seen))


def _observation(seen: Observation) -> Iterator[str]:
    yield f"@ {page_line(seen.url, seen.title)}" + (f"\nviewport {seen.viewport}" if seen.viewport else "")
    line = seen.line
    yield "\n".join([line(element) for element in seen.elements]) or "no interactive elements"
    if seen.more:
        plural = "element" if seen.more == 1 else "elements"
        yield f'# more\n{seen.more} more {plural}; observe --limit 0 shows all, --near "<text>" and --viewport fewer'
    yield _headed("patterns", [pattern_line(name, parts) for name, parts in seen.patterns.items() if parts])


def pattern_line(name: str, parts: Mapping[str, Any]) -> str:
    """`login_form: email [1], password [2], submit [3]`; page numbers as `pages [4] [5] [6]`, titles quoted."""
    shown = []
    for part, value in parts.items():
        if isinstance(value, bool) or value is None or part in ("container", "form", "selector"):
            continue
        if isinstance(value, int):
            shown.append(f"{part} [{value}]")
        elif isinstance(value, list) and value:
            shown.append(f"{part} " + " ".join(f"[{number}]" for number in value))
        elif isinstance(value, str) and value:
            shown.append(f"{part} {escape.quoted(value)}")
    return f"{name}: {', '.join(shown)}"
