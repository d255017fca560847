"""Pages that ask for passkeys where no person can take part: told that there is no authenticator, refused at once, and
never kept from input."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest

pytestmark = [pytest.mark.browser, pytest.mark.whole_browser]

BUTTON = "<button id=word style='position:fixed;inset:0 auto auto 0;width:99px;height:40px'>Use a password</button>"
PARTS = "challenge: new Uint8Array(32), timeout: 300000"
NEW = f"""{PARTS}, rp: {{name: 'Shop'}}, user: {{id: new Uint8Array(8), name: 'ada', displayName: 'Ada'}},
    pubKeyCredParams: [{{type: 'public-key', alg: -7}}]"""
CEREMONIES = {
    "to use one": f"get({{publicKey: {{{PARTS}}}}})",
    "to use one without proof of the user": f"get({{publicKey: {{{PARTS}, userVerification: 'discouraged'}}}})",
    "to use a known one": f"""get({{publicKey: {{{PARTS},
        allowCredentials: [{{type: 'public-key', id: new Uint8Array(16)}}]}}}})""",
    "to fill one in": f"get({{mediation: 'conditional', publicKey: {{{PARTS}}}}})",
    "to use one that is here": f"get({{uiMode: 'immediate', publicKey: {{{PARTS}}}}})",
    "to make one": f"create({{publicKey: {{{NEW}}}}})",
    "to make one that is found": f"create({{publicKey: {{{NEW}, authenticatorSelection: {{residentKey: 'required'}}}}}})",
    "to register a key": f"create({{publicKey: {{{NEW}, authenticatorSelection: {{userVerification: 'discouraged'}}}}}})",
}
PLATFORM = f"create({{publicKey: {{{NEW}, authenticatorSelection: {{authenticatorAttachment: 'platform'}}}}}})"
"""Asks for a passkey of the computer itself although it was told that there is no such thing."""
ALLOWED = "publickey-credentials-get *; publickey-credentials-create *"


def refusal(ceremony: str) -> str:
    return f"navigator.credentials.{ceremony}.then(() => 'done', (error) => error.name)"


@pytest.mark.parametrize("kind", CEREMONIES)
async def test_a_ceremony_is_refused(page: Any, server: Any, kind: str) -> None:
    await page.goto(server.page(BUTTON).replace("127.0.0.1", "localhost"))
    async with asyncio.timeout(10):  # the page's own limit is five minutes
        assert await page.evaluate(refusal(CEREMONIES[kind])) == "NotAllowedError"


async def test_pages_are_told_that_there_is_no_authenticator(page: Any, server: Any) -> None:
    await page.goto(server.page(BUTTON).replace("127.0.0.1", "localhost"))
    assert (
        await page.evaluate("""(async () => {
        const told = await PublicKeyCredential.getClientCapabilities()
        return [await PublicKeyCredential.isUserVerifyingPlatformAuthenticatorAvailable(),
            await PublicKeyCredential.isConditionalMediationAvailable(),
            told.userVerifyingPlatformAuthenticator, told.passkeyPlatformAuthenticator, told.conditionalGet,
            told.hybridTransport]})()""")
        == [False] * 6
    )


@pytest.mark.parametrize("kind", [*CEREMONIES, "of the computer"])
async def test_a_page_gets_input_while_it_waits_for_a_passkey(page: Any, server: Any, kind: str) -> None:
    ceremony = CEREMONIES.get(kind, PLATFORM)
    script = f"""<script>navigator.credentials.{ceremony}.catch(() => 0)
        word.onclick = () => {{ window.pressed = (window.pressed || 0) + 1
            navigator.credentials.{ceremony}.catch(() => 0) }}</script>"""
    await page.goto(server.page(BUTTON + script).replace("127.0.0.1", "localhost"))
    for times in (1, 2):
        await page.mouse.click(20, 20)
        assert await page.evaluate("window.pressed") == times


@pytest.mark.parametrize("host", ["localhost", "127.0.0.1"])
async def test_a_frame_is_refused_like_its_page(page: Any, server: Any, host: str) -> None:
    """A frame of another site, in a process of its own, and one of the page's site."""
    inner = f"""<script>navigator.credentials.{CEREMONIES["to use one"]}
        .catch((error) => parent.postMessage(error.name, '*'))</script>"""
    frame = server.page(inner).replace("127.0.0.1", "localhost")
    outer = f"""{BUTTON}<script>onmessage = (event) => {{ told.textContent = event.data }}
        word.onclick = () => {{ window.pressed = true }}</script><p id=told></p><iframe allow="{ALLOWED}" src="{frame}">"""
    await page.goto(server.page(outer).replace("127.0.0.1", host))
    async with asyncio.timeout(10):
        told = """new Promise((done) => { const look = () => told.textContent ? done(told.textContent)
            : setTimeout(look, 10); look() })"""
        assert await page.evaluate(told) == "NotAllowedError"
    await page.mouse.click(20, 20)
    assert await page.evaluate("window.pressed")


async def test_a_window_that_a_page_opens_is_refused_too(browser: Any, page: Any, server: Any) -> None:
    inner = f"""<script>navigator.credentials.{CEREMONIES["to use one"]}
        .catch((error) => {{ document.title = error.name }})</script>"""
    popup = server.page(inner).replace("127.0.0.1", "localhost")
    await page.goto(server.page(BUTTON + f"<script>word.onclick = () => open('{popup}')</script>"))
    await page.mouse.click(20, 20)
    assert await browser.wait_for_tabs(lambda tabs: len(tabs) == 2 and tabs[1].url == popup, timeout=10)
    opened = browser.page_of(browser.open_tabs()[1].number)
    async with asyncio.timeout(10):
        assert await opened.evaluate(refusal(CEREMONIES["to use one"])) == "NotAllowedError"
