"""`state save` and `state load` in a real browser."""

# The files are small and on this machine: nothing waits for them.
# ruff: noqa: ASYNC240

from __future__ import annotations

import asyncio
import json
import os
import stat
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from types import ModuleType, SimpleNamespace
from typing import IO, Any

import pytest

from oryn.browsers.chromium import ChromiumBrowser
from oryn.engine import Options, Session
from oryn.errors import BrowserFailed, NotStored
from oryn.system.encryption import StateEncryptor

pytestmark = [pytest.mark.browser, pytest.mark.whole_browser]

REFRESH = "\n\n# note\n'refresh' to see this page with it"


async def wipe(browser: ChromiumBrowser) -> None:
    storage = browser.storage
    await storage.set_local({origin: {} for origin in storage.origins()}, merge=False)
    await storage.set_session({origin: {} for origin in storage.origins()}, merge=False)


@pytest.fixture(scope="module")
def wiped(browser: ChromiumBrowser, run: Any) -> None:
    """The browser is shared with other tests: begin with no storage."""
    run(wipe(browser))


@pytest.fixture(autouse=True)
def clean(wiped: None, oryn: Any, run: Any) -> Iterator[None]:
    """Leave no storage to the next test."""
    yield
    run(wipe(oryn.session.browser))


@pytest.fixture
def file(tmp_path: Path) -> Path:
    return tmp_path / "state.json"


async def stored(oryn: Any, area: str = "local") -> dict[str, str]:
    found: dict[str, str] = (await oryn.session.execute(f"storage list --{area}")).data
    return found


async def cookies(oryn: Any) -> set[tuple[str, str, str]]:
    return {(cookie.name, cookie.value, cookie.domain) for cookie in await oryn.session.browser.cookies()}


async def fill(oryn: Any) -> None:
    """Two origins with a cookie and storage each; the second is the one that is shown."""
    oryn.pages["/"] = "<p>hello"
    for host in ("127.0.0.1", "localhost"):
        await oryn.ok(f"goto {oryn.pages.url('/', host)}")
        await oryn.ok(f"cookies set visited {host}")
        await oryn.ok(f"storage set where {host}")


async def change_everything(oryn: Any) -> None:
    """Change all of it."""
    await oryn.ok("cookies clear")
    await oryn.ok("cookies set junk yes")
    await oryn.ok("storage clear")
    await oryn.ok("storage set junk yes")


# --- to a file and back ---


@pytest.mark.slow
async def test_a_state_is_saved_and_loaded(oryn: Any, file: Path) -> None:
    await fill(oryn)
    assert await oryn(f"state save {file}") == f"ok state save {file}\n\n2 cookies, storage of 2 origins"
    assert stat.S_IMODE(file.stat().st_mode) == 0o600
    await change_everything(oryn)
    assert await oryn(f"state load {file}") == f"ok state load {file}\n\n2 cookies, storage of 2 origins{REFRESH}"
    assert await cookies(oryn) == {("visited", "127.0.0.1", "127.0.0.1"), ("visited", "localhost", "localhost")}
    assert await stored(oryn) == {"where": "localhost"}
    await oryn.ok(f"goto {oryn.pages.url()}")
    assert await stored(oryn) == {"where": "127.0.0.1"}


@pytest.mark.slow
async def test_the_file_says_what_it_is(oryn: Any, file: Path) -> None:
    await fill(oryn)
    await oryn.ok(f"state save {file}")
    data = json.loads(file.read_text())
    assert data["version"] == 1
    assert data["created"].startswith("20")
    assert data["created"].endswith("Z")
    assert data["domain"] is None
    assert [each["origin"] for each in data["origins"]] == [
        oryn.pages.url("", "127.0.0.1"),
        oryn.pages.url("", "localhost"),
    ]
    assert data["origins"][0]["localStorage"] == {"where": "127.0.0.1"}
    assert "sessionStorage" not in data["origins"][0]
    assert list(file.parent.iterdir()) == [file]


