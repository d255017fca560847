"""The devices that `device` knows, by name: Playwright's list, in `devices.json` (`scripts/devices.mjs` writes it)."""

from __future__ import annotations

import difflib
import json
from functools import cache
from importlib.resources import files
from itertools import groupby
from typing import Any

from oryn.browsers.base.device import Model
from oryn.engine.escape import quoted
from oryn.errors import InvalidValue

LANDSCAPE = " landscape"


@cache
def _list() -> dict[str, Any]:
    data: dict[str, Any] = json.loads((files("oryn.engine") / "devices.json").read_text(encoding="utf-8"))
    return data


def source() -> str:
    """Where the list is from: package, version, address."""
    found: str = _list()["source"]
    return found


def names() -> list[str]:
    """Every name, in the list's order: by family, a device that is turned after the one that is upright."""
    return list(_list()["devices"])


def model(name: str) -> Model:
    """The device called `name`, in whatever case. Raises `InvalidValue` with the nearest names."""
    known = {each.lower(): each for each in names()}
    wanted = " ".join(name.lower().split())
    if wanted not in known:
        near = [known[each] for each in difflib.get_close_matches(wanted[:100], known, 3)]
        hint = f"Did you mean {' or '.join(near)}?" if near else "Run 'devices' to see the names."
        raise InvalidValue(f"there is no device {quoted(name)}", hint)
    data = _list()
    width, height, screen_width, screen_height, scale, mobile, touch, agent = data["devices"][known[wanted]]
    screen, user_agent = (screen_width, screen_height), data["userAgents"][agent]
    return Model(known[wanted], (width, height), screen, scale, mobile, touch, user_agent)


def families() -> list[str]:
    """A line for each first word: `Pixel: 2, 2 XL, 3`; without the names that only turn a device on its side."""
    upright = [name for name in names() if not name.endswith(LANDSCAPE)]
    rows = []
    for family, members in groupby(upright, key=lambda name: name.partition(" ")[0]):
        kinds = [name.partition(" ")[2] for name in members]
        rows.append(f"{family}: {', '.join(kinds)}" if len(kinds) > 1 else f"{family} {kinds[0]}")
    return rows
