"""Settings of a session before a verb: `oryn --profile work --headful goto …` (every setting of a browser, and what
who types may say of research)."""

from __future__ import annotations

import os
from typing import Any

from oryn.errors import ConfigurationError
from oryn.kinds import FILE, FOLDER, FOLDERS
from oryn.plain_flags import flags_of, put, take
from oryn.settings import BROWSING, Setting

_FLAGS = flags_of(name for name in (*BROWSING, "allow_private") if name not in ("session", "output", "colour"))


def take_setting(words: list[str], given: dict[str, str | bool]) -> bool:
    """Take the setting that `words` begin with, into `given`; False (and nothing is taken) if they begin with none.

    Raises `ConfigurationError`."""
    taken = take(words, _FLAGS)
    if taken is None:
        return False
    setting, value = taken
    put(given, setting, value if isinstance(value, bool) else sent(setting, value))
    return True


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
