"""Sessions that outlive their host and their browser, in real Chromium (docs/spec/sessions.md#restoring)."""

from __future__ import annotations

import asyncio
import json
import os
import re
import signal
import stat
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from oryn.browsers.chromium import ChromiumBrowser
from oryn.engine import Options, Session
from oryn.engine.output.answer import Answer
from oryn.hosts.session_factory import sessions_of
from oryn.language import parse
from oryn.sessions.persistence import autosave
from oryn.sessions.sessions import Sessions
from oryn.settings import load
from oryn.system.paths import find

pytestmark = [pytest.mark.browser, pytest.mark.whole_browser]

VOID = "element numbers and @e references from before are no longer valid"


class Host:
    """A host that keeps its sessions in `home`; several may follow each other there."""

    def __init__(self, home: Path, **settings: Any) -> None:
        self.paths = find({"ORYN_HOME": str(home)})
        self.sessions: Sessions = sessions_of(load({"timeout": 60, **settings}, self.paths, {}), keep=True)

    @property
    def keeper(self) -> Any:
        return self.sessions._store

    async def answer(self, line: str, name: str = "default", **settings: Any) -> Answer:
        return await self.sessions.execute_in(name, parse(line), settings)

    async def __call__(self, line: str, name: str = "default", **settings: Any) -> str:
        return (await self.answer(line, name, **settings)).render()

    async def ok(self, line: str, name: str = "default", **settings: Any) -> str:
        answer = await self(line, name, **settings)
        assert not answer.startswith("error"), answer
        return answer

    async def wait_until_saved(self, name: str = "default") -> None:
        """Wait until all that has happened in a session is on disk."""
        while (autosaver := self.keeper._autosavers[name])._task is not None and not autosaver._task.done():
            await asyncio.wait([autosaver._task])

    def row(self, name: str = "default") -> dict[str, Any]:
        data = json.loads((self.paths.daemon / "sessions.json").read_text())
        found: dict[str, Any] = data["sessions"][name]
        return found

    def state_file(self, name: str = "default") -> Path:
        return self.paths.daemon / "sessions" / f"{name}.json"

    def process(self, name: str = "default") -> int:
        session = self.sessions.get(name)
        assert session is not None
        assert isinstance(session.browser, ChromiumBrowser)
        assert session.browser._shared.process is not None
        return session.browser._shared.process.pid

    async def die(self, *names: str) -> None:
        """End without a word, as after `kill -9`: the browsers are killed, nothing is written any more."""
        for name in names or self.sessions.names:
            self.keeper._autosavers[name]._ready = False
            os.kill(self.process(name), signal.SIGKILL)
        self.keeper._autosavers.clear()
        await self.sessions.close()


@pytest.fixture
def hosts(tmp_path: Path, run: Any, pages: Any) -> Iterator[Any]:
    """Makes hosts, one after the other in one folder."""
    made: list[Host] = []
    pages.bodies.clear()

    def make(**settings: Any) -> Host:
        made.append(Host(tmp_path, **settings))
        return made[-1]

    yield make
    for host in made:
        run(host.sessions.close())


async def fill(host: Host, pages: Any, name: str = "default", **settings: Any) -> None:
    pages["/"] = f"<title>Home of {name}</title><button>Go</button>"
    await host.ok(f"goto {pages.url('/')}", name, **settings)
    for line in ("cookies set who " + name, "storage set where local-" + name, "storage set --session tab one-" + name):
        await host.ok(line, name)


async def check(host: Host, name: str = "default") -> None:
    assert (await host.answer("cookies get who", name)).data == name
    assert (await host.answer("storage get where", name)).data == f"local-{name}"
    assert (await host.answer("storage get --session tab", name)).data == f"one-{name}"


# --- a host that ends, and one that is killed ---


@pytest.mark.slow
@pytest.mark.parametrize("killed", [False, True])
async def test_a_session_goes_on_in_the_next_host(hosts, pages, killed):
    host = hosts()
    await fill(host, pages)
    await host.ok("observe")
    before = host.sessions.get("default").generation
    await host.wait_until_saved()
    await (host.die() if killed else host.sessions.close())
    later = hosts()
    assert later.sessions.names == []
    assert later.sessions.dormant == ["default"]
    assert await later("sessions") == "ok sessions\n\n# active sessions\n- default (dormant)"
    assert later.sessions.names == []
    answer = await later("title")
    assert answer == (f'ok title\n\n"Home of default"\n\n# note\nsession restored at {pages.url("/")}; {VOID}')
    assert later.sessions.get("default").generation > before
    assert await later("title") == 'ok title\n\n"Home of default"'
    await check(later)


