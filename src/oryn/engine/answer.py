"""What a command is answered with, as data; `text.py` and `jsonform.py` turn it into what a door sends."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from oryn.engine.changes import Change
from oryn.engine.elements import Element
from oryn.errors import OrynError
from oryn.records import Record, field


class Observation(Record):
    """What `observe` shows. `line` renders one element; `more` counts the elements that the limit left out."""

    url: str
    title: str
    elements: Sequence[Element]
    patterns: dict[str, Any]
    line: Callable[[Element], str]
    more: int = 0
    viewport: str | None = None
    """`1280x720 at 0,300 of 0,4200`, shown by `--full`."""


class Told(Record):
    """What an engine in another place has rendered already: the text, and the JSON form where it was asked for."""

    text: str
    form: dict[str, Any] | None = None

    @property
    def body(self) -> str:
        """The text without its first line, where that only says whether the command was done."""
        head, _, rest = self.text.partition("\n")
        return rest.lstrip("\n") if head.startswith(("ok ", "error ")) else self.text


class Answer(Record, frozen=False):
    """One command's answer. Parts that are empty are not printed; their order in the text is the order here."""

    command: str = ""
    """Canonical text of the command, secrets masked, cut to a line's length."""
    error: OrynError | None = None
    observation: Observation | None = None
    page: tuple[str, str] | None = None
    """URL and title of the page that is there now, for commands that move."""
    lines: list[str] = field(factory=list)
    """The engine's own lines; whatever a page said in them is quoted already."""
    block: str | None = None
    """A page's text, raw; rendering marks every line of it."""
    notes: list[str] = field(factory=list)
    changes: list[Change] = field(factory=list)
    more_changes: int = 0
    data: Any = None
    """The result for programs (`output json`), where `lines` or `block` are its text."""
    exit: bool = False
    json: bool = False
    """Rendered as JSON: `output json` was given before."""
    boundary: str | None = None
    """What fences all that may come from a page; None is no fence."""
    told: Told | None = None
    """What all but the notes is rendered as, where another engine did that."""
    cut: str | None = None
    """What `render` gives instead of all of it, where that was longer than `max_output`."""

    @property
    def ok(self) -> bool:
        return self.error is None

    @property
    def blank(self) -> bool:
        """Nothing was asked: a blank line or a comment."""
        return not self.command and self.error is None

    def render(self) -> str:
        """The answer as a door sends it: text, or one JSON object on one line. Empty for a blank line."""
        from oryn.engine import jsonform, text

        if self.blank:
            return ""
        if self.cut is not None:
            return self.cut
        return jsonform.render(self) if self.json else text.render(self)
