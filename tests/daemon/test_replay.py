"""Which rows of the history can be done again, and what is asked then."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from typing import Any

import pytest

from oryn.daemon.events import format_timestamp
from oryn.daemon.history.log import HistoryRow
from oryn.daemon.history.replay import check_replayable, partition_replayable, replay_request, timestamp_before
from oryn.daemon.protocol import CommandEnvelope
from oryn.daemon.request.parser import parse_line
from oryn.errors import NotReplayable
from oryn.language.command import HOST_SCOPES

SAVE = {"kind": "button", "role": "submit", "name": "Save"}


def row(said: str | None = "click 3", **more: Any) -> HistoryRow:
    about: dict[str, Any] = {
        "action_id": "8f3a7c9e1b2d4e5f",
        "ts": "2026-05-26T19:00:42.123456Z",
        "elapsed_ms": 42.0,
        "ok": True,
        "session": "work",
        "action": said.split()[0] if said else "unknown",
        "args": {"line": said} if said else {},
        "targets": {"target": SAVE},
    }
    return HistoryRow(**{**about, **more})


def test_a_line_is_asked_again_in_its_session() -> None:
    expected = {"line": "refresh", "session": "work", "source_action_id": "8f3a7c9e1b2d4e5f"}
    assert replay_request(row("refresh")) == expected


@pytest.mark.parametrize(
    ("line", "target", "replayed"),
    [
        ("click 3", SAVE, 'click button "Save"'),
        ("click 3 --timeout 9s", {**SAVE, "section": "Address"}, 'click button "Save" inside "Address" --timeout 9s'),
        ("click @e3", SAVE, 'click button "Save"'),
        ('click [3] button "Save"', None, 'click button "Save"'),
        ('click "Save" inside 4', SAVE, 'click button "Save"'),
        ('type 3 "x"', {"kind": "input", "role": "email"}, 'type email "x"'),
    ],
)
def test_a_number_is_replayed_as_what_it_was(line: str, target: dict[str, str] | None, replayed: str) -> None:
    assert replay_request(row(line, targets=target and {"target": target}))["line"] == replayed


@pytest.mark.parametrize("targets", [None, {}, {"target": {"kind": "button"}}, {"to": SAVE}])
def test_a_number_of_which_nothing_is_said_is_not_replayed(targets: dict[str, Any] | None) -> None:
    with pytest.raises(NotReplayable, match="names an element by a number"):
        check_replayable(row(targets=targets))
    with pytest.raises(NotReplayable, match="names an element by a number"):
        replay_request(row(targets=targets))


def test_an_action_is_asked_again_as_the_line_that_it_was() -> None:
    found = replay_request(row(action="type", args={"ref": "e3", "value": "x"}, line='type @e3 "x"'))
    assert found["line"] == 'type button "Save" "x"' and "action" not in found


@pytest.mark.parametrize(
    ("line", "action", "args"),
    [
        ("close --all", "close", {"all": True}),
        ('login shop.example/login --until "*/account*"', "login", {"url": ..., "until": "*/account*"}),
        ("captcha solve", "captcha solve", {}),
        ("crawl https://a.org --depth 0", "crawl", {"urls": ("https://a.org",), "depth": 0}),
    ],
)
def test_host_commands_are_replayed_as_actions(line: str, action: str, args: dict[str, Any]) -> None:
    found = replay_request(row(line, action=action))
    assert found["action"] == action and found["args"].keys() == args.keys()
    command = parse_line(CommandEnvelope.model_validate(found)).command
    assert command is not None and type(command).spec.scope in HOST_SCOPES and type(command).spec.api_name == action


@pytest.mark.parametrize(
    ("refused", "why"),
    [
        (row('type 3 "••••"', withheld=True), "a part of it was withheld"),
        (row(None, withheld=True), "a part of it was withheld"),
        (row(None), "it was no command"),
        (row('login a.org', action="login"), "login needs a person"),
        (row('upload 4 cv.pdf'), "upload needs a person"),
        (row('screenshot --output rel.png'), "its path is relative to a folder"),
        (row('crawl a.org --to pages.jsonl', action="crawl"), "its path is relative to a folder"),
        (row('script add a.js'), "its path is relative to a folder"),
        (row('state load a.json'), "its path is relative to a folder"),
        (row('intercept "a" --respond-file a.json'), "its path is relative to a folder"),
    ],
)  # fmt: skip
def test_rejected_replay_names_its_reason(refused: HistoryRow, why: str) -> None:
    with pytest.raises(NotReplayable, match=why):
        check_replayable(refused)


def test_interactive_replay_accepts_commands_that_need_a_person() -> None:
    check_replayable(row("upload 4 /home/ann/cv.pdf"), interactive=True)
    check_replayable(row("upload 4 cv.pdf", folder="/home/ann"), interactive=True)
    with pytest.raises(NotReplayable, match="relative"):
        check_replayable(row("upload 4 cv.pdf"), interactive=True)


def test_a_path_is_of_the_folder_that_it_was_of() -> None:
    assert replay_request(row("screenshot --output rel.png", folder="/home/ann"))["folder"] == "/home/ann"
    for line in ("screenshot", "screenshot --output /tmp/a.png", "screenshot --output ~/a.png", "run anything"):
        check_replayable(row(line))


def test_several_rows() -> None:
    rows = [row("goto a.org"), row("upload 4 /x"), row("click 3", source_action_id="0"), row("title")]
    good, refused = partition_replayable(rows)
    assert [each.args["line"] for each in good] == ["goto a.org", "title"]
    assert [error.code for error in refused] == ["NOT_REPLAYABLE"]
    assert len(partition_replayable(rows, interactive=True)[0]) == 3


def test_moments_compare_as_text() -> None:
    now = datetime.now(UTC)
    assert timestamp_before(60) < format_timestamp(now) < format_timestamp(now + timedelta(seconds=1))
