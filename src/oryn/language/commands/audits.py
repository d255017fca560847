"""*Looking*: audits of the page, and of pictures, that a test can hold."""

from __future__ import annotations

from typing import Literal

from oryn.language.command import Command, argument, flag, option, output_option, overwrite_flag
from oryn.language.kinds import PATH, REGIONS, ChoiceKind, ListKind, NameKind, NumberKind, Region

__all__ = ["AuditAccessibility", "DiffPicture", "Vitals"]

_FAMILY = "Looking"

Impact = Literal["minor", "moderate", "serious", "critical"]

Rating = Literal["needs-improvement", "poor"]

_NAMES = ListKind(NameKind("name"))
_MILLISECONDS = NumberKind("ms", minimum=0)


class AuditAccessibility(
    Command,
    path="audit accessibility",
    family=_FAMILY,
    result="AccessibilityReport",
    safe=True,
    reads=True,
    help="List what axe-core finds on the page, with the elements' numbers",
    example="audit accessibility --fail-on serious",
):
    """The findings in every frame and shadow root, one line a rule."""

    fail_on: Impact | None = option(
        ChoiceKind[Impact]("minor", "moderate", "serious", "critical"), "fail if a finding is at least that grave"
    )
    tags: tuple[str, ...] | None = option(_NAMES, "only rules with one of these tags of axe, such as wcag2aa")
    without: tuple[str, ...] | None = option(_NAMES, "leave out these rules")
    full: bool = flag("add what each rule demands, and each element with what is wrong")


class Vitals(
    Command,
    path="vitals",
    family=_FAMILY,
    result="WebVitals",
    safe=True,
    reads=True,
    help="Measure how fast the page was and how steady (LCP, CLS, INP, FCP, TTFB)",
    example="vitals --fail-on poor",
):
    """The web vitals of the top document since it was loaded, a line each: value, rating, element. What happens later,
    such as clicks and shifts, counts too."""

    fail_on: Rating | None = option(
        ChoiceKind[Rating]("needs-improvement", "poor"), "fail if a metric is rated so, or worse"
    )
    max_lcp: float | None = option(_MILLISECONDS, "fail if the largest contentful paint was later")
    max_cls: float | None = option(NumberKind("score", minimum=0), "fail if the cumulative layout shift is larger")
    max_inp: float | None = option(_MILLISECONDS, "fail if an interaction waited longer for the next paint")
    max_fcp: float | None = option(_MILLISECONDS, "fail if the first contentful paint was later")
    max_ttfb: float | None = option(_MILLISECONDS, "fail if the first byte arrived later")
    full: bool = flag("add what each time consists of")


class DiffPicture(
    Command,
    path="diff picture",
    family=_FAMILY,
    result="PictureDifference",
    safe=True,
    reads=True,
    help="Show where two pictures differ, or one and what can be seen now",
    conflicts=(("after", "fullpage"),),
    example="diff picture before.png --fail-over 0.5",
):
    """How many pixels differ, and in which regions, by pixelmatch; edges that are only drawn otherwise don't count."""

    before: str = argument(PATH, "the file of the former picture")
    after: str | None = argument(PATH, "the file of the other one; default: the viewport as it is now", default=None)
    fullpage: bool = flag("the whole page as it is now, not only the viewport", aliases=("full-page", "full-length"))
    threshold: float | None = option(
        NumberKind("n", minimum=0, maximum=1), "how far two colours may be apart, 1 for black and white; default: 0.1"
    )
    mask: tuple[Region, ...] | None = option(REGIONS, "leave this region out, in pixels of the pictures; may repeat")
    fail_over: float | None = option(
        NumberKind("percent", minimum=0, maximum=100), "fail if more of the pixels differ; 0 allows none"
    )
    output: str | None = output_option("draw the differences into this PNG file")
    overwrite: bool = overwrite_flag()