@pytest.mark.slow
async def test_a_new_browser_goes_on_where_another_was(oryn: Any, file: Path, tmp_path: Path) -> None:
    await fill(oryn)
    await oryn.ok(f"state save {file}")
    session = Session(ChromiumBrowser(runtime_dir=tmp_path), options=Options(timeout=60))
    try:
        assert (await session.execute(f"state load {file}")).ok
        await session.execute(f"goto {oryn.pages.url()}")
        assert (await session.execute("storage list")).data == {"where": "127.0.0.1"}
        assert (await session.execute("cookies get visited")).data == "127.0.0.1"
        assert len((await session.execute("tabs")).data) == 1
    finally:
        await session.close()


@pytest.mark.slow
async def test_another_session_of_the_browser_has_a_state_of_its_own(
    oryn: Any, file: Path, browser: ChromiumBrowser
) -> None:
    await fill(oryn)
    await oryn.ok(f"state save {file}")
    session = Session(ChromiumBrowser(runtime_dir=file.parent, shared_with=browser), options=Options(timeout=60))
    try:
        assert (await session.execute(f"goto {oryn.pages.url()}")).ok
        assert (await session.execute(f"state save {file}.empty")).data["origins"] == []
        assert (await session.execute(f"state load {file}")).ok
        assert (await session.execute("storage list")).data == {"where": "127.0.0.1"}
        assert (await session.execute("storage set where elsewhere")).ok
        saved = await session.execute(f"state save {file}.other")
        assert (saved.data["cookies"], len(saved.data["origins"])) == (2, 2)
    finally:
        await session.close()
    await oryn.ok(f"goto {oryn.pages.url()}")
    assert await stored(oryn) == {"where": "127.0.0.1"}


@pytest.mark.slow
async def test_cookies_keep_all_their_attributes(oryn: Any, file: Path) -> None:
    oryn.pages["/"] = (
        200,
        {"Set-Cookie": "id=a b; Path=/deep; HttpOnly; SameSite=Strict; Max-Age=1000; Priority=High"},
        "<p>hello",
    )
    await oryn.ok(f"goto {oryn.pages.url()}")
    root = oryn.session.browser._connection.root
    wide = {"name": "wide", "value": "1", "domain": ".example.com", "secure": True, "sameSite": "None"}
    apart = {
        "name": "__Host-apart",
        "value": "2",
        "url": "https://embedded.example",
        "secure": True,
        "sameSite": "None",
        "path": "/",
        "partitionKey": {"topLevelSite": "https://top.example", "hasCrossSiteAncestor": True},
    }
    await root.call("Storage.setCookies", {"cookies": [wide, apart]})

    async def all_cookies() -> list[Any]:
        return sorted((await root.call("Storage.getCookies"))["cookies"], key=lambda cookie: str(cookie["name"]))

    before = await all_cookies()
    assert len(before) == 3
    await oryn.ok(f"state save {file}")
    await oryn.ok("cookies clear")
    await oryn.ok(f"state load {file}")
    assert await all_cookies() == before
    await oryn.ok(f"state load {file} --merge")
    assert await all_cookies() == before


@pytest.mark.slow
async def test_keys_and_values_may_be_anything(oryn: Any, file: Path) -> None:
    await oryn.show("<p>odd")
    odd = [
        ["__proto__", "1"],
        ["getItem", "2"],
        ["length", "3"],
        ["", "empty"],
        ["lone", "\ud800"],
        ["</script>", '"\\\n'],
    ]
    keys = json.dumps(odd).replace("\\", "\\\\").replace('"', '\\"')
    read = "JSON.stringify(Array.from({length: localStorage.length}, (_, i) => localStorage.key(i)).sort().map(key => [key, localStorage.getItem(key)]))"
    await oryn.ok(f'eval "for (const [key, value] of {keys}) localStorage.setItem(key, value)"')
    before = (await oryn.session.execute(f'eval "{read}"')).data
    assert len(json.loads(before)) == 6
    await oryn.ok(f"state save {file}")
    await oryn.ok("storage clear")
    await oryn.ok(f"state load {file}")
    assert (await oryn.session.execute(f'eval "{read}"')).data == before


