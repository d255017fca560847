"""`help`, usage lines, and the reference page."""

from __future__ import annotations

import pytest

from oryn.errors import LanguageError
from oryn.language import COMMANDS, Command, Drag, Exit, HeadersSet, Select, Type, help_text, usage
from oryn.language.reference import reference_page


def test_the_list_has_every_verb_by_family() -> None:
    listed = help_text()
    assert listed.splitlines()[0] == "Moving: goto back forward refresh url"
    for command in COMMANDS:
        line = next(line for line in listed.splitlines() if line.startswith(f"{command.spec.family}: "))
        assert command.spec.path[0] in line.split()


def test_one_command() -> None:
    assert help_text("type") == (
        'type <target> "<text>" [--append|--clear] [--enter] [--delay <ms>]\n'
        "  Type text into a field, replacing its content.\n"
        "  <target>  the field\n"
        '  "<text>"  what to type\n'
        "  --append  keep the content, and type after it\n"
        "  --enter  press Enter after the text\n"
        "  --clear  clear it first; this is the default\n"
        "  --delay <ms>  milliseconds between keys\n"
        "  also --strict, --timeout <duration>\n"
        "  other names: fill\n"
        '  example: type email "ann@example.com" --enter'
    )


def test_a_verb_with_sub_commands_and_one_of_them() -> None:
    usages = [part.splitlines()[0] for part in help_text("tab").split("\n\n")]
    assert usages == ["tab new <url>", "tab switch <n>", "tab close [<n>]", "tab take <n>", "tab release [<n>]"]
    assert help_text("TAB Switch") == help_text("tab").split("\n\n")[1]


def test_aliases_and_case() -> None:
    assert help_text("FILL") == help_text("type")
    assert help_text("go to") == help_text("goto")


def test_no_such_command() -> None:
    assert help_text("clik") == "no command clik; did you mean click?"
    assert help_text("zzz") == "no command zzz; help lists the commands"


@pytest.mark.parametrize(
    ("command", "line"),
    [
        (Type, 'type <target> "<text>" [--append|--clear] [--enter] [--delay <ms>] [--strict] [--timeout <duration>]'),
        (Drag, "drag <target> [to <target>] [--offset <dx,dy>] [--strict] [--timeout <duration>]"),
        (Select, 'select <target> "<value or text>"…|<index> [--strict] [--timeout <duration>]'),
        (HeadersSet, "headers set [<domain>] <json> [--timeout <duration>]"),
        (Exit, "exit"),
    ],
)
def test_usage(command: type[Command], line: str) -> None:
    assert usage(command) == line


@pytest.mark.parametrize("command", COMMANDS, ids=lambda command: command.__name__)
def test_the_reference_page_has_every_command(command: type[Command]) -> None:
    page = reference_page()
    section = page.split(f"### `{usage(command).split(' [--strict]')[0].split(' [--timeout')[0]}`\n", 1)[1].split(
        "###"
    )[0]
    assert command.spec.help in section
    assert all(
        option.written in section for name, option in command.spec.options.items() if name not in ("timeout", "strict")
    )


def test_the_reference_page_has_every_error() -> None:
    assert all(f"`{error.code}`" in reference_page() for error in LanguageError.__subclasses__())
