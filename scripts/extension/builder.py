"""The extension as a folder that a browser can load: the files of `extension/`, Pyodide, the scanner, the engine.

Nothing is copied by hand and nothing downloaded: the scripts are bundled of `extension/`, the engine is what
`oryn.extension.main` imports, the scanner its own bundle, and Pyodide the npm package that `setup/node.sh` has
installed."""

from __future__ import annotations

import hashlib
import json
import shutil
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Literal

from oryn import __version__
from oryn.scanner.bundle import bundle
from oryn.system.locks import locked
from scripts.extension.bundles import BUNDLED, ESBUILD, PROJECT, SOURCES, TEMPLATE, write_bundles
from scripts.extension.closure import Closure
from scripts.extension.engine import LIBRARY, BuildFailed, libraries, named_below, write_snapshot, write_zip
from scripts.extension.manifest import chromium_manifest, firefox_manifest

SOURCE = PROJECT / "src"
LIVE_PAGE = SOURCE / "oryn" / "daemon" / "live" / "static"
SHARED = (SOURCE / "oryn" / "core" / "oryn.css",)
"""What the popup has in common with the live page, besides `bundles.BUNDLED`."""
SCHEMA = Path("hub", "harbor-plugin-v1.schema.json")
"""In `extension/`: it is in the worker's bundle."""
PYODIDE = PROJECT / "tests" / "pyodide" / "node_modules" / "pyodide"
JSON_SCHEMA = PYODIDE.parent / "@cfworker" / "json-schema" / "dist" / "esm"
"""The validator of the hub, which the extension has in `hub/json_schema`."""
OUT = PROJECT / "build" / "extension"
FIREFOX_OUT = PROJECT / "build" / "extension-firefox"
BrowserKind = Literal["chromium", "firefox"]
ENTRIES = ("oryn.extension.main", "oryn.extension.event_loop")
"""What `extension/worker.ts` imports."""
RUNTIME = ("pyodide.mjs", "pyodide.asm.mjs", "pyodide.asm.wasm", "python_stdlib.zip", "pyodide-lock.json")
"""What of the npm package runs; the rest is types, maps and a console."""
PROGRAM = [
    Path(__file__).with_name(name)
    for name in ("builder.py", "bundles.py", "closure.py", "engine.py", "manifest.py", "snapshot.mjs")
]
BUILT = Path("engine", "built.json")
"""In the built folder: what its parts were made of."""


def build(out: Path = OUT) -> Path:
    """Build the extension into `out`, unless what is there was built of the same files, and return it.

    Raises `BuildFailed`."""
    with _building(out):
        return out


def build_firefox(out: Path = FIREFOX_OUT) -> Path:
    """Build the extension as Firefox loads it into `out`, in the place of what was there, and return it.

    Raises `BuildFailed`."""
    with _building(OUT), locked(out.with_name(f".{out.name}.lock")):
        if _built(out) != _built(OUT):
            new = out.with_name(f".{out.name}.new")
            shutil.rmtree(new, ignore_errors=True)
            _copy_for_firefox(new)
            shutil.rmtree(out, ignore_errors=True)
            new.rename(out)
    return out


def copy(to: Path, browser: BrowserKind = "chromium") -> Path:
    """The built extension as a new folder `to`, which no later build takes away below a browser.

    Raises `BuildFailed`."""
    with _building(OUT):
        return shutil.copytree(OUT, to) if browser == "chromium" else _copy_for_firefox(to)


def _copy_for_firefox(to: Path) -> Path:
    """The same files with Firefox's manifest."""
    shutil.copytree(OUT, to)
    _write_manifest(to / "manifest.json", firefox_manifest(_template()))
    return to


