"""Runs what can differ on other machines in surroundings that are not a developer's, and tells how each went.

usage: python -m scripts.strange [NAME…]     All of them, or those whose name has one of these words.

One line for each: its name, what came of it, the seconds. What a machine or a user who is not root can't have is
skipped with the reason. The exit code is 1 if anything failed; the output of that stands below its line.
"""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
import sysconfig
import tempfile
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path

from scripts import fonts

PROJECT = Path(__file__).parent.parent
PYTEST = (sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider")
SMALL_DISK = "200m"

TEXT = (
    *(f"tests/language/test_{subject}.py" for subject in ("argv", "canonical", "commands", "help", "urls", "vectors")),
    *("tests/test_settings.py", "tests/test_paths.py", "tests/test_domains.py", "tests/intents", "tests/sessions"),
)
"""Text, numbers, times, paths: what locales, zones and hash seeds could touch."""
PROCESSES = ("tests/host/test_process.py", "tests/host/test_signals.py", "tests/daemon/test_lifecycle.py")
"""Real processes and daemons with a real browser."""
FILES = ("tests/engine/test_files.py", "tests/vault", "tests/sessions", "tests/headless/test_downloads.py")
PAGES = ("tests/test_docs.py", "tests/scanner/test_scan.py", "tests/headless/test_actions.py")

HIDING = """
while found=$("$1" doctor --only browser | sed -n 's/^browser .* at //p') && [ -n "$found" ]; do
    mount --bind "$0" "$found" || exit 99
done
exec "$1" doctor --only browser
"""


class Skipped(Exception):
    """Why a surrounding can't be had here."""


@dataclass(frozen=True)
class Surrounding:
    command: Sequence[str]
    environment: Mapping[str, str] = field(default_factory=dict)
    umask: int = -1
    without: tuple[str, ...] = ()
    """Variables that are taken away."""
    code: int = 0
    says: str = ""
    """What the output has to match."""


Create = Callable[[Path], Surrounding]


def _fixed(surrounding: Surrounding) -> Create:
    """Return a function for a surrounding that needs no folder."""
    return lambda folder: surrounding


def surroundings() -> Iterator[tuple[str, Create]]:
    """The name of each, and what makes it in a folder of its own; raises `Skipped`."""
    text, files = (*PYTEST, *TEXT), (*PYTEST, *FILES)
    plain = {"LC_ALL": "C", "PYTHONUTF8": "0", "PYTHONCOERCECLOCALE": "0"}
    yield "time zone Pacific/Kiritimati", _fixed(Surrounding(text, {"TZ": "Pacific/Kiritimati"}))
    yield "time zone America/St_Johns", _fixed(Surrounding(files, {"TZ": "America/St_Johns"}))
    yield "locale tr_TR.UTF-8", lambda folder: Surrounding((*text, *PROCESSES), turkish(folder))
    yield "locale C without UTF-8", _fixed(Surrounding((*text, PROCESSES[0]), plain))
    for seed in ("1", "4294967295"):
        yield f"hash seed {seed}", _fixed(Surrounding(text, {"PYTHONHASHSEED": seed}))
    for mask in (0o077, 0o000):
        yield f"umask {mask:03o}", _fixed(Surrounding(files, umask=mask))
    yield "nohup", _fixed(Surrounding(("nohup", *PYTEST, *PROCESSES)))
    yield "no display", _fixed(Surrounding((*PYTEST, PROCESSES[0]), without=("DISPLAY", "WAYLAND_DISPLAY")))
    for place in fonts.folders():
        yield f"no fonts but {place.name}", partial(one_font, place=place)
    yield f"a home on a disk of {SMALL_DISK}", small_disk
    yield "another user", another_user
    yield "no browser", no_browser


def turkish(folder: Path) -> dict[str, str]:
    """Variables of the locale, which is made in the folder: machines rarely have it."""
    source = Path("/usr/share/i18n/locales/tr_TR")
    if not source.exists():
        install = ". setup/packages.sh; install_packages locales"
        subprocess.run(["bash", "-c", install], cwd=PROJECT, capture_output=True)
    if shutil.which("localedef") is None or not source.exists():
        raise Skipped("there is no localedef, or nothing to make the locale of: the package 'locales' has both")
    subprocess.run(["localedef", "-i", "tr_TR", "-f", "UTF-8", folder / "tr_TR.UTF-8"], check=True, capture_output=True)
    return {"LOCPATH": str(folder), "LANG": "tr_TR.UTF-8", "LC_ALL": "tr_TR.UTF-8"}


def one_font(folder: Path, place: Path) -> Surrounding:
    return Surrounding((*PYTEST, *PAGES), {"FONTCONFIG_FILE": fonts.only(place, folder)})


def small_disk(folder: Path) -> Surrounding:
    disk = folder / "disk"
    disk.mkdir()
    mounted = f'mount -t tmpfs -o size={SMALL_DISK},mode=1777 none "$0" && exec "$@"'
    home = {"HOME": str(disk), "TMPDIR": str(disk)}
    return Surrounding((*unshared(), "sh", "-c", mounted, str(disk), *PYTEST, *PROCESSES, *FILES), home)


def another_user(folder: Path) -> Surrounding:
    """`nobody`, with a home of their own."""
    as_root("setpriv")
    user = ("setpriv", "--reuid", "65534", "--regid", "65534", "--clear-groups")
    folder.chmod(0o755)
    python = next((each for each in pythons(folder) if can_run(user, each)), None)
    if python is None:
        raise Skipped(f"another user can't run {sys.executable} or the system's own, or not read {PROJECT}")
    home = folder / "nobody"
    home.mkdir()
    shutil.chown(home, 65534, 65534)
    written = {"PYTHONDONTWRITEBYTECODE": "1", "HYPOTHESIS_STORAGE_DIRECTORY": str(home)}
    command = (*user, python, *PYTEST[1:], *PROCESSES, *FILES)
    return Surrounding(command, {"HOME": str(home), "TMPDIR": str(home), **written})


def pythons(folder: Path) -> Iterator[str]:
    """This Python, and the system's of the same version with the same packages: ours may lie in root's home."""
    yield sys.executable
    name = f"python{sys.version_info[0]}.{sys.version_info[1]}"
    if system := shutil.which(name, path="/usr/local/bin:/usr/bin"):
        environment = folder / "environment"
        subprocess.run([system, "-m", "venv", "--without-pip", environment], check=True)
        packages = environment / "lib" / name / "site-packages"
        ours = sysconfig.get_path("purelib")
        (packages / "project.pth").write_text(f"import site; site.addsitedir({ours!r})\n", "utf-8")
        yield str(environment / "bin" / "python")


def can_run(user: Sequence[str], python: str) -> bool:
    """Also as the child of itself."""
    imports = "import os, subprocess, sys, oryn, pytest; sys.exit(subprocess.call([sys.executable, '-c', '']))"
    return subprocess.run([*user, python, "-c", imports], cwd=PROJECT, capture_output=True).returncode == 0


def no_browser(folder: Path) -> Surrounding:
    """In the place of each browser there is what can't be executed: `oryn doctor` says what to do."""
    nothing = folder / "nothing"
    nothing.touch()
    oryn = Path(sys.executable).with_name("oryn")
    return Surrounding(
        (*unshared(), "sh", "-c", HIDING, str(nothing), str(oryn)),
        {"HOME": str(folder), "ORYN_HOME": str(folder / "oryn")},
        without=("ORYN_BROWSER",),
        code=3,
        says="(?i)install",
    )


def unshared() -> tuple[str, ...]:
    """Whatever is mounted then is gone with the command."""
    as_root("unshare")
    if subprocess.run(["unshare", "--mount", "true"], capture_output=True).returncode:
        raise Skipped("the system lets nobody have mounts of their own")
    return ("unshare", "--mount")


def as_root(program: str) -> None:
    if not hasattr(os, "geteuid") or os.geteuid() != 0:
        raise Skipped("only root can")
    if shutil.which(program) is None:
        raise Skipped(f"there is no {program}")


def went(surrounding: Surrounding) -> tuple[bool, str, str]:
    """Whether it went well, in a few words, and the output."""
    environment = {name: value for name, value in os.environ.items() if name not in surrounding.without}
    ended = subprocess.run(
        surrounding.command,
        cwd=PROJECT,
        env={**environment, **surrounding.environment},
        umask=surrounding.umask,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
    )
    told = ended.stdout.decode(errors="replace")
    well = ended.returncode == surrounding.code and re.search(surrounding.says, told) is not None
    counts = re.findall(r"\d+ (?:passed|failed|errors?|skipped)", told.strip().rpartition("\n")[2])
    return well, ", ".join(counts) or ("as it should" if well else f"exit code {ended.returncode}"), told


def main(words: Sequence[str]) -> int:
    failed = 0
    for title, make in surroundings():
        if words and not any(word in title for word in words):
            continue
        begun = time.monotonic()
        with tempfile.TemporaryDirectory(prefix="strange-") as folder:
            try:
                well, counts, told = went(make(Path(folder)))
            except Skipped as why:
                print(f"{title:30} skipped: {why}", flush=True)
                continue
        failed += not well
        print(f"{title:30} {'ok' if well else 'FAILED'}: {counts} ({time.monotonic() - begun:.0f} s)", flush=True)
        if not well:
            print(told, flush=True)
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
