"""What has failed in a page since a command began: an uncaught error of a script, a request that a script has sent.

It is named if the page shows nothing new, or nothing at all, as it may be why."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from oryn.core.text_safety import quoted, shortened
from oryn.engine.output import exchanges
from oryn.errors import NotSupported

if TYPE_CHECKING:
    from oryn.engine.page.context import PageContext

MAX_ERROR_LENGTH = 160
SCRIPTED_REQUESTS = frozenset({"fetch", "xhr"})
"""The kinds of requests that a script of the page sends."""


def failure_notes(context: PageContext, since: float) -> list[str]:
    """Return notes on the latest uncaught error and on the last scripted request that has failed since `since` (seconds
    of the epoch); nothing of what the browser does not report."""
    return [*_script_errors(context, since), *_failed_requests(context, since)]


def _script_errors(context: PageContext, since: float) -> list[str]:
    try:
        found = context.browser.console.errors()
    except NotSupported:
        return []
    if not found or found[-1].time < since:
        return []
    text = shortened(found[-1].text.partition("\n")[0], MAX_ERROR_LENGTH)
    return [f"a script of the page failed: {quoted(text)} (errors)"]


def _failed_requests(context: PageContext, since: float) -> list[str]:
    try:
        found = context.browser.network.exchanges()
    except NotSupported:
        return []
    for each in reversed(found):
        if each.started < since:
            break
        if each.kind in SCRIPTED_REQUESTS and (each.failure is not None or (each.status or 0) >= 400):
            short = replace(each, url=shortened(each.url, MAX_ERROR_LENGTH))
            return [f"a request of the page failed: {exchanges.row(short)} (requests)"]
    return []
