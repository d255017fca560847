"""Completions for a line: verbs, sub-commands, options and choices from the table of commands, and the texts of the
elements of the last observation. Pure."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass

from oryn.language.command import CommandSpec
from oryn.language.kinds import TargetKind

_MAX_TEXT_CHARACTERS = 60
"""Maximum length of element texts that are suggested: longer ones don't help a user who types."""


@dataclass(frozen=True, slots=True)
class Suggestion:
    """A completion: `text` replaces the last `replaces` characters of the line; `meaning` is a short description."""

    text: str
    replaces: int
    meaning: str = ""


def suggestions(line: str, specs: Iterable[CommandSpec], texts: Callable[[], Iterable[str]]) -> list[Suggestion]:
    """Completions that continue `line` or finish its last word.

    `texts` returns the quoted texts of elements; it is called only if a target may follow."""
    *before, partial = _words(line)
    seen: dict[str, str] = {}
    for text, meaning in _candidates([word.lower() for word in before], partial, list(specs), texts):
        if text.lower().startswith(partial.lower()) and text != partial:
            seen.setdefault(text, meaning)
    return [Suggestion(text, len(partial), meaning) for text, meaning in seen.items()]


def _words(line: str) -> list[str]:
    """The words of a line; quoted words keep their quotes. The last word is the one being typed."""
    words, word, quote = [], "", ""
    for character in line:
        if quote:
            word += character
            quote = "" if character == quote else quote
        elif character.isspace():
            if word:
                words.append(word)
            word = ""
        else:
            quote = character if character in "\"'" and not word else ""
            word += character
    return [*words, word]


def _candidates(
    before: list[str], partial: str, specs: list[CommandSpec], texts: Callable[[], Iterable[str]]
) -> Iterator[tuple[str, str]]:
    if before and before[0].startswith("@"):
        before = before[1:]
    fitting = [spec for spec in specs if _matches(spec, before)]
    for spec in fitting:
        if len(spec.path) > len(before):
            yield spec.path[len(before)], spec.help
        elif not partial.startswith("-") and len(before) == len(spec.path):
            yield from ((word, spec.help) for word in spec.choice)
    if not before:
        return
    complete = [spec for spec in fitting if len(spec.path) <= len(before)]
    for spec in complete:
        yield from _options(spec, before[-1], partial)
    if partial.startswith('"') and any(_takes_target(spec) for spec in complete):
        yield from ((text, "") for text in texts() if len(text) <= _MAX_TEXT_CHARACTERS)


def _matches(spec: CommandSpec, before: list[str]) -> bool:
    """Whether the words before the last may be the beginning of this command, under its name or an alias."""
    if before and before[0] in spec.aliases:
        return True
    shared = min(len(spec.path), len(before))
    if tuple(before[:shared]) != spec.path[:shared]:
        return False
    return not (spec.choice and len(before) > len(spec.path)) or before[len(spec.path)] in spec.choice


def _options(spec: CommandSpec, last: str, partial: str) -> Iterator[tuple[str, str]]:
    for option in spec.options.values():
        if option.kind and last == option.written:
            yield from ((word, option.help) for word in option.kind.words)
        elif partial.startswith("-"):
            yield option.written, option.help


def _takes_target(spec: CommandSpec) -> bool:
    return any(isinstance(argument.kind, TargetKind) for argument in spec.arguments)
