"""One step of a room: a command, and what its output must have."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

PROJECT = Path(__file__).parents[2]
SEARCH_PATH = "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin"
DEBIAN = "http://deb.debian.org/debian"
CERTIFICATES = Path("/etc/ssl/certs/ca-certificates.crt")
"""Of this machine, whose network may have its own: a room gets a copy at the same place."""


@dataclass(frozen=True)
class Step:
    """A command to run. `says` is a regular expression that its output must match, `text` its standard input, and
    `code` its exit code; None takes any."""

    name: str
    command: Sequence[str]
    says: str = ""
    text: str = ""
    code: int | None = 0

    def is_expected(self, code: int, output: str) -> bool:
        return self.code in (None, code) and re.search(self.says, output) is not None


def debian_mirror() -> str:
    """The archive of packages that this machine uses, if it is a Debian."""
    files = [Path("/etc/apt/sources.list"), *sorted(Path("/etc/apt/sources.list.d").glob("*"))]
    text = "\n".join(file.read_text("utf-8") for file in files if file.is_file())
    found = re.search(r"^(?:URIs:|deb)\s+(?:\[[^]]*\]\s+)?(https?://\S+/debian)/?(?=\s)", text + "\n", re.MULTILINE)
    return found[1] if found else DEBIAN
