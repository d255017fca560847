"""Another release of Debian as a newcomer's machine would be: a root that debootstrap makes, entered by bubblewrap.

The commit that is checked out here is at /src in it, and what `make` sets up there stays for the next run.
"""

from __future__ import annotations

import os
import shutil
import subprocess
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from oryn.browsers.webkit.engines import ENGINES
from scripts.rooms.step import CERTIFICATES, PROJECT, SEARCH_PATH, Step, debian_mirror

RELEASES = ("bookworm", "trixie", "forky")
OLDEST = "bookworm"
"""Its root is for its WebKit alone; the other tests run there, or in a newer release, anyway."""
PACKAGES = "python3,python3-venv,ca-certificates,git,make,curl"
WITHOUT_BROWSER = (
    *("language", "engine", "tools", "vault", "intents", "profiles", "sessions", "remote", "host", "cli", "clients"),
    *("plugins", "recording", "skill", "pyodide", "research"),
)
"""Folders of tests of which few need a browser; with them go the files beside the folders."""
_LARGE = "distributed"
"""The folder in `research` that needs Ray."""
CONFORMANCE = ("tests/extension/conformance/test_conformance.py", "tests/playwright/test_conformance.py")
"""The dialogues of every backend but the embedded one."""
EMBEDDED = "tests/embedded/test_conformance.py"
"""Those of embedded mode: with WPE WebKit 2.38 of bookworm, 2.48 of trixie and 2.54 of forky."""
GTK_RELEASE = "trixie"
"""Where WebKitGTK is tried too."""
_SETTINGS = ("/etc/resolv.conf", "/etc/pip.conf", "/etc/npmrc", str(CERTIFICATES))
_VARIABLES = ("http_proxy", "https_proxy", "no_proxy", "PIP_INDEX_URL", "PIP_EXTRA_INDEX_URL", "npm_config_registry")


@dataclass(frozen=True)
class Release:
    name: str

    def steps(self, root: Path) -> Iterator[Step]:
        """Make the root unless it is there, bring the sources up to date, and test them."""
        if not (root / "src").is_dir():
            yield Step(f"{self.name}: the root of the release", self._bootstrap(root))
            self._configure(root)
        subprocess.run(self._checkout(root), check=True)

        def inside(name: str, *command: str) -> Step:
            return Step(f"{self.name}: {name}", [*self._enter(root), *command])

        workers = str(os.cpu_count() or 2)
        tests = [".venv/bin/python", "-m", "pytest", "-q", "--numprocesses", workers, "--dist", "loadfile"]
        yield inside("make demo", "make", "demo")
        if self.name != OLDEST:
            yield inside("the tests without a browser", *tests, *_tests_without_browser())
            yield inside("the conformance dialogues", *tests, *CONFORMANCE)
        yield inside("make demo-embedded", "make", "demo-embedded")
        yield inside("the conformance dialogues in WPE WebKit", *tests, EMBEDDED)
        if self.name == GTK_RELEASE:
            packages = " ".join(ENGINES["webkitgtk"].debian_packages)
            yield inside("WebKitGTK", "bash", "-c", f". setup/packages.sh && install_packages {packages}")
            gtk = ("env", "ORYN_WEBKIT_ENGINE=webkitgtk")
            yield inside("the conformance dialogues in WebKitGTK", *gtk, *tests, EMBEDDED)

    def _bootstrap(self, root: Path) -> Sequence[str]:
        scripts = Path("/usr/share/debootstrap/scripts")
        newer = [] if (scripts / self.name).exists() else [str(scripts / "sid")]
        root.parent.mkdir(parents=True, exist_ok=True)
        return [
            "debootstrap",
            "--variant=minbase",
            f"--include={PACKAGES}",
            self.name,
            str(root),
            debian_mirror(),
            *newer,
        ]

    def _configure(self, root: Path) -> None:
        """Give the root this machine's ways to the network."""
        for file in map(Path, _SETTINGS):
            if file.is_file():
                shutil.copy(file, root / file.relative_to("/"))
        # A mirror may be a few weeks old.
        (root / "etc/apt/apt.conf.d/99old").write_text('Acquire::Check-Valid-Until "false";\n')
        subprocess.run(["git", "init", "--quiet", root / "src"], check=True)

    def _checkout(self, root: Path) -> Sequence[str]:
        """Ignored files stay: the environment that `make` has set up."""
        fetch = 'git fetch --quiet --depth 1 "$0" HEAD && git checkout --quiet --force FETCH_HEAD && git clean -dfq'
        return ["sh", "-c", f'cd "$1" && {fetch}', f"file://{PROJECT}", str(root / "src")]

    def _enter(self, root: Path) -> Sequence[str]:
        own = {
            name: value
            for name in os.environ
            if name.lower() in map(str.lower, _VARIABLES) and (value := os.environ[name])
        }
        variables = {
            "PATH": SEARCH_PATH,
            "HOME": "/root",
            "LANG": "C.UTF-8",
            "DEBIAN_FRONTEND": "noninteractive",
            **dict.fromkeys(("PIP_CERT", "SSL_CERT_FILE", "NODE_EXTRA_CA_CERTS"), str(CERTIFICATES)),
            **own,
        }
        return [
            *("bwrap", "--bind", str(root), "/", "--proc", "/proc", "--dev", "/dev", "--ro-bind", "/sys", "/sys"),
            *("--perms", "1777", "--tmpfs", "/dev/shm", "--unshare-pid", "--unshare-ipc", "--as-pid-1"),
            *("--die-with-parent", "--chdir", "/src", "--cap-add", "ALL", "env", "-i"),
            *(f"{name}={value}" for name, value in variables.items()),
        ]


def _tests_without_browser() -> Iterator[str]:
    tests = PROJECT / "tests"
    found = [*tests.glob("test_*.py"), *(tests / each for each in WITHOUT_BROWSER if each != "research")]
    found += [each for each in (tests / "research").iterdir() if each.name != _LARGE and not each.name.startswith("_")]
    for each in sorted(found):
        if each.is_dir() or each.name.startswith("test_"):
            yield str(each.relative_to(PROJECT))
