"""`script add`, `script list`, `script remove`."""

from __future__ import annotations

from typing import TYPE_CHECKING

from oryn.core.text_safety import quoted
from oryn.engine.handlers.registry import handles
from oryn.engine.output.answer import Answer
from oryn.engine.page.context import require_no_dialog
from oryn.errors import FileError
from oryn.language import ScriptAdd, ScriptList, ScriptRemove

if TYPE_CHECKING:
    from oryn.browsers.base.emulation import PageScript
    from oryn.engine.session import Session

MAX_SCRIPT_BYTES = 8_000_000
"""Maximum size of a script's file; it is sent to every tab, including new ones."""


@handles(ScriptAdd)
async def script_add(session: Session, command: ScriptAdd) -> Answer:
    content = session.files.read_bytes(command.path, MAX_SCRIPT_BYTES)
    try:
        source = content.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise FileError(f"{command.path} is not valid UTF-8", "Save the script as UTF-8.") from error
    require_no_dialog(session)
    name = session.files.display_path(command.path)
    script = await session.browser.page_scripts.add(name, source, timeout=session.deadline.remaining())
    return Answer(
        lines=[_line(script)],
        notes=["it runs in pages loaded from now on: 'refresh' to run it in this one"],
        data=_data(script),
    )


@handles(ScriptList)
async def script_list(session: Session, command: ScriptList) -> Answer:
    scripts = session.browser.page_scripts.all()
    return Answer(lines=[_line(script) for script in scripts] or ["no scripts"], data=[_data(each) for each in scripts])


@handles(ScriptRemove)
async def script_remove(session: Session, command: ScriptRemove) -> Answer:
    await session.browser.page_scripts.remove(command.number, timeout=session.deadline.remaining())
    return Answer(notes=["pages that are already loaded keep its effects"])


def _line(script: PageScript) -> str:
    return f"{script.number} {quoted(script.name)}"


def _data(script: PageScript) -> dict[str, object]:
    return {"number": script.number, "path": script.name}
