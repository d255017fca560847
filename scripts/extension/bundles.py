"""The scripts of the extension: `extension/build.mjs` bundles the TypeScript of `extension/` with esbuild."""

from __future__ import annotations

import subprocess
from pathlib import Path

from scripts.extension.engine import BuildFailed

PROJECT = Path(__file__).parent.parent.parent
TEMPLATE = PROJECT / "extension"
SCRIPT = TEMPLATE / "build.mjs"
ESBUILD = PROJECT / "node_modules" / "esbuild" / "package.json"
SOURCES = (".ts", ".mts", ".mjs")
"""The suffixes of what is bundled, or bundles."""
LIVE_DOM = PROJECT / "src" / "oryn" / "daemon" / "live" / "static" / "dom.js"
CONSOLE_LISTENERS = PROJECT / "src" / "oryn" / "browsers" / "common" / "console_listeners.js"
SCANNER = tuple(PROJECT / "scanner" / "dom" / f"{name}.ts" for name in ("banner_handle", "unbound"))
BUNDLED = (LIVE_DOM, CONSOLE_LISTENERS, *SCANNER)
"""What the bundles have in common with other pages and browsers."""
BUNDLE_SECONDS = 120


def write_bundles(out: Path, source: Path = TEMPLATE) -> None:
    """Bundle the scripts of `source`, which is `extension/` or a copy of it, into `out`.

    Raises `BuildFailed` with esbuild's words where that fails."""
    if not ESBUILD.is_file():
        raise BuildFailed("esbuild is not there: 'make extension' installs it")
    command = ["node", str(SCRIPT), str(out), str(source)]
    try:
        subprocess.run(command, check=True, capture_output=True, text=True, timeout=BUNDLE_SECONDS)
    except FileNotFoundError:
        raise BuildFailed("there is no Node: 'make extension' installs it") from None
    except subprocess.CalledProcessError as error:
        raise BuildFailed(f"the scripts can't be bundled:\n{error.stderr.strip()}") from error
