"""`observe`, `html`, `text`, `title`."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from oryn.engine import elements
from oryn.engine.actions import page_info, require_no_dialog
from oryn.engine.answer import Answer, Observation
from oryn.engine.escape import quoted
from oryn.engine.execute.acting import ask_about, scroll_text
from oryn.engine.execute.registry import handles
from oryn.engine.resolve import resolve
from oryn.engine.view import ask
from oryn.errors import ElementNotFound, NotSupported
from oryn.language import Html, Observe, ReadText, Title
from oryn.scanner.protocol import OBSERVE_FIELDS

if TYPE_CHECKING:
    from oryn.engine.session import Session


@handles(Observe)
async def observe(session: Session, command: Observe) -> Answer:
    if command.diff:
        raise NotSupported()
    require_no_dialog(session)
    limit = session.options.observe_limit if command.limit is None else command.limit
    view = session.view
    scan = await view.look(session.page, session.frame, _request(command, limit), timeout=session.remaining())
    if command.near is not None and not scan.elements:
        raise ElementNotFound(f"nothing near {quoted(command.near)}", "Run 'text' to see what the page says.")
    view.told.clear()
    view.tell([element["id"] for element in scan.elements])
    # A look at a part, or one cut short, is nothing to measure changes from.
    partial = command.viewport or command.hidden or command.near is not None or scan.total > len(scan.elements)
    view.elements = None if partial else {element["id"]: element for element in scan.elements}
    return Answer(
        observation=Observation(
            url=scan.url,
            title=scan.title,
            elements=scan.elements,
            patterns={} if command.minimal else scan.patterns,
            line=_line(command),
            more=max(0, scan.total - len(scan.elements)),
            viewport=_viewport(scan.page) if command.full else None,
        )
    )


def _request(command: Observe, limit: int) -> dict[str, Any]:
    fields = [] if command.minimal else list(OBSERVE_FIELDS)
    if command.full:
        fields += ["selector", "attributes", "rect"]
    elif command.positions:
        fields.append("rect")
    request: dict[str, Any] = {"fields": fields, "max_elements": limit}
    if command.hidden:
        request["include_hidden"] = True
    if command.viewport:
        request["viewport_only"] = True
    if command.near is not None:
        request["near"] = command.near
    return request


def _line(command: Observe) -> Any:
    if command.full:
        return elements.full_line
    if command.minimal:
        return elements.minimal_line
    if command.positions:
        return lambda element: elements.line(element, positions=True)
    return elements.line


def _viewport(page: dict[str, Any]) -> str:
    size = page["viewport"]
    return f"{size['width']}x{size['height']} {scroll_text(page['scroll'])}"


@handles(Html)
async def html(session: Session, command: Html) -> Answer:
    require_no_dialog(session)
    request = {"cmd": "get_html", "selector": command.selector}
    data = await ask(session.page, request, session.frame, session.remaining())
    return Answer(block=data["html"])


@handles(ReadText)
async def text(session: Session, command: ReadText) -> Answer:
    require_no_dialog(session)
    if command.target is not None:
        target = await resolve(session, command.target, "text", strict=command.strict)
        data = await ask_about(session, target, {"cmd": "get_text"})
        return Answer(block=data["text"], notes=target.notes)
    request = {"cmd": "get_text", "selector": command.selector}
    data = await ask(session.page, request, session.frame, session.remaining())
    texts = [data["text"]]
    if command.selector is None:
        texts += await _texts_of_frames(session)
    return Answer(block="\n".join(filter(None, texts)))


async def _texts_of_frames(session: Session) -> list[str]:
    """What the cross-origin frames say, in page order; a page's text is also what its frames show."""
    texts = []
    for frame in session.page.roots(session.frame)[1:]:
        data = await ask(session.page, {"cmd": "get_text", "selector": None}, frame, session.remaining())
        texts.append(data["text"])
    return texts


@handles(Title)
async def title(session: Session, command: Title) -> Answer:
    require_no_dialog(session)
    _, found = await page_info(session)
    return Answer(lines=[quoted(found)], data=found)
