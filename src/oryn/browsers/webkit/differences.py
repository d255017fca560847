"""What embedded mode answers differently from `headless`: the tables of `docs/embedded-differences.md`.

`DIFFERENCES` are commands that WebKit, or some of its versions, can't run; `ENGINE_DIFFERENCES` are answers in which
WebKit itself differs. The conformance suite (`tests/embedded/test_conformance.py`) checks both."""

from __future__ import annotations

from oryn.browsers.common.differences import Difference, EngineDifference
from oryn.browsers.webkit.engines import ENGINES, EngineName

Version = tuple[int, int]
"""The first two numbers of a version of WebKit."""


class WebKitDifference(Difference):
    """A command that some browsers of WebKit's can't run. `since` is the first version of WebKit that runs it, and None
    if none does. `fixed_window` limits it to those whose window has one size."""

    since: Version | None = None
    fixed_window: bool = False

    def is_in(self, engine: EngineName, version: Version) -> bool:
        """Whether this version of an engine can't run the command."""
        if self.fixed_window and ENGINES[engine].sets_window:
            return False
        return self.since is None or version < self.since

    @property
    def browsers(self) -> str:
        """Which browsers can't run the command, for readers."""
        names = "WPE" if self.fixed_window else "all"
        return names if self.since is None else f"{names} before {'.'.join(map(str, self.since))}"


DIFFERENCES: tuple[WebKitDifference, ...] = (
    WebKitDifference(
        form="audit",
        example="audit accessibility",
        reason="axe-core runs in an isolated world, and WebKit has none",
    ),
    WebKitDifference(
        form="vitals",
        example="vitals",
        reason="web-vitals runs in an isolated world, and WebKit has none",
    ),
    WebKitDifference(form="throttle", example="throttle off", reason="WebKit slows no connections down"),
    WebKitDifference(
        form="intercept --edit-json",
        example='intercept "*/done.html" --edit-json {"a": 1}',
        reason="WebKit holds no answers back with their bodies",
    ),
    WebKitDifference(
        form="viewport", example="viewport 390 844", reason="the window of WPE has one size", fixed_window=True
    ),
    WebKitDifference(
        form="device",
        example='device "iPhone 15"',
        reason="the windows of WebKit have one device pixel to a CSS pixel",
    ),
    WebKitDifference(
        form="media forced-colors",
        example="media forced-colors active",
        reason="WebKit has no command for it",
    ),
    WebKitDifference(
        form="media contrast",
        example="media contrast more",
        reason="WebKit 2.38 has no command for it; later versions have `more` and `no-preference`",
        since=(2, 48),
    ),
    WebKitDifference(
        form="media reduced-motion",
        example="media reduced-motion reduce",
        reason="WebKit 2.38 has no command for it",
        since=(2, 48),
    ),
    WebKitDifference(
        form="screenshot --format webp",
        example="screenshot --format webp",
        reason="WebKit 2.38 writes no WebP files",
        since=(2, 48),
    ),
    WebKitDifference(form="pdf", example="pdf page.pdf", reason="WebKit has no printer here"),
)

_NOT_RUN = "answers after a command of the first table"

ENGINE_DIFFERENCES: tuple[EngineDifference, ...] = (
    EngineDifference(
        "sizes and positions", r"(observe --full|observe --positions|box) ?", "the controls of WebKit have other sizes"
    ),
    EngineDifference("line breaks of `text`", r"text$", "lines are as wide as the controls in them", "looking"),
    EngineDifference("date and time inputs", r"type \"(When|At)\"", "WPE shows them as text fields"),
    EngineDifference("invalid fields", r"press backspace", "WebKit reports a field as invalid later", "acting"),
    EngineDifference("the middle mouse button", r"click \"Count\" --middle", "pages of WebKit get a `click` for it"),
    EngineDifference(
        "JavaScript's error messages",
        r"(eval \"nothing|wait until \"nonsense|click \"Throw)",
        "each engine has its own",
    ),
    EngineDifference("`press Tab` on the last element", r"press Tab", "WebKit goes on with the first one", "closed"),
    EngineDifference("declarative shadow roots", r"", "WebKit 2.38 has none", "closed"),
    EngineDifference(
        "`navigator.onLine`", r"eval \"navigator", "pages of WebKit are not told of `offline`", "conditions"
    ),
    EngineDifference(_NOT_RUN, r"eval", "it was not run", "device"),
)
