"""Renders the reference page of the language from the table of commands: `docs/reference.md`."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping

from oryn.errors import LanguageError
from oryn.language.command import CommandSpec
from oryn.language.commands import COMMANDS
from oryn.language.commands.host import HOST_COMMANDS
from oryn.language.commands.research import RESEARCH_COMMANDS
from oryn.language.help import COMMON_OPTIONS, option_usage, spec_usage
from oryn.language.kinds.keys import KEYS
from oryn.language.targets import RELATIONS, ROLE_ALIASES, ROLES


def _code_list(words: Iterable[str]) -> str:
    return " ".join(f"`{word}`" for word in words)


_TARGETS = f"""\
| form | meaning |
|---|---|
| `5` | element `[5]` of the last observation |
| `@e5` | element `@e5` of the last snapshot |
| `"Sign in"` | text, label, placeholder, then `name` or `id`; a single word may stand without quotes |
| `button "Save"` `[5] input/email "E-mail"` | the element of that kind with that text, as observations print it |
| {_code_list(ROLES)} | the element with that role (also {_code_list(ROLE_ALIASES)}) |
| `css("…")` `xpath("…")` | a selector; a text such as `".error"` or `"ul > li"` is one if nothing shows it |
| `at(120,300)` | a point of the viewport, in CSS pixels |
| {" ".join(f"`A {relation} B`" for relation in RELATIONS)} | a relation; chains associate to the right |
| `A in "B"` | the same as `A inside "B"` |
"""

_INTRODUCTION = f"""\
# The commands

Made by `make docs` from `src/oryn/language/commands/`. One command a line; `#` after a space begins a comment. In a
usage line `<x>` stands for a value, `[…]` may be left out, `a|b` is a choice, `…` may be repeated. What stands in
quotes is a string, and a single word may stand without them; options may also be written `-name` or `name`.
`@name <command>` runs a command in the session of that name.

Every command but `exit` takes `--timeout <duration>` (`500ms`, `1.5s`, `2m`; `10` is ten seconds). Every command with a
`<target>` takes `--strict`: several elements that fit equally well are then an error.

## Targets

{_TARGETS}
## Keys

{_code_list(KEYS)}, and single characters; `+` joins them: `control+shift+a`.
"""


def reference_page(dialogues: Mapping[str, str] | None = None) -> str:
    """Return the whole page, in Markdown.

    dialogues: blocks of Markdown instead of examples, by the command's name (`cookies get`), with its first choice if
        it has choices (`wait load`)."""
    families: dict[str, list[CommandSpec]] = {}
    for command in COMMANDS:
        families.setdefault(command.spec.family, []).append(command.spec)
    unused = dict(dialogues or {})
    sections = (_family_section(title, specs, unused) for title, specs in families.items())
    return "\n".join((_INTRODUCTION, _guarantee_section(), *sections, _api_section(), _error_section()))


GUARANTEE_HEAD = "| command | what is true after it |\n|---|---|\n"


def guarantee_rows() -> str:
    """Return the rows of the table of what commands guarantee, below `GUARANTEE_HEAD`."""
    specs = (command.spec for command in COMMANDS if command.spec.guarantee is not None)
    return "".join(f"| `{spec.name}` | {spec.guarantee} |\n" for spec in specs)


def _guarantee_section() -> str:
    return f"""\
## What a command guarantees

Unless this is true when the page has settled, the answer is an error, mostly `NOT_DONE`, which says what is true
instead, and what has changed. Nothing is claimed of an element that has gone, of another page, or while a dialog is
open.

{GUARANTEE_HEAD}{guarantee_rows()}"""


def _family_section(title: str, specs: list[CommandSpec], dialogues: dict[str, str]) -> str:
    return "\n".join((f"## {title}\n", *(line for spec in specs for line in _command_section(spec, dialogues))))


def _command_section(spec: CommandSpec, dialogues: dict[str, str]) -> Iterator[str]:
    yield f"### `{spec_usage(spec)}`\n"
    yield f"{spec.help}.\n"
    yield from (f"* `{argument.kind.label}`: {argument.help}" for argument in spec.arguments)
    own = [option for name, option in spec.options.items() if name not in COMMON_OPTIONS]
    for option in own:
        also = f"; also {', '.join(f'`--{alias}`' for alias in option.aliases)}" if option.aliases else ""
        yield f"* `{option_usage(option)}`: {option.help}{also}"
    if spec.arguments or own:
        yield ""
    if spec.aliases:
        yield f"Also {', '.join(f'`{alias}`' for alias in spec.aliases)}.\n"
    if spec.api_aliases:
        yield f"On the command line also {', '.join(f'`{alias}`' for alias in spec.api_aliases)}.\n"
    # Commands that share a name share a dialogue.
    if dialogue := dialogues.pop(" ".join((spec.name, *spec.choice[:1])), None):
        yield f"{dialogue}\n"
    elif spec.example:
        yield f"Example: `{spec.example}`\n"


def _api_section() -> str:
    """Return the section about the API vocabulary's differences."""
    renamed = [command.spec for command in COMMANDS if command.spec.api_name != command.spec.name]
    rows = "\n".join(f"| `{spec.api_name}` | `{spec.name}` |" for spec in renamed)
    host = "\n".join(
        line for command in (*HOST_COMMANDS, *RESEARCH_COMMANDS) for line in _command_section(command.spec, {})
    )
    return f"""\
## On the command line and over HTTP

There a few words mean something else than in a line (`oryn run` runs a script), so these commands have other names:

| name there | command |
|---|---|
{rows}

And there are commands of the host of sessions, which are no lines:

{host}"""


def _error_section() -> str:
    rows = "\n".join(f"| `{error.code}` | {error.phase} |" for error in LanguageError.__subclasses__())
    return f"## Errors of the language\n\n| code | phase |\n|---|---|\n{rows}\n"
