"""The engine's part of the extension: a zip that Python imports from, and the memory of a Python that has done so."""

from __future__ import annotations

import gzip
import subprocess
import tempfile
import zipfile
from collections.abc import Iterable, Mapping
from importlib.util import find_spec
from pathlib import Path

SCRIPT = Path(__file__).with_name("snapshot.mjs")
LIBRARY = "yaml"
SNAPSHOT_SECONDS = 300
PACKING = 5
"""The best level of gzip is 2 % smaller and six times slower."""


class BuildFailed(Exception):
    """The extension can't be built; the message says why and what to do."""


def write_zip(out: Path, files: Mapping[str, Path]) -> None:
    """The files under these names. The same files give the same bytes."""
    with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED, compresslevel=9) as archive:
        for name, file in sorted(files.items()):
            about = zipfile.ZipInfo(name)  # of 1980, whenever the file was written
            about.compress_type = zipfile.ZIP_DEFLATED
            about.external_attr = 0o644 << 16
            archive.writestr(about, file.read_bytes())


def named_below(source: Path, files: Iterable[Path]) -> dict[str, Path]:
    """The files by their names below `source`."""
    return {file.relative_to(source).as_posix(): file for file in files}


def libraries() -> dict[str, Path]:
    """The files of the one library that the engine uses besides the standard one: PyYAML, without its part in C, which
    it does without where there is none."""
    spec = find_spec(LIBRARY)
    assert spec is not None and spec.origin is not None, "PyYAML is a dependency of Oryn"
    folder = Path(spec.origin).parent
    return named_below(folder.parent, folder.glob("*.py"))


def write_snapshot(out: Path, extension: Path, modules: Iterable[str]) -> None:
    """The memory of a Python that has imported `modules` from the extension's zip, gzipped.

    Raises `BuildFailed` with Python's words where one can't be imported there."""
    with tempfile.TemporaryDirectory() as folder:
        memory = Path(folder) / "memory"
        command = ["node", str(SCRIPT), str(extension), str(memory), *modules]
        try:
            subprocess.run(command, check=True, capture_output=True, text=True, timeout=SNAPSHOT_SECONDS)
        except FileNotFoundError:
            raise BuildFailed("there is no Node: 'make extension' installs it") from None
        except subprocess.CalledProcessError as error:
            raise BuildFailed(f"the engine does not start on Pyodide:\n{error.stderr.strip()}") from error
        out.write_bytes(gzip.compress(memory.read_bytes(), PACKING, mtime=0))
