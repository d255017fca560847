"""Answers as text (intent-language §6). Pure."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from oryn.engine import escape
from oryn.engine.answer import Answer, Observation
from oryn.engine.changes import page_line


def render(answer: Answer) -> str:
    return "\n\n".join(filter(None, _sections(answer)))


def _sections(answer: Answer) -> Iterator[str]:
    if answer.error is not None:
        yield f"error {answer.command}: {escape.one_line(answer.error.message)}"
        yield _headed("hint", _indented_lines(answer.error.hint))
    elif answer.observation is not None:
        yield from _observation(answer.observation)
    else:
        yield f"ok {answer.command}"
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


def _indented_lines(hint: str | None) -> list[str]:
    return [escape.one_line(row) for row in hint.split("\n")] if hint else []


def _headed(title: str, rows: list[str]) -> str:
    return f"# {title}\n" + "\n".join(rows) if rows else ""


def observed(seen: Observation) -> str:
    """An observation alone, for an answer that has it among other things."""
    return "\n\n".join(filter(None, _observation(seen)))


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
