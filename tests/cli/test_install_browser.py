"""`oryn install-browser`: with programs of the test's own in the place of package managers."""

from __future__ import annotations

import os
import shutil
import subprocess
from pathlib import Path

import click
import pytest
from click.testing import CliRunner, Result

from oryn.browsers.chromium import discovery
from oryn.browsers.chromium.discovery import HostSystem, candidates
from oryn.browsers.webkit import engines
from oryn.cli.doctor import doctor
from oryn.cli.install_browser import install_browser
from oryn.errors import BrowserNotFound
from oryn.system import browser_installation
from oryn.system.browser_installation import InstallingSystem, installations

LIST = Path(browser_installation.__file__).with_name("package_managers.txt")


def ways(platform: str, *programs: str, is_root: bool = False) -> dict[str, str]:
    system = InstallingSystem(platform=platform, which=lambda name: name if name in programs else None, is_root=is_root)
    return {way.source: way.text for way in installations(system)}


@pytest.mark.parametrize(
    ("platform", "programs", "is_root", "expected"),
    [
        ("linux", ("apt-get",), True, {
            "system": "apt-get update && "
            "apt-get install -y --no-install-recommends chromium fonts-liberation",
        }),
        ("linux", ("apt-get", "sudo"), False, {
            "system": "sudo apt-get update && "
            "sudo apt-get install -y --no-install-recommends chromium fonts-liberation",
        }),
        ("linux", ("apt-get",), False, {}),
        ("linux", ("dnf",), True, {
            "system": "dnf install -y --setopt=install_weak_deps=False chromium liberation-fonts",
        }),
        ("linux", ("apk",), True, {"system": "apk add chromium font-liberation"}),
        ("linux", ("npx",), False, {"playwright": "npx --yes playwright@latest install chromium"}),
        ("linux", ("pacman", "sudo", "playwright"), False, {
            "system": "sudo pacman -Sy --needed --noconfirm chromium ttf-liberation",
            "playwright": "playwright install chromium",
        }),
        ("darwin", ("brew", "npx"), False, {
            "system": "brew install --cask chromium", "playwright": "npx --yes playwright@latest install chromium",
        }),
        ("win32", ("winget",), False, {
            "system": "winget install --exact --id Google.Chrome --accept-source-agreements",
        }),
    ],
)  # fmt: skip
def test_ways_to_install(platform: str, programs: tuple[str, ...], is_root: bool, expected: dict[str, str]) -> None:
    assert ways(platform, *programs, is_root=is_root) == expected


@pytest.mark.parametrize(
    ("platform", "environment", "folder", "program"),
    [
        ("linux", {"HOME": "/home/a"}, "/home/a/.cache/ms-playwright", "chrome-linux/chrome"),
        ("linux", {"HOME": "/home/a", "XDG_CACHE_HOME": "/c"}, "/c/ms-playwright", "chrome-linux64/chrome"),
        ("darwin", {"HOME": "/Users/a"}, "/Users/a/Library/Caches/ms-playwright",
         "chrome-mac/Chromium.app/Contents/MacOS/Chromium"),
        ("win32", {"LOCALAPPDATA": "C:/L"}, "C:/L/ms-playwright", "chrome-win/chrome.exe"),
        ("linux", {"PLAYWRIGHT_BROWSERS_PATH": "/pw"}, "/pw", "chrome-linux/chrome"),
    ],
)  # fmt: skip
def test_builds_of_playwright_are_found(platform: str, environment: dict[str, str], folder: str, program: str) -> None:
    names = ["ffmpeg-1011", "chromium-1181", "chromium-999", "chromium_headless_shell-1181", "chromium-old"]
    wanted = f"{folder}/chromium-1181/{program}"
    machine = HostSystem(
        platform=platform,
        environment=environment,
        runnable=lambda path: path in (wanted, wanted.replace("1181", "999")),
        entries=lambda path: names if path == folder else [],
    )
    assert [(each.name, each.executable) for each in candidates(machine)] == [("Chromium", wanted)]


