"""The extension as a folder that a browser can load: the files of `extension/`, Pyodide, the scanner, the engine."""

from __future__ import annotations

import json
import re
import shutil
import zipfile
from pathlib import Path

from oryn import __version__
from oryn.scanner.bundle import bundle
from scripts.extension.closure import Closure

PROJECT = Path(__file__).parent.parent.parent
SOURCE = PROJECT / "src"
TEMPLATE = PROJECT / "extension"
PYODIDE = PROJECT / "tests" / "pyodide" / "node_modules" / "pyodide"
OUT = PROJECT / "build" / "extension"
ENTRY = "oryn.extension.main"
RUNTIME = ("pyodide.mjs", "pyodide.asm.mjs", "pyodide.asm.wasm", "python_stdlib.zip")
"""What of the npm package runs; the rest is types, maps and a console."""


def build(out: Path = OUT) -> Path:
    """Build the extension into `out` and return it."""
    new = out.with_name(out.name + ".new")
    shutil.rmtree(new, ignore_errors=True)
    shutil.copytree(TEMPLATE, new)
    _write_manifest(new / "manifest.json")
    (new / "scanner.js").write_text(bundle(), "utf-8")
    for part in ("content.js", "popup/popup.html"):  # which others are still writing
        (new / part).parent.mkdir(exist_ok=True)
        (new / part).touch()
    _copy_runtime(new / "pyodide")
    (new / "engine").mkdir()
    write_engine(new / "engine" / "oryn.zip")
    shutil.rmtree(out, ignore_errors=True)
    new.rename(out)
    return out


def write_engine(file: Path) -> None:
    """The engine's files as a zip that Python imports from, the same bytes for the same files."""
    with zipfile.ZipFile(file, "w", zipfile.ZIP_DEFLATED, compresslevel=9) as archive:
        for path in Closure(SOURCE, ENTRY).files():
            about = zipfile.ZipInfo(path.relative_to(SOURCE).as_posix())
            about.compress_type = zipfile.ZIP_DEFLATED
            about.external_attr = 0o644 << 16
            archive.writestr(about, path.read_bytes())


def _write_manifest(file: Path) -> None:
    """The template with the version, of which browsers take numbers alone."""
    manifest = json.loads(file.read_text("utf-8"))
    numbers = re.match(r"\d+(\.\d+){0,3}", __version__)
    assert numbers, f"{__version__} begins with no number"
    manifest |= {"version": numbers[0], "version_name": __version__}
    file.write_text(json.dumps(manifest, indent=2) + "\n", "utf-8")


def _copy_runtime(folder: Path) -> None:
    folder.mkdir()
    for name in RUNTIME:
        shutil.copyfile(PYODIDE / name, folder / name)
    # Without the packages that could be downloaded: the engine needs none.
    lock = json.loads((PYODIDE / "pyodide-lock.json").read_text("utf-8"))
    (folder / "pyodide-lock.json").write_text(json.dumps({**lock, "packages": {}}), "utf-8")
