"""Usage lines: `type <target> "<text>" [--append|--clear] [--enter] [--delay <ms>]`."""

from __future__ import annotations

from oryn.language.command import Argument, Command, CommandSpec, Option
from oryn.language.vocabulary import Verb

COMMON = ("timeout", "strict")
"""Options that nearly every command has; a usage line leaves them out unless asked."""


def usage(spec: CommandSpec, *, common: bool = False) -> str:
    """The usage line of one command."""
    parts = [*spec.path, *(_argument(each) for each in spec.arguments), *_options(spec)]
    if spec.open:
        parts.append("[--<parameter> <value>]…")
    if common:
        parts += [f"[{option_usage(option)}]" for name, option in spec.options.items() if name in COMMON]
    return " ".join(parts)


def usage_of(command: type[Command]) -> str:
    """The usage line of a command's class, every option included."""
    return usage(command.spec, common=True)


def verb_usage(verb: Verb) -> str:
    """The usage lines of all commands of a verb, in one line."""
    return " | ".join(usage(spec) for spec in verb.commands)


def _argument(argument: Argument) -> str:
    label = argument.kind.label
    if argument.many and "…" not in label:
        label += "…"
    if argument.lead:
        label = f"{argument.lead} {label}"
    return label if argument.required else f"[{label}]"


def _options(spec: CommandSpec) -> list[str]:
    """The options in brackets, those that exclude each other in one pair."""
    together: dict[str, list[str]] = {}
    for name, option in spec.options.items():
        if name not in COMMON:
            together.setdefault(_set_of(option, spec), []).append(option_usage(option))
    return [f"[{'|'.join(options)}]" for options in together.values()]


def _set_of(option: Option, spec: CommandSpec) -> str:
    """What options that exclude each other have in common."""
    return option.group or next((pair[0] for pair in spec.conflicts if option.name in pair), option.name)


def option_usage(option: Option) -> str:
    """`--near "<text>"`, `--full`."""
    return option.written if option.kind is None else f"{option.written} {option.kind.label}"
