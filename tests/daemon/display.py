"""A display that nobody looks at, for windows: Xvfb (https://www.x.org/releases/current/doc/man/man1/Xvfb.1.xhtml)."""

from __future__ import annotations

import os
import shutil
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager

import pytest


@contextmanager
def virtual_display() -> Iterator[str]:
    """Its name, for `DISPLAY`. Skips the test where there is no Xvfb (`setup/display.sh` installs it)."""
    program = shutil.which("Xvfb")
    if program is None:
        pytest.skip("there is no Xvfb, which windows are shown in")
    ready, theirs = os.pipe()
    arguments = ["-displayfd", str(theirs), "-screen", "0", "1280x900x24", "-nolisten", "tcp", "-noreset"]
    process = subprocess.Popen(
        [program, *arguments], pass_fds=[theirs], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
    )
    os.close(theirs)
    with os.fdopen(ready) as told:
        number = told.readline().strip()  # once it takes clients
    try:
        assert number, "Xvfb did not start"
        yield f":{number}"
    finally:
        process.terminate()
        process.wait()
