"""Research for the assistant of `oryn mcp`: the daemon does it, for it owns the index and the worker.

The sessions of `oryn mcp` are its own process's, and a session's name is one process's at a time. So pages that have to
be shown in a browser are in a session of another name there, with the limits that hold here.
"""

from __future__ import annotations

import asyncio
import json
from collections.abc import Callable
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from oryn.client.exchange import current_folder
from oryn.client.starting import process_of
from oryn.client.streaming import Streamed, begun
from oryn.daemon.lifecycle import Place
from oryn.engine import Answer
from oryn.engine.answer import Told
from oryn.engine.files import files_of, new_path
from oryn.error_codes import class_of
from oryn.errors import NotSupported, OrynError
from oryn.host.opening import options_of
from oryn.host.progress import LISTENER, of_stage
from oryn.language import Line
from oryn.language.commands.research import Crawl, WebExtract, WebSearch
from oryn.language.json_form import command_json
from oryn.settings import LIMITS, Configuration

_LONGEST_NAME = 50
"""Characters of a session's name that are in another's."""
_NEEDED = ("starlette", "onnxruntime")
"""A package of each extra that it needs: the daemon's, and research's."""


def research_of(configuration: Configuration) -> DaemonResearch | None:
    """None where the extras are not installed."""
    return DaemonResearch(configuration) if all(map(find_spec, _NEEDED)) else None


class DaemonResearch:
    """Performs the commands of one family at the daemon (`oryn.mcp.host.Elsewhere`)."""

    family = WebSearch.spec.family

    def __init__(self, configuration: Configuration) -> None:
        settings = configuration.settings
        limits = {name: getattr(settings, name) for name in LIMITS if configuration.origins[name] != "default"}
        self._settings = {name: _plain(value) for name, value in limits.items()} | {"ephemeral": True}
        self._crawls = configuration.paths.crawls
        self._files = files_of(options_of(configuration, settings.session))
        self._session = settings.session
        self._browse_in = f"{settings.session[:_LONGEST_NAME]}_research"
        self._place = Place(configuration.paths)
        self._opened = False

    async def __call__(self, line: Line) -> Answer:
        """The daemon's answer. Cancelled, the command is taken back there. Raises what keeps it from being asked."""
        envelope = self._envelope(line)
        name = str(envelope["action"])
        streamed = await asyncio.to_thread(begun, json.dumps(envelope).encode(), [name])
        self._opened = True
        loop, listener = asyncio.get_running_loop(), LISTENER.get()

        def told(progress: dict[str, Any]) -> None:
            if listener is not None:
                loop.call_soon_threadsafe(listener, *of_stage(progress))

        reading = asyncio.ensure_future(asyncio.to_thread(_last, streamed, told))
        try:
            return _answer(await asyncio.shield(reading))
        except asyncio.CancelledError:
            streamed.take_back()
            await asyncio.wait([reading])
            reading.exception()  # that it broke off was our doing
            raise

    async def close(self) -> None:
        """End the session there, where one was opened; a daemon that has ended has none, and none is started for it."""
        if not self._opened or process_of(self._place) is None:
            return
        envelope = {"action": "close", "session": self._session, "browse_in": self._browse_in}
        try:
            streamed = await asyncio.to_thread(begun, json.dumps(envelope).encode(), ["close"])
            await asyncio.to_thread(_last, streamed, lambda progress: None)
        except OrynError:  # it has ended meanwhile
            return

    def _envelope(self, line: Line) -> dict[str, Any]:
        command = line.command
        if isinstance(command, WebExtract) and command.tab:
            raise NotSupported("the open tab is not the daemon's", "'extract_page' reads it, or 'text'.")
        assert command is not None
        given = command_json(command)["arguments"]
        arguments = {name: value for name, value in given.items() if value is not None and value is not False}
        if "to" in arguments:  # whom this client lets write where is known here alone
            arguments["to"] = str(self._files.writable(arguments["to"], overwrite="overwrite" in arguments))
        if isinstance(command, Crawl) and not command.to:  # its pages would be streamed, and a tool has one result
            kept = self._crawls / f"{command.resume}.jsonl" if command.resume else None
            arguments["to"] = str(kept or new_path(self._crawls, ".jsonl", "crawl-"))
        return {
            "action": command.spec.door,
            "args": arguments,
            "session": self._session,
            "browse_in": self._browse_in,
            "folder": current_folder(),
            "settings": self._settings,
        }


def _last(streamed: Streamed, told: Callable[[dict[str, Any]], None]) -> dict[str, Any]:
    """The response; what comes before it is told."""
    response: dict[str, Any] = {}
    with streamed:
        for each in streamed:
            if "progress" in each:
                told(each["progress"])
            response = each.get("response", response)
    return response


def _answer(response: dict[str, Any]) -> Answer:
    data = dict(response["data"] or {})
    data.pop("snapshot_generation", None)
    command = data.pop("command", response["action"])
    error = None
    if not response["ok"]:
        error = class_of(response["error_kind"].upper())(response["error"], response["hint"])
    return Answer(command=command, error=error, told=Told(response["text"], data))


def _plain(value: Any) -> Any:
    """A setting as JSON has it."""
    if isinstance(value, tuple):
        return [_plain(each) for each in value]
    return str(value) if isinstance(value, Path) else value
