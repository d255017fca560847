"""Tools: which there are, what they answer, and what is refused."""

from __future__ import annotations

import base64
import json
from typing import Any

import jsonschema
import pytest
from mcp.shared.exceptions import MCPDeprecationWarning, MCPError
from mcp_types import INVALID_PARAMS

from oryn.language import api_vocabulary
from oryn.language.command import HOST_SCOPES
from oryn.mcp.catalog import mcp_name
from oryn.tools import tools
from tests.headless.conftest import Pages
from tests.mcp.conftest import Connect, text_of
from tests.token_count import count

pytestmark = pytest.mark.browser

FORM = "<title>Sign up</title><input name=email placeholder=Email><button onclick='document.title=1'>Join</button>"


async def test_an_assistant_looks_and_acts(connect: Connect, era: str, pages: Pages) -> None:
    pages["/"] = FORM
    async with connect(era) as assistant:
        gone = await assistant.call_tool("goto", {"url": pages.url()})
        assert text_of(gone) == f'ok goto {pages.url()}\n\n@ {pages.url()[7:-1]} "Sign up"'
        assert gone.structured_content == {
            "ok": True,
            "command": f"goto {pages.url()}",
            "page": {"url": pages.url(), "title": "Sign up"},
        }
        seen = await assistant.call_tool("observe")
        assert text_of(seen).splitlines()[2:] == ['[1] input/email "Email"', '[2] button "Join"']
        assert [each["text"] for each in seen.structured_content["elements"]] == ["Email", "Join"]
        typed = await assistant.call_tool("type", {"target": "1", "text": "ann@example.org"})
        assert text_of(typed).startswith('ok type 1 "ann@example.org"')
        assert not typed.is_error
        pressed = await assistant.call_tool("click", {"target": "Join"})
        assert text_of(pressed).startswith('ok click "Join"')
        assert (await assistant.call_tool("oryn", {"line": "title"})).structured_content["result"] == "1"


@pytest.mark.slow
async def test_an_error_is_a_result_with_its_code_and_a_hint(connect: Connect, era: str, pages: Pages) -> None:
    pages["/"] = FORM
    async with connect(era) as assistant:
        await assistant.call_tool("goto", {"url": pages.url()})
        missed = await assistant.call_tool("click", {"target": "Leave"})
        assert missed.is_error
        assert missed.structured_content["error"]["code"] == "ELEMENT_NOT_FOUND"
        assert missed.structured_content["error"]["message"] in text_of(missed)
        assert "# hint" in text_of(missed)


@pytest.mark.parametrize(
    ("name", "arguments", "code"),
    [
        ("click", {}, "MISSING_ARGUMENT"),
        ("click", {"target": {"css": "(("}}, "SELECTOR_INVALID"),
        ("click", {"target": "5", "tagret": "6"}, "UNEXPECTED_INPUT"),
        ("click", {"target": {"id": []}}, "INVALID_VALUE"),
        ("observe", {"limit": "many"}, "INVALID_VALUE"),
        ("scroll", {"direction": "sideways"}, "INVALID_VALUE"),
        ("oryn", {}, "MISSING_ARGUMENT"),
        ("oryn", {"line": 5}, "MISSING_ARGUMENT"),
        ("oryn", {"line": "# nothing"}, "MISSING_ARGUMENT"),
        ("oryn", {"line": "dance"}, "UNKNOWN_COMMAND"),
        ("oryn", {"line": "click 1\nclick 2"}, "UNEXPECTED_INPUT"),
        ("oryn", {"line": "confirm c_12345678"}, "UNKNOWN_COMMAND"),
        ("oryn", {"line": "exit"}, "NOT_SUPPORTED"),
        ("oryn", {"line": "output json"}, "NOT_SUPPORTED"),
        ("oryn", {"line": "session other"}, "NOT_SUPPORTED"),
        ("oryn", {"line": "@nobody observe"}, "SESSION_NOT_FOUND"),
    ],
)
async def test_invalid_tool_call_reports_its_error(connect: Connect, name: str, arguments: Any, code: str) -> None:
    async with connect("auto") as assistant:
        await assistant.call_tool("goto", {"url": "about:blank"})
        answer = await assistant.call_tool(name, arguments)
        assert answer.is_error
        assert answer.structured_content["error"]["code"] == code, answer.structured_content
        # The session goes on.
        assert not (await assistant.call_tool("observe")).is_error


