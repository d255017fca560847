"""Renders a transcript as one HTML page (`oryn.core.html_document`); all content of models and pages is escaped."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from html import escape
from typing import Any

from oryn.agent.runner.resume import usage_of
from oryn.agent.runner.transcript import TranscriptEntry, summarize_message
from oryn.core.html_document import DOCUMENT_END, document_head
from oryn.core.text_safety import visible
from oryn.models.responses import Usage

_STYLE = """
h1 { font-size: 1.375rem; }
dl { margin-bottom: 1rem; }
section { border-top: 1px solid var(--line); padding: 0.5rem 0; }
section > header { display: flex; justify-content: space-between; gap: 1rem; font-size: 0.875rem; color: var(--muted); }
.assistant > pre { background: var(--soft); }
.failed, .failed > header { color: var(--bad); }
summary { font: 0.8125rem/1.5 var(--mono); white-space: pre-wrap; }
details > pre { max-height: 30rem; }
"""

_ROLE_TITLES = {"system": "prompt", "user": "to the model", "assistant": "the model"}


def render_page(entries: Sequence[TranscriptEntry]) -> Iterator[str]:
    """Yield the page in parts. `entries` must not be empty."""
    yield document_head("Oryn agent", _STYLE, wide=True)
    yield from _overview(entries)
    for entry in entries:
        yield from _entry(entry)
    yield DOCUMENT_END


def _overview(entries: Sequence[TranscriptEntry]) -> Iterator[str]:
    first = entries[0]
    last = entries[-1] if entries[-1]["kind"] == "ended" else {}
    usage = sum((usage_of(each) for each in entries if each["kind"] == "message"), Usage())
    about = "about " if usage.estimated else ""
    cost = last.get("cost")
    rows = {
        "model": f"{first.get('model', '')} at {first.get('endpoint', '')}",
        "started": first.get("at", ""),
        "state": last.get("outcome", "not ended"),
        "steps": sum(each.get("role") == "assistant" for each in entries),
        "tokens": f"{about}{usage.prompt} read, {usage.completion} written",
        "cost": "" if cost is None else f"{about}{cost:.4f}",
        "answer": last.get("answer", ""),
    }
    yield f"<h1>{_text(first.get('goal', ''))}</h1>\n<dl>\n"
    yield from (f"<dt>{name}</dt><dd>{_text(value)}</dd>\n" for name, value in rows.items() if value != "")
    yield "</dl>\n"


def _entry(entry: TranscriptEntry) -> Iterator[str]:
    match entry["kind"]:
        case "message":
            yield from _message(entry)
        case "turn" if entry.get("action"):
            done = json.dumps({"action": entry["action"], **_mapping(entry.get("arguments"))}, ensure_ascii=False)
            yield from _section("turn", f"command, {entry.get('outcome', '')}", entry, _pre(done))
        case "correction":
            yield from _section("person", "correction by the user", entry, _pre(entry.get("content", "")))
        case "confirmation":
            text = "yes" if entry.get("agreed") else "no"
            yield from _section("person", f"confirmation: the user said {text}", entry, _pre(entry.get("asked", "")))
        case "again":
            yield from _section("failed", "retried", entry, _pre(entry.get("error", "")))
        case "shortened":
            text = f"{entry.get('messages', '')} messages were left out, as the conversation was too long."
            yield from _section("note", "shortened", entry, _pre(text))
        case "resumed":
            yield from _section("note", "resumed", entry, [])
        case "ended":
            yield from _section("note", f"end: {entry.get('outcome', '')}", entry, _end(entry))


def _message(entry: TranscriptEntry) -> Iterator[str]:
    role, content = str(entry.get("role", "")), str(entry.get("content", ""))
    who = _ROLE_TITLES.get(role, role)
    if role == "assistant":
        tokens = f", {entry.get('prompt', 0)} tokens read, {entry.get('completion', 0)} written"
        state = " (refused)" if entry.get("refused") else " (cut off)" if entry.get("cut") else ""
        yield from _section("assistant", f"{who}{state}{tokens}", entry, _pre(content))
        return
    short = "\n".join(summarize_message(content)) if role == "user" else "the system prompt"
    yield from _section(
        role, who, entry, [f"<details><summary>{_text(short)}</summary>", *_pre(content), "</details>\n"]
    )


def _end(entry: TranscriptEntry) -> Iterator[str]:
    error = _mapping(entry.get("error"))
    if error:
        hint = f"\n{error['hint']}" if error.get("hint") else ""
        yield from _pre(f"{error.get('message', '')}{hint}", "failed")
    if entry.get("answer"):
        yield from _pre(entry["answer"])


def _section(kind: str, title: str, entry: TranscriptEntry, inside: Iterable[str]) -> Iterator[str]:
    yield f'<section class="{_text(kind)}">\n<header><span>{_text(title)}</span>'
    yield f"<time>{_text(entry.get('at', ''))}</time></header>\n"
    yield from inside
    yield "</section>\n"


def _pre(text: object, kind: str = "") -> list[str]:
    return [f"<pre{f' class={kind}' if kind else ''}>{_text(text)}</pre>\n"]


def _text(value: object) -> str:
    return escape(visible(str(value)))


def _mapping(value: Any) -> Mapping[str, Any]:
    return value if isinstance(value, dict) else {}
