"""Start a browser of WebKit's with its inspector socket; `process.WebKitProcess` connects to it.

The socket is a TCP port of loopback, nothing else (`RemoteInspectorServer::start` in
Source/JavaScriptCore/inspector/remote/glib/RemoteInspectorServer.cpp), without a password: see `listener`."""

from __future__ import annotations

import mmap
import os
import secrets
import socket
import sys
from collections.abc import Sequence
from pathlib import Path

from oryn.browsers.process.run_folder import RunFolder
from oryn.browsers.process.supervisor import SupervisedLaunch, check_display, launch_supervised
from oryn.browsers.webkit.engines import WebKitEngine, browser_environment, find_browser_program
from oryn.core.records import Record

Address = tuple[str, int]
"""A host and a port."""
SIZE = (1280, 720)
"""Of the viewport, in CSS pixels."""
_SIZED_BROWSER = "/wpe-webkit-2."
_FORMER_API = "use-legacy-api"


class LaunchedWebKit(Record):
    """A browser that has just been started.

    address: where its socket will listen."""

    engine: WebKitEngine
    started: SupervisedLaunch
    address: Address


def launch_webkit(
    engine: WebKitEngine,
    runtime_dir: Path,
    *,
    shader_cache: Path | None = None,
    size: tuple[int, int] = SIZE,
    arguments: Sequence[str] = (),
) -> LaunchedWebKit:
    """Start a browser of `engine`, and a display that nobody sees if it needs one and there is none. Needs no event
    loop.

    shader_cache: see `engines.browser_environment`.
    size: of the viewport in CSS pixels, where the browser can set it at the start.
    arguments: further ones of the browser.

    Raises `BrowserNotFound`, `BrowserFailed`."""
    program = find_browser_program(engine)
    own_screen = engine.needs_display and check_display(engine.name)
    address = _free_address()
    folder = RunFolder.create(runtime_dir)
    environment = browser_environment(folder, shader_cache) | {"WEBKIT_INSPECTOR_SERVER": "{}:{}".format(*address)}
    options = [*engine.arguments, *_version_arguments(program, size), *arguments]
    started = launch_supervised([program, *options], folder, environment, own_screen=own_screen)
    return LaunchedWebKit(engine, started, address)


def _version_arguments(program: str, size: tuple[int, int]) -> list[str]:
    """The arguments that only some versions of a browser take: it ends at an option that it does not have.

    WPE's MiniBrowser of the API 2.0 can set the size of its viewport; that of 1.1 has `SIZE`. From 2.54 on, WPE has
    another way to its windows, in which the right button of the mouse is the middle one and wheels turn backwards; the
    former way is an option."""
    if _SIZED_BROWSER not in program:
        return []
    with Path(program).open("rb") as file, mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ) as text:
        former_way = [f"--{_FORMER_API}"] if text.find(_FORMER_API.encode()) >= 0 else []
    return ["--size={}x{}".format(*size), *former_way]


def _free_address() -> Address:
    """An address of loopback, and a port that is free there. Linux has 16 million addresses of loopback, so no other
    program takes the port until the browser does."""
    host = "127.0.0.1"
    if sys.platform == "linux":
        host = "127.{}.{}.{}".format(*os.urandom(2), 1 + secrets.randbelow(254))
    with socket.socket() as probe:
        probe.bind((host, 0))
        port: int = probe.getsockname()[1]
        return host, port
