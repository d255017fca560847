"""Attempts of programs to leave their sandbox: at files, the network, processes, memory, time, objects of the host,
other sessions. None succeeds, and what the daemon has and answers to others stays as it was."""

from __future__ import annotations

import asyncio
import json
import re
import time

import pytest

from tests.program.conftest import CANARY, ProgramHost

OUTSIDE = "outside the allowed folders"

FILES = {
    "pathlib reads": ("from pathlib import Path\nPath('{secret}').read_text()", "PermissionError"),
    "pathlib lists": ("from pathlib import Path\nlist(Path('{folder}').iterdir())", "PermissionError"),
    "pathlib writes": ("from pathlib import Path\nPath('{folder}/new.txt').write_text('x')", "PermissionError"),
    "pathlib deletes": ("from pathlib import Path\nPath('{secret}').unlink()", "PermissionError"),
    "pathlib asks": ("from pathlib import Path\nPath('{secret}').exists()", "PermissionError"),
    "open reads, which is the command": ("open('{secret}', 'r').read()", "TypeError"),
    "open as a page": ("open('file://{secret}')\ntext()", OUTSIDE),
    "io": ("import io\nio.open('{secret}').read()", "ModuleNotFoundError"),
    "os lists": ("import os\nos.listdir('{folder}')", "PermissionError"),
    "os removes": ("import os\nos.remove('{secret}')", "PermissionError"),
    "a page of a file": ("goto('file://{secret}')\ntext()", OUTSIDE),
    "a file outside of the root": ("upload('File', '{secret}')", OUTSIDE),
    "up from the root": ("upload('File', '../secret.txt')", OUTSIDE),
    "a picture outside of the root": ("screenshot('{folder}/new.png')", OUTSIDE),
    "a state outside of the root": ("state_save('{folder}/new.json')", OUTSIDE),
}
NETWORK = {
    "socket": ("import socket\nsocket.create_connection(('127.0.0.1', {port}))", "ModuleNotFoundError"),
    "urllib": ("import urllib.request\nurllib.request.urlopen('http://127.0.0.1:{port}')", "ModuleNotFoundError"),
    "http": ("import http.client\nhttp.client.HTTPConnection('127.0.0.1', {port})", "ModuleNotFoundError"),
    "asyncio": ("import asyncio\nasyncio.open_connection('127.0.0.1', {port})", "AttributeError"),
    "ssl": ("import ssl", "ModuleNotFoundError"),
}
PROCESSES = {
    "system": ("import os\nos.system('touch {folder}/new.txt')", "AttributeError"),
    "fork": ("import os\nos.fork()", "AttributeError"),
    "kill": ("import os\nos.kill(os.getppid(), 9)", "AttributeError"),
    "subprocess": ("import subprocess\nsubprocess.run(['touch', '{folder}/new.txt'])", "ModuleNotFoundError"),
    "exec": ("exec('import os; os.system(\"touch {folder}/new.txt\")')", "AttributeError"),
    "ctypes": ("import ctypes\nctypes.CDLL(None).getpid()", "ModuleNotFoundError"),
    "threads": ("import threading", "ModuleNotFoundError"),
    "import by name": ("__import__('os').system('id')", "NameError"),
    "importlib": ("import importlib\nimportlib.import_module('subprocess')", "ModuleNotFoundError"),
}
MEMORY = {
    "a long text": ("'x' * 10**9", "MemoryError"),
    "a list": ("[0] * 10**9", "MemoryError"),
    "a number": ("10 ** 10**8", "MemoryError"),
    "a shift": ("1 << 10**10", "MemoryError"),
    "a doubling": ("found = ['x']\nwhile True: found += found", "MemoryError"),
    "joined": ("('a' * 10**5).join(['b'] * 10**5)", "MemoryError"),
    "formatted": ("f'{{1:>1000000000}}'", "MemoryError"),
    "a range": ("list(range(10**9))", "MemoryError"),
    "objects of the host": ("found = []\nwhile True: found.append(page)", "MemoryError|calls"),
    "an argument": ("type('Name', 'x' * 10_000_000)", "characters"),
    "a thousand arguments": (
        "text = 'x' * 90_000\nwhile True: is_visible(text)",
        "commands are done|not done",
    ),
}
TIME = {
    "a loop": ("while True: pass", "not done"),
    "a sum": ("sum(range(10**12))", "not done"),
    "a sleep": ("import time\ntime.sleep(10**6)", "not done"),
    "a sleep of no number": ("import time\ntime.sleep(float('nan'))", "ValueError"),
    "a regular expression": (
        "import re\nre.match('(a|aa)+$', 'a' * 60 + 'b').end()",
        "AttributeError|not done",
    ),
}
HOST = {
    "the environment": ("import os\nos.environ['CANARY']", "RuntimeError"),
    "getenv": ("import os\nos.getenv('CANARY')", "RuntimeError"),
    "sys": ("import sys\nsys.modules", "AttributeError"),
    "subclasses": ("().__class__.__bases__[0].__subclasses__()", "AttributeError"),
    "globals of a function": ("click.__globals__", "AttributeError"),
    "code of a function": ("(lambda: 0).__code__", "AttributeError"),
    "globals of an element": ("observe()[0].__class__.__init__.__globals__", "AttributeError"),
    "private fields": ("getattr(observe()[0], '_generation')", "AttributeError"),
    "the dictionary of the page": ("page.__dict__", "AttributeError"),
    "a format": ("'{{0.__class__.__init__.__globals__}}'.format(observe()[0])", "AttributeError"),
    "methods of the host": ("page.send(1)", "AttributeError"),
    "frames": ("import inspect", "ModuleNotFoundError"),
    "garbage": ("import gc\ngc.get_objects()", "ModuleNotFoundError"),
}
SESSIONS = {
    "an address in an argument": ("click('x\\n@other goto {url}')", "element not found"),
    "another session": ("session('other')\ntitle()", "TypeError"),
    "a new session": ("session_new('third')", "NameError"),
    "closing a session": ("session_close('other')", "NameError"),
    "a program in a program": ("program(text='1')", "NameError"),
    "a stopped program": ("program(resume='p_00000000')", "NameError"),
    "the end of the host": ("exit()", "NameError"),
    "definitions": ("define('x', 'click 1')", "NameError"),
}
ATTEMPTS = {
    f"{subject}: {name}": attempt
    for subject, attempts in {
        "files": FILES,
        "network": NETWORK,
        "processes": PROCESSES,
        "memory": MEMORY,
        "time": TIME,
        "host": HOST,
        "sessions": SESSIONS,
    }.items()
    for name, attempt in attempts.items()
}
SECONDS = 2
GROWTH = 3_000
"""Kilobytes by which the daemon's memory may differ after one more round of all attempts."""


