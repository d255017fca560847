"""Measures what each extra installs: `python -m scripts.extra_sizes [EXTRA…]` prints the rows of README's table.

Each is installed into a folder of its own, as pip does by itself: with byte code, without pip. `--write` puts the rows
into README.md."""

from __future__ import annotations

import argparse
import re
import subprocess
import sys
import tempfile
import tomllib
from pathlib import Path

from oryn.system.optional_dependencies import PURPOSES

PROJECT = Path(__file__).parent.parent
README = PROJECT / "README.md"
BASE = "(none)"
BEGIN, END = "<!-- sizes of extras: scripts/extra_sizes.py -->", "<!-- end -->"
_FOR = {
    BASE: "`oryn headless`, `oryn embedded`, `oryn run`, clients",
    "all": "every extra except `playwright` and `ray`",
    "video": "nothing: the browser encodes the video",
}


def extras() -> list[str]:
    """The names of the extras, as `pyproject.toml` has them."""
    declared = tomllib.loads((PROJECT / "pyproject.toml").read_text("utf-8"))["project"]["optional-dependencies"]
    return sorted(declared, key=lambda name: (name == "all", name))


def measure(extra: str) -> tuple[int, int]:
    """The megabytes (10^6 bytes) and the packages of the base install with an extra."""
    requirement = str(PROJECT) if extra == BASE else f"{PROJECT}[{extra}]"
    with tempfile.TemporaryDirectory(prefix="oryn-size-") as folder:
        command = [sys.executable, "-m", "pip", "install", "--quiet", "--disable-pip-version-check", "--target", folder]
        subprocess.run([*command, requirement], check=True)
        files = [file for file in Path(folder).rglob("*") if file.is_file() and not file.is_symlink()]
        packages = len(list(Path(folder).glob("*.dist-info")))
        return round(sum(file.stat().st_size for file in files) / 1e6), packages


def row(extra: str) -> str:
    """The row of an extra in README's table."""
    megabytes, packages = measure(extra)
    purpose = _FOR.get(extra) or PURPOSES[extra]  # type: ignore[index]
    return f"| {extra if extra == BASE else f'`{extra}`'} | {megabytes} MB | {packages} | {purpose} |"


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m scripts.extra_sizes", description=__doc__)
    parser.add_argument("extras", nargs="*", default=[BASE, *extras()], help="extras to measure (default: all)")
    parser.add_argument("--write", action="store_true", help="write the rows into README.md")
    arguments = parser.parse_args()
    rows = []
    for extra in arguments.extras:
        rows.append(row(extra))
        print(rows[-1], flush=True)
    if arguments.write:
        table = "| extra | size | packages | for |\n|---|---|---|---|\n" + "\n".join(rows)
        pattern = re.compile(f"{re.escape(BEGIN)}.*?{re.escape(END)}", re.DOTALL)
        text = README.read_text("utf-8")
        README.write_text(pattern.sub(lambda _: f"{BEGIN}\n\n{table}\n\n{END}", text), "utf-8")


if __name__ == "__main__":
    main()
