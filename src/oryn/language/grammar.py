"""From a raw line to its syntax tree (intent-language §2–4): session, verb, and what `Reader` makes of the rest."""

from __future__ import annotations

from oryn.errors import MissingArgument, UnknownCommand
from oryn.language.kinds import SESSION_NAME
from oryn.language.reader import Reader
from oryn.language.strings import shorten
from oryn.language.suggestions import did_you_mean
from oryn.language.tokens import Cursor
from oryn.language.tree import Tree
from oryn.language.vocabulary import LINES, Verb, Vocabulary


def read_line(raw: str, vocabulary: Vocabulary = LINES) -> Tree:
    """The tree of one raw line, which holds no line break. Raises `LanguageError` with the position in `raw`."""
    cursor = Cursor(raw)
    cursor.skip_space()
    session = _read_session(cursor)
    if cursor.at_end:
        return Tree(comment=cursor.comment())
    verb = _read_verb(cursor, vocabulary)
    return Reader(cursor, verb).read(session)


def _read_session(cursor: Cursor) -> str | None:
    """Take `@name` or `session name` when a command follows, and return the name."""
    name = _read_at(cursor) if cursor.looking_at("@") else _read_session_word(cursor)
    if name is None:
        return None
    nested = Cursor(cursor.line, cursor.position)
    if nested.looking_at("@"):
        raise nested.unexpected("one command runs in one session")
    if _read_session_word(nested) is not None:
        raise nested.unexpected("one command runs in one session")
    return name


def _read_at(cursor: Cursor) -> str:
    cursor.position += 1
    if not cursor.peek_atom():
        raise MissingArgument("the name of a session is missing", "@<name> <command>", cursor.position)
    name = str(SESSION_NAME.read(cursor).value)
    cursor.boundary()
    cursor.skip_space()
    if not _rest_follows(cursor):
        raise MissingArgument(f"the command for session {name} is missing", "@<name> <command>", cursor.position)
    return name


def _read_session_word(cursor: Cursor) -> str | None:
    """`session work click 5` up to its rest; None (and nothing is taken) when it is a command of its own."""
    start = cursor.position
    if cursor.peek_atom().lower() == "session":
        cursor.atom()
        cursor.boundary()
        cursor.skip_space()
        if _rest_follows(cursor) and cursor.peek_atom().lower() not in LINES.verbs["session"].chosen:
            name = str(SESSION_NAME.read(cursor).value)
            cursor.boundary()
            cursor.skip_space()
            if _rest_follows(cursor):
                return name
    cursor.position = start
    return None


def _rest_follows(cursor: Cursor) -> bool:
    return not (cursor.at_end or cursor.looking_at("-"))


def _read_verb(cursor: Cursor, vocabulary: Vocabulary) -> Verb:
    start = cursor.position
    word = cursor.atom().lower()
    after = cursor.position
    cursor.skip_space()
    phrase = (word, cursor.peek_atom().lower())
    if cursor.position > after and phrase in vocabulary.phrases:
        cursor.atom()
        verb = vocabulary.find(*phrase)
    else:
        cursor.position = after
        verb = vocabulary.find(word)
    if verb is None:
        hint = did_you_mean(word, vocabulary.names) or "help lists the commands"
        raise UnknownCommand(f"unknown command {shorten(word)}", hint, start)
    cursor.boundary()
    return verb
