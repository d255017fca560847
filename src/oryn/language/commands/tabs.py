"""*Tabs, frames, dialogs*."""

from __future__ import annotations

from typing import Literal

from oryn.language.command import Command, TargetCommand, argument
from oryn.language.kinds import COUNT, TARGET, TEXT, URL, OneOf
from oryn.language.targets import Target
from oryn.language.urls import holds_page

__all__ = [
    "DialogAccept",
    "DialogAuto",
    "DialogDismiss",
    "FrameSwitch",
    "FrameUp",
    "Frames",
    "TabClose",
    "TabNew",
    "TabSwitch",
    "Tabs",
]

_FAMILY = "Tabs, frames, dialogs"

Upward = Literal["main", "parent"]
DialogPolicy = Literal["accept", "dismiss", "off"]


class Tabs(Command, path="tabs", family=_FAMILY, safe=True, help="List the tabs", door_aliases=("tab list",)):
    """Number, title and URL of each tab."""


class TabNew(Command, path="tab new", family=_FAMILY, safe=True, help="Open a tab", example="tab new example.com"):
    """Open a tab and make it current. `url` is as in `Goto`."""

    url: str = argument(URL, "where to go")

    @property
    def safe(self) -> bool:
        return not holds_page(self.url)


class TabSwitch(Command, path="tab switch", family=_FAMILY, safe=True, help="Make another tab the current one"):
    """`number` as `tabs` shows it."""

    number: int = argument(COUNT, "the tab, as tabs numbers it")


class TabClose(Command, path="tab close", family=_FAMILY, safe=True, help="Close a tab"):
    """The current tab when `number` is None."""

    number: int | None = argument(COUNT, "the tab; without one, the current", default=None)


class Frames(Command, path="frames", family=_FAMILY, safe=True, help="List the page's frames"):
    """The tree of frames."""


class FrameUp(
    Command, path="frame", family=_FAMILY, safe=True, help="Go to the page itself, or to the frame around this one"
):
    """`main` or `parent`."""

    to: Upward = argument(OneOf[Upward]("main", "parent"), "the page, or the frame around")


class FrameSwitch(TargetCommand, path="frame", family=_FAMILY, safe=True, help="Go into a frame", example="frame 5"):
    """Later commands see that frame alone."""

    target: Target = argument(TARGET, "the frame's element")


class DialogAccept(Command, path="dialog accept", family=_FAMILY, help="Answer the open dialog with OK"):
    """`text` is the answer to a prompt."""

    text: str | None = argument(TEXT, "the answer to a prompt", default=None)


class DialogDismiss(
    Command, path="dialog dismiss", family=_FAMILY, safe=True, help="Answer the open dialog with Cancel"
):
    """Close the dialog that is open."""


class DialogAuto(
    Command, path="dialog auto", family=_FAMILY, safe=True, help="Answer the dialogs to come by themselves"
):
    """What happens to dialogs as they open; `off` leaves every one open."""

    policy: DialogPolicy = argument(
        OneOf[DialogPolicy]("accept", "dismiss", "off"), "how to answer, or off to ask each time"
    )

    @property
    def safe(self) -> bool:
        return self.policy != "accept"
