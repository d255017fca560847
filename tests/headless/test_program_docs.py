"""The examples of docs/programs.md are executed, against the demo's shop."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from oryn.browsers.chromium import ChromiumBrowser
from oryn.demo.server import open_shop, with_address_of
from oryn.engine import Session
from oryn.language import Line, Program
from oryn.sandbox.monty import new_interpreter

pytest.importorskip("pydantic_monty")

PAGE = Path(__file__).parents[2] / "docs" / "programs.md"
EXAMPLES = re.findall(r"^```python\n(.*?)^```$", PAGE.read_text("utf-8"), re.MULTILINE | re.DOTALL)

RESULTS: list[Any] = [
    ["Plant", "Boston fern", "Maidenhair fern", "Snake plant", "String of pearls", "Total"],
    [
        *("Search", "Fewer", "More", "Add to cart", "Accept cookies", "Only what is needed"),
        *("Helpful: Grace", "Helpful: Edsger"),
    ],
    "Plants · Fernhill",
    "ELEMENT_NOT_FOUND",
    4,
]
"""The values of the examples, or the codes of their errors."""


@pytest.fixture
def session(browser: ChromiumBrowser, run: Any, tmp_path: Path) -> Iterator[Session]:
    session = Session(ChromiumBrowser(runtime_dir=tmp_path, shared_with=browser))
    session.new_interpreter = new_interpreter
    yield session
    run(session.close())


@pytest.mark.slow
@pytest.mark.parametrize("number", range(len(EXAMPLES)))
async def test_the_examples_do_what_they_say(session: Session, number: int) -> None:
    with open_shop(0) as shop:
        answer = await session.execute(Line.of(Program(text=with_address_of(EXAMPLES[number], shop))))
    found = answer.error.code if answer.error is not None else answer.data["value"]
    assert found == RESULTS[number], answer.render()
