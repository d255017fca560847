"""docs/spec/intent-language.md, and the other pages about lines: what they give as examples and as lists is so."""

from __future__ import annotations

import json
import re

import pytest

from oryn import PROTOCOL_VERSION
from oryn.client.local_engine import ENGINE_NAMES
from oryn.engine.output import changes
from oryn.engine.output.answer import Answer
from oryn.engine.page.text_changes import MAX_TEXT_LINES
from oryn.errors import LanguageError
from oryn.language import RELATIONS, ROLES, normalize, parse_output
from oryn.language.kinds.json import MAX_JSON_DEPTH
from oryn.language.kinds.keys import KEYS
from oryn.language.kinds.targets import MAX_RELATIONS
from oryn.sessions.framing import CANCEL_LINE, MAX_LINE_BYTES
from oryn.sessions.persistence.autosave import CLOSING_SECONDS
from oryn.sessions.persistence.models import MAX_URL_CHARACTERS
from oryn.sessions.persistence.restore import MAX_NOTES
from oryn.sessions.persistence.schedule import MAX_DELAY_SECONDS, NAVIGATION_DELAY_SECONDS, THROTTLE_FACTOR
from oryn.system.paths import MAX_SESSION_NAME_CHARACTERS
from tests.pages import PROJECT, text_of

SPECIFICATIONS = PROJECT / "docs" / "spec"
PAGE = SPECIFICATIONS / "intent-language.md"
EXAMPLES = re.findall(r"`([^`\n]+)`\s→\s`([^`\n]+)`", text_of(PAGE))
FRAGMENTS = ("navigate", "css(")
"""What an example without a whole command begins with."""

LIMITS = {
    "intent-language": (
        f"at most {MAX_RELATIONS} deep",
        f"nests at most {MAX_JSON_DEPTH} brackets",
        f"six lines of texts and {changes.MAX_CHANGE_LINES} of elements",
    ),
    "line-protocol": (
        f"at most {MAX_LINE_BYTES >> 20} MiB",
        f"The line `{CANCEL_LINE.decode()}`",
        f"protocol={PROTOCOL_VERSION}\n",
        *(f"`{name}`" for name in ENGINE_NAMES.values()),
    ),
    "sessions": (
        f"at most {MAX_SESSION_NAME_CHARACTERS} characters",
        f"at most {MAX_URL_CHARACTERS:,} characters",
        f"| {CLOSING_SECONDS:g} s later",
        f"at most {MAX_DELAY_SECONDS:g} s after the answer; {NAVIGATION_DELAY_SECONDS:g} s after a navigation",
        "a twentieth of the time",
        "at most five",
    ),
}


@pytest.mark.parametrize(("raw", "canonical"), [each for each in EXAMPLES if not each[0].startswith(FRAGMENTS)])
def test_examples_of_canonical_text(raw: str, canonical: str) -> None:
    assert normalize(raw) == canonical


def test_there_are_examples() -> None:
    assert len(EXAMPLES) > 6


@pytest.mark.parametrize("line", ["click 5 --double", "clik 3"])
def test_examples_of_json(line: str) -> None:
    (form,) = parse_output(line)
    (written,) = (
        each for each in map(json.loads, re.findall(r"^```json\n(.*?)\n```$", text_of(PAGE), re.MULTILINE))
        if ("error" in each) == ("error" in form)
    )  # fmt: skip
    if command := form.get("command"):
        shown = written["command"]["arguments"]
        command["arguments"] = {name: value for name, value in command["arguments"].items() if name in shown}
    assert form == written


def test_the_table_of_errors_has_every_code_with_its_phase() -> None:
    codes = {each.code: each.phase for each in LanguageError.__subclasses__()}
    table = dict(re.findall(r"^\| `([A-Z_]+)` \| (parsing|semantic) \|", text_of(PAGE), re.MULTILINE))
    assert table == codes


def test_the_words_of_targets_and_keys_are_named() -> None:
    text = text_of(PAGE)
    shown = [key for key in KEYS if not re.fullmatch(r"f([2-9]|1[01])|arrow(down|left|right)", key)]
    assert all(f"`{word}`" in text for word in (*ROLES, *RELATIONS, *shown))


def test_the_table_of_changes_has_every_kind() -> None:
    found = set()
    for name in ("output/changes.py", "page/text_changes.py", "action.py", "page/downloads.py"):
        source = PROJECT.joinpath("src", "oryn", "engine", name).read_text("utf-8")
        found |= set(re.findall(r'"change": "(\w+)"', source))
    section = text_of(PAGE).partition("\n### Changes\n")[2].partition("\n###")[0]
    assert found - {"gone"} <= set(re.findall(r"`(\w+)`", section))


def test_the_table_of_answers_has_every_member() -> None:
    section = text_of(PAGE).partition("\n### Answers as JSON\n")[2].partition("\n###")[0]
    members = set(re.findall(r"^\| `(\w+)` \|", section, re.MULTILINE))
    source = PROJECT.joinpath("src", "oryn", "engine", "output", "answer.py").read_text("utf-8")
    assert members == {*re.findall(r'shape\["(\w+)"\] =', source), "ok", "command", "cut"}
    assert json.loads(Answer(command="url", json=True).render()) == {"ok": True, "command": "url"}


@pytest.mark.parametrize(("page", "limit"), [(page, limit) for page, limits in LIMITS.items() for limit in limits])
def test_limits_are_those_of_the_code(page: str, limit: str) -> None:
    text = text_of(SPECIFICATIONS / f"{page}.md")
    assert limit in text or limit in " ".join(text.split())


def test_numbers_that_are_words_are_those_of_the_code() -> None:
    assert (MAX_TEXT_LINES, MAX_NOTES, THROTTLE_FACTOR, changes.MAX_GONE_ELEMENTS) == (6, 5, 20, 3)
