"""Values of the vault on pages: typed where they may go, shown nowhere, the commands that name them as they were."""

from __future__ import annotations

import base64
import json
import os
import zipfile
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any
from urllib.parse import quote, unquote

import pytest

from oryn.engine import Options
from oryn.hosts.session_factory import sessions_of
from oryn.intents import library_of
from oryn.language import parse
from oryn.sessions.sessions import Sessions
from oryn.settings import load
from oryn.system import paths
from oryn.vault import Vault
from oryn.vault.sources import parse_reference

pytestmark = [pytest.mark.browser, pytest.mark.usefixtures("quick_key_derivation")]

PASSWORD = 'hunter & "22"'

FORM = """<title>Shop</title>
<form onsubmit="event.preventDefault(); told(user.value, password.value)">
 <label>Email <input id=user type=email></label> <label>Password <input id=password type=password></label>
 <button>Sign in</button></form><p id=out></p>
<label>Note <input id=note></label>"""


@pytest.fixture
def vault(oryn: Any, tmp_path: Path) -> Vault:
    """The session's vault, in a folder of the test."""
    found = set_vault(oryn, tmp_path)
    found.store("shop.user", "ann@example.org")
    found.store("shop.password", PASSWORD)
    return found


def set_vault(oryn: Any, folder: Path) -> Vault:
    found = Vault(paths.find({"ORYN_HOME": str(folder)}), "file", {"ORYN_VAULT_KEY": "pass phrase"})
    oryn.session.vault = lambda: found
    return found


def page(told: str) -> str:
    """The form, and what the page does with what was written into it."""
    return f"{FORM}<script>function told(name, word) {{ {told} }}</script>"


async def filled(oryn: Any) -> Any:
    return await oryn.session.page.evaluate("[user.value, password.value, note.value]")


def silent(text: str) -> str:
    """The text, which has the value in no form."""
    for form in (PASSWORD, "hunter", "HUNTER", "ann@example", base64.b64encode(PASSWORD.encode()).decode()[:12]):
        assert form not in text
    return text


async def test_a_value_is_typed_and_the_answer_has_its_name(oryn: Any, vault: Vault) -> None:
    await oryn.show(page(""))
    assert await oryn('type "Password" "{{vault:shop.password}}"') == 'ok type "Password" "{{vault:shop.password}}"'
    assert await oryn('type "Note" "x {{ vault:shop.password }}!"') == (
        'ok type "Note" "x {{ vault:shop.password }}!"\n\n# changes\n~ [4] input/text "Note" {focused} value: "x ••••!"'
    )
    assert await filled(oryn) == ["", PASSWORD, f"x {PASSWORD}!"]


async def test_login_by_the_name_of_an_entry(oryn: Any, vault: Vault) -> None:
    await oryn.show(page("out.textContent = 'Welcome, ' + name"))
    answer = await oryn.ok('login "{{vault:shop}}" "{{vault:shop}}"')
    assert answer.startswith('ok login "{{vault:shop}}" "{{vault:shop}}"\n')
    silent(answer)
    assert await filled(oryn) == ["ann@example.org", PASSWORD, ""]
    assert "Welcome, ••••" in await oryn("text")


@pytest.mark.slow
async def test_other_commands_that_write(oryn: Any, vault: Vault) -> None:
    await oryn.show(page(""))
    silent(await oryn.ok('fill_form {"Email": "{{vault:shop.user}}", "Password": "{{vault:shop.password}}"}'))
    assert await filled(oryn) == ["ann@example.org", PASSWORD, ""]
    silent(await oryn.ok('storage set key "{{vault:shop.password}}"'))
    assert await oryn.session.page.evaluate("localStorage.getItem('key')") == PASSWORD
    assert await oryn("storage list") == 'ok storage list\n\n"key": "••••"'
    vault.store("shop.token", "abcdef123456")
    await oryn.ok('cookies set token "{{vault:shop.token}}"')
    assert await oryn.session.page.evaluate("document.cookie") == "token=abcdef123456"
    assert await oryn("cookies get token") == 'ok cookies get token\n\n"••••"'
    await oryn.show(
        "<input type=search aria-label=Search onchange='out.textContent = `1 result`'><p id=out></p>", "/search"
    )
    await oryn.ok('search "{{vault:shop.token}}"')
    assert await oryn.session.page.evaluate("document.querySelector('input').value") == "abcdef123456"
    await oryn.ok("storage clear")


