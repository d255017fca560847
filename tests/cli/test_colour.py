"""Colours where a person looks, none in pipes, and no escape sequence of a page's on a terminal."""

from __future__ import annotations

import re
from collections.abc import Iterator
from urllib.parse import quote

import pytest

from oryn.hosts.terminal import BLUE, BOLD, CYAN, DIM, GREEN, RED, RESET, YELLOW
from tests.cli.shell import Shell
from tests.terminal import printed_on_terminal

OURS = re.compile("|".join(map(re.escape, (RESET, BOLD, DIM, RED, GREEN, YELLOW, BLUE, CYAN))))
HOSTILE = "a\x1b]0;owned\x07b\x9b2Jc\x1b[31mred\x7f\u202ed"
PAGE = f"""<meta charset=utf-8><title>{HOSTILE}</title><h1>{HOSTILE}</h1><button aria-label="{HOSTILE}">x</button>
<a href="#{HOSTILE}">{HOSTILE}</a><table><tr><th>{HOSTILE}<td>{HOSTILE}</table>
<script>console.log(`{HOSTILE}`); document.cookie = "a=b"</script>"""


@pytest.fixture(scope="module")
def opened(shared_shell: Shell) -> Iterator[Shell]:
    """A shell at a page that attacks terminals."""
    shared_shell.ok("goto", f"data:text/html,{quote(PAGE)}")
    yield shared_shell


def on_terminal(shell: Shell, *words: str, **variables: str) -> tuple[int, str]:
    """The exit code of a command and what it printed on a terminal, without what one prints that takes long."""
    environment = {name: value for name, value in shell.environment.items() if name != "NO_COLOR"}
    variables = {**environment, "TERM": "xterm-256color", **variables}
    code, text = printed_on_terminal(shell.command(*words), variables)
    return code, text.removeprefix(f"'{words[0]}' is running (Ctrl-C cancels it)\n")


def test_answers_are_coloured_on_a_terminal(opened: Shell) -> None:
    code, text = on_terminal(opened, "observe")
    assert code == 0
    assert f"{CYAN}[2]{RESET} {DIM}" in text
    assert text.startswith(f"{BLUE}@ ")


@pytest.mark.slow
def test_errors_are_coloured_on_a_terminal(opened: Shell) -> None:
    for words in (("click", "999"), ("clik",), ("config", "--nope"), ("do", "click 999")):
        code, text = on_terminal(opened, *words)
        assert code and re.match(re.escape(f"{RED}{BOLD}error") + ":?" + re.escape(RESET), text), (words, text)
        assert f"{DIM}# hint{RESET}" in text


@pytest.mark.slow
def test_headings_of_help_are_bold_on_a_terminal(opened: Shell) -> None:
    assert f"{BOLD}Options{RESET}:" in on_terminal(opened, "config", "--help")[1]
    assert "\x1b" not in opened.ok("config", "--help")


@pytest.mark.slow
@pytest.mark.parametrize(
    ("words", "variables", "coloured"),
    [
        ((), {}, True),
        ((), {"NO_COLOR": "1"}, False),
        ((), {"TERM": "dumb"}, False),
        ((), {"ORYN_COLOUR": "never"}, False),
        (("--color", "never"), {}, False),
        (("--colour=never",), {"FORCE_COLOR": "1"}, False),
        (("--color=always",), {"NO_COLOR": "1"}, True),
    ],
)
def test_the_user_decides(opened: Shell, words: tuple[str, ...], variables: dict[str, str], coloured: bool) -> None:
    for command in (("title",), ("click", "999"), ("config", "--nope")):
        assert ("\x1b" in on_terminal(opened, *words, *command, **variables)[1]) == coloured, command


@pytest.mark.slow
def test_pipes_get_colours_only_if_the_user_wants_them(opened: Shell) -> None:
    plain = {**opened.environment, "NO_COLOR": ""}
    for words in (("title",), ("--raw", "text"), ("click", "999"), ("config",), ("sessions",)):
        ended = opened(*words, **plain)
        assert "\x1b[0m" not in ended.out + ended.err, words
    assert GREEN in opened("title", **{**plain, "FORCE_COLOR": "1"}).out
    assert GREEN in opened("--color", "always", "title").out
    for words in (("--json", "title"), ("--raw", "title"), ("extract_page", "links", "--format", "csv")):
        assert RESET not in opened("--color", "always", *words).out, words


def test_a_wrong_choice_is_reported(opened: Shell) -> None:
    ended = opened("--color", "pink", "title")
    assert ended.code == 2 and "colour can't be 'pink' (from the flag --color)" in ended.err


@pytest.mark.slow
def test_a_page_sends_no_escape_sequences_to_a_terminal(opened: Shell) -> None:
    answers = (
        ("observe",), ("snapshot",), ("text",), ("html",), ("title",), ("url",), ("console",), ("links",),
        ("eval", "document.title"), ("--raw", "text"), ("--raw", "html"), ("--raw", "title"), ("--json", "title"),
        ("--raw", "eval", "document.title"), ("extract_page", "links"), ("--raw", "extract_page", "links"),
        ("extract_page", "tables", "--format", "csv"), ("click", HOSTILE), ("is", "visible", HOSTILE),
        ("do", "observe", f'click "{HOSTILE}"'), ("sessions",), ("status",), ("history",), ("tabs",),
        ("history", "--json"), (HOSTILE,), ("config", f"--{HOSTILE}"), ("run", HOSTILE),
    )  # fmt: skip
    for words in answers:
        _, text = on_terminal(opened, *words)
        rest = OURS.sub("", text)
        assert text.strip(), words
        assert not re.search("[\x00-\x08\x0b-\x1f\x7f-\x9f\u202e]", rest), (words, rest)
