"""Verbs of the command line, each a process, against one real daemon."""

from __future__ import annotations

import json
import subprocess
from urllib.parse import quote

import pytest

from oryn.cli.fast.commands import COMMANDS
from oryn.cli.fast.errors import help_for
from oryn.demo.server import Shop
from oryn.language import api_vocabulary
from tests.cli.shell import Shell

pytestmark = pytest.mark.browser


def page(html: str) -> str:
    return f"data:text/html,{quote(html)}"


FORM = page("<label>Name <input id=name></label><label>Note <textarea></textarea></label><button>Send</button>")


@pytest.mark.slow
def test_a_user_logs_in_closes_the_terminal_and_comes_back(shell: Shell, shop: Shop) -> None:
    shell.ok("--session", "shopping", "goto", f"{shop.url}/login")
    told = shell.ok("--session", "shopping", "sign_in", "ada@example.org", "lovelace")
    assert told.startswith('ok login "ada@example.org" "••••"')
    shell.ok("goto", shop.url, ORYN_SESSION="shopping")
    assert "Ada" in shell.ok("text", "--session", "shopping")
    assert "shopping" in shell.ok("sessions")
    assert shell.ok("close", "--session", "shopping").startswith("ok close")


@pytest.mark.parametrize(
    "text",
    ["a b", "", 'say "hi"', "--force", "--json", "#1", "@work", "near", "\\", "'", "ü☃", "-", "css(x)", "${HOME}"],
)
def test_typed_text_is_entered_literally(shell: Shell, text: str) -> None:
    shell.ok("goto", FORM)
    shell.ok("type", "Name", text)
    assert shell.json("value", "Name", "--json")["data"]["result"] == text


def test_lines_of_a_text_arrive(shell: Shell) -> None:
    shell.ok("goto", FORM)
    shell.ok("type", "Note", "one\ntwo")
    assert shell.json("value", "Note", "--json")["data"]["result"] == "one\ntwo"


def test_targets_and_relations(shell: Shell) -> None:
    shell.ok(
        "goto", page("<p>Home <button>Save</button></p><p>Work <button onclick='document.title=1'>Save</button></p>")
    )
    shell.ok("click", "Save", "near", "Work")
    assert shell.ok("title") == 'ok title\n\n"1"\n'
    assert shell.ok("click", 'css("button")').startswith('ok click css("button")')


def test_json_option_is_accepted_before_and_after_the_verb(shell: Shell) -> None:
    shell.ok("goto", FORM)
    for words in (["--json", "title"], ["title", "--json"]):
        response = shell.json(*words)
        assert response["ok"] and response["action"] == "title" and response["session"] == "default"
    ended = shell("--json", "click", "99")
    assert ended.code == 4 and ended.err == "" and json.loads(ended.out)["error_kind"] == "element_not_found"


def test_parse_error_is_json_with_json_option(shell: Shell) -> None:
    for words in (["--json", "clik", "3"], ["clik", "3", "--json"]):
        ended = shell(*words)
        assert (ended.code, ended.err) == (2, "")
        assert json.loads(ended.out) | {"error": ""} == {
            "ok": False, "error": "", "error_kind": "unknown_command", "hint": "did you mean click?",
        }  # fmt: skip


def test_sessions_are_named_in_three_ways(shell: Shell) -> None:
    shell.ok("--session=a", "goto", page("<title>A</title>"))
    shell.ok("goto", page("<title>B</title>"), "--session", "b")
    assert '"A"' in shell.ok("title", ORYN_SESSION="a")
    assert '"B"' in shell.ok("--session", "b", "title", ORYN_SESSION="a")
    assert '"A"' in shell.ok("@a", "title")
    assert {"a", "b"} <= {each["name"] for each in shell.json("sessions", "--json")}
    for name in ("a", "b"):
        shell.ok("--session", name, "close")


def test_paths_are_relative_to_the_callers_folder(shell: Shell) -> None:
    (shell.folder / "cv.txt").write_text("mine")
    shell.ok("goto", page("<input type=file>"))
    assert "cv.txt" in shell.ok("upload", 'css("input")', "cv.txt")
    shell.ok("screenshot", "--output", "page.png")
    assert (shell.folder / "page.png").read_bytes().startswith(b"\x89PNG")