@pytest.mark.slow
async def test_a_prompt_of_the_page(oryn: Any, vault: Vault) -> None:
    await oryn.show("<button onclick='document.title = prompt(`your word?`)'>Ask</button>")
    await oryn.ok("dialog auto off")
    await oryn.ok("click Ask")
    silent(await oryn.ok('dialog accept "{{vault:shop.password}}"'))
    assert await oryn("title") == 'ok title\n\n"••••"'
    assert await oryn.session.page.evaluate("document.title") == PASSWORD


async def test_requests_carry_values_and_answers_do_not(oryn: Any, vault: Vault) -> None:
    seen: list[str | None] = []

    def answer(request: Any) -> str:
        seen.append(request.headers["X-Key"])
        return f"<p>{request.headers['X-Key']}"

    oryn.pages["/"] = answer
    vault.store("api.token", "abcdef123456")
    host = oryn.pages.url().split("/")[2]
    silent(await oryn.ok(f'goto {oryn.pages.url()} --headers {{"X-Key": "Bearer {{{{vault:api.token}}}}"}}'))
    await oryn.ok(f'headers set {host} {{"X-Key": "{{{{vault:api.token}}}}"}}')
    await oryn.ok(f"goto {oryn.pages.url()}")
    assert seen[0] == "Bearer abcdef123456"
    assert "abcdef123456" in seen[1:]
    assert await oryn("headers") == f'ok headers\n\nX-Key: "••••" for {host}'
    assert await oryn("text") == "ok text\n\n| ••••"
    await oryn.ok("headers clear")


@pytest.mark.slow
async def test_http_authentication(isolated: Any, tmp_path: Path) -> None:
    seen: list[str | None] = []

    def answer(request: Any) -> Any:
        if (given := request.headers["Authorization"]) is None:
            return 401, {"WWW-Authenticate": 'Basic realm="x"'}, "who are you?"
        seen.append(given)
        return f"<p>{given}"

    isolated.pages["/"] = answer
    vault = set_vault(isolated, tmp_path)
    vault.store("site.user", "ann@example.org", ["https://bank.example"])
    vault.store("site.password", PASSWORD)
    await isolated.ok('credentials "{{vault:site}}" "{{vault:site}}"')
    assert "HTTP 401" in await isolated(f"goto {isolated.pages.url()}")
    assert seen == []  # it is for another server
    vault.store("site.user", "ann@example.org", [isolated.pages.url().rstrip("/")])
    await isolated.ok('credentials "{{vault:site}}" "{{vault:site}}"')
    await isolated.ok(f"goto {isolated.pages.url()}")
    login = base64.b64encode(f"ann@example.org:{PASSWORD}".encode()).decode()
    assert seen == [f"Basic {login}"]
    assert await isolated("text") == "ok text\n\n| Basic ••••"
    assert login[4:20] not in await isolated("request 1")


# --- it is shown nowhere ---


@pytest.mark.slow
async def test_pages_that_show_it(oryn: Any, vault: Vault) -> None:
    await oryn.show(
        page(
            """
            document.title = word;
            history.pushState(0, '', '/welcome?word=' + encodeURIComponent(word));
            out.textContent = name + ' has ' + word;
            out.innerHTML += `<a href="/${encodeURIComponent(word)}">${btoa(word)}</a> <b title='${word}'>up</b>`;
            out.style.textTransform = 'uppercase';
            note.value = word;
            """
        )
    )
    silent(await oryn.ok('login "{{vault:shop}}" "{{vault:shop}}"'))
    seen = silent(await oryn.ok("observe --full"))
    assert seen.startswith(f'@ {oryn.pages.url("/welcome?word=••••").removeprefix("http://")} "••••"\n')
    assert 'input/text "Note" value: "••••"' in seen
    for line in (
        "text", "html", "html --selector body", "title", "url", "snapshot", "tabs", "frames", "extract links",
        "extract text", "extract css('a')", "value Note", "text css('#out')", "attribute css('#out b') title",
        "requests", 'eval "password.value"', 'eval "({[password.value]: [user.value]})"', "observe --diff",
    ):  # fmt: skip
        silent(await oryn(line.replace("'", '"') if line.startswith(("extract css", "text css", "attr")) else line))
    assert "••••" in await oryn('eval "password.value"')


