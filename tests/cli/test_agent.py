"""`oryn agent` as its user runs it: processes with a real browser, a terminal, and a model behind a real endpoint."""

from __future__ import annotations

import json
import os
import pty
import re
import signal
import stat
import subprocess
import sys
import threading
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import pytest

from oryn.agent.messages import RESTARTED
from oryn.demo.server import Shop
from scripts.scripted_endpoint import MODEL, Bytes, Endpoint, Fails, Messages, Policy, Reply, Says
from tests.cli.shell import CompletedCommand, Shell
from tests.host.terminal_screen import Screen

pytestmark = pytest.mark.browser

KEY = "sk-very-secret-0123456789"


class Agent:
    """`oryn agent` in a home of its own."""

    def __init__(self, folder: Path) -> None:
        self.shell = Shell(folder / "home", folder)
        self.file = folder / "run.jsonl"
        self.page = folder / "run.html"

    def words(self, endpoint: Endpoint, *words: str) -> list[str]:
        return ["agent", *words, "--endpoint", endpoint.url, "--model", MODEL]

    def run(self, endpoint: Endpoint, *words: str, **environment: str) -> CompletedCommand:
        return self.shell(*self.words(endpoint, *words), "--transcript", str(self.file), **environment)

    def entries(self) -> list[dict[str, Any]]:
        return [json.loads(line) for line in self.file.read_text("utf-8").splitlines()]

    def of_kind(self, kind: str) -> list[dict[str, Any]]:
        return [entry for entry in self.entries() if entry["kind"] == kind]


@pytest.fixture
def agent(tmp_path: Path) -> Agent:
    return Agent(tmp_path)


@pytest.fixture
def url(shop: Shop) -> str:
    return f"http://localhost:{shop.port}/"


def clicks_fern(messages: Messages) -> Reply:
    if len(messages) > 3:
        return "It is a Boston fern."
    found = re.search(r'<a id="(\d+)"[^\n]*>Boston fern', messages[-1]["content"])
    assert found
    return f'I look.\n<tool_code>{{"action": "click", "id": {found[1]}}}</tool_code>'


def evaluates(messages: Messages) -> Reply:
    return "Good." if len(messages) > 3 else '<tool_code>{"action": "eval", "script": "6 * 7"}</tool_code>'


@pytest.mark.slow
def test_a_run_from_the_first_word_to_its_page(agent: Agent, url: str) -> None:
    with Endpoint(clicks_fern) as endpoint:
        prices = ("--input-price", "2", "--output-price", "10")
        code, out, err = agent.run(endpoint, "Which plant?", "--start", url, *prices)
    assert (code, err) == (0, "")
    assert out == (
        f'I look.\n<tool_code>{{"action": "click", "id": 6}}</tool_code>\n@ {url}plants/boston-fern, 14 elements\n\n'
        "It is a Boston fern.\n\n"
        "# finished after 2 steps, 200 tokens read and 20 written, cost 0.0006\n"
        f"# transcript: {agent.file}\n# page: {agent.page}\n"
    )
    for file in (agent.file, agent.page):
        assert stat.S_IMODE(file.stat().st_mode) == 0o600
    assert "It is a Boston fern." in agent.page.read_text("utf-8")
    begun, ended = agent.entries()[0], agent.entries()[-1]
    assert (begun["goal"], begun["model"], begun["urls"]) == ("Which plant?", MODEL, [url])
    assert (ended["outcome"], ended["answer"], ended["cost"]) == ("finished", "It is a Boston fern.", 0.0006)


@pytest.mark.slow
def test_how_it_ended_as_json(agent: Agent, url: str) -> None:
    with Endpoint(Says("Nothing.", usage=None), Fails(401, "No such key.")) as endpoint:
        well = agent.run(endpoint, "Look", "--json")
        agent.file.unlink()
        badly = agent.run(endpoint, "Look", "--json")
    told = json.loads(well.out)
    assert (well.code, told["ok"], told["outcome"], told["answer"], told["steps"]) == (
        0,
        True,
        "finished",
        "Nothing.",
        1,
    )
    assert told["usage"]["estimated"] is True and told["cost"] is None
    assert (told["transcript"], told["page"]) == (str(agent.file), str(agent.page))
    told = json.loads(badly.out)
    assert (badly.code, badly.err, told["ok"], told["error_kind"]) == (12, "", False, "model_unauthorized")


