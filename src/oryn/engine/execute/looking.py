"""`observe`, `html`, `text`, `title`."""

from __future__ import annotations

from collections.abc import Collection
from typing import TYPE_CHECKING, Any

from oryn.engine import changes, elements
from oryn.engine.actions import error_page_notes, page_info, require_no_dialog
from oryn.engine.answer import Answer, Observation
from oryn.engine.escape import quoted
from oryn.engine.execute.acting import ask_about, scroll_text
from oryn.engine.execute.registry import handles
from oryn.engine.resolve import resolve
from oryn.engine.view import Seen, ask
from oryn.errors import ElementNotFound
from oryn.language import Html, Observe, ReadText, Title
from oryn.scanner.protocol import OBSERVE_FIELDS

if TYPE_CHECKING:
    from oryn.engine.elements import Element
    from oryn.engine.session import Session


@handles(Observe)
async def observe(session: Session, command: Observe) -> Answer:
    require_no_dialog(session)
    limit = session.options.observe_limit if command.limit is None else command.limit
    view = session.view
    view.enter(session.page)
    if command.diff and view.seen is not None:
        return await _difference(session, command, view.seen, limit)
    scan = await view.look(session.page, session.frame, _request(command, limit), timeout=session.remaining())
    if command.near is not None and not scan.elements:
        raise ElementNotFound(f"nothing near {quoted(command.near)}", "Run 'text' to see what the page says.")
    view.show(scan.elements)
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
        ),
        notes=error_page_notes(session.page),
    )


async def _difference(session: Session, command: Observe, seen: Seen, limit: int) -> Answer:
    """What is not as the agent last saw it. `--viewport` and `--near` narrow what is told of what is there."""
    view, page = session.view, session.page
    request = _request(command, 0)
    narrow: dict[str, Any] = {key: request.pop(key) for key in ("viewport_only", "near") if key in request}
    scan = await view.look(page, session.frame, {**request, "keep_ids": True}, timeout=session.remaining())
    there: dict[int, Element] = {element["id"]: element for element in scan.elements}
    wanted: Collection[int] = there
    if narrow:
        part: dict[str, Any] = {"fields": [], "max_elements": 0, "keep_ids": True, **narrow}
        narrowed = await view.look(page, session.frame, part, timeout=session.remaining())
        wanted = {element["id"] for element in narrowed.elements}
    if not command.hidden:
        view.elements = there
    found = changes.of_page(seen.url, view.url, seen.title, view.title)
    before, after = _comparable(seen, there, wanted, command.hidden)
    more_found, more = changes.between(before, after, most=limit, line=_line(command))
    found += more_found
    view.report(found)
    if not found:
        return Answer(lines=["nothing changed"], data={"changed": False})
    return Answer(changes=found, more_changes=more)


def _comparable(
    seen: Seen, there: dict[int, Element], wanted: Collection[int], hidden: bool
) -> tuple[dict[int, Element], dict[int, Element]]:
    """What was and what is, of what the agent is to be told about."""
    before = dict(seen.elements)
    if not hidden:
        before = {n: e for n, e in before.items() if n in there or "hidden" not in (e.get("modifiers") or ())}
    after = {
        number: element
        for number, element in there.items()
        # What was there but not shown is not new; what is not asked for stays as it was.
        if number in before or (number in wanted and number >= seen.below)
    }
    return before, {n: e if n in wanted else before[n] for n, e in after.items()}


def _request(command: Observe, limit: int) -> dict[str, Any]:
    # Also where the line is minimal: what changes later is measured from these.
    fields = list(OBSERVE_FIELDS)
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
