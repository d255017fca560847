"""The JSON vocabulary (docs/spec/daemon-protocol.md#vocabulary) on the command line and in requests: each word is the
command that it names there."""

from __future__ import annotations

from typing import Any

import pytest

from oryn.daemon.protocol import CommandEnvelope
from oryn.daemon.request.parser import action_name, parse_line, parse_request
from oryn.daemon.vocabulary import canonical_action, matches_action
from oryn.errors import ConflictingOptions, LanguageError
from oryn.language import Line
from oryn.language.render import render_command
from tests.daemon.daemon_process import RunningDaemon
from tests.headless.conftest import Pages


def envelope(**said: Any) -> CommandEnvelope:
    return parse_request(said).envelope


def command_text(said: CommandEnvelope) -> str:
    line = parse_line(said)
    assert line.command is not None
    return render_command(line.command)


VERBS = [
    # "Action vocabulary", verb by verb
    ("navigate a.org", "goto https://a.org", "navigate"),
    ("navigate a.org --new-tab", "tab new https://a.org", "navigate"),
    ("snapshot", "snapshot", "snapshot"),
    ("click @e1", "click @e1", "click"),
    ("click --ref @e1", "click @e1", "click"),
    ("click --ref=e1 --double", "click @e1 --double", "click"),
    ("click --selector .buy", 'click css(".buy")', "click"),
    ("click at(10,20)", "click at(10,20)", "click"),
    ("fill @e2 hello", 'type @e2 "hello"', "fill"),
    ("fill --ref @e2 hello", 'type @e2 "hello"', "fill"),
    ("fill --enter --selector #q hello", 'type css("#q") "hello" --enter', "fill"),
    ("scroll down", "scroll down", "scroll"),
    ("scroll --ref @e3", "scroll @e3", "scroll"),
    ("frame --ref @e3", "frame @e3", "frame"),
    ("scroll down --ref @e3", "scroll down @e3", "scroll"),
    ("key control+a", "press control+a", "key"),
    ("hover --ref @e4", "hover @e4", "hover"),
    ("upload --ref @e5 cv.pdf", "upload @e5 cv.pdf", "upload"),
    ("screenshot", "screenshot", "screenshot"),
    ("screenshot --full-page", "screenshot --fullpage", "screenshot"),
    ("screenshot --full-length", "screenshot --fullpage", "screenshot"),
    ("screenshot --ref @e6", "screenshot @e6", "screenshot"),
    ("screenshot --ref @e6 --output a.png", "screenshot @e6 --output a.png", "screenshot"),
    ("screenshot --output a.png --ref=@e6 --format jpeg", "screenshot @e6 --output a.png --format jpeg", "screenshot"),
    ("pdf a.pdf", "pdf a.pdf", "pdf"),
    ("eval 1+1", 'eval "1+1"', "eval"),
    ("wait --ref @e7", "wait visible @e7", "wait"),
    ("wait --ref=@e7 --timeout 5s", "wait visible @e7 --timeout 5s", "wait"),
    ("wait --url */cart*", 'wait url "*/cart*"', "wait url"),
    ("wait --url-pattern=*/cart*", 'wait url "*/cart*"', "wait url"),
    ("wait --network-idle", "wait idle", "wait"),
    ("wait --ms 500", "wait 500ms", "wait"),
    ("wait visible --ref @e7", "wait visible @e7", "wait"),
    ("tab list", "tabs", "tab list"),
    ("TAB List", "tabs", "tab list"),
    ("tab new a.org", "tab new https://a.org", "tab new"),
    ("tab switch 2", "tab switch 2", "tab switch"),
    ("tab close", "tab close", "tab close"),
    ("network start", "network start", "network start"),
    ("network stop", "network stop", "network stop"),
    ("network list", "network list", "network list"),
    ("network detail 3", "request 3", "network detail"),
    ("login a.org --url-pattern */account*", 'login https://a.org --until "*/account*"', "login"),
    ("login_done", "login_done", "login_done"),
    ("captcha", "captcha", "captcha"),
    ("captcha detect", "captcha", "captcha detect"),
    ("captcha solve", "captcha solve", "captcha solve"),
    ("close", "close", "close"),
    ("close --all", "close --all", "close"),
    # the engines' commands
    ("search ferns --source ddg --rerank", 'search "ferns" --source ddg --rerank', "search"),
    ("extract a.org", "extract https://a.org", "extract"),
    ("research ferns --depth 1", 'research "ferns" --depth 1', "research"),
    ("graph fern --website a.org --no-llm", 'graph "fern" --website https://a.org --no-llm', "graph"),
]


@pytest.mark.parametrize(("words", "command", "action"), VERBS, ids=[each[0] for each in VERBS])
def test_words_of_the_command_line(words: str, command: str, action: str) -> None:
    said = envelope(argv=[*words.split(), "--session", "work"])
    assert said.session == "work"
    assert command_text(said) == command
    assert action_name(said, parse_line(said)) == action
    assert matches_action(action, action)
    assert matches_action(action, canonical_action(action))