@pytest.mark.slow
def test_without_a_name_the_transcript_is_beside_the_users_data(agent: Agent) -> None:
    with Endpoint("Nothing.") as endpoint:
        out = agent.shell.ok(*agent.words(endpoint, "Look"))
    (file,) = (agent.shell.home / "data" / "agent").glob("*.jsonl")
    assert f"# transcript: {file}\n" in out
    assert stat.S_IMODE(file.parent.stat().st_mode) == 0o700


@contextmanager
def secret_of_the_vault(agent: Agent, endpoint: Endpoint, **environment: str) -> Iterator[Mapping[str, str]]:
    vault = {"ORYN_VAULT_KEY": "of a test", **environment}
    subprocess.run(
        agent.shell.command("vault", "set", "model.key", "--origin", endpoint.url),
        env={**agent.shell.environment, **vault},
        input=KEY,
        text=True,
        check=True,
        stdout=subprocess.DEVNULL,
    )
    yield vault


def everything_in(folder: Path) -> bytes:
    return b"".join(file.read_bytes() for file in folder.rglob("*") if file.is_file())


@pytest.mark.slow
def test_the_key_is_sent_and_written_nowhere(agent: Agent, tmp_path: Path) -> None:
    with Endpoint(Fails(500, f"Bad key {KEY}"), "Yes.", key=KEY) as endpoint:
        code, out, err = agent.run(endpoint, "Look", "--log-level", "debug", ORYN_MODEL_KEY=KEY)
    assert (code, len(endpoint.requests)) == (0, 2)
    assert "Bad key ••••" in out
    assert KEY not in out + err
    assert KEY.encode() not in everything_in(tmp_path)


@pytest.mark.slow
def test_a_key_of_the_vault_goes_to_its_own_endpoint_alone(agent: Agent) -> None:
    with Endpoint("Yes.", key=KEY) as endpoint, Endpoint("Yes.") as other:
        with secret_of_the_vault(agent, endpoint) as vault:
            named = ("--model-key", "{{vault:model.key}}")
            assert agent.run(endpoint, "Look", *named, **vault).code == 0
            agent.file.unlink()
            code, _, err = agent.run(other, "Look", *named, **vault)
    assert (code, other.requests) == (9, [])
    assert err.startswith("error agent: model.key of the vault is not for")
    assert KEY.encode() not in agent.file.read_bytes()


@pytest.mark.slow
def test_a_value_of_the_vault_is_shown_by_no_tab(agent: Agent, url: str) -> None:
    def types_secret(messages: Messages) -> Reply:
        match len(messages):
            case 2:
                found = re.search(r'<input id="(\d+)" type="search"', messages[-1]["content"])
                assert found
                return (
                    f'<tool_code>{{"action": "type", "id": {found[1]}, "value": "{{{{vault:model.key}}}}"}}</tool_code>'
                )
            case 4:
                return f'<tool_code>{{"action": "open_tab", "url": "{url}search?q={KEY}"}}</tool_code>'
        return "I see nothing."

    with Endpoint(types_secret) as endpoint, secret_of_the_vault(agent, endpoint) as vault:
        store = agent.shell.command("vault", "set", "model.key", "--origin", url)
        subprocess.run(store, env={**agent.shell.environment, **vault}, input=KEY, text=True, check=True)
        code, _, _ = agent.run(endpoint, "Look", "--start", url, "--page-text", "5000", **vault)
    assert (code, len(endpoint.requests)) == (0, 3)
    told = [each["content"] for each in endpoint.requests[2].messages if each["role"] == "user"]
    assert 'value="••••"' in told[1], told[1]
    assert KEY not in "".join(told) and "••••" in told[-1], "not in the page that it was typed into, nor in another"