class Machine:
    """A machine that has only the programs that a test puts into `folder`."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder

    def add(self, name: str, text: str) -> None:
        file = self.folder / name
        file.write_text(f"#!/bin/sh\n{text}\n")
        file.chmod(0o755)

    def run(self, command: click.Command, *words: str) -> Result:
        return CliRunner().invoke(command, words)

    def system(self) -> HostSystem:
        programs = {str(file) for file in self.folder.iterdir()}
        return HostSystem(
            platform="linux", environment={"PATH": str(self.folder)}, runnable=lambda path: path in programs
        )


@pytest.fixture
def machine(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Machine:
    folder = tmp_path / "programs"
    folder.mkdir()
    machine = Machine(folder)
    for name in [name for name in os.environ if name.startswith("ORYN_")]:
        monkeypatch.delenv(name)
    monkeypatch.setenv("PATH", str(folder))
    monkeypatch.setenv("ORYN_HOME", str(tmp_path / "oryn"))
    monkeypatch.setattr(discovery, "candidates", lambda _=None: candidates(machine.system()))
    monkeypatch.setattr(browser_installation, "InstallingSystem", lambda: InstallingSystem(platform="linux"))
    return machine


def test_a_browser_that_is_there_is_left_alone(machine: Machine) -> None:
    machine.add("chromium", "exit 1")
    machine.add("dnf", "exit 1")
    ended = machine.run(install_browser)
    assert (ended.exit_code, ended.stdout) == (0, f"Chromium is there already: {machine.folder}/chromium\n")


def test_the_first_way_that_works_installs(machine: Machine) -> None:
    machine.add("dnf", "exit 7")
    machine.add("sudo", 'exec "$@"')
    machine.add("npx", f"printf '#!/bin/sh\\n' > {machine.folder}/chromium; /bin/chmod 755 {machine.folder}/chromium")
    ended = machine.run(install_browser)
    assert (ended.exit_code, ended.stdout) == (0, f"installed Chromium: {machine.folder}/chromium\n"), ended
    assert ended.stderr.splitlines()[-1] == "$ npx --yes playwright@latest install chromium"


def test_a_dry_run_runs_nothing(machine: Machine) -> None:
    machine.add("npx", f"/bin/touch {machine.folder}/chromium")
    ended = machine.run(install_browser, "--dry-run")
    assert (ended.exit_code, ended.stdout) == (0, "playwright: npx --yes playwright@latest install chromium\n")
    assert not (machine.folder / "chromium").exists()


def test_it_says_why_none_was_installed(machine: Machine) -> None:
    ended = machine.run(install_browser)
    assert isinstance(ended.exception, BrowserNotFound)
    assert "no supported package manager" in ended.exception.message
    machine.add("npx", "exit 1")
    ended = machine.run(install_browser, "--from", "playwright")
    assert isinstance(ended.exception, BrowserNotFound)
    words = "playwright: 'npx --yes playwright@latest install chromium' ended with exit code 1"
    assert words in ended.exception.message
    assert "https://www.chromium.org" in (ended.exception.hint or "")


def test_doctor_names_the_command(machine: Machine) -> None:
    ended = machine.run(doctor, "--only", "browser")
    assert ended.exit_code == 3 and "fix: oryn install-browser" in ended.stdout


@pytest.mark.skipif(shutil.which("bash") is None, reason="set-up is for bash")
@pytest.mark.parametrize(
    "program", [line.split()[0] for line in LIST.read_text("utf-8").splitlines() if line[0] != "#"]
)
def test_set_up_runs_the_commands_of_the_product(machine: Machine, program: str) -> None:
    """`make` on a machine of another family than Debian's."""
    packages = ["chromium", "fonts-liberation", "firefox-esr", "xvfb", "python3-venv", "libwpewebkit-2.0-1"]
    machine.add(program, f'echo {program} "$@"')
    machine.add("id", "echo 0")
    machine.add("env", 'shift\nexec "$@"')
    script = f". setup/packages.sh; install_packages {' '.join(packages)}"
    ended = subprocess.run(
        [shutil.which("bash", path=os.defpath) or "bash", "-c", script],
        cwd=LIST.parents[3],
        env={"PATH": str(machine.folder)},
        capture_output=True,
        text=True,
    )
    system = InstallingSystem(platform="linux", which=lambda name: name if name == program else None, is_root=True)
    commands = [" ".join(words) for words in browser_installation.package_commands(packages, system)]
    assert ended.returncode == 0
    assert ended.stderr.splitlines()[1:] == commands


@pytest.mark.parametrize("release", ["bookworm", "trixie"])
def test_set_up_and_documentation_have_the_packages_of_embedded_mode(
    release: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(engines, "is_debian_12", lambda: release == "bookworm")
    monkeypatch.setattr(engines, "package_names", tuple)  # of a Debian, whatever this computer is
    packages = engines.ENGINES["wpe"].packages
    project = LIST.parents[3]
    assert f"apt-get install {packages}\n" in (project / "docs/embedded.md").read_text("utf-8")
    set_up = (project / "setup/webkit.sh").read_text("utf-8")
    assert all(each in set_up for each in packages.split())
