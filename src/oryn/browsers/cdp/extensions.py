"""Unpacked browser extensions, loaded before the first page.

Chrome itself no longer takes `--load-extension`, but a command over a pipe, which its owner alone can speak through. https://chromedevtools.github.io/devtools-protocol/tot/Extensions/#method-loadUnpacked
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path

from oryn.browsers.cdp.connection import Session
from oryn.errors import ConfigurationError, OrynError, Timeout

LOAD_SECONDS = 20.0


def checked(folders: Sequence[Path]) -> tuple[Path, ...]:
    """The folders, if each holds an extension. Raises `ConfigurationError`."""
    for folder in folders:
        manifest = folder / "manifest.json"
        try:
            data = json.loads(manifest.read_text("utf-8-sig"))
        except FileNotFoundError:
            raise _wrong(folder, "it has no manifest.json") from None
        except OSError as error:
            raise _wrong(folder, f"its manifest.json can't be read: {error.strerror}") from error
        except (ValueError, RecursionError):
            data = None
        if not isinstance(data, dict) or "manifest_version" not in data:
            raise _wrong(folder, "its manifest.json is no manifest")
    return tuple(folders)


async def load(root: Session, folders: Sequence[Path]) -> None:
    """Load them for all sessions of the browser. Raises `ConfigurationError` with what the browser says of one."""
    for folder in folders:
        params = {"path": str(folder), "enableInIncognito": True}  # which every session but the first one is
        try:
            await root.call("Extensions.loadUnpacked", params, timeout=LOAD_SECONDS)
        except Timeout:
            raise _wrong(folder, f"the browser did not load it within {LOAD_SECONDS:g} s") from None
        except OrynError as error:
            raise _wrong(folder, error.message.removeprefix("Extensions.loadUnpacked: ")) from error


def _wrong(folder: Path, why: str) -> ConfigurationError:
    return ConfigurationError(
        f"{folder} can't be loaded as an extension: {why}",
        "'extensions' names folders of unpacked extensions, each with its manifest.json.",
    )
