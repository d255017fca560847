"""The captchas of a page as the scanner finds them, and the interface of a service that solves them. Pure."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING, Any, Protocol

from oryn.browsers.base import Frame
from oryn.core.records import Record
from oryn.core.text_safety import plain, quoted

if TYPE_CHECKING:
    from oryn.scanner.protocol import CaptchaData, RectData


class PageCaptcha(Record):
    """One captcha of a page. `id` is the number of its visible element, `answer` a selector of the fields for its
    answer, and `frame` the frame of its document (None: the page itself)."""

    kind: str
    sitekey: str | None = None
    solved: bool | None = None
    """Whether it is solved; None if that is unknown."""
    answer: str | None = None
    id: int | None = None
    box: RectData | None = None
    """Its position in its frame's viewport, in CSS pixels."""
    field: int | None = None
    """The number of the field for the letters of a picture."""
    version: str | None = None
    enterprise: bool = False
    invisible: bool = False
    frame: Frame | None = None

    @classmethod
    def from_scanner(cls, found: CaptchaData, frame: Frame | None) -> PageCaptcha:
        """Create it from an entry that the scanner of `frame` reports."""
        return cls(**found, frame=frame)

    @property
    def name(self) -> str:
        """Kind, version and traits: `recaptcha v2 enterprise invisible`."""
        traits = ("enterprise" if self.enterprise else "", "invisible" if self.invisible else "")
        return " ".join(filter(None, (self.kind, self.version, *traits)))

    def line(self) -> str:
        """Render the line of an answer: `[5] hcaptcha, not solved, sitekey "10000000-ffff"`."""
        number = "" if self.id is None else f"[{self.id}] "
        state = "" if self.solved is None else ", solved" if self.solved else ", not solved"
        key = "" if self.sitekey is None else f", sitekey {quoted(self.sitekey)}"
        field = "" if self.field is None else f", typed into [{self.field}]"
        return f"{number}{plain(self.name)}{state}{key}{field}"

    def form(self) -> dict[str, Any]:
        """Return it as JSON data."""
        return {
            "kind": self.kind,
            "version": self.version,
            "enterprise": self.enterprise,
            "invisible": self.invisible,
            "sitekey": self.sitekey,
            "solved": self.solved,
            "id": self.id,
            "box": dict(self.box) if self.box else None,
            "field": self.field,
            "frame": self.frame.url if self.frame else None,
        }


def deduplicate(found: Iterable[PageCaptcha]) -> list[PageCaptcha]:
    """Return each widget once: its own document and the surrounding one both report it."""
    unique: list[PageCaptcha] = []
    for one in found:
        if not any(_same(one, other) for other in unique):
            unique.append(one)
    return unique


def _same(one: PageCaptcha, other: PageCaptcha) -> bool:
    return one.kind == other.kind and (one.sitekey == other.sitekey or None in (one.sitekey, other.sitekey))


class CaptchaSolver(Protocol):
    """Solves captchas: the interface of a service that the user has chosen, which the host provides."""

    async def solve(self, captcha: PageCaptcha, url: str, *, timeout: float) -> str:
        """Return the captcha's answer, as its widget would return it. The service learns only the URL of the page and
        the captcha. `timeout` is in seconds. Raises `CaptchaError`, `Timeout`, `NotSupported` if it can't solve the
        kind."""
