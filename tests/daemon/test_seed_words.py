"""The words of the daemon's seed (004) on the command line and in JSON: each is the command that it names there."""

from __future__ import annotations

from typing import Any

import pytest

from oryn.daemon.protocol import CommandEnvelope
from oryn.daemon.request.parser import action_name, parse_line, parse_request
from oryn.daemon.vocabulary import canonical_action, matches_action
from oryn.errors import ConflictingOptions, LanguageError
from oryn.language import Line
from oryn.language.render import render_command


def envelope(**said: Any) -> CommandEnvelope:
    return parse_request(said).envelope


def command_text(said: CommandEnvelope) -> str:
    line = parse_line(said)
    assert line.command is not None
    return render_command(line.command)


VERBS = [
    # "Action vocabulary", verb by verb
    ("navigate a.org", "goto https://a.org", "navigate"),
    ("navigate a.org --new-tab", "tab new https://a.org", "tab new"),
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
    ("click", {"ref": "@e1"}, "click @e1", "click"),
    ("fill", {"ref": "@e2", "value": "x"}, 'type @e2 "x"', "fill"),
    ("key", {"combo": "enter"}, "press enter", "key"),
    ("screenshot", {"full_page": True}, "screenshot --fullpage", "screenshot"),
    ("screenshot", {"full_length": True, "ref": "e3"}, "screenshot @e3 --fullpage", "screenshot"),
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
def test_invalid_seed_options_are_language_errors(words: list[str]) -> None:
    with pytest.raises(LanguageError):
        parse_line(envelope(argv=words))


def test_an_option_of_its_own_goes_before_the_target() -> None:
    """`text` has an option `--selector`."""
    assert command_text(envelope(argv=["text", "--selector", "h1"])) == 'text --selector "h1"'
    assert isinstance(parse_line(envelope(argv=["text", "--ref", "@e1"])), Line)
    with pytest.raises(ConflictingOptions):
        parse_line(envelope(action="screenshot", args={"full_page": True, "fullpage": True}))
