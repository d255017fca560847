"""`CaptchaServiceSolver`: requests a captcha's solution from a service, and polls for it.

https://2captcha.com/api-docs, https://anti-captcha.com/apidoc, https://docs.capsolver.com: one protocol, `createTask`
and `getTaskResult`, and nearly one list of tasks.

The key is sent only to the service, and no error contains it. Requests use the standard library, in a thread. There are
only a few, so they don't justify another dependency."""

from __future__ import annotations

import asyncio
import json
import urllib.error
import urllib.request
from collections.abc import Awaitable, Callable, Mapping
from typing import Any
from urllib.parse import urlsplit

from oryn.core.text_safety import quoted, shortened
from oryn.engine.page.captcha import PageCaptcha
from oryn.errors import CaptchaError, NotSupported, Timeout

ADDRESSES: Mapping[str, str] = {
    "2captcha": "https://api.2captcha.com",
    "anticaptcha": "https://api.anti-captcha.com",
    "capsolver": "https://api.capsolver.com",
}

_TASKS: Mapping[str, str] = {
    "recaptcha v2": "RecaptchaV2TaskProxyless",
    "recaptcha v2 enterprise": "RecaptchaV2EnterpriseTaskProxyless",
    "hcaptcha": "HCaptchaTaskProxyless",
    "turnstile": "TurnstileTaskProxyless",
    "funcaptcha": "FunCaptchaTaskProxyless",
    "friendly captcha": "FriendlyCaptchaTaskProxyless",
}
_CAPSOLVER_TASKS: Mapping[str, str] = {
    "recaptcha v2": "ReCaptchaV2TaskProxyLess",
    "recaptcha v2 enterprise": "ReCaptchaV2EnterpriseTaskProxyLess",
    "hcaptcha": "HCaptchaTaskProxyLess",
    "turnstile": "AntiTurnstileTaskProxyLess",
    "funcaptcha": "FunCaptchaTaskProxyLess",
}


def service_url(service: str) -> str:
    """Return the URL of a service: that of a known service name, or `service` itself, the URL of one with the same
    protocol."""
    return ADDRESSES.get(service, service.rstrip("/"))


def service_name(service: str) -> str:
    """Return the name of a service in answers."""
    return service if service in ADDRESSES else urlsplit(service).netloc.rpartition("@")[2]


def task_for(service: str, captcha: PageCaptcha, url: str) -> dict[str, Any]:
    """Return the service's task for a captcha on the page at `url`. Raises `NotSupported`."""
    kind = " ".join(filter(None, (captcha.kind, captcha.version, "enterprise" if captcha.enterprise else "")))
    type_ = (_CAPSOLVER_TASKS if service == "capsolver" else _TASKS).get(kind)
    if type_ is None:
        raise NotSupported(
            f"{captcha.name} can't be solved by {service_name(service)}",
            "A person can solve it: 'login' opens the page in a window.",
        )
    if captcha.sitekey is None:
        raise NotSupported(
            f"the page does not show the site key of {captcha.name}, which is needed to solve it",
            "It may not have loaded yet: run 'captcha' again, or let a person solve it: 'login'.",
        )
    key = "websitePublicKey" if captcha.kind == "funcaptcha" else "websiteKey"
    invisible = {"isInvisible": True} if captcha.invisible else {}
    return {"type": type_, "websiteURL": url, key: captcha.sitekey, **invisible}


POLL_SECONDS = 3.0
"""Seconds between two polls. The protocol has no event, and the services request this interval."""

REQUEST_SECONDS = 20.0
MAX_ANSWER_BYTES = 1_000_000

