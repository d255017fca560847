"""The table of commands as tools of models."""

from __future__ import annotations

import json

import pytest

from oryn.errors import UnknownCommand
from oryn.language import api_vocabulary, parse
from oryn.language.vocabulary import LINE_VOCABULARY
from oryn.tools import LINE_TOOL, anthropic, openai, tools
from oryn.tools.catalog import CORE, NAMED_COMMANDS
from tests import token_count


def test_every_verb_of_the_table_is_a_tool_but_the_answers_that_a_person_gives() -> None:
    names = [tool.name for tool in tools("all")]
    assert set(names) == {LINE_TOOL, *api_vocabulary().verbs} - {"confirm", "deny"}
    assert len(names) == len(set(names))


@pytest.mark.slow
def test_the_core_is_compact() -> None:
    assert token_count.count(json.dumps(openai(tools("core")), separators=(",", ":"))) <= 1_000


@pytest.mark.parametrize("tool", tools("all"), ids=lambda tool: tool.name)
def test_every_argument_of_a_tool_is_one_of_a_command_and_says_what_it_is_for(tool) -> None:  # type: ignore[no-untyped-def]
    assert tool.description
    assert tool.parameters["type"] == "object"
    assert set(tool.parameters.get("required", ())) <= set(tool.parameters["properties"])
    if tool.name != LINE_TOOL:
        assert all("description" in each or "enum" in each for each in tool.parameters["properties"].values())


def test_core_tools_take_a_part_of_what_the_whole_tool_takes() -> None:
    whole = {tool.name: tool.parameters for tool in tools("all")}
    for tool in tools("core"):
        assert tool.parameters["properties"].items() <= whole[tool.name]["properties"].items()
        required = {*tool.parameters.get("required", ())}
        assert required >= {*whole[tool.name].get("required", ())}
        # Of several arguments that are alternatives, the one that is left is required.
        assert not required or required <= {*tool.parameters["properties"]}


def test_what_the_tool_for_lines_names_and_shows_is_of_the_language() -> None:
    assert set(NAMED_COMMANDS) <= {*LINE_VOCABULARY.verbs}
    assert not {*NAMED_COMMANDS} & {*CORE}
    examples = tools([LINE_TOOL])[0].description.partition("Examples: ")[2]
    assert len([parse(line.strip()) for line in examples.split(";")]) == 5


@pytest.mark.parametrize("name", ["observe", "text", "url", "screenshot", "count", "help", "tabs"])
def test_what_only_looks_says_so(name: str) -> None:
    (tool,) = tools([name])
    assert (tool.read_only, tool.destructive, tool.idempotent) == (True, False, True)


@pytest.mark.parametrize("name", ["click", "oryn", "cookies", "tab", "session", "close", "run_intent", "eval", "exit"])
def test_what_may_change_or_take_away_something_says_so(name: str) -> None:
    (tool,) = tools([name])
    assert (tool.read_only, tool.destructive) == (False, True)


@pytest.mark.parametrize("name", ["goto", "back", "tab", "search", "extract", "scroll", "device"])
def test_what_sends_something_or_leaves_something_changed_is_no_look(name: str) -> None:
    """A URL and a query carry what a model puts into them."""
    (tool,) = tools([name])
    assert not tool.read_only


def test_what_only_looks_is_safe() -> None:
    for verb in api_vocabulary().verbs.values():
        assert all(spec.safe for spec in verb.commands if spec.reads)


@pytest.mark.parametrize("name", ["pdf", "state", "har", "trace", "record"])
def test_what_is_there_to_write_files_is_not_read_only(name: str) -> None:
    assert not tools([name])[0].read_only


def test_a_choice_of_several_commands_is_one_property() -> None:
    (wait,) = tools(["wait"])
    action = wait.parameters["properties"]["action"]
    assert action["enum"][:4] == ["load", "idle", "navigation", "ready"]
    assert (
        wait.description.splitlines()[1]
        == "visible|hidden|enabled|disabled|exists|gone (target): Wait until an element is in a state."
    )
    assert "timeout" in wait.parameters["properties"]
    (media,) = tools(["media"])
    values = media.parameters["properties"]["value"]["enum"]
    assert values[:4] == ["dark", "light", "reduce", "no-preference"]
    assert values[4:] == ["more", "less", "custom", "active", "none", "screen", "print"]


def test_a_set_of_names_may_be_given_and_a_wrong_one_gets_the_nearest() -> None:
    assert [tool.name for tool in tools(["click", LINE_TOOL])] == ["click", LINE_TOOL]
    assert "double" in tools(["click"])[0].parameters["properties"]
    with pytest.raises(UnknownCommand) as raised:
        tools(["clack"])
    assert raised.value.hint == "did you mean click?"
    with pytest.raises(UnknownCommand):
        tools(["confirm"])


def test_the_shapes_of_vendors() -> None:
    (tool,) = tools(["back"])
    empty = {"type": "object", "properties": {}}
    about = {"name": "back", "description": "Go back in the history."}
    assert openai([tool]) == [{"type": "function", "function": {**about, "parameters": empty}}]
    assert anthropic([tool]) == [{**about, "input_schema": empty}]
