"""An action on a page: records the page's state before it, and reports what it changed."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Awaitable, Mapping, Sequence, Set
from contextlib import suppress
from typing import TYPE_CHECKING, Literal
from urllib.parse import urlsplit

from oryn import errors
from oryn.browsers.base import Checkpoint, Page, PageEffects
from oryn.engine.output import changes
from oryn.engine.output.answer import Answer
from oryn.engine.output.changes import PageChange
from oryn.engine.output.effects import effect_notes, event_changes
from oryn.engine.output.elements import HIGHLIGHT_MODIFIERS, Element, signature
from oryn.engine.output.target_description import describe_element
from oryn.engine.page.actionability import RECHECK_SECONDS
from oryn.engine.page.context import page_info
from oryn.engine.page.downloads import report_new_downloads
from oryn.engine.page.failures import failure_notes
from oryn.engine.page.grace import ActKind
from oryn.engine.page.polling import NOTHING_YET, wait_for_change, wait_for_content
from oryn.engine.page.resolve import Approach, HitPlace, approach, resolve
from oryn.engine.page.scanner import Resolved
from oryn.engine.page.text_changes import (
    TextDifference,
    changed_texts,
    elements_of_feeds,
    raised_elements,
    report_texts,
    watch_texts,
)
from oryn.engine.postcondition import Postcondition, Repetition, Verdict, verify
from oryn.language import Target

if TYPE_CHECKING:
    from oryn.engine.page.context import PageContext
    from oryn.scanner.protocol import LocateParameters, TextChange

InputKind = Literal["entry", "press"]
"""What an action does to its subject: it gives a field a value without `Enter`, or it presses or points there."""

NOTHING_CHANGED = "nothing changed"
MESSAGE_SECONDS = 1.5
"""Maximum wait, in seconds from the action on, for the answer to a message that the page has sent over a web socket.
Not every message has one."""
MESSAGE_STEP_SECONDS = 0.1
TIMER_SECONDS = 0.01
"""How much later than it should a page's timer may fire that is as long as the grace period."""
BUSY_SECONDS = 1.0
"""How much longer a page is waited for that is too busy to run its timers in time."""
STEP_SECONDS = 0.2
"""How long the next step of a reaction that did not come at once is waited for."""
MAX_STEPS_SECONDS = 1.5
"""Maximum wait, in seconds from the action on, for further steps."""
NOTHING_HEARS = ActKind(False, "")
"""Of an action that no script hears of."""
MAX_MEANWHILE_LINES = 12
"""Maximum number of element lines about what happened between two commands."""


