"""`vitals` (docs/spec/scanner-protocol.md#vitals): how fast the page was, and how steady, as web-vitals measures it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from oryn.core.text_safety import quoted
from oryn.engine.handlers.registry import handles
from oryn.engine.output.answer import Answer
from oryn.engine.page.context import require_no_dialog
from oryn.engine.page.scanner import query_scanner
from oryn.errors import AuditFailed
from oryn.language import Vitals

if TYPE_CHECKING:
    from oryn.engine.page.context import PageContext
    from oryn.scanner.protocol import VitalData, VitalName, VitalsResponse

NAMES: tuple[VitalName, ...] = ("LCP", "CLS", "INP", "FCP", "TTFB")
"""In the order of the answer: the Core Web Vitals first."""

RATINGS = ("poor", "needs-improvement", "good")
"""The worst first (https://web.dev/articles/vitals)."""

LATE = "the page had begun before Oryn saw it: short interactions of that time are missing"


@handles(Vitals)
async def vitals(context: PageContext, command: Vitals) -> Answer:
    require_no_dialog(context)
    page, index = context.enter_page(), context.element_index
    if index.elements is None:
        await index.refresh(page, context.frame, timeout=context.deadline.remaining())
    await page.load_library("vitals", timeout=context.deadline.remaining())
    found: VitalsResponse = await query_scanner(
        page, {"cmd": "vitals", "next_id": index.next_id}, None, context.deadline.remaining()
    )
    index.next_id = found["next_id"]
    index.mark_reported([each["id"] for each in found["metrics"] if each["id"] is not None])
    metrics = {each["name"]: each for each in found["metrics"]}
    missing = {name: _reason(name, found) for name in NAMES if name not in metrics}
    lines = []
    for name in NAMES:
        lines += _lines(metrics[name], full=command.full) if name in metrics else [f"{name} {missing[name]}"]
    data = {"metrics": [metrics[name] for name in NAMES if name in metrics], "missing": missing}
    answer = Answer(lines=lines, data=data, notes=[LATE] if found["late"] else [])
    if failures := _failures(command, metrics, missing):
        answer.error = AuditFailed("; ".join(failures))
    return answer


def _reason(name: VitalName, found: VitalsResponse) -> str:
    """Why a metric has no value."""
    if name in found["unsupported"]:
        return "not measured: this browser does not report it"
    if name == "INP":
        return "not measured: nothing was pressed or typed yet"
    if found["hidden"]:
        return "not measured: the page was loaded in the background"
    return "not measured yet"


def _failures(command: Vitals, metrics: dict[VitalName, VitalData], missing: dict[VitalName, str]) -> list[str]:
    """What breaks a limit. A limit of a metric without a value is broken: nobody knows whether it is kept."""
    limits: dict[VitalName, float | None] = {
        "LCP": command.max_lcp,
        "CLS": command.max_cls,
        "INP": command.max_inp,
        "FCP": command.max_fcp,
        "TTFB": command.max_ttfb,
    }
    bad = RATINGS[: RATINGS.index(command.fail_on) + 1] if command.fail_on else ()
    failures = []
    for name, limit in limits.items():
        metric = metrics.get(name)
        if metric is None:
            if limit is not None:
                failures.append(f"{name} is {missing[name]}")
        elif limit is not None and metric["value"] > limit:
            failures.append(f"{name} is {_value(name, metric['value'])}, above {_value(name, limit)}")
        elif metric["rating"] in bad:
            failures.append(f"{name} is {_rating(metric)}: {_value(name, metric['value'])}")
    return failures


def _lines(metric: VitalData, *, full: bool) -> list[str]:
    """`LCP 1240 ms good [12] "<img …"`, and with `full` what the time consists of."""
    words = [metric["name"], _value(metric["name"], metric["value"]), _rating(metric)]
    if metric["interaction"]:
        words.append(metric["interaction"])
    if metric["id"] is not None:
        words.append(f"[{metric['id']}]")
    if metric["element"]:
        words.append(quoted(metric["element"]))
    lines = [" ".join(words)]
    if full and metric["parts"]:
        lines.append("  " + ", ".join(f"{name} {value:.0f} ms" for name, value in metric["parts"].items()))
    return lines


def _rating(metric: VitalData) -> str:
    return metric["rating"].replace("-", " ")


def _value(name: VitalName, value: float) -> str:
    return f"{value:.3f}" if name == "CLS" else f"{value:.0f} ms"