async def attempt(host: ProgramHost, name: str) -> None:
    """Make an attempt, and check that it was refused and has left nothing behind."""
    text, refusal = ATTEMPTS[name]
    folder = host.folder
    before = {file.name for file in folder.iterdir()}
    text = text.format(
        secret=folder / "secret.txt", folder=folder, port=host.listener.port, url=host.pages.url("/taken")
    )
    answer = await host.run(text, timeout=SECONDS)
    assert not answer["ok"], answer["text"]
    assert re.search(refusal, answer["text"]), answer["text"]
    assert CANARY not in json.dumps(answer)
    assert {file.name for file in folder.iterdir()} == before
    assert (folder / "secret.txt").read_text() == CANARY
    assert host.listener.connections == 0


def test_there_are_fifty_attempts() -> None:
    assert len(ATTEMPTS) >= 50


@pytest.mark.parametrize("name", ATTEMPTS)
async def test_no_attempt_succeeds(host: ProgramHost, name: str) -> None:
    await attempt(host, name)


@pytest.mark.slow
async def test_the_daemon_and_its_answers_to_others_are_as_before(host: ProgramHost) -> None:
    """Another session is asked all the while. What is measured is the second round: the first fills caches."""
    quick = [name for name in ATTEMPTS if not name.startswith("time")]
    expected = await observed(host)
    for round in range(2):
        memory, children = host.memory(), host.children() - host.workers()
        for name in quick:
            _, answer = await asyncio.gather(attempt(host, name), observed(host))
            assert answer == expected, name
        if round:
            assert host.memory() - memory < GROWTH
        assert host.children() - host.workers() == children
    assert len(host.workers()) <= 1


async def observed(host: ProgramHost) -> tuple[str, str, list[str]]:
    """What the other session shows, and the sessions that there are."""
    title = await host.daemon.ok("title", session="other")
    elements = await host.daemon.ok("observe", session="other")
    sessions = (await host.daemon.status())["sessions"]
    return title["text"], elements["text"], sorted(session["name"] for session in sessions)


@pytest.mark.slow
async def test_a_program_that_only_computes_does_not_delay_others(host: ProgramHost) -> None:
    running = asyncio.create_task(host.run("while True: pass", timeout=SECONDS))
    begun = time.perf_counter()
    answers = 0
    while not running.done():
        await host.daemon.ok("title", session="other")
        answers += 1
    assert not (await running)["ok"]
    assert answers > SECONDS * 10, f"{answers} answers in {time.perf_counter() - begun:.1f} s"
