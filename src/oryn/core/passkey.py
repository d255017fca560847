"""A passkey, and the interface by which a browser gets and keeps those of its session. `oryn.vault` stores them.

https://www.w3.org/TR/webauthn-3/"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Protocol

from oryn.core.records import Record


class Passkey(Record):
    """One public key credential with its private key.

    Its id, key and user handle are in base64, as in the DevTools protocol; the key is PKCS#8 in DER."""

    id: str
    relying_party: str
    """The domain that it is for: pages there and below it may use it, whatever their port."""
    private_key: str
    sign_count: int = 0
    """How often it has signed: a relying party refuses a lower number than the last, as that of a copy."""
    resident: bool = True
    """Whether it is found without its id (a discoverable credential)."""
    user_handle: str = ""
    user_name: str = ""
    display_name: str = ""

    def __repr__(self) -> str:
        return f"Passkey({self.id!r}, {self.relying_party!r})"


PasskeyListener = Callable[[Passkey], object]


class PasskeyStore(Protocol):
    """Passkeys that the sessions of a host share. Those of other relying parties than its own are kept, but not used.

    The browser of each session opens it before its first tab."""

    async def open(self, user: object) -> None:
        """Load the passkeys, on behalf of `user`, who must call `close` later. Idempotent.

        Raises `SecretNotFound`, `PasskeysInUse`, `VaultKeyWrong`."""

    async def close(self, user: object) -> None:
        """Return once everything is stored. Idempotent."""

    def usable(self) -> Iterable[Passkey]:
        """The passkeys that pages may use."""

    def add(self, passkey: Passkey, source: PasskeyListener, note: Callable[[str], object]) -> None:
        """Keep a passkey that a page has made. Calls the other listeners, and `note` with notes for the agent."""

    def count(self, id: str, sign_count: int, source: PasskeyListener) -> None:
        """Keep the number of signatures of a passkey that has signed. Calls the other listeners."""

    def subscribe(self, listener: PasskeyListener) -> None:
        """Call `listener` with each passkey that is new, or has signed, elsewhere. It ends with `unsubscribe`."""

    def unsubscribe(self, listener: PasskeyListener) -> None:
        """Idempotent."""
