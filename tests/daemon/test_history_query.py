"""Searching the history: the newest first, a page at a time, and what a person would look for."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from oryn.daemon.history.log import ActionHistory, HistoryRow
from oryn.daemon.history.query import MAX_PAGE_ROWS, HistoryQuery, history_page, parse_query, under_programs
from oryn.errors import RequestError
from tests.daemon.daemon_process import RunningDaemon
from tests.headless.conftest import Pages


def row(number: int, **more: Any) -> HistoryRow:
    about = {"session": "default", "action": "click", "args": {"line": f"click {number}"}, "ok": True, **more}
    return HistoryRow(action_id=f"{number:016x}", ts=f"2026-05-26T19:00:{number:02}.000000Z", elapsed_ms=1.5, **about)


@pytest.fixture
def history(tmp_path: Path) -> ActionHistory:
    return ActionHistory(tmp_path, max_rows=10)


def numbers(page: dict[str, Any]) -> list[int]:
    return [int(each["action_id"], 16) for each in page["rows"]]


def test_the_newest_come_first_also_from_before_the_file_was_turned_over(history: ActionHistory) -> None:
    for number in range(15):
        history.append(row(number))
    page = history_page(history, HistoryQuery(limit=12))
    assert (numbers(page), page["more"]) == (list(range(14, 2, -1)), True)
    older = history_page(history, HistoryQuery(limit=12, before=page["rows"][-1]["action_id"]))
    assert (numbers(older), older["more"]) == ([2, 1, 0], False)


def test_a_page_stays_where_it_was_when_rows_are_added(history: ActionHistory) -> None:
    for number in range(4):
        history.append(row(number))
    before = history_page(history, HistoryQuery(limit=2))["rows"][-1]["action_id"]
    history.append(row(5))
    assert numbers(history_page(history, HistoryQuery(before=before))) == [1, 0]
    assert numbers(history_page(history, HistoryQuery(before="gone"))) == []


def test_rows_are_found_by_text_session_action_and_error(history: ActionHistory) -> None:
    history.append(row(1, args={"line": 'click "Größe"'}))
    history.append(row(2, action="goto", args={"url": "https://shop.example"}, line="goto https://shop.example"))
    history.append(row(3, session="shop", ok=False, error_kind="TIMEOUT", error="not done after 5 s"))
    assert numbers(history_page(history, parse_query({"text": "GRÖSSE"}))) == [1]
    assert numbers(history_page(history, parse_query({"text": " shop.example "}))) == [2]
    assert numbers(history_page(history, parse_query({"text": "not done"}))) == [3]
    assert numbers(history_page(history, parse_query({"session": "shop"}))) == [3]
    assert numbers(history_page(history, parse_query({"action": "goto"}))) == [2]
    assert numbers(history_page(history, parse_query({"errors": "1"}))) == [3]
    assert numbers(history_page(history, parse_query({"text": "click", "errors": "1", "session": "default"}))) == []


def test_a_row_tells_why_it_can_not_be_done_again(history: ActionHistory) -> None:
    history.append(row(1, targets={"target": {"kind": "button", "name": "Save"}}))
    history.append(row(2, withheld=True, args={"line": 'type "Password" "••••"'}))
    withheld, good = history_page(history, HistoryQuery())["rows"]
    assert good["refused"] is None
    assert "withheld" in withheld["refused"]


@pytest.mark.parametrize("limit", ["0", "-1", "x", "", "²", str(MAX_PAGE_ROWS + 1), "9" * 5000])
def test_a_limit_is_a_number(limit: str) -> None:
    with pytest.raises(RequestError, match=f"from 1 to {MAX_PAGE_ROWS}"):
        parse_query({"limit": limit})


# --- over HTTP ---


async def test_a_daemon_gives_its_history_in_pages(daemon: RunningDaemon) -> None:
    for _ in range(3):
        await daemon.ok("tabs", session="paged")
    first = (await daemon.client.get("/history", params={"session": "paged", "limit": "2"})).json()
    assert first["more"] and len(first["rows"]) == 2
    rest = (
        await daemon.client.get("/history", params={"session": "paged", "before": first["rows"][1]["action_id"]})
    ).json()
    assert not rest["more"] and [each["action"] for each in rest["rows"]] == ["tabs"]
    wrong = await daemon.client.get("/history", params={"limit": "many"})
    assert (wrong.status_code, wrong.json()["error_kind"]) == (400, "invalid_request")


@pytest.mark.slow
async def test_a_row_is_done_again_or_it_is_said_why_not(daemon: RunningDaemon, pages: Pages) -> None:
    pages["/"] = "<title>Log in</title><label>Password <input type=password></label>"
    done = await daemon.ok(f"goto {pages.url()}", session="again")
    again = (await daemon.client.post(f"/history/{done['action_id']}/replay")).json()
    assert again["ok"] and again["session"] == "again" and again["action_id"] != done["action_id"]
    assert again["data"]["source_action_id"] == done["action_id"]
    secret = await daemon.ok('type "Password" "hunter2"', session="again")
    refused = await daemon.client.post(f"/history/{secret['action_id']}/replay")
    assert (refused.status_code, refused.json()["error_kind"]) == (400, "not_replayable")
    none = await daemon.client.post("/history/none/replay")
    assert (none.status_code, none.json()["error_kind"]) == (400, "action_not_found")


async def test_a_session_that_is_not_there_has_nothing_to_see(daemon: RunningDaemon) -> None:
    sight = (await daemon.client.get("/sessions/nobody/sight")).json()
    assert sight["url"] is None and sight["elements"] == []
    no_name = await daemon.client.get("/sessions/no name/picture")
    assert (no_name.status_code, no_name.json()["error_kind"]) == (400, "session_not_found")


def test_the_commands_of_a_program_are_left_out_beside_it_and_listed_alone(history: ActionHistory) -> None:
    program = f"{4:016x}"
    for number in (1, 2, 3):
        history.append(row(number, program=program))
    assert numbers(history_page(history, parse_query({"folded": "1"}))) == [3, 2, 1]
    history.append(row(4, action="program"))
    history.append(row(5))
    assert numbers(history_page(history, parse_query({"folded": "1"}))) == [5, 4]
    assert numbers(history_page(history, parse_query({"folded": "1", "before": program}))) == []
    assert numbers(history_page(history, parse_query({"program": program}))) == [3, 2, 1]
    assert numbers(history_page(history, parse_query({}))) == [5, 4, 3, 2, 1]


def test_a_list_has_the_commands_of_a_program_under_it(history: ActionHistory) -> None:
    program = f"{4:016x}"
    rows = [row(1), row(2, program=program), row(3), row(4, action="program"), row(5, program="cut off")]
    found = [(int(each.action_id, 16), is_inner) for each, is_inner in under_programs(rows)]
    assert found == [(1, False), (3, False), (4, False), (2, True), (5, True)]