@pytest.mark.parametrize(
    ("name", "told"),
    [
        ("clik", "Unknown tool: clik. did you mean click?"),
        ("confirm", "Unknown tool: confirm"),
        ("cookies", "Unknown tool: cookies"),
        ("x" * 300, "Unknown tool: " + "x" * 80),
    ],
)
async def test_a_tool_that_is_not_offered_is_none(connect: Connect, era: str, name: str, told: str) -> None:
    async with connect(era) as assistant:
        with pytest.raises(MCPError) as caught:
            await assistant.call_tool(name, {"id": "c_12345678"})
        assert (caught.value.error.code, caught.value.error.message.lower()) == (INVALID_PARAMS, told.lower())


async def test_the_few_tools_cost_few_tokens(connect: Connect, era: str) -> None:
    async with connect(era) as assistant:
        listing = await assistant.list_tools()
    assert [tool.name for tool in listing.tools] == [mcp_name(tool.name) for tool in tools("core")]
    told = json.dumps(listing.model_dump(by_alias=True, exclude_none=True, mode="json"))
    assert count(told) <= 1400


async def test_tools_say_what_they_do_to_the_world(connect: Connect) -> None:
    async with connect("legacy", offer="all") as assistant:
        tools = {tool.name: tool.annotations for tool in (await assistant.list_tools()).tools}
    looks, clicks = tools["observe"], tools["click"]
    assert looks is not None and looks.read_only_hint
    # What nobody says is what the protocol takes for granted: it changes something, and for good.
    assert clicks is None or (clicks.read_only_hint is None and clicks.destructive_hint is None)
    assert tools["cookies"] is None or not tools["cookies"].read_only_hint
    # A look reaches nothing; a URL can carry anything out, so no client may take `goto` for a look.
    assert looks.open_world_hint is False
    assert tools["goto"].read_only_hint is None and tools["goto"].destructive_hint is False


async def test_verbs_stay_callable_and_are_not_listed(connect: Connect, era: str) -> None:
    """For a release: configurations and prompts may name them."""
    async with connect(era) as assistant:
        assert "text" not in {tool.name for tool in (await assistant.list_tools()).tools}
        await assistant.call_tool("goto", {"url": "about:blank"})
        for name in ("text", "read_page"):
            assert text_of(await assistant.call_tool(name, {})).startswith("ok text")


async def test_several_lines_in_one_call(connect: Connect, era: str, pages: Pages) -> None:
    pages["/"] = FORM
    async with connect(era) as assistant:
        done = await assistant.call_tool("oryn", {"lines": [f"goto {pages.url()}", "", "title", "screenshot"]})
        assert not done.is_error and [each.type for each in done.content] == ["text", "image"]
        assert f"ok goto {pages.url()}" in text_of(done) and "\n\nok title\n\n" in text_of(done)
        answers = done.structured_content["answers"]
        assert [each["command"].split()[0] for each in answers] == ["goto", "title", "screenshot"]
        failed = await assistant.call_tool("oryn", {"lines": ["url", "click 999", "title", "url"]})
        assert failed.is_error and text_of(failed).endswith("2 more lines were not run")
        assert [each["ok"] for each in failed.structured_content["answers"]] == [True, False]
        for lines, code in ((["url", "dance"], "UNKNOWN_COMMAND"), ([], "MISSING_ARGUMENT"), ({}, "UNEXPECTED_INPUT")):
            refused = await assistant.call_tool("oryn", {"lines": lines})
            assert refused.structured_content["error"]["code"] == code, "nothing runs of lines that can't all be read"
        too_many = await assistant.call_tool("oryn", {"lines": ["url"] * 51})
        assert too_many.structured_content["error"]["code"] == "INVALID_VALUE"


async def test_structured_results_are_as_the_listing_says(connect: Connect, pages: Pages) -> None:
    pages["/"] = FORM
    calls: list[tuple[str, dict[str, Any]]] = [
        ("goto", {"url": pages.url()}), ("observe", {}), ("read_page", {}), ("screenshot", {}), ("scroll", {}),
        ("oryn", {"lines": ["title"]}), ("click", {"target": "999"}), ("count", {"target": "Join"}), ("tabs", {}),
    ]  # fmt: skip
    async with connect("auto", offer="core,count,tabs") as assistant:
        schemas = {tool.name: tool.output_schema for tool in (await assistant.list_tools()).tools}
        for name, arguments in calls:
            answer = await assistant.call_tool(name, arguments)
            jsonschema.validate(answer.structured_content, schemas[name])
    assert schemas["count"]["properties"]["result"] == {"type": "integer"}


