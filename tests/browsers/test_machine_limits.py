"""A machine, or a container, that gives the browser no sandbox, or little shared memory."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from oryn.browsers.chromium import ChromiumBrowser, launch, machine_limits
from oryn.browsers.playwright.error_mapping import start_error
from oryn.browsers.process.run_folder import RunFolder
from oryn.cli.checks import machine
from oryn.daemon.daemon import Daemon
from oryn.errors import BrowserFailed, SandboxUnavailable
from oryn.hosts.browser_factory import BrowserFactory, encoding_browser
from oryn.settings import Configuration, load
from oryn.system import paths

posix = pytest.mark.skipif(sys.platform == "win32", reason="a shell script stands in for the browser")
COMPLAINT = "zygote_host_impl_linux.cc:130] No usable sandbox! If this is a Debian system, please install …"
COMPLAINTS = [
    COMPLAINT,
    # Podman's own profile without capabilities: namespaces, and no chroot in them.
    'Check failed: sys_chroot("/proc/self/fdinfo/") == 0\nzygote_host_impl_linux.cc:221] Check failed: . : No such file',
    "FATAL:sandbox/linux/services/credentials.cc:137] Check failed: . : Function not implemented (38)",
]


def configuration(home: Path, **flags: object) -> Configuration:
    return load(flags, paths.find({"ORYN_HOME": str(home)}), {})


@pytest.fixture
def complaining(tmp_path: Path) -> Path:
    """A browser that ends as Chromium does without user namespaces."""
    file = tmp_path / "browser"
    file.write_text(f"#!/bin/sh\necho '{COMPLAINT}' >&2\nexit 1\n")
    file.chmod(0o700)
    return file


@pytest.fixture
def as_user(monkeypatch: pytest.MonkeyPatch) -> None:
    """Not as root, which has no sandbox anyway."""
    monkeypatch.setattr(machine_limits, "has_sandbox", lambda is_wanted: is_wanted)
    monkeypatch.setattr(launch, "has_sandbox", lambda is_wanted: is_wanted)


def arguments(folder: Path, **options: bool) -> list[str]:
    prepared = launch.prepare_launch(
        None, headful=False, profile=None, viewport=(1280, 720), runtime_dir=folder, **options
    )
    prepared.discard()
    return prepared.options.arguments(over_port=False)


@posix
async def test_a_sandbox_that_is_not_to_be_had_names_the_ways_out(tmp_path: Path, complaining: Path) -> None:
    with pytest.raises(SandboxUnavailable) as caught:
        await ChromiumBrowser(str(complaining), runtime_dir=tmp_path / "run").start()
    assert caught.value.code == "SANDBOX_UNAVAILABLE"
    assert "zygote" not in caught.value.message
    assert caught.value.hint is not None
    assert "containers/seccomp.json" in caught.value.hint and "ORYN_SANDBOX=off" in caught.value.hint
    assert not list((tmp_path / "run").iterdir())


@pytest.mark.parametrize("complaint", COMPLAINTS)
def test_playwright_reports_it_in_the_same_words(complaint: str) -> None:
    assert type(machine_limits.start_error(complaint)) is SandboxUnavailable
    theirs = f"BrowserType.launch: it has been closed\nBrowser logs:\n\n{complaint}\nCall log:\n  - pid=1"
    assert type(start_error(Exception(theirs))) is SandboxUnavailable
    assert type(start_error(Exception("BrowserType.launch: no\nBrowser logs:\n\na library\n"))) is BrowserFailed


@pytest.mark.usefixtures("as_user")
def test_the_setting_switches_the_sandbox_off_with_one_warning(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    machine_limits.warn_without_sandbox.cache_clear()
    assert "--no-sandbox" not in arguments(tmp_path)
    assert not caplog.messages
    for _ in range(2):
        assert "--no-sandbox" in arguments(tmp_path, sandbox=False)
    assert len(caplog.messages) == 1 and "sandbox is off" in caplog.text


@pytest.mark.usefixtures("as_user")
async def test_every_browser_of_a_host_has_the_setting(tmp_path: Path) -> None:
    chosen = configuration(tmp_path, sandbox="off")
    for browser in (BrowserFactory(chosen).create_first(), encoding_browser(chosen)):
        assert isinstance(browser, ChromiumBrowser)
        prepared = browser._shared._prepare(RunFolder.create(tmp_path / "run"))
        assert not prepared.options.sandbox
        prepared.folder.remove()
        prepared.folder.release()


@pytest.mark.parametrize(("free", "in_files"), [(None, False), (2**30, False), (64 * 2**20, True), (0, True)])
def test_with_little_shared_memory_the_browser_uses_files(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, free: int | None, in_files: bool
) -> None:
    monkeypatch.setattr(launch, "free_shared_memory", lambda: free)
    monkeypatch.setattr(machine_limits, "free_shared_memory", lambda: free)
    assert ("--disable-dev-shm-usage" in arguments(tmp_path)) is in_files
    state, found, _ = machine.shared_memory(configuration(tmp_path))
    assert state == "ok" and ("uses files instead" in found) is in_files


# --- doctor and status ---


@pytest.mark.slow
async def test_the_status_of_a_daemon_says_that_the_sandbox_is_off(tmp_path: Path) -> None:
    assert (await Daemon(configuration(tmp_path)).status()).sandbox is machine_limits.has_sandbox(True)
    assert (await Daemon(configuration(tmp_path, sandbox="off")).status()).sandbox is False


def test_doctor_says_that_the_sandbox_is_off(tmp_path: Path) -> None:
    state, found, mend = machine.sandbox(configuration(tmp_path, sandbox="off"))
    assert (state, found.partition(",")[0]) == ("warning", "off") and "sandbox" in mend


@posix
@pytest.mark.usefixtures("as_user")
def test_doctor_tries_the_sandbox(tmp_path: Path, complaining: Path) -> None:
    chosen = configuration(tmp_path, browser=str(complaining))
    for check in (machine.sandbox, machine.browser):
        state, _, mend = check(chosen)
        assert state == "missing" and "ORYN_SANDBOX=off" in mend
    complaining.write_text("#!/bin/sh\necho 'a library' >&2\nexit 127\n")
    assert machine.sandbox(chosen)[:2] == ("warning", "not tried: no browser starts")
    state, _, mend = machine.browser(chosen)
    assert state == "missing" and "doctor" not in mend and "--browser" in mend


@pytest.mark.slow
@pytest.mark.browser
@pytest.mark.skipif(shutil.which("bwrap") is None, reason="needs bubblewrap, which makes a user without namespaces")
def test_a_user_without_namespaces_chooses(tmp_path: Path) -> None:
    def answers(**environment: str) -> tuple[str, str]:
        root = ["bwrap", "--dev-bind", "/", "/", "--unshare-user", "--disable-userns"]
        user = ["--uid", "1000", "--gid", "1000", "--setenv", "ORYN_HOME", str(tmp_path)]
        command = [*root, *user, sys.executable, "-m", "oryn", "headless"]
        ended = subprocess.run(
            command, input="goto about:blank\n", env=os.environ | environment, capture_output=True, text=True
        )
        return ended.stdout, ended.stderr

    refused, _ = answers()
    assert "its sandbox needs user namespaces" in refused and "containers/seccomp.json" in refused
    allowed, warning = answers(ORYN_SANDBOX="off")
    assert "ok goto" in allowed
    assert warning.count("sandbox is off") == 1