@pytest.mark.slow
async def test_state_save_and_load_cause_no_requests_or_tabs(oryn: Any, file: Path) -> None:
    asked = []
    oryn.pages["/"] = lambda request: asked.append(request.path) or "<p>asked"
    await oryn.ok(f"goto {oryn.pages.url()}")
    await oryn.ok("storage set a 1")
    seen = len(asked)
    tabs = await oryn("tabs")
    await oryn.ok(f"state save {file}")
    await oryn.ok(f"state load {file}")
    assert len(asked) == seen
    assert await oryn("tabs") == tabs
    targets = await oryn.session.browser._connection.root.call("Target.getTargets", {"filter": [{}]})
    assert "other" not in {target["type"] for target in targets["targetInfos"]}


@pytest.mark.slow
async def test_an_origin_that_was_never_shown_is_loaded_and_saved_again(oryn: Any, file: Path) -> None:
    """Also one of http:, for which a browser tries https: first."""
    await oryn.show("<p>hello")
    origins = [
        {"origin": f"{scheme}://shop.example", "localStorage": {"basket": scheme}} for scheme in ("http", "https")
    ]
    state = {"version": 1, "created": "", "cookies": [], "origins": origins}
    file.write_text(json.dumps(state))
    await oryn.ok(f"state load {file}")
    await oryn.ok(f"state save {file} --domain shop.example")
    assert json.loads(file.read_text())["origins"] == origins


@pytest.mark.slow
async def test_pages_that_are_open_see_what_is_loaded(oryn: Any, file: Path) -> None:
    await oryn.show("<p id=told>nothing<script>onstorage = e => told.textContent = e.key + '=' + e.newValue</script>")
    await oryn.ok("storage set basket full")
    await oryn.ok(f"state save {file}")
    await oryn.ok("storage clear")
    await oryn.ok(f"state load {file}")
    await oryn.ok("wait until \"told.textContent === 'basket=full'\"")


# --- options ---


@pytest.mark.slow
async def test_cookies_only(oryn: Any, file: Path) -> None:
    await fill(oryn)
    assert await oryn(f"state save {file} --cookies-only") == f"ok state save {file} --cookies-only\n\n2 cookies"
    assert json.loads(file.read_text())["origins"] is None
    await change_everything(oryn)
    await oryn.ok(f"state load {file}")
    assert await stored(oryn) == {"junk": "yes"}
    assert len(await cookies(oryn)) == 2
    await oryn.ok(f"state save {file}")
    await change_everything(oryn)
    assert await oryn(f"state load {file} --cookies-only") == (
        f"ok state load {file} --cookies-only\n\n2 cookies{REFRESH}"
    )
    assert await stored(oryn) == {"junk": "yes"}


@pytest.mark.slow
async def test_of_one_domain(oryn: Any, file: Path) -> None:
    await fill(oryn)
    assert await oryn(f'state save {file} --domain "localhost"') == (
        f'ok state save {file} --domain "localhost"\n\n1 cookie, storage of 1 origin'
    )
    await change_everything(oryn)
    await oryn.ok(f"goto {oryn.pages.url()}")
    await oryn.ok("cookies set other kept")
    await oryn.ok("storage set other kept")
    await oryn.ok(f"state load {file}")
    assert await cookies(oryn) == {("visited", "localhost", "localhost"), ("other", "kept", "127.0.0.1")}
    assert await stored(oryn) == {"where": "127.0.0.1", "other": "kept"}
    await oryn.ok(f"goto {oryn.pages.url('/', 'localhost')}")
    assert await stored(oryn) == {"where": "localhost"}


@pytest.mark.slow
async def test_a_load_replaces_and_a_merge_adds(oryn: Any, file: Path) -> None:
    await fill(oryn)
    await oryn.ok(f"state save {file}")
    await oryn.ok("cookies set junk yes")
    await oryn.ok("storage set junk yes")
    await oryn.ok("storage set where changed")
    await oryn.ok(f"state load {file} --merge")
    assert ("junk", "yes", "localhost") in await cookies(oryn)
    assert await stored(oryn) == {"where": "localhost", "junk": "yes"}
    await oryn.ok(f"state load {file}")
    assert len(await cookies(oryn)) == 2
    assert await stored(oryn) == {"where": "localhost"}


