"""The interactive prompt: what `oryn headless` is on a terminal.

Ctrl-C gives up the running command, or the line being written; Ctrl-D ends. The history is the owner's alone.
"""

from __future__ import annotations

import asyncio
import logging
import os
import sys
from collections.abc import Coroutine, Iterable
from pathlib import Path
from typing import TYPE_CHECKING, Any

from prompt_toolkit import ANSI, PromptSession
from prompt_toolkit.completion import CompleteEvent, Completer, Completion
from prompt_toolkit.document import Document
from prompt_toolkit.history import FileHistory, History, InMemoryHistory
from prompt_toolkit.key_binding import KeyBindings, KeyPressEvent

from oryn.engine.escape import quoted
from oryn.errors import ConfigurationError, ConfirmationRequired, LanguageError
from oryn.host import colour
from oryn.host.completion import suggestions
from oryn.host.line_protocol import ready_line
from oryn.host.opening import opened
from oryn.host.signals import ending_on_signals, handled
from oryn.language import MASK, begins_definition
from oryn.language.commands import COMMANDS
from oryn.paths import private_folder

if TYPE_CHECKING:
    from contextlib import AbstractAsyncContextManager

    from oryn.browsers.cdp.launch import Started
    from oryn.engine import Answer
    from oryn.sessions.sessions import Sessions
    from oryn.settings import Configuration
    from oryn.settings.choices import ColourUse

log = logging.getLogger(__name__)


def run(configuration: Configuration, started: Started | None = None) -> int:
    """Ask, answer, and end with Ctrl-D or `exit`; returns the exit code."""
    return asyncio.run(converse(configuration, opened(configuration, started)))


async def converse(
    configuration: Configuration, opening: AbstractAsyncContextManager[Sessions], engine: str = "oryn-h"
) -> int:
    """Converse with the sessions that `opening` opens, and ends; the exit code."""
    with ending_on_signals("SIGTERM", "SIGHUP") as ending:
        async with opening as sessions:
            prompt = _prompt(sessions, _history(configuration.paths.prompt_history))
            await _converse(sessions, prompt, configuration.settings.colour, engine)
    return ending.code or 0


def _prompt(sessions: Sessions, history: History, **streams: Any) -> PromptSession[str]:
    return PromptSession(
        history=history,
        completer=LanguageCompleter(sessions),
        complete_while_typing=False,
        key_bindings=_keys(),
        **streams,
    )


def _keys() -> KeyBindings:
    keys = KeyBindings()

    @keys.add("tab")
    def complete(event: KeyPressEvent) -> None:
        # The prompt's own Tab inserts what all candidates share, and that is nothing where the case differs.
        buffer = event.current_buffer
        if buffer.complete_state:
            buffer.complete_next()
        else:
            buffer.start_completion(select_first=True)

    return keys


async def _converse(sessions: Sessions, prompt: PromptSession[str], use: ColourUse, engine: str = "oryn-h") -> None:
    in_colour = colour.wanted(use, sys.stdout)
    _print(f"{ready_line(engine)}\n# help lists the commands, Tab completes, Ctrl-D ends", in_colour)
    while True:
        name = f"{sessions.current.name}> "
        message = ANSI(f"{colour.BOLD}{name}{colour.RESET}") if in_colour else name
        try:
            line = await prompt.prompt_async(message)
            body = await _body(prompt) if begins_definition(line) else ""
        except KeyboardInterrupt:
            continue
        except EOFError:
            return
        answer = await _answered(sessions, prompt, await _answer(sessions.execute(line + body)))
        if answer and isinstance(prompt.history, KeptHistory) and _may_be_kept(line, answer):
            prompt.history.keep(line)
        _print(answer.render() if answer else "# given up", in_colour)
        if answer and answer.exit:
            return


async def _body(prompt: PromptSession[str]) -> str:
    """The lines of a definition, up to an empty one. They are not kept: what a step holds may be a secret."""
    body = ""
    while line := (await prompt.prompt_async("... ")).strip():
        body += f"\n  {line}"
    return body


async def _answered(sessions: Sessions, prompt: PromptSession[str], answer: Answer | None) -> Answer | None:
    """The answer, once the person has said yes or no to what waits for that."""
    while answer and isinstance(answer.error, ConfirmationRequired):
        waits, session = answer.error, sessions.get(answer.error.session)
        if session is None or waits.id is None:
            break
        if answer.lines:  # the steps before it are done
            _print(answer.render(), False)
        if not await _agrees(prompt, waits):
            return session.confirmations.deny(waits.id)
        answer = await _answer(session.confirmations.confirm(waits.id, json=sessions.json))
    return answer


async def _agrees(prompt: PromptSession[str], waits: ConfirmationRequired) -> bool:
    try:
        said = await prompt.prompt_async(f"{waits.message}\nDo it? [y/N] ")
    except (KeyboardInterrupt, EOFError):
        return False
    return said.strip().lower() in ("y", "yes")


async def _answer(answering: Coroutine[Any, Any, Answer]) -> Answer | None:
    """The answer, or None when Ctrl-C gave the command up."""
    command = asyncio.ensure_future(answering)

    def give_up(_: int) -> None:
        command.cancel()

    with handled(give_up, "SIGINT"):
        await asyncio.wait([command])
    return None if command.cancelled() else command.result()


def _may_be_kept(line: str, answer: Answer) -> bool:
    # A line that was not understood may hold a secret that nobody recognised.
    return bool(line.strip()) and MASK not in answer.command and not isinstance(answer.error, LanguageError)


def _print(text: str, in_colour: bool) -> None:
    if text:
        sys.stdout.write(f"{colour.coloured(text) if in_colour else text}\n\n")
        sys.stdout.flush()


def _history(file: Path) -> History:
    """The history on disk, or one that ends with the process where there can be none."""
    try:
        private_folder(file.parent)
        os.close(os.open(file, os.O_WRONLY | os.O_CREAT, 0o600))
    except (ConfigurationError, OSError) as error:
        log.warning("no history is kept: %s", error)
        return InMemoryHistory()
    return KeptHistory(str(file))


class KeptHistory(FileHistory):
    """A history file that holds only what `keep` was called for: a line's secrets are known once it has run."""

    def store_string(self, string: str) -> None:
        return

    def keep(self, line: str) -> None:
        super().store_string(line)


class LanguageCompleter(Completer):
    """Offers what may come next in the line, and the texts of what the last observation saw."""

    def __init__(self, sessions: Sessions) -> None:
        self._sessions = sessions

    def get_completions(self, document: Document, complete_event: CompleteEvent) -> Iterable[Completion]:
        specs = [command.spec for command in COMMANDS]
        for suggestion in suggestions(document.text_before_cursor, specs, self._texts):
            yield Completion(suggestion.text, -suggestion.replaces, display_meta=suggestion.meaning)

    def _texts(self) -> list[str]:
        elements = (self._sessions.current.view.elements or {}).values()
        return [quoted(element["text"]) for element in elements if element["text"]]
