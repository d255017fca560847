"""`LeaseGuard`: keeps a session's commands off the tabs of others, and off numbers that others have changed.

A session that is alone in its browser, and that no person has taken over, passes without a request."""

from __future__ import annotations

from typing import TYPE_CHECKING

from oryn.language import Observe, Snapshot, TabClose

if TYPE_CHECKING:
    from oryn.browsers.base.leases import ForeignAct, LeaseHolder
    from oryn.engine.foreign_changes import ForeignChanges
    from oryn.engine.output.answer import Answer
    from oryn.engine.page.context import PageContext
    from oryn.language import Command


class LeaseGuard:
    """The checks before each command of one session, and what its answer says about them.

    An act on a free tab takes its lease, one on a tab of somebody else is refused. A number is refused if somebody else
    has changed its element, or opened another page, after an answer has shown it. The answer says what has changed, so
    that it is a decision to repeat the command."""

    def __init__(self, context: PageContext) -> None:
        self._context = context
        self._foreign: ForeignChanges | None = None

    def note_foreign_act(self, act: ForeignAct) -> None:
        """Somebody else has used the current page."""
        from oryn.engine.foreign_changes import ForeignChanges

        self._foreign = ForeignChanges(act)

    def begin(self, command: Command, *, person: LeaseHolder | None = None) -> None:
        """A command, or a step of one, begins. `person`: it is one of the person who has taken the session over. Raises
        `TabHeld`."""
        leases = self._context.browser.leases
        if leases is None:
            return
        if person is not None:
            leases.hand_over(person)
        elif command.spec.acts:
            leases.begin_act()
        elif isinstance(command, TabClose):
            leases.begin_act(command.number)
        else:
            leases.note_look()
        if (act := leases.take_foreign_act()) is not None:
            self.note_foreign_act(act)

    async def check_numbers(self, command: Command, *, person: LeaseHolder | None = None) -> None:
        """Check the elements that a command names by number. Call it after the page is known to be one that commands
        may see. Raises `ElementChanged`."""
        if self._foreign is not None and person is None:
            await self._foreign.check(self._context, command)

    def begin_act(self) -> None:
        """The current command acts on the current tab. Raises `TabHeld`."""
        if (leases := self._context.browser.leases) is not None:
            leases.begin_act()

    def end(self, command: Command, answer: Answer) -> None:
        """The session's command has ended: add to its answer what others have changed before it, and who waits for a
        tab of the session."""
        if (leases := self._context.browser.leases) is not None:
            leases.end_command()
            answer.notes += [
                f"{holder} waits for tab {number}: 'tab release {number}' gives it to them"
                for number, holder in leases.take_requests()
            ]
        if (foreign := self._foreign) is None:
            return
        answer.meanwhile[:0], foreign.meanwhile = foreign.meanwhile, []
        if not answer.ok:
            return
        if isinstance(command, Observe) and not command.narrows:
            foreign.suspects_numbers = False
        elif isinstance(command, Snapshot):
            foreign.suspects_references = False
