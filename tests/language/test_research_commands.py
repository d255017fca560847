"""The commands of research, which only APIs have, and the kind of value that they brought: several in one."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from oryn.errors import InvalidValue, LanguageError, MissingArgument
from oryn.language import COMMANDS, Command, api_vocabulary, parse, render
from oryn.language.argv import parse_argv
from oryn.language.commands.host import HOST_COMMANDS
from oryn.language.commands.research import (
    RESEARCH_COMMANDS,
    CollectionDrop,
    Collections,
    Crawl,
    Graph,
    Investigate,
    MapSite,
    WebExtract,
    WebSearch,
)
from oryn.language.json_codec import command_json, line_from_json
from oryn.language.kinds import REGIONS, ROLES
from oryn.tools import tools

CASES: list[tuple[list[str], Command]] = [
    (["search", "how", "do", "ferns", "grow", "--limit", "3"], WebSearch("how do ferns grow", limit=3)),
    (["search", "ferns", "--source=hybrid", "--rerank"], WebSearch("ferns", source="hybrid", rerank=True)),
    (["extract", "a.org", "b.org/x", "--links"], WebExtract(("https://a.org", "https://b.org/x"), links=True)),
    (["extract", "--tab", "--format", "json"], WebExtract(None, tab=True, format="json")),
    (
        ["extract", "a.org", "--schema", "plant.json", "--next", "--pages", "3"],
        WebExtract(("https://a.org",), schema="plant.json", next=True, pages=3),
    ),
    (
        ["extract", "a.org", "--schema", '{"properties": {"a b": {}}}'],
        WebExtract(("https://a.org",), schema='{"properties": {"a b": {}}}'),
    ),
    (["crawl", "a.org", "--delay", "0"], Crawl(("https://a.org",), delay=0.0)),
    (["crawl", "a.org", "--delay", "500ms", "--resume", "ferns"], Crawl(("https://a.org",), delay=0.5, resume="ferns")),
    (
        ["crawl", "a.org", "--exclude", " */login*  *.zip", "--sitemaps"],
        Crawl(("https://a.org",), exclude=("*/login*", "*.zip"), sitemaps=True),
    ),
    (["research", "ferns", "--url", "a.org b.org"], Investigate("ferns", url=("https://a.org", "https://b.org"))),
    (["graph", "Boston", "fern", "--website", "a.org"], Graph("Boston fern", website="https://a.org")),
    (
        ["map", "a.org", "--limit", "50", "--include", "/docs/*"],
        MapSite("https://a.org", limit=50, include=("/docs/*",)),
    ),
    (["index"], Collections()),
    (["index", "drop", "ferns"], CollectionDrop("ferns")),
]


@pytest.mark.parametrize(("words", "command"), CASES, ids=lambda each: " ".join(each) if isinstance(each, list) else "")
def test_canonical_text_of_a_command_parses_to_it(words: list[str], command: Command) -> None:
    assert parse_argv(words).command == command
    assert parse(render(command), api_vocabulary()).command == command
    form = command_json(command)
    assert line_from_json(form["name"], form["arguments"], api_vocabulary()).command == command


def test_every_command_is_tried_here() -> None:
    assert {type(command) for _, command in CASES} == set(RESEARCH_COMMANDS)


@pytest.mark.parametrize(
    ("words", "error"),
    [
        (["search"], MissingArgument),
        (["crawl"], MissingArgument),
        (["crawl", "a.org", "--exclude", "  "], InvalidValue),
        (["research", "ferns", "--url", "a.org javascript:1"], InvalidValue),
        (["extract", "a.org", "--format", "yaml"], InvalidValue),
        (["index", "drop"], MissingArgument),
        (["index", "dorp", "x"], LanguageError),
    ],
    ids=lambda each: " ".join(each) if isinstance(each, list) else "",
)
def test_invalid_research_command_is_an_error(words: list[str], error: type[LanguageError]) -> None:
    with pytest.raises(error):
        parse_argv(words)


OPTIONS = [
    (command, option.name)
    for command in (*COMMANDS, *HOST_COMMANDS, *RESEARCH_COMMANDS)
    for option in command.spec.options.values()
    if option.kind is not None and option.kind.is_cumulative
]
"""Every option of the table whose value is a list."""


@pytest.mark.parametrize(
    ("command", "name"), OPTIONS, ids=lambda each: each if isinstance(each, str) else each.__name__
)
def test_an_option_that_takes_a_list_adds_up_in_every_interface(command: type[Command], name: str) -> None:
    argument = command.spec.arguments[0] if command.spec.arguments else None
    begun = [*command.spec.path, *(["a.org"] if argument else [])]
    needed = {} if argument is None else {argument.name: ["a.org"] if argument.many else "a.org"}
    values = ("https://b.org/x", "https://c.org/y", "https://d.org/z", "https://b.org/x")
    if command.spec.options[name].kind is ROLES:
        values = ("button", "link", "textbox", "button")
    expected: tuple[object, ...] = values
    if command.spec.options[name].kind is REGIONS:
        values = ("0,0,20,10", "5,5,1,1", "9,9,2.5,3", "0,0,20,10")
        expected = ((0, 0, 20, 10), (5, 5, 1, 1), (9, 9, 2.5, 3), (0, 0, 20, 10))
    repeated = [word for value in values for word in (f"--{name}", value)]
    lines = [
        parse_argv([*begun, *repeated]),
        parse_argv([*begun, *(f"--{name}={value}" for value in values)]),
        parse_argv([*begun, f"--{name}", " ".join(values[:2]), f"-{name}", " ".join(values[2:])]),
        parse_argv([*begun, f"--{name}", " ".join(values)]),
        parse(" ".join([*begun, *repeated]), api_vocabulary()),
        parse(" ".join([*begun, f'-{name} {values[0]} --{name} "{" ".join(values[1:])}"']), api_vocabulary()),
        line_from_json(command.spec.name, needed | {name: list(values)}, api_vocabulary()),
        line_from_json(command.spec.name, needed | {name: " ".join(values)}, api_vocabulary()),
    ]
    for line in lines:
        assert getattr(line.command, name) == expected, line.canonical
        assert line.command is not None
        assert parse(line.canonical, api_vocabulary()).command == line.command
        assert parse(line.canonical, api_vocabulary()).canonical == line.canonical
        assert parse(render(line.command), api_vocabulary()).command == line.command


def test_a_value_of_a_list_that_would_become_two_is_refused() -> None:
    with pytest.raises(InvalidValue, match="exclude can't be"):
        line_from_json("crawl", {"urls": ["a.org"], "exclude": ["*/my file*"]}, api_vocabulary())


@given(st.lists(st.text(min_size=1).filter(lambda text: len(text.split()) == 1 and text == text.strip()), min_size=1))
@settings(deadline=None)
def test_several_values_are_read_back(values: list[str]) -> None:
    command = Crawl(("https://a.org",), include=tuple(values))
    assert parse(render(command), api_vocabulary()).command == command


def test_a_model_gives_several_as_a_list() -> None:
    crawl = next(tool for tool in tools("all") if tool.name == "crawl")
    properties: dict[str, Any] = crawl.parameters["properties"]
    assert properties["exclude"]["type"] == properties["urls"]["type"] == "array"
    command = line_from_json("crawl", {"urls": ["a.org"], "exclude": ["*/login*", "*.zip"]}, api_vocabulary()).command
    assert command == Crawl(("https://a.org",), exclude=("*/login*", "*.zip"))


def test_a_schema_is_an_object_or_a_file_in_every_interface() -> None:
    schema = {"type": "object", "properties": {"price": {"type": "number"}}}
    command = line_from_json("extract", {"urls": ["a.org"], "schema": schema}, api_vocabulary()).command
    assert isinstance(command, WebExtract) and command.schema is not None and json.loads(command.schema) == schema
    assert parse(render(command), api_vocabulary()).command == command
    line = parse('extract a.org --schema {"properties": {"a": {}}} --next', api_vocabulary())
    assert line.command == WebExtract(("https://a.org",), schema='{"properties": {"a": {}}}', next=True)
    assert parse(line.canonical, api_vocabulary()).command == line.command
    named = line_from_json("extract", {"urls": ["a.org"], "schema": "my plant.json"}, api_vocabulary()).command
    assert named == WebExtract(("https://a.org",), schema="my plant.json")


@pytest.mark.parametrize("text", ['{"a": ', "{'a': 1}", '{"a": 1} {'])
def test_a_schema_that_is_no_json_is_refused(text: str) -> None:
    with pytest.raises(LanguageError):
        parse_argv(["extract", "a.org", "--schema", text])


def test_lines_have_none_of_them() -> None:
    """There, `search` and `extract` are the page's."""
    for command in RESEARCH_COMMANDS:
        verb = command.spec.path[0]
        if verb not in ("search", "extract"):
            with pytest.raises(LanguageError):
                parse(verb)
