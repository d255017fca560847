"""From the start of a browser to the moment when nothing of it is left, however its owner ends."""

from __future__ import annotations

import asyncio
import os
import shutil
import signal
import subprocess
import sys
from pathlib import Path

import pytest

import oryn
from oryn.browsers.chromium import ChromiumBrowser
from oryn.browsers.process.run_folder import RunFolder, command_line, remove_abandoned
from oryn.errors import BrowserFailed, BrowserNotFound, ProfileInUse

posix = pytest.mark.skipif(sys.platform == "win32", reason="processes of POSIX systems")


def processes_with(text: str) -> list[int]:
    """Those whose command line contains `text`."""
    pids = [int(entry.name) for entry in Path("/proc").iterdir() if entry.name.isdigit()]
    return [pid for pid in pids if pid != os.getpid() and text in command_line(pid)]


@pytest.fixture
def stray_process(tmp_path: Path):
    """A process that stands for a browser: it only has the command line of one."""
    started = []

    def start(profile: Path) -> subprocess.Popen[bytes]:
        code = "import time; print(flush=True); time.sleep(60)"
        arguments = [sys.executable, "-c", code, f"--user-data-dir={profile}"]
        process = subprocess.Popen(arguments, stdout=subprocess.PIPE, start_new_session=True)
        started.append(process)
        assert process.stdout is not None
        process.stdout.readline()  # its command line can be read before it has one
        return process

    yield start
    for process in started:
        process.kill()
        process.communicate()


# --- run folders ---


def test_a_run_folder_is_the_owners_alone(runtime_dir):
    folder = RunFolder.create(runtime_dir)
    assert folder.folder.stat().st_mode & 0o077 == 0
    assert folder.profile.is_dir()
    assert folder.remove()
    assert folder.remove()
    folder.release()
    assert list(runtime_dir.iterdir()) == []


def test_what_lives_is_left_alone(runtime_dir):
    folder = RunFolder.create(runtime_dir)
    assert remove_abandoned(runtime_dir) == []
    assert folder.profile.is_dir()
    folder.remove()
    folder.release()


@posix
def test_what_a_dead_owner_left_is_removed(runtime_dir, stray_process):
    folder = RunFolder.create(runtime_dir)
    process = stray_process(folder.profile)
    folder.write_owner(process.pid, folder.profile)
    folder.release()  # as the system does when the owner dies
    assert remove_abandoned(runtime_dir) == [folder.folder]
    assert process.wait(5) == -signal.SIGKILL
    assert list(runtime_dir.iterdir()) == []


@posix
def test_a_process_that_only_has_the_number_is_left_alone(runtime_dir, stray_process, tmp_path):
    folder = RunFolder.create(runtime_dir)
    process = stray_process(tmp_path / "another profile")
    folder.write_owner(process.pid, folder.profile)
    folder.release()
    assert remove_abandoned(runtime_dir) == [folder.folder]
    assert process.poll() is None


@pytest.mark.parametrize("text", ["", "{", "[]", '{"browser": null, "profile": 1}', '{"browser": -1, "profile": "/x"}'])
def test_a_broken_note_is_no_obstacle(runtime_dir, text):
    folder = RunFolder.create(runtime_dir)
    (folder.folder / "owner.json").write_text(text)
    folder.release()
    assert remove_abandoned(runtime_dir) == [folder.folder]
    assert list(runtime_dir.iterdir()) == []


def test_no_runtime_folder_yet(tmp_path):
    assert remove_abandoned(tmp_path / "none") == []


# --- real browsers ---


@pytest.mark.slow
@pytest.mark.browser
async def test_nothing_is_left(runtime_dir, server):
    browser = ChromiumBrowser(runtime_dir=runtime_dir)
    await browser.start()
    assert (await browser.version()).startswith("Chrome/")
    await browser.page.goto(server.url("/ok"))
    assert processes_with(str(runtime_dir))
    await browser.close()
    await browser.close()
    assert list(runtime_dir.iterdir()) == []
    assert processes_with(f"--user-data-dir={runtime_dir}") == []


ENGINE = """
import asyncio, pathlib, sys
from oryn.browsers.chromium import ChromiumBrowser
async def main():
    browser = ChromiumBrowser(runtime_dir=pathlib.Path(sys.argv[1]))
    await browser.start()
    print("ready", flush=True)
    await asyncio.Event().wait()
asyncio.run(main())
"""


@pytest.mark.slow
@posix
@pytest.mark.browser
async def test_an_engine_that_is_killed(runtime_dir, wait_until):
    source = Path(oryn.__file__).parents[1]
    engine = await asyncio.create_subprocess_exec(
        sys.executable, "-c", ENGINE, str(runtime_dir),
        stdout=subprocess.PIPE, env={**os.environ, "PYTHONPATH": str(source)},
    )  # fmt: skip
    assert engine.stdout is not None
    assert await engine.stdout.readline() == b"ready\n"
    [left] = list(runtime_dir.iterdir())
    engine.kill()
    await engine.wait()
    # The browser ends by itself: its end of the pipe is closed.
    await wait_until(lambda: not processes_with(f"--user-data-dir={left}"), 10)
    assert left.exists()
    browser = ChromiumBrowser(runtime_dir=runtime_dir)
    await browser.start()
    await browser.close()
    assert list(runtime_dir.iterdir()) == []


@pytest.mark.slow
@pytest.mark.browser
async def test_a_profile_lasts(runtime_dir, server, tmp_path):
    profile = tmp_path / "profile"
    for expected in (None, "kept"):
        browser = ChromiumBrowser(runtime_dir=runtime_dir, profile=profile)
        await browser.start()
        await browser.page.goto(server.url("/ok"))
        assert await browser.page.evaluate("localStorage.getItem('note')") == expected
        await browser.page.evaluate("localStorage.setItem('note', 'kept')")
        await browser.close()
    assert list(runtime_dir.iterdir()) == []


