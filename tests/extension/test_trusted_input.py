"""Input in the user's own browser through its debugger: whole lines, and what pages see of them."""

from __future__ import annotations

import pytest

from tests.extension.driver import NOTE, PairedBrowser, paired_browser, trusted
from tests.web_sockets import echo_page, echo_server

__all__ = ["paired_browser", "trusted"]

LOG = """<script>window.log = []; for (const kind of ['click', 'keydown', 'input', 'change'])
  addEventListener(kind, (e) => log.push(kind + (e.isTrusted ? '' : '?')), true)</script>"""


@pytest.mark.slow
async def test_events_are_a_persons(trusted: PairedBrowser) -> None:
    await trusted.show(
        LOG + "<label>Name <input></label><button onclick='this.title = navigator.userActivation.isActive'>b"
    )
    await trusted.ok("type Name ab")
    await trusted.ok("click b")
    assert await trusted.value("log.join(' ')") == "keydown input keydown input change click"
    assert await trusted.value("document.querySelector('button').title") == "true"


@pytest.mark.slow
async def test_nothing_is_noted_of_it(trusted: PairedBrowser) -> None:
    await trusted.show("<button>b</button>")
    assert NOTE not in await trusted.raw("click b")


async def test_the_mouse_is_there(trusted: PairedBrowser) -> None:
    await trusted.show("<style>button:hover {background: red}</style><button>b</button>")
    await trusted.ok("hover b")
    assert await trusted.value("getComputedStyle(document.querySelector('button')).backgroundColor") == "rgb(255, 0, 0)"


@pytest.mark.slow
async def test_keys_are_held_and_let_go(trusted: PairedBrowser) -> None:
    await trusted.show("<label>Name <input></label>")
    await trusted.ok("click Name")
    await trusted.ok("keydown shift")
    await trusted.ok("press a")
    assert await trusted("keys") == "ok keys\n\nshift"
    await trusted.ok("keyup all")
    await trusted.ok("press b")
    assert (await trusted("value Name")).endswith('"Ab"')


async def test_a_drag(trusted: PairedBrowser) -> None:
    await trusted.show(
        "<div id=a draggable=true style='width:80px'>card</div><div id=z style='height:80px' ondragover='return false'"
        " ondrop='this.textContent = event.dataTransfer.getData(`text`)'>place</div>"
        "<script>a.ondragstart = (e) => e.dataTransfer.setData('text', 'dropped')</script>"
    )
    await trusted.ok("drag css(#a) to css(#z)")
    assert await trusted.value("z.textContent") == "dropped"


@pytest.mark.slow
async def test_a_frame_of_another_origin(trusted: PairedBrowser) -> None:
    trusted.pages["/inner"] = "<label>Inner <input></label>"
    await trusted.show(f"<iframe src='{trusted.pages.url('/inner', 'localhost')}'></iframe>")
    assert 'value: "typed"' in await trusted("type Inner typed")


async def test_a_file_chooser_is_told_and_not_shown(trusted: PairedBrowser) -> None:
    await trusted.show("<label>File <input type=file></label>")
    assert "the page asks for a file" in await trusted("click File")


async def test_elements_that_only_listen_are_seen(trusted: PairedBrowser) -> None:
    await trusted.show(
        "<div id=a>Listens</div><div id=h></div><div>Not</div><script>a.addEventListener('click', () => {});"
        "const root = h.attachShadow({mode: 'open'}); root.innerHTML = '<i>Inside</i>';"
        "root.firstChild.onmousedown = () => {}</script>"
    )
    seen = await trusted("observe")
    assert ('"Listens"' in seen, '"Inside"' in seen, '"Not"' in seen) == (True, True, False)


@pytest.mark.slow
async def test_what_listens_is_known_anew_after_each_action(trusted: PairedBrowser) -> None:
    await trusted.show(
        "<div id=a>First</div><div id=b>Second</div><div id=h></div>"
        "<script>const hear = () => {}, second = b; a.addEventListener('click', hear)</script>"
    )

    async def recording_server() -> list[str]:
        seen = await trusted("observe")
        return [name for name in ("First", "Second", "Inside", "Third") if f'"{name}"' in seen]

    assert await recording_server() == ["First"]
    await trusted.value("a.removeEventListener('click', hear); b.addEventListener('click', hear)")
    assert await recording_server() == ["Second"]
    await trusted.value(
        "h.attachShadow({mode: 'open'}).innerHTML = '<i>Inside</i>'; h.shadowRoot.firstChild.onclick = hear"
    )
    assert await recording_server() == ["Second", "Inside"]
    await trusted.value("a.addEventListener('mouseup', hear); b.remove(); h.shadowRoot.firstChild.onclick = null")
    assert await recording_server() == ["First"]
    await trusted.value("document.body.replaceChildren(second, a)")
    assert await recording_server() == ["First", "Second"]
    await trusted.show("<p>another</p><div id=c>Third</div><script>c.onclick = () => {}</script>")
    assert await recording_server() == ["Third"]


@pytest.mark.slow
async def test_the_user_may_take_it_back(trusted: PairedBrowser) -> None:
    await trusted.show("<button onclick='this.textContent = event.isTrusted'>b</button>")
    assert '"true"' in await trusted("click b")
    await trusted.trust(False)
    assert '"false"' in await trusted("click 1")
    await trusted.trust(True)
    assert '"true"' in await trusted("click 1")


@pytest.mark.slow
async def test_the_bar_goes_when_the_user_switches_it_off(trusted: PairedBrowser) -> None:
    await trusted.show("<button>b</button>")
    await trusted.ok("click b")
    worker = await trusted.browser.worker()
    attached = (
        "chrome.tabs.query({active: true}).then(([tab]) => chrome.debugger.sendCommand({tabId: tab.id}, 'Page.enable'))"
        ".then(() => 'attached', () => 'not attached')"
    )
    try:
        assert await worker.evaluate(attached) == "attached"
        await trusted.trust(False)
        await worker.until(f"{attached}.then(found => found === 'not attached')")
    finally:
        await worker.detach()


@pytest.mark.slow
async def test_a_debugger_that_was_left_attached_is_taken_over(trusted: PairedBrowser) -> None:
    """As by the worker's life before this one."""
    await trusted.trust(False)
    await trusted.show("<button onclick='this.textContent = event.isTrusted'>b</button>")
    worker = await trusted.browser.worker()
    try:
        tabs = "chrome.tabs.query({active: true, url: 'http://*/*'})"
        await worker.evaluate(f"{tabs}.then(([tab]) => chrome.debugger.attach({{tabId: tab.id}}, '1.3'))")
    finally:
        await worker.detach()
    await trusted.trust(True)
    assert '"true"' in await trusted("click b")


@pytest.mark.slow
async def test_the_answer_to_a_message_over_a_web_socket_is_waited_for(trusted: PairedBrowser) -> None:
    async with echo_server(is_answered=True) as url:
        await trusted.show(echo_page(url))
        await trusted.ok("wait until \"document.title === 'Open'\"")
        assert '~ text "7 ferns saved"' in await trusted.ok("click Go")
        await trusted.ok("goto about:blank")
