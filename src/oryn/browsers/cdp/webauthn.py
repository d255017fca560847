"""Passkeys of a session's pages, by virtual authenticators of the browser.

Each tab has its own; the frames of the tab use it too, those in processes of their own as well. The browser itself sees
to it that only pages of a passkey's relying party can use it, and that no page can read its private key.
https://chromedevtools.github.io/devtools-protocol/tot/WebAuthn/"""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from functools import partial
from typing import TYPE_CHECKING, Any

from oryn.browsers.cdp.connection import SIBLING_ENDED, CdpSession
from oryn.browsers.cdp.feature import CdpTarget, TargetFeature
from oryn.core.passkey import Passkey

if TYPE_CHECKING:
    from oryn.browsers.common.protocol_session import Answer
    from oryn.core.passkey import PasskeyListener, PasskeyStore

_UNVERIFIED_KEY = {"protocol": "ctap2", "transport": "usb", "hasUserVerification": True, "isUserVerified": False}
_VERIFIED_PLATFORM = {
    "protocol": "ctap2",
    "transport": "internal",
    "hasResidentKey": True,
    "hasUserVerification": True,
    "isUserVerified": True,
    "automaticPresenceSimulation": True,
}


def _add_authenticator(session: CdpSession, options: dict[str, Any]) -> asyncio.Future[Answer]:
    session.send("WebAuthn.enable", {"enableUI": False})
    return session.send("WebAuthn.addVirtualAuthenticator", {"options": options})


class RefusedPasskeys(TargetFeature):
    """Refuses to make and to use passkeys where no person can take part: pages get `NotAllowedError`.

    Chromium would open a window for the ceremony, which gets all input for the page until it ends after minutes, even
    where no window is seen. A security key that never recognises its user ends each ceremony at once, as a person does
    who cancels it; as it is no part of the computer, pages are told that the computer has no authenticator."""

    def attach(self, page: CdpTarget, session: CdpSession) -> None:
        if session is page.channel.session:
            session.on(SIBLING_ENDED, lambda _: _add_authenticator(session, _UNVERIFIED_KEY))
            _add_authenticator(session, _UNVERIFIED_KEY)


class VirtualAuthenticators(TargetFeature):
    """Makes and uses passkeys at once, without asking: each tab has an authenticator with those of `store`.

    note: called with a note for the agent when a page has made a passkey."""

    def __init__(self, store: PasskeyStore, note: Callable[[str], object]) -> None:
        self._store = store
        self._note = note
        self._listeners: dict[CdpSession, PasskeyListener] = {}
        """By the session of each tab, what gives its authenticator a passkey that was made or used elsewhere."""

    def attach(self, page: CdpTarget, session: CdpSession) -> None:
        if session is page.channel.session:
            session.on("WebAuthn.credentialAdded", partial(self._on_added, session))
            session.on("WebAuthn.credentialAsserted", partial(self._on_asserted, session))
            session.on(SIBLING_ENDED, lambda _: self._add(session))
            self._add(session)

    def detach(self, page: CdpTarget, session: CdpSession) -> None:
        if (listener := self._listeners.pop(session, None)) is not None:
            self._store.unsubscribe(listener)

    def _add(self, session: CdpSession) -> None:
        _add_authenticator(session, _VERIFIED_PLATFORM).add_done_callback(partial(self._fill, session))

    def _fill(self, session: CdpSession, added: asyncio.Future[Answer]) -> None:
        """Put the passkeys into a new authenticator, which takes the place of an earlier one of its tab."""
        if added.cancelled() or added.exception() is not None:
            return  # the tab is gone
        authenticator = added.result()
        if (earlier := self._listeners.get(session)) is not None:
            self._store.unsubscribe(earlier)
        listener = partial(_replace_credential, session, authenticator["authenticatorId"])
        self._listeners[session] = listener
        self._store.subscribe(listener)
        for passkey in self._store.usable():
            session.send("WebAuthn.addCredential", {**authenticator, "credential": _to_credential(passkey)})

    def _on_added(self, session: CdpSession, event: dict[str, Any]) -> None:
        passkey = _from_credential(event["credential"])
        self._store.add(passkey, self._listeners[session], self._note)
        if passkey.id not in {each.id for each in self._store.usable()}:
            params = {"authenticatorId": event["authenticatorId"], "credentialId": passkey.id}
            session.send("WebAuthn.removeCredential", params)

    def _on_asserted(self, session: CdpSession, event: dict[str, Any]) -> None:
        credential = event["credential"]
        self._store.count(credential["credentialId"], credential["signCount"], self._listeners[session])


def _replace_credential(session: CdpSession, authenticator: str, passkey: Passkey) -> None:
    """Put a passkey into an authenticator, in place of one with another number of signatures."""
    session.send("WebAuthn.removeCredential", {"authenticatorId": authenticator, "credentialId": passkey.id})
    session.send("WebAuthn.addCredential", {"authenticatorId": authenticator, "credential": _to_credential(passkey)})


def _to_credential(passkey: Passkey) -> dict[str, Any]:
    credential = {
        "credentialId": passkey.id,
        "isResidentCredential": passkey.resident,
        "rpId": passkey.relying_party,
        "privateKey": passkey.private_key,
        "signCount": passkey.sign_count,
    }
    user = {"userHandle": passkey.user_handle, "userName": passkey.user_name, "userDisplayName": passkey.display_name}
    return credential | {name: value for name, value in user.items() if value}


def _from_credential(credential: dict[str, Any]) -> Passkey:
    return Passkey(
        credential["credentialId"],
        credential.get("rpId", ""),
        credential["privateKey"],
        credential["signCount"],
        credential["isResidentCredential"],
        credential.get("userHandle", ""),
        credential.get("userName", ""),
        credential.get("userDisplayName", ""),
    )
