"""`script add`, `script list`, `script remove`."""

from __future__ import annotations

from typing import TYPE_CHECKING

from oryn.engine.actions import require_no_dialog
from oryn.engine.answer import Answer
from oryn.engine.escape import quoted
from oryn.engine.execute.registry import handles
from oryn.errors import FileError
from oryn.language import ScriptAdd, ScriptList, ScriptRemove

if TYPE_CHECKING:
    from oryn.browsers.base.page_scripts import PageScript
    from oryn.engine.session import Session

LARGEST = 8_000_000
"""Bytes of a script's file: it is sent to every tab, and again to every new one."""


@handles(ScriptAdd)
async def script_add(session: Session, command: ScriptAdd) -> Answer:
    content = session.files.read_bytes(command.path, LARGEST)
    try:
        source = content.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise FileError(f"{command.path} is no UTF-8 text", "Save the script as UTF-8.") from error
    require_no_dialog(session)
    name = session.files.shown(command.path)
    script = await session.browser.page_scripts.add(name, source, timeout=session.remaining())
    return Answer(
        lines=[_line(script)],
        notes=["it runs in pages that are loaded from now on: 'refresh' for this one"],
        data=_data(script),
    )


@handles(ScriptList)
async def script_list(session: Session, command: ScriptList) -> Answer:
    scripts = session.browser.page_scripts.all()
    return Answer(lines=[_line(script) for script in scripts] or ["no scripts"], data=[_data(each) for each in scripts])


@handles(ScriptRemove)
async def script_remove(session: Session, command: ScriptRemove) -> Answer:
    await session.browser.page_scripts.remove(command.number, timeout=session.remaining())
    return Answer(notes=["pages that are loaded already keep what it has done"])


def _line(script: PageScript) -> str:
    return f"{script.number} {quoted(script.name)}"


def _data(script: PageScript) -> dict[str, object]:
    return {"number": script.number, "path": script.name}
