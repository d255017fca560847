"""HAR files of tests that can't be replayed are refused, with the place. Without a browser."""

from __future__ import annotations

import base64
import json
import stat
from pathlib import Path
from typing import Any

import pytest

from oryn.browsers.base.network import MockResponse, RequestFailure
from oryn.errors import FileError, InvalidHar
from oryn.testing.files import replace_file
from oryn.testing.har_file import RecordedAnswers, parse_har, render_har
from oryn.testing.run_network import read_hars


def form(url: str = "https://cdn.org/a", *, method: str = "GET", status: int = 200, **content: Any) -> dict[str, Any]:
    return {
        "request": {"method": method, "url": url, "headers": []},
        "response": {"status": status, "headers": [], "content": content},
    }


def har(*entries: Any, version: str = "1.2") -> bytes:
    return json.dumps({"log": {"version": version, "entries": entries}}).encode()


def answer(**content: Any) -> MockResponse | RequestFailure:
    return parse_har(har(form(**content)), "a.har").exchanges[0].answer


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (b"", "a.har:1:1: not JSON: Expecting value"),
        (b"<html>", "a.har:1:1: not JSON"),
        (har(form(text="x"))[:-9], "a.har:1:177: not JSON"),
        (b'{\n "log": \xff', "a.har:2:9: not UTF-8"),
        (b"[" * 100_000, "nested too deeply"),
        (b"[]", "a.har: data must be object"),
        (b"{}", "a.har: data must contain ['log']"),
        (b'{"log": {"version": "1.2"}}', "a.har: log must contain ['entries'] properties"),
        (har(version="1.3"), "a.har: log.version: a HAR of version 1.3, not 1.2"),
        (har(form(text="x"), {"request": {}}), "a.har: log.entries[1] must contain ['response'] properties"),
        (har(form(text=3)), "a.har: log.entries[0].response.content.text must be string"),
        (har(form(size=12)), "a.har: log.entries[0].response.content: the body of GET https://cdn.org/a is missing"),
        (har(form(comment="it was dropped")), "is missing: it was dropped"),
        (har(form(text="?", encoding="base64")), "a.har: log.entries[0].response.content.text: not base64"),
    ],
)
def test_what_is_wrong_is_said_with_its_place(content: bytes, message: str) -> None:
    with pytest.raises(InvalidHar) as raised:
        parse_har(content, "a.har")
    assert message in raised.value.message and raised.value.exit_code == 2


def test_files_of_other_programs_are_read() -> None:
    assert answer(text="héllo", size=6) == MockResponse(200, (), "héllo".encode())
    assert answer(text=base64.b64encode(b"\0\xff").decode(), encoding="base64") == MockResponse(200, (), b"\0\xff")
    assert answer(size=0) == MockResponse(200, (), b"")
    assert answer(status=302, size=5) == MockResponse(302) and answer(method="HEAD", size=5) == MockResponse(200)
    failed = form(status=0) | {"comment": "it was refused (net::ERR_CONNECTION_REFUSED)"}
    aborted = form(status=0)
    aborted["response"]["_error"] = "net::ERR_ABORTED"
    read = parse_har(b"\xef\xbb\xbf" + har(failed, aborted, form(status=0)), "a.har")
    assert [each.answer for each in read.exchanges] == [
        RequestFailure("net::ERR_CONNECTION_REFUSED"),
        RequestFailure(None),
        RequestFailure("net::ERR_FAILED"),
    ]


def test_what_is_written_is_read_again() -> None:
    text = render_har([form(text="ü")], "Chrome/156.0", "http://localhost:4780", everything=True)
    assert '"text": "ü"' in text and len(text.splitlines()) > 20  # to be read by people
    read = parse_har(text.encode(), "a.har")
    assert read == RecordedAnswers(read.exchanges, "http://localhost:4780", True) and len(read.exchanges) == 1


def test_the_files_of_tests_are_found_beside_them(tmp_path: Path) -> None:
    test = tmp_path / "buy.oryntest"
    with pytest.raises(FileError) as missing:
        read_hars([test], everything=False)
    assert "buy.har: No such file" in missing.value.message and "--har record" in (missing.value.hint or "")
    (tmp_path / "buy.har").write_text(render_har([], "Chrome/1", "http://a.org", everything=False), encoding="utf-8")
    assert read_hars([test], everything=False)[test].base == "http://a.org"
    with pytest.raises(InvalidHar, match="recorded without --har-all"):
        read_hars([test], everything=True)


def test_a_file_is_for_its_owner_and_old_or_new(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    file = tmp_path / "a.har"
    replace_file(file, b"old", private=True)
    assert stat.S_IMODE(file.stat().st_mode) == 0o600

    def fail(*_: object) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr("oryn.testing.files.os.replace", fail)
    with pytest.raises(FileError, match="No space left"):
        replace_file(file, b"new", private=True)
    assert file.read_bytes() == b"old" and [each.name for each in tmp_path.iterdir()] == ["a.har"]
