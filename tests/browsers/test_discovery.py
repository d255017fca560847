"""Finding browsers on machines that are not here."""

from __future__ import annotations

import sys

import pytest

from oryn.browsers.chromium.discovery import BROWSERS, Candidate, HostSystem, candidates, find_browser
from oryn.errors import BrowserNotFound

WINDOWS = {
    "PROGRAMFILES": r"C:\Program Files",
    "PROGRAMFILES(X86)": r"C:\Program Files (x86)",
    "LOCALAPPDATA": r"C:\Users\ada\AppData\Local",
}


def machine(platform: str, *files: str, **environment: str) -> HostSystem:
    return HostSystem(platform, environment, frozenset(files).__contains__)


@pytest.mark.parametrize(
    ("here", "found"),
    [
        (machine("linux", "/usr/bin/chromium", PATH="/bin:/usr/bin"), ("Chromium", "/usr/bin/chromium")),
        (machine("linux", "/a/google-chrome", PATH="/a"), ("Chrome", "/a/google-chrome")),
        (machine("linux", "/opt/brave.com/brave/brave"), ("Brave", "/opt/brave.com/brave/brave")),
        (machine("linux", "/snap/bin/chromium", PATH=""), ("Chromium", "/snap/bin/chromium")),
        (
            machine("linux", "/home/ada/.local/share/flatpak/exports/bin/com.microsoft.Edge", HOME="/home/ada"),
            ("Edge", "/home/ada/.local/share/flatpak/exports/bin/com.microsoft.Edge"),
        ),
        (
            machine("darwin", "/Applications/Google Chrome.app/Contents/MacOS/Google Chrome"),
            ("Chrome", "/Applications/Google Chrome.app/Contents/MacOS/Google Chrome"),
        ),
        (
            machine("darwin", "/Users/ada/Applications/Arc.app/Contents/MacOS/Arc", HOME="/Users/ada"),
            ("Arc", "/Users/ada/Applications/Arc.app/Contents/MacOS/Arc"),
        ),
        (
            machine("darwin", "/Applications/Dia.app/Contents/MacOS/Dia"),
            ("Dia", "/Applications/Dia.app/Contents/MacOS/Dia"),
        ),
        (
            machine("win32", r"C:\Program Files\Google\Chrome\Application\chrome.exe", **WINDOWS),
            ("Chrome", r"C:\Program Files\Google\Chrome\Application\chrome.exe"),
        ),
        (
            machine("win32", r"C:\Program Files (x86)\Microsoft\Edge\Application\msedge.exe", **WINDOWS),
            ("Edge", r"C:\Program Files (x86)\Microsoft\Edge\Application\msedge.exe"),
        ),
        (
            machine("win32", r"C:\Users\ada\AppData\Local\Programs\Opera\opera.exe", **WINDOWS),
            ("Opera", r"C:\Users\ada\AppData\Local\Programs\Opera\opera.exe"),
        ),
    ],
)
def test_usual_places(here, found):
    assert candidates(here) == [Candidate(*found)]
    assert find_browser(None, here) == found[1]


def test_every_browser_once_and_the_plain_ones_first():
    here = machine(
        "linux", "/b/vivaldi", "/b/chromium", "/b/chromium-browser", "/b/opera", "/b/thorium-browser", PATH="/b"
    )
    assert [found.name for found in candidates(here)] == ["Chromium", "Vivaldi", "Thorium", "Opera"]


def test_all_that_the_documents_name_are_known():
    names = {"Chrome", "Chromium", "Edge", "Brave", "Vivaldi", "Opera", "Arc", "Dia", "Thorium"}
    assert {browser.name for browser in BROWSERS} == names


@pytest.mark.parametrize("platform", ["linux", "darwin", "win32"])
def test_none(platform):
    assert candidates(machine(platform)) == []
    with pytest.raises(BrowserNotFound) as caught:
        find_browser(None, machine(platform))
    assert "ORYN_BROWSER" in (caught.value.hint or "")


def test_the_one_that_is_asked_for_wins():
    here = machine("linux", "/usr/bin/chromium", "/x/my-browser", PATH="/usr/bin:/x")
    assert find_browser("/x/my-browser", here) == "/x/my-browser"
    assert find_browser("my-browser", here) == "/x/my-browser"
    with pytest.raises(BrowserNotFound, match="/no/such is not a program"):
        find_browser("/no/such", here)


def test_this_machine():
    assert find_browser(sys.executable) == sys.executable
