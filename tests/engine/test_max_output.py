"""Answers longer than `max_output`: cut without harm, said so, and kept whole. Also runs in WebAssembly."""

from __future__ import annotations

import json
import os
import re
import stat
import time
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from oryn.browsers.base import Browser
from oryn.engine import Answer, Options, Session
from oryn.engine.output.truncate import RETENTION_SECONDS, save_whole, truncate, truncate_form, truncate_text
from oryn.errors import ElementNotFound

WHERE = {"file": "/data/answer.txt"}
CUT_NOTE = re.compile(r'… cut at (\d+) of (\d+) characters; all of it: "(.*)"')


class UnstartedBrowser(Browser):
    mode = "headless"

    async def close(self) -> None:
        pass


def lines(count: int) -> str:
    return "\n".join(f"| line {number}" for number in range(count))


def names_in(folder: Path) -> list[str]:
    return [file.name for file in folder.iterdir()]


# --- text ---


def test_text_is_cut_at_a_line_end() -> None:
    whole = f"ok text\n\n{lines(100)}"
    cut = truncate_text(whole, 300, WHERE)
    kept, _, news = cut.rpartition("\n\n")
    assert whole.startswith(f"{kept}\n")
    assert len(cut) <= 300
    assert news == f'… cut at {len(kept)} of {len(whole)} characters; all of it: "/data/answer.txt"'


def test_a_line_that_is_too_long_is_cut_too() -> None:
    whole = "ok html\n\n| " + "x" * 10_000
    kept = truncate_text(whole, 1000, WHERE).rpartition("\n\n")[0]
    assert 850 < len(kept) <= 1000 and kept.endswith("xx…")


def test_the_first_line_always_stays() -> None:
    assert truncate_text(f"ok text\n\n{lines(100)}", 1, WHERE).startswith("ok text\n\n… cut at 7 of ")


@pytest.mark.slow
@given(st.lists(st.text(st.characters(codec="utf-8", exclude_characters="\n"))), st.integers(1, 400))
def test_truncated_text_is_a_prefix_of_the_answer(texts: list[str], limit: int) -> None:
    whole = "ok text\n\n" + "\n".join(f"| {text}" for text in texts)
    kept = truncate_text(whole, limit, WHERE).rpartition("\n\n")[0]
    assert whole.startswith(kept.removesuffix("…").rstrip("\n"))
    assert len(kept) <= max(limit, len("ok text"))


# --- JSON ---


def size(value: Any) -> int:
    return len(json.dumps(value, separators=(",", ":")))


def test_a_long_text_inside_is_cut() -> None:
    form = {"ok": True, "command": "text", "result": "x" * 5000}
    cut = truncate_form(form, 5050, 500, WHERE)
    assert cut["ok"] is True and cut["command"] == "text"
    assert cut["result"].endswith("x…") and 350 < len(cut["result"]) < 500
    assert cut["cut"] == {"characters": 5050, "file": "/data/answer.txt"}
    assert size(cut) <= 500


def test_a_long_list_keeps_its_first_items_whole() -> None:
    elements = [{"id": number, "text": f"Element {number}"} for number in range(1000)]
    cut = truncate_form({"ok": True, "elements": elements, "more": 0, "notes": ["a note"]}, 40_000, 1000, WHERE)
    assert cut["elements"] == elements[: len(cut["elements"])] and len(cut["elements"]) > 20
    assert cut["notes"] == ["a note"] and cut["more"] == 0
    assert size(cut) <= 1000


JSON = st.recursive(
    st.none() | st.booleans() | st.integers(-99, 99) | st.text(),
    lambda inner: st.lists(inner) | st.dictionaries(st.sampled_from("abc"), inner),
    max_leaves=30,
)


@pytest.mark.slow
@given(st.dictionaries(st.sampled_from(["ok", "result", "elements"]), JSON), st.integers(0, 300))
def test_no_key_is_lost_and_nothing_is_added(form: dict[str, Any], limit: int) -> None:
    cut = truncate_form(form, size(form), limit, WHERE)
    assert [*form, "cut"] == list(cut)
    assert all(type(cut[key]) is type(form[key]) for key in form)
    assert all(size(cut[key]) <= size(form[key]) + size("…") for key in form)


# --- whole sessions ---


async def answer(line: str, limit: int, folder: Path) -> Answer:
    return await Session(UnstartedBrowser(), options=Options(max_output=limit, answer_folder=folder)).execute(line)


async def test_a_long_answer_is_kept_whole_in_a_file_of_its_owner(tmp_path: Path) -> None:
    folder = tmp_path / "answers"
    whole = (await answer("help", 0, folder)).render()
    cut = (await answer("help", 500, folder)).render()
    assert len(cut) <= 500
    found = CUT_NOTE.search(cut)
    assert found and found[2] == str(len(whole)) and whole.startswith(cut[: found.start()].rstrip("\n"))
    file = Path(found[3])
    assert text_of(file) == whole
    assert file.parent == folder
    if os.name == "posix":
        assert permissions(file) == 0o600 and permissions(folder) == 0o700


def text_of(file: Path) -> str:
    return file.read_text("utf-8")


def permissions(path: Path) -> int:
    return stat.S_IMODE(path.stat().st_mode)


async def test_json_stays_json(tmp_path: Path) -> None:
    session = Session(UnstartedBrowser(), options=Options(max_output=500, answer_folder=tmp_path))
    await session.execute("output json")
    text = (await session.execute("help")).render()
    cut = json.loads(text)
    assert len(text) <= 500 and cut["ok"] is True and cut["command"] == "help"
    file = Path(cut["cut"]["file"])
    assert file.suffix == ".json"
    whole = text_of(file)
    assert len(whole) == cut["cut"]["characters"] and json.loads(whole)["command"] == "help"


async def test_short_answers_and_no_limit_keep_nothing(tmp_path: Path) -> None:
    assert "cut at" not in (await answer("help", 0, tmp_path)).render()
    assert (await answer("output text", 500, tmp_path)).render() == "ok output text"
    assert names_in(tmp_path) == []


def test_errors_are_never_cut(tmp_path: Path) -> None:
    error = Answer(command="click 1", error=ElementNotFound("element not found", "x" * 1000))
    assert truncate(error, 10, tmp_path) is None
    assert names_in(tmp_path) == []


async def test_an_answer_that_can_t_be_kept_is_still_given(tmp_path: Path) -> None:
    """What the command did is done."""
    folder = tmp_path / "a file"
    folder.write_bytes(b"")
    text = (await answer("help", 500, folder)).render()
    assert text.startswith("ok help") and "; the rest is lost: " in text and len(text) < 700


def test_old_files_go_when_another_is_written(tmp_path: Path) -> None:
    old, young = save_whole("old", tmp_path, ".txt"), save_whole("young", tmp_path, ".txt")
    other = tmp_path / "notes.txt"
    other.write_text("not ours")
    for file in (old, other):
        os.utime(file, (time.time() - RETENTION_SECONDS - 60,) * 2)
    new = save_whole("new", tmp_path, ".txt")
    assert sorted(names_in(tmp_path)) == sorted([young.name, new.name, other.name])


@pytest.mark.parametrize("limit", [1, 50, 200])
async def test_a_tiny_limit_still_answers(tmp_path: Path, limit: int) -> None:
    text = (await answer("help", limit, tmp_path)).render()
    assert text.startswith("ok help\n") and CUT_NOTE.search(text)
