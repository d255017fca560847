"""Unpacked browser extensions, loaded before the first page.

Chrome no longer accepts `--load-extension`, only a command over a pipe, which no one but its owner can use.
https://chromedevtools.github.io/devtools-protocol/tot/Extensions/#method-loadUnpacked
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path

from oryn.browsers.cdp.connection import CdpSession
from oryn.errors import ConfigurationError, OrynError, Timeout

LOAD_SECONDS = 20.0


def validate_folders(folders: Sequence[Path]) -> tuple[Path, ...]:
    """The folders, if each holds an extension. Raises `ConfigurationError`."""
    for folder in folders:
        manifest = folder / "manifest.json"
        try:
            data = json.loads(manifest.read_text("utf-8-sig"))
        except FileNotFoundError:
            raise _load_error(folder, "it has no manifest.json") from None
        except OSError as error:
            raise _load_error(folder, f"its manifest.json can't be read: {error.strerror}") from error
        except (ValueError, RecursionError):
            data = None
        if not isinstance(data, dict) or "manifest_version" not in data:
            raise _load_error(folder, "its manifest.json is no manifest")
    return tuple(folders)


async def load_unpacked(root: CdpSession, folders: Sequence[Path]) -> None:
    """Load extensions for all sessions of the browser. Raises `ConfigurationError` with the browser's message."""
    for folder in folders:
        params = {"path": str(folder), "enableInIncognito": True}  # every session but the first is incognito
        try:
            await root.call("Extensions.loadUnpacked", params, timeout=LOAD_SECONDS)
        except Timeout:
            raise _load_error(folder, f"the browser did not load it within {LOAD_SECONDS:g} s") from None
        except OrynError as error:
            raise _load_error(folder, error.message.removeprefix("Extensions.loadUnpacked: ")) from error


def _load_error(folder: Path, reason: str) -> ConfigurationError:
    return ConfigurationError(
        f"{folder} can't be loaded as an extension: {reason}",
        "'extensions' names folders of unpacked extensions, each with its manifest.json.",
    )
