"""The browsers that a session can be asked to have (`--backend`), and those of them that there are."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING, Any

from oryn.errors import InvalidValue, NotSupported, SessionExists

if TYPE_CHECKING:
    from oryn.engine.hosting import Known

BACKENDS = {"headless": "headless", "remote": "remote", "extension": "remote"}
"""The modes of the browsers by what they may be called."""
_TO_COME = {"embedded": "WPE WebKit and WebKitGTK"}


def mode_of(name: str | None) -> str | None:
    """The mode that a backend is; None where nobody said. Raises `NotSupported` for what is to come, `InvalidValue` for
    what is no backend."""
    if name is None:
        return None
    if name in _TO_COME:
        raise NotSupported(f"the backend {name} is not there yet", f"Leave --backend out: {_TO_COME[name]} is to come.")
    if name not in BACKENDS:
        raise InvalidValue("there is no such backend", f"One of {', '.join((*BACKENDS, *_TO_COME))}.")
    return BACKENDS[name]


def settings_with(
    settings: Mapping[str, Any], mode: str | None, session: str, own: Iterable[Known]
) -> Mapping[str, Any]:
    """The settings of a session whose caller says so much of its backend; `own` are the host's sessions. Raises
    `SessionExists` where it is in another."""
    if mode is None:
        return settings
    there = next((one for one in own if one.name == session), None)
    if there is None:
        return {**settings, "backend": mode}
    if there.mode not in (None, mode):
        raise SessionExists(
            f"the session {session} is in a browser of mode {there.mode}", "Close it first, or name another session."
        )
    return settings
