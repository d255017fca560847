"""A line: its command, its canonical text, and what stands around the command."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from oryn.errors import LanguageError, UnexpectedInput
from oryn.language.command import Command
from oryn.language.commands.intents import Define
from oryn.language.grammar import read_line
from oryn.language.meaning import check, command_of
from oryn.language.render import render_command, render_tree
from oryn.language.script import Chunk, chunks
from oryn.language.targets import Target
from oryn.language.tokens import SPACE
from oryn.language.tree import Tree
from oryn.language.vocabulary import LINES, Vocabulary
from oryn.records import Record


class Line(Record):
    """One line of the language. `command` is None when it is blank or only a comment, `comment` includes its `#`,
    and `session` is the session named before the command, if any."""

    command: Command | None
    comment: str | None
    session: str | None
    canonical: str
    tree: Tree

    @classmethod
    def of(cls, command: Command) -> Line:
        """A line that nobody wrote: the command alone, in its canonical text."""
        return cls(command, None, None, render_command(command), Tree())


class ScriptLine(Record):
    """A line of a script that is not blank: a `line` or an `error`. `number` counts lines from 1."""

    number: int
    raw: str
    line: Line | None = None
    error: LanguageError | None = None


def parse(text: str, vocabulary: Vocabulary = LINES) -> Line:
    """Parse one raw line, or one definition with its body on the lines below. Raises `LanguageError` with the position
    in the raw line that is wrong. A door gives its own `vocabulary`."""
    if "\n" not in text:
        return _line(read_line(text, vocabulary))
    found = list(chunks(text))
    if len(found) > 1:
        start = sum(len(line) + 1 for line in text.split("\n")[: found[1].number - 1])
        raise UnexpectedInput("a second line", "one command a line", start)
    return _parse_chunk(found[0]) if found else _line(Tree())


def parse_script(text: str) -> Iterator[ScriptLine]:
    """Parse line after line; blank ones are passed over, wrong ones come as errors."""
    for chunk in chunks(text):
        try:
            yield ScriptLine(chunk.number, chunk.raw, _parse_chunk(chunk))
        except LanguageError as error:
            yield ScriptLine(chunk.number, chunk.raw, error=error)


def normalize(text: str) -> str:
    """The canonical text of a script. Raises the first `LanguageError` in it."""
    return "\n".join(_parse_chunk(chunk).canonical for chunk in chunks(text))


def render(what: Line | Command | Target) -> str:
    """The canonical text of a line as it was written, of a command, or of a target."""
    if isinstance(what, Line):
        return render_tree(what.tree)
    return render_command(what) if isinstance(what, Command) else str(what)


def _parse_chunk(chunk: Chunk) -> Line:
    head = read_line(chunk.raw)
    return _line(head.replace(body=tuple(_body(chunk.body))) if chunk.body else head)


def _body(lines: Sequence[str]) -> Iterator[Tree]:
    for number, raw in enumerate(lines, 1):
        try:
            tree = read_line(raw)
            if isinstance(_command(tree), Define):
                raise UnexpectedInput("a definition inside a definition", None, len(raw) - len(raw.lstrip(SPACE)))
        except LanguageError as error:
            raise type(error)(f"line {number} of the body: {error.message}", error.hint, error.position) from error
        yield tree


def _line(tree: Tree) -> Line:
    return Line(_command(tree), tree.comment, tree.session, render_tree(tree), tree)


def _command(tree: Tree) -> Command | None:
    command = command_of(tree)
    if command is not None:
        check(command, tree)
    return command
