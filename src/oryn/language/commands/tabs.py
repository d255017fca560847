"""*Tabs, frames, dialogs*."""

from __future__ import annotations

from typing import Literal

from oryn.language.command import Command, TargetCommand, argument
from oryn.language.effects import SCRIPT, Effect
from oryn.language.kinds import COUNT, TARGET, TEXT, URL, ChoiceKind
from oryn.language.kinds.text import holds_credentials, holds_page
from oryn.language.targets import Target

__all__ = [
    "DialogAccept",
    "DialogAuto",
    "DialogDismiss",
    "FrameSwitch",
    "FrameUp",
    "Frames",
    "TabClose",
    "TabNew",
    "TabRelease",
    "TabSwitch",
    "TabTake",
    "Tabs",
]

_FAMILY = "Tabs, frames, dialogs"

Upward = Literal["main", "parent"]
DialogPolicy = Literal["accept", "dismiss", "off"]


class Tabs(
    Command,
    path="tabs",
    family=_FAMILY,
    result="list[TabRow]",
    safe=True,
    reads=True,
    help="List the tabs",
    api_aliases=("tab list",),
):
    """Number, title and URL of each tab, and in a browser that others use too, whose it is."""


class TabNew(
    Command, path="tab new", family=_FAMILY, effects=("navigate",), help="Open a tab", example="tab new example.com"
):
    """Open a tab and make it current. `url` is as in `Goto`."""

    url: str = argument(URL, "the URL to open")

    @property
    def effects(self) -> tuple[Effect, ...]:
        carried: tuple[Effect, ...] = ("request",) if holds_credentials(self.url) else ()
        return *self.spec.effects, *carried, *(SCRIPT if holds_page(self.url) else ())


class TabSwitch(Command, path="tab switch", family=_FAMILY, safe=True, help="Make another tab the current one"):
    """`number` as `tabs` shows it."""

    number: int = argument(COUNT, "the tab's number in tabs")


class TabClose(Command, path="tab close", family=_FAMILY, safe=True, help="Close a tab"):
    """The current tab when `number` is None."""

    number: int | None = argument(COUNT, "the tab; default: the current one", default=None)


class TabTake(
    Command,
    path="tab take",
    family=_FAMILY,
    safe=True,
    help="Make a tab of a shared browser the session's, as soon as whoever has it gives it back",
    guarantee="the tab is the session's, and current",
):
    """Wait for the tab until the time limit. `number` as `tabs` shows it."""

    number: int = argument(COUNT, "the tab's number in tabs")


class TabRelease(
    Command, path="tab release", family=_FAMILY, safe=True, help="Give a tab of a shared browser back to the others"
):
    """The current tab when `number` is None."""

    number: int | None = argument(COUNT, "the tab; default: the current one", default=None)


class Frames(
    Command,
    path="frames",
    family=_FAMILY,
    result="list[FrameRow]",
    safe=True,
    reads=True,
    help="List the page's frames",
):
    """The tree of frames."""


class FrameUp(
    Command,
    path="frame",
    family=_FAMILY,
    result="FrameRow",
    safe=True,
    help="Switch to the page itself, or to the parent frame",
):
    """`main` or `parent`."""

    to: Upward = argument(ChoiceKind[Upward]("main", "parent"), "the page, or the parent frame")


class FrameSwitch(
    TargetCommand,
    path="frame",
    family=_FAMILY,
    result="FrameRow",
    safe=True,
    help="Switch to a frame",
    example="frame 5",
):
    """Later commands see that frame alone."""

    target: Target = argument(TARGET, "the frame's element")


class DialogAccept(
    Command,
    path="dialog accept",
    family=_FAMILY,
    effects=("accept",),
    acts=True,
    result="list[str]",
    help="Answer the open dialog with OK",
):
    """`text` is the answer to a prompt."""

    text: str | None = argument(TEXT, "the answer to a prompt", default=None)


class DialogDismiss(
    Command,
    path="dialog dismiss",
    family=_FAMILY,
    result="list[str]",
    effects=("cancel",),
    acts=True,
    help="Answer the open dialog with Cancel",
):
    """Close the dialog that is open."""


class DialogAuto(
    Command, path="dialog auto", family=_FAMILY, effects=("accept",), help="Answer later dialogs automatically"
):
    """What happens to dialogs as they open; `off` leaves every one open."""

    policy: DialogPolicy = argument(
        ChoiceKind[DialogPolicy]("accept", "dismiss", "off"), "how to answer; off leaves dialogs open"
    )

    @property
    def effects(self) -> tuple[Effect, ...]:
        answers: dict[DialogPolicy, tuple[Effect, ...]] = {"accept": ("accept",), "dismiss": ("cancel",), "off": ()}
        return answers[self.policy]
