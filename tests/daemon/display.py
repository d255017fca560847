"""A display that nobody looks at, for windows: Xvfb (https://www.x.org/releases/current/doc/man/man1/Xvfb.1.xhtml)."""

from __future__ import annotations

import os
import shutil
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager

import pytest


class Display:
    """A person in front of it, who has a keyboard (https://github.com/jordansissel/xdotool)."""

    def __init__(self, name: str) -> None:
        self.name = name
        """For `DISPLAY`."""

    def press(self, title: str, keys: str) -> None:
        """Press keys in the window whose title begins so, once it is there: `ctrl+w`."""
        try:
            self._act(title, "key", keys)
        finally:
            self._run("keyup", keys)  # if the window closes under a key, xdotool ends and leaves it down

    def type(self, title: str, text: str) -> None:
        """Type in the window whose title begins so, once it is there."""
        self._act(title, "type", text)

    def _act(self, title: str, *arguments: str) -> None:
        self._run("search", "--sync", "--onlyvisible", "--name", f"^{title}", "windowfocus", "--sync", *arguments)

    def _run(self, *arguments: str) -> None:
        subprocess.run(["xdotool", *arguments], env={**os.environ, "DISPLAY": self.name}, check=True, timeout=30)


@contextmanager
def virtual_display() -> Iterator[Display]:
    """Skips the test where there is no Xvfb or no xdotool (`setup/display.sh` installs them)."""
    program = shutil.which("Xvfb")
    if program is None or shutil.which("xdotool") is None:
        pytest.skip("there is no Xvfb, which windows are shown in, or no xdotool, which types in them")
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
        yield Display(f":{number}")
    finally:
        process.terminate()
        process.wait()
