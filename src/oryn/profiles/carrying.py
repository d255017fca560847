"""What of a copied profile can be read, and by whom: cookies and passwords are encrypted with keys that may be a
desktop's or a program's own.

A value begins with the version of its encryption. `v10` on Linux is a key that everybody knows, on macOS the
keychain's, on Windows one that `Local State` holds for the user; `v11` is the key in a Linux desktop's keyring; `v20`
is one that Windows gives to the installed browser alone. https://source.chromium.org/search?q=file:os_crypt
"""

from __future__ import annotations

import sqlite3
import sys
from collections import Counter
from contextlib import closing, suppress
from pathlib import Path

from oryn.profiles.installed import FIRST
from oryn.records import Record

_SYSTEM = {"darwin": "v10", "linux": "v11"}
_QUESTION = "SELECT CAST(substr(encrypted_value, 1, 3) AS TEXT), count(*) FROM cookies GROUP BY 1"


class Carried(Record):
    """The cookies of a copy: all of them, and those that need the `system`'s key or `nobody` else's."""

    cookies: int
    system: int
    nobody: int

    def notes(self, browser: str | None) -> list[str]:
        """What a person has to know of them."""
        of = browser or "the browser that it was copied from"
        told = []
        if self.system:
            told.append(f"{self.system} cookies are encrypted with this desktop's key: they are read in {of} only")
        if self.nobody:
            told.append(f"{self.nobody} cookies are bound to {of} and can't be read in a copy: log in again")
        return told


def carried(profile: Path, platform: str = sys.platform) -> Carried:
    """What became of the cookies in the copy `profile`."""
    versions: Counter[str] = Counter()
    for name in ("Cookies", "Network/Cookies"):
        file = profile / FIRST / name
        if file.is_file():
            with suppress(sqlite3.Error), closing(sqlite3.connect(file)) as database:
                versions.update(dict(database.execute(_QUESTION)))
    system = versions[_SYSTEM[platform]] if platform in _SYSTEM else 0
    return Carried(versions.total(), system, versions["v20"])
