"""What is kept of a run, and shown of it to a person: a page's words forge no entry, no tag and no line of it."""

from __future__ import annotations

from html.parser import HTMLParser
from pathlib import Path

import pytest

from oryn.agent.context import PageRedactor, snapshot
from oryn.agent.messages import join_parts, render_result, timed_out
from oryn.agent.runner import transcript as transcripts
from oryn.agent.runner.page import render_page
from oryn.agent.runner.resume import resume_state
from oryn.agent.runner.transcript import AgentTranscript, summarize_message
from oryn.core.text_safety import visible
from oryn.engine.output.answer import Answer
from tests.agent.injection.answer_reader import check_unseen
from tests.agent.injection.hostile import KEYWORD, MARK, TEXTS

TAGS = {
    "html", "head", "meta", "title", "style", "body", "h1", "dl", "dt", "dd", "section", "header", "pre",
    "details", "summary", "time", "main", "h2", "p", "div",
}  # fmt: skip


class Tags(HTMLParser):
    """The tags and the attributes of a page, and its text."""

    def __init__(self) -> None:
        super().__init__()
        self.tags: set[str] = set()
        self.attributes: set[str] = set()
        self.text = ""

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.add(tag)
        self.attributes.update(f"{name}={value}" for name, value in attrs)

    def handle_data(self, data: str) -> None:
        self.text += data


def write_transcript(file: Path, said: str) -> list[transcripts.TranscriptEntry]:
    """A run in which everybody says it."""
    told = {"goal": said, "keyword": KEYWORD, "model": said, "endpoint": said, "urls": [said], "saved": {said: said}}
    transcript = AgentTranscript(file, new=True)
    transcript.write("begun", **told, max_tabs=3, version="0")
    for role in ("system", "user", "assistant"):
        transcript.write("message", role=role, content=said)
    transcript.write("turn", outcome="acted", action=said, arguments={said: said}, urls=[said])
    transcript.write("correction", content=said)
    transcript.write("confirmation", asked=said, agreed=False)
    transcript.write("ended", outcome="failed", answer=said, error={"code": "X", "message": said, "hint": said})
    transcript.close()
    return transcripts.read_transcript(file)


@pytest.mark.parametrize("said", TEXTS.values(), ids=TEXTS)
def test_a_transcript(tmp_path: Path, said: str) -> None:
    file = tmp_path / "run.jsonl"
    entries = write_transcript(file, said)
    assert [each["kind"] for each in entries] == [
        "begun", "message", "message", "message", "turn", "correction", "confirmation", "ended",
    ]  # fmt: skip
    assert len(file.read_text("utf-8").splitlines()) == len(entries), "each on one line, for any reader"
    assert file.read_bytes().isascii()
    stands = resume_state(entries)
    assert (stands.goal, stands.keyword, stands.urls) == (said, KEYWORD, (said,))
    assert [(each.role, each.content) for each in stands.conversation.messages] == [
        (role, said) for role in ("system", "user", "assistant")
    ]


@pytest.mark.parametrize("said", TEXTS.values(), ids=TEXTS)
def test_its_page(tmp_path: Path, said: str) -> None:
    shown, quiet = Tags(), Tags()
    for parser, words in ((shown, said), (quiet, "quiet")):
        parser.feed("".join(render_page(write_transcript(tmp_path / f"{words == 'quiet'}.jsonl", words))))
    assert shown.tags == quiet.tags <= TAGS
    assert {each for each in shown.attributes if not each.startswith("title=")} == {
        each for each in quiet.attributes if not each.startswith("title=")
    }
    assert MARK in shown.text
    check_unseen(shown.text)


@pytest.mark.parametrize("said", TEXTS.values(), ids=TEXTS)
def test_what_a_terminal_shows(said: str) -> None:
    element = {"id": 1, "tag": "button", "type": "button", "text": said, "modifiers": [], "attributes": {}}
    context = snapshot("https://shop.example/", [element], PageRedactor(), bases={}, page_text=said)
    block = render_result(Answer(command="text", block=said), "text", PageRedactor())
    first, *lines = summarize_message(join_parts((context, block, timed_out(15))))
    assert first == "@ https://shop.example/, 1 element"
    assert lines[-1] == timed_out(15)
    assert all(line.startswith("|") for line in lines[:-1]), lines
    check_unseen(visible(said))