class Action:
    """The state of a page before an action, and the report of what the action changed.

    action = await Action.begin(context)
    await context.page.keyboard.press(["enter"])
    return await action.report()"""

    def __init__(
        self,
        context: PageContext,
        page: Page,
        subject: int | None = None,
        *,
        enters: bool = False,
        reacts: bool = True,
        checkpoint: Checkpoint | None = None,
    ) -> None:
        self.context = context
        self.page = page
        self.element_index = context.element_index
        self.subject = subject
        self.enters = enters
        self.reacts = reacts
        self.edits = False
        self.input: InputKind | None = None
        self._listeners: asyncio.Future[str | None] | None = None
        self.checkpoint = checkpoint or self.page.checkpoint()
        self.url = self.page.url
        self.document = self.page.document
        self.title = self.element_index.title
        self.before: dict[int, Element] = self.element_index.elements or {}
        self.meanwhile: list[PageChange] = []
        self.visible_texts: list[str] | None = None
        self.downloads: list[PageChange] = []
        self.download_notes: list[str] = []
        self.expects: Sequence[Postcondition] = ()
        self.verdicts: list[Verdict] = []
        self.fulfilled: list[Postcondition] = []
        """The postconditions that have held at some time: if they don't any more, the page has taken the act back."""
        self.found: Sequence[PageChange] = ()
        """What the page has changed, when it was last looked at."""
        self.is_busy = False
        """Whether the page was not yet quiet when waiting for it ended last."""
        self.began_at = time.time()
        self._looked_at = 0.0
        """When the page was looked at last, of the loop's clock: the answer may have come later."""

    @classmethod
    async def begin_on(
        cls,
        context: PageContext,
        target: Target,
        verb: str,
        *,
        strict: bool = False,
        enters: bool = False,
        input: InputKind | None = None,
        locate: LocateParameters | None = None,
    ) -> tuple[Action, Resolved, HitPlace | None]:
        """Find the action's target, waiting for it, and `begin`; in one round trip if possible.

        locate: the parameters of the scanner's `locate`, to locate the target too.
        Return also the place of the element, or None if it was not located. Raises `ElementNotFound`, `Ambiguous`."""
        approached = await approach(context, target, verb, locate=locate, strict=strict)
        found = approached.matches if approached else None
        resolved = await resolve(context, target, verb, strict=strict, wait=True, found=found)
        if approached is None or approached.watched is None:
            return await cls.begin(context, resolved.id, enters=enters, input=input), resolved, None
        action = await cls.begin(context, resolved.id, enters=enters, input=input, approached=approached)
        return action, resolved, await approached.place_of(resolved, context)

    @classmethod
    async def begin(
        cls,
        context: PageContext,
        subject: int | None = None,
        *,
        enters: bool = False,
        reacts: bool = True,
        input: InputKind | None = None,
        approached: Approach | None = None,
    ) -> Action:
        """Record the page's state; scan it unless its last scan still holds.

        subject: the number of the element that is acted on. Its change is the first of the report.
        enters: the action itself changes the value or state of the subject, so that change is no reaction of the page.
        reacts: the page is expected to react. If it doesn't, the report waits for the first sign of a reaction
            (`Options.settle_grace`; longer if the page has sent a message over a web socket that is not answered yet),
            and says so if none comes.
        input: the only input that the action gives the page, at the subject; what hears of that is asked then.
        approached: what one request has found out already.
        """
        page, index, frame = context.enter_page(), context.element_index, context.frame
        former, url, title = index.elements, index.url, index.title
        if approached is None or approached.watched is None:
            since = await watch_texts(page, frame, acting=reacts, timeout=context.deadline.remaining())
        else:
            since = TextDifference()
            since.add_watched(approached.watched)
        meanwhile: list[PageChange] = []
        if former is None:
            await index.refresh(page, frame, timeout=context.deadline.remaining())
        elif since.mutated:
            now = await index.refresh(page, frame, timeout=context.deadline.remaining())
            meanwhile = changes.diff_page(url, index.url, title, index.title)
            feeds = await _feeds(context, page, former, now) if since.feeding else set()
            limit = MAX_MEANWHILE_LINES
            meanwhile += _differences(former, now, since.texts, departed=index.departed, feeds=feeds, limit=limit)[0]
            index.record_changes(meanwhile)
        # What locating the target has caused is an effect, too.
        checkpoint = None if approached is None or since.mutated else approached.checkpoint
        action = cls(context, page, subject, enters=enters, reacts=reacts, checkpoint=checkpoint)
        action.meanwhile = meanwhile
        action.input = input
        if meanwhile:
            context.grace_periods.record_meanwhile()
        if enters:
            action._ask_for_listeners()
        action.visible_texts = since.visible_texts
        return action

    def edits_focused_field(self) -> None:
        """It presses a key that may change what the text field with the focus holds: no reaction of the page."""
        for number, element in self.before.items():
            if changes.is_focused_field(element):
                self.subject, self.edits = number, True

    async def report(
        self,
        notes: Sequence[str] = (),
        effects: PageEffects | None = None,
        *,
        expects: Sequence[Postcondition] = (),
        again: Repetition | None = None,
        error: errors.OrynError | None = None,
    ) -> Answer:
        """Wait until the effects of the action have ended, scan again, and report the differences.

        effects: the effects that the caller has already waited for; this method doesn't wait then.
        expects: what must be true when the page has settled. If it isn't and time does not mend it, the answer is the
            error `NOT_DONE`, and still reports the differences.
        again: called with what does not hold, until it has acted once more: `postcondition.repeating`.
        error: the error of an act that had begun already; the answer reports what it has changed."""
        self.expects = expects
        began = asyncio.get_running_loop().time()
        has_settled = effects is not None
        if effects is None:
            effects = await self._settle(unheard=self._listeners is not None and await self._path_listeners() == "")
        answer = await self._describe(notes, effects)
        if error is None and again is not None and any(verdict.asks_again for verdict in self._unmet):
            answer, has_acted, error = await self._repeat(again, notes, answer)
            if has_acted:
                began, again = asyncio.get_running_loop().time(), None
        if self.reacts and not has_settled:
            if not self._has_reaction(answer):
                answer = await self._await_reaction(answer, notes, effects, began)
            elif not self.enters and not self.edits and changes.is_unfinished_removal(answer.changes):
                answer = await self._await_steps(answer, notes, began)
            if any(each.lasts for each in expects) and not self._unmet:
                answer = await self._await_reversal(answer, notes, effects, began)
        if error is None and self._unmet:
            answer, error = await self._await_postconditions(answer, notes, began, again)
        answer.meanwhile = self.meanwhile
        answer.error = error
        if self.subject is not None and (target := describe_element(self.before, self.subject, self.url)):
            answer.targets = {"target": target}
        if error is None and self.reacts and not self.enters and not answer.changes and not answer.notes:
            answer.notes += [NOTHING_CHANGED, *failure_notes(self.context, self.began_at)]
        return answer

    @property
    def _unmet(self) -> list[Verdict]:
        """The postconditions that don't hold, without those of a press that the page has answered otherwise."""
        now = self.element_index.elements or {}
        unmet = []
        for verdict in self.verdicts:
            number = verdict.postcondition.target.id
            subject = self.before.get(number), now.get(number)
            if verdict.is_unmet and not verdict.is_answered(self.found, subject):
                unmet.append(verdict)
        return unmet

    async def _repeat(
        self, again: Repetition, notes: Sequence[str], answer: Answer
    ) -> tuple[Answer, bool, errors.OrynError | None]:
        """Act once more if `again` does, and describe the page then. Return also whether it did, and the error if it
        could not."""
        unmet = [verdict for verdict in self._unmet if verdict.postcondition not in self.fulfilled]
        try:
            if not unmet or not await again(unmet):
                return answer, False, None
        except errors.TargetError as refusal:
            return answer, True, errors.NotDone(f"{unmet[0].error.message}; then: {refusal.message}", refusal.hint)
        return await self._describe(notes, await self._settle()), True, None

    async def _await_postconditions(
        self, answer: Answer, notes: Sequence[str], began: float, again: Repetition | None
    ) -> tuple[Answer, errors.OrynError | None]:
        """Wait until the postconditions hold, within the time that each leaves the page, and describe it then. Return
        also the error of the first that does not hold."""
        loop = asyncio.get_running_loop()
        has_changed = False
        while unmet := self._unmet:
            if again is not None:
                answer, has_acted, error = await self._repeat(again, notes, answer)
                if error is not None:
                    return answer, error
                if has_acted:
                    again, began = None, loop.time()
                    continue
            patience = max(verdict.postcondition.patience for verdict in unmet)
            if patience and (self.is_busy or any(verdict.response.get("pending") for verdict in unmet)):
                patience = self.context.options.action_wait
            left = min(began + patience - loop.time(), self.context.deadline.remaining() - RECHECK_SECONDS)
            if left <= 0:
                if has_changed:
                    answer = await self._describe(notes, await self._settle())
                break
            with suppress(errors.DialogOpen, errors.PageError):  # what is true then is described
                has_changed |= await wait_for_change(self.context, min(left, RECHECK_SECONDS))
            if await self._verify() != self.verdicts:
                has_changed = False
                answer = await self._describe(notes, await self._settle())
        return answer, next((verdict.error for verdict in self._unmet), None)

    async def _verify(self) -> list[Verdict]:
        """Ask the page whether the postconditions hold; of another document, or of one that waits for the answer to a
        dialog, nothing is claimed."""
        page = self.context.page
        if page is not self.page or page.document != self.document or page.dialog is not None:
            return []
        verdicts = list(await asyncio.gather(*(verify(self.context, each) for each in self.expects)))
        self.fulfilled += [each.postcondition for each in verdicts if each.response["holds"]]
        return verdicts

    async def _await_reversal(self, answer: Answer, notes: Sequence[str], effects: PageEffects, began: float) -> Answer:
        """Wait until the grace period is over, and describe the page again if it has taken back what holds."""
        kind = await self._kind()
        end = began + self._grace_period(kind, effects)
        loop = asyncio.get_running_loop()
        while (left := end - loop.time()) > 0:
            try:
                await wait_for_change(self.context, left)  # a field's value changes without a sign
                if await self._verify() != self.verdicts:
                    self.context.grace_periods.record(kind, late=True)
                    return await self._describe(notes, await self._settle())
            except (errors.DialogOpen, errors.PageError):  # it leads elsewhere, which is described
                return await self._describe(notes, await self._settle())
        return answer

    async def _await_reaction(self, answer: Answer, notes: Sequence[str], effects: PageEffects, began: float) -> Answer:
        """Wait until the page has reacted, and describe that, or until the time for it is over and the page has been
        looked at since. `began`: when the action had been done, of the loop's clock."""
        kind = await self._kind()
        grace = self._grace_period(kind, effects)
        loop = asyncio.get_running_loop()
        deadline = began + grace + (TIMER_SECONDS if grace else 0)
        first, is_awaiting = answer, self.page.awaits_message(self.checkpoint)
        while not self._has_reaction(answer):
            is_over = self._looked_at >= deadline and not is_awaiting
            if is_over and not self.page.has_effects(self.checkpoint):
                break
            has_sign = await self._wait_for_reaction(deadline)
            was_awaiting, is_awaiting = is_awaiting, self.page.awaits_message(self.checkpoint)
            has_sign = has_sign or (was_awaiting and not is_awaiting)
            if has_sign:
                effects = await self._settle()
                answer = await self._describe(notes, effects)
            if is_awaiting and loop.time() < began + MESSAGE_SECONDS:
                deadline = max(deadline, loop.time() + MESSAGE_STEP_SECONDS)
            elif is_over:
                break
            elif not has_sign:
                answer = await self._describe_again(answer, notes, effects)
                break
        if grace and grace == self.context.options.settle_grace:
            self.context.grace_periods.record(kind, late=answer.changes != first.changes)
        return await self._await_steps(answer, notes, began) if self._has_reaction(answer) else answer

    def _ask_for_listeners(self) -> None:
        """Ask what listens to the events of the action, while it goes on."""
        if self.subject is None or self.input is None or self._listeners is not None:
            return
        frame, left = self.element_index.frames.get(self.subject, self.context.frame), self.context.deadline.remaining()
        query = self.page.path_listeners(self.subject, frame, pressed=self.input == "press", timeout=left)
        self._listeners = asyncio.ensure_future(query)

    async def _path_listeners(self) -> str | None:
        self._ask_for_listeners()
        return None if self._listeners is None else await self._listeners

    async def _kind(self) -> ActKind:
        listeners = await self._path_listeners()
        if listeners is not None:
            return ActKind(self.enters, listeners) if listeners else NOTHING_HEARS
        element = self.before.get(self.subject) if self.subject is not None else None
        return ActKind(self.enters, element["type"] if element else "", names_listeners=False)

    def _grace_period(self, kind: ActKind, effects: PageEffects) -> float:
        if kind is NOTHING_HEARS:
            return 0
        periods, longest = self.context.grace_periods, self.context.options.settle_grace
        return periods.period(kind, self._pending(effects), longest)

    def _pending(self, effects: PageEffects) -> bool | None:
        """Whether something is still to come. Nothing tells of what a frame of another origin has put off."""
        is_alone = len(self.page.roots()) == 1
        return effects.pending if is_alone or effects.pending else None

    async def _describe_again(self, answer: Answer, notes: Sequence[str], effects: PageEffects) -> Answer:
        """Describe the page once more after a wait without a sign of change, which some changes don't give: a field's
        value, a style rule, a shadow root. The answer stays as it is if the page is too busy to be scanned."""
        try:
            async with asyncio.timeout(BUSY_SECONDS):
                return await self._describe(notes, effects)
        except (TimeoutError, errors.Timeout):
            return answer
        except errors.PageError:  # it has reacted just now, with a dialog
            return await self._describe(notes, await self._settle())

    async def _await_steps(self, answer: Answer, notes: Sequence[str], began: float) -> Answer:
        """Wait for further steps of a reaction: timers often lead to further timers, a message, then the rows."""
        loop = asyncio.get_running_loop()
        while loop.time() < began + MAX_STEPS_SECONDS and await self._wait_for_reaction(loop.time() + STEP_SECONDS):
            before, answer = answer, await self._describe(notes, await self._settle())
            if answer.changes == before.changes:
                break
        return answer

    def _settle(self, *, unheard: bool = False) -> Awaitable[PageEffects]:
        limit = min(self.context.options.settle_limit, self.context.deadline.remaining())
        return self.page.settle(self.checkpoint, limit=limit, unheard=unheard)

    def _has_reaction(self, answer: Answer) -> bool:
        """Whether the answer reports anything besides what the action itself has entered or highlighted."""
        if self.page.dialog is not None or self.page is not self.context.page:
            return True
        others = [change for change in answer.changes if not changes.is_about(change, self.subject)]
        # An application changes its address first, and shows what belongs there when it has it.
        kinds = {change.data["change"] for change in others}
        if kinds and ("url" not in kinds or not kinds <= {"url", "title"}):
            return True
        return len(others) < len(answer.changes) and not (self.enters or self.edits or self._has_only_begun())

    def _has_only_begun(self) -> bool:
        """Whether the subject differs by nothing but what a page sets before it does what the action leads to: it is
        highlighted, or expanded with nothing in it yet."""
        if self.subject is None or not self.element_index.elements:
            return False
        before, after = self.before.get(self.subject), self.element_index.elements.get(self.subject)
        if before is None or after is None:
            return False
        is_expanded = "expanded" in (after.get("modifiers") or ())
        ignored = HIGHLIGHT_MODIFIERS | ({"expanded", "collapsed"} if is_expanded else set())
        return signature(before, ignored) == signature(after, ignored)

    async def _wait_for_reaction(self, deadline: float) -> bool:
        """Wait for the first sign of a reaction until `deadline` (of the loop's clock). Return whether there is any."""
        command_left = self.context.deadline.remaining()
        left = min(max(0, deadline - asyncio.get_running_loop().time()), command_left)
        late = min(BUSY_SECONDS, command_left - left)
        try:
            has_changed = await wait_for_change(self.context, left, since_report=True, late=late)
        except (errors.DialogOpen, errors.PageError):
            return True
        return has_changed or self.page.has_effects(self.checkpoint)

    async def _describe(self, notes: Sequence[str], effects: PageEffects) -> Answer:
        """Report what has happened so far; of the next document if the page leaves this one meanwhile."""
        try:
            return await self._describe_page(notes, effects)
        except errors.NavigationError:
            return await self._describe_page(notes, await self._settle())

    async def _describe_page(self, notes: Sequence[str], effects: PageEffects) -> Answer:
        self._looked_at = asyncio.get_running_loop().time()
        self.verdicts, self.is_busy = [], effects.busy is not None
        answer = Answer(notes=[*notes, *effect_notes(effects)])
        answer.changes += event_changes(effects)
        if self.context.browser.downloads():
            found, saved = await report_new_downloads(self.context)
            self.downloads += found
            self.download_notes += saved
        answer.changes += self.downloads
        answer.notes += self.download_notes
        if effects.closed:
            self.context.frame = None
            answer.changes.append(PageChange("-", "tab", {"change": "tab_closed"}))
        page = self.context.page
        if page.dialog is None:
            try:
                await self._compare(answer, page)
            except errors.ScannerFailed as error:  # the action is done: an error would make the agent repeat it
                answer.notes.append(f"it is done, but what has changed can't be read: {error.message}")
        self.found = answer.changes
        return answer

    async def _compare(self, answer: Answer, page: Page) -> None:
        context, index = self.context, self.element_index
        acting = max(context.options.settle_grace, STEP_SECONDS) if self.reacts else 0
        index.enter(page)
        if index.document != self.document or page is not self.page:
            context.frame = None
            if not await wait_for_content(context):
                answer.notes += [NOTHING_YET, *failure_notes(context, self.began_at)]
            info = await page_info(context)
            moved = [changes.page_changed(*info)]
            # Whether the tab shows the same address again, but for the query and the fragment.
            is_same_place = page is self.page and urlsplit(info[0])[:3] == urlsplit(self.url)[:3]
            former = self.visible_texts if is_same_place else None
            since = await changed_texts(page, None, acting=acting, former=former, timeout=context.deadline.remaining())
            answer.changes[:0] = [*moved, *report_texts(since.texts, moved, is_other=False)[0]]
            return
        left = context.deadline.remaining()
        after, since, self.verdicts = await asyncio.gather(  # one after the other in the page, in one round trip
            index.refresh(page, context.frame, timeout=left),
            changed_texts(page, context.frame, acting=acting, timeout=left),
            self._verify(),
        )
        feeds = await _feeds(context, page, self.before, after, self.subject) if since.feeding else set()
        raised = await raised_elements(page, context.frame, self.before, after, timeout=left)
        found, answer.more_changes = _differences(
            self.before, after, since.texts, departed=index.departed, subject=self.subject, feeds=feeds, raised=raised
        )
        found[:0] = changes.diff_page(self.url, page.url, self.title, index.title)
        index.record_changes(found)
        answer.changes += found


