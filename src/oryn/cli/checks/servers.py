"""What starts by itself or is started by others: the daemon, and `oryn mcp` as assistants have it in their files."""

from __future__ import annotations

import socket

from oryn import __version__
from oryn.cli.checks.finding import Found
from oryn.cli.checks.installation import extra
from oryn.errors import DaemonNotRunning, OrynError
from oryn.settings import Configuration

_STATUS_SECONDS = 10.0


def daemon(configuration: Configuration) -> list[Found]:
    """What it needs, and whether it answers, if one runs."""
    needed = extra("daemon", configuration)
    if needed[0] != "ok":
        return [needed]
    return [needed, _running(configuration)]


def _running(configuration: Configuration) -> Found:
    from oryn.client.daemon import Daemon
    from oryn.daemon.lifecycle import Place

    try:
        status = Daemon(Place(configuration.paths)).status(limit=_STATUS_SECONDS)
    except OrynError as error:
        if type(error) is DaemonNotRunning:
            return _startable(configuration)
        return "wrong", error.message, error.hint or "oryn daemon restart"
    told = f"process {status['pid']} at port {status['port']}"
    if status["version"] != __version__:
        return "warning", f"{told} is version {status['version']}, and this is {__version__}", "oryn daemon restart"
    return "ok", told, ""


def _startable(configuration: Configuration) -> Found:
    """A port that the user has named is not changed for another."""
    port = configuration.settings.port
    if configuration.origins["port"] != "default" and port:
        with socket.socket() as listener:
            listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
            try:
                listener.bind(("127.0.0.1", port))
            except OSError as error:
                return "wrong", f"not running, and port {port} can't be had: {error.strerror}", "Name another port."
    return "ok", "not running; the first verb starts it", ""


def assistants(_: Configuration) -> list[Found]:
    """Starts what each assistant would start, and greets it as the assistant would."""
    from oryn.skill.configured import configured
    from oryn.skill.trial import failure_of

    found: list[Found] = []
    for one in configured():
        place = f"{one.assistant.title}: {one.file}"
        if one.problem:
            found.append(("warning", f"{place} {one.problem}", ""))
        elif not one.command:
            found.append(("ok", f"{place} has it by HTTP", ""))
        elif failure := failure_of(one.command, one.environment):
            project = " --project" if one.is_project else ""
            again = f"oryn skill --for {one.assistant.name}{project} --install --replace"
            found.append(("wrong", f"{place} can't start it. {failure.message}", failure.hint or again))
        else:
            found.append(("ok", f"{place} starts it", ""))
    return found or [("ok", "none has oryn in its configuration", "")]