@contextmanager
def _building(out: Path) -> Iterator[None]:
    """Have `out` built, and let nobody build there while the block runs."""
    for package, name in ((PYODIDE / "package.json", "Pyodide"), (ESBUILD, "esbuild")):
        if not package.is_file():
            raise BuildFailed(f"{name} is not there: 'make extension' installs it")
    out.parent.mkdir(parents=True, exist_ok=True)
    with locked(out.with_name(f".{out.name}.lock")):
        closure = Closure(SOURCE, *ENTRIES)
        ours = [*PROGRAM, *_parts(TEMPLATE), ESBUILD, *BUNDLED, *SHARED, *_runtime(), *_validator(), *closure.files()]
        made_of = _digest({**named_below(PROJECT, ours), **libraries()})
        if _built(out).get("made_of") != made_of:
            new = out.with_name(f".{out.name}.new")
            shutil.rmtree(new, ignore_errors=True)
            _fill(new, closure, made_of)
            shutil.rmtree(out, ignore_errors=True)
            new.rename(out)
        yield


def _fill(folder: Path, closure: Closure, made_of: str) -> None:
    for file in _parts(TEMPLATE):
        name = file.relative_to(TEMPLATE)
        if file.suffix not in SOURCES and name != SCHEMA:
            (folder / name).parent.mkdir(parents=True, exist_ok=True)
            shutil.copyfile(file, folder / name)
    write_bundles(folder, TEMPLATE)
    for file in SHARED:
        shutil.copyfile(file, folder / "popup" / file.name)
    _write_manifest(folder / "manifest.json", chromium_manifest(_template()))
    (folder / "scanner.js").write_text(bundle(), "utf-8")
    (folder / "pyodide").mkdir()
    for file in _runtime():
        shutil.copyfile(file, folder / "pyodide" / file.name)
    (folder / "hub" / "json_schema").mkdir()
    for file in _validator():
        shutil.copyfile(file, folder / "hub" / "json_schema" / file.name)
    _leave_packages_out(folder / "pyodide" / "pyodide-lock.json")
    engine, snapshot = folder / "engine" / "oryn.zip", folder / "engine" / "snapshot.gz"
    engine.parent.mkdir()
    write_zip(engine, {**named_below(SOURCE, closure.files()), **libraries()})
    write_snapshot(snapshot, folder, [LIBRARY, *sorted(closure.modules)])
    about = {
        "pyodide": json.loads((PYODIDE / "package.json").read_text("utf-8"))["version"],
        "engine": hashlib.sha256(engine.read_bytes()).hexdigest(),
        "snapshot": hashlib.sha256(snapshot.read_bytes()).hexdigest(),
        "made_of": made_of,
    }
    (folder / BUILT).write_text(json.dumps(about, indent=2) + "\n", "utf-8")


def _template() -> dict[str, Any]:
    manifest: dict[str, Any] = json.loads((TEMPLATE / "manifest.json").read_text("utf-8"))
    return manifest


def _write_manifest(file: Path, manifest: dict[str, Any]) -> None:
    file.write_text(json.dumps(manifest, indent=2) + "\n", "utf-8")


def _leave_packages_out(lock: Path) -> None:
    """The list of packages that Pyodide could download: the engine needs none."""
    lock.write_text(json.dumps({**json.loads(lock.read_text("utf-8")), "packages": {}}) + "\n", "utf-8")


def _parts(folder: Path) -> list[Path]:
    """Every file below `folder`, but hidden ones."""
    return [
        file
        for file in sorted(folder.rglob("*"))
        if file.is_file() and not any(part.startswith(".") for part in file.relative_to(folder).parts)
    ]


def _runtime() -> list[Path]:
    return [PYODIDE / name for name in RUNTIME]


def _validator() -> list[Path]:
    return sorted(JSON_SCHEMA.glob("*.js"))


def _digest(files: Mapping[str, Path]) -> str:
    """One of the names and contents of files."""
    whole = hashlib.sha256(__version__.encode())
    for name, file in files.items():
        content = hashlib.sha256(file.read_bytes()).digest()
        whole.update(name.encode() + b"\0" + content)
    return whole.hexdigest()


def _built(folder: Path) -> dict[str, Any]:
    try:
        about: dict[str, Any] = json.loads((folder / BUILT).read_text("utf-8"))
    except (OSError, ValueError):
        return {}
    return about
