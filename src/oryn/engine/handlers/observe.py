"""`observe`, `html`, `text`, `title`."""

from __future__ import annotations

from collections.abc import Collection
from typing import TYPE_CHECKING, Any

from oryn.core.text_safety import quoted
from oryn.engine.handlers.pointer import scroll_text
from oryn.engine.handlers.registry import handles
from oryn.engine.output import changes, elements
from oryn.engine.output.answer import Answer, Observation
from oryn.engine.output.effects import error_page_notes
from oryn.engine.output.excerpt import excerpt
from oryn.engine.page.context import page_info, query_element, require_no_dialog
from oryn.engine.page.element_index import AgentKnowledge
from oryn.engine.page.resolve import resolve
from oryn.engine.page.scanner import Resolved, query_scanner
from oryn.errors import ElementNotFound
from oryn.language import Html, Observe, ReadText, Title
from oryn.scanner import OBSERVE_FIELDS

if TYPE_CHECKING:
    from oryn.engine.output.elements import Element
    from oryn.engine.page.context import PageContext
    from oryn.scanner.protocol import (
        ElementField,
        GetHtmlRequest,
        GetHtmlResponse,
        GetTextRequest,
        GetTextResponse,
        PageResponse,
        ScanRequest,
    )


@handles(Observe)
async def observe(context: PageContext, command: Observe) -> Answer:
    require_no_dialog(context)
    limit = context.options.observe_limit if command.limit is None else command.limit
    index = context.element_index
    context.enter_page()
    container = None
    if command.within is not None:
        container = await resolve(context, command.within, "observe", strict=command.strict)
    if command.diff and index.knowledge is not None:
        return await _difference(context, command, container, index.knowledge, limit)
    request: ScanRequest = {
        **_request(command, container, limit),
        "folded": True,
        "overview": _is_overview(command),
    }
    scan = await index.scan(context.page, context.frame, request, timeout=context.deadline.remaining())
    if command.near is not None and not scan.elements:
        raise ElementNotFound(f"nothing near {quoted(command.near)}", "Run 'text' to see what the page says.")
    await context.page.tools.refresh(timeout=context.deadline.remaining())
    index.mark_reported([number for table in scan.overview.tables for number in table.elements])
    index.record_observation(scan.elements, narrowed=command.narrows)
    # Changes can't be compared with a scan of a part of the page, or an incomplete one.
    partial = command.narrows or command.hidden or scan.total > len(scan.elements)
    # What is in a folded panel is listed but not there yet: an action that unfolds it reports it as new.
    visible = (element for element in scan.elements if "hidden" not in element["modifiers"])
    index.elements = None if partial else {element["id"]: element for element in visible}
    return Answer(
        observation=Observation(
            url=scan.url,
            title=scan.title,
            elements=scan.elements,
            patterns={} if command.minimal else scan.patterns,
            line=None if _is_overview(command) else _line(command),
            overview=scan.overview,
            more=max(0, scan.total - len(scan.elements)),
            viewport=_viewport(scan.page) if command.full and scan.page else None,
            tools=context.page.tools.names(),
        ),
        notes=[*error_page_notes(context.page), *(container.notes if container else ())],
    )


async def _difference(
    context: PageContext, command: Observe, container: Resolved | None, seen: AgentKnowledge, limit: int
) -> Answer:
    """Return the differences from what the agent has seen last. `--viewport`, `--near`, `--within` and `--roles` limit
    the reported elements."""
    index, page = context.element_index, context.page
    request: ScanRequest = {"cmd": "scan", "fields": _fields(command), "max_elements": 0}
    if command.hidden:
        request["include_hidden"] = True
    scan = await index.scan(page, context.frame, request, timeout=context.deadline.remaining())
    there: dict[int, Element] = {element["id"]: element for element in scan.elements}
    wanted: Collection[int] = there
    if command.narrows:
        part: ScanRequest = {**_request(command, container, 0), "fields": [], "include_hidden": False}
        narrowed = await index.scan(page, context.frame, part, timeout=context.deadline.remaining())
        wanted = {element["id"] for element in narrowed.elements}
    if not command.hidden:
        index.elements = there
    found = changes.diff_page(seen.url, index.url, seen.title, index.title)
    before, after = _comparable(seen, there, wanted, command.hidden)
    more_found, more = changes.diff_elements(before, after, limit=limit, line=_line(command))
    found += more_found
    index.record_changes(found)
    if not found:
        return Answer(lines=["nothing changed"], data={"changed": False})
    return Answer(changes=found, more_changes=more)


