"""The text of `help`: all commands by family, or one with its options."""

from __future__ import annotations

from collections.abc import Iterator

from oryn.language.command import CommandSpec
from oryn.language.commands import COMMANDS
from oryn.language.suggestions import did_you_mean
from oryn.language.usage import COMMON, option_usage, usage
from oryn.language.vocabulary import LINES


def help_text(name: str | None = None) -> str:
    """The list of commands, or usage and options of the commands that begin with the verb `name`.

    Case and alias don't matter, and a sub-command may follow (`cookies set`). An unknown name gets the nearest."""
    if not name or not name.strip():
        return "\n".join(_list())
    words = name.lower().split()
    verb = LINES.find(*words)
    if verb is None:
        suggestion = did_you_mean(words[0], LINES.names)
        return f"no command {words[0]}; {suggestion or 'help lists the commands'}"
    specs = [spec for spec in verb.commands if list(spec.path) == words] or verb.commands
    return "\n\n".join("\n".join(_explain(spec)) for spec in specs)


def _list() -> Iterator[str]:
    families: dict[str, list[str]] = {}
    for command in COMMANDS:
        verbs = families.setdefault(command.spec.family, [])
        if command.spec.path[0] not in verbs:
            verbs.append(command.spec.path[0])
    for family, verbs in families.items():
        yield f"{family}: {' '.join(verbs)}"
    yield "help <command> explains one."


def _explain(spec: CommandSpec) -> Iterator[str]:
    yield usage(spec)
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
        yield f"  example: {spec.example}"
