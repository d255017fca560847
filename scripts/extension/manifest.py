"""The manifests of the extension, one for each browser: `extension/manifest.json` is Chromium's, Firefox's is derived.

Firefox has no service workers for extensions but event pages, which are stopped and started as those are, names an
extension by an id instead of a key, and lacks some APIs.
https://developer.mozilla.org/en-US/docs/Mozilla/Add-ons/WebExtensions/manifest.json"""

from __future__ import annotations

import re
from typing import Any

from oryn import __version__

FIREFOX_ID = "raffi.krikorian.harbor@gmail.com"
"""The extension's id in Firefox. `harbor-plugin/v1` fixes it: plugins send their messages to this id."""
FIREFOX_VERSION = "153.0"
"""The oldest Firefox that has all that the extension needs, such as ids of documents."""
_CHROMIUM_KEYS = ("key", "minimum_chrome_version", "version_name")
_MISSING_PERMISSIONS = frozenset({"debugger"})


def chromium_manifest(template: dict[str, Any]) -> dict[str, Any]:
    """Chromium's: the template with the version, of which browsers take numbers alone."""
    numbers = re.match(r"\d+(\.\d+){0,3}", __version__)
    assert numbers, f"{__version__} begins with no number"
    return {**template, "version": numbers[0], "version_name": __version__}


def firefox_manifest(template: dict[str, Any]) -> dict[str, Any]:
    """Firefox's, for the same files."""
    manifest = {key: value for key, value in chromium_manifest(template).items() if key not in _CHROMIUM_KEYS}
    background = manifest["background"]
    return {
        **manifest,
        "background": {"scripts": [background["service_worker"]], "type": background["type"]},
        "permissions": [name for name in manifest["permissions"] if name not in _MISSING_PERMISSIONS],
        "browser_specific_settings": {
            "gecko": {
                "id": FIREFOX_ID,
                "strict_min_version": FIREFOX_VERSION,
                # A paired server gets what is in the pages that it drives.
                "data_collection_permissions": {"required": ["browsingActivity", "websiteContent"]},
            }
        },
    }
