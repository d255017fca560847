"""`oryn.Oryn` and `oryn.SyncOryn`: a method for every command, results, errors, expectations; in real Chromium."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

import oryn
from oryn import Oryn, Result, SyncOryn
from oryn.errors import (
    ConfigurationError,
    ElementNotFound,
    NotConnected,
    NotStored,
    NotSupported,
    OrynError,
    ProtocolMismatch,
    Timeout,
    UnknownCommand,
)
from tests.clients.conftest import Program
from tests.headless.conftest import Pages

FORM = """<title>Form</title><form onsubmit="event.preventDefault(); done.hidden = false">
<input aria-label=Name><label><input type=checkbox> Agree</label><button>Send</button></form>
<p id=done hidden>Thank you</p><a href=/file download=plan.txt>Plan</a>
<button onclick="setTimeout(() => later.textContent = 'Ready', 200)">Wait</button><p id=later>Busy</p>"""


@pytest.fixture
def page(site: Pages) -> str:
    site["/typed"] = FORM
    site["/file"] = "a plan"
    site["/next"] = "<title>Next page</title>"
    return site.url("/typed")


@pytest.mark.slow
@pytest.mark.browser
async def test_a_session_in_methods(program: Program, page: str, tmp_path: Path) -> None:
    async with Oryn(binary=program.path) as oryn:
        opened = await oryn.goto(page)
        assert opened.page == (page, "Form") and opened.data is None and opened
        seen = await oryn.observe()
        field = next(each for each in seen.data["elements"] if each["text"] == "Name")
        assert seen.data["title"] == "Form" and seen.data["more"] == 0
        typed = await oryn.type(field["id"], 'say "hi" --enter')
        assert [(each.sign, each.kind) for each in typed.changes] == [("~", "changed")]
        assert typed.changes[0].data["element"]["value"] == 'say "hi" --enter'
        assert (await oryn.value("Name")).data == 'say "hi" --enter'
        assert (await oryn.is_checked("Agree")).data is False and not await oryn.is_checked("Agree")
        assert await oryn.exists("Agree") and (await oryn.count({"css": "input"})).data == 2
        sent = await oryn.click("Send")
        assert "Thank you" in sent and "Thank you" in str(sent) and sent.command == 'click "Send"'
        assert (await oryn.eval("({a: [1, 2]})")).data == {"a": [1, 2]}
        picture = await oryn.screenshot(output=tmp_path / "page.png")
        assert picture.data["path"] == str(tmp_path / "page.png") == str(picture.path)
        assert picture.read_bytes().startswith(b"\x89PNG") and picture._repr_mimebundle_()["image/png"]
        await oryn.eval("document.body.insertAdjacentHTML('beforeend', '<a href=/next>Next</a>')")
        (*_, link) = (await oryn.extract_page("links")).data
        assert link["text"] == "Next" and link["href"].endswith("/next")
        loaded = await oryn.click("Plan")
        assert loaded.read_bytes() == b"a plan" and loaded.path.name == "plan.txt"
        assert (await oryn.run("title")).data == "Form" and (await oryn.send("title")) == 'ok title\n\n"Form"'
        followed = await oryn.click("Next")
        assert followed.page and followed.page.title == "Next page"
        with pytest.raises(NotStored, match="has written no file"):
            sent.path  # noqa: B018
        with pytest.raises(NotSupported):  # a command of the daemon
            await oryn.login(page)


@pytest.mark.slow
@pytest.mark.browser
async def test_errors_are_raised_unless_asked_not_to_be(program: Program, page: str) -> None:
    async with Oryn(binary=program.path) as oryn:
        await oryn.goto(page)
        with pytest.raises(ElementNotFound) as raised:
            await oryn.click("Nothing")
        error = raised.value
        assert (error.code, error.command, error.target) == ("ELEMENT_NOT_FOUND", 'click "Nothing"', "Nothing")
        assert error.hint and str(error) == (
            f'{error.message} (ELEMENT_NOT_FOUND)\ncommand: click "Nothing"\nhint: {error.hint}'
        )
        calm = oryn.with_options(raises=False)
        failed = await calm.click("Nothing")
        assert not failed and not failed.ok and failed.error and failed.error.code == "ELEMENT_NOT_FOUND"
        assert failed.text.startswith('error click "Nothing": ') and "ELEMENT_NOT_FOUND" in repr(failed)
        with pytest.raises(UnknownCommand):
            await oryn.run("clck 5")
        other = oryn.with_options(session="other")
        await oryn.session_new("other")
        await other.goto("about:blank")
        assert (await other.url()).data == "about:blank" and (await oryn.url()).data == page
        assert [each["name"] for each in (await oryn.sessions()).data] == ["default", "other"]
        assert await other.send("url") == "ok @other url\n\nabout:blank"
        # The names that clients in every language have.
        assert (await oryn.list_sessions()).data == (await oryn.sessions()).data
        assert (await oryn.get_session()).data["name"] == "default"
        assert (await oryn.new_session("third", "headless")).ok and (await oryn.close_session("third")).ok
        with pytest.raises(OrynError):
            await oryn.close_session("third")


@pytest.mark.slow
@pytest.mark.browser
def test_expectations_and_the_synchronous_client(program: Program, page: str) -> None:
    with SyncOryn(binary=program.path) as oryn:
        oryn.goto(page)
        oryn.click("Wait")
        oryn.expect({"css": "#later"}).to_have_text("Ready")
        oryn.expect({"css": "#done"}).to_be_hidden()
        oryn.check("Agree")
        oryn.expect("Agree").to_be_checked()
        oryn.expect({"css": "input"}).to_have_count(2)
        oryn.expect("Send").to_be_visible()
        with pytest.raises(Timeout, match="expected the value 'Ann' of 'Name', found ''"):
            oryn.expect("Name").to_have_value("Ann", timeout=0.1)
        with pytest.raises(Timeout):
            oryn.expect("Thank you").to_be_visible(timeout=0.1)
        assert repr(oryn) == "<SyncOryn 'headless' connected>"
        assert oryn.with_options(session="work").click.__doc__
    assert repr(oryn) == "<SyncOryn 'headless' not connected>"


async def test_what_a_client_refuses(fake_engine: Any) -> None:
    with pytest.raises(ConfigurationError, match="netscape"):
        Oryn("netscape")  # type: ignore[arg-type]
    with pytest.raises(NotConnected):
        await Oryn().title()
    ready = {"say": "ready oryn-h v1.0.0 protocol=2\n---\n"}
    steps = [ready, {"hear": 1}, {"say": "error {: unknown command\n---\n"}, {"wait": True}]
    async with Oryn(binary=fake_engine(steps)) as old:
        with pytest.raises(ProtocolMismatch):
            await old.title()
        with pytest.raises(TypeError, match="can't be a set"):
            await old.eval({1})  # type: ignore[arg-type]


def test_results_for_readers() -> None:
    form = {"ok": True, "command": "title", "text": 'ok title\n\n"Form"', "result": "Form"}
    assert repr(Result.of_record(form)) == "<Result ok title data='Form'>"
    later = {**form, "ok": False, "error": {"code": "A_LATER_CODE", "message": "no", "hint": None}}
    error = Result.of_record(later).error
    assert isinstance(error, OrynError) and error.code == "A_LATER_CODE" and error.hint is None
    assert OrynError("x").code == "INTERNAL_ERROR"


def test_the_package_offers_both_and_loads_neither() -> None:
    code = "import sys; old = set(sys.modules); import oryn; print(*set(sys.modules) - old); print(dir(oryn))"
    ended = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    loaded, names = ended.stdout.splitlines()
    assert set(loaded.split()) <= {"__future__", "oryn"}
    assert "'Oryn'" in names and "'SyncOryn'" in names
    assert {"click", "cookies_set", "wait_visible", "is_checked"} <= set(dir(oryn.SyncOryn))
    with pytest.raises(AttributeError, match="no attribute 'Onyx'"):
        oryn.Onyx  # noqa: B018
