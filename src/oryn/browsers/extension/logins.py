"""Logins for servers that ask for one (HTTP authentication). The browser asks its extensions, before it asks its user.

https://developer.chrome.com/docs/extensions/reference/api/webRequest#event-onAuthRequired
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit

if TYPE_CHECKING:
    from oryn.browsers.base.network import Login
    from oryn.extension.bridge import Bridge

ASKED = "webRequest.onAuthRequired"
MOST_ASKED = 1000
_ALL = {"urls": ["<all_urls>"]}


class Logins:
    """One session's. `has` says whether a tab (the browser's id) is the session's."""

    def __init__(self, bridge: Bridge, has: Callable[[int], bool]) -> None:
        self._bridge = bridge
        self._has = has
        self._login: Login | None = None
        self._answered: dict[str, None] = {}
        """Requests that were answered with a login before."""

    def set(self, login: Login | None) -> None:
        """Answer with `login` from now on; with None nobody is answered, and nothing is listened to."""
        if login is not None and self._login is None:
            self._bridge.answer(ASKED, self._asked, _ALL, ["asyncBlocking"])
        elif login is None and self._login is not None:
            self._bridge.unanswer(ASKED, self._asked)
        self._login = login

    def _asked(self, about: dict[str, Any]) -> dict[str, Any] | None:
        """What the browser is to do; None leaves it to its user."""
        login = self._login
        if login is None or about.get("isProxy") or not self._has(about["tabId"]):
            return None
        if about["requestId"] in self._answered or not _is_for(login, about["url"]):
            # They were refused, or are not for this server: its answer is what the page gets.
            return {"cancel": True}
        self._answered[about["requestId"]] = None
        if len(self._answered) > MOST_ASKED:
            del self._answered[next(iter(self._answered))]
        return {"authCredentials": {"username": login.user, "password": login.password}}


def _is_for(login: Login, url: str) -> bool:
    parts = urlsplit(url)
    return not login.origins or f"{parts.scheme}://{parts.netloc.rpartition('@')[2]}".lower() in login.origins
