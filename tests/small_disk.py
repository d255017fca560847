"""A disk that can really be full: a small one, of memory."""

from __future__ import annotations

import os
import shutil
import subprocess
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest


class Disk:
    """So many megabytes at `folder`."""

    def __init__(self, folder: Path, size: int) -> None:
        self.folder = folder
        folder.mkdir()
        options = ["-t", "tmpfs", "-o", f"size={size}m,mode=0700", "oryn-test", str(folder)]
        if shutil.which("mount") is None or subprocess.run(["mount", *options], capture_output=True).returncode:
            pytest.skip("no disk can be mounted here")

    def fill(self) -> None:
        with (self.folder / "filling").open("ab", buffering=0) as file:
            try:
                while file.write(bytes(1 << 16)):
                    pass
            except OSError:
                pass
            try:
                while file.write(b"x"):
                    pass
            except OSError:
                return

    def make_room(self) -> None:
        (self.folder / "filling").unlink()

    def remove(self) -> None:
        subprocess.run(["umount", "-l", str(self.folder)], check=True)


@contextmanager
def small_disk(megabytes: int = 96) -> Iterator[Disk]:
    """A disk for the block; the test is skipped if none can be mounted."""
    if os.geteuid() != 0:
        pytest.skip("only root can mount a disk")
    with tempfile.TemporaryDirectory() as folder:  # whose name is short enough for sockets
        disk = Disk(Path(folder, "disk"), megabytes)
        try:
            yield disk
        finally:
            disk.remove()