async def test_answers_as_json_and_answers_that_are_cut(oryn: Any, vault: Vault, tmp_path: Path) -> None:
    await oryn.show(page("document.title = word; out.textContent = Array(200).fill(word).join(' ')"))
    await oryn.ok('login "{{vault:shop}}" "{{vault:shop}}"')
    oryn.session.options = Options(timeout=60, max_output=400, answer_folder=tmp_path / "answers")
    for form in ("text", "json"):
        oryn.session.json = form == "json"
        assert "cut" in silent(await oryn("text"))
        silent(await oryn("observe"))
        silent(await oryn('eval "[password.value, JSON.stringify(password.value)]"'))
    files = list((tmp_path / "answers").iterdir())
    assert len(files) >= 2
    for file in files:
        silent(file.read_text())


@pytest.mark.slow
async def test_dialogs_and_errors_of_the_page(oryn: Any, vault: Vault) -> None:
    await oryn.show(page("alert('no such word: ' + word)"))
    assert '+ dialog alert "no such word: ••••"' in await oryn('login "{{vault:shop}}" "{{vault:shop}}"')
    assert silent(await oryn('eval "throw new Error(password.value)"')).startswith("error eval")
    await oryn.ok('eval "document.title = password.value"')
    silent(await oryn('wait url "**/never" --timeout 200ms'))
    silent(await oryn(f'goto "http://127.0.0.1:1/{quote(PASSWORD)}"'))
    assert "••••" in await oryn(f"type '{PASSWORD}'")


@pytest.mark.slow
async def test_console_network_and_their_recordings(isolated: Any, tmp_path: Path) -> None:
    vault = set_vault(isolated, tmp_path)
    vault.store("shop.user", "ann@example.org")
    vault.store("shop.password", PASSWORD)
    isolated.pages["/post"] = lambda request: (
        200, {"X-Echo": request.headers["X-Sent"]}, request.rfile.read(int(request.headers["Content-Length"])).decode()
    )  # fmt: skip
    await isolated.ok("har start")
    await isolated.ok("trace start")
    await isolated.show(
        page(
            """
            console.log('typed', word, {word}); console.error(new Error(word));
            fetch('/post?' + new URLSearchParams({word}), {
              method: 'POST', body: JSON.stringify({name, word}), headers: {'X-Sent': btoa(name + ':' + word)}
            }).then(answer => answer.text()).then(text => { out.textContent = text; throw new Error(word) });
            """
        )
    )
    await isolated.ok('login "{{vault:shop}}" "{{vault:shop}}"')
    await isolated.ok("wait idle")
    for line in ("console", "errors", "requests"):
        assert "••••" in silent(await isolated(line))
    row = next(row for row in (await isolated("requests")).splitlines() if "POST" in row)
    shown = silent(await isolated(f"request {row[1 : row.index(']')]}"))
    assert '{"name":"••••","word":"••••"}' in shown.replace(": ", ":")
    assert "x-sent: ••••" in shown.lower()
    har = tmp_path / "traffic.har"
    await isolated.ok(f"har stop {har}")
    assert "\\u2022\\u2022" in silent(har.read_text())
    assert any(each["request"]["method"] == "POST" for each in json.loads(har.read_text())["log"]["entries"])
    trace = tmp_path / "trace.zip"
    await isolated.ok(f"trace stop {trace}")
    with zipfile.ZipFile(trace) as archive:
        for name in archive.namelist():
            if not name.startswith("pictures/"):
                silent(archive.read(name).decode())
        json.loads(archive.read("trace.json"))
        assert "{{vault:shop}}" in archive.read("commands.jsonl").decode()


@pytest.mark.slow
async def test_a_page_that_tells_of_a_value_letter_by_letter(isolated: Any, tmp_path: Path) -> None:
    """As one that suggests, or checks how strong a password is, does while it is typed."""
    token = "Zq7-kestrel&Rho"
    set_vault(isolated, tmp_path).store("shop.token", token)
    isolated.pages["/suggest"] = lambda request: "none"
    await isolated.ok("har start")
    await isolated.show(
        """<input id=note aria-label=Note><script>
        note.addEventListener('input', () => { for (let end = 1; end <= note.value.length; end += 1) {
          const word = note.value.slice(0, end);
          console.log('so far', word, {word}, btoa(word));
          fetch('/suggest?' + new URLSearchParams({word}), {method: 'POST', body: JSON.stringify({word})});
        } });</script>"""
    )
    await isolated.ok('type "Note" "{{vault:shop.token}}"')
    await isolated.ok("wait idle")
    assert await isolated.session.page.evaluate("note.value") == token
    har = tmp_path / "traffic.har"
    await isolated.ok(f"har stop {har}")
    told = [await isolated("console --last 100"), await isolated("requests --last 100"), har.read_text()]
    told += [await isolated(f"request {number}") for number in range(1, 2 + len(token))]
    assert told[0].count("••••") >= len(token) - 3
    assert told[1].count("••••") >= len(token) - 3
    for text in told:
        for form in (token[:4], quote(token[:4]), base64.b64encode(token[:6].encode()).decode()[:6]):
            assert form not in text


