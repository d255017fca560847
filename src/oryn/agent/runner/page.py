"""Renders a transcript as one HTML page (`oryn.core.html_document`); all content of models and pages is escaped.

Each step is one reply of the model: what it says, what it does in words with the element's role and name, a picture of
the page afterwards, and behind folds what a person rarely needs."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from html import escape
from itertools import islice
from typing import Any

from oryn.agent.runner.resume import usage_of
from oryn.agent.runner.transcript import TranscriptEntry, summarize_message
from oryn.core.html_document import DOCUMENT_END, document_head
from oryn.core.text_safety import visible
from oryn.models.responses import Usage

_STYLE = """
h1 { font-size: 1.625rem; }
.answer { margin: 1rem 0; padding: 0.875rem 1rem; border-radius: 0.75rem; background: var(--soft); }
.answer, .said { white-space: pre-wrap; }
dl { margin-bottom: 1.5rem; font-size: 0.875rem; }
section { margin-top: 1rem; padding: 0.875rem 1rem 1rem; }
section > header { display: flex; flex-wrap: wrap; align-items: baseline; justify-content: space-between; gap: 0 1rem; }
section time, section .remark { color: var(--muted); font-size: 0.8125rem; }
section h2 { margin: 0; font-size: 1.0625rem; font-weight: 650; }
pre.failed, .failed h2 { color: var(--bad); }
.said { margin-top: 0.5rem; font-size: 0.9375rem; }
.said:empty { display: none; }
figure { margin-top: 0.75rem; }
figure img { display: block; max-width: 100%; max-height: 26rem; border: 1px solid var(--line); border-radius: 0.5rem; }
details { margin-top: 0.625rem; }
summary { color: var(--muted); font-size: 0.8125rem; white-space: pre-wrap; }
details > pre { max-height: 30rem; }
"""

_COMMAND = re.compile(r"<\s*+tool_code\s*+>.*?(?:<\s*+/\s*+tool_code\s*+>|\Z)", re.IGNORECASE | re.DOTALL)
_JPEG = re.compile(r"/9j/[A-Za-z0-9+/]*+={0,2}")
"""The base64 of what begins as a JPEG file does."""
_TYPED_CHARACTERS = 80
_ROLE_TITLES = {"system": "The prompt", "user": "What the model got"}


def render_page(entries: Sequence[TranscriptEntry]) -> Iterator[str]:
    """Yield the page in parts. `entries` must not be empty."""
    yield document_head("Oryn agent", _STYLE, images=True)
    yield "<main>\n"
    yield from _overview(entries)
    number = 0
    for index, entry in enumerate(entries):
        if entry["kind"] in ("turn", "picture"):
            continue  # with the reply that they belong to
        if entry.get("role") == "assistant" and entry["kind"] == "message":
            number += 1
            yield from _step(number, entry, _consequences(entries, index + 1))
        else:
            yield from _entry(entry)
    yield f"</main>\n{DOCUMENT_END}"


def _consequences(entries: Sequence[TranscriptEntry], begin: int) -> Mapping[str, TranscriptEntry]:
    """The turn and the picture from an entry on, up to the next reply, by their kinds."""
    found: dict[str, TranscriptEntry] = {}
    for entry in islice(entries, begin, None):
        if entry["kind"] == "message" and entry.get("role") == "assistant":
            break
        if entry["kind"] in ("turn", "picture"):
            found.setdefault(entry["kind"], entry)
    return found


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
    }
    yield f'<p class="remark">The goal of the agent</p>\n<h1>{_text(first.get("goal", ""))}</h1>\n'
    if last.get("answer"):
        yield f'<div class="answer">{_text(last["answer"])}</div>\n'
    yield "<dl>\n"
    yield from (f"<dt>{name}</dt><dd>{_text(value)}</dd>\n" for name, value in rows.items() if value != "")
    yield "</dl>\n"


def _step(number: int, reply: TranscriptEntry, then: Mapping[str, TranscriptEntry]) -> Iterator[str]:
    content, turn = str(reply.get("content", "")), then.get("turn", {})
    state = " (refused)" if reply.get("refused") else " (cut off)" if reply.get("cut") else ""
    outcome = turn.get("outcome", "")
    title = f"Step {number}: {_action(turn)}{state}"
    yield from _section(
        "failed" if outcome == "error" else "step", title, reply, _step_parts(number, content, reply, then)
    )


def _step_parts(
    number: int, content: str, reply: TranscriptEntry, then: Mapping[str, TranscriptEntry]
) -> Iterator[str]:
    turn = then.get("turn", {})
    yield f'<p class="said">{_text(_COMMAND.sub("", content).strip())}</p>\n'
    jpeg = str(then.get("picture", {}).get("jpeg", ""))
    if _JPEG.fullmatch(jpeg):
        yield f'<figure><img alt="The page after step {number}" src="data:image/jpeg;base64,{jpeg}"></figure>\n'
    tokens = f"{reply.get('prompt', 0)} tokens read, {reply.get('completion', 0)} written"
    outcome = f"{turn['outcome']}; " if turn.get("outcome") else ""
    yield from _fold(f"As the model wrote it ({outcome}{tokens})", content)


def _action(turn: TranscriptEntry) -> str:
    """What a turn does, for a person: `click button "Buy"`."""
    action = turn.get("action")
    if not action:
        return "the model answers"
    arguments = dict(_mapping(turn.get("arguments")))
    parts = [str(action).replace("_", " ")]
    if turn.get("element"):
        arguments.pop("id", None)
        parts.append(str(turn["element"]))
    words = [value if isinstance(value, str) else json.dumps(value, ensure_ascii=False) for value in arguments.values()]
    return " ".join([*parts, *(_quoted(each) for each in words)])


def _quoted(words: str) -> str:
    line = " ".join(words.split())
    return f"“{line if len(line) <= _TYPED_CHARACTERS else f'{line[:_TYPED_CHARACTERS]}…'}”"


def _entry(entry: TranscriptEntry) -> Iterator[str]:
    match entry["kind"]:
        case "message":
            yield from _message(entry)
        case "correction":
            yield from _section("person", "Correction by the user", entry, _pre(entry.get("content", "")))
        case "confirmation":
            text = "yes" if entry.get("agreed") else "no"
            yield from _section("person", f"Confirmation: the user said {text}", entry, _pre(entry.get("asked", "")))
        case "again":
            yield from _section("failed", "Retried", entry, _pre(entry.get("error", "")))
        case "shortened":
            text = f"{entry.get('messages', '')} messages were left out, as the conversation was too long."
            yield from _section("note", "Shortened", entry, _pre(text))
        case "resumed":
            yield from _section("note", "Resumed", entry, [])
        case "ended":
            yield from _section("note", f"End: {entry.get('outcome', '')}", entry, _end(entry))


def _message(entry: TranscriptEntry) -> Iterator[str]:
    role, content = str(entry.get("role", "")), str(entry.get("content", ""))
    short = "\n".join(summarize_message(content)) if role == "user" else "the system prompt"
    yield from _section("message", _ROLE_TITLES.get(role, role), entry, _fold(short, content))


def _end(entry: TranscriptEntry) -> Iterator[str]:
    error = _mapping(entry.get("error"))
    if error:
        hint = f"\n{error['hint']}" if error.get("hint") else ""
        yield from _pre(f"{error.get('message', '')}{hint}", "failed")
    if entry.get("answer"):
        yield from _pre(entry["answer"])


def _section(kind: str, title: str, entry: TranscriptEntry, inside: Iterable[str]) -> Iterator[str]:
    yield f'<section class="panel {kind}">\n<header><h2>{_text(title)}</h2>'
    yield f"<time>{_text(entry.get('at', ''))}</time></header>\n"
    yield from inside
    yield "</section>\n"


def _fold(summary: str, text: str) -> Iterator[str]:
    yield f"<details><summary>{_text(summary)}</summary>"
    yield from _pre(text)
    yield "</details>\n"


def _pre(text: object, kind: str = "") -> list[str]:
    """A block of text as it is; the keyboard can scroll it."""
    return [f'<pre tabindex="0"{f" class={kind}" if kind else ""}>{_text(text)}</pre>\n']


def _text(value: object) -> str:
    return escape(visible(str(value)))


def _mapping(value: Any) -> Mapping[str, Any]:
    return value if isinstance(value, dict) else {}
