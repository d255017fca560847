"""A site with accounts that are signed in to with passkeys, or with a password, whose server verifies them with the
package `webauthn`: sign-up, sign-in by a button, by autofill and on load."""

from __future__ import annotations

import json
import secrets
from collections.abc import Callable
from http.server import BaseHTTPRequestHandler
from typing import Any

import webauthn
from webauthn.helpers import bytes_to_base64url
from webauthn.helpers.structs import (
    AuthenticatorSelectionCriteria,
    PublicKeyCredentialDescriptor,
    ResidentKeyRequirement,
)

DOMAIN = "localhost"

SCRIPT = """<script>
async function call(path, body) {
    const answer = await fetch(path, {method: 'POST', body: JSON.stringify(body)})
    return answer.json()
}
async function signUp(user, options = {}) {
    const given = await call('/register/options', {user, ...options})
    try {
        const made = await navigator.credentials.create(
            {publicKey: PublicKeyCredential.parseCreationOptionsFromJSON(given)})
        told.textContent = (await call('/register', {user, made: made.toJSON()})).told
    } catch (error) { told.textContent = 'no passkey: ' + error.name }
}
async function signIn(user, mediation) {
    const given = await call('/login/options', {user})
    try {
        const used = await navigator.credentials.get(
            {mediation, publicKey: PublicKeyCredential.parseRequestOptionsFromJSON(given)})
        told.textContent = (await call('/login', {challenge: given.challenge, used: used.toJSON()})).told
    } catch (error) { told.textContent = 'no passkey: ' + error.name }
}
</script>"""

HOME = f"""<title>Shop</title>{SCRIPT}
<label>User <input id=user autocomplete="username webauthn"></label>
<button onclick="signUp(user.value)">Sign up</button>
<button onclick="signUp(user.value, {{discoverable: false}})">Sign up without discovery</button>
<button onclick="signIn('')">Sign in with a passkey</button>
<button onclick="signIn(user.value)">Sign in as this user</button>
<p id=told></p>"""

PAGES = {
    "/": HOME,
    "/at-once": f"<title>Shop</title>{SCRIPT}<p id=told></p><button>Use a password</button><script>signIn('')</script>",
    "/autofill": f"""<title>Shop</title>{SCRIPT}<label>User <input autocomplete="username webauthn"></label>
        <p id=told></p><script>signIn('', 'conditional')</script>""",
}


class RelyingParty:
    """The accounts of the site, by user, and its pages and answers as values of `tests.headless.conftest.Pages`."""

    def __init__(self, origin: Callable[[], str]) -> None:
        self._origin = origin
        self.accounts: dict[str, dict[bytes, Any]] = {}
        """By user and id of the credential, its public key and the last number of signatures."""
        self._challenges: dict[str, bytes] = {}
        self.logins: list[str] = []
        """The users who have signed in, in order."""

    def pages(self) -> dict[str, Any]:
        """What a server answers, by path."""
        calls = {
            "/register/options": self._register_options,
            "/register": self._register,
            "/login/options": self._login_options,
            "/login": self._login,
        }

        def answering(call: Callable[[Any], Any]) -> Callable[[BaseHTTPRequestHandler], Any]:
            def answer(request: BaseHTTPRequestHandler) -> Any:
                body = json.loads(request.rfile.read(int(request.headers["Content-Length"])))
                return 200, {"Content-Type": "application/json"}, json.dumps(call(body))

            return answer

        return PAGES | {path: answering(call) for path, call in calls.items()}

    def _register_options(self, body: dict[str, Any]) -> Any:
        user = body["user"]
        key = "required" if body.get("discoverable", True) else "discouraged"
        options = webauthn.generate_registration_options(
            rp_id=DOMAIN,
            rp_name="Shop",
            user_name=user,
            user_id=user.encode(),
            exclude_credentials=[PublicKeyCredentialDescriptor(id=each) for each in self.accounts.get(user, {})],
            authenticator_selection=AuthenticatorSelectionCriteria(resident_key=ResidentKeyRequirement(key)),
        )
        self._challenges[user] = options.challenge
        return json.loads(webauthn.options_to_json(options))

    def _register(self, body: dict[str, Any]) -> Any:
        user = body["user"]
        made = webauthn.verify_registration_response(
            credential=body["made"],
            expected_challenge=self._challenges.pop(user),
            expected_rp_id=DOMAIN,
            expected_origin=self._origin(),
            require_user_verification=True,
        )
        self.accounts.setdefault(user, {})[made.credential_id] = [made.credential_public_key, made.sign_count]
        return {"told": f"Welcome, {user}"}

    def _login_options(self, body: dict[str, Any]) -> Any:
        known = self.accounts.get(body["user"], {})
        options = webauthn.generate_authentication_options(
            rp_id=DOMAIN,
            challenge=secrets.token_bytes(32),
            allow_credentials=[PublicKeyCredentialDescriptor(id=each) for each in known],
        )
        self._challenges[bytes_to_base64url(options.challenge)] = options.challenge
        return json.loads(webauthn.options_to_json(options))

    def _login(self, body: dict[str, Any]) -> Any:
        used = webauthn.base64url_to_bytes(body["used"]["id"])
        user = next(user for user, keys in self.accounts.items() if used in keys)
        key = self.accounts[user][used]
        try:
            verified = webauthn.verify_authentication_response(
                credential=body["used"],
                expected_challenge=self._challenges.pop(body["challenge"]),
                expected_rp_id=DOMAIN,
                expected_origin=self._origin(),
                credential_public_key=key[0],
                credential_current_sign_count=key[1],
                require_user_verification=True,
            )
        except webauthn.helpers.exceptions.InvalidAuthenticationResponse as error:
            return {"told": f"refused: {error}"}
        key[1] = verified.new_sign_count
        self.logins.append(user)
        return {"told": f"Hello, {user}"}