@pytest.mark.slow
async def test_names_of_downloads_and_the_clipboard(oryn: Any, vault: Vault, tmp_path: Path) -> None:
    oryn.session.options = Options(timeout=60, download_folder=tmp_path / "downloads")
    vault.store("shop.token", "abcdef123456")
    await oryn.show(
        """<input id=note aria-label=Note><button id=copy onclick="note.select(); document.execCommand('copy')">Copy</button>
        <button onclick="const a = document.createElement('a'); a.href = 'data:text/plain,x';
          a.download = note.value + '.txt'; a.click()">Save</button>"""
    )
    await oryn.ok('type Note "{{vault:shop.token}}"')
    answer = await oryn.ok("click Save")
    assert "abcdef123456" not in answer
    assert [file.name for file in (tmp_path / "downloads").iterdir()] == ["••••.txt"]
    await oryn.ok("click Copy")
    assert "abcdef123456" not in await oryn("clipboard read")


@pytest.mark.slow
async def test_saved_state_contains_the_secret_value(oryn: Any, vault: Vault, tmp_path: Path) -> None:
    await oryn.show(page(""))
    await oryn.ok('storage set key "{{vault:shop.password}}"')
    file = tmp_path / "state.json"
    await oryn.ok(f"state save {file}")
    stored = {each["origin"]: each["localStorage"] for each in json.loads(file.read_text())["origins"]}
    assert stored[oryn.pages.url("")]["key"] == PASSWORD
    await oryn.ok("storage clear")


@pytest.mark.slow
async def test_masked_elements_remain_usable(oryn: Any, vault: Vault) -> None:
    """What is withheld is withheld from the reader alone: elements keep their numbers, conditions hold."""
    await oryn.show(page("out.innerHTML = '<button>' + word + '</button>'"))
    answer = await oryn.ok('login "{{vault:shop}}" "{{vault:shop}}"')
    assert '+ [5] button/submit "••••"' in answer or '+ [5] button "••••"' in answer
    assert (await oryn("click 5")).startswith("ok click 5")


# --- sessions beside it, and after it ---


@pytest.fixture
def host(tmp_path: Path, pages: Any, run: Any) -> Iterator[Callable[[], Sessions]]:
    """Makes hosts of sessions, one after the other in one folder, whose vault has a login."""
    folders = paths.find({"ORYN_HOME": str(tmp_path)})
    Vault(folders, "file", {}).store("shop.password", PASSWORD)
    pages.bodies.clear()
    pages["/"] = "<title>Shop</title><input type=password id=password onchange='location = `/in?word=${value}`'>"
    pages["/in"] = lambda request: f"<title>{unquote(request.path.partition('=')[2])}</title>"
    made: list[Sessions] = []

    def make() -> Sessions:
        made.append(sessions_of(load({"timeout": 60}, folders, {}), keep=True))
        return made[-1]

    yield make
    for sessions in made:
        run(sessions.close())


async def answer_in(sessions: Sessions, line: str, name: str = "default") -> str:
    return (await sessions.execute_in(name, parse(line), {})).render()


@pytest.mark.slow
async def test_secret_is_masked_in_other_sessions(host: Any, pages: Any) -> None:
    sessions = host()
    await answer_in(sessions, f"goto {pages.url()}")
    await answer_in(sessions, 'type password "{{vault:shop.password}}" --enter')
    await answer_in(sessions, "wait url */in*")
    await answer_in(sessions, "title", "other")
    answer = silent((await sessions.get("other").execute("session default")).render())
    assert "/in?word=••••" in answer


@pytest.mark.slow
async def test_a_session_that_comes_back_shows_it_no_more_than_before(host: Any, pages: Any, tmp_path: Path) -> None:
    before = host()
    await answer_in(before, f"goto {pages.url()}")
    await answer_in(before, 'type password "{{vault:shop.password}}" --enter')
    await answer_in(before, "wait url */in*")
    await before.close()
    after = host()
    answer = silent(await answer_in(after, "title"))
    assert answer.startswith('ok title\n\n"••••"\n\n# note\nsession restored at')
    await after.close()
    (tmp_path / "config" / "vault.key").unlink()
    assert "vault.key is missing" in silent(await answer_in(host(), "title"))


