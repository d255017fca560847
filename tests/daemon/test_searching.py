"""Searching the history: the newest first, a page at a time, and what a person would look for."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from oryn.daemon.history import History, Row
from oryn.daemon.searching import MOST_ROWS, Query, page_of, query_of
from oryn.errors import RequestError


def row(number: int, **more: Any) -> Row:
    about = {"session": "default", "action": "click", "args": {"line": f"click {number}"}, "ok": True, **more}
    return Row(action_id=f"{number:016x}", ts=f"2026-05-26T19:00:{number:02}.000000Z", elapsed_ms=1.5, **about)


@pytest.fixture
def history(tmp_path: Path) -> History:
    return History(tmp_path, most_rows=10)


def numbers(page: dict[str, Any]) -> list[int]:
    return [int(each["action_id"], 16) for each in page["rows"]]


def test_the_newest_come_first_also_from_before_the_file_was_turned_over(history: History) -> None:
    for number in range(15):
        history.append(row(number))
    page = page_of(history, Query(limit=12))
    assert (numbers(page), page["more"]) == (list(range(14, 2, -1)), True)
    older = page_of(history, Query(limit=12, before=page["rows"][-1]["action_id"]))
    assert (numbers(older), older["more"]) == ([2, 1, 0], False)


def test_a_page_stays_where_it_was_when_rows_are_added(history: History) -> None:
    for number in range(4):
        history.append(row(number))
    before = page_of(history, Query(limit=2))["rows"][-1]["action_id"]
    history.append(row(5))
    assert numbers(page_of(history, Query(before=before))) == [1, 0]
    assert numbers(page_of(history, Query(before="gone"))) == []


def test_rows_are_found_by_text_session_action_and_error(history: History) -> None:
    history.append(row(1, args={"line": 'click "Größe"'}))
    history.append(row(2, action="goto", args={"url": "https://shop.example"}, line="goto https://shop.example"))
    history.append(row(3, session="shop", ok=False, error_kind="TIMEOUT", error="not done after 5 s"))
    assert numbers(page_of(history, query_of({"text": "GRÖSSE"}))) == [1]
    assert numbers(page_of(history, query_of({"text": " shop.example "}))) == [2]
    assert numbers(page_of(history, query_of({"text": "not done"}))) == [3]
    assert numbers(page_of(history, query_of({"session": "shop"}))) == [3]
    assert numbers(page_of(history, query_of({"action": "goto"}))) == [2]
    assert numbers(page_of(history, query_of({"errors": "1"}))) == [3]
    assert numbers(page_of(history, query_of({"text": "click", "errors": "1", "session": "default"}))) == []


def test_a_row_tells_why_it_can_not_be_done_again(history: History) -> None:
    history.append(row(1))
    history.append(row(2, withheld=True, args={"line": 'type "Password" "••••"'}))
    withheld, good = page_of(history, Query())["rows"]
    assert good["refused"] is None
    assert "withheld" in withheld["refused"]


@pytest.mark.parametrize("limit", ["0", "-1", "x", "", "²", str(MOST_ROWS + 1), "9" * 5000])
def test_a_limit_is_a_number(limit: str) -> None:
    with pytest.raises(RequestError, match=f"from 1 to {MOST_ROWS}"):
        query_of({"limit": limit})
