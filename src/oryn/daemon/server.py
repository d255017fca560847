"""Runs the daemon: listens on a port, of loopback unless the user says otherwise, and on a Unix socket in the user's
own folder, and serves until it is stopped."""

from __future__ import annotations

import asyncio
import contextlib
import logging
import socket
import ssl
from collections.abc import Iterator, Mapping
from ipaddress import ip_address
from typing import TYPE_CHECKING

import uvicorn

from oryn.browsers.process.run_folder import remove_abandoned
from oryn.daemon.app import create_app
from oryn.daemon.daemon import Daemon
from oryn.daemon.http.connections import MAX_HEAD_BYTES, LimitedHttpProtocol, PacedWebSocketProtocol
from oryn.daemon.http.sockets import listen_on_port, listen_on_socket
from oryn.daemon.readiness import STARTING
from oryn.extension_server.messages import ANSWER_LIMIT
from oryn.hosts.process_io import handle_signals
from oryn.sessions.registry import running
from oryn.system.daemon_instance import DaemonInstance, notify_ready

if TYPE_CHECKING:
    from starlette.applications import Starlette

    from oryn.settings import Configuration
    from oryn.system.paths import Paths

log = logging.getLogger(__name__)

_SHUTDOWN_SECONDS = 2
"""Seconds that answers get to be sent when the daemon ends."""
_KEEP_ALIVE_SECONDS = 75
"""Seconds that an idle connection stays open, so that a client may reuse it."""


class DaemonServer(uvicorn.Server):
    """uvicorn's server without its signal handlers, as the daemon has its own."""

    @contextlib.contextmanager
    def capture_signals(self) -> Iterator[None]:
        yield


def serve(configuration: Configuration) -> int:
    """Serve until a signal, `oryn daemon stop` or the idle timeout; return the exit code.

    Raises `DaemonFailed` if another daemon runs or the port is taken."""
    place = DaemonInstance(configuration.paths)
    with place.acquire():
        return asyncio.run(_serve(configuration, place))


async def _serve(configuration: Configuration, place: DaemonInstance) -> int:
    daemon = Daemon(configuration)
    with handle_signals(lambda number: daemon.stop(f"signal {number}"), "SIGTERM", "SIGINT", "SIGHUP"):
        port, own = listen_on_port(configuration), listen_on_socket(place.socket_file)
        daemon.port, daemon.socket = port.getsockname()[1], str(own[1]) if own else None
        daemon.extension_endpoint.set_port(daemon.port, secure=daemon.tls is not None)
        app = create_app(daemon)
        if daemon.tls is None or own is None:
            served = {_create_server(app, daemon.tls): [port, *own[:1]] if own else [port]}
        else:  # the user's own socket needs no certificate
            served = {_create_server(app, daemon.tls): [port], _create_server(app): [own[0]]}
        serving = asyncio.create_task(_serve_all(served))
        cleaning = asyncio.create_task(asyncio.to_thread(_clean, configuration.paths))
        try:
            place.write_info(port=daemon.port, socket=own[1] if own else None)
            await daemon.join()
            daemon.readiness.release(STARTING)
            notify_ready(daemon.port)
            log.info("listening on %s, port %s, and %s", configuration.settings.listen, daemon.port, daemon.socket)
            if not ip_address(configuration.settings.listen).is_loopback:
                log.warning("other computers may reach the daemon: its token and the network must keep them away")
            stopped = asyncio.create_task(daemon.wait_stopped())
            await asyncio.wait([serving, stopped], return_when=asyncio.FIRST_COMPLETED)
        finally:
            place.release()
            await daemon.end_commands()
            for server in served:
                server.should_exit = True
            await asyncio.gather(serving, daemon.close(), cleaning)
    return 0


async def _serve_all(served: Mapping[DaemonServer, list[socket.socket]]) -> None:
    await asyncio.gather(*(server.serve(sockets=sockets) for server, sockets in served.items()))


def _clean(paths: Paths) -> None:
    """Remove what killed processes left: browsers and their folders, entries in the registry of sessions."""
    remove_abandoned(paths.runtime)
    for _ in running(paths.sessions):
        pass  # iterating removes the dead entries


def _create_server(app: Starlette, tls: ssl.SSLContext | None = None) -> DaemonServer:
    config = uvicorn.Config(
        app,
        ssl_context_factory=None if tls is None else lambda config, default: tls,
        http=LimitedHttpProtocol,
        ws=PacedWebSocketProtocol,
        ws_max_size=ANSWER_LIMIT,
        h11_max_incomplete_event_size=MAX_HEAD_BYTES,
        timeout_keep_alive=_KEEP_ALIVE_SECONDS,
        timeout_graceful_shutdown=_SHUTDOWN_SECONDS,
        log_config=None,
        access_log=False,
        lifespan="off",
        server_header=False,
        proxy_headers=False,
        date_header=False,
    )
    return DaemonServer(config)
