"""What the backend `playwright` answers differently from `headless`: the tables of `docs/playwright-differences.md`.

Chromium answers the same. `UNSUPPORTED` are commands that the other engines can't run, because they are driven by the
commands of WebDriver; `FIREFOX_DIFFERENCES` are answers in which the system's Firefox differs. The conformance suite
(`tests/playwright/test_conformance.py`) checks all of it."""

from __future__ import annotations

from oryn.browsers.common.differences import Difference, EngineDifference

_COMMANDS = "WebDriver has no command for it"
_EMULATION = "WebDriver emulates no devices"

UNSUPPORTED: tuple[Difference, ...] = (
    Difference("audit", "audit accessibility", "axe-core runs in an isolated world, and WebDriver has none"),
    Difference("vitals", "vitals", "web-vitals runs in an isolated world, and WebDriver has none"),
    Difference("goto --headers", 'goto {pages}/form.html --headers {"X-A": "b"}', _COMMANDS),
    Difference("requests --messages", "requests --messages", "Playwright's drivers of WebDriver report no messages"),
    Difference("throttle", "throttle off", _COMMANDS),
    Difference("credentials", "credentials clear", _COMMANDS),
    Difference("script", "script list", "WebDriver runs no scripts before those of the page"),
    Difference("clipboard", 'clipboard write "words"', _COMMANDS),
    Difference("device", 'device "iPhone 15"', _EMULATION),
    Difference("media", "media reset", _EMULATION),
    Difference("locale", "locale reset", _EMULATION),
    Difference("timezone", "timezone reset", _EMULATION),
    Difference("useragent", "useragent reset", _EMULATION),
    Difference("tap", 'tap "Join"', _EMULATION),
    Difference("upload", 'upload "Name" notes.txt', "WebDriver reports no file choosers; file inputs work"),
)

NOT_RUN = "answers after a command of the first table"

FIREFOX_DIFFERENCES: tuple[EngineDifference, ...] = (
    EngineDifference(
        "sizes and positions", r"(observe --full|observe --positions|box) ?", "the controls of Firefox have other sizes"
    ),
    EngineDifference("passwords after `back`", r"submit$", "Firefox restores them, Chromium does not", "acting"),
    EngineDifference(
        "elements in closed shadow roots", r"", "scripts can't reach them, and Playwright has no other way", "closed"
    ),
    EngineDifference(
        "clicks into frames of other sites",
        r"(click \"Inner\"|text$)",
        "over WebDriver BiDi, the mouse of Firefox ESR does not reach them",
        "frames",
    ),
    EngineDifference(
        "the browser's own messages in the console", r"console (--last|clear)", "only those of scripts are reported"
    ),
    EngineDifference(
        "tabs in editable elements", r"(type|value) \"Note\"", "Firefox inserts spaces in their place", "editors"
    ),
    EngineDifference("JavaScript's error messages", r"wait until \"nonsense", "each engine has its own"),
    EngineDifference(NOT_RUN, r"eval", "it was not run", "device"),
    EngineDifference(NOT_RUN, r"(eval|goto)", "it was not run", "conditions"),
    EngineDifference(NOT_RUN, r"drag \"Pad\"", "it was not run", "controls"),
)