_REASONS: Mapping[str, str] = {
    "ERROR_KEY_DOES_NOT_EXIST": "it does not know the key (captcha_key)",
    "ERROR_WRONG_USER_KEY": "it does not know the key (captcha_key)",
    "ERROR_KEY_DENIED_ACCESS": "it does not know the key (captcha_key)",
    "ERROR_ZERO_BALANCE": "its account has no credit left",
    "ERROR_NO_SLOT_AVAILABLE": "it has no free workers right now",
    "ERROR_CAPTCHA_UNSOLVABLE": "it could not solve it",
    "ERROR_TASK_NOT_SUPPORTED": "it does not solve this kind",
    "ERROR_RECAPTCHA_INVALID_SITEKEY": "it takes the site key for a wrong one",
}
"""From https://2captcha.com/api-docs/error-codes; the other services use the same codes."""


class _NoRedirects(urllib.request.HTTPRedirectHandler):
    """Refuses redirects, because the key must only be sent to one origin."""

    def redirect_request(self, *_: Any) -> None:
        return None


class CaptchaServiceSolver:
    """Solves captchas with a service. `service` is a name in `ADDRESSES`, or the URL of a service with the same
    protocol. `key` returns the key when it is needed, because it may be in the vault. `pause` is the time between two
    polls in seconds."""

    def __init__(self, service: str, key: Callable[[], Awaitable[str]], *, pause: float | None = None) -> None:
        self._service = service
        self._name = service_name(service)
        self._key = key
        self._pause = POLL_SECONDS if pause is None else pause
        self._opener = urllib.request.build_opener(_NoRedirects)

    async def solve(self, captcha: PageCaptcha, url: str, *, timeout: float) -> str:
        """Return the captcha's answer. `timeout` is in seconds. Raises `CaptchaError`, `Timeout`, `NotSupported`, and
        the errors of `key`."""
        wanted = task_for(self._service, captcha, url)
        key = await self._key()
        try:
            async with asyncio.timeout(timeout):
                response = await self._request("createTask", key, task=wanted)
                number = response.get("taskId")
                while response.get("status") != "ready":
                    if not isinstance(number, int | str):
                        raise CaptchaError(f"{self._name} did not say which task is ours")
                    await asyncio.sleep(self._pause)
                    response = await self._request("getTaskResult", key, taskId=number)
        except TimeoutError:
            raise Timeout(
                f"{self._name} has not solved it within {timeout:g} s", "Give more time with --timeout."
            ) from None
        return self._solution(response)

    def _solution(self, response: Mapping[str, Any]) -> str:
        solution = response.get("solution")
        found = solution if isinstance(solution, dict) else {}
        token = found.get("gRecaptchaResponse") or found.get("token")
        if not isinstance(token, str):
            raise CaptchaError(f"{self._name} gave no answer")
        return token

    async def _request(self, method: str, key: str, **body: Any) -> dict[str, Any]:
        content = json.dumps({"clientKey": key, **body}).encode()
        try:
            response = json.loads(await asyncio.to_thread(self._post, method, content))
        except urllib.error.HTTPError as error:
            with error:
                raise CaptchaError(f"{self._name} answered HTTP {error.code}") from None
        except urllib.error.URLError as error:
            raise CaptchaError(f"{self._name} can't be reached: {error.reason}") from None
        except OSError as error:
            raise CaptchaError(f"{self._name} can't be reached: {error.strerror or error}") from None
        except ValueError:
            raise CaptchaError(f"{self._name} answered something else than JSON") from None
        if not isinstance(response, dict):
            raise CaptchaError(f"{self._name} answered something else than an object")
        if response.get("errorId"):
            raise CaptchaError(f"{self._name} refused: {_reason(response, key)}")
        return response

    def _post(self, method: str, content: bytes) -> bytes:
        request = urllib.request.Request(
            f"{service_url(self._service)}/{method}", content, {"Content-Type": "application/json"}
        )
        with self._opener.open(request, timeout=REQUEST_SECONDS) as response:
            body: bytes = response.read(MAX_ANSWER_BYTES)
            return body


def _reason(response: Mapping[str, Any], key: str) -> str:
    code = str(response.get("errorCode", ""))
    if code in _REASONS:
        return _REASONS[code]
    said = str(response.get("errorDescription") or code or response["errorId"]).replace(key, "••••")
    return quoted(shortened(said, 200))