@pytest.mark.slow
async def test_a_load_empties_what_the_file_does_not_name(oryn: Any, file: Path) -> None:
    oryn.pages["/"] = "<p>hello"
    await oryn.ok(f"goto {oryn.pages.url()}")
    await oryn.ok(f"state save {file}")
    await fill(oryn)
    await oryn.ok(f"state load {file}")
    assert await cookies(oryn) == set()
    assert await stored(oryn) == {}


@pytest.mark.slow
async def test_session_storage_of_open_pages_on_request(oryn: Any, file: Path) -> None:
    await oryn.show("<p>hello")
    await oryn.ok("storage set step three --session")
    await oryn.ok(f"state save {file} --include-session")
    await oryn.ok("storage set step four --session")
    await oryn.ok("storage set junk yes --session")
    await oryn.ok(f"state load {file} --merge")
    assert await stored(oryn, "session") == {"step": "three", "junk": "yes"}
    await oryn.ok(f"state load {file}")
    assert await stored(oryn, "session") == {"step": "three"}


@pytest.mark.slow
async def test_session_storage_waits_for_its_page(oryn: Any, file: Path) -> None:
    await oryn.show("<p>hello")
    await oryn.ok("storage set step three --session")
    await oryn.ok(f"state save {file} --include-session")
    await oryn.ok("storage clear --session")
    oryn.pages["/"] = "<p id=first><script>first.textContent = sessionStorage.step || 'none'</script>"
    await oryn.ok("goto about:blank")
    await oryn.ok(f"state load {file}")
    await oryn.ok(f"goto {oryn.pages.url('/', 'localhost')}")
    assert (await oryn("text")).endswith("| none")
    await oryn.ok(f"goto {oryn.pages.url()}")
    assert (await oryn("text")).endswith("| three")
    await oryn.ok("storage clear --session")
    await oryn.ok("refresh")
    assert (await oryn("text")).endswith("| none")


@pytest.mark.slow
async def test_expired_cookies_are_left_out(oryn: Any, file: Path) -> None:
    await fill(oryn)
    await oryn.ok(f"state save {file}")
    data = json.loads(file.read_text())
    data["cookies"][0]["expires"] = 1_000_000_000
    file.write_text(json.dumps(data))
    answer = await oryn(f"state load {file}")
    assert "\n\n1 cookie, storage of 2 origins\n\n# note\n1 cookie had expired\n" in answer
    assert len(await cookies(oryn)) == 1


@pytest.mark.slow
async def test_programs_are_told_the_same(oryn: Any, file: Path) -> None:
    await fill(oryn)
    saved = (await oryn.session.execute(f"state save {file}")).data
    assert saved["cookies"] == 2
    assert saved["origins"] == [oryn.pages.url("", "127.0.0.1"), oryn.pages.url("", "localhost")]
    assert saved["encrypted"] is False


# --- what goes wrong changes nothing ---


async def check_unchanged(oryn: Any, line: str, message: str) -> None:
    """The line fails with the message, and everything is as it was."""
    before = await cookies(oryn), await stored(oryn)
    answer = await oryn(line)
    assert answer.startswith("error"), answer
    assert message in answer
    assert (await cookies(oryn), await stored(oryn)) == before


@pytest.mark.parametrize(
    ("content", "message"),
    [
        ("", "the state is damaged: it is not JSON"),
        ('{"version": 1, "cook', "the state is damaged: it is not JSON"),
        ('{"cookies": []}', "the state is damaged: it has no version"),
        ('{"version": 2}', "the state has version 2, and this Oryn reads version 1"),
        ('{"version": 1, "created": "", "cookies": [1]}', "the state is damaged: cookies[0] is not an object"),
    ],
)
async def test_a_damaged_file_or_another_version(oryn: Any, file: Path, content: str, message: str) -> None:
    await fill(oryn)
    file.write_text(content)
    await check_unchanged(oryn, f"state load {file}", message)


@pytest.mark.slow
async def test_files_that_are_not_there_or_too_large(oryn: Any, tmp_path: Path, file: Path) -> None:
    await fill(oryn)
    await check_unchanged(oryn, f"state load {file}", f"there is no file {file}")
    await check_unchanged(oryn, f"state save {tmp_path / 'missing' / 'a.json'}", "there is no folder")
    await check_unchanged(oryn, f"state save {tmp_path}", "is a folder")
    with file.open("wb") as stream:
        stream.truncate(100_000_000)
    await check_unchanged(oryn, f"state load {file}", "is larger than 64000000 bytes")