ACTIONS: list[tuple[str, dict[str, Any], str, str]] = [
    ("navigate", {"url": "a.org"}, "goto https://a.org", "navigate"),
    ("Navigate", {"url": "a.org"}, "goto https://a.org", "navigate"),
    ("navigate", {"url": "a.org", "new_tab": True}, "tab new https://a.org", "navigate"),
    ("snapshot", {}, "snapshot", "snapshot"),
    ("click", {"x": 10, "y": 20}, "click at(10,20)", "click"),
    ("click", {"selector": ".buy"}, 'click css(".buy")', "click"),
    ("scroll", {"ref": "@e3"}, "scroll @e3", "scroll"),
    ("hover", {"x": 1, "y": 2}, "hover at(1,2)", "hover"),
    ("upload", {"ref": "@e5", "files": ["/cv.pdf"]}, "upload @e5 /cv.pdf", "upload"),
    ("screenshot", {"ref": "@e6"}, "screenshot @e6", "screenshot"),
    ("pdf", {"path": "/a.pdf"}, "pdf /a.pdf", "pdf"),
    ("eval", {"expression": "1+1"}, 'eval "1+1"', "eval"),
    ("wait", {"ref": "@e7"}, "wait visible @e7", "wait"),
    ("wait", {"url_pattern": "*/cart*"}, 'wait url "*/cart*"', "wait url"),
    ("wait", {"network_idle": True}, "wait idle", "wait"),
    ("tab", {}, "tabs", "tabs"),
    ("tab", {"action": "new", "url": "a.org"}, "tab new https://a.org", "tab new"),
    ("tab", {"action": "switch", "id": 2}, "tab switch 2", "tab switch"),
    ("switch_tab", {"id": 2}, "tab switch 2", "tab switch"),
    ("switch_tab", {"index": 2}, "tab switch 2", "tab switch"),
    ("close_tab", {}, "tab close", "tab close"),
    ("close_tab", {"id": 2}, "tab close 2", "tab close"),
    ("network", {}, "network list", "network list"),
    ("network", {"action": "start"}, "network start", "network start"),
    ("network", {"action": "stop"}, "network stop", "network stop"),
    ("network_detail", {"id": 4}, "request 4", "request"),
    ("login", {"url": "a.org", "success_url": "*/in*"}, 'login https://a.org --until "*/in*"', "login"),
    ("login_done", {}, "login_done", "login_done"),
    ("captcha_solve", {}, "captcha solve", "captcha solve"),
    ("close", {}, "close", "close"),
    ("close", {"all": True}, "close --all", "close"),
    ("close_session", {}, "close", "close"),
    ("close_session", {"session": "work"}, "session close work", "session close"),
    ("search", {"query": "ferns", "source": "ddg"}, 'search "ferns" --source ddg', "search"),
    ("extract", {"url": "a.org"}, "extract https://a.org", "extract"),
    ("extract", {"urls": ["a.org", "b.org"]}, "extract https://a.org https://b.org", "extract"),
    ("crawl", {"url": "a.org"}, "crawl https://a.org", "crawl"),
    ("research", {"topic": "ferns"}, 'research "ferns"', "research"),
    ("graph", {"entity": "fern"}, 'graph "fern"', "graph"),
    ("click", {"ref": "@e1"}, "click @e1", "click"),
    ("fill", {"ref": "@e2", "value": "x"}, 'type @e2 "x"', "fill"),
    ("key", {"combo": "enter"}, "press enter", "key"),
    ("screenshot", {"full_page": True}, "screenshot --fullpage", "screenshot"),
    ("screenshot", {"full_length": True}, "screenshot --fullpage", "screenshot"),
    ("screenshot", {"ref": "e3"}, "screenshot @e3", "screenshot"),
    ("wait", {"ms": 500}, "wait 500ms", "wait"),
    ("tab", {"action": "list"}, "tabs", "tab list"),
    ("tab", {"action": "close", "index": 2}, "tab close 2", "tab close"),
    ("network", {"action": "detail", "id": 4}, "request 4", "network detail"),
    ("captcha", {}, "captcha", "captcha"),
    ("captcha", {"action": "detect"}, "captcha", "captcha detect"),
    ("goto", {"url": "a.org"}, "goto https://a.org", "goto"),
    ("cookies set", {"name": "a", "value": "b"}, 'cookies set a "b"', "cookies set"),
    ("session_new", {"name": "work"}, "session new work", "session new"),
    ("sign_in", {"user": "a", "password": "b"}, 'login "a" "b"', "sign_in"),
]


@pytest.mark.parametrize(("action", "args", "command", "name"), ACTIONS, ids=[f"{e[0]} {e[1]}" for e in ACTIONS])
def test_actions_of_json(action: str, args: dict[str, Any], command: str, name: str) -> None:
    said = envelope(action=action, args=args)
    assert command_text(said) == command
    assert action_name(said, parse_line(said)) == name