@pytest.mark.slow
def test_the_key_of_openai_is_for_openai_alone(agent: Agent) -> None:
    with Endpoint("Yes.") as endpoint:
        assert agent.run(endpoint, "Look", OPENAI_API_KEY=KEY).code == 0
    assert "authorization" not in endpoint.requests[0].headers


@pytest.mark.slow
@pytest.mark.parametrize(
    ("words", "error"),
    [
        (["--model", "m"], "there is no goal"),
        (["  ", "--model", "m"], "there is no goal"),
        (["Look"], "no model is chosen"),
        (["Look", "--model", "m", "--model-key", "sk-1"], "a key on the command line is read by others"),
        (["Look", "--model", "m", "--endpoint", "example.org"], "endpoint can't be 'example.org'"),
        (["Look", "--model", "m", "--max-tabs", "0"], "max_tabs can't be '0'"),
        (["Look", "--model", "m", "--input-price", "-1"], "input_price can't be '-1'"),
        (["Look", "--model", "m", "--tool", "Shop"], '"Shop" is not a saved tool'),
        (["Look", "--model", "m", "--tool", "Shop=a b"], "the saved tool 'Shop' has a URL with a space in it"),
        (["Look", "--model", "m", "--transcript", "none/run.jsonl"], "can't write"),
        (["--resume", "none.jsonl", "--model", "m"], "can't read"),
        (["--page", "none.jsonl"], "can't read"),
        (["Look", "--model", "m", "--confirm", "jump"], "confirm can't be 'jump'"),
    ],
)
def test_invalid_arguments_are_usage_errors(agent: Agent, words: list[str], error: str) -> None:
    code, out, err = agent.shell("agent", *words)
    assert (code, out) == (2, "")
    assert err.startswith(f"error agent: {error}")
    assert "sk-1" not in err


@pytest.mark.slow
def test_a_key_is_not_sent_where_others_can_read_it(agent: Agent) -> None:
    words = ("agent", "Look", "--model", "m", "--endpoint", "http://model.example/v1")
    code, _, err = agent.shell(*words, ORYN_MODEL_KEY=KEY)
    assert (code, err.splitlines()[0]) == (2, "error agent: the key would go to http://model.example/v1 in the clear")


@pytest.mark.slow
def test_a_page_that_can_not_be_opened_at_the_start(agent: Agent) -> None:
    with Endpoint("Yes.") as endpoint:
        code, out, err = agent.run(endpoint, "Look", "--start", "http://localhost:1/")
    assert (code, endpoint.requests) == (5, [])
    assert "# failed after 0 steps" in out and "--resume" not in out
    assert err.startswith("error agent: ")


@pytest.mark.slow
def test_saved_tools_come_from_a_file_and_from_the_command(agent: Agent, url: str) -> None:
    tools = agent.shell.home / "config" / "tools.json"
    tools.parent.mkdir(parents=True)
    tools.write_text(json.dumps({"Shop": "https://old.example", "News": "https://news.example"}))
    with Endpoint('<tool_code>{"action": "open_tool", "name": "shop"}</tool_code>', "There.") as endpoint:
        assert agent.run(endpoint, "Look", "--tool", f"shop={url}").code == 0
    assert "https://news.example" in endpoint.requests[0].messages[0]["content"]
    assert f"URL: {url}\n" in endpoint.requests[1].last


@pytest.mark.slow
def test_without_a_terminal_risky_commands_are_refused_unless_they_may_go_unasked(agent: Agent, url: str) -> None:
    with Endpoint(evaluates) as endpoint:
        code, out, _ = agent.run(endpoint, "Look", "--start", url)
        assert code == 0 and "the user said no to this command" in out
        assert [entry["agreed"] for entry in agent.of_kind("confirmation")] == [False]
        agent.file.unlink()
        code, out, _ = agent.run(endpoint, "Look", "--start", url, "--yes")
        assert code == 0 and "42" in endpoint.requests[-1].last


