"""Process groups of browsers, as tests kill them and look whether anything is left."""

from __future__ import annotations

import os
import select
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

_OWNER = """
import asyncio, sys
from pathlib import Path
from {module} import {name}

async def main():
    browser = {name}(runtime_dir=Path(sys.argv[1]))
    await browser.start()
    print(browser.process_group, flush=True)
    await asyncio.Event().wait()

asyncio.run(main())
"""


def members(group: int) -> dict[int, str]:
    """The living processes of a group, and the first 15 characters of their names."""
    found = {}
    for process in Path("/proc").glob("[0-9]*"):
        try:
            name, _, rest = (process / "stat").read_text().rpartition(")")
        except OSError:
            continue
        fields = rest.split()
        if int(fields[2]) == group and fields[0] not in "ZX":
            found[int(process.name)] = name.partition("(")[2]
    return found


def member(group: int, name: str) -> int:
    """The number of a process of a group."""
    return next(pid for pid, each in members(group).items() if each == name)


def await_end(group: int) -> None:
    """Wait until a group has no living process; the pidfd of each becomes readable when it ends."""
    for pid in members(group):
        try:
            descriptor = os.pidfd_open(pid)
        except ProcessLookupError:
            continue
        select.select([descriptor], [], [], 10)
        os.close(descriptor)
    assert not members(group)


@contextmanager
def browser_owner(module: str, name: str, runtime_dir: Path) -> Iterator[tuple[subprocess.Popen[str], int]]:
    """A process that has started a browser of a class, and the process group of the browser."""
    program = _OWNER.format(module=module, name=name)
    process = subprocess.Popen([sys.executable, "-c", program, str(runtime_dir)], stdout=subprocess.PIPE, text=True)
    try:
        assert process.stdout is not None
        yield process, int(process.stdout.readline())
    finally:
        process.kill()
        process.communicate()
