"""Ceremonies of passkeys end at once in a browser without a window, and the page goes on getting input."""

from __future__ import annotations

from typing import Any

import pytest

pytestmark = [pytest.mark.browser, pytest.mark.whole_browser]

PAGE = "<button id=word style='position:fixed;inset:0 auto auto 0;width:99px;height:40px'>Use a password</button>"
PARTS = "challenge: new Uint8Array(32), timeout: 300000"
NEW = f"""{PARTS}, rp: {{name: 'Shop'}}, user: {{id: new Uint8Array(8), name: 'ada', displayName: 'Ada'}},
    pubKeyCredParams: [{{type: 'public-key', alg: -7}}]"""
CEREMONIES = {
    "to use one": f"get({{publicKey: {{{PARTS}}}}})",
    "to use a known one": f"""get({{publicKey: {{{PARTS},
        allowCredentials: [{{type: 'public-key', id: new Uint8Array(16)}}]}}}})""",
    "to make one": f"create({{publicKey: {{{NEW}}}}})",
    "to register a key": f"create({{publicKey: {{{NEW}, authenticatorSelection: {{userVerification: 'discouraged'}}}}}})",
}


@pytest.mark.parametrize("kind", CEREMONIES)
async def test_a_ceremony_is_refused(page: Any, server: Any, kind: str) -> None:
    inner = server.page(PAGE).replace("127.0.0.1", "localhost")
    await page.goto(inner)
    refusal = f"navigator.credentials.{CEREMONIES[kind]}.then(() => 'done', (error) => error.name)"
    assert await page.evaluate(refusal) == "NotAllowedError"


async def test_a_page_gets_input_while_it_waits_for_a_passkey(page: Any, server: Any) -> None:
    await page.goto(server.page(PAGE).replace("127.0.0.1", "localhost"))
    await page.evaluate(f"""(() => {{ word.onclick = () => {{ window.pressed = true }};
        navigator.credentials.create({{publicKey: {{{NEW},
            authenticatorSelection: {{authenticatorAttachment: 'platform'}}}}}}) }})()""")
    await page.mouse.click(20, 20)
    assert await page.evaluate("window.pressed")
    assert not await page.evaluate("PublicKeyCredential.isUserVerifyingPlatformAuthenticatorAvailable()")
