"""The browsers that a session can be asked to have (`--backend`), and those of them that there are."""

from __future__ import annotations

from oryn.errors import InvalidValue, NotSupported

_TO_COME = {
    "embedded": "WPE WebKit and WebKitGTK",
    "remote": "the user's own browser, through an extension",
    "extension": "the user's own browser, through an extension",
}


def check_backend(name: str | None) -> None:
    """Raises `NotSupported` for what is to come, `InvalidValue` for what is no backend."""
    if name in (None, "headless"):
        return
    if name in _TO_COME:
        raise NotSupported(f"the backend {name} is not there yet", f"Leave --backend out: {_TO_COME[name]} is to come.")
    raise InvalidValue("there is no such backend", f"One of headless, {', '.join(_TO_COME)}.")