@pytest.mark.slow
@pytest.mark.browser
async def test_a_profile_that_is_in_use(runtime_dir, tmp_path):
    profile = tmp_path / "profile"
    first = ChromiumBrowser(runtime_dir=runtime_dir, profile=profile)
    await first.start()
    second = ChromiumBrowser(runtime_dir=runtime_dir, profile=profile)
    with pytest.raises(ProfileInUse, match=f"the profile profile is in use by process {os.getpid()}"):
        await second.start()
    await first.close()
    await second.start()
    await second.close()
    assert list(runtime_dir.iterdir()) == []


@pytest.mark.slow
@pytest.mark.browser
async def test_a_profile_that_a_browser_is_in_without_us(runtime_dir, tmp_path):
    other = ChromiumBrowser(runtime_dir=runtime_dir, extra_args=[f"--user-data-dir={tmp_path / 'profile'}"])
    await other.start()
    mine = ChromiumBrowser(runtime_dir=runtime_dir, profile=tmp_path / "profile")
    with pytest.raises(ProfileInUse, match=r"the profile profile is in use by a browser, process \d+"):
        await mine.start()
    await other.close()
    await mine.start()
    await mine.close()


@pytest.mark.slow
@posix
@pytest.mark.browser
async def test_a_profile_whose_owner_was_killed(runtime_dir, server, tmp_path):
    profile = tmp_path / "profile"
    source = Path(oryn.__file__).parents[1]
    code = ENGINE.replace("argv[1]))", "argv[1]), profile=pathlib.Path(sys.argv[2]))")
    engine = await asyncio.create_subprocess_exec(
        sys.executable, "-c", code, str(runtime_dir), str(profile),
        stdout=subprocess.PIPE, env={**os.environ, "PYTHONPATH": str(source)},
    )  # fmt: skip
    assert engine.stdout is not None
    assert await engine.stdout.readline() == b"ready\n"
    engine.kill()
    await engine.wait()
    browser = ChromiumBrowser(runtime_dir=runtime_dir, profile=profile)
    await browser.start()
    assert (await browser.page.goto(server.url("/ok"))).status == 200
    await browser.close()


@pytest.mark.slow
@pytest.mark.browser
async def test_a_browser_that_runs_already(runtime_dir, server, tmp_path, wait_until):
    profile = tmp_path / "profile"
    host = ChromiumBrowser(runtime_dir=runtime_dir, profile=profile, extra_args=["--remote-debugging-port=0"])
    await host.start()
    port_file = profile / "DevToolsActivePort"
    await wait_until(lambda: port_file.exists() and len(port_file.read_text().split()) == 2)
    port, path = port_file.read_text().split()
    guest = ChromiumBrowser(runtime_dir=runtime_dir / "guest", endpoint=f"ws://127.0.0.1:{port}{path}")
    await guest.start()
    await guest.new_tab(server.url("/ok?title=guest"))
    assert (await guest.page.scanner({"cmd": "scan"}))["data"]["page"]["title"] == "guest"
    assert len(await guest.page.screenshot()) > 1000
    await guest.close()
    assert (await host.page.goto(server.url("/ok"))).status == 200
    await host.close()


async def test_nobody_answers_at_the_endpoint(runtime_dir):
    browser = ChromiumBrowser(runtime_dir=runtime_dir, endpoint="ws://127.0.0.1:9/devtools/browser/x")
    with pytest.raises(BrowserFailed, match="no browser answers"):
        await browser.start()


async def test_no_such_browser(runtime_dir):
    with pytest.raises(BrowserNotFound):
        await ChromiumBrowser("/no/such/browser", runtime_dir=runtime_dir).start()
    assert not runtime_dir.exists() or list(runtime_dir.iterdir()) == []


@posix
async def test_what_is_no_browser(runtime_dir):
    executable = shutil.which("false")
    assert executable is not None
    with pytest.raises(BrowserFailed):
        await ChromiumBrowser(executable, runtime_dir=runtime_dir).start()
    assert list(runtime_dir.iterdir()) == []


@posix
async def test_what_is_no_program(runtime_dir, tmp_path):
    file = tmp_path / "browser"
    file.write_bytes(b"\x7fELF and nothing more")
    file.chmod(0o700)
    with pytest.raises(BrowserFailed, match="did not start"):
        await ChromiumBrowser(str(file), runtime_dir=runtime_dir).start()
    assert list(runtime_dir.iterdir()) == []


@posix
async def test_its_last_words_are_told(runtime_dir, tmp_path):
    file = tmp_path / "browser"
    file.write_text("#!/bin/sh\necho 'a library is missing' >&2\nexit 127\n")
    file.chmod(0o700)
    with pytest.raises(BrowserFailed, match="did not start: a library is missing"):
        await ChromiumBrowser(str(file), runtime_dir=runtime_dir).start()
    assert list(runtime_dir.iterdir()) == []


async def test_before_the_start_there_is_no_page(runtime_dir):
    with pytest.raises(BrowserFailed):
        _ = ChromiumBrowser(runtime_dir=runtime_dir).page


def test_importing_the_backend_is_cheap():
    heavy = {"websockets", "http", "urllib.request", "typer", "rich", "pydantic", "email"}
    code = "import sys, oryn.browsers.chromium; print(*sys.modules)"
    source = Path(oryn.__file__).parents[1]
    done = subprocess.run(
        [sys.executable, "-c", code],
        capture_output=True,
        text=True,
        check=True,
        env={**os.environ, "PYTHONPATH": str(source)},
    )
    assert heavy.isdisjoint(done.stdout.split())
