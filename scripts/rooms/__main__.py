"""Runs the tests of the other machines, and reports how each went.

usage: python -m scripts.rooms [bookworm|trixie|forky|images]…     all of them by default; as root

One line for each step: its name, what came of it, the seconds. The exit code is 1 if a step failed; its output stands
below its line. The releases and the built images stay in $ROOMS_FOLDER (/var/tmp/oryn-rooms) for the next run.
"""

from __future__ import annotations

import os
import subprocess
import sys
import time
from collections.abc import Sequence
from pathlib import Path

from scripts.rooms import debian, images
from scripts.rooms.step import Step

ROOMS = {release: debian.Release(release).steps for release in debian.RELEASES} | {"images": images.steps}


def run(step: Step) -> bool:
    """Run a step, and print its line. Returns whether its output was as it should be."""
    begun = time.monotonic()
    ended = subprocess.run(
        step.command,
        input=step.text,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        encoding="utf-8",
        errors="replace",
    )
    is_well = step.is_expected(ended.returncode, ended.stdout)
    print(f"{step.name:60} {'ok' if is_well else 'FAILED'} ({time.monotonic() - begun:.0f} s)", flush=True)
    if not is_well:
        print(ended.stdout, flush=True)
    return is_well


def main(names: Sequence[str]) -> int:
    if unknown := set(names) - set(ROOMS):
        print(f"unknown: {', '.join(sorted(unknown))}; there are {', '.join(ROOMS)}", file=sys.stderr)
        return 2
    if os.geteuid() != 0:
        print("only root can make a root of another release, or choose the users of an image", file=sys.stderr)
        return 2
    folder = Path(os.environ.get("ROOMS_FOLDER", "/var/tmp/oryn-rooms"))
    failed = 0
    for name in names or ROOMS:
        for step in ROOMS[name](folder / name):
            failed += not run(step)
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
