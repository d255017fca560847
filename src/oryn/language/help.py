"""The text of `help`: all commands by family, or one with its options."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from oryn.language.command import CommandSpec
from oryn.language.suggestions import did_you_mean
from oryn.language.usage import COMMON, option_usage, usage
from oryn.language.vocabulary import LINES, Verb, Vocabulary


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
    if tuple(words[:2]) in vocabulary.phrases:
        words = words[1:]
    specs = dict.fromkeys(_meant(verb, words[1:]), verb.name)
    if len(words) == 1:  # `tab` has `tab list`, which is `tabs`
        for phrase, name in vocabulary.phrases.items():
            if phrase[0] == verb.name:
                specs |= {spec: " ".join(phrase) for spec in vocabulary.verbs[name].commands if spec not in specs}
    return "\n\n".join("\n".join(_explain(*each, vocabulary)) for each in specs.items())


def _meant(verb: Verb, words: Sequence[str]) -> Sequence[CommandSpec]:
    """The command that the words behind a verb choose (`drop` of `index`, `visible` of `wait`), else all of them."""
    chosen = verb.chosen.get(words[0]) if len(words) == 1 else None
    return [chosen] if chosen else verb.commands


def _list(vocabulary: Vocabulary) -> Iterator[str]:
    for family, verbs in vocabulary.families.items():
        yield f"{family}: {' '.join(verbs)}"
    yield "help <command> explains one."


def _explain(spec: CommandSpec, verb: str, vocabulary: Vocabulary) -> Iterator[str]:
    yield verb + usage(spec).removeprefix(spec.path[0])
    yield f"  {spec.help}."
    for argument in spec.arguments:
        yield f"  {argument.kind.label}  {argument.help}"
    for name, option in spec.options.items():
        if name not in COMMON:
            also = f"; also {', '.join(f'--{alias}' for alias in option.aliases)}" if option.aliases else ""
            yield f"  {option_usage(option)}  {option.help}{also}"
    common = [option_usage(option) for name, option in spec.options.items() if name in COMMON]
    if common:
        yield f"  also {', '.join(common)}"
    aliases = [*spec.aliases, *(spec.door_aliases if vocabulary is not LINES else ())]
    if names := [alias for alias in aliases if alias != verb]:
        yield f"  other names: {', '.join(names)}"
    if spec.example:
        yield f"  example: {verb}{spec.example.removeprefix(spec.path[0])}"
