"""Builds what a release holds: `python -m scripts.release [--out FOLDER]`, which `make release` runs.

The wheel and the source distribution of the Python package, the npm tarballs of the TypeScript client and of the kit
for plugins, the extension as the files that the browsers' stores take (a zip, and an unsigned xpi for Firefox), the
bill of materials, Homebrew's formula, and SHA256SUMS. All have the version of `src/oryn/__init__.py`, and the same
files give the same bytes."""

from __future__ import annotations

import argparse
import hashlib
import json
import re
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path

from oryn import __version__
from scripts.extension import build as build_extension
from scripts.extension import build_firefox
from scripts.extension.engine import BuildFailed, named_below, write_zip
from scripts.sbom import write_sbom

PROJECT = Path(__file__).parent.parent
CLIENT = PROJECT / "clients" / "typescript"
PLUGIN_KIT = PROJECT / "clients" / "plugin-kit"
FORMULA = PROJECT / "packaging" / "oryn.rb"
OUT = PROJECT / "dist"
SUMS = "SHA256SUMS"
SBOM = f"oryn-{__version__}.cdx.json"

_NEEDED = (
    "name",
    "description",
    "license",
    "keywords",
    "homepage",
    "repository",
    "bugs",
    "type",
    "engines",
    "exports",
    "files",
    "sideEffects",
    "dependencies",
)
"""What of package.json is for those who use the package; the rest is for those who build it."""
_STAGES = {"a": "alpha", "b": "beta", "rc": "rc"}


def release(out: Path = OUT) -> list[Path]:
    """Build everything into `out`, in the place of what was there, and return the files.

    Raises `BuildFailed`."""
    with tempfile.TemporaryDirectory(prefix="oryn-release-") as folder:
        new = Path(folder) / "dist"
        new.mkdir()
        _build_python(new)
        for source in (CLIENT, PLUGIN_KIT):
            build_npm(source, new, Path(folder) / source.name)
        _build_extension(new)
        write_sbom(new / SBOM)
        _write_formula(new)
        _write_sums(new)
        shutil.rmtree(out, ignore_errors=True)
        shutil.copytree(new, out)
    return sorted(out.iterdir())


def npm_version(version: str = __version__) -> str:
    """A version of Python's as npm writes it: `0.2.0rc1` is `0.2.0-rc.1`.
    https://packaging.python.org/en/latest/specifications/version-specifiers/ and https://semver.org/"""
    found = re.fullmatch(r"(\d+\.\d+\.\d+)(?:(a|b|rc)(\d+))?", version)
    if found is None:
        raise BuildFailed(f"a release can't have the version {version}: write 1.2.3, 1.2.3a1, 1.2.3b1 or 1.2.3rc1")
    numbers, stage, count = found.groups()
    return f"{numbers}-{_STAGES[stage]}.{count}" if stage else numbers


def _build_python(out: Path) -> None:
    _run([sys.executable, "-m", "hatchling", "build", "--directory", str(out)])


def build_npm(source: Path, out: Path, package: Path) -> None:
    """Pack an npm package (`CLIENT`, `PLUGIN_KIT`) into `out`. It is compiled into the new folder `package`, which has
    nothing else. Raises `BuildFailed`."""
    compiler = source / "node_modules" / ".bin" / "tsc"
    if not compiler.is_file():
        raise BuildFailed("the TypeScript compiler is not there: 'make release' installs it")
    _run([str(compiler), "--project", str(source / "src"), "--outDir", str(package / "dist")])
    declared = json.loads((source / "package.json").read_text("utf-8"))
    about = {"version": npm_version(), **{name: declared[name] for name in _NEEDED if name in declared}}
    (package / "package.json").write_text(json.dumps(about, indent=2) + "\n", "utf-8")
    for file in (source / "README.md", PROJECT / "LICENSE"):
        shutil.copyfile(file, package / file.name)
    _run(["npm", "pack", "--silent", "--pack-destination", str(out)], package)


def _build_extension(out: Path) -> None:
    """Chromium's as a zip, Firefox's as an `.xpi`, which its store signs."""
    for folder, suffix in ((build_extension(), "zip"), (build_firefox(), "xpi")):
        files = sorted(file for file in folder.rglob("*") if file.is_file())
        write_zip(out / f"oryn-extension-{__version__}.{suffix}", named_below(folder, files))


def _write_formula(out: Path) -> None:
    """Homebrew's formula for the source distribution that is in `out` already."""
    source = out / f"oryn_browser-{__version__}.tar.gz"
    text = FORMULA.read_text("utf-8").replace("VERSION and SHA256", "version and sum")
    values = {"VERSION": __version__, "SHA256": hashlib.sha256(source.read_bytes()).hexdigest()}
    (out / FORMULA.name).write_text(re.sub("VERSION|SHA256", lambda found: values[found[0]], text), "utf-8")


def _write_sums(out: Path) -> None:
    """As `sha256sum --check` reads them."""
    sums = [f"{hashlib.sha256(file.read_bytes()).hexdigest()}  {file.name}\n" for file in sorted(out.iterdir())]
    (out / SUMS).write_text("".join(sums), "ascii")


def _run(command: Sequence[str], folder: Path = PROJECT) -> None:
    try:
        subprocess.run(command, cwd=folder, check=True, capture_output=True, text=True)
    except FileNotFoundError:
        raise BuildFailed(f"there is no {command[0]}: 'make release' installs it") from None
    except subprocess.CalledProcessError as error:
        said = (error.stdout + error.stderr).strip()
        raise BuildFailed(f"{' '.join(command[:4])} failed:\n{said}") from error


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m scripts.release", description=__doc__)
    parser.add_argument("--out", type=Path, default=OUT, help="folder to build into (default: %(default)s)")
    try:
        for file in release(parser.parse_args().out):
            print(f"{file.stat().st_size:>10,}  {file}")
    except BuildFailed as error:
        raise SystemExit(f"error: {error}") from None


if __name__ == "__main__":
    main()
