"""What an extra of the package installs, in megabytes on the disk.

usage: python -m benchmarks.install_size [EXTRA] [LIMIT]      (default: research 350; all 500)

Makes a new virtual environment with the pip that Python brings, installs the package, then the extra. What counts is
what the second step adds to site-packages. The last line is the figure; the exit code is 1 where it is above the limit.
"""

from __future__ import annotations

import subprocess
import sys
import tempfile
import venv
from collections.abc import Iterator
from pathlib import Path

from oryn import DISTRIBUTION

PROJECT = Path(__file__).resolve().parent.parent
MAX_ROWS = 15
MEGABYTE = 1 << 20

Sizes = dict[str, int]


def occupied(path: Path) -> int:
    """Bytes of blocks, as `du` counts them: many of the files are smaller than a block."""
    files = [path, *path.rglob("*")] if path.is_dir() else [path]
    return sum(file.lstat().st_blocks * 512 for file in files)


def sizes(environment: Path) -> Sizes:
    (packages,) = environment.glob("lib/python*/site-packages")
    return {each.name: occupied(each) for each in packages.iterdir() if not _of_the_environment(each.name)}


def _of_the_environment(name: str) -> bool:
    return name.startswith(("pip", "setuptools", "pkg_resources", "_distutils_hack", "distutils-precedence"))


def install(environment: Path, what: str) -> None:
    command = [
        str(environment / "bin" / "python"),
        "-m",
        "pip",
        "install",
        "--quiet",
        "--disable-pip-version-check",
        what,
    ]
    subprocess.run(command, check=True)


def added(before: Sizes, after: Sizes) -> Iterator[tuple[int, str]]:
    for name, size in after.items():
        if name != "oryn" and size > before.get(name, 0):
            yield size - before.get(name, 0), name


def main(extra: str = "research", limit: str = "350") -> int:
    with tempfile.TemporaryDirectory() as folder:
        environment = Path(folder)
        venv.create(environment, with_pip=True)
        install(environment, str(PROJECT))
        before = sizes(environment)
        install(environment, f"{PROJECT}[{extra}]")
        found = sorted(added(before, sizes(environment)), reverse=True)
    for size, name in found[:MAX_ROWS]:
        print(f"{size / MEGABYTE:7.1f} MB  {name}")
    total = sum(size for size, _ in found) / MEGABYTE
    print(f"{DISTRIBUTION}[{extra}] installs {total:.0f} MB (at most {limit})")
    return 0 if total <= float(limit) else 1


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