@pytest.mark.parametrize(
    ("line", "name"),
    [
        ("navigate a.org", "navigate"),
        ("go to a.org", "go to"),
        ("  OPEN a.org # comment", "open"),
        ("@work nav a.org", "nav"),
        ("session work scan", "scan"),
        ("scan", "scan"),
        ("goto a.org", "goto"),
        ("cookies list", "cookies list"),
        ("click navigate", "click"),
        ("tabs", "tabs"),
        ("search fern", "site_search"),
    ],
)
def test_lines_keep_the_name_that_they_have(line: str, name: str) -> None:
    said = envelope(line=line)
    assert action_name(said, parse_line(said)) == name


def test_action_name_of_an_invalid_command_is_its_verb() -> None:
    for words, name in ((["clik", "hunter2"], "unknown"), (["fill", "hunter2"], "type"), (["hunter2"], "unknown")):
        assert action_name(envelope(argv=words), None) == name


@pytest.mark.parametrize(
    ("action", "wanted", "is_one"),
    [
        ("navigate", "goto", True),
        ("goto", "navigate", True),
        ("open", "go to", True),
        ("fill", "type", True),
        ("tab list", "tabs", True),
        ("tabs", "tab list", True),
        ("tab new", "tab", True),
        ("tab list", "tab", True),
        ("network detail", "request", True),
        ("cookies set", "cookies", True),
        ("cookies set", "cookies list", False),
        ("login_done", "login", False),
        ("sign_in", "login", False),
        ("keys", "key", False),
        ("unknown", "unknown", True),
        ("click", "nonsense", False),
        ("click", "", False),
    ],
)
def test_history_filter_matches_action_aliases(action: str, wanted: str, is_one: bool) -> None:
    assert matches_action(action, wanted) is is_one


@pytest.mark.parametrize(
    "words",
    [
        ["click", "--ref"],
        ["title", "--ref", "@e1"],
        ["click", "@e1", "--ref", "@e2"],
        ["wait", "--ms", "soon"],
        ["wait", "--nothing"],
        ["tab", "detail", "3"],
        ["network", "detail"],
        ["screenshot", "--full-page=yes"],
    ],
    ids=" ".join,
)
def test_invalid_options_are_language_errors(words: list[str]) -> None:
    with pytest.raises(LanguageError):
        parse_line(envelope(argv=words))


def test_an_option_of_its_own_goes_before_the_target() -> None:
    """`text` has an option `--selector`."""
    assert command_text(envelope(argv=["text", "--selector", "h1"])) == 'text --selector "h1"'
    assert isinstance(parse_line(envelope(argv=["text", "--ref", "@e1"])), Line)
    with pytest.raises(ConflictingOptions):
        parse_line(envelope(action="screenshot", args={"full_page": True, "fullpage": True}))


DAEMON_VERBS = (
    "navigate snapshot click fill scroll key hover upload screenshot pdf eval wait tab network login captcha close "
    "close_session login_done switch_tab close_tab captcha_solve search extract research graph"
).split()
"""Every action of docs/spec/daemon-protocol.md#vocabulary, and others of the language."""


def test_every_verb_of_the_daemon_is_one_of_the_cases() -> None:
    assert not set(DAEMON_VERBS) - {action for action, *_ in ACTIONS}


async def test_the_answer_to_an_unknown_action_names_it_and_no_row_does(daemon: RunningDaemon) -> None:
    answer = await daemon.ask({"action": "hunter_two", "args": {}}, session="words")
    assert (answer["action"], answer["error_kind"]) == ("hunter_two", "unknown_command")
    (row,) = [row for row in daemon.rows() if row["action_id"] == answer["action_id"]]
    assert row["action"] == "unknown" and "hunter_two" not in str(row)
    assert (await daemon.ask("hunter_two 3", session="words"))["action"] == "unknown"


@pytest.mark.slow
async def test_a_new_tab_is_a_navigation_and_a_session_is_closed_by_its_own_name(
    daemon: RunningDaemon, pages: Pages
) -> None:
    pages["/"] = "<title>Shop</title>"
    await daemon.ok({"action": "navigate", "args": {"url": pages.url()}}, session="words")
    answer = await daemon.ok({"action": "navigate", "args": {"url": pages.url(), "new_tab": True}}, session="words")
    assert answer["action"] == "navigate"
    assert [row["action"] for row in daemon.rows() if row["session"] == "words"][-2:] == ["navigate", "navigate"]
    tabs = (await daemon.ok({"action": "tab", "args": {"action": "list"}}, session="words"))["data"]["result"]
    assert len(tabs) == 2
    await daemon.ok({"action": "switch_tab", "args": {"id": tabs[0]["number"]}}, session="words")
    await daemon.ok({"action": "close_tab", "args": {"id": tabs[1]["number"]}}, session="words")
    assert (await daemon.ok({"action": "cookies"}, session="words"))["data"]["result"] == []
    await daemon.ok({"action": "close_session"}, session="words")
    assert "words" not in [each["name"] for each in (await daemon.status())["sessions"]]
