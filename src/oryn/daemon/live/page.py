"""The live page at `/`: serves its files, and logs browsers in (`oryn open`)."""

from __future__ import annotations

import hashlib
from functools import cache
from importlib.resources import files
from typing import TYPE_CHECKING

from starlette.responses import HTMLResponse, JSONResponse, RedirectResponse, Response
from starlette.routing import BaseRoute, Route

from oryn.core.html_document import DOCUMENT_END, STYLESHEET, document_head, document_style, style_source, stylesheet
from oryn.daemon.access.hosts import is_loopback
from oryn.daemon.access.principals import principal_of
from oryn.daemon.access.proxies import origin_in
from oryn.daemon.live.login_links import (
    BROWSER_LOGIN_SECONDS,
    CODE_SECONDS,
    FILES_PATH,
    KEY_PATH,
    LINK_PATH,
    OneTimeLinks,
    belongs_to_other_user,
    cookie_name,
)
from oryn.daemon.protocol import DOCUMENT_POLICY, LoginLink
from oryn.errors import NoSuchAddress, Unauthorized

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from starlette.requests import Request

_TYPES = {"html": "text/html", "css": "text/css", "js": "text/javascript", "svg": "image/svg+xml"}

SECURITY_HEADERS = {
    "Cross-Origin-Resource-Policy": "same-origin",
    "Referrer-Policy": "no-referrer",
    "X-Content-Type-Options": "nosniff",
}
"""Headers of all responses to the page: no other site may embed or read them."""

_PAGE_POLICY = (
    f"{DOCUMENT_POLICY}; script-src 'self'; style-src 'self'; connect-src 'self'; img-src 'self' blob:; "
    "require-trusted-types-for 'script'; trusted-types 'none'"
)

_LOGIN_STYLE = """
body { padding-top: 18vh; }
code { padding: 0.15em 0.4em; border-radius: 0.35em; background: var(--sunk); }
"""
_LOGIN_PAGE = f"""{document_head("Oryn", _LOGIN_STYLE)}<main><h1>Oryn</h1>
<p>To see this daemon's sessions, run <code>oryn open</code> in a terminal.</p>
<p>It opens this page by a link that is valid once, for {CODE_SECONDS:g} seconds.</p></main>
{DOCUMENT_END}"""
_LOGIN_PAGE_POLICY = f"{DOCUMENT_POLICY}; style-src {style_source(document_style(_LOGIN_STYLE))}"


@cache
def _files() -> Mapping[str, tuple[bytes, str]]:
    """The page's files by name, each with its ETag."""
    folder = files("oryn.daemon.live") / "static"
    contents = {file.name: file.read_bytes() for file in folder.iterdir() if file.name.rpartition(".")[2] in _TYPES}
    contents[STYLESHEET] = stylesheet().encode()
    return {name: (data, f'"{hashlib.sha256(data).hexdigest()[:32]}"') for name, data in contents.items()}


def page_routes(login_links: OneTimeLinks, address: Callable[[], str]) -> list[BaseRoute]:
    """The routes of the live page and its files, and of the links that log a browser in.

    They lead to `address()` on this computer or, if another name was used for the daemon, to that name."""

    async def page(request: Request) -> Response:
        if (code := request.query_params.get("code")) is not None:
            # The code is an argument of the browser's command line, which other users of this computer can read.
            return _redeemed(request, None if belongs_to_other_user(request) else login_links.redeem(code))
        if login_links.is_logged_in(request):
            return _file(request, "index.html")
        return _login_page()

    async def file(request: Request) -> Response:
        return _file(request, request.path_params["name"])

    async def link(request: Request) -> Response:
        origin = origin_in(request.scope)
        base = address() if is_loopback(origin.host) else f"{origin.scheme}://{origin.host}"
        url = f"{base}/?code={login_links.create_code(principal_of(request.scope))}"
        login_link = LoginLink(url=url, seconds=CODE_SECONDS)
        return JSONResponse(login_link.model_dump(), headers={**SECURITY_HEADERS, "Cache-Control": "no-store"})

    async def key(request: Request) -> Response:
        key = login_links.issue_key(request)
        if key is None:
            raise Unauthorized(
                "this browser already has a key, or did not come from an 'oryn open' link", "Run 'oryn open' again."
            )
        return JSONResponse({"key": key}, headers={**SECURITY_HEADERS, "Cache-Control": "no-store"})

    return [
        Route("/", page),
        Route(KEY_PATH, key, methods=["POST"]),
        Route(f"{FILES_PATH}{{name}}", file),
        Route(LINK_PATH, link, methods=["POST"]),
    ]


def _redeemed(request: Request, cookie: str | None) -> Response:
    """Redirect to the page itself, so that neither the address nor the browser's history contains the code."""
    if cookie is None:
        return _login_page()
    headers = {**SECURITY_HEADERS, "Cache-Control": "no-store"}
    if request.headers.get("sec-fetch-site") == "cross-site":
        # A link in another site's page: the redirected request would count as that site's, and be sent without the
        # cookie.
        response = Response(headers={**headers, "Refresh": "0; url=/"}, media_type="text/html")
    else:
        response = RedirectResponse("/", 303, headers=headers)
    response.set_cookie(
        cookie_name(request),
        cookie,
        max_age=int(BROWSER_LOGIN_SECONDS),
        path="/",
        secure=origin_in(request.scope).scheme == "https",
        httponly=True,
        samesite="strict",
    )
    return response


def _login_page() -> Response:
    """The page for browsers that are not logged in."""
    headers = {**SECURITY_HEADERS, "Cache-Control": "no-store", "Content-Security-Policy": _LOGIN_PAGE_POLICY}
    return HTMLResponse(_LOGIN_PAGE, 401, headers={**headers, "WWW-Authenticate": "Bearer"})


def _file(request: Request, name: str) -> Response:
    found = _files().get(name)
    if found is None:
        raise NoSuchAddress(f"there is no file {name[:80]!r}")
    data, tag = found
    headers = {
        **SECURITY_HEADERS,
        "Cache-Control": "no-cache",
        "ETag": tag,
        "Cross-Origin-Opener-Policy": "same-origin",
    }
    if tag in request.headers.get("if-none-match", ""):
        return Response(status_code=304, headers=headers)
    headers["Content-Security-Policy"] = _PAGE_POLICY
    return Response(data, media_type=_TYPES[name.rpartition(".")[2]], headers=headers)