# --- where it may go ---


async def test_a_bound_value_goes_to_its_origins_alone(oryn: Any, vault: Vault) -> None:
    await oryn.show(page(""))
    place = oryn.pages.url().rstrip("/")
    vault.store("bank.password", "correct horse", ["https://bank.example"])
    refused = (
        f'bank.password of the vault is not for "{place}": nothing was written\n\n# hint\n'
        "It may go to https://bank.example. If this page asks for it, don't trust the page."
    )
    for line in (
        'type "Password" "{{vault:bank.password}}"',
        'login "ann" "{{vault:bank.password}}"',
        'fill_form {"Password": "{{vault:bank.password}}"}',
        'cookies set key "{{vault:bank.password}}"',
        'storage set key "{{vault:bank.password}}"',
    ):
        answer = await oryn(line)
        assert answer.startswith("error ")
        assert answer.endswith(refused)
    assert "not for every server" in await oryn('headers set {"X-Key": "{{vault:bank.password}}"}')
    assert 'not for "127.0.0.1"' in await oryn('headers set 127.0.0.1 {"X-Key": "{{vault:bank.password}}"}')
    assert (await filled(oryn))[1:] == ["", ""]
    vault.store("bank.password", "correct horse", ["https://bank.example", place])
    await oryn.ok('type "Password" "{{vault:bank.password}}"')
    assert (await filled(oryn))[1] == "correct horse"
    await oryn.ok('goto "data:text/html,<input aria-label=Word>"')
    assert "not for a page without an origin" in await oryn('type "Word" "{{vault:bank.password}}"')


@pytest.mark.slow
async def test_a_frame_of_another_origin_is_another_page(oryn: Any, vault: Vault) -> None:
    """The page around it may be the right one: what is typed goes to the frame."""
    inner = oryn.pages.url("/inner", host="localhost")
    oryn.pages["/inner"] = "<input aria-label=Word>"
    vault.store("bank.password", "correct horse", [oryn.pages.url().rstrip("/")])
    await oryn.show(f"<input aria-label=Here><iframe src={inner}></iframe>")
    assert f'not for "{inner.removesuffix("/inner")}"' in await oryn('type "Word" "{{vault:bank.password}}"')
    assert await oryn.ok('type "Here" "{{vault:bank.password}}"')
    vault.store("bank.password", "correct horse", [inner.removesuffix("/inner")])
    await oryn.ok('type "Word" "{{vault:bank.password}}"')
    assert "not for" in await oryn('type "Here" "{{vault:bank.password}}"')


