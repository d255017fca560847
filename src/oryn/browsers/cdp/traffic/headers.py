"""Extra headers: of every request, of those to a domain, and of one navigation. Pure.

Those of every request are the browser's own business (`Network.setExtraHTTPHeaders`); the others need each request to
be stopped and sent on with them.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from urllib.parse import SplitResult, urlsplit

Origin = tuple[str, str]


def covers(domain: str, url: str) -> bool:
    """Whether a URL's host is `domain` or below it; a domain with a port is for that port alone."""
    parts = urlsplit(url)
    place = parts.netloc.rpartition("@")[2] if _has_port(domain) else _host(parts)
    return place == domain or place.endswith(f".{domain}")


def _has_port(domain: str) -> bool:
    return domain.rpartition(":")[2].isdigit() and not domain.endswith("]")


def _host(parts: SplitResult) -> str:
    host = (parts.hostname or "").lower()
    return f"[{host}]" if ":" in host else host


def url_patterns(domain: str) -> Iterator[str]:
    """Patterns of the Fetch domain that hold all URLs which `covers` may."""
    for host in (domain, f"*.{domain}"):
        yield f"*://{host}/*"
        if not _has_port(domain):
            yield f"*://{host}:*"


def origin_of(url: str) -> Origin:
    parts = urlsplit(url)
    return parts.scheme, parts.netloc


def merged(present: Mapping[str, str], *wanted: Mapping[str, str]) -> dict[str, str]:
    """Headers with others in their place, the last given winning; names have no case."""
    found = dict(present)
    for headers in wanted:
        replaced = {name.lower() for name in headers}
        found = {name: value for name, value in found.items() if name.lower() not in replaced} | dict(headers)
    return found