def _differences(
    before: Mapping[int, Element],
    after: Mapping[int, Element],
    texts: Sequence[TextChange],
    *,
    departed: Mapping[int, Element],
    subject: int | None = None,
    feeds: Set[int] = frozenset(),
    raised: Sequence[int] = (),
    limit: int = changes.MAX_CHANGE_LINES,
) -> tuple[list[PageChange], int]:
    """Return the changes of elements and texts: the subject's own first, then texts, then other elements, those of
    `raised` first; and how many exceed the limits. Elements of `feeds` are left out; those of `departed` that are back
    as they were are one line."""
    found, _ = changes.diff_elements(before, after, limit=0)
    found += changes.moved_focus(before, after, subject)
    if feeds:
        found = [change for change in found if change.data["element"]["id"] not in feeds]
    own = [change for change in found if changes.is_about(change, subject)]
    others = [change for change in found if not changes.is_about(change, subject)]
    changed_texts, more = report_texts(texts, found, is_other=bool(others))
    others = changes.merge_replaced(changes.raised_first(changes.returned_together(others, departed), raised))
    listed, left_out = changes.limit_changes(others, max(0, limit - len(own)))
    return [*own, *changed_texts, *listed], more + left_out


async def _feeds(
    context: PageContext,
    page: Page,
    before: Mapping[int, Element],
    after: Mapping[int, Element],
    subject: int | None = None,
) -> set[int]:
    left = context.deadline.remaining()
    return await elements_of_feeds(page, context.frame, before, after, subject=subject, timeout=left)
