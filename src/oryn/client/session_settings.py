"""Settings of a session before a verb: `oryn --profile work --headful goto …` (every setting of a browser, and what
who types may say of research)."""

from __future__ import annotations

import os
from typing import Any

from oryn.errors import ConfigurationError
from oryn.kinds import FILE, FOLDER, FOLDERS
from oryn.plain_flags import flags_of, take
from oryn.settings import BROWSING, Setting

_FLAGS = flags_of(name for name in (*BROWSING, "allow_private") if name not in ("session", "output", "colour"))


def setting_in(words: list[str]) -> dict[str, str | bool] | None:
    """Take the setting that `words` begin with; None (and nothing is taken) where they begin with none.

    Raises `ConfigurationError`."""
    taken = take(words, _FLAGS)
    if taken is None:
        return None
    setting, value = taken
    return {setting.name: value if isinstance(value, bool) else sent(setting, value)}


def sent(setting: Setting, text: str) -> str:
    """A value as it is sent: paths whole, for the daemon is in another folder. Raises `ConfigurationError`."""
    try:
        read: Any = setting.kind.read(text)
    except (ValueError, TypeError):
        raise ConfigurationError(
            f"{setting.name} can't be {setting.public(text)!r} (from the flag {setting.flag})",
            f"{setting.name} may be {setting.kind.may_be}.",
        ) from None
    if setting.kind in (FOLDER, FILE):
        return str(read)
    if setting.kind is FOLDERS:
        return os.pathsep.join(map(str, read))
    return os.path.abspath(os.path.expanduser(text)) if setting.name == "browser" and os.sep in text else text
