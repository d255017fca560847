"""Settings of a session before a verb: `oryn --profile work --headful goto …`.

They include every setting of a browser, and those of research that a user may set."""

from __future__ import annotations

import os
from typing import Any

from oryn.errors import ConfigurationError
from oryn.settings import BROWSING, Setting
from oryn.settings.flags import add_flag_value, flags_of, take_flag
from oryn.settings.types import FILE, FOLDER, FOLDERS

_FLAGS = flags_of(name for name in (*BROWSING, "allow_private") if name not in ("session", "output"))


def take_setting(words: list[str], settings: dict[str, str | bool]) -> bool:
    """Move a setting from the start of `words` into `settings`. Returns False, without a change, if there is no
    setting.

    Raises `ConfigurationError`."""
    taken = take_flag(words, _FLAGS)
    if taken is None:
        return False
    setting, value = taken
    add_flag_value(settings, setting, value if isinstance(value, bool) else wire_value(setting, value))
    return True


def wire_value(setting: Setting, text: str) -> str:
    """A value as it is sent: paths are absolute, as the daemon runs in another folder. Raises `ConfigurationError`."""
    try:
        read: Any = setting.kind.read(text)
    except (ValueError, TypeError):
        raise ConfigurationError(
            f"{setting.name} can't be {setting.public(text)!r} (from the flag {setting.flag})",
            f"{setting.name} must be {setting.kind.description}.",
        ) from None
    if setting.kind in (FOLDER, FILE):
        return str(read)
    if setting.kind is FOLDERS:
        return os.pathsep.join(map(str, read))
    return os.path.abspath(os.path.expanduser(text)) if setting.name == "browser" and os.sep in text else text
