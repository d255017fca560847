"""The answers of another site are recorded while a test runs in a browser, and replayed when that site is gone."""

from __future__ import annotations

import json
import stat
import threading
from collections.abc import Callable, Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import pytest
from websockets.utils import accept_key

from oryn.errors import FileError, InvalidHar, PreparationFailed
from oryn.testing.report import exit_code, outcome_text
from oryn.testing.run_network import HarUse, read_hars
from oryn.testing.test_run import TestOutcome
from tests.testing.conftest import RunText

pytestmark = pytest.mark.browser

PAGE = """<title>Site</title><p role=status></p><script>
const cases = {
  order: async () => { const all = []; for (let i = 0; i < 3; i++) all.push(await (await fetch(P + "/count")).text());
    return all.join() },
  bodies: async () => { const all = []; for (const q of ["b", "a"]) { const sent = JSON.stringify({q}),
    options = {method: "POST", body: sent, headers: {"Content-Type": "application/json", "X-Token": "s3cret"}};
    all.push(await (await fetch(P + "/echo", options)).text()) } return all.join() },
  form: async () => { const form = new FormData(); form.append("f", new File(["x".repeat(9000)], "f.txt"));
    return (await (await fetch(P + "/echo", {method: "POST", body: form})).text()).length },
  binary: async () => { const body = new Uint8Array([0, 255, 128]);
    return new Uint8Array(await (await fetch(P + "/echo", {method: "POST", body})).arrayBuffer()).join() },
  blob: async () => { const form = new FormData(); form.append("f", new File(["x"], "f.txt"));
    const small = await (await fetch(P + "/echo", {method: "POST", body: form})).text(), body = new Blob([small]);
    return small.length + await (await fetch(P + "/moved", {method: "POST", body})).text() },
  moved: async () => { const r = await fetch(P + "/moved"); return r.url.endsWith("/text") + await r.text() },
  image: () => new Promise((done) => { const image = new Image(); image.onload = () => done(image.width);
    image.src = P + "/image" }),
  events: () => new Promise((done) => { let all = ""; const source = new EventSource(P + "/events");
    source.onmessage = (event) => { all += event.lastEventId + event.data; if (all.includes("c")) done(all) } }),
  login: async () => (await fetch(P + "/login", {credentials: "include", headers: {Authorization: "s3cret"}})).status,
  refused: async () => { try { await fetch(P + "/denied") } catch (error) { return error.name } },
  failed: async () => (await fetch(P + "/missing")).status,
  new: async () => (await fetch(P + "/new")).status,
  other: async () => (await fetch(P + "/echo", {method: "POST", body: "another"})).status,
  late: async () => { fetch(P + "/late").catch(() => 0); return 1 },
  socket: () => new Promise((done) => {
    const socket = new WebSocket(P.replace("http", "ws") + "/socket"); socket.onopen = () => done("open") }),
};
const run = async (name) => document.querySelector("p").textContent = name + ": " + await cases[name]();
</script>"""
GIF = bytes.fromhex("47494638396103000300800000ffffff0000002c000000000300030000020284510021fe04002f003b")


class Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    server: Partner

    def do_GET(self) -> None:
        sent = self.rfile.read(int(self.headers.get("Content-Length", 0)))
        self.server.requests.append(f"{self.command} {self.path}")
        match self.path:
            case "/count":
                self.server.count += 1
                self.answer(str(self.server.count).encode())
            case "/echo":
                self.answer(sent)
            case "/moved":
                self.answer(b"", status=302, Location="/text")
            case "/image":
                self.answer(GIF, Content_Type="image/gif")
            case "/events":
                self.stream()
            case "/socket":
                self.accept_socket()
            case "/login":
                self.answer(b"in", Set_Cookie="sid=s3cret; Path=/", Access_Control_Allow_Credentials="true")
            case "/denied":
                self.answer(b"", Access_Control_Allow_Origin="https://other.example")
            case "/" if self.server.page:
                self.answer(self.server.page.encode(), Content_Type="text/html")
            case "/missing" | "/favicon.ico":
                self.answer(b"no", status=404)
            case _:
                self.answer(b"text")

    do_POST = do_GET

    def do_OPTIONS(self) -> None:
        self.answer(b"", Access_Control_Allow_Headers="content-type, x-token, authorization")

    def answer(self, body: bytes, *, status: int = 200, **headers: str) -> None:
        self.send_response(status)
        fields = {
            "Access-Control-Allow-Origin": self.headers.get("Origin", "*"),
            "Access-Control-Allow-Credentials": "true",
            "Content-Type": "text/plain",
            "Content-Length": str(len(body)),
            **{name.replace("_", "-"): value for name, value in headers.items()},
        }
        for name, value in fields.items():
            self.send_header(name, value)
        self.end_headers()
        self.wfile.write(body)

    def accept_socket(self) -> None:
        """https://www.rfc-editor.org/rfc/rfc6455#section-4.2.2"""
        self.send_response(101)
        for name, value in (("Upgrade", "websocket"), ("Connection", "Upgrade")):
            self.send_header(name, value)
        self.send_header("Sec-WebSocket-Accept", accept_key(self.headers["Sec-WebSocket-Key"]))
        self.end_headers()
        self.server.ended.wait(30)
        self.close_connection = True

    def stream(self) -> None:
        """Three events, and then silence until the page has gone."""
        self.send_response(200)
        self.send_header("Access-Control-Allow-Origin", "*")
        self.send_header("Content-Type", "text/event-stream")
        self.end_headers()
        for number, text in enumerate("abc"):
            self.wfile.write(f": comment\nid: {number}\ndata: {text}\n\n".encode())
            self.wfile.flush()
        self.server.ended.wait(30)
        self.close_connection = True

    def log_message(self, format: str, *args: Any) -> None:
        pass


class Partner(ThreadingHTTPServer):
    """Another site, which counts what it is asked; with a `page`, the site itself."""

    daemon_threads = True

    def __init__(self) -> None:
        super().__init__(("127.0.0.1", 0), Handler)
        self.page = ""
        self.count = 0
        self.requests: list[str] = []
        self.ended = threading.Event()
        threading.Thread(target=self.serve_forever, kwargs={"poll_interval": 0.01}, daemon=True).start()

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.server_port}"

    def stop(self) -> None:
        self.ended.set()
        self.shutdown()
        self.server_close()


@pytest.fixture
def partner() -> Iterator[Partner]:
    partner = Partner()
    yield partner
    partner.stop()


@pytest.fixture
def site(partner: Partner) -> Iterator[Partner]:
    site = Partner()
    site.page = f'<script>const P = "{partner.url}"</script>{PAGE}'
    yield site
    site.stop()


RunWithHar = Callable[..., TestOutcome]


@pytest.fixture
def run_with_har(run_text: RunText, site: Partner, tmp_path: Path) -> RunWithHar:
    """Runs a test that does some of the page's cases, with what they lead to, and records or replays."""

    def run_with_har(mode: str, expected: dict[str, str], *, everything: bool = False, **more: Any) -> TestOutcome:
        steps = "".join(
            f"> eval \"run('{name}')\"\n" + (f'  = result "{name}: {text}"\n\n' if text else "\n")
            for name, text in expected.items()
        )
        base = more.pop("base", site.url)
        text = f"oryntest 1\nbase: {base}\n\n> goto {{{{base}}}}/\n\n{steps}> goto about:blank\n"
        files = read_hars([tmp_path / "a.oryntest"], everything=everything) if mode == "replay" else {}
        return run_text(text, har=HarUse(mode, everything, files), **more)  # type: ignore[arg-type]

    return run_with_har


EXPECTED = {
    "order": "1,2,3",
    "bodies": '{\\"q\\":\\"b\\"},{\\"q\\":\\"a\\"}',
    "form": "9190",
    "binary": "0,255,128",
    "blob": "191text",
    "moved": "truetext",
    "image": "3",
    "events": "0a1b2c",
    "login": "200",
    "refused": "TypeError",
    "failed": "404",
}


@pytest.mark.slow
def test_what_a_partner_answers_is_recorded_and_replayed(
    run_with_har: RunWithHar, partner: Partner, site: Partner, tmp_path: Path
) -> None:
    outcome = run_with_har("record", EXPECTED)
    assert outcome.status in ("passed", "differs"), outcome_text(outcome)
    file = tmp_path / "a.har"
    text = file.read_text("utf-8")
    assert stat.S_IMODE(file.stat().st_mode) == 0o600 and "s3cret" not in text
    log = json.loads(text)["log"]
    assert log["version"] == "1.2" and log["_oryn"] == {"base": site.url, "everything": False}
    assert {entry["request"]["url"].rpartition("/")[0] for entry in log["entries"]} == {partner.url}
    begun = [entry["startedDateTime"] for entry in log["entries"]]
    assert begun == sorted(begun) and all(entry["time"] >= 0 for entry in log["entries"])
    events = next(entry for entry in log["entries"] if entry["request"]["url"].endswith("/events"))
    assert events["response"]["content"]["text"].startswith(": comment\nid: 0\ndata: a\n\n: comment")

    before = len(partner.requests)
    again = run_with_har("replay", EXPECTED)
    assert again.status == outcome.status and again.notes == [], outcome_text(again)
    assert len(partner.requests) == before


