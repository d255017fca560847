"""Research for the client of `oryn mcp`, run by the daemon, which owns the index and the worker.

The sessions of `oryn mcp` belong to its own process, and a session's name belongs to one process at a time. Pages that
are rendered in a browser therefore get a session with another name in the daemon, with the limits of this one."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Callable
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from oryn.daemon_client.client import DaemonClient, StreamedCommand
from oryn.daemon_client.http import current_folder
from oryn.daemon_client.launcher import daemon_pid
from oryn.engine import Answer
from oryn.engine.file_access import new_path
from oryn.engine.output.answer import PrerenderedAnswer
from oryn.errors import NotSupported, OrynError, error_class_of
from oryn.hosts.session_factory import options_of
from oryn.hosts.terminal import PROGRESS_LISTENER, stage_progress
from oryn.language import Line
from oryn.language.command import CommandScope
from oryn.language.commands.research import Crawl, WebExtract
from oryn.language.json_codec import command_json
from oryn.settings import LIMITS, Configuration
from oryn.system.daemon_instance import DaemonInstance

_MAX_NAME_CHARACTERS = 50
"""Maximum number of characters of a session's name that become part of the other name."""
_REQUIRED_PACKAGES = ("starlette", "onnxruntime")
"""One package of each extra that research needs: the daemon's, and research's."""


def research_of(configuration: Configuration) -> DaemonResearch | None:
    """Research at the daemon; None if the extras are not installed."""
    return DaemonResearch(configuration) if all(map(find_spec, _REQUIRED_PACKAGES)) else None


class DaemonResearch:
    """Runs the commands of research in the daemon (`oryn.mcp.host.CommandDelegate`)."""

    scope: CommandScope = "research"

    def __init__(self, configuration: Configuration) -> None:
        settings = configuration.settings
        limits = {name: getattr(settings, name) for name in LIMITS if configuration.origins[name] != "default"}
        self._settings = {name: _json_value(value) for name, value in limits.items()} | {"ephemeral": True}
        if configuration.origins["allow_private"] != "default":  # the daemon may have been started without it
            self._settings["allow_private"] = settings.allow_private
        self._crawls = configuration.paths.crawls
        self._files = options_of(configuration, settings.session).file_access()
        self._session = settings.session
        self._browse_in = f"{settings.session[:_MAX_NAME_CHARACTERS]}_research"
        self._daemon = DaemonClient(DaemonInstance(configuration.paths), start=True)
        self._opened = False

    async def __call__(self, line: Line) -> Answer:
        """The daemon's answer. If the call is cancelled, the command is cancelled in the daemon.

        Raises the errors that keep the command from starting."""
        envelope = self._envelope(line)
        streamed = await asyncio.to_thread(self._daemon.stream, json.dumps(envelope).encode())
        self._opened = True
        loop, listener = asyncio.get_running_loop(), PROGRESS_LISTENER.get()

        def on_progress(progress: dict[str, Any]) -> None:
            if listener is not None:
                loop.call_soon_threadsafe(listener, *stage_progress(progress))

        reading = asyncio.ensure_future(asyncio.to_thread(_read_response, streamed, on_progress))
        try:
            return _answer(await asyncio.shield(reading))
        except asyncio.CancelledError:
            streamed.cancel()
            await asyncio.wait([reading])
            reading.exception()  # retrieved and ignored: the cancellation has broken the connection
            raise

    async def close(self) -> None:
        """Close the session in the daemon, if one was opened. If the daemon has ended, nothing is done."""
        if not self._opened or daemon_pid(self._daemon.place) is None:
            return
        envelope = {"action": "close", "session": self._session, "browse_in": self._browse_in}
        try:
            streamed = await asyncio.to_thread(self._daemon.stream, json.dumps(envelope).encode())
            await asyncio.to_thread(_read_response, streamed, lambda progress: None)
        except OrynError:  # it has ended meanwhile
            return

    def _envelope(self, line: Line) -> dict[str, Any]:
        command = line.command
        if isinstance(command, WebExtract) and command.tab:
            raise NotSupported("the open tab is not the daemon's", "'extract_page' reads it, or 'text'.")
        assert command is not None
        values = command_json(command)["arguments"]
        arguments = {name: value for name, value in values.items() if value is not None and value is not False}
        if "output" in arguments:  # only this process knows where its client may write
            arguments["output"] = str(self._files.writable(arguments["output"], overwrite="overwrite" in arguments))
        if isinstance(command, Crawl) and not command.output:  # its pages would be streamed, but a tool has one result
            file = self._crawls / f"{command.resume}.jsonl" if command.resume else None
            arguments["output"] = str(file or new_path(self._crawls, ".jsonl", "crawl-"))
        return {
            "action": command.spec.api_name,
            "args": arguments,
            "session": self._session,
            "browse_in": self._browse_in,
            "folder": current_folder(),
            "settings": self._settings,
        }


def _read_response(streamed: StreamedCommand, on_progress: Callable[[dict[str, Any]], None]) -> dict[str, Any]:
    """Read the response; progress before it is passed to `on_progress`."""
    response: dict[str, Any] = {}
    with streamed:
        for each in streamed:
            if "progress" in each:
                on_progress(each["progress"])
            response = each.get("response", response)
    return response


def _answer(response: dict[str, Any]) -> Answer:
    data = dict(response["data"] or {})
    data.pop("snapshot_generation", None)
    command = data.pop("command", response["action"])
    error = None
    if not response["ok"]:
        error = error_class_of(response["error_kind"].upper())(response["error"], response["hint"])
    return Answer(command=command, error=error, prerendered=PrerenderedAnswer(response["text"], data))


def _json_value(value: Any) -> Any:
    """A setting's value as JSON data."""
    if isinstance(value, tuple):
        return [_json_value(each) for each in value]
    return str(value) if isinstance(value, Path) else value
