"""The interactive prompt: `oryn headless` on a terminal.

Ctrl-C cancels the running command, or the line being written; Ctrl-D ends. The history file is private to its owner."""

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

from oryn.core.text_safety import quoted
from oryn.errors import ConfigurationError, ConfirmationRequired, LanguageError
from oryn.hosts import terminal
from oryn.hosts.completion import fixed_values
from oryn.hosts.line_protocol import ready_line
from oryn.hosts.process_io import cancel_on_signals, handle_signals
from oryn.hosts.session_factory import open_sessions
from oryn.language import MASK, begins_definition
from oryn.language.command import ValueSource
from oryn.language.completion import split_words, suggestions
from oryn.language.vocabulary import LINE_VOCABULARY
from oryn.system.paths import private_folder

if TYPE_CHECKING:
    from contextlib import AbstractAsyncContextManager

    from oryn.browsers.process.run_folder import LaunchedProcess
    from oryn.engine import Answer
    from oryn.sessions.sessions import Sessions
    from oryn.settings import Configuration
    from oryn.settings.types import ColourUse

log = logging.getLogger(__name__)

_MAX_TEXT_CHARACTERS = 60
"""Maximum length of element texts that are suggested: longer ones don't help a user who types."""


def run(configuration: Configuration, started: LaunchedProcess | None = None) -> int:
    """Run the prompt until Ctrl-D or `exit`. Returns the exit code."""
    return asyncio.run(converse(configuration, open_sessions(configuration, started)))


async def converse(
    configuration: Configuration, opener: AbstractAsyncContextManager[Sessions], engine: str = "oryn-h"
) -> int:
    """Run the prompt with the sessions that `opener` opens and closes. Returns the exit code."""
    with cancel_on_signals("SIGTERM", "SIGHUP") as ending:
        async with opener as sessions:
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
        # The prompt's own Tab inserts the common prefix of all candidates, which is empty if their case differs.
        buffer = event.current_buffer
        if buffer.complete_state:
            buffer.complete_next()
        else:
            buffer.start_completion(select_first=True)

    return keys


async def _converse(sessions: Sessions, prompt: PromptSession[str], use: ColourUse, engine: str = "oryn-h") -> None:
    in_colour = terminal.use_colour(use, sys.stdout)
    _print(f"{ready_line(engine)}\n# help lists the commands, Tab completes, Ctrl-D ends", in_colour)
    while True:
        name = f"{sessions.current.name}> "
        message = ANSI(f"{terminal.BOLD}{name}{terminal.RESET}") if in_colour else name
        try:
            line = await prompt.prompt_async(message)
            body = await _body(prompt) if begins_definition(line) else ""
        except KeyboardInterrupt:
            continue
        except EOFError:
            return
        answer = await _resolve_confirmations(sessions, prompt, await _cancellable(sessions.execute(line + body)))
        if answer and isinstance(prompt.history, MaskedHistory) and _may_be_saved(line, answer):
            prompt.history.save(line)
        _print(answer.render() if answer else "# given up", in_colour)
        if answer and answer.exit:
            return


async def _body(prompt: PromptSession[str]) -> str:
    """Read the lines of a definition, up to an empty one. They are not saved to the history, as a step may contain a
    secret."""
    body = ""
    while line := (await prompt.prompt_async("... ")).strip():
        body += f"\n  {line}"
    return body


async def _resolve_confirmations(
    sessions: Sessions, prompt: PromptSession[str], answer: Answer | None
) -> Answer | None:
    """Ask the person to confirm each command of the answer that waits for it, and return the answer after that."""
    while answer and isinstance(answer.error, ConfirmationRequired):
        waits, session = answer.error, sessions.get(answer.error.session)
        if session is None or waits.id is None:
            break
        if answer.lines:  # the steps before it have run
            _print(answer.render(), False)
        if not await _confirm(prompt, waits):
            return session.confirmations.deny(waits.id)
        answer = await _cancellable(session.confirmations.confirm(waits.id, json=sessions.json))
    return answer


async def _confirm(prompt: PromptSession[str], waits: ConfirmationRequired) -> bool:
    try:
        reply = await prompt.prompt_async(f"{waits.message}\nDo it? [y/N] ")
    except (KeyboardInterrupt, EOFError):
        return False
    return reply.strip().lower() in ("y", "yes")


async def _cancellable(answering: Coroutine[Any, Any, Answer]) -> Answer | None:
    """Await an answer; None if Ctrl-C cancelled the command."""
    command = asyncio.ensure_future(answering)

    def give_up(_: int) -> None:
        command.cancel()

    with handle_signals(give_up, "SIGINT"):
        await asyncio.wait([command])
    return None if command.cancelled() else command.result()


def _may_be_saved(line: str, answer: Answer) -> bool:
    # A line that was not parsed may contain a secret that was not recognised.
    return bool(line.strip()) and MASK not in answer.command and not isinstance(answer.error, LanguageError)


def _print(text: str, in_colour: bool) -> None:
    if text:
        sys.stdout.write(f"{terminal.colourize(text) if in_colour else text}\n\n")
        sys.stdout.flush()


def _history(file: Path) -> History:
    """The history on disk, or one in memory if the file can't be written."""
    try:
        private_folder(file.parent)
        os.close(os.open(file, os.O_WRONLY | os.O_CREAT, 0o600))
    except (ConfigurationError, OSError) as error:
        log.warning("no history is kept: %s", error)
        return InMemoryHistory()
    return MaskedHistory(str(file))


class MaskedHistory(FileHistory):
    """A history file of only the lines for which `save` was called: the secrets of a line are known once it has run."""

    def store_string(self, string: str) -> None:
        """Store nothing: prompt_toolkit calls this before the line has run."""
        return

    def save(self, line: str) -> None:
        """Append a line, whose secrets are masked already, to the file."""
        super().store_string(line)


class LanguageCompleter(Completer):
    """Completes the line from the command table, the sessions, and the elements of the last observation."""

    def __init__(self, sessions: Sessions) -> None:
        self._sessions = sessions

    def get_completions(self, document: Document, complete_event: CompleteEvent) -> Iterable[Completion]:
        *before, partial = split_words(document.text_before_cursor)
        for suggestion in suggestions(before, partial, LINE_VOCABULARY, self._values):
            if not suggestion.is_path:
                yield Completion(suggestion.text, -len(partial), display_meta=suggestion.meaning)

    def _values(self, source: ValueSource) -> Iterable[str]:
        session = self._sessions.current
        match source:
            case "elements":
                texts = (element["text"] for element in (session.element_index.elements or {}).values())
                return [quoted(text) for text in texts if 0 < len(text) <= _MAX_TEXT_CHARACTERS]
            case "sessions":
                return [*self._sessions.names, *self._sessions.dormant]
            case "intents":
                return [found.definition.name for found in session.custom_intents.all(session.page_url)]
            case "packs":
                return session.custom_intents.library.packs()
        return fixed_values(source, LINE_VOCABULARY)