@pytest.mark.slow
def test_a_request_without_an_answer_fails_its_step(run_with_har: RunWithHar, partner: Partner, tmp_path: Path) -> None:
    assert run_with_har("record", {"order": "1,2,3", "form": ""}).status == "passed"
    before = len(partner.requests)
    for name, sentence in (
        ("new", f"the HAR has no answer for GET {partner.url}/new"),
        ("other", f"the HAR has no answer for POST {partner.url}/echo with this body"),
        ("late", f"the HAR has no answer for GET {partner.url}/late"),
    ):
        outcome = run_with_har("replay", {"order": "1,2,3", name: ""})
        assert outcome.status == "failed" and exit_code([outcome]) == 15, (name, outcome)
        assert outcome.failed is not None and outcome.failed.comparison.mismatches[0].sentence == sentence
        assert sentence in outcome_text(outcome) and '"the HAR has no answer"' in outcome_text(outcome)
    assert len(partner.requests) == before


@pytest.mark.slow
def test_everything_is_replayed_without_any_server(run_with_har: RunWithHar, site: Partner) -> None:
    expected = {"order": "1,2,3", "moved": "truetext"}
    assert run_with_har("record", expected, everything=True).status == "passed"
    before = len(site.requests)
    assert run_with_har("replay", expected, everything=True).status == "passed"
    assert run_with_har("replay", expected, everything=True, base="http://shop.test:81").status == "passed"
    assert len(site.requests) == before


@pytest.mark.slow
def test_a_recording_that_is_no_use_leaves_the_file_as_it_was(
    run_with_har: RunWithHar, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    file = tmp_path / "a.har"
    file.write_text("old", encoding="utf-8")
    outcome = run_with_har("record", {"order": "never"}, patience=0.1)
    assert outcome.status == "failed" and outcome.notes == ["a.har is not written, because the test has not passed"]
    with pytest.raises(InvalidHar):
        run_with_har("replay", {})
    monkeypatch.setattr("oryn.browsers.cdp.network.exchanges.MAX_STREAM_BYTES", 3)
    outcome = run_with_har("record", {"events": "0a1b2c"})
    assert isinstance(outcome.error, InvalidHar) and "/events is missing" in outcome.error.message
    assert exit_code([outcome]) == 2 and file.read_text("utf-8") == "old"


@pytest.mark.slow
def test_a_full_disk_leaves_the_file_as_it_was(
    run_with_har: RunWithHar, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    file = tmp_path / "a.har"
    assert run_with_har("record", {"moved": "truetext"}).status == "passed"
    old = file.read_bytes()

    def fail(*_: object) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr("oryn.testing.files.os.replace", fail)
    outcome = run_with_har("record", {"order": "1,2,3"})
    assert isinstance(outcome.error, FileError) and exit_code([outcome]) == 5
    assert file.read_bytes() == old and not [each for each in tmp_path.iterdir() if each.name.endswith(".draft")]


@pytest.mark.slow
def test_a_web_socket_is_said_to_be_no_part_of_it(run_with_har: RunWithHar, partner: Partner, site: Partner) -> None:
    note = f"a WebSocket to ws{partner.url[4:]}/socket was opened: a HAR can't replay it"
    assert run_with_har("record", {"socket": "open"}).notes[0].startswith(note)
    outcome = run_with_har("replay", {"socket": "open"})
    assert outcome.status == "passed" and len(outcome.notes) == 1 and outcome.notes[0].startswith(note)


def test_a_test_without_a_base_has_no_other_origins(run_text: RunText, site: Partner) -> None:
    outcome = run_text(f"oryntest 1\n> goto {site.url}/\n", har=HarUse("record"))
    assert isinstance(outcome.error, PreparationFailed) and "no base" in outcome.error.message
