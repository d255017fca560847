"""`CookiePlaces`: where cookies may be, because the requests of a session went there."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING, Any
from urllib.parse import quote, urlsplit

from oryn.browsers.common.target_feature import TargetFeature
from oryn.browsers.webkit.session import WebKitSession

if TYPE_CHECKING:
    from oryn.browsers.common.target_feature import InterceptedTarget

MAX_HOSTS = 1000
MAX_PLACES = 100
"""Maximum number of paths of a host that are looked at; the latest are kept."""


class CookiePlaces(TargetFeature[WebKitSession]):
    """Where cookies may be: the hosts, and the paths on them, that the session's requests went to."""

    def __init__(self) -> None:
        self._places: dict[str, dict[str, None]] = {}

    def attach(self, page: InterceptedTarget[WebKitSession], session: WebKitSession) -> None:
        session.on("Network.requestWillBeSent", self._on_request)
        session.on("Network.responseReceived", lambda event: self._on_response(event["response"]))

    def _on_request(self, event: dict[str, Any]) -> None:
        self.note(event["request"]["url"], is_document=event.get("type") == "Document")
        if (redirect := event.get("redirectResponse")) is not None:
            self._on_response(redirect)

    def _on_response(self, response: dict[str, Any]) -> None:
        host = host_of(response.get("url", ""))
        for name, value in response.get("headers", {}).items():
            if host and name.lower() == "set-cookie":
                for path in _paths(value):
                    self.add(host, path)

    def note(self, url: str, *, is_document: bool = False) -> None:
        """A request went to `url`. Scripts of a document may set cookies for its own path too."""
        if (host := host_of(url)) is not None:
            path = urlsplit(url).path
            self.add(host, path if is_document else path.rpartition("/")[0])

    def add(self, host: str, path: str) -> None:
        """There may be cookies for `path` of `host`, and for the paths above it."""
        paths = self._places[host] = self._places.pop(host, {})
        paths.pop(path, None)
        paths[path] = None
        if len(paths) > MAX_PLACES:
            del paths[next(iter(paths))]
        if len(self._places) > MAX_HOSTS:
            del self._places[next(iter(self._places))]

    def urls(self) -> list[str]:
        """An address for each of the places, which shows the cookies of the paths above it too."""
        return [url_of(host, path) for host, paths in self._places.items() for path in paths]


def host_of(url: str) -> str | None:
    """The host of an http or https URL, as cookies name it; None for another URL."""
    try:
        parts = urlsplit(url)
        return parts.hostname if parts.scheme in ("http", "https", "ws", "wss") else None
    except ValueError:
        return None


def url_of(host: str, path: str = "/") -> str:
    """An address at which the cookies of a host are seen, secure ones too, whatever its port."""
    return f"https://{f'[{host}]' if ':' in host else host}{quote(path, safe='/%:@!$&()*+,;=~') or '/'}"


def _paths(header: str) -> Iterable[str]:
    """The paths that a `Set-Cookie` header names; the browser joins several into one."""
    for attribute in header.replace(",", ";").split(";"):
        name, _, value = attribute.strip().partition("=")
        if name.strip().lower() == "path" and value.startswith("/"):
            yield value.strip()
