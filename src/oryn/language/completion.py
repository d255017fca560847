"""Completions by position, for prompts and shells: verbs, sub-commands, options, and the values of each argument.

The table of commands declares what each argument takes. Values that only a host knows (names of sessions, elements of a
page) come from a callback. Pure."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence

from oryn.core.records import Record
from oryn.language.command import Argument, CommandSpec, Option, ValueSource
from oryn.language.kinds import PATHS, TargetKind
from oryn.language.targets import RELATIONS
from oryn.language.vocabulary import Verb, Vocabulary

Values = Callable[[ValueSource], Iterable[str]]
"""The values of a source that the host knows, as they are written in its lines."""


class Suggestion(Record):
    """A completion of the last word; `meaning` is a short description. With `is_path`, any file completes it."""

    text: str
    meaning: str = ""
    is_path: bool = False


ANY_FILE = Suggestion("", is_path=True)


def suggestions(before: Sequence[str], partial: str, vocabulary: Vocabulary, values: Values) -> list[Suggestion]:
    """Completions of the word `partial`, which follows the words `before`.

    values: called only for the sources that are possible at this position."""
    found: dict[str, Suggestion] = {}
    for each in _candidates(before, partial, vocabulary, values):
        if each.is_path or (each.text.lower().startswith(partial.lower()) and each.text != partial):
            found.setdefault(each.text, each)
    return list(found.values())


def split_words(line: str) -> list[str]:
    """The words of a line of the language; quoted words keep their quotes. The last word is the one being typed."""
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


def _candidates(before: Sequence[str], partial: str, vocabulary: Vocabulary, values: Values) -> Iterator[Suggestion]:
    if before and before[0].startswith("@"):  # the session of the line
        before = before[1:]
    if not before:
        yield from (Suggestion(name, verb_help(verb)) for name, verb in vocabulary.verbs.items())
        yield from (Suggestion(name, f"the same as {verb}") for name, verb in vocabulary.aliases.items())
        return
    verb = vocabulary.find(before[0].lower())
    if verb is None:
        return
    words, option = _positional(verb, before[1:])
    if option is not None:
        yield from _option_values(option, values)
        return
    fitting = list(_fitting(verb, words))
    if partial.startswith("-"):
        yield from (Suggestion(each.written, each.help) for spec, _ in fitting for each in spec.options.values())
        return
    for spec, rest in fitting:
        yield from _at_position(spec, rest, values)


def verb_help(verb: Verb) -> str:
    """Describe a verb in one line: the help of its command, or the names of its commands."""
    return verb.commands[0].help if len(verb.commands) == 1 else ", ".join(spec.name for spec in verb.commands)


def _positional(verb: Verb, words: Sequence[str]) -> tuple[list[str], Option | None]:
    """The words that are not options or their values, and the option whose value comes next, or None."""
    positional: list[str] = []
    waiting: Option | None = None
    for word in words:
        if waiting is not None:
            waiting = None
        elif word.startswith("--"):
            name, equals, _ = word[2:].partition("=")
            option = verb.option(name)
            waiting = option if option is not None and option.kind is not None and not equals else None
        else:
            positional.append(word)
    return positional, waiting


def _fitting(verb: Verb, words: Sequence[str]) -> Iterator[tuple[CommandSpec, Sequence[str]]]:
    """The commands that these words may begin, and the words after the verb that belong to each."""
    for spec in verb.commands:
        path = spec.path[1:]
        lowered = tuple(word.lower() for word in words[: len(path)])
        if lowered != path[: len(lowered)]:
            continue
        if spec.choice and len(words) > len(path) and words[len(path)].lower() not in spec.choice:
            continue
        yield spec, words


def _at_position(spec: CommandSpec, words: Sequence[str], values: Values) -> Iterator[Suggestion]:
    path = spec.path[1:]
    if len(words) < len(path):
        yield Suggestion(path[len(words)], spec.help)
        return
    arguments, rest = list(spec.arguments), list(words[len(path) :])
    while arguments and rest:
        argument = arguments[0]
        if argument.lead and rest.pop(0).lower() != argument.lead:
            return
        if not rest:
            yield from _values(argument, values)
            return
        if argument.source == "devices":  # a name of several words, of which some are complete
            start = " ".join([*rest, ""]).lower()
            names = (name for name in values("devices") if name.lower().startswith(start))
            yield from (Suggestion(name[len(start) :]) for name in names)
            return
        del rest[0]
        is_target = isinstance(argument.kind, TargetKind)
        if is_target and len(rest) > 1 and rest[0].lower() in RELATIONS:  # and the target that it is near
            del rest[:2]
        if is_target and not rest:
            yield from (Suggestion(each, "relation of the target before it") for each in RELATIONS)
        elif is_target and rest[0].lower() in RELATIONS:
            yield from _values(argument, values)
            return
        if not argument.many:
            arguments.pop(0)
    for argument in arguments:
        yield from [Suggestion(argument.lead)] if argument.lead else _values(argument, values)
        if argument.required:
            return


def _values(argument: Argument, values: Values) -> Iterator[Suggestion]:
    if argument.kind in PATHS:
        yield ANY_FILE
    yield from (Suggestion(word) for word in argument.kind.words or argument.kind.suggested)
    if isinstance(argument.kind, TargetKind):
        yield from map(Suggestion, values("elements"))
    elif argument.source:
        yield from map(Suggestion, values(argument.source))


def _option_values(option: Option, values: Values) -> Iterator[Suggestion]:
    if option.kind is None:
        return
    if option.kind in PATHS:
        yield ANY_FILE
    yield from (Suggestion(word, option.help) for word in option.kind.words or option.kind.suggested)
    if isinstance(option.kind, TargetKind):
        yield from map(Suggestion, values("elements"))
