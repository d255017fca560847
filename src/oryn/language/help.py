"""The text of `help`: all commands by family, or one with its options."""

from __future__ import annotations

from collections.abc import Iterator

from oryn.language.command import CommandSpec
from oryn.language.suggestions import did_you_mean
from oryn.language.usage import COMMON, option_usage, usage
from oryn.language.vocabulary import LINES, Vocabulary


def help_text(name: str | None = None, vocabulary: Vocabulary = LINES) -> str:
    """The list of commands, or usage and options of the commands that begin with the verb `name`.

    Case and alias don't matter, and a sub-command may follow (`cookies set`). An unknown name gets the nearest. A door
    gives its own `vocabulary`."""
    if not name or not name.strip():
        return "\n".join(_list(vocabulary))
    words = name.lower().split()
    verb = vocabulary.find(*words)
    if verb is None:
        suggestion = did_you_mean(words[0], vocabulary.names)
        return f"no command {words[0]}; {suggestion or 'help lists the commands'}"
    specs = [spec for spec in verb.commands if [*spec.path[1:]] == words[1:]] or verb.commands
    return "\n\n".join("\n".join(_explain(spec, verb.name)) for spec in specs)


def _list(vocabulary: Vocabulary) -> Iterator[str]:
    for family, verbs in vocabulary.families.items():
        yield f"{family}: {' '.join(verbs)}"
    yield "help <command> explains one."


def _explain(spec: CommandSpec, verb: str) -> Iterator[str]:
    yield verb + usage(spec).removeprefix(spec.path[0])
    yield f"  {spec.help}."
    for argument in spec.arguments:
        yield f"  {argument.kind.label}  {argument.help}"
    for name, option in spec.options.items():
        if name not in COMMON:
            yield f"  {option_usage(option)}  {option.help}"
    common = [option_usage(option) for name, option in spec.options.items() if name in COMMON]
    if common:
        yield f"  also {', '.join(common)}"
    if spec.aliases:
        yield f"  other names: {', '.join(spec.aliases)}"
    if spec.example:
        yield f"  example: {verb}{spec.example.removeprefix(spec.path[0])}"
