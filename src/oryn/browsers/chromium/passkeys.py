"""Ceremonies of passkeys in a browser without a window, in which no person can take part.

Chromium would open a window for them, which gets all input for the page until it ends after minutes. A security key
that never recognises its user ends each ceremony at once, as a person does who cancels it.
https://chromedevtools.github.io/devtools-protocol/tot/WebAuthn/"""

from __future__ import annotations

from typing import TYPE_CHECKING

from oryn.browsers.cdp.feature import TargetFeature

if TYPE_CHECKING:
    from oryn.browsers.cdp.connection import CdpSession
    from oryn.browsers.cdp.feature import InterceptedPage

_UNVERIFIED_KEY = {
    "protocol": "ctap2",
    "transport": "usb",
    "hasUserVerification": True,
    "isUserVerified": False,
}


class RefusedPasskeys(TargetFeature):
    """Refuses to make and to use passkeys: pages get `NotAllowedError`."""

    def attach(self, page: InterceptedPage, session: CdpSession) -> None:
        if session is page.channel.session:
            session.send("WebAuthn.enable", {"enableUI": False})
            session.send("WebAuthn.addVirtualAuthenticator", {"options": _UNVERIFIED_KEY})
