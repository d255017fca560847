"""Finding the profiles of installed browsers."""

from __future__ import annotations

import json
import os
import socket
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from oryn.browsers.chromium.discovery import BROWSERS
from oryn.errors import ConfigurationError
from oryn.profiles.installations import PORT_FILE, USER_DATA, PlatformInfo, ProfileSource, find, running_browsers
from tests.headless.attached_browser import RunningChromium

LINUX = {
    "chrome": ".config/google-chrome",
    "chromium": "snap/chromium/common/chromium",
    "edge": ".var/app/com.microsoft.Edge/config/microsoft-edge",
    "brave": ".config/BraveSoftware/Brave-Browser",
}


def make(user_data: Path, names: dict[str, str], **about: Any) -> Path:
    """A user data folder with these profiles, by directory."""
    for directory in names:
        (user_data / directory).mkdir(parents=True)
        (user_data / directory / "Preferences").write_text("{}")
    profile = {"info_cache": {directory: {"name": name} for directory, name in names.items()}, **about}
    (user_data / "Local State").write_text(json.dumps({"profile": profile}))
    return user_data


@pytest.fixture
def machine(tmp_path: Path) -> PlatformInfo:
    return PlatformInfo("linux", {}, tmp_path)


def test_every_browser_that_can_be_run_has_a_place() -> None:
    assert list(USER_DATA) == [browser.name for browser in BROWSERS]


@pytest.mark.parametrize("browser", LINUX)
def test_places_on_linux(machine: PlatformInfo, browser: str) -> None:
    folder = make(machine.home / LINUX[browser], {"Default": "Ada"})
    assert find(browser, None, machine) == ProfileSource(browser.title(), folder, "Default")
    assert find(None, None, machine) == ProfileSource(browser.title(), folder, "Default")


def test_places_elsewhere(tmp_path: Path) -> None:
    mac = make(tmp_path / "Library" / "Application Support" / "Google" / "Chrome", {"Default": "Ada"})
    assert find("Chrome", None, PlatformInfo("darwin", {}, tmp_path)).user_data == mac
    windows = make(tmp_path / "Local" / "Microsoft" / "Edge" / "User Data", {"Default": "Ada"})
    assert (
        find("edge", None, PlatformInfo("win32", {"LOCALAPPDATA": str(tmp_path / "Local")}, tmp_path)).user_data
        == windows
    )
    config = make(tmp_path / "mine" / "vivaldi", {"Default": "Ada"})
    assert (
        find(None, None, PlatformInfo("linux", {"XDG_CONFIG_HOME": str(tmp_path / "mine")}, tmp_path)).user_data
        == config
    )


def test_a_profile_by_its_name_its_directory_or_the_last_one(machine: PlatformInfo) -> None:
    make(machine.home / ".config/chromium", {"Default": "Ada", "Profile 1": "Work", "Work": "x"}, last_used="Profile 1")
    assert find(None, None, machine).directory == "Profile 1"
    assert find(None, "Ada", machine).directory == "Default"
    assert find(None, "Profile 1", machine).directory == "Profile 1"
    assert find(None, "Work", machine).directory == "Work"


def test_a_profile_by_its_folder(tmp_path: Path) -> None:
    folder = make(tmp_path / "data", {"Default": "Ada", "Profile 1": "Work"})
    assert find(None, str(folder / "Profile 1")) == ProfileSource(None, folder, "Profile 1")
    assert find("chrome", str(folder)) == ProfileSource(None, folder, "Default")


def test_local_state_may_be_damaged(machine: PlatformInfo) -> None:
    folder = make(machine.home / ".config/chromium", {"Default": "Ada"})
    for text in ("", "[]", '{"profile": 3}', '{"profile": {"info_cache": {}}}'):
        (folder / "Local State").write_text(text)
        assert find(None, None, machine).directory == "Default"


def refused(profile: str | None, machine: PlatformInfo, browser: str | None = None) -> tuple[str, str | None]:
    with pytest.raises(ConfigurationError) as caught:
        find(browser, profile, machine)
    return caught.value.message, caught.value.hint


