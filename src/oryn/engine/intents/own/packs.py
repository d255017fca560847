"""`packs`, `pack load`, `pack unload`."""

from __future__ import annotations

from typing import TYPE_CHECKING

from oryn.engine.answer import Answer
from oryn.engine.escape import one_line, plain
from oryn.engine.execute.registry import handles
from oryn.engine.intents.own.library import page_url
from oryn.errors import PackNotFound
from oryn.language import Pack as PackCommand
from oryn.language import Packs

if TYPE_CHECKING:
    from oryn.engine.intents.own.library import Pack
    from oryn.engine.session import Session


@handles(Packs, browser=False)
async def packs(session: Session, command: Packs) -> Answer:
    """Each with its state: not loaded, loaded, or active on this page."""
    rows = [
        {
            "name": pack.name, "version": pack.version, "state": _state(session, pack),
            "intents": sorted(pack.shelf.definitions), "description": pack.description, "urls": list(pack.urls),
        }
        for pack in session.own.library.packs().values()
    ]  # fmt: skip
    lines = [
        f"{row['name']} {plain(str(row['version']))}  ({row['state']}) {plain(str(row['description']))}".rstrip()
        for row in rows
    ]
    problems = [
        one_line(f"{pack.name}: {problem.message}")
        for pack in session.own.library.packs().values()
        for problem in pack.shelf.problems.values()
    ]
    return Answer(lines=lines or ["none"], notes=problems, data=rows)


def _state(session: Session, pack: Pack) -> str:
    if pack.name not in session.own.loaded:
        return "not loaded"
    return "active here" if pack.fits(page_url(session)) else "loaded, not for this page"


@handles(PackCommand, browser=False)
async def pack(session: Session, command: PackCommand) -> Answer:
    """`load` and `unload`, for this session. What is loaded last comes first where two packs have a name."""
    loaded = session.own.loaded
    if command.action == "unload":
        if command.name not in loaded:
            raise PackNotFound(f"no pack {command.name} is loaded", f"Loaded: {', '.join(loaded) or 'none'}.")
        loaded.remove(command.name)
        return Answer()
    found = session.own.pack(command.name)
    if found.name in loaded:
        loaded.remove(found.name)
    loaded.append(found.name)
    return Answer(lines=[f"{_state(session, found)}: {', '.join(sorted(found.shelf.definitions))}"])