@pytest.mark.slow
def test_files_are_the_agents_own(agent: Agent, tmp_path: Path, url: str) -> None:
    outside = tmp_path / "outside.png"
    command = json.dumps({"action": "screenshot", "output": str(outside)})
    with Endpoint(f"<tool_code>{command}</tool_code>", "No.") as endpoint:
        assert agent.run(endpoint, "Look", "--start", url).code == 0
    assert "outside the allowed folders" in endpoint.requests[1].last and not outside.exists()


@pytest.mark.slow
def test_ctrl_c_ends_it_in_order_and_it_can_be_gone_on_with(agent: Agent, url: str) -> None:
    gate = threading.Event()
    with Endpoint(clicks_fern(FIRST), Says("I think\nand", gate=gate), "Done.") as endpoint:
        process = agent.shell.start(*agent.words(endpoint, "Look", "--start", url), "--transcript", str(agent.file))
        assert process.stdout is not None
        for line in process.stdout:
            if line == "I think\n":
                break
        process.send_signal(signal.SIGINT)
        out, err = process.communicate(timeout=60)
        gate.set()
        assert (process.returncode, err) == (130, "")
        assert f"# stopped after 1 step, 100 tokens read and 10 written\n# transcript: {agent.file}\n" in out
        assert out.endswith(f"# go on: oryn agent --resume {agent.file}\n")
        assert agent.entries()[-1]["outcome"] == "stopped"
        assert not list((agent.shell.home / "run").glob("*/DevToolsActivePort")), "the browser has ended"

        resumed = agent.shell(*agent.words(endpoint, "--resume", str(agent.file)))
    assert (resumed.code, resumed.err) == (0, "")
    assert "# finished after 1 step, 200 tokens read and 20 written" in resumed.out
    last = endpoint.requests[-1]
    assert [each["role"] for each in last.messages] == ["system", "user", "assistant", "user"]
    assert RESTARTED in last.last and "/plants/boston-fern\n" in last.last
    assert [entry["kind"] for entry in agent.entries()].count("ended") == 2


FIRST: Messages = [{"role": "user", "content": '<a id="6" href="x">Boston fern</a>'}]


@pytest.mark.slow
def test_a_run_that_was_killed_has_its_transcript_and_a_page(agent: Agent) -> None:
    gate = threading.Event()
    with Endpoint(Says("I think\n", gate=gate)) as endpoint:
        process = agent.shell.start(*agent.words(endpoint, "Look"), "--transcript", str(agent.file))
        assert process.stdout is not None and process.stdout.readline() == "I think\n"
        process.kill()
        process.communicate(timeout=60)
        gate.set()
    assert agent.shell.ok("agent", "--page", str(agent.file)) == f"{agent.page}\n"
    assert "not ended" in agent.page.read_text("utf-8")


@contextmanager
def terminal(agent: Agent, *words: str) -> Iterator[tuple[Screen, int, subprocess.Popen[bytes]]]:
    """The run at a terminal: its screen, and where the keyboard is."""
    user, program = pty.openpty()
    command = agent.shell.command(*words)
    with subprocess.Popen(
        command, env=agent.shell.environment, cwd=agent.shell.folder, stdin=program, stdout=program, stderr=program
    ) as process:
        os.close(program)
        try:
            yield Screen(user), user, process
            process.wait(timeout=60)
        finally:
            process.kill()
            os.close(user)


@pytest.mark.slow
def test_a_person_at_the_terminal_corrects_and_is_asked(agent: Agent, url: str) -> None:
    gate = threading.Event()
    policy: Policy = lambda said: "Good, the footer."  # noqa: E731
    thinking = Says('I think\n<tool_code>{"action": "eval", "script": "6 * 7"}</tool_code>', gate=gate)
    with Endpoint(thinking, policy) as endpoint:
        words = [*agent.words(endpoint, "Look", "--start", url), "--transcript", str(agent.file)]
        with terminal(agent, *words) as (screen, keyboard, process):
            screen.until("</tool_code>")
            os.write(keyboard, b"Look at the footer\n")
            screen.until("# sent with the next message")
            gate.set()
            assert "waits for a person's approval" in screen.until("Do it? [y/N]")
            os.write(keyboard, b"y\n")
            screen.until("# page: ")
        assert process.returncode == 0
    last = endpoint.requests[1].last
    assert last.startswith("User: Look at the footer\n") and "42" in last
    assert [entry["content"] for entry in agent.of_kind("correction")] == ["Look at the footer"]
    assert [(entry["said"], entry["agreed"]) for entry in agent.of_kind("confirmation")] == [("y", True)]


