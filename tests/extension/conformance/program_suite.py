"""The programs of the conformance suite: each engine that runs them gives the answers of `oryn headless`, but for the
time that they have taken."""

from __future__ import annotations

import json
import re

from tests.extension.conformance.engines import LineEngine, Transcript
from tests.extension.conformance.suite import Conformance

PROGRAMS = (
    """goto("{pages}/form.html")
found = [element.name for element in observe()]
print(len(found) > 3, found[0], page.title)
found == [element.name for element in observe()]""",
    """try:
    click("There is no such thing")
except OrynError as error:
    print(error.code)
box = [element for element in observe() if element.type == "checkbox"][0]
print(box.name, box.state)
print([change.kind for change in check(box)])
is_checked(box)""",
    """before = url()
click("There is no such thing", timeout=2)""",
    "x = (",
    "import socket",
)


def transcript(engine: LineEngine, conformance: Conformance) -> Transcript:
    """The programs as lines, each with its answer, without times and identifiers."""
    lines = [f"program --text {json.dumps(text)}" for text in PROGRAMS]
    found = [(line, engine.say(line)) for each in lines for line in conformance.lines(each)]
    return [(line, re.sub(r" in [\d.]+ s\b", "", re.sub(r"p_[0-9a-f]{8}", "p_", answer))) for line, answer in found]


def expected(conformance: Conformance) -> Transcript:
    """What `oryn headless` answers."""
    return transcript(conformance.headless, conformance)