@pytest.mark.parametrize(
    ("words", "code", "message"),
    [
        (["clik", "3"], 2, "did you mean click?"),
        (["sesions"], 2, "did you mean sessions?"),
        (["click"], 2, "click needs <target>"),
        (["click 3"], 2, 'oryn do "click 3"'),
        (["click", "99"], 4, "element not found"),
        (["goto", "http://127.0.0.1:1/"], 5, "did not load"),
        (["upload", "1", "nowhere.txt"], 5, "there is no file"),
        (["--backend", "nonsense", "title"], 2, "no such backend"),
        (["--session", "no way", "title"], 2, "session"),
        (["--viewport", "tiny", "title"], 2, "viewport can't be 'tiny'"),
        (["--viewport"], 2, "viewport"),
        (["exit"], 11, "oryn daemon stop"),
        (["output", "json"], 11, "the form of its own answer"),
        (["session", "work"], 11, "--session"),
        (["click", b"\xff".decode("utf-8", "surrogateescape")], 2, "UTF-8"),
    ],
    ids=lambda value: " ".join(value).encode("ascii", "replace").decode() if isinstance(value, list) else None,
)
def test_errors_have_a_code_of_their_kind_and_go_to_standard_error(
    shell: Shell, words: list[str], code: int, message: str
) -> None:
    shell.ok("goto", FORM)
    ended = shell(*words)
    assert (ended.code, ended.out) == (code, "")
    assert message in ended.err


def test_session_settings_are_fixed_when_it_is_opened(shell: Shell) -> None:
    shell.ok("--session", "small", "--viewport", "500x400", "goto", FORM)
    assert shell.json("--session", "small", "eval", "innerWidth", "--json")["data"]["result"] == 500
    ended = shell("--session", "small", "--viewport", "600x400", "title")
    assert ended.code == 10 and "is open with another viewport" in ended.err
    shell.ok("--session", "small", "close")


@pytest.mark.slow
def test_the_daemon_reads_paths_of_settings_as_the_caller_means_them(shell: Shell) -> None:
    (shell.folder / "mine").mkdir()
    shell.ok("--session", "rooted", "--files-root", "mine", "goto", FORM)
    shell.ok("--session", "rooted", "screenshot", "--output", "a.png")
    assert (shell.folder / "mine" / "a.png").is_file()
    assert "outside the allowed folders" in shell("--session", "rooted", "screenshot", "--output", "../b.png").err
    shell.ok("--session", "rooted", "close")


@pytest.mark.slow
def test_a_large_answer_is_whole(shell: Shell) -> None:
    shell.ok("goto", page("<p id=p></p>"))
    # Two and three bytes each, and in every Latin font: the search for one that has a character takes the browser long.
    shell.ok("eval", "p.textContent = 'ü€ '.repeat(300000)")
    told = shell.ok("text")
    assert told.count("ü€") == 300_000


def test_lone_surrogates_in_answers_are_printed(shell: Shell) -> None:
    shell.ok("goto", page("<title>x</title>"))
    assert shell("eval", "'a' + String.fromCharCode(0xd800) + 'b'").code == 0
    assert shell("--json", "eval", "document.title = 'a' + String.fromCharCode(0xd800) + 'b'").code == 0


@pytest.mark.slow
def test_closed_output_is_no_error(shell: Shell) -> None:
    shell.ok("goto", page("<p id=p></p>"))
    shell.ok("eval", "p.textContent = 'long '.repeat(200000)")
    process = shell.start("text")
    assert process.stdout is not None and process.stderr is not None
    assert process.stdout.readline() == "ok text\n"
    process.stdout.close()
    assert (process.wait(60), process.stderr.read()) == (0, "")
    process.stderr.close()


@pytest.mark.slow
def test_several_lines_at_once(shell: Shell) -> None:
    told = shell.ok("do", f"goto {FORM}", 'type "Name" "Ann"', 'value "Name"')
    assert told.endswith('ok value "Name"\n\n"Ann"\n')
    ended = shell("do", "title", "click 99", "url")
    assert ended.code == 4 and "ok title" in ended.out and "ok url" not in ended.out
    ended = shell("--session", "default", "do", "--keep-going", "click 99", "url", "--json")
    assert ended.code == 4
    assert [json.loads(line)["ok"] for line in ended.out.splitlines()] == [False, True]
    assert shell("do").code == 2


@pytest.mark.slow
def test_help_needs_no_daemon(new_shell: Shell) -> None:
    assert new_shell.ok("click", "--help").startswith("click <target>")
    assert new_shell.ok("help", "sign_in").startswith('sign_in "<user>" "<password>"')
    assert new_shell.ok("cookies", "set", "-h").startswith('cookies set <name> "<value>"')
    assert "Looking: observe" in new_shell.ok("help")
    assert "goto back forward" in new_shell.ok("--help")
    assert new_shell.ok("help", "targets").startswith("A <target> is one of:")
    assert new_shell("clik", "3").code == new_shell("help", "click", "me").code == 2
    assert "did you mean click?" in new_shell("help", "clik").err
    assert new_shell.ok("help", "run").startswith("Usage: oryn run ")
    assert new_shell.json("sessions", "--json") == []
    assert new_shell.daemons() == []


