"""What embedded mode answers differently from `headless`: the tables of `docs/embedded-differences.md`.

`DIFFERENCES` are commands that WebKit's driver can't run; `ENGINE_DIFFERENCES` are answers in which WebKit itself, or
its driver, differs. The conformance suite (`tests/embedded/test_conformance.py`) checks both against WPE."""

from __future__ import annotations

import re

from oryn.browsers.common.differences import Difference
from oryn.core.records import Record

_REQUESTS = "WebDriver reports no requests, and holds none back"
_EMULATION = "WebKit's driver emulates no devices"
_RECORDING = "WebKit's driver records nothing"
_FILES = "WebDriver reports no file choosers"

DIFFERENCES: tuple[Difference, ...] = (
    Difference("goto --headers", 'goto {pages}/form.html --headers {"X-A": "b"}', _REQUESTS),
    Difference("headers", 'headers set {"X-A": "b"}', _REQUESTS),
    Difference("intercept", 'intercept "**/*.png" --block', _REQUESTS),
    Difference("requests", "requests", _REQUESTS),
    Difference("request", "request 1", _REQUESTS),
    Difference("har", "har start page.har", _REQUESTS),
    Difference("offline", "offline off", _REQUESTS),
    Difference("throttle", "throttle off", _REQUESTS),
    Difference("credentials", "credentials clear", _REQUESTS),
    Difference("script", "script list", "WebDriver runs no scripts before those of the page"),
    Difference("clipboard", 'clipboard write "words"', "WPE without a display has no clipboard"),
    Difference("viewport", "viewport 390 844", "the window of WPE has one size"),
    Difference("device", 'device "iPhone 15"', _EMULATION),
    Difference("media", "media reset", _EMULATION),
    Difference("geolocation", "geolocation off", _EMULATION),
    Difference("locale", "locale reset", _EMULATION),
    Difference("timezone", "timezone reset", _EMULATION),
    Difference("useragent", "useragent reset", _EMULATION),
    Difference("tap", 'tap "Join"', "the engine has no touches"),
    Difference("upload", 'upload "Name" notes.txt', f"{_FILES}; file inputs work"),
    Difference("screenshot --format", "screenshot --format jpeg", "WPE writes PNG files alone"),
    Difference("pdf", "pdf page.pdf", "WebKit's driver has no printer"),
    Difference("trace", "trace start", _RECORDING),
    Difference("record", "record start film.webm", _RECORDING),
)


class EngineDifference(Record):
    """An answer in which WebKit, or its driver, differs. `lines` is a pattern of the lines of the conformance suite
    whose answers may differ for the reason; `script` limits it to one of its scripts."""

    subject: str
    lines: str
    reason: str
    script: str | None = None

    def covers(self, script: str, line: str) -> bool:
        """Whether the answers to a line of a script may differ."""
        return self.script in (None, script) and re.match(self.lines, line) is not None


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
        "elements in closed shadow roots", r"", "scripts can't reach them, and WebDriver has no other way", "closed"
    ),
    EngineDifference("the HTTP status of a page", r"goto \S+missing", "WebDriver does not report it"),
    EngineDifference(
        "messages of the console while a page loads",
        r"console",
        "WebDriver does not report them, and the script that records them comes too late",
        "console",
    ),
    EngineDifference(
        "JavaScript's error messages",
        r"(eval \"nothing|wait until \"nonsense|click \"Throw)",
        "each engine has its own",
    ),
    EngineDifference(_NOT_RUN, r"eval", "it was not run", "device"),
    EngineDifference(_NOT_RUN, r"(eval|goto)", "it was not run", "conditions"),
    EngineDifference(_NOT_RUN, r"drag \"Pad\"", "it was not run", "controls"),
)