@pytest.mark.slow
def test_confirmation_is_denied_with_json_output(agent: Agent, url: str) -> None:
    with Endpoint(evaluates) as endpoint:
        words = [*agent.words(endpoint, "Look", "--start", url, "--json"), "--transcript", str(agent.file)]
        with terminal(agent, *words) as (screen, _, process):
            assert '"outcome": "finished"' in screen.until("run.html")
        assert process.returncode == 0
    assert [entry["agreed"] for entry in agent.of_kind("confirmation")] == [False]


def test_without_the_extra_it_says_what_to_install(agent: Agent) -> None:
    code = (
        "import sys\nsys.modules['httpx'] = None\nsys.argv = ['oryn', 'agent', 'Look', '--model', 'm']\n"
        "from oryn.cli.main import main; main()"
    )
    ended = subprocess.run(
        [sys.executable, "-c", code], env=agent.shell.environment, capture_output=True, text=True, check=False
    )
    assert (ended.returncode, ended.stdout) == (11, "")
    assert ended.stderr == (
        "error agent: 'oryn agent' needs httpx, which is not installed\n\n"
        "# hint\nInstall it: pip install 'oryn-browser[agent]'.\n"
    )


@pytest.mark.slow
def test_endpoint_response_without_events_is_an_error(agent: Agent) -> None:
    with Endpoint(Bytes(b"<html>", "text/html")) as endpoint:
        code, _, err = agent.run(endpoint, "Look")
    assert code == 12
    assert err.startswith('error agent: the endpoint answered "text/html" and no stream of events\n\n# hint\n')


class WaitingPage:
    """A page on which a visitor comes once the model waits for one."""

    HTML = b"""<!doctype html><title>Desk</title><p id=clock></p><script>
      setInterval(() => { clock.textContent = Date.now() }, 300)
      fetch('/visitor').then((answer) => answer.text())
        .then((html) => document.body.insertAdjacentHTML('beforeend', html))
    </script>"""

    def __init__(self) -> None:
        self.may_come = threading.Event()
        desk = self

        class Handler(BaseHTTPRequestHandler):
            def log_message(self, *_: Any) -> None:
                pass

            def do_GET(self) -> None:
                if self.path == "/visitor":
                    desk.may_come.wait(30)
                body = desk.HTML if self.path == "/" else b"<button>Let Ann in</button>"
                self.send_response(200)
                self.send_header("Content-Type", "text/html")
                self.send_header("Content-Length", str(len(body)))
                self.end_headers()
                self.wfile.write(body)

        self._server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self._server.daemon_threads = True
        self.url = f"http://127.0.0.1:{self._server.server_port}/"
        threading.Thread(target=self._server.serve_forever, daemon=True).start()

    def __enter__(self) -> WaitingPage:
        return self

    def __exit__(self, *_: object) -> None:
        self.may_come.set()
        self._server.shutdown()
        self._server.server_close()


@pytest.mark.slow
def test_a_model_that_waits_gets_what_changes_by_itself(agent: Agent) -> None:
    with WaitingPage() as desk:

        def waits(messages: Messages) -> Reply:
            if len(messages) > 3:
                return "Ann has come." if "Let Ann in" in messages[-1]["content"] else "What?"
            threading.Timer(0.5, desk.may_come.set).start()
            return "I wait for a visitor."

        with Endpoint(waits) as endpoint:
            code, out, err = agent.run(endpoint, "Who comes?", "--start", desk.url, "--page-updates", "4s")
    assert (code, err) == (0, "")
    assert f"I wait for a visitor.\n@ {desk.url}, 1 element\n" in out
    assert out.partition("Ann has come.")[2].startswith("\n\n# finished after 2 steps")
    assert [entry["outcome"] for entry in agent.of_kind("turn")] == ["waiting", "finished"]
