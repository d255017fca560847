"""Environments of Python as users have them, made without a network of what is installed here."""

from __future__ import annotations

import re
import subprocess
import sys
import venv
from collections.abc import Iterable
from importlib import metadata
from pathlib import Path

PROJECT = Path(__file__).parent.parent
BASE = ("click", "platformdirs", "prompt_toolkit", "pyyaml", "websockets")


def with_wheel(folder: Path, packages: Iterable[str] = BASE) -> Path:
    """A fresh environment with the wheel of this package, and of all others only these and what they need. Gives the
    folder of its programs."""
    environment = folder / "environment"
    venv.create(environment, with_pip=False, symlinks=True)
    python = environment / "bin" / "python"
    build = [sys.executable, "-m", "hatchling", "build", "--target", "wheel", "--directory", str(folder)]
    subprocess.run(build, cwd=PROJECT, check=True, capture_output=True)
    (wheel,) = folder.glob("*.whl")
    install = ["--python", str(python), "install", "--quiet", "--no-deps", "--no-index", str(wheel)]
    subprocess.run([sys.executable, "-m", "pip", *install], check=True, capture_output=True)
    (site,) = environment.glob("lib/python*/site-packages")
    for name in _with_what_they_need(packages):
        _link(metadata.distribution(name), site)
    return python.parent


def _with_what_they_need(packages: Iterable[str]) -> set[str]:
    found: set[str] = set()
    seen: set[str] = set()
    waiting = list(packages)
    while waiting:
        if (wanted := waiting.pop()) in seen:
            continue
        seen.add(wanted)
        name, _, extras = wanted.rstrip("]").partition("[")
        try:
            lines = metadata.requires(name) or []
        except metadata.PackageNotFoundError:
            continue  # of another platform
        found.add(name)
        for line in lines:
            extra = re.search(r"extra == ['\"]([\w-]+)", line)
            if extra is None or extra[1] in extras.split(","):
                waiting += re.findall(r"^[\w.-]+(?:\[[^]]+\])?", line)
    return found


def _link(distribution: metadata.Distribution, site: Path) -> None:
    for part in {file.parts[0] for file in distribution.files or () if file.parts[0] != ".."} - {"__pycache__"}:
        link = site / part
        if not link.exists():
            link.symlink_to(str(distribution.locate_file(part)))
