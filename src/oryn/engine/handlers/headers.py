"""`headers …`: extra headers of every request, or of those to one domain."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import TYPE_CHECKING

from oryn.core.text_safety import plain, quoted
from oryn.core.urls import clean_domain
from oryn.engine.handlers.registry import handles
from oryn.engine.output.answer import Answer
from oryn.errors import InvalidValue
from oryn.language import VAULT_REFERENCE, HeadersClear, HeadersSet, HeadersShow

if TYPE_CHECKING:
    from oryn.engine.session import Session

# https://www.rfc-editor.org/rfc/rfc9110#name-field-names
_NAME = re.compile(r"[!#$%&'*+.^_`|~0-9A-Za-z-]+")
_VALUE = re.compile(r"[\t\x20-\x7e\x80-\xff]*")
# Headers that only the browser sets: they frame the request, or name its recipient.
_RESERVED = frozenset({"connection", "content-length", "host", "keep-alive", "te", "trailer", "transfer-encoding"})
_OWN = "sec-oryn-"
"""Headers with which a person speaks to the daemon: no page may send them, and none is made to."""


@handles(HeadersShow)
async def headers_show(session: Session, command: HeadersShow) -> Answer:
    every = session.browser.network.headers
    domain = None if command.domain is None else clean_domain(command.domain)
    wanted = every if domain is None else {domain: every.get(domain, {})}
    lines = [
        f"{plain(name)}: {quoted(value)}{f' for {plain(domain)}' if domain else ''}"
        for domain, headers in wanted.items()
        for name, value in headers.items()
    ]
    data = {domain or "*": dict(headers) for domain, headers in wanted.items()}
    return Answer(lines=lines or ["none"], data=data)


@handles(HeadersSet)
async def headers_set(session: Session, command: HeadersSet) -> Answer:
    headers, domain = command.headers, command.domain and clean_domain(command.domain)
    if any(map(VAULT_REFERENCE.search, headers.values())):
        headers = {name: await session.secrets.for_domain(value, domain) for name, value in headers.items()}
    check_headers(headers)
    await session.browser.network.set_headers(headers, domain or "")
    return Answer()


@handles(HeadersClear)
async def headers_clear(session: Session, command: HeadersClear) -> Answer:
    network = session.browser.network
    domains = list(network.headers) if command.domain is None else [command.domain]
    for domain in domains:
        await network.set_headers({}, domain)
    return Answer()


def check_headers(headers: Mapping[str, str]) -> None:
    """Raise `InvalidValue` if a request can't have a name or a value."""
    for name, value in headers.items():
        if not _NAME.fullmatch(name):
            raise InvalidValue(f"not the name of a header: {quoted(name)}", "Letters, digits and -, such as X-Key.")
        if name.lower() in _RESERVED or name.lower().startswith(_OWN):
            raise InvalidValue(f"the browser alone sets the header {plain(name)}", "Leave it out.")
        if not _VALUE.fullmatch(value):
            raise InvalidValue(f"not the value of a header: {plain(name)}", "One line, in Latin letters.")
