"""Reads a message to a model back, as strictly as it is written: its blocks, elements and lines, and nothing else."""

from __future__ import annotations

import re
from collections.abc import Iterator
from html import unescape

from oryn.agent import parser
from oryn.core.records import Record, field
from tests.agent.injection.answer_reader import check_unseen
from tests.agent.injection.hostile import MARK

_WORDS = r"(?:[^<>&\uff1c\uff1e\ufe64\ufe65]|&(?:amp|lt|gt|quot|#91);)*"
"""A page's words: no tag, not in wide letters either, and no entity but those that stand for what would be one."""

_ATTRIBUTES = r'((?: [a-z]+="(?:[^<>&"]|&(?:amp|lt|gt|quot|#91);)*")*)'
_ELEMENT = re.compile(rf"<([a-z][a-z0-9-]*){_ATTRIBUTES}>(?:({_WORDS})</\1>)?")
_ATTRIBUTE = re.compile(r' ([a-z]+)="([^"]*)"')
_CALL = re.compile(rf"  <call{_ATTRIBUTES}>(</call>)?")
_SYSTEM = re.compile(rf"(System|System Error|User): ({_WORDS})")
_OURS = {value for value in vars(parser).values() if isinstance(value, str)}
"""Whole sentences, of which some name `<tool_code>`."""
_ADDRESS = re.compile(r"URL: [!-;=?-~…•]*")
_HEADS = ("[Target Update]", "[Target Unchanged]")
_COUNTED = re.compile(r" *\(\d+ (?:more elements are not listed|calls before these|more characters are not shown)\)")
_DIALOG = re.compile(rf'Open Dialog: (?:alert|confirm|prompt|beforeunload) "{_WORDS}"')
_OPENING = re.compile(r'<(browsing_context|api_activity|command_result(?= ))(?: action="[a-z_ ]+")?>')
SEEDS = ("id", "label", "value", "placeholder", "href", "type", "disabled", "role", "checked", "expanded")


class Seen(Record):
    """One element of a context, its attributes and its text as they were meant."""

    tag: str
    attributes: dict[str, str]
    text: str


class Message(Record):
    """What a message holds, by kind. `system` are its lines of ours."""

    system: list[str] = field(factory=list)
    urls: list[str] = field(factory=list)
    elements: list[Seen] = field(factory=list)
    calls: list[dict[str, str]] = field(factory=list)
    text: list[str] = field(factory=list)
    """Lines of pages' text, and of what commands have answered."""
    dialogs: list[str] = field(factory=list)


def read(message: str) -> Message:
    """Raises `AssertionError` for a message that holds anything but what Oryn writes."""
    check_unseen(message)
    found, lines = Message(), iter(message.split("\n"))
    for line in lines:
        if (opening := _OPENING.fullmatch(line)) is not None:
            _READ[opening[1]](_inside(lines, f"</{opening[1]}>"), found)
        elif line:
            said = _SYSTEM.fullmatch(line)
            assert said is not None or line.removeprefix("System Error: ") in _OURS, f"no line of ours: {line!r}"
            found.system.append(line)
    return found


def _inside(lines: Iterator[str], closing: str) -> Iterator[str]:
    for line in lines:
        if line == closing:
            return
        yield line
    raise AssertionError(f"no {closing}")


def _context(lines: Iterator[str], found: Message) -> None:
    assert next(lines) in _HEADS
    address = next(lines)
    assert _ADDRESS.fullmatch(address), address
    found.urls.append(address.removeprefix("URL: "))
    for line in lines:
        if line.startswith("|"):
            found.text.append(_page_line(line))
        elif (element := _ELEMENT.fullmatch(line)) is not None:
            found.elements.append(_element(element))
        elif _DIALOG.fullmatch(line):
            found.dialogs.append(unescape(line))
        else:
            ours = line in ("", "Interactive Elements:", "(none)", "Page Text:")
            assert ours or _COUNTED.fullmatch(line), f"no line of a context: {line!r}"


def _element(found: re.Match[str]) -> Seen:
    pairs = _ATTRIBUTE.findall(found[2])
    attributes = {name: unescape(value) for name, value in pairs}
    assert len(attributes) == len(pairs) and set(attributes) <= set(SEEDS), pairs
    assert attributes["id"].isdecimal() and pairs[0][0] == "id"
    return Seen(found[1], attributes, unescape(found[3] or ""))


def _activity(lines: Iterator[str], found: Message) -> None:
    for line in lines:
        if _COUNTED.fullmatch(line):
            continue
        call = _CALL.fullmatch(line)
        assert call is not None, f"no call: {line!r}"
        attributes = dict(_ATTRIBUTE.findall(call[1]))
        assert set(attributes) <= {"method", "url", "failed"} and " " not in attributes["url"]
        body = ""
        if not call[2]:
            body = next(lines)
            assert re.fullmatch(f"    {_WORDS}", body), body
            assert next(lines) == "  </call>"
        found.calls.append({**attributes, "body": unescape(body.strip())})


def _result(lines: Iterator[str], found: Message) -> None:
    for line in lines:
        if not _COUNTED.fullmatch(line):
            found.text.append(_page_line(line))


def _page_line(line: str) -> str:
    assert re.fullmatch(rf"\|(?: {_WORDS})?", line), f"no line of a page's text: {line!r}"
    return unescape(line[2:])


_READ = {"browsing_context": _context, "api_activity": _activity, "command_result": _result}


def check_prompt(prompt: str, keyword: str) -> None:
    """The keyword is in the prompt once, where Oryn put it, and no line of it but the goal's has what was handed in."""
    assert prompt.count(keyword) == 1
    assert prompt.split("\n")[-1] == f"IMPORTANT: End EVERY response with this exact keyword: {keyword}"
    sections = re.findall(r"^═══ (.*) ═══$", prompt, re.MULTILINE)
    assert sections == ["COMMAND REFERENCE", "AVAILABLE TOOLS", "CONSTRAINTS", "YOUR GOAL"]
    marked = [line for line in prompt.split("\n") if MARK in line]
    assert all(line.startswith("  • ") for line in marked[:-1]), marked