def test_a_verb_imports_next_to_nothing(shell: Shell) -> None:
    shell.ok("goto", FORM)
    command = [*shell.command("title")]
    ended = subprocess.run(
        [command[0], "-X", "importtime", *command[1:]],
        env=shell.environment,
        capture_output=True,
        text=True,
        check=True,
    )
    loaded = {line.rpartition("|")[2].strip() for line in ended.stderr.splitlines() if line.startswith("import time:")}
    assert {name for name in loaded if name.startswith("oryn")} == {
        "oryn", "oryn.cli", "oryn.cli.main", "oryn.cli.fast.commands", "oryn.system.daemon_paths",
        "oryn.cli.fast", "oryn.system", "oryn.cli.fast.main", "oryn.daemon_client", "oryn.daemon_client.http",
    }  # fmt: skip
    assert not loaded & {"click", "json", "re", "asyncio", "socket", "pathlib", "typing", "subprocess", "platformdirs"}


@pytest.mark.slow
def test_open_with_a_url_is_goto_and_without_one_the_daemons_page(shell: Shell) -> None:
    opened = shell.ok("--session", "opened", "open", FORM)
    assert FORM in opened
    assert FORM in shell.ok("open", "--session", "opened", FORM)
    assert shell.ok("url", "--session", "opened").splitlines()[2] == FORM
    assert shell.ok("open", "--print").startswith("http://127.0.0.1:")
    assert "another name of the verb goto" in " ".join(shell.ok("help", "open").split())


@pytest.mark.slow
def test_options_before_a_command_of_our_own(shell: Shell) -> None:
    shell.ok("goto", FORM)
    for words in (["--json", "sessions"], ["--json", "--session", "other", "sessions"], ["sessions", "--json"]):
        assert "default" in {each["name"] for each in shell.json(*words)}
    assert shell.json("--json", "daemon", "status")["sessions"] == shell.json("daemon", "status", "--json")["sessions"]
    assert shell.json("--json", "daemon", "trace", "-n", "1") == shell.json("daemon", "trace", "--json", "-n", "1")
    assert shell.json("--json", "status")["pid"] == shell.json("daemon", "status", "--json")["pid"]


@pytest.mark.slow
def test_options_before_a_verb_of_a_session_that_is_open(shell: Shell) -> None:
    """Its own settings can't change any more; these are the verb's."""
    shell.ok("goto", FORM)
    for option in (
        ["--timeout", "60"],
        ["--timeout=60s"],
        ["--strict"],
        ["--no-strict"],
        ["--timeout", "5s", "--strict"],
    ):
        assert shell.ok(*option, "url").splitlines()[2] == FORM
    assert shell("--timeout", "200ms", "wait", "visible", "Never").code == 6
    assert shell("--timeout", "60s", "wait", "visible", "Never", "--timeout", "100ms").code == 6
    shell.ok("goto", page("<button>One</button><button>One</button>"))
    assert shell("--strict", "click", "One").code == 4
    assert shell("click", "One").code == 0
    assert "timeout can't be 'soon'" in shell("--timeout", "soon", "title").err
    assert "with another viewport" in shell("--viewport", "300x300", "title").err


@pytest.mark.parametrize(
    ("words", "command"),
    [
        (["status"], "oryn status"),
        (["history"], "oryn history"),
        (["replay"], "oryn replay"),
        (["stop"], "oryn stop"),
        (["help", "logs"], "oryn logs"),
        (["help", "daemon", "trace"], "oryn daemon trace"),
        (["help", "run"], "oryn run"),
        (["help", "vault", "set"], "oryn vault set"),
    ],
    ids=lambda each: " ".join(each) if isinstance(each, list) else "",
)
def test_daemon_commands_are_available_without_the_daemon_prefix(shell: Shell, words: list[str], command: str) -> None:
    shown = shell.ok(*words) if words[0] == "help" else shell.ok(*words, "--help")
    assert shown.startswith(f"Usage: {command} ")


@pytest.mark.slow
def test_shortcuts_do_what_the_daemons_commands_do(new_shell: Shell) -> None:
    assert new_shell("status").code == 3
    new_shell.ok("goto", FORM)
    assert f"goto {FORM[:60]}" in new_shell.ok("history")
    row = new_shell.json("daemon", "trace", "last")
    assert new_shell.ok("replay", row["action_id"]).startswith("ok goto")
    assert new_shell.ok("stop") == "the daemon has ended\n"
    assert new_shell.ok("stop") == "no daemon runs\n"


