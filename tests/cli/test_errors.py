"""Every failure of the command line has one form on a terminal and one as JSON: walked over all commands and verbs."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from pathlib import Path

import click
import pytest

from oryn.cli.app import app
from oryn.cli.errors import oryn_error
from oryn.cli.fast.commands import GROUPS, SHORTCUTS
from oryn.cli.main import main
from oryn.core.error_text import error_text, last_error
from oryn.errors import FileError, InternalError, OrynError, error_class_of
from oryn.language import api_vocabulary
from tests.cli.shell import Shell

FORM = re.compile(r"error( [^\n]*)?: [^\n]+\n(\n# hint\n[^\n]+\n)?")
"""The one form on a terminal."""


def commands(group: click.Group = app, path: tuple[str, ...] = ()) -> Iterator[tuple[tuple[str, ...], click.Command]]:
    """Every command of the click tree with its words."""
    context = click.Context(group)
    for name in group.list_commands(context):
        command = group.get_command(context, name)
        assert command is not None
        yield (*path, name), command
        if isinstance(command, click.Group):
            yield from commands(command, (*path, name))


def mistakes(command: click.Command) -> Iterator[tuple[str, ...]]:
    """Words that this command must reject: an unknown option, too few and too many arguments, bad values."""
    yield ("--no-such-option",)
    if isinstance(command, click.Group):
        yield ("no-such-command",)
        return
    arguments = [each for each in command.params if isinstance(each, click.Argument)]
    if any(each.required for each in arguments):
        yield ()
    if all(each.nargs == 1 for each in arguments):
        yield tuple("x" for _ in range(len(arguments) + 1))
    for each in command.params:
        if isinstance(each, click.Option) and isinstance(each.type, (click.Choice, click.IntRange, click.FloatRange)):
            yield (each.opts[-1], "no-such-value")
        if isinstance(each, click.Option) and not each.is_flag:
            yield (each.opts[-1],)


def mistaken() -> Iterator[tuple[str, ...]]:
    for path, command in commands():
        for words in mistakes(command):
            if (*path, *words) != ("open", "x"):  # the verb `goto`
                yield (*path, *words)


def run(capsys: pytest.CaptureFixture[str], *words: str) -> tuple[int, str, str]:
    """Run the command line in this process."""
    with pytest.raises(SystemExit) as ended:
        main(words)
    printed = capsys.readouterr()
    assert isinstance(ended.value.code, int), words
    return ended.value.code, printed.out, printed.err


@pytest.fixture(autouse=True)
def own_home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ORYN_HOME", str(tmp_path / "home"))


def test_the_tree_has_the_groups_that_are_declared() -> None:
    assert tuple(sorted({path[0] for path, each in commands() if isinstance(each, click.Group)})) == GROUPS


@pytest.mark.slow
def test_every_command_reports_mistakes_in_one_form(capsys: pytest.CaptureFixture[str]) -> None:
    seen = list(mistaken())
    assert len(seen) > 200
    for words in seen:
        code, out, err = run(capsys, *words)
        assert (code, out) == (2, ""), words
        assert FORM.fullmatch(err), (words, err)
        name = " ".join(words[: 2 if words[0] in GROUPS and not words[1].startswith("-") else 1])
        assert err.startswith(f"error {name}: "), (words, err)


@pytest.mark.slow
def test_every_command_reports_mistakes_as_json(capsys: pytest.CaptureFixture[str]) -> None:
    for words in mistaken():
        code, out, err = run(capsys, "--json", *words)
        assert (code, err) == (2, ""), words
        error = json.loads(out)
        assert set(error) == {"ok", "error", "error_kind", "hint"}, words
        assert error["ok"] is False
        assert error_class_of(error["error_kind"].upper()).exit_code == code, words


def test_shortcuts_report_mistakes_in_the_form(capsys: pytest.CaptureFixture[str]) -> None:
    for name in SHORTCUTS:
        code, out, err = run(capsys, name, "--no-such-option")
        assert (code, out) == (2, "") and err.startswith(f"error {name}: ") and FORM.fullmatch(err), err


@pytest.mark.slow
def test_every_verb_reports_mistakes_in_the_form(shell: Shell) -> None:
    verbs = [each for each in api_vocabulary().verbs if each not in ("exit", "help")]
    ended = shell("do", "--keep-going", *(f"{verb} --no-such-option" for verb in verbs))
    errors = [f"error {each}" for each in f"\n{ended.err}".split("\nerror ")[1:]]
    assert ended.code == 2 and len(errors) > 100
    for error in errors:
        assert FORM.fullmatch(f"{error.rstrip()}\n"), error


@pytest.mark.parametrize(
    ("words", "code"),
    [
        (("click", "999"), 4),
        (("click", "--nope"), 2),
        (("clik", "3"), 2),
        (("crawl", "--nope"), 2),
        (("--backend", "netscape", "observe"), 2),
        (("--viewport", "wide", "observe"), 2),
        (("--viewport",), 2),
        (("do", "clik 3"), 2),
        (("--session", "none-of-that-name", "close"), 10),
        (("replay", "none-of-that-id"), 1),
        (("run", "nowhere.oil"), 5),
        (("doctor", "--only", "nothing"), 2),
        (("profile", "delete", "nothing"), 2),
    ],
)
def test_errors_of_the_engine_and_of_the_daemon_have_the_same_form(
    shell: Shell, words: tuple[str, ...], code: int
) -> None:
    ended = shell(*words)
    assert (ended.code, ended.out) == (code, ""), ended
    assert FORM.fullmatch(ended.err), ended
    if words[0] != "run":
        fields = shell.json("--json", *words)
        assert fields["ok"] is False and isinstance(fields["error"], str), fields
        assert error_class_of(fields["error_kind"].upper()).exit_code == code, fields


@pytest.mark.slow
def test_a_daemon_that_is_missing(new_shell: Shell) -> None:
    ended = new_shell("status")
    assert (ended.code, ended.out) == (3, "") and FORM.fullmatch(ended.err), ended
    fields = new_shell.json("status", "--json")
    assert (fields["ok"], fields["running"], fields["error_kind"]) == (False, False, "daemon_not_running")


def test_a_group_alone_prints_its_help(capsys: pytest.CaptureFixture[str]) -> None:
    for words in ((), *((name,) for name in GROUPS)):
        code, out, err = run(capsys, *words)
        assert (code, err) == (0, "") and out.startswith("Usage: oryn"), words


def test_any_exception_becomes_an_error_of_the_tree() -> None:
    known = OrynError("it is so")
    assert oryn_error(known) is known
    missing = oryn_error(FileNotFoundError(2, "No such file or directory", "there"))
    assert (type(missing), str(missing)) == (FileError, "there: No such file or directory")
    bug = oryn_error(ZeroDivisionError("division by zero"))
    assert isinstance(bug, InternalError) and bug.exit_code == 70
    assert str(bug).startswith("ZeroDivisionError: division by zero (")


def test_what_a_command_line_contains_cannot_forge_a_line(capsys: pytest.CaptureFixture[str]) -> None:
    code, _, err = run(capsys, "config", "--no-such\x1b[2J\nerror: forged")
    assert code == 2 and FORM.fullmatch(err) and "\x1b" not in err
    assert "\\nerror: forged" in err


@pytest.mark.parametrize("hint", [None, "Do this."])
def test_a_program_that_starts_oryn_reads_the_form(hint: str | None) -> None:
    printed = f"Traceback …\n{error_text(OrynError('it is so: no', hint), 'daemon serve')}\n"
    assert last_error(printed) == ("it is so: no", hint)
    assert last_error("Traceback …\n") is None
