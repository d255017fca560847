"""The commands that WebDriver can't run: Playwright's engines lack those of them that Playwright
itself can't run either (`oryn.browsers.playwright.differences`)."""

from __future__ import annotations

from oryn.browsers.common.differences import Difference

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