@pytest.mark.slow
async def test_saved_session_files_are_private_and_have_the_specified_format(hosts, pages):
    host = hosts()
    await fill(host, pages)
    await host.ok(f"tab new {pages.url('/?two')}")
    await host.wait_until_saved()
    row = host.row()
    assert row["profile"] is None
    assert row["backend"] == "headless"
    assert row["headful"] is False
    assert row["last_url"] == pages.url("/?two")
    assert row["updated_at"] > 1_700_000_000
    assert row["tabs"] == [pages.url("/"), pages.url("/?two")]
    assert row["current"] == 1
    assert row["generation"] == host.sessions.get("default").generation
    assert re.fullmatch(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ", row["started"])
    for file in (host.state_file(), host.paths.daemon / "sessions.json"):
        assert stat.S_IMODE(file.stat().st_mode) == 0o600
    assert stat.S_IMODE(host.state_file().parent.stat().st_mode) == 0o700


@pytest.mark.slow
async def test_the_first_error_says_that_the_session_was_restored_too(hosts, pages):
    host = hosts()
    await fill(host, pages)
    await host.ok("snapshot")
    await host.sessions.close()
    answer = await hosts()("click @e1")
    assert answer.startswith("error click @e1: element not found\n")
    assert f"# note\nsession restored at {pages.url('/')}; {VOID}" in answer


@pytest.mark.slow
async def test_tabs_come_back_each_with_its_own_session_storage(hosts, pages):
    host = hosts()
    pages["/"] = "<p>page"
    for number in (1, 2, 3):
        await host.ok(f"{'tab new' if number > 1 else 'goto'} {pages.url(f'/?{number}')}")
        await host.ok(f"storage set --session tab {number}")
    await host.ok("tab close 1")
    await host.ok("tab switch 2")
    await host.sessions.close()
    later = hosts()
    answer = await later.answer("tabs")
    assert [(tab["number"], tab["url"], tab["current"]) for tab in answer.data] == [
        (1, pages.url("/?2"), True),
        (2, pages.url("/?3"), False),
    ]
    assert answer.notes == [f"session restored at {pages.url('/?2')}, one of 2 tabs; {VOID}"]
    assert (await later.answer("storage get --session tab")).data == "2"
    await later.ok("tab switch 2")
    assert (await later.answer("storage get --session tab")).data == "3"


@pytest.mark.slow
async def test_what_a_page_clears_stays_cleared(hosts, pages):
    host = hosts()
    await fill(host, pages)
    await host.sessions.close()
    later = hosts()
    await check(later)
    await later.ok("storage clear --session")
    await later.ok("refresh")
    assert (await later.answer("storage list --session")).data == {}


@pytest.mark.slow
async def test_origins_that_were_left_and_frames_of_others(hosts, pages):
    host = hosts()
    away = pages.url("/inside", "localhost")
    pages["/inside"] = (
        "<script>if (!localStorage.seen) { localStorage.seen = 'inside'; sessionStorage.seen = 'in the tab' }"
        "document.write(localStorage.seen + ' / ' + sessionStorage.seen)</script>"
    )
    pages["/left"] = "<script>localStorage.left = 'behind'; sessionStorage.left = 'in its tab'</script>left"
    pages["/around"] = f"around<iframe src='{away}'></iframe>"
    await host.ok(f"goto {pages.url('/left', 'other.localhost')}")
    await host.wait_until_saved()  # what a tab stores for an origin is seen while it is there
    await host.ok(f"goto {pages.url('/around')}")
    assert "| inside / in the tab" in await host.ok("text")
    await host.wait_until_saved()
    await host.die()
    pages["/left"] = "<script>document.write(localStorage.left + ' / ' + sessionStorage.left)</script>"
    pages["/inside"] = "<script>document.write(localStorage.seen + ' / ' + sessionStorage.seen)</script>"
    later = hosts()
    assert "| inside / in the tab" in await later.ok("text")
    await later.ok(f"goto {pages.url('/left', 'other.localhost')}")
    assert "| behind / in its tab" in await later.ok("text")


@pytest.mark.slow
async def test_sessions_come_back_at_once_and_each_once(hosts, pages):
    host = hosts()
    names = [f"s{number}" for number in range(4)]
    for name in names:
        await fill(host, pages, name)
    await host.sessions.close()
    loads: list[str] = []
    pages["/"] = lambda request: loads.append(request.headers["Cookie"]) or "<title>Here</title>"
    later = hosts()
    assert later.sessions.dormant == names
    answers = await asyncio.gather(*(later("title", name) for name in names * 2))
    assert all(answer.startswith('ok title\n\n"Here"') for answer in answers)
    assert sum("session restored" in answer for answer in answers) == 4
    assert sorted(loads) == [f"who={name}" for name in names]
    for name in names:
        await check(later, name)


@pytest.mark.slow
@pytest.mark.parametrize("line", ["@work url", "session work", "@work session"])
async def test_naming_a_dormant_session_restores_it(hosts, pages, line):
    host = hosts()
    await fill(host, pages, "work")
    await host.sessions.close()
    later = hosts()
    answer = (await later.sessions.execute(line)).render()
    assert answer.startswith(f"ok {line}\n")
    assert f"# note\nsession restored at {pages.url('/')}; {VOID}" in answer
    assert later.sessions.names == ["work"]
    await check(later, "work")


@pytest.mark.slow
async def test_a_dormant_session_is_listed_and_not_opened_anew(hosts, pages):
    host = hosts()
    await fill(host, pages, "work")
    await host.sessions.close()
    later = hosts()
    await later.ok("url")
    rows = (await later.answer("sessions")).data
    assert [(row["name"], row["mode"], row["dormant"], row["current"]) for row in rows] == [
        ("default", "headless", False, True),
        ("work", "headless", True, False),
    ]
    assert await later("session new work") == (
        "error session new work: there is a session work, which is dormant\n\n"
        "# hint\n'@work …' runs one line in it; 'session close work' deletes it."
    )
    refused = await asyncio.gather(later.answer("url", "work", headful=True), return_exceptions=True)
    assert "the session work is kept with another headful" in str(refused[0])


@pytest.mark.slow
async def test_a_session_that_is_closed_is_forgotten(hosts, pages):
    host = hosts()
    for name in ("a", "b", "c"):
        await fill(host, pages, name)
        await host.wait_until_saved(name)
    await host.ok("session close a")
    assert not host.state_file("a").exists()
    assert "a" not in json.loads((host.paths.daemon / "sessions.json").read_text())["sessions"]
    await host.sessions.close()
    later = hosts()
    await later.ok("session close b")
    assert not later.state_file("b").exists()
    assert later.sessions.dormant == ["c"]
    assert hosts().sessions.dormant == ["c"]


# --- what is not kept ---


@pytest.mark.slow
async def test_an_ephemeral_session_leaves_nothing(hosts, pages):
    host = hosts()
    await fill(host, pages, "secret", ephemeral=True)
    await fill(host, pages, "work")
    await host.sessions.close()
    later = hosts()
    assert later.sessions.dormant == ["work"]
    assert not later.state_file("secret").exists()
    everything = hosts(ephemeral=True)
    await everything.ok("url", "another")
    await everything.sessions.close()
    assert hosts().sessions.dormant == ["work"]


@pytest.mark.slow
async def test_pages_that_have_no_address_and_those_that_have_their_content_in_it(hosts, pages, tmp_path):
    (tmp_path / "page.html").write_text("<title>A file</title>")
    for url, title in [
        ("data:text/html,<title>Data</title>", "Data"),
        ((tmp_path / "page.html").as_uri(), "A file"),
    ]:
        host = hosts()
        await host.ok(f'goto "{url}"')
        await host.sessions.close()
        later = hosts()
        assert f'"{title}"' in await later.ok("title")
        await later.ok("session close default")
    host = hosts()
    await fill(host, pages)
    await host.wait_until_saved()
    await host.ok("eval \"location = URL.createObjectURL(new Blob(['<title>B</title>'], {type: 'text/html'}))\"")
    await host.ok("wait until \"document.title === 'B'\"")
    await host.sessions.close()
    assert '"Home of default"' in await hosts().ok("title")


@pytest.mark.slow
async def test_a_session_without_a_page(hosts):
    host = hosts()
    await host.ok("url")
    await host.sessions.close()
    assert await hosts()("url") == (f"ok url\n\nabout:blank\n\n# note\nsession restored without a page; {VOID}")


@pytest.mark.slow
async def test_a_tab_that_moves_during_the_last_read_makes_no_command_incomplete(hosts, pages, monkeypatch):
    host = hosts()
    await fill(host, pages)
    autosaver = host.keeper._autosavers["default"]
    refresh = autosaver._reader.refresh

    async def refresh_and_move(*arguments: Any) -> Any:
        monkeypatch.setattr(autosaver._reader, "refresh", refresh)
        snapshot = await refresh(*arguments)
        autosaver._on_moved()
        await asyncio.wait([autosaver._task])
        return snapshot

    monkeypatch.setattr(autosaver._reader, "refresh", refresh_and_move)
    # Another read has no time and finds nothing; the last one has time, even on a slow machine.
    monkeypatch.setattr(autosave, "QUICK_READ_SECONDS", 0.0)
    monkeypatch.setattr(autosave, "READ_SECONDS", 0.0)
    monkeypatch.setattr(autosave, "LAST_READ_SECONDS", 60.0)
    await host.sessions.close()
    assert (await hosts().answer("url")).notes == [f"session restored at {pages.url('/')}; {VOID}"]


# --- what can't be put back ---


@pytest.mark.slow
async def test_a_page_that_does_not_load_any_more(hosts, pages):
    host = hosts()
    await fill(host, pages)
    pages["/gone"] = "here"
    await host.ok(f"tab new {pages.url('/gone')}")
    await host.ok("tab switch 1")
    await host.sessions.close()
    pages["/gone"] = (410, {}, "gone")
    later = hosts()
    answer = await later.answer("title")
    assert answer.notes == [
        f"session restored at {pages.url('/')}, one of 2 tabs; {VOID}",
        f"tab 2 ({pages.url('/gone')}): HTTP 410 Gone",
    ]
    await check(later)
    row = host.paths.daemon / "sessions.json"
    await later.sessions.close()
    row.write_text(row.read_text().replace(pages.url("/gone"), "http://127.0.0.1:9/nobody"))
    answer = await hosts().answer("title")
    assert answer.ok
    assert answer.notes[1].startswith("tab 2 (http://127.0.0.1:9/nobody): ")


@pytest.mark.slow
async def test_files_that_are_damaged_are_set_aside(hosts, pages, caplog):
    host = hosts()
    for name in ("a", "b"):
        await fill(host, pages, name)
    await host.sessions.close()
    host.state_file("a").write_text("{")
    later = hosts()
    answer = await later.answer("title", "a")
    assert answer.data == "Home of b"  # the page is there, what it knew is not
    assert answer.notes[1:] == ["its cookies and storage are lost: their file is damaged"]
    assert [file.name for file in host.state_file().parent.glob("a*damaged*")] == ["a.json.damaged-1"]
    await check(later, "b")
    await later.sessions.close()
    index = host.paths.daemon / "sessions.json"
    index.write_text(index.read_text()[:-20])
    last = hosts()
    assert last.sessions.dormant == []
    assert "sessions.json.damaged-1" in caplog.text
    assert (host.paths.daemon / "sessions.json.damaged-1").exists()
    assert await last("url") == "ok url\n\nabout:blank"


@pytest.mark.slow
async def test_a_command_waits_for_its_session_no_longer_than_it_may(hosts, pages):
    host = hosts()
    await fill(host, pages)
    await host.sessions.close()
    later = hosts()
    assert await later("title --timeout 10ms") == (
        "error title --timeout 10ms: not done after 0.01 s\n\n# hint\nThe session is still being opened: run it again."
    )
    answer = await later.answer("title")
    assert answer.data == "Home of default"
    assert answer.notes == [f"session restored at {pages.url('/')}; {VOID}"]
    await check(later)


@pytest.mark.slow
async def test_a_browser_that_does_not_start_leaves_the_session_dormant(hosts, pages):
    host = hosts()
    await fill(host, pages)
    await host.sessions.close()
    broken = hosts(browser="/nowhere/chromium")
    for _ in range(2):
        answer = await broken.answer("title")
        assert answer.error is not None
        assert answer.error.code == "BROWSER_NOT_FOUND"
        assert broken.sessions.dormant == ["default"]
    await broken.sessions.close()
    await check(hosts())


@pytest.mark.slow
async def test_a_session_of_a_browser_that_is_not_here(hosts, pages):
    host = hosts()
    await fill(host, pages)
    await host.sessions.close()
    index = host.paths.daemon / "sessions.json"
    index.write_text(index.read_text().replace('"headless"', '"remote"'))
    later = hosts()
    answer = (await later.sessions.execute("@default title")).render()
    assert answer == (
        "error @default title: the session default is in a browser of mode remote, which is not here\n\n"
        "# hint\nConnect its browser and try again, or close the session to have it forgotten."
    )
    assert later.sessions.dormant == ["default"]
    await later.ok("session close default")
    assert later.sessions.dormant == []


# --- profiles ---


@pytest.mark.slow
async def test_a_session_with_a_profile(hosts, pages):
    host = hosts()
    pages["/"] = "<title>Home</title>"
    await host.ok(f"goto {pages.url('/')}", "work", profile="work")
    await host.ok("cookies set who work", "work")
    await host.ok("storage set where local-work", "work")
    await host.ok("storage set --session tab one-work", "work")
    await host.wait_until_saved("work")
    assert host.row("work")["profile"] == "work"
    assert host.row("work")["settings"] == {"profile": "work"}
    await host.sessions.close()
    later = hosts()
    assert '"Home"' in await later.ok("title", "work")
    await check(later, "work")
    await later.wait_until_saved("work")
    await later.die()
    for file in sorted((later.paths.profiles / "work").rglob("*"), reverse=True):
        file.rmdir() if file.is_dir() and not file.is_symlink() else file.unlink()
    last = hosts()
    answer = await last.answer("title", "work")
    assert answer.notes[1] == "the profile work no longer exists: a new one has the saved state of the session"
    await check(last, "work")


# --- a browser that dies ---


@pytest.mark.slow
async def test_a_browser_that_dies_comes_back_with_the_next_command_of_any_kind(hosts, pages):
    host = hosts()
    await fill(host, pages)
    await fill(host, pages, "other")
    await host.wait_until_saved()
    await host.wait_until_saved("other")
    before = host.sessions.get("default").generation
    pages["/slow"] = lambda request: os.kill(host.process(), signal.SIGKILL) or "never seen"
    answer = await host.answer(f"goto {pages.url('/slow')}")
    assert answer.error is not None
    assert answer.error.code == "BROWSER_FAILED"
    answer = await host.answer("title")
    assert answer.ok
    assert answer.notes == [f"the browser died: session restored at {pages.url('/')}; {VOID}"]
    assert host.sessions.get("default").generation > before
    await check(host)
    await check(host, "other")


@pytest.mark.slow
async def test_a_page_that_kills_the_browser_is_not_loaded_again_and_again(hosts, pages):
    host = hosts()
    await fill(host, pages)
    await host.sessions.close()
    later = hosts()
    pages["/"] = lambda request: os.kill(later.process(), signal.SIGKILL) or "never seen"
    answer = await later.answer("title")
    assert answer.error is not None
    assert answer.error.code == "BROWSER_FAILED"
    answer = await later.answer("title")
    assert answer.ok
    assert "because the browser crashed on the pages it showed before" in answer.notes[0]
    pages["/"] = "<title>Well again</title>"
    await later.ok(f"goto {pages.url('/')}")
    await check(later)


@pytest.mark.slow
async def test_a_page_that_hangs_does_not_hang_what_keeps_it(hosts, pages):
    host = hosts()
    await fill(host, pages)
    await host.wait_until_saved()
    pages["/hangs"] = "<script>onclick = () => { while (true) {} }</script><button>Go</button>"
    await host.ok(f"goto {pages.url('/hangs')}")
    session = host.sessions.get("default")
    stuck = asyncio.create_task(host("click Go --timeout 1s"))
    await host.ok("url", "other")
    assert (await stuck).startswith("error")
    await host.wait_until_saved()
    assert host.row()["last_url"] == pages.url("/hangs")
    assert session is not None
    await host.die()
    pages["/hangs"] = "<title>Quiet</title>"
    later = hosts()
    assert '"Quiet"' in await later.ok("title")
    await check(later)


def test_a_session_alone_is_not_restored(browser: Any) -> None:
    assert Session(browser, options=Options()).startup.restore is None


# --- what can't come back ---


@pytest.mark.slow
async def test_restored_session_reports_missing_tabs_and_input(hosts, pages):
    host = hosts()
    pages["/form"] = "<title>Form</title><label>Name <input name=n></label>"
    await fill(host, pages)
    await host.ok("eval \"location = URL.createObjectURL(new Blob(['<title>B</title>'], {type: 'text/html'}))\"")
    await host.ok("wait until \"document.title === 'B'\"")
    await host.ok(f"tab new {pages.url('/')}")
    await host("goto http://127.0.0.1:1/")
    await host.ok(f"tab new {pages.url('/form')}")
    await host.ok('type "Name" "Ada"')
    await host.ok(f"tab new {pages.url('/form')}")
    await host.ok('type "Name" "Bob"')
    await host.ok(f"goto {pages.url('/form')}?again")
    await host.wait_until_saved()
    await host.die()
    first, *missing = (await hosts().answer("title")).notes
    assert first.startswith("session restored")
    assert len(missing) == 3
    assert missing[0].startswith("tab 1 showed blob:http://127.0.0.1")
    assert missing[0].endswith("which can't be opened again: restored at the page before it")
    assert missing[1:] == [
        "tab 2 showed a browser error: restored at the page before it",
        "input entered on tab 3 is lost",
    ]


@pytest.mark.slow
async def test_a_tab_that_does_not_load_now_is_not_forgotten(hosts, pages):
    host = hosts()
    await fill(host, pages)
    await host.wait_until_saved()
    await host.die()
    home = pages.bodies["/"]
    pages["/"] = lambda request: (204, {}, "")  # it stays where it is
    later = hosts()
    notes = (await later.answer("tabs")).notes
    assert any(pages.url("/") in note for note in notes[1:]), notes
    await later.wait_until_saved()
    await later.die()
    pages["/"] = home
    assert '"Home of default"' in await hosts().ok("title")


# --- what a restored tab may not show ---


@pytest.mark.slow
@pytest.mark.parametrize("where", ["outside the root", "Oryn's own"])
async def test_a_tab_at_a_file_that_may_not_be_read_is_not_loaded_again(hosts, pages, tmp_path, where):
    root, secret = tmp_path / "root", "the secret of another folder"
    root.mkdir()
    host = hosts()
    bounds = {"files_root": str(root)} if where == "outside the root" else {}
    (root / "a.html").write_text("<title>allowed</title>")
    host.paths.daemon.mkdir(parents=True, exist_ok=True)
    hidden = (tmp_path if bounds else host.paths.daemon) / "hidden.html"
    hidden.write_text(f"<title>{secret}</title><p>{secret}</p>")
    await host.ok(f"goto {(root / 'a.html').as_uri()}", **bounds)
    await host.ok(f"tab new {(root / 'a.html').as_uri()}")
    await host.wait_until_saved()
    await host.die()
    for file in (host.paths.daemon / "sessions.json", host.paths.daemon / "sessions.journal"):
        if file.exists():  # as a page that went there by itself had left it
            file.write_text(file.read_text().replace((root / "a.html").as_uri(), hidden.as_uri()))

    host = hosts()
    seen = await host("text")
    assert seen.count("was not loaded") == 2, seen
    for line in ("text", "html", "observe", "title", "tabs", "eval document.body.innerText", "tab switch 1", "text"):
        assert secret not in (seen := seen + await host(line)), line
    assert host.sessions.get("default").page.url == "about:blank"
    assert "allowed" in await host.ok(f"goto {(root / 'a.html').as_uri()}")


@pytest.mark.slow
async def test_a_tab_at_a_file_that_may_be_read_is_loaded_again(hosts, pages, tmp_path):
    (tmp_path / "a.html").write_text("<title>allowed</title>")
    host = hosts()
    await host.ok(f"goto {(tmp_path / 'a.html').as_uri()}", files_root=str(tmp_path))
    await host.wait_until_saved()
    await host.die()
    assert "allowed" in await hosts().ok("title")
