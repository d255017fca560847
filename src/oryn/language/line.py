"""Parses lines and scripts: a line has a command, its canonical text, a comment and a session. In a script, a
definition and its indented body are one line."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from oryn.core.records import Record
from oryn.errors import LanguageError, UnexpectedInput
from oryn.language.command import Command
from oryn.language.commands.intents import Define
from oryn.language.lexer import SPACE
from oryn.language.parser import build_command, check_conflicts, read_line
from oryn.language.render import SyntaxTree, render_command, render_tree
from oryn.language.targets import Target
from oryn.language.vocabulary import LINE_VOCABULARY, Vocabulary

_DEFINITION_START = re.compile(
    r"[ \t\r]*+(?:@[^ \t\r]++[ \t\r]++|session[ \t\r]++[^ \t\r]++[ \t\r]++)?define(?![^ \t\r])", re.IGNORECASE
)


class ScriptChunk(NamedTuple):
    """A line that is not blank, and the lines of its body if it begins a definition. `number` counts lines from 1."""

    number: int
    raw: str
    body: tuple[str, ...] = ()


def split_script(text: str) -> Iterator[ScriptChunk]:
    """Split `text` at `\\n` (and `\\r\\n`), leaving blank lines out."""
    pending: ScriptChunk | None = None
    body: list[str] = []
    for number, raw in enumerate(text.split("\n"), 1):
        line = raw.rstrip("\r")
        if not line.strip(SPACE):
            continue
        if pending and line[0] in SPACE:
            body.append(line)
            continue
        if pending:
            yield pending._replace(body=tuple(body))
            pending = None
        if begins_definition(line):
            pending, body = ScriptChunk(number, line), []
        else:
            yield ScriptChunk(number, line)
    if pending:
        yield pending._replace(body=tuple(body))


def begins_definition(line: str) -> bool:
    """Return whether `line` begins a definition, valid or not, so that indented lines after it belong to it."""
    return _DEFINITION_START.match(line) is not None


class Line(Record):
    """One line of the language. `command` is None if it is blank or only a comment. `comment` includes its `#`.
    `session` is the session named before the command, if any."""

    command: Command | None
    comment: str | None
    session: str | None
    canonical: str
    tree: SyntaxTree

    @classmethod
    def of(cls, command: Command) -> Line:
        """Return a line with the command alone, in its canonical text, for commands that were not parsed."""
        return cls(command, None, None, render_command(command), SyntaxTree())


class ScriptLine(Record):
    """A line of a script that is not blank: a `line` or an `error`. `number` counts lines from 1."""

    number: int
    raw: str
    line: Line | None = None
    error: LanguageError | None = None


def parse(text: str, vocabulary: Vocabulary = LINE_VOCABULARY) -> Line:
    """Parse one raw line, or one definition with its body on the lines below.

    vocabulary: the verbs of the line; `api_vocabulary()` for other interfaces than scripts and prompts.

    Raises `LanguageError` with the position of the mistake in the raw line."""
    if "\n" not in text:
        return line_from_tree(read_line(text, vocabulary))
    found = list(split_script(text))
    if len(found) > 1:
        start = sum(len(line) + 1 for line in text.split("\n")[: found[1].number - 1])
        raise UnexpectedInput("a second line", "one command a line", start)
    return _parse_chunk(found[0]) if found else line_from_tree(SyntaxTree())


def parse_script(text: str) -> Iterator[ScriptLine]:
    """Parse the lines of a script, blank ones left out. An invalid line is a `ScriptLine` with its error."""
    for chunk in split_script(text):
        try:
            yield ScriptLine(chunk.number, chunk.raw, _parse_chunk(chunk))
        except LanguageError as error:
            yield ScriptLine(chunk.number, chunk.raw, error=error)


def normalize(text: str) -> str:
    """Return the canonical text of a script. Raises the first `LanguageError` in it."""
    return "\n".join(_parse_chunk(chunk).canonical for chunk in split_script(text))


def render(what: Line | Command | Target) -> str:
    """Return the canonical text of a line as it was written, of a command, or of a target."""
    if isinstance(what, Line):
        return render_tree(what.tree)
    return render_command(what) if isinstance(what, Command) else str(what)


def _parse_chunk(chunk: ScriptChunk) -> Line:
    head = read_line(chunk.raw)
    return line_from_tree(head.replace(body=tuple(_parse_body(chunk.body))) if chunk.body else head)


def _parse_body(lines: Sequence[str]) -> Iterator[SyntaxTree]:
    for number, raw in enumerate(lines, 1):
        try:
            tree = read_line(raw)
            if isinstance(_checked_command(tree), Define):
                raise UnexpectedInput("a definition inside a definition", None, len(raw) - len(raw.lstrip(SPACE)))
        except LanguageError as error:
            raise type(error)(f"line {number} of the body: {error.message}", error.hint, error.position) from error
        yield tree


def line_from_tree(tree: SyntaxTree) -> Line:
    return Line(_checked_command(tree), tree.comment, tree.session, render_tree(tree), tree)


def _checked_command(tree: SyntaxTree) -> Command | None:
    command = build_command(tree)
    if command is not None:
        check_conflicts(command, tree)
    return command