@pytest.mark.slow
def test_help_explains_every_verb_with_all_its_sub_commands_and_every_command(shell: Shell) -> None:
    for name, verb in api_vocabulary().verbs.items():
        said = help_for([name]) if name not in COMMANDS else ""
        for spec in verb.commands if said else ():
            assert spec.help in said, name
    assert "index drop <name>" in shell.ok("help", "index")
    assert "index drop <name>" in shell.ok("index", "--help")
    assert shell.ok("help", "index", "drop").startswith("index drop <name>")
    assert shell.ok("help", "navigate").startswith("goto <url>")
    assert shell.ok("help", "go", "to") == shell.ok("help", "goto")
    for name in ("sessions", "run", "do", "doctor"):
        assert shell.ok("help", name) == shell.ok(name, "--help")


@pytest.mark.slow
def test_verbs_and_options_of_the_vocabulary_are_accepted(shell: Shell) -> None:
    """What they mean is tested without a browser (`tests/daemon/test_vocabulary.py`)."""
    name = ("--session", "seed")
    shell.ok("navigate", page("<h1>Ferns</h1><button>Buy</button><p style='height:3000px'>"), *name)
    shell.ok("goto", FORM, *name)
    assert shell.json("back", "--json", *name)["action"] == "back"
    assert shell.ok("tab", "list", *name).startswith("ok tabs\n\n1 ")
    assert shell.json("tab", "list", "--json", *name)["action"] == "tab list"
    shell.ok("snapshot", *name)
    for words in (["--full-page"], ["--full-length", "--output", "long.png"], ["--ref", "@e1"]):
        shell.ok("screenshot", *words, *name)
    sizes = [shell.json("screenshot", *words, "--json", *name) for words in ([], ["--full-page"])]
    assert sizes[0]["data"]["result"] != sizes[1]["data"]["result"]
    assert "Ferns" in shell.ok("text", "--ref", "e1", *name)
    kept = shell.ok("network", "list", *name)
    assert kept.startswith("ok network list")
    assert shell("network", "detail", "999", *name).err.startswith("error request 999: ")
    traced = [row["action"] for row in shell.json("daemon", "trace", "--json", "--session", "seed", "--action", "goto")]
    assert traced == ["navigate", "goto"]
    for other in ("navigate", "open", "go to"):
        found = shell.json("history", "--json", "--session", "seed", "--action", other)
        assert [row["action"] for row in found] == traced
    tabs = shell.json("daemon", "trace", "--json", "--session", "seed", "--action", "tab")
    assert {row["action"] for row in tabs} == {"tab list"}
    replayed = shell.json("daemon", "trace", "--json", "--session", "seed", "--action", "tabs")[0]
    assert shell.ok("daemon", "replay", replayed["action_id"]).startswith("ok tabs")


# --- the result alone, and answers as exit codes ---


@pytest.mark.slow
def test_the_result_alone(shell: Shell) -> None:
    shell.ok("goto", page("<title>T</title><h1>One</h1><a href='https://a.example'>A, b</a><input id=name value=Ann>"))
    assert shell.ok("text", "--raw") == shell.ok("--raw", "text") == "One\nA, b\n"
    assert shell.ok("value", "name", "--raw") == "Ann\n"
    assert shell.ok("count", "css(input)", "--raw") == "1\n"
    assert shell.ok("title") == 'ok title\n\n"T"\n'
    assert shell.ok("click", "One", "--raw").startswith("ok click "), "nothing but changes has no result"
    failed = shell("click", "Two", "--raw")
    assert (failed.code, failed.out) == (4, "") and failed.err.startswith("error click ")


def test_a_named_format_goes_into_a_pipe_alone(shell: Shell) -> None:
    """As `oryn extract_page links --format csv > links.csv`."""
    shell.ok("goto", page("<a href='https://a.example/x'>A, b</a>"))
    assert shell.ok("extract_page", "links", "--format", "csv") == 'href,text\nhttps://a.example/x,"A, b"\n'
    links = json.loads(shell.ok("extract_page", "links", "--format", "json"))
    assert links == [{"href": "https://a.example/x", "text": "A, b"}]
    assert shell.ok("extract_page", "links").startswith("ok extract links\n\n| ")
    assert shell.json("extract_page", "links", "--format", "json", "--json")["data"]["result"] == links


@pytest.mark.slow
def test_answers_as_exit_codes(shell: Shell) -> None:
    shell.ok("goto", FORM)
    assert shell.ok("exists", "Send", "--exit-code") == 'ok exists "Send"\n\nyes\n'
    assert shell("exists", "Nothing", "--exit-code") == (1, 'ok exists "Nothing"\n\nno\n', "")
    assert shell("--exit-code", "is", "checked", "Nothing").code == 1
    assert shell("exists", "Nothing").code == 0
    assert shell("click", "Nothing", "--exit-code").code == 4
