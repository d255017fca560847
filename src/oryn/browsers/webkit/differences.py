"""What embedded mode answers differently from `headless`: the tables of `docs/embedded-differences.md`.

`DIFFERENCES` are commands that WebKit can't run; `ENGINE_DIFFERENCES` are answers in which WebKit itself differs. The
conformance suite (`tests/embedded/test_conformance.py`) checks both."""

from __future__ import annotations

from oryn.browsers.common.differences import Difference, EngineDifference

DIFFERENCES: tuple[Difference, ...] = (
    Difference("throttle", "throttle off", "WebKit slows no connections down"),
    Difference("viewport", "viewport 390 844", "the window of WPE has one size"),
    Difference("device", 'device "iPhone 15"', "the window of WPE has one size"),
    Difference(
        "media reduced-motion", "media reduced-motion reduce", "WebKit 2.38 has no command for it; later versions have"
    ),
    Difference("screenshot --format webp", "screenshot --format webp", "WebKit 2.38 writes no WebP files"),
    Difference("pdf", "pdf page.pdf", "WebKit has no printer here"),
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
