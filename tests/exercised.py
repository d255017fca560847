"""A record of what the tests run in a real browser: commands, their options and choices, and errors answered."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from typing import Any
from unittest.mock import patch

import pytest

from oryn.errors import LanguageError
from oryn.language import Command, Line, parse
from oryn.language.usage import COMMON


@dataclass
class Exercised:
    forms: set[str] = field(default_factory=set)
    """As `forms` names them."""
    errors: set[str] = field(default_factory=set)
    """Codes."""

    def note(self, line: str | Line, answer: Any) -> None:
        with suppress(LanguageError):
            if command := (parse(line) if isinstance(line, str) else line).command:
                self.forms.update(used(command))
        if answer.error is not None:
            self.errors.add(answer.error.code)


EXERCISED = pytest.StashKey[Exercised]()


def forms(command: type[Command]) -> Iterator[str]:
    """What there is to be run: the command or each choice of its first argument, and each option of its own."""
    spec = command.spec
    yield from (f"{spec.name} {word}" for word in spec.choice) if spec.choice else [spec.name]
    yield from (f"{spec.name} --{option}" for option in spec.options if option not in COMMON)


def used(command: Command) -> Iterator[str]:
    """Those that one command is."""
    spec = command.spec
    yield f"{spec.name} {getattr(command, spec.arguments[0].name)}" if spec.choice else spec.name
    for name, option in spec.options.items():
        value = getattr(command, option.name)
        if value is not None and value is not False:  # 0 is given
            yield f"{spec.name} --{name}"


@contextmanager
def recording(record: Exercised) -> Iterator[None]:
    """Record every line that a session with a real browser is given, at the door of the sessions."""
    from oryn.browsers.cdp import Headless
    from oryn.engine import Session
    from oryn.sessions.sessions import Sessions

    def recorded(original: Any, in_browser: Any) -> Any:
        async def execute(self: Any, line: str | Line, *rest: Any, **more: Any) -> Any:
            answer = await original(self, line, *rest, **more)
            if in_browser(self):
                record.note(line, answer)
            return answer

        return execute

    with (
        patch.object(Session, "execute", recorded(Session.execute, lambda self: isinstance(self.browser, Headless))),
        patch.object(Sessions, "execute", recorded(Sessions.execute, lambda _: True)),
    ):
        yield