@pytest.mark.slow
async def test_a_cookie_that_the_browser_refuses(oryn: Any, file: Path) -> None:
    await fill(oryn)
    await oryn.ok(f"state save {file}")
    data = json.loads(file.read_text())
    data["cookies"].append(data["cookies"][0] | {"name": "__Secure-not", "value": "a\u0001b"})
    file.write_text(json.dumps(data))
    await change_everything(oryn)
    await check_unchanged(oryn, f"state load {file}", "that is no cookie the browser takes")


@pytest.mark.slow
async def test_storage_that_is_too_much_puts_all_back(oryn: Any, file: Path) -> None:
    await fill(oryn)
    await oryn.ok(f"state save {file}")
    data = json.loads(file.read_text())
    data["origins"][1]["localStorage"] = {"huge": "x" * 6_000_000}
    file.write_text(json.dumps(data))
    await change_everything(oryn)
    await check_unchanged(oryn, f"state load {file}", "can't store that")
    await oryn.ok(f"goto {oryn.pages.url()}")
    assert await stored(oryn) == {"where": "127.0.0.1"}


@pytest.mark.slow
async def test_an_origin_that_the_browser_does_not_open(oryn: Any, file: Path) -> None:
    await fill(oryn)
    await oryn.ok(f"state save {file}")
    data = json.loads(file.read_text())
    data["origins"].append({"origin": "http://%zz", "localStorage": {"a": "b"}})
    file.write_text(json.dumps(data))
    await change_everything(oryn)
    before = await cookies(oryn), await stored(oryn)
    answer = await oryn(f"state load {file}")
    assert answer.startswith(f"error state load {file}: the browser does not open http://%zz\n"), answer
    assert (await cookies(oryn), await stored(oryn)) == before


