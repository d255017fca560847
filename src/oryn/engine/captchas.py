"""The captchas of a page as the scanner finds them, and what may solve one. Pure."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any, Protocol

from oryn.browsers.base import Frame
from oryn.engine.escape import plain, quoted
from oryn.records import Record


class Captcha(Record):
    """One of them. `id` is the number of what is seen of it, `answer` a selector of the fields for its answer, and
    `frame` where its document is (None: the page itself)."""

    kind: str
    sitekey: str | None = None
    solved: bool | None = None
    """None where nobody can tell."""
    answer: str | None = None
    id: int | None = None
    box: Mapping[str, float] | None = None
    """CSS pixels in its frame's viewport."""
    field: int | None = None
    """The number of the field that a picture's letters are typed into."""
    version: str | None = None
    enterprise: bool = False
    invisible: bool = False
    frame: Frame | None = None

    @classmethod
    def of(cls, found: Mapping[str, Any], frame: Frame | None) -> Captcha:
        """As the scanner of `frame` tells it."""
        return cls(**found, frame=frame)

    @property
    def name(self) -> str:
        """`recaptcha v2 enterprise invisible`."""
        traits = ("enterprise" if self.enterprise else "", "invisible" if self.invisible else "")
        return " ".join(filter(None, (self.kind, self.version, *traits)))

    def line(self) -> str:
        """`[5] hcaptcha, not solved, sitekey "10000000-ffff"`."""
        number = "" if self.id is None else f"[{self.id}] "
        state = "" if self.solved is None else ", solved" if self.solved else ", not solved"
        key = "" if self.sitekey is None else f", sitekey {quoted(self.sitekey)}"
        field = "" if self.field is None else f", typed into [{self.field}]"
        return f"{number}{plain(self.name)}{state}{key}{field}"

    def form(self) -> dict[str, Any]:
        """As JSON data."""
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


def merged(found: Iterable[Captcha]) -> list[Captcha]:
    """Each widget once: its own document and the one around it both tell of it."""
    kept: list[Captcha] = []
    for one in found:
        if not any(_same(one, other) for other in kept):
            kept.append(one)
    return kept


def _same(one: Captcha, other: Captcha) -> bool:
    return one.kind == other.kind and (one.sitekey == other.sitekey or None in (one.sitekey, other.sitekey))


class Solver(Protocol):
    """What solves captchas: a service of the user's choice. The host gives it."""

    async def solve(self, captcha: Captcha, url: str, *, timeout: float) -> str:
        """The answer of the captcha on the page at `url`, as its widget would give it. Nothing else of the page is
        told. Raises `CaptchaError`, `Timeout`, `NotSupported` for a kind that it does not solve."""
