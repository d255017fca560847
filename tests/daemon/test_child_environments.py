"""No process that the daemon starts has a secret in its environment: browsers, drivers, workers."""

from __future__ import annotations

import json
from collections import defaultdict
from collections.abc import Callable
from pathlib import Path

import pytest

from oryn.system.environment import child_environment, worker_environment
from tests.daemon.daemon_process import RunningDaemon
from tests.headless.conftest import Pages

MARK = "walnut-42"
SECRETS = (
    "ORYN_MODEL_KEY", "ORYN_BRAVE_KEY", "ORYN_INDEX_KEY", "ORYN_CAPTCHA_KEY", "ORYN_STATE_KEY", "ORYN_VAULT_KEY",
    "OPENAI_API_KEY",
)  # fmt: skip
OTHERS = ("GITHUB_TOKEN", "AWS_SECRET_ACCESS_KEY", "AWS_ACCESS_KEY_ID", "DB_PASSWORD", "HF_TOKEN")
"""Secrets of the user that are not Oryn's: a library of a worker may need one, a browser never does."""

Start = Callable[..., RunningDaemon]


def environments(root: int) -> dict[str, bytes]:
    """The environments of all processes that a process has started, and those have, by their command lines."""
    children = defaultdict[int, list[int]](list)
    for entry in Path("/proc").iterdir():
        if entry.name.isdigit():
            try:
                parent = int((entry / "stat").read_bytes().rpartition(b")")[2].split()[1])
            except OSError:  # it has ended
                continue
            children[parent].append(int(entry.name))
    found, waiting = {}, children[root]
    while waiting:
        process = waiting.pop()
        waiting += children[process]
        try:
            words = Path(f"/proc/{process}/cmdline").read_bytes().replace(b"\0", b" ").decode(errors="replace")
            found[f"{process} {words}"] = Path(f"/proc/{process}/environ").read_bytes()
        except OSError:
            continue
    return found


def leaks(daemon: RunningDaemon, names: tuple[str, ...]) -> dict[str, list[str]]:
    """The variables with secrets in each process, by its command line."""
    found = {
        words: [name for name in names if f"{name}={MARK}".encode() in environment.split(b"\0")]
        for words, environment in environments(daemon.process.pid).items()
    }
    assert found
    return {words: names for words, names in found.items() if names}


@pytest.mark.slow
@pytest.mark.parametrize(
    "backend",
    [
        "headless",
        pytest.param("embedded", marks=pytest.mark.webkit),
        pytest.param("playwright", marks=pytest.mark.playwright),
    ],
)
async def test_no_browser_and_no_driver_has_a_secret(daemon_of: Start, pages: Pages, backend: str) -> None:
    pages["/"] = "<title>Shop</title>"
    daemon = daemon_of(**dict.fromkeys((*SECRETS, *OTHERS), MARK))
    await daemon.ok(f"goto {pages.url()}", backend=backend)
    assert leaks(daemon, (*SECRETS, *OTHERS)) == {}


@pytest.mark.slow
async def test_no_worker_has_a_secret_of_oryns(daemon_of: Start, pages: Pages) -> None:
    pages["/"] = "<title>Shop</title><article><h1>Shop</h1><p>Ferns grow in the shade of trees.</p></article>"
    daemon = daemon_of(ORYN_ALLOW_PRIVATE="1", **dict.fromkeys((*SECRETS, "HF_TOKEN"), MARK))
    await daemon.ok({"argv": ["extract", pages.url()]})
    assert (await daemon.client.post("/command", content=json.dumps({"line": f"help {'x' * 10_000}"}))).status_code
    processes = environments(daemon.process.pid)
    for module in ("oryn.research.process.server", "oryn.daemon.request.parser_process"):
        assert any(module in words for words in processes), (module, list(processes))
    assert leaks(daemon, SECRETS) == {}
    assert any(f"HF_TOKEN={MARK}".encode() in each for each in processes.values()), "what libraries need stays"


def test_which_variables_a_program_gets() -> None:
    kept = {
        "PATH": "/bin", "HOME": "/h", "DISPLAY": ":1", "XAUTHORITY": "/x", "HTTPS_PROXY": "http://p:1",
        "DBUS_SESSION_BUS_ADDRESS": "unix:x", "SSH_AUTH_SOCK": "/s", "KEYBOARD": "de", "LANG": "C.UTF-8",
    }  # fmt: skip
    own = {"ORYN_HOME": "/o"}
    given = kept | own | dict.fromkeys((*SECRETS, *OTHERS), MARK)
    assert child_environment(given) == kept
    assert worker_environment(given) == kept | own | dict.fromkeys(OTHERS, MARK)
