"""Usage lines, such as `type <target> "<text>" [--append|--clear] [--enter] [--delay <ms>]`, and the text of `help`:
all commands by family, or one with its options."""

from __future__ import annotations

from collections.abc import Iterator

from oryn.core.suggestions import did_you_mean
from oryn.language.command import Argument, Command, CommandSpec, Option
from oryn.language.targets import RELATIONS, ROLES
from oryn.language.vocabulary import LINE_VOCABULARY, Verb, Vocabulary

COMMON_OPTIONS = ("timeout", "strict")
"""Options that nearly every command has; a usage line leaves them out by default."""


TARGETS_HELP = f"""\
A <target> is one of:
  5  the element with that number in the last observation; @e5  of the last snapshot
  "Sign in"  its text, label, placeholder, name or id: exact first, then in another case, then as words of it
  button "Save"  the element of that kind, as observations print it: a role of ARIA's or a type; also [5] button "Save"
  {" ".join(ROLES)}  the element with that role
  css("…")  xpath("…")  a selector; a text such as ".error" or "ul > li" is one if nothing shows it
  at(120,300)  a point of the viewport, in CSS pixels from its top left corner: for a canvas, a map, or an element
    without a name; 'observe --positions' and 'box' show the positions of elements, 'screenshot' takes a picture
  "Add" {" | ".join(RELATIONS)} "Total"  the one of several matches in that position
drag also takes an offset, in CSS pixels to the right and down: drag 3 --offset 120,0 drags 3 by that distance;
  drag 3 to 8 --offset -20,40 drops it at that distance from the middle of 8."""
"""The text of `help targets`."""


def spec_usage(spec: CommandSpec, *, common: bool = False) -> str:
    """Return the usage line of one command. `common` includes the options of `COMMON_OPTIONS`."""
    parts = [*spec.path, *(_argument_usage(each) for each in spec.arguments), *_option_usages(spec)]
    if spec.open:
        parts.append("[--<parameter> <value>]…")
    if common:
        parts += [f"[{option_usage(option)}]" for name, option in spec.options.items() if name in COMMON_OPTIONS]
    return " ".join(parts)


def usage(command: type[Command]) -> str:
    """Return the usage line of a command's class, with every option."""
    return spec_usage(command.spec, common=True)


def verb_usage(verb: Verb) -> str:
    """Return the usage lines of all commands of a verb, in one line."""
    return " | ".join(spec_usage(spec) for spec in verb.commands)


def _argument_usage(argument: Argument) -> str:
    label = argument.kind.label
    if argument.many and "…" not in label:
        label += "…"
    if argument.lead:
        label = f"{argument.lead} {label}"
    return label if argument.required else f"[{label}]"


def _option_usages(spec: CommandSpec) -> list[str]:
    """Return the options in brackets; options that exclude each other share one pair."""
    together: dict[str, list[str]] = {}
    arguments = {each.name for each in spec.arguments}
    pairs = [pair for pair in spec.conflicts if arguments.isdisjoint(pair)]
    for name, option in spec.options.items():
        if name not in COMMON_OPTIONS:
            group = option.group or next((pair[0] for pair in pairs if option.name in pair), option.name)
            together.setdefault(group, []).append(option_usage(option))
    return [f"[{'|'.join(options)}]" for options in together.values()]


def option_usage(option: Option) -> str:
    """Return an option's form in a usage line: `--near "<text>"`, `--full`."""
    return option.written if option.kind is None else f"{option.written} {option.kind.label}"


def help_text(name: str | None = None, vocabulary: Vocabulary = LINE_VOCABULARY) -> str:
    """Return the list of commands, or usage and options of the commands that begin with the verb `name`.

    Case and alias don't matter, and a sub-command may follow (`cookies set`). For an unknown name the text suggests the
    nearest one. `vocabulary` selects the commands; APIs pass their own."""
    if not name or not name.strip():
        return "\n".join(_command_list(vocabulary))
    words = name.lower().split()
    if words == ["targets"]:
        return TARGETS_HELP
    verb = vocabulary.find(*words)
    if verb is None:
        suggestion = did_you_mean(words[0], vocabulary.names)
        return f"no command {words[0]}; {suggestion or 'help lists the commands'}"
    if tuple(words[:2]) in vocabulary.phrases:
        words = words[1:]
    chosen = verb.chosen.get(words[1]) if len(words) == 2 else None  # `drop` of `index`, `visible` of `wait`
    specs = dict.fromkeys([chosen] if chosen else verb.commands, verb.name)
    if len(words) == 1:  # `tab` has `tab list`, which is `tabs`
        for phrase, name in vocabulary.phrases.items():
            if phrase[0] == verb.name:
                specs |= {spec: " ".join(phrase) for spec in vocabulary.verbs[name].commands if spec not in specs}
    return "\n\n".join("\n".join(_command_help(*each, vocabulary)) for each in specs.items())


def _command_list(vocabulary: Vocabulary) -> Iterator[str]:
    for family, verbs in vocabulary.families.items():
        yield f"{family}: {' '.join(verbs)}"
    yield "help <command> explains one; help targets, how to name an element."


def _command_help(spec: CommandSpec, verb: str, vocabulary: Vocabulary) -> Iterator[str]:
    yield verb + spec_usage(spec).removeprefix(spec.path[0])
    yield f"  {spec.help}."
    for argument in spec.arguments:
        yield f"  {argument.kind.label}  {argument.help}"
    for name, option in spec.options.items():
        if name not in COMMON_OPTIONS:
            also = f"; also {', '.join(f'--{alias}' for alias in option.aliases)}" if option.aliases else ""
            yield f"  {option_usage(option)}  {option.help}{also}"
    common = [option_usage(option) for name, option in spec.options.items() if name in COMMON_OPTIONS]
    if common:
        yield f"  also {', '.join(common)}"
    aliases = [*spec.aliases, *(spec.api_aliases if vocabulary is not LINE_VOCABULARY else ())]
    if names := [alias for alias in aliases if alias != verb]:
        yield f"  other names: {', '.join(names)}"
    if spec.example:
        yield f"  example: {verb}{spec.example.removeprefix(spec.path[0])}"
