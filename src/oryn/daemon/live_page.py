"""The live page at `/`: its files, who gets them, and the way in (`oryn open`)."""

from __future__ import annotations

import hashlib
from functools import cache
from importlib.resources import files
from typing import TYPE_CHECKING

from starlette.responses import HTMLResponse, JSONResponse, RedirectResponse, Response
from starlette.routing import BaseRoute, Route

from oryn.daemon.links import CODE_SECONDS, FILES, KEY_PATH, LINK_PATH, VISIT_SECONDS, cookie_name
from oryn.daemon.peers import is_strangers
from oryn.daemon.protocol import Link
from oryn.errors import NoSuchAddress, Unauthorized
from oryn.html_page import END, head, style_source

if TYPE_CHECKING:
    from collections.abc import Mapping

    from starlette.requests import Request

    from oryn.daemon.daemon import Daemon

_TYPES = {"html": "text/html", "css": "text/css", "js": "text/javascript", "svg": "image/svg+xml"}

OURS = {
    "Cross-Origin-Resource-Policy": "same-origin",
    "Referrer-Policy": "no-referrer",
    "X-Content-Type-Options": "nosniff",
}
"""Headers of everything that the page asks for: no other site may show or read it."""

_POLICY = "default-src 'none'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
_PAGE_POLICY = (
    f"{_POLICY}; script-src 'self'; style-src 'self'; connect-src 'self'; img-src 'self' blob:; "
    "require-trusted-types-for 'script'; trusted-types 'none'"
)

_STYLE = (
    ":root{color-scheme:light dark}body{font:1.0625rem/1.6 system-ui,sans-serif;max-width:34rem;margin:18vh auto 0;"
    "padding:0 1.5rem}h1{font-size:1.5rem}code{font:0.95em ui-monospace,monospace;padding:.15em .4em;"
    "border-radius:.35em;background:color-mix(in srgb,currentColor 12%,transparent)}"
)
_DOOR = f"""{head("Oryn", _STYLE)}<main><h1>Oryn</h1>
<p>To see this daemon's sessions, run <code>oryn open</code> in a terminal.</p>
<p>It opens this page by a link that is good once, for {CODE_SECONDS:g} seconds.</p></main>
{END}"""
_DOOR_POLICY = f"{_POLICY}; style-src {style_source(_STYLE)}"


@cache
def _files() -> Mapping[str, tuple[bytes, str]]:
    """The page's files by name, each with its ETag."""
    folder = files("oryn.daemon") / "live"
    contents = {file.name: file.read_bytes() for file in folder.iterdir() if file.name.rpartition(".")[2] in _TYPES}
    return {name: (data, f'"{hashlib.sha256(data).hexdigest()[:32]}"') for name, data in contents.items()}


def page_routes(daemon: Daemon) -> list[BaseRoute]:
    async def page(request: Request) -> Response:
        if (code := request.query_params.get("code")) is not None:
            # The code stands on the browser's command line, which other users of this computer can read too.
            return _entered(request, None if is_strangers(request) else daemon.links.enter(code))
        if daemon.links.is_visitor(request):
            return _file(request, "index.html")
        return _door()

    async def file(request: Request) -> Response:
        return _file(request, request.path_params["name"])

    async def link(request: Request) -> Response:
        url = f"http://127.0.0.1:{daemon.port}/?code={daemon.links.code()}"
        made = Link(url=url, seconds=CODE_SECONDS)
        return JSONResponse(made.model_dump(), headers={**OURS, "Cache-Control": "no-store"})

    async def key(request: Request) -> Response:
        key = daemon.links.key(request)
        if key is None:
            raise Unauthorized("this browser has its key already, or no way in", "Run 'oryn open' again.")
        return JSONResponse({"key": key}, headers={**OURS, "Cache-Control": "no-store"})

    return [
        Route("/", page),
        Route(KEY_PATH, key, methods=["POST"]),
        Route(f"{FILES}{{name}}", file),
        Route(LINK_PATH, link, methods=["POST"]),
    ]


def _entered(request: Request, cookie: str | None) -> Response:
    """To the page itself, so that the code is left neither in the address nor in the browser's history."""
    if cookie is None:
        return _door()
    headers = {**OURS, "Cache-Control": "no-store"}
    if request.headers.get("sec-fetch-site") == "cross-site":
        # A link in another site's page: a redirection would be that site's request, and go without the cookie.
        response = Response(headers={**headers, "Refresh": "0; url=/"}, media_type="text/html")
    else:
        response = RedirectResponse("/", 303, headers=headers)
    response.set_cookie(
        cookie_name(request), cookie, max_age=int(VISIT_SECONDS), path="/", httponly=True, samesite="strict"
    )
    return response


def _door() -> Response:
    """What somebody sees who has no way in."""
    headers = {**OURS, "Cache-Control": "no-store", "Content-Security-Policy": _DOOR_POLICY}
    return HTMLResponse(_DOOR, 401, headers={**headers, "WWW-Authenticate": "Bearer"})


def _file(request: Request, name: str) -> Response:
    found = _files().get(name)
    if found is None:
        raise NoSuchAddress(f"there is no file {name[:80]!r}")
    data, tag = found
    headers = {**OURS, "Cache-Control": "no-cache", "ETag": tag, "Cross-Origin-Opener-Policy": "same-origin"}
    if tag in request.headers.get("if-none-match", ""):
        return Response(status_code=304, headers=headers)
    headers["Content-Security-Policy"] = _PAGE_POLICY
    return Response(data, media_type=_TYPES[name.rpartition(".")[2]], headers=headers)
