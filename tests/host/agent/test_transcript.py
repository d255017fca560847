"""A run as lines of JSON: written whole, the owner's alone, readable after a crash, and gone on with."""

from __future__ import annotations

import json
import stat
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from oryn.agent.runner.resume import resume_state
from oryn.agent.runner.transcript import AgentTranscript, read_transcript
from oryn.errors import TranscriptError
from oryn.models import ChatMessage, Usage

BEGUN = {
    "goal": "Find it",
    "keyword": "[END:x]",
    "model": "m",
    "urls": ["https://a.org/"],
    "saved": {"A": "https://a.org"},
}


@pytest.fixture
def transcript(tmp_path: Path) -> Iterator[AgentTranscript]:
    made = AgentTranscript(tmp_path / "run.jsonl", new=True, clock=lambda: 1_800_000_000.5)
    made.write("begun", **BEGUN)
    yield made
    made.close()


def test_a_line_for_each_thing_as_it_happens(transcript: AgentTranscript) -> None:
    transcript.write("message", role="user", content="a\u2028b\n\ud800", prompt=None)
    first, second = transcript.file.read_bytes().splitlines()
    assert json.loads(first) == {"at": "2027-01-15T08:00:00.500Z", "kind": "begun", **BEGUN}
    assert json.loads(second)["content"] == "a\u2028b\n\ud800"
    assert "prompt" not in json.loads(second)
    assert [entry["kind"] for entry in read_transcript(transcript.file)] == ["begun", "message"]


def test_it_is_the_owners_alone(transcript: AgentTranscript) -> None:
    assert stat.S_IMODE(transcript.file.stat().st_mode) == 0o600


def test_a_new_one_replaces_none(transcript: AgentTranscript) -> None:
    with pytest.raises(TranscriptError, match="is there already") as caught:
        AgentTranscript(transcript.file, new=True)
    assert caught.value.hint == "Go on with it by --resume, or name another."


def test_unwritable_transcript_is_an_error(tmp_path: Path) -> None:
    with pytest.raises(TranscriptError, match="can't write"):
        AgentTranscript(tmp_path / "none" / "run.jsonl", new=True)
    with pytest.raises(TranscriptError, match="can't write"):
        AgentTranscript(tmp_path / "none.jsonl", new=False)


def test_a_full_disk_is_told(transcript: AgentTranscript) -> None:
    full = AgentTranscript.__new__(AgentTranscript)
    with Path("/dev/full").open("wb", buffering=0) as stream:
        full.__dict__.update(transcript.__dict__, _stream=stream)
        with pytest.raises(TranscriptError, match="No space left"):
            full.write("message")


def test_two_runs_do_not_go_on_with_one(transcript: AgentTranscript) -> None:
    transcript._stream.write(b'{"kind": "mess')  # what the other run is about to write
    before = transcript.file.read_bytes()
    with pytest.raises(TranscriptError, match=r"another run writes .*run\.jsonl now"):
        AgentTranscript(transcript.file, new=False)
    assert transcript.file.read_bytes() == before
    transcript.close()
    AgentTranscript(transcript.file, new=False).close()


def test_incomplete_last_entry_is_ignored_and_removed(transcript: AgentTranscript) -> None:
    with transcript.file.open("ab") as stream:
        stream.write(b'{"kind": "message", "con')
    assert [entry["kind"] for entry in read_transcript(transcript.file)] == ["begun"]
    transcript.close()
    again = AgentTranscript(transcript.file, new=False)
    again.write("resumed")
    again.close()
    assert [entry["kind"] for entry in read_transcript(transcript.file)] == ["begun", "resumed"]


@pytest.mark.parametrize(
    "content", [b"", b"\n", b"hello\n", b'{"kind": "message"}\n', b'{"kind": 3}\n', b"[]\nx\n", b"\xff\xfe\n\n"]
)
def test_invalid_transcript_file_is_rejected(tmp_path: Path, content: bytes) -> None:
    (tmp_path / "file").write_bytes(content)
    with pytest.raises(TranscriptError, match="is not a transcript"):
        read_transcript(tmp_path / "file")
    with pytest.raises(TranscriptError, match="can't read"):
        read_transcript(tmp_path)


def test_resume_state_is_read_from_a_transcript(transcript: AgentTranscript) -> None:
    said: list[tuple[str, dict[str, Any]]] = [
        ("message", {"role": "system", "content": "prompt"}),
        ("message", {"role": "user", "content": "snapshot"}),
        ("message", {"role": "assistant", "content": "I click", "prompt": 90, "completion": 5}),
        ("turn", {"outcome": "acted", "urls": ["https://a.org/1", "https://b.org/"]}),
        ("message", {"role": "user", "content": "another"}),
        ("again", {"error": "busy", "seconds": 1}),
        ("message", {"role": "assistant", "content": "I wait", "prompt": 95, "completion": 6, "estimated": True}),
        ("ended", {"outcome": "stopped"}),
    ]
    for kind, what in said:
        transcript.write(kind, **what)
    found = resume_state(read_transcript(transcript.file))
    assert (found.goal, found.keyword, found.model, found.saved) == ("Find it", "[END:x]", "m", {"A": "https://a.org"})
    assert found.urls == ("https://a.org/1", "https://b.org/")
    assert (found.steps, found.usage) == (2, Usage(185, 11, estimated=True))
    assert found.conversation.messages[1:3] == (ChatMessage("user", "snapshot"), ChatMessage("assistant", "I click"))


def test_shortened_messages_stay_out_of_a_resumed_run(transcript: AgentTranscript) -> None:
    transcript.write("message", role="system", content="prompt")
    for number in range(3):
        transcript.write("message", role="user", content=f"u{number}")
        transcript.write("message", role="assistant", content=f"a{number}")
    transcript.write("message", role="user", content="u3")
    transcript.write("shortened", messages=2)
    messages = resume_state(read_transcript(transcript.file)).conversation.messages
    assert [each.content.splitlines()[-1] for each in messages] == ["prompt", "u1", "a1", "u2", "a2", "u3"]


@pytest.mark.parametrize(
    "entry", [{"kind": "message", "role": "user"}, {"kind": "turn"}, {"kind": "ended"}, {"kind": "turn", "urls": 3}]
)
def test_a_run_that_can_not_be_gone_on_with(entry: dict[str, Any]) -> None:
    with pytest.raises(TranscriptError, match="damaged"):
        resume_state([{"kind": "begun", **BEGUN}, entry])