def _comparable(
    seen: AgentKnowledge, there: dict[int, Element], wanted: Collection[int], hidden: bool
) -> tuple[dict[int, Element], dict[int, Element]]:
    """Return the elements before and now, limited to those that the answer reports."""
    before = dict(seen.elements)
    if not hidden:
        before = {n: e for n, e in before.items() if n in there or "hidden" not in (e.get("modifiers") or ())}
    after = {
        number: element
        for number, element in there.items()
        # An element that existed but was not reported is not new; unwanted elements stay unchanged.
        if number in before or (number in wanted and number >= seen.below)
    }
    return before, {n: e if n in wanted else before[n] for n, e in after.items()}


def _fields(command: Observe) -> list[ElementField]:
    # A minimal line needs all fields too, because later changes are compared with them.
    fields = [*OBSERVE_FIELDS, *(() if command.minimal else ("context",))]
    if command.full:
        fields += ["selector", "attributes", "rect"]
    elif command.positions:
        fields.append("rect")
    return fields


def _request(command: Observe, container: Resolved | None, limit: int) -> ScanRequest:
    request: ScanRequest = {"cmd": "scan", "fields": _fields(command), "max_elements": limit}
    if command.hidden:
        request["include_hidden"] = True
    if command.viewport:
        request["viewport_only"] = True
    if command.near is not None:
        request["near"] = command.near
    if container is not None:
        request["container"] = container.id
    if command.roles:
        request["roles"] = command.roles
    return request


def _line(command: Observe) -> Any:
    if command.full:
        return elements.full_line
    if command.minimal:
        return elements.minimal_line
    if command.positions:
        return lambda element: elements.line(element, positions=True)
    return elements.line


def _is_overview(command: Observe) -> bool:
    """Whether the whole page is wanted, of each element no more than what it is."""
    return not (command.full or command.minimal or command.positions or command.narrows)


def _viewport(page: PageResponse) -> str:
    size = page["viewport"]
    return f"{size['width']}x{size['height']} {scroll_text(page['scroll'])}"


@handles(Html)
async def html(context: PageContext, command: Html) -> Answer:
    require_no_dialog(context)
    request: GetHtmlRequest = {"cmd": "get_html", "selector": command.selector}
    data: GetHtmlResponse = await query_scanner(context.page, request, context.frame, context.deadline.remaining())
    return Answer(block=data["html"])


@handles(ReadText)
async def text(context: PageContext, command: ReadText) -> Answer:
    require_no_dialog(context)
    if command.target is not None:
        target = await resolve(context, command.target, "text", strict=command.strict)
        data: GetTextResponse = await query_element(context, target, {"cmd": "get_text"})
        part, notes = excerpt(data["text"], command)
        return Answer(block=part, notes=[*target.notes, *notes])
    request: GetTextRequest = {"cmd": "get_text", "selector": command.selector}
    data = await query_scanner(context.page, request, context.frame, context.deadline.remaining())
    texts = [data["text"]]
    if command.selector is None:
        texts += await _texts_of_frames(context)
    part, notes = excerpt("\n".join(filter(None, texts)), command)
    return Answer(block=part, notes=notes)


async def _texts_of_frames(context: PageContext) -> list[str]:
    """Return the texts of the cross-origin frames, in page order; a page's text includes that of its frames."""
    texts = []
    for frame in context.page.roots(context.frame)[1:]:
        data: GetTextResponse = await query_scanner(
            context.page, {"cmd": "get_text", "selector": None}, frame, context.deadline.remaining()
        )
        texts.append(data["text"])
    return texts


@handles(Title)
async def title(context: PageContext, command: Title) -> Answer:
    require_no_dialog(context)
    _, found = await page_info(context)
    return Answer(lines=[quoted(found)], data=found)