@pytest.mark.slow
async def test_a_page_that_goes_elsewhere_before_the_first_key_gets_none(
    oryn: Any, vault: Vault, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The value was looked up for the page that was there; another one has come by the time it is put in."""
    vault.store("bank.password", "correct horse", [oryn.pages.url().rstrip("/")])
    elsewhere = oryn.pages.url("/elsewhere", host="localhost")
    oryn.pages["/elsewhere"] = "<input id=got><script>got.focus()</script>"
    await oryn.show("<input aria-label=Word>")
    page = oryn.session.page
    original = type(page).scanner

    async def scanner(self: Any, request: dict[str, Any], *rest: Any, **more: Any) -> Any:
        if request["cmd"] in ("prepare", "insert"):
            await page.goto(elsewhere)
        return await original(self, request, *rest, **more)

    monkeypatch.setattr(type(page), "scanner", scanner)
    assert "the page went elsewhere meanwhile" in await oryn('type "Word" "{{vault:bank.password}}"')
    assert await page.evaluate("document.activeElement.id + got.value") == "got"


# --- what can't be had ---


@pytest.mark.slow
async def test_names_that_are_not_there(oryn: Any, vault: Vault) -> None:
    await oryn.show(page(""))
    assert await oryn('type "Password" "{{vault:shop.pasword}}"') == (
        'error type "Password" "{{vault:shop.pasword}}": the vault has no "shop.pasword"\n\n# hint\n'
        "It has shop.password, shop.user."
    )
    assert "Name one: shop.password, shop.user." in await oryn('type "Password" "{{vault:shop}}"')
    assert 'the vault has no ""' in await oryn('type "Password" "{{vault:}}"')
    oryn.session.vault = None
    assert "there is no vault here" in await oryn('type "Password" "{{vault:shop.password}}"')
    assert await filled(oryn) == ["", "", ""]


async def test_a_vault_that_can_not_be_opened(oryn: Any, vault: Vault, tmp_path: Path) -> None:
    await oryn.show(page(""))
    closed = Vault(paths.find({"ORYN_HOME": str(tmp_path)}), "file", {})
    oryn.session.vault = lambda: closed
    answer = await oryn.session.execute('type "Password" "{{vault:shop.password}}"')
    assert answer.error is not None
    assert (answer.error.code, answer.error.message) == (
        "VAULT_KEY",
        "the environment variable ORYN_VAULT_KEY is not set",
    )


async def test_a_password_manager_that_is_locked(oryn: Any, tmp_path: Path) -> None:
    await oryn.show(page(""))
    programs = tmp_path / "programs"
    programs.mkdir()
    (programs / "op").write_text('#!/bin/sh\necho "[ERROR] You are not currently signed in." >&2\nexit 1\n')
    (programs / "op").chmod(0o755)
    environment = {"PATH": f"{programs}:{os.environ['PATH']}", "ORYN_VAULT_KEY": "pass phrase"}
    found = Vault(paths.find({"ORYN_HOME": str(tmp_path)}), "file", environment)
    found.allow_source(parse_reference("op://Work/Shop"), [oryn.pages.url("/").rstrip("/")])
    oryn.session.vault = lambda: found
    answer = await oryn.session.execute('type "Password" "{{vault:op://Work/Shop/password}}"')
    assert answer.error is not None and answer.error.code == "VAULT_SOURCE"
    assert "op is locked, or nobody is signed in" in answer.error.message
    assert await filled(oryn) == ["", "", ""]


@pytest.mark.parametrize(
    "line",
    [
        'goto "/?word={{vault:shop.password}}"',
        'click "{{vault:shop.password}}"',
        "eval \"send('{{vault:shop.password}}')\"",
        'clipboard write "{{vault:shop.password}}"',
        "script add \"const word = '{{vault:shop.password}}'\"",
    ],
)
async def test_vault_references_are_rejected_outside_fields(oryn: Any, vault: Vault, line: str) -> None:
    await oryn.show(page(""))
    answer = await oryn.session.execute(line)
    assert answer.error is not None
    assert answer.error.code == "VAULT_ORIGIN"
    assert "can't stand in" in answer.error.message


# --- what is learnt and defined ---


async def test_intents_keep_the_name(oryn: Any, vault: Vault) -> None:
    await oryn.show(page("out.textContent = 'Welcome'"))
    await oryn.ok(
        'define enter:\n  type "Email" "{{vault:shop.user}}"\n  type "Password" "{{vault:shop.password}}"\n  click "Sign in"'
    )
    answer = silent(await oryn.ok("run enter"))
    assert '2 type "Password" "{{vault:shop.password}}"' in answer
    assert (await filled(oryn))[:2] == ["ann@example.org", PASSWORD]


@pytest.mark.slow
async def test_learned_intent_contains_the_vault_reference(oryn: Any, vault: Vault, tmp_path: Path) -> None:
    library = library_of(paths.find({"ORYN_HOME": str(tmp_path)}))
    oryn.session.library = lambda: library
    for _ in range(2):
        await oryn.show(page(""))
        await oryn.ok('type "Email" "{{vault:shop.user}}"')
        await oryn.ok('type "Password" "{{vault:shop.password}}"')
        await oryn.ok('click "Sign in"')
    await oryn.ok("learn save learned_1")
    text = silent((tmp_path / "intents" / "learned_1.yaml").read_text())
    assert 'type "Password" "{{vault:shop.password}}"' in text
    assert 'type "Email" "{{vault:shop.user}}"' in text
    await oryn.show(page(""))
    silent(await oryn.ok("run learned_1"))
    assert (await filled(oryn))[:2] == ["ann@example.org", PASSWORD]


def test_the_browser_does_not_get_the_key(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    from oryn.browsers.process.run_folder import RunFolder

    monkeypatch.setitem(os.environ, "ORYN_VAULT_KEY", "pass phrase")
    folder = RunFolder.create(tmp_path)
    try:
        assert "ORYN_VAULT_KEY" not in folder.environment()
    finally:
        folder.remove()
        folder.release()
