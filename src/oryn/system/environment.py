"""The environment variables of processes that Oryn starts.

A browser runs the code of pages, and a parser reads their content: neither needs Oryn's settings, among which are keys,
nor the user's other secrets. Only the standard library's fastest modules are imported here, as a browser's start waits
for it."""

from __future__ import annotations

import os
import re
from collections.abc import Mapping

_OWN = "ORYN_"
_WORKER_SETTINGS = frozenset({"ORYN_HOME"})
"""Settings of Oryn that its own worker processes read; they get all others with each request."""
_OWN_SECRETS = frozenset({"OPENAI_API_KEY"})
"""Variables that Oryn reads a key from, besides its own settings."""
_SECRET = re.compile(
    r"(^|_)(KEY|KEYS|APIKEY|TOKEN|TOKENS|SECRET|SECRETS|PASSWORD|PASSWD|PASSPHRASE|PASS|CREDENTIALS)(_ID|_FILE)?$",
    re.IGNORECASE,
)
"""The names that programs usually give to variables with secrets (`GITHUB_TOKEN`, `AWS_SECRET_ACCESS_KEY`)."""


def child_environment(environment: Mapping[str, str] = os.environ) -> dict[str, str]:
    """The variables for a program that is not Oryn's own: a browser, its driver. Secrets and Oryn's settings are left
    out."""
    return {
        name: value for name, value in environment.items() if not name.startswith(_OWN) and not _SECRET.search(name)
    }


def worker_environment(environment: Mapping[str, str] = os.environ) -> dict[str, str]:
    """The variables for a worker process of Oryn. Oryn's settings are left out, but not what libraries read, such as
    the token of a model's registry."""
    return {
        name: value
        for name, value in environment.items()
        if name in _WORKER_SETTINGS or not (name.startswith(_OWN) or name in _OWN_SECRETS)
    }