@pytest.mark.slow
async def test_a_load_that_is_out_of_time_puts_all_back(oryn: Any, file: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    await fill(oryn)
    await oryn.ok(f"state save {file}")
    await change_everything(oryn)
    storage = oryn.session.browser.storage
    write, late = storage.set_local, []

    async def slow(areas: Any, *, merge: bool, timeout: float = 30) -> None:
        late.append(True)
        await write(areas, merge=merge, timeout=timeout)
        if len(late) == 1:
            await asyncio.Event().wait()

    monkeypatch.setattr(storage, "set_local", slow)
    await check_unchanged(oryn, f"state load {file} --timeout 2s", "not done after 2 s")


@pytest.mark.slow
async def test_putting_back_may_take_longer_than_the_command(
    oryn: Any, file: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    await fill(oryn)
    await oryn.ok(f"state save {file}")
    await change_everything(oryn)
    storage, loop = oryn.session.browser.storage, asyncio.get_running_loop()
    write, calls, over = storage.set_local, [], asyncio.Event()

    async def slow(areas: Any, *, merge: bool, timeout: float = 30) -> None:
        calls.append(timeout)
        if len(calls) == 1:
            loop.call_later(timeout + 1, over.set)
            raise NotStored("no")
        await over.wait()
        await write(areas, merge=merge, timeout=timeout)

    monkeypatch.setattr(storage, "set_local", slow)
    await check_unchanged(oryn, f"state load {file} --timeout 3s", "not done after 3 s")
    assert len(calls) == 2


@pytest.mark.slow
async def test_failed_rollback_of_a_state_load_is_reported(
    oryn: Any, file: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    await fill(oryn)
    await oryn.ok(f"state save {file}")

    async def refuse(areas: Any, *, merge: bool, timeout: float = 30) -> None:
        raise NotStored("nothing goes any more")

    monkeypatch.setattr(oryn.session.browser.storage, "set_local", refuse)
    answer = await oryn.session.execute(f"state load {file}")
    assert isinstance(answer.error, BrowserFailed)
    assert "was loaded in part (nothing goes any more)" in answer.error.message


async def test_a_domain_that_is_none(oryn: Any, file: Path) -> None:
    answer = await oryn(f'state save {file} --domain "https://a.org"')
    assert '"https://a.org" is no domain\n\n# hint\nGive one such as example.org.' in answer
    assert not file.exists()


async def test_paths_outside_the_allowed_folders(oryn: Any, browser: Any, tmp_path: Path) -> None:
    (tmp_path / "allowed").mkdir()
    session = Session(browser, options=Options(files_root=[tmp_path / "allowed"]))
    for line in (f"state save {tmp_path / 'a.json'}", f"state load {tmp_path / 'a.json'}"):
        answer = await session.execute(line)
        assert answer.error is not None
        assert answer.error.code == "PATH_NOT_ALLOWED"


# --- encryption ---


def with_key(oryn: Any, key: str | None) -> None:
    environment = {} if key is None else {"ORYN_STATE_KEY": key}
    oryn.session.state_encryption = lambda: StateEncryptor("environment", environment)


@pytest.mark.slow
async def test_encrypted_state_is_unreadable_and_loads_again(oryn: Any, file: Path) -> None:
    with_key(oryn, "correct horse")
    await fill(oryn)
    assert (await oryn.session.execute(f"state save {file}")).data["encrypted"] is True
    text = file.read_text()
    assert "visited" not in text
    assert "localhost" not in text
    assert json.loads(text)["version"] == 1
    await change_everything(oryn)
    await oryn.ok(f"state load {file}")
    assert await stored(oryn) == {"where": "localhost"}
    oryn.session.state_encryption = lambda: StateEncryptor(None, {"ORYN_STATE_KEY": "correct horse"})
    await oryn.ok(f"state load {file}")
    assert (await oryn.session.execute(f"state save {file}")).data["encrypted"] is False
    with_key(oryn, "anything")
    await oryn.ok(f"state load {file}")  # a plain one needs no key


@pytest.mark.slow
async def test_a_wrong_key_a_missing_one_and_a_changed_file(oryn: Any, file: Path) -> None:
    with_key(oryn, "correct horse")
    await fill(oryn)
    await oryn.ok(f"state save {file}")
    with_key(oryn, "battery staple")
    await check_unchanged(oryn, f"state load {file}", "can't be decrypted: its key is another one")
    with_key(oryn, None)
    await check_unchanged(oryn, f"state load {file}", "ORYN_STATE_KEY is not set")
    await check_unchanged(oryn, f"state save {file.with_name('other.json')}", "ORYN_STATE_KEY is not set")
    assert not file.with_name("other.json").exists()
    with_key(oryn, "correct horse")
    sealed = json.loads(file.read_text())
    for name, value in (("data", "AAAA"), ("salt", "!"), ("cipher", "ROT13"), ("key", "pocket")):
        file.write_text(json.dumps(sealed | {"sealed": sealed["sealed"] | {name: value}}))
        await check_unchanged(oryn, f"state load {file}", "state")
        answer = await oryn.session.execute(f"state load {file}")
        assert answer.error is not None
        assert answer.error.code == "STATE_KEY"


@pytest.mark.slow
def test_the_setting_encrypts_and_nobody_else_gets_the_key(tmp_path: Path, pages: Any) -> None:
    pages["/"] = "<p>page"
    file, key = tmp_path / "state.json", "a key that nobody sees"
    environment = {**os.environ, "ORYN_HOME": str(tmp_path / "home"), "ORYN_STATE_KEY": key, "ORYN_LOG_LEVEL": "debug"}
    lines = [f"goto {pages.url()}", "cookies set visited yes", f"state save {file}", f"state load {file}"]
    command = [sys.executable, "-m", "oryn", "headless", "--state-encryption", "environment"]
    with subprocess.Popen(
        command, env=environment, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    ) as process:
        assert process.stdin is not None
        assert process.stdout is not None
        process.stdin.write("\n".join(lines) + "\n")
        process.stdin.flush()
        answers = [answer_of(process.stdout) for _ in ["ready", *lines]]
        browsers = Path(f"/proc/{process.pid}/task/{process.pid}/children")
        for child in browsers.read_text().split() if browsers.exists() else ():
            assert key.encode() not in Path(f"/proc/{child}/environ").read_bytes()
        out, err = process.communicate("exit\n", timeout=60)
    assert answers[-1].endswith("1 cookie, storage of 0 origins" + REFRESH), answers
    assert "visited" not in file.read_text()
    shown = subprocess.run(
        [sys.executable, "-m", "oryn", "config"], env=environment, capture_output=True, text=True, check=True
    ).stdout
    assert "state_encryption" in shown
    assert key not in shown + "".join(answers) + out + err


def answer_of(stream: IO[str]) -> str:
    """The next answer of `oryn headless`."""
    lines: list[str] = []
    while (line := stream.readline()) != "---\n":
        assert line, f"oryn headless has ended, after {lines}"
        lines.append(line)
    return "".join(lines).removesuffix("\n")


@pytest.mark.slow
async def test_a_key_in_the_systems_keyring(oryn: Any, file: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    keys: dict[tuple[str, str], str] = {}

    class KeyringError(Exception):
        pass

    keyring: Any = ModuleType("keyring")
    keyring.get_password = lambda service, name: keys.get((service, name))
    keyring.set_password = lambda service, name, secret: keys.__setitem__((service, name), secret)
    monkeypatch.setitem(sys.modules, "keyring", keyring)
    monkeypatch.setitem(sys.modules, "keyring.errors", SimpleNamespace(KeyringError=KeyringError))
    oryn.session.state_encryption = lambda: StateEncryptor("keyring")
    await fill(oryn)
    await oryn.ok(f"state save {file}")
    assert [(service, name) for service, name in keys] == [("oryn", "saved states")]
    await change_everything(oryn)
    await oryn.ok(f"state load {file}")
    assert await stored(oryn) == {"where": "localhost"}
    keys.clear()
    await check_unchanged(oryn, f"state load {file}", "the system's keyring has no key of states")

    def locked(service: str, name: str) -> str:
        raise KeyringError(f"locked: {service}")

    keyring.get_password = locked
    await check_unchanged(oryn, f"state load {file}", "the system's keyring does not answer (KeyringError)")


@pytest.mark.slow
async def test_encryption_that_is_not_installed(oryn: Any, file: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with_key(oryn, "correct horse")
    await oryn.show("<p>hello")
    monkeypatch.setitem(sys.modules, "cryptography.hazmat.primitives.ciphers.aead", None)
    await check_unchanged(oryn, f"state save {file}", "pip install 'oryn-browser[encryption]'")


@pytest.mark.slow
async def test_without_keys_an_encrypted_state_is_refused(oryn: Any, file: Path) -> None:
    with_key(oryn, os.urandom(8).hex())
    await fill(oryn)
    await oryn.ok(f"state save {file}")
    oryn.session.state_encryption = None
    await check_unchanged(oryn, f"state load {file}", "this program has no keys")


@pytest.mark.slow
async def test_states_of_other_programs(oryn: Any, tmp_path: Path) -> None:
    oryn.pages["/"] = "<title>One</title>"
    url = oryn.pages.url()
    await oryn.ok(f"goto {url}")
    await oryn.ok("eval \"localStorage.lang = 'en'; document.cookie = 'theme=dark'\"")
    file = tmp_path / "playwright.json"
    await oryn.ok(f'state save "{file}" --format playwright')
    saved = json.loads(file.read_text())
    assert [(each["name"], each["expires"]) for each in saved["cookies"]] == [("theme", -1)]
    assert saved["origins"] == [{"origin": url.rstrip("/"), "localStorage": [{"name": "lang", "value": "en"}]}]
    await oryn.ok("cookies clear")
    await oryn.ok("storage clear")
    assert "1 cookie, storage of 1 origin" in await oryn.ok(f'state load "{file}"')
    assert '"dark"' in await oryn.ok("cookies get theme")
    (tmp_path / "cookies.txt").write_text("127.0.0.1\tFALSE\t/\tFALSE\t0\tid\t7\n")
    assert await oryn.ok(f'state load "{tmp_path / "cookies.txt"}" --merge')
    assert '"7"' in await oryn.ok("cookies get id") and '"dark"' in await oryn.ok("cookies get theme")
