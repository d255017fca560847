"""The file that a command writes has one option with the same names everywhere, in lines, words and data."""

from __future__ import annotations

import shlex

import pytest

from oryn.errors import LanguageError, UnexpectedInput
from oryn.language import api_vocabulary
from oryn.language.argv import parse_argv
from oryn.language.command import OUTPUT_NAMES, CommandSpec
from oryn.language.json_codec import line_from_json
from oryn.language.kinds import OUTPUT
from oryn.language.line import parse

WRITING = {
    "screenshot": "screenshot --output {}",
    "zoom 5": "zoom 5 --output {}",
    "notes picture 2": "notes picture 2 --output {}",
    "export login": "export login --output {}",
    "extract a.org": "extract a.org --output {}",
    "crawl a.org": "crawl a.org --output {}",
    "map a.org": "map a.org --output {}",
    'research "x"': 'research "x" --output {}',
    'graph "x"': 'graph "x" --output {}',
    "pdf": "pdf {}",
    "har stop": "har stop {}",
    "trace start": "trace start {}",
    "trace stop": "trace stop {}",
    "record start": "record start {}",
    "state save": "state save {}",
}


def test_all_commands_that_write_are_among_them() -> None:
    specs = [spec for verb in api_vocabulary().verbs.values() for spec in verb.commands]
    described = {spec.name for spec in specs if _writes(spec)}
    found = [parse(f"{line} --to x", api_vocabulary()).command for line in WRITING]
    assert described == {command.spec.name for command in found if command}


def _writes(spec: CommandSpec) -> bool:
    fields = (*spec.arguments, *spec.options.values())
    return any(each.kind is OUTPUT or each.help.startswith("the file to write") for each in fields)


@pytest.mark.parametrize("name", OUTPUT_NAMES)
@pytest.mark.parametrize("line", WRITING)
def test_each_name_means_the_file(line: str, name: str) -> None:
    canonical = WRITING[line].format("a.x")
    assert parse(f"{line} --{name} a.x", api_vocabulary()).canonical == canonical
    words = [word.strip('"') for word in line.split()]
    assert parse_argv([*words, f"--{name}", "a.x"]).canonical == canonical
    assert parse_argv([*words, f"--{name}=a.x"]).canonical == canonical


@pytest.mark.parametrize("name", OUTPUT_NAMES)
def test_data_may_use_each_name(name: str) -> None:
    for command, arguments in (
        ("screenshot", {}),
        ("pdf", {}),
        ("extract", {"urls": ["a.org"]}),
        ("map", {"url": "a.org"}),
    ):
        line = line_from_json(command, {**arguments, name: "a.x"}, api_vocabulary())
        assert line.canonical.endswith(" a.x"), command


def test_other_commands_have_other_meanings_for_them() -> None:
    assert parse("drag 1 to 2").canonical == "drag 1 to 2"
    for line in ("upload File --to x", "state load --output x", "click 1 --output x", "script add --out x"):
        with pytest.raises(LanguageError):
            parse(line)


@pytest.mark.parametrize(
    ("line", "canonical"),
    [
        ("screenshot page.png", "screenshot --output page.png"),
        ("screenshot ./Shots/Page.JPG --fullpage", "screenshot --output ./Shots/Page.JPG --fullpage"),
        ("screenshot 5 /tmp/a.webp", "screenshot 5 --output /tmp/a.webp"),
        ('screenshot "Sign in" near "Top" a.jpeg', 'screenshot "Sign in" near "Top" --output a.jpeg'),
        ('screenshot "page.png"', 'screenshot "page.png"'),
        ("screenshot page", 'screenshot "page"'),
        ("screenshot .png-list", 'screenshot ".png-list"'),
        ("click page.png", 'click "page.png"'),
    ],
)
def test_a_word_with_the_suffix_of_a_picture_is_its_file(line: str, canonical: str) -> None:
    assert parse(line).canonical == canonical
    words = shlex.split(line.replace('"page.png"', "'\"page.png\"'"))
    assert parse_argv(words).canonical == canonical


def test_two_files_are_one_too_many() -> None:
    with pytest.raises(UnexpectedInput, match="screenshot has two files") as raised:
        parse("screenshot logo.png --output page.png")
    assert "in quotes" in (raised.value.hint or "")
