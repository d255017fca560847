"""Attacks on what a session keeps from pages: values of the vault that are bound to a site, values on servers that
nobody vouches for, files. Each backend's tests run all of them (`test_trust.py` in their folders)."""

from __future__ import annotations

import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

from oryn.engine import Session
from oryn.system import paths
from oryn.vault import Vault

PASSWORD = "correct-horse-22"
SECRET = "the token of the daemon"

WRITING_LINES = (
    'type Word "{{vault:bank.password}}"',
    'type Word "x{{vault:bank.password}}" --append',
    'fill_form {"Word": "{{vault:bank.password}}"}',
    'login "{{vault:bank}}" "{{vault:bank}}"',
    'search "{{vault:bank.password}}"',
    'storage set key "{{vault:bank.password}}"',
    'storage set key "{{vault:bank.password}}" --session',
    'cookies set key "{{vault:bank.password}}"',
)
"""Lines that write a value into the page."""

FIELDS = (
    "<title>form</title><form onsubmit='return false'><label>Email <input id=user type=email></label>"
    "<input type=password id=word aria-label=Word><button>Sign in</button></form>"
    "<form onsubmit='return false'><input type=search name=q aria-label=Search></form>"
)
HELD = (
    "[...document.querySelectorAll('input')].map((each) => each.value).join('|') + document.cookie"
    " + JSON.stringify({...localStorage, ...sessionStorage}) + (window.taken || '')"
)
"""All that a page has got."""

FORGERIES = {
    "address": "Object.defineProperty(Document.prototype, 'URL', {get: () => BANK + '/'})",
    "origin": "Object.defineProperty(window, 'origin', {value: BANK}); window.origin = BANK",
    "both": "Object.defineProperty(Document.prototype, 'URL', {get: () => BANK + '/'}); window.origin = BANK;"
    "Object.defineProperty(Document.prototype, 'documentURI', {get: () => BANK + '/'})",
    # WebKit's driver calls `map` with itself as `this` of the callback, and its methods are properties.
    "driver": "window.origin = BANK; const map = Array.prototype.map; Array.prototype.map = function (f, self) {"
    "const own = self && Object.getPrototypeOf(self);"
    "for (const name of own ? Object.getOwnPropertyNames(own) : []) if (/evaluateJavaScript|_execute/.test(name)) {"
    "const method = own[name]; own[name] = function (...all) {"
    "window.taken = (window.taken || '') + all[0]; return method.apply(this, all) } }"
    "return map.call(this, f, self) }",
    "eval": "window.origin = BANK; const run = window.eval;"
    "window.eval = (text) => { window.taken = (window.taken || '') + text; return run(text) }",
    "report": "window.origin = BANK; Object.defineProperty(globalThis, Symbol.for('oryn.page'), {value: {"
    "answer: (work, done) => done(work()), idOf: () => '1', listenersOf: () => ({}), call(name, values, done) {"
    "if (name === 'evaluate') done(JSON.stringify({value: (0, eval)(values[0])}));"
    "else if (name === 'frames') done(JSON.stringify({url: BANK + '/', frames: []}));"
    "else if (name !== 'watch' || values[1] !== 'forged') done(JSON.stringify({token: 'forged', top: true,"
    "url: BANK + '/', viewport: [1280, 720], ready: 'load', events: []})) } }})",
}
"""What a page does to pass for the site that a value is bound to."""


def forged_page(name: str, bank: str) -> str:
    """A page that passes itself off as `bank`."""
    return f"<script>const BANK = {bank!r}; {FORGERIES[name]}</script>{FIELDS}"


def set_vault(session: Session, folder: Path, *origins: str) -> None:
    home = tempfile.mkdtemp(dir=folder)
    vault = Vault(paths.find({"ORYN_HOME": home}), "file", {})
    vault.store("bank.user", "ann@bank.example", list(origins))
    vault.store("bank.password", PASSWORD, list(origins))
    session.vault = lambda: vault


async def check_nothing_is_written(session: Session, *, code: str, words: str = "") -> None:
    """Run all lines that write a value: each is refused, and nothing of it is in the page."""
    for line in WRITING_LINES:
        answer = await session.execute(line)
        assert answer.error is not None, (line, answer.render())
        assert answer.error.code == code, (line, answer.render())
        assert words in answer.error.message
    session.vault = None
    held = await session.page.evaluate(HELD)
    assert PASSWORD not in held and "ann@" not in held, held


_NO_FILE = ("PATH_NOT_ALLOWED", "CANNOT_ACCESS_PAGE")


def secret_file(folder: Path) -> str:
    """The address of a file that no command may show."""
    file = folder / "secret.html"
    file.write_text(f"<title>{SECRET}</title><p>{SECRET}</p>")
    return file.as_uri()


async def check_no_file_opens(session: Session, pages: Any, folder: Path) -> None:
    """Try all ways to a file: nothing of it is in any answer."""
    file = secret_file(folder)
    upper, encoded = file.replace("file:", "FILE:"), file.replace("secret", "%73ecret")
    local = folder / "local.html"
    local.write_text(f"<iframe src='{file}'></iframe><a href='{file}'>Link</a>")
    pages["/redirect"] = lambda _: (302, {"Location": file}, "")
    links = f"<a href='{file}'>Here</a><a href='{file}' target=_blank>There</a><iframe src='{file}'></iframe>"
    pages["/links"] = f"<title>Links</title>{links}<embed src='{file}'><img src='{file}'>"

    async def shows_nothing(*lines: str) -> None:
        for line in lines:
            answer = (await session.execute(line)).render()
            assert SECRET not in answer, (line, answer)

    looks = ("text", "html")
    for address in (file, upper, f" {file}", encoded, f"view-source:{file}", local.as_uri()):
        for verb in ("goto", "tab new"):
            answer = await session.execute(f'{verb} "{address}"')
            assert answer.error is not None, answer.render()
            assert address.startswith("view") or answer.error.code in _NO_FILE, answer.render()
        await shows_nothing(*looks)
    starts: tuple[Callable[[], str], ...] = (
        lambda: pages.url("/links"),
        lambda: "about:blank",
        lambda: f"data:text/html,{links.replace(' ', '%20')}",
    )
    for start in starts:
        await session.execute(f'goto "{start()}"')
        for line in (
            'click "Here"',
            'click "There"',
            f"eval \"location = '{file}'\"",
            f"eval \"window.open('{file}')\"",
            f"eval \"document.body.innerHTML = '<iframe src={file}></iframe>'\"",
            f"eval \"fetch('{file}').then((r) => r.text(), String)\"",
            "back",
            "refresh",
        ):
            await shows_nothing(line, *looks)
        await shows_nothing("tabs")
    redirect = f"{pages.url('/redirect')} --timeout 2s"
    await shows_nothing(f"goto {redirect}", *looks, f"tab new {redirect}", *looks)
