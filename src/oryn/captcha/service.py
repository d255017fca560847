"""`Service`: asks for a captcha's answer and waits for it.

The key is sent to the service alone and stands in no error. Requests go by the standard library, in a thread: they are
a handful, and a client library would be one more thing to install.
"""

from __future__ import annotations

import asyncio
import json
import urllib.error
import urllib.request
from collections.abc import Awaitable, Callable, Mapping
from typing import Any

from oryn.captcha.tasks import address_of, name_of, task
from oryn.engine.captchas import Captcha
from oryn.engine.escape import quoted, shortened
from oryn.errors import CaptchaError, Timeout

PAUSE = 3.0
"""Seconds between two questions: the protocol has no event, and the services ask for this."""

REQUEST_SECONDS = 20.0
LARGEST_ANSWER = 1_000_000

_REASONS: Mapping[str, str] = {
    "ERROR_KEY_DOES_NOT_EXIST": "it does not know the key (captcha_key)",
    "ERROR_WRONG_USER_KEY": "it does not know the key (captcha_key)",
    "ERROR_KEY_DENIED_ACCESS": "it does not know the key (captcha_key)",
    "ERROR_ZERO_BALANCE": "there is no money left on its account",
    "ERROR_NO_SLOT_AVAILABLE": "it has nobody free just now",
    "ERROR_CAPTCHA_UNSOLVABLE": "it could not solve it",
    "ERROR_TASK_NOT_SUPPORTED": "it does not solve this kind",
    "ERROR_RECAPTCHA_INVALID_SITEKEY": "it takes the site key for a wrong one",
}
"""https://2captcha.com/api-docs/error-codes, and the others' likewise."""


class _NoRedirects(urllib.request.HTTPRedirectHandler):
    """The key is for one address."""

    def redirect_request(self, *_: Any) -> None:
        return None


class Service:
    """`service` is a name of `tasks.ADDRESSES`, or an address with the same protocol. `key` gives the key when it is
    needed, for it may be in the vault."""

    def __init__(self, service: str, key: Callable[[], Awaitable[str]], *, pause: float | None = None) -> None:
        self._service = service
        self._name = name_of(service)
        self._key = key
        self._pause = PAUSE if pause is None else pause
        self._opener = urllib.request.build_opener(_NoRedirects)

    async def solve(self, captcha: Captcha, url: str, *, timeout: float) -> str:
        """The answer. Raises `CaptchaError`, `Timeout`, `NotSupported`, and what getting the key does."""
        wanted = task(self._service, captcha, url)
        key = await self._key()
        try:
            async with asyncio.timeout(timeout):
                told = await self._ask("createTask", key, task=wanted)
                number = told.get("taskId")
                while told.get("status") != "ready":
                    if not isinstance(number, int | str):
                        raise CaptchaError(f"{self._name} did not say which task is ours")
                    await asyncio.sleep(self._pause)
                    told = await self._ask("getTaskResult", key, taskId=number)
        except TimeoutError:
            raise Timeout(
                f"{self._name} has not solved it within {timeout:g} s", "Give more time with --timeout."
            ) from None
        return self._solution(told)

    def _solution(self, told: Mapping[str, Any]) -> str:
        solution = told.get("solution")
        found = solution if isinstance(solution, dict) else {}
        token = found.get("gRecaptchaResponse") or found.get("token")
        if not isinstance(token, str):
            raise CaptchaError(f"{self._name} gave no answer")
        return token

    async def _ask(self, method: str, key: str, **body: Any) -> dict[str, Any]:
        content = json.dumps({"clientKey": key, **body}).encode()
        try:
            told = json.loads(await asyncio.to_thread(self._post, method, content))
        except urllib.error.HTTPError as error:
            with error:
                raise CaptchaError(f"{self._name} answered HTTP {error.code}") from None
        except urllib.error.URLError as error:
            raise CaptchaError(f"{self._name} can't be reached: {error.reason}") from None
        except OSError as error:
            raise CaptchaError(f"{self._name} can't be reached: {error.strerror or error}") from None
        except ValueError:
            raise CaptchaError(f"{self._name} answered something else than JSON") from None
        if not isinstance(told, dict):
            raise CaptchaError(f"{self._name} answered something else than an object")
        if told.get("errorId"):
            raise CaptchaError(f"{self._name} refused: {_reason(told, key)}")
        return told

    def _post(self, method: str, content: bytes) -> bytes:
        request = urllib.request.Request(
            f"{address_of(self._service)}/{method}", content, {"Content-Type": "application/json"}
        )
        with self._opener.open(request, timeout=REQUEST_SECONDS) as response:
            body: bytes = response.read(LARGEST_ANSWER)
            return body


def _reason(told: Mapping[str, Any], key: str) -> str:
    code = str(told.get("errorCode", ""))
    if code in _REASONS:
        return _REASONS[code]
    said = str(told.get("errorDescription") or code or told["errorId"]).replace(key, "••••")
    return quoted(shortened(said, 200))
