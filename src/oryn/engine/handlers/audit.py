"""`audit accessibility` (docs/spec/scanner-protocol.md#audit): what axe-core finds in every frame and shadow root."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING, Any

from oryn.core.text_safety import quoted
from oryn.engine.handlers.registry import handles
from oryn.engine.output.answer import Answer
from oryn.engine.page.context import require_no_dialog
from oryn.engine.page.scanner import FRAME_GONE, query_scanner
from oryn.errors import AuditFailed
from oryn.language import AuditAccessibility

if TYPE_CHECKING:
    from oryn.browsers.base import Frame
    from oryn.engine.page.context import PageContext
    from oryn.scanner.protocol import (
        AuditElementsResponse,
        AuditFinding,
        AuditOptions,
        AuditReportResponse,
        AuditResponse,
    )

IMPACTS = ("critical", "serious", "moderate", "minor")
"""The gravest first."""

MAX_NUMBERS = 12
"""Numbers of elements that the line of a rule has."""


@handles(AuditAccessibility)
async def audit_accessibility(context: PageContext, command: AuditAccessibility) -> Answer:
    require_no_dialog(context)
    page, index = context.enter_page(), context.element_index
    if index.elements is None:
        await index.refresh(page, context.frame, timeout=context.deadline.remaining())
    audit = _Audit(context, {"tags": list(command.tags or ()), "without": list(command.without or ())})
    await audit.load()
    await audit.run(context.frame)
    report = await audit.report()
    rules = sorted(await audit.rules(report["violations"]), key=lambda each: IMPACTS.index(each["impact"]))
    review = await audit.rules(report["incomplete"])
    lines = [_summary(rules, review)]
    for rule in rules:
        lines += _lines(rule, full=command.full)
    answer = Answer(lines=lines, data={"rules": rules, "review": review}, notes=audit.notes)
    if command.fail_on is not None:
        grave = IMPACTS[: IMPACTS.index(command.fail_on) + 1]
        if failing := [rule for rule in rules if rule["impact"] in grave]:
            answer.error = AuditFailed(f"{_counted(failing)} that are at least {command.fail_on}")
    return answer


class _Audit:
    """One run of axe over the frames of a page."""

    def __init__(self, context: PageContext, options: AuditOptions) -> None:
        self._context = context
        self._options = options
        self._results: list[Any] = []
        self.notes: list[str] = []

    async def load(self) -> None:
        """Load axe into the document of every frame. Raises `NotSupported`."""
        page = self._context.page
        for frame in page.frames():
            try:
                await page.load_library("axe", frame, timeout=self._context.deadline.remaining())
            except FRAME_GONE:
                continue

    async def run(self, frame: Frame | None, part_of: Any = None) -> None:
        """Audit the documents of a frame's scanner, then those of the frames of other origins in them."""
        index, page = self._context.element_index, self._context.page
        data: AuditResponse = await query_scanner(
            page,
            {"cmd": "audit", "options": self._options, "context": part_of, "next_id": index.next_id},
            frame,
            self._context.deadline.remaining(),
        )
        index.next_id = data["next_id"]
        for part in data["parts"]:
            if part["result"] is not None or part["frame"] is None:
                self._results.append(part["result"])
                continue
            try:
                await self.run(await page.frame_of(part["frame"], frame), part["context"])
            except FRAME_GONE:
                self._results.append(None)
                self.notes.append(f"frame [{part['frame']}] was not audited: it shows no page")

    async def report(self) -> AuditReportResponse:
        found: AuditReportResponse = await query_scanner(
            self._context.page,
            {"cmd": "audit_report", "options": self._options, "parts": self._results},
            self._context.frame,
            self._context.deadline.remaining(),
        )
        return found

    async def rules(self, findings: list[AuditFinding]) -> list[dict[str, Any]]:
        """Findings as rows of the answer, with the numbers of their elements, which count as reported."""
        paths = [node["path"] for finding in findings for node in finding["nodes"]]
        numbers = iter(await self._numbers(paths, self._context.frame))
        return [
            {
                **{name: finding[name] for name in ("rule", "impact", "help", "url", "tags")},
                "elements": [
                    {"id": next(numbers), "html": node["html"], "problem": node["summary"]} for node in finding["nodes"]
                ],
            }
            for finding in findings
        ]

    async def _numbers(self, paths: list[list[Any]], frame: Frame | None) -> list[int | None]:
        """The numbers of elements, whose paths begin in the documents of a frame's scanner; None for those gone."""
        context = self._context
        index = context.element_index
        data: AuditElementsResponse = await query_scanner(
            context.page,
            {"cmd": "audit_elements", "paths": paths, "next_id": index.next_id},
            frame,
            context.deadline.remaining(),
        )
        index.next_id = data["next_id"]
        places = data["places"]
        numbers = [None if place["rest"] else place["id"] for place in places]
        own = [number for number in numbers if number is not None]
        index.mark_reported(own)
        if frame is not None:
            index.frames.update(dict.fromkeys(own, frame))
        for holder in {place["id"] for place in places if place["rest"] and place["id"] is not None}:
            inside = [at for at, place in enumerate(places) if place["rest"] and place["id"] == holder]
            try:
                inner = await context.page.frame_of(holder, frame)
                found = await self._numbers([places[at]["rest"] for at in inside], inner)
            except FRAME_GONE:
                continue
            for at, number in zip(inside, found, strict=True):
                numbers[at] = number
        return numbers


def _summary(rules: list[dict[str, Any]], review: list[dict[str, Any]]) -> str:
    """`12 findings of 4 rules: 2 critical, 10 serious`"""
    counts = Counter[str]()
    for rule in rules:
        counts[rule["impact"]] += len(rule["elements"])
    text = _counted(rules)
    if rules:
        text += f" of {_number(len(rules), 'rule')}: "
        text += ", ".join(f"{counts[each]} {each}" for each in IMPACTS if counts[each])
    if review:
        total = sum(len(rule["elements"]) for rule in review)
        text += f"; {total} more for a person to judge: {', '.join(rule['rule'] for rule in review)}"
    return text


def _counted(rules: list[dict[str, Any]]) -> str:
    return _number(sum(len(rule["elements"]) for rule in rules), "finding")


def _number(count: int, noun: str) -> str:
    return f"{count or 'no'} {noun}{'' if count == 1 else 's'}"


def _lines(rule: dict[str, Any], *, full: bool) -> list[str]:
    """`serious color-contrast [12] [14]`, and with `full` what is wrong with each of these elements."""
    elements = rule["elements"]
    if full:
        rows = [f"{rule['impact']} {rule['rule']}: {rule['help']}"]
        for each in elements:
            problems = "; ".join(line.strip() for line in each["problem"].splitlines()[1:] if line.strip())
            rows.append(f"  {_place(each)} {quoted(each['html'])}: {problems}")
        return rows
    named = " ".join(_place(each) for each in elements[:MAX_NUMBERS])
    more = f" and {len(elements) - MAX_NUMBERS} more" if len(elements) > MAX_NUMBERS else ""
    return [f"{rule['impact']} {rule['rule']} {named}{more}"]


def _place(element: dict[str, Any]) -> str:
    return "[gone]" if element["id"] is None else f"[{element['id']}]"
