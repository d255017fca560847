"""Events of pages that no command has waited for: dialogs that were answered by themselves, downloads.

An answer reports each event once. One that a command has not caused, because it came before the command or while it
only looked, is under `# meanwhile`."""

from __future__ import annotations

import weakref
from typing import TYPE_CHECKING

from oryn.engine.output.effects import dialog_change
from oryn.engine.page.downloads import report_downloads
from oryn.errors import OrynError

if TYPE_CHECKING:
    from oryn.browsers.base import Page
    from oryn.engine.output.answer import Answer
    from oryn.engine.output.changes import PageChange
    from oryn.engine.page.context import PageContext


class EventReport:
    """Which events the answers of one session have not reported yet."""

    def __init__(self, context: PageContext) -> None:
        self._context = context
        self._entered: weakref.WeakSet[Page] = weakref.WeakSet()
        """The pages that a command was about."""
        self._earlier: list[PageChange] = []
        self._page: Page | None = None
        self._has_begun = False

    def begin(self) -> None:
        """A command begins: what has happened before is no effect of it."""
        self._has_begun, context = True, self._context
        context.earlier_downloads.update(each.id for each in context.browser.downloads())
        self._page = page = self._present()
        if page is None:
            return
        found = page.take_dialogs()
        if page in self._entered:  # otherwise another session may have had it before
            self._earlier += map(dialog_change, found)
        self._entered.add(page)

    def complete(self, answer: Answer, *, acts: bool) -> None:
        """Add to the answer of a command what it does not report yet; nothing for one that needed no browser. `acts`:
        the command may have caused events."""
        if not self._has_begun:
            return
        self._has_begun = False
        context, page = self._context, self._present()
        is_causing = acts and (page is self._page or page not in self._entered)
        late: list[PageChange] = []
        if page is not None:
            self._entered.add(page)
            reported = [change.data for change in answer.changes]
            found = [dialog_change(dialog) for dialog in page.take_dialogs() if answer.ok or dialog.answer]
            (answer.changes if is_causing else late).extend(each for each in found if each.data not in reported)
        downloads = [each for each in context.browser.downloads() if each.id in context.earlier_downloads]
        changed, notes = report_downloads(downloads, context.reported_downloads)
        answer.meanwhile[:0] = [*self._earlier, *late, *changed]
        answer.notes += notes
        self._earlier = []

    def _present(self) -> Page | None:
        try:
            return self._context.page
        except OrynError:  # there is no tab
            return None
