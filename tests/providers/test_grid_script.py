"""The Grid that tests and the demo start: its parts can be killed and come back."""

from __future__ import annotations

import json
from urllib.request import Request, urlopen

import pytest

from scripts.fleet.grid import SeleniumGrid

pytestmark = [pytest.mark.whole_browser, pytest.mark.grid]


def open_session(grid: SeleniumGrid) -> str:
    body = json.dumps({"capabilities": {"alwaysMatch": {"browserName": "chrome"}}}).encode()
    request = Request(f"{grid.url}/session", body, {"Content-Type": "application/json; charset=utf-8"})
    with urlopen(request, timeout=60) as answer:
        id: str = json.load(answer)["value"]["sessionId"]
        return id


def test_a_session_runs_on_a_node_until_the_node_is_killed(grid: SeleniumGrid) -> None:
    id = open_session(grid)
    node = grid.node_of(id)
    assert grid.sessions() == [id]
    grid.kill_node(node)
    grid.start_node(node)
    grid.wait_until(lambda status: len(status["nodes"]) == 2)
    assert grid.sessions() == []


def test_a_hub_that_is_killed_comes_back_with_its_nodes(grid: SeleniumGrid) -> None:
    grid.kill_hub()
    with pytest.raises(OSError, match="refused"):
        grid.status()
    grid.start_hub()
    id = open_session(grid)
    grid.wait_until(lambda status: not any(slot["session"] for node in status["nodes"] for slot in node["slots"]))
    assert id  # ended by its node after the time-out
