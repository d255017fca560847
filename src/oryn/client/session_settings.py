"""Settings of a session before a verb: `oryn --profile work --headful goto …` (every setting of a browser)."""

from __future__ import annotations

import os
from typing import Any

from oryn.errors import ConfigurationError
from oryn.kinds import FILE, FOLDER, FOLDERS
from oryn.settings import BROWSING, SETTINGS, Setting

_FLAGS = {SETTINGS[name].flag: SETTINGS[name] for name in BROWSING if name not in ("session", "output", "colour")}


def setting_in(words: list[str]) -> dict[str, str | bool] | None:
    """Take the setting that `words` begin with; None (and nothing is taken) where they begin with none.

    Raises `ConfigurationError`."""
    flag, equals, value = words[0].partition("=")
    setting = _FLAGS.get(flag)
    if setting is None:
        negative = _FLAGS.get(flag.replace("--no-", "--", 1))
        if not flag.startswith("--no-") or negative is None or not negative.is_switch or equals:
            return None
        del words[0]
        return {negative.name: False}
    del words[0]
    if setting.is_switch:
        if equals:
            raise ConfigurationError(f"{flag} takes no value", f"Say {flag} or --no-{flag[2:]}.")
        return {setting.name: True}
    if not equals:
        if not words:
            raise ConfigurationError(f"{flag} needs a value", f"{setting.name} may be {setting.kind.may_be}.")
        value = words.pop(0)
    return {setting.name: sent(setting, value)}


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