def test_missing_profile_source_is_an_error(machine: PlatformInfo) -> None:
    hint = "Give --from the folder of a profile."
    assert refused(None, machine) == ("there is no profile of a browser of Chrome's family", hint)
    assert refused(None, machine, "brave") == ("there is no profile of Brave", hint)
    message, hint = refused(None, machine, "netscape")
    assert message == "no browser is called 'netscape'"
    assert str(hint).startswith("Browsers: chrome, chromium, edge, ")
    message, _ = refused(str(machine.home), machine)
    assert message == f"{machine.home} is no browser's profile"
    folder = make(machine.home / ".config/chromium", {"Default": "Ada", "Profile 1": "Twin", "Profile 2": "Twin"})
    assert refused("Eve", machine) == (
        f"{folder} has no profile 'Eve'", "Profiles: Ada (Default), Twin (Profile 1), Twin (Profile 2)."
    )  # fmt: skip
    assert refused("Twin", machine) == (
        "several profiles are called 'Twin'", "Give one's directory: Profile 1, Profile 2."
    )  # fmt: skip
    assert refused("..", machine)[0] == f"{folder} has no profile '..'"


def locked_by(folder: Path, process: int) -> None:
    """Let a browser's lock in a user data folder name this process."""
    (folder / "SingletonLock").unlink(missing_ok=True)
    (folder / "SingletonLock").symlink_to(f"{socket.gethostname()}-{process}")


def test_browsers_that_can_be_joined(machine: PlatformInfo) -> None:
    """One listens; of the others one has ended, one has written half of its file, one something else."""
    with socket.create_server(("127.0.0.1", 0)) as server, socket.create_server(("127.0.0.1", 0)) as ended:
        port, gone = server.getsockname()[1], ended.getsockname()[1]
        ended.close()
        written = {
            "chrome": f"{port}\n/devtools/browser/1f-2e",
            "chromium": f"{gone}\n/devtools/browser/3d",
            "edge": f"{port}",
            "brave": f"{port}\nhttp://elsewhere.example/",
        }
        for browser, text in written.items():
            folder = make(machine.home / LINUX[browser], {"Default": "Ada"})
            (folder / PORT_FILE).write_text(text)
            locked_by(folder, os.getpid())
        (found,) = running_browsers(None, machine)
        assert (found.browser, found.endpoint) == ("Chrome", f"ws://127.0.0.1:{port}/devtools/browser/1f-2e")
        assert list(running_browsers("edge", machine)) == []
    with pytest.raises(ConfigurationError, match="no browser is called 'netscape'"):
        list(running_browsers("netscape", machine))


SERVER = """
import socket, sys
with socket.create_server(("127.0.0.1", int(sys.argv[1]))) as server:
    print(server.getsockname()[1], flush=True)
    sys.stdin.read()
"""


def test_a_port_that_another_program_has_now_is_not_the_browsers(machine: PlatformInfo) -> None:
    folder = make(machine.home / LINUX["chrome"], {"Default": "Ada"})
    words = [sys.executable, "-c", SERVER, "0"]
    with subprocess.Popen(words, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as other:
        assert other.stdin and other.stdout
        port = int(other.stdout.readline())
        (folder / PORT_FILE).write_text(f"{port}\n/devtools/browser/1f-2e")
        assert list(running_browsers("chrome", machine)) == [], "no browser uses the folder"
        locked_by(folder, os.getpid())
        assert list(running_browsers("chrome", machine)) == [], "the browser of the folder is another process"
        locked_by(folder, other.pid)
        (found,) = running_browsers("chrome", machine)
        assert found.endpoint == f"ws://127.0.0.1:{port}/devtools/browser/1f-2e"
        other.stdin.close()
        other.wait(30)
    with socket.create_server(("127.0.0.1", port)):
        assert list(running_browsers("chrome", machine)) == [], "the browser was killed, and its port is another's"


@pytest.mark.slow
@pytest.mark.browser
@pytest.mark.whole_browser
def test_a_running_chromium_is_found_until_it_is_killed(machine: PlatformInfo, run: Any) -> None:
    folder = make(machine.home / ".config/chromium", {"Default": "Ada"})
    browser = RunningChromium(machine.home, profile=folder)
    run(browser.ready())
    (found,) = running_browsers("chromium", machine)
    assert found.endpoint == browser.endpoint
    browser.kill()
    assert (folder / PORT_FILE).exists()
    with socket.create_server(("127.0.0.1", browser.port)):
        assert list(running_browsers("chromium", machine)) == []