async def test_prompts(connect: Connect, era: str) -> None:
    async with connect(era) as assistant:
        prompts = (await assistant.list_prompts()).prompts
        assert {each.name for each in prompts} == {"browse", "log_in", "check_page", "collect_data"}
        filled = await assistant.get_prompt("browse", {"task": "buy {url}", "url": "shop.example"})
        text = filled.messages[0].content.text
        assert "shop.example" in text
        for name, arguments in (("browse", {"task": "buy"}), ("dance", {})):
            with pytest.raises(MCPError):
                await assistant.get_prompt(name, arguments)


async def test_all_verbs_are_offered_that_this_host_has(connect: Connect) -> None:
    async with connect("legacy", offer="all") as assistant:
        names = {tool.name for tool in (await assistant.list_tools()).tools}
        read = await assistant.call_tool("cookies", {"action": "list"})
    assert not read.is_error
    of_the_daemon = {
        name
        for name, verb in api_vocabulary().verbs.items()
        if all(spec.scope in HOST_SCOPES for spec in verb.commands)
    }
    verbs = {"oryn", *api_vocabulary().verbs} - of_the_daemon - {"exit", "output"}
    assert names == {mcp_name(verb) for verb in verbs}


@pytest.mark.parametrize(
    ("offer", "names"),
    [
        ("goto,text", {"goto", "read_page"}),
        (" read_page , oryn ", {"read_page", "oryn"}),
        ("Moving", set(api_vocabulary().families["Moving"])),
        ("moving,observe", {*api_vocabulary().families["Moving"], "observe"}),
    ],
)
async def test_tools_are_chosen_by_name_or_family(connect: Connect, offer: str, names: set[str]) -> None:
    async with connect("legacy", offer=offer) as assistant:
        assert {tool.name for tool in (await assistant.list_tools()).tools} == names
        # What is not offered can't be had by its name.
        with pytest.raises(MCPError, match="Unknown tool"):
            await assistant.call_tool("eval", {"script": "1"})


async def test_a_picture_comes_as_one(connect: Connect, era: str, pages: Pages) -> None:
    pages["/"] = FORM
    async with connect(era) as assistant:
        await assistant.call_tool("goto", {"url": pages.url()})
        answer = await assistant.call_tool("screenshot")
        text, image = answer.content
        assert (image.type, image.mime_type) == ("image", "image/png")
        assert base64.b64decode(image.data).startswith(b"\x89PNG")
        assert json.dumps(answer.structured_content["result"]["path"]) in text.text
        webp = await assistant.call_tool("oryn", {"line": "screenshot --format webp"})
        assert webp.content[1].mime_type == "image/webp"


async def test_data_stay_away_where_they_would_take_the_place_of_the_text(connect: Connect, era: str) -> None:
    async with connect(era, structured=False) as assistant:
        done = await assistant.call_tool("goto", {"url": "about:blank"})
        assert done.structured_content is None
        missed = await assistant.call_tool("click", {"target": "5"})
        assert missed.structured_content["error"]["code"] == "ELEMENT_NOT_FOUND"


async def test_half_a_character_of_a_page_breaks_no_message(connect: Connect, era: str, pages: Pages) -> None:
    pages["/"] = "<button>Half</button><script>document.querySelector('button').textContent = 'Half \\ud83d'</script>"
    async with connect(era) as assistant:
        await assistant.call_tool("goto", {"url": pages.url()})
        seen = await assistant.call_tool("observe")
        assert not seen.is_error
        assert 'button "Half' in text_of(seen)


async def test_limits_of_the_user_hold(connect: Connect, era: str, pages: Pages) -> None:
    pages["/"] = FORM
    async with connect(era, session="looking") as assistant:
        await assistant.call_tool("goto", {"url": pages.url()})
        refused = await assistant.call_tool("click", {"target": "Join"})
        assert refused.structured_content["error"]["code"] == "READ_ONLY"


async def test_server_instructions_are_short(connect: Connect, era: str) -> None:
    async with connect(era) as assistant:
        assert assistant.instructions is not None
        assert count(assistant.instructions) <= 250


async def test_it_answers_that_it_is_there(connect: Connect) -> None:
    async with connect("legacy") as assistant:
        with pytest.warns(MCPDeprecationWarning, match="removed as of 2026-07-28"):
            await assistant.send_ping()
