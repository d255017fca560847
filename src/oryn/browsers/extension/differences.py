"""The commands that remote mode answers differently from `headless`, in Chromium and in Firefox: the tables of
`docs/remote-differences.md`.

The conformance suite (`tests/extension/conformance`) checks them in both modes and browsers, and
`tests/daemon/test_verbs.py` for the verbs of the daemon's JSON vocabulary."""

from __future__ import annotations

from oryn.browsers.common.differences import Difference
from oryn.core.records import Record

_COOKIES = "the extension never sees cookies"
_RECORDING = "an extension can't record the browser"
_SESSIONS = "there is one browser, the user's"

DIFFERENCES: tuple[Difference, ...] = (
    Difference("audit", "audit accessibility", "the extension does not ship axe-core"),
    Difference("vitals", "vitals", "the extension does not ship web-vitals"),
    Difference("goto data:", "goto data:text/html,hello", "a browser opens no `data:` address for an extension"),
    Difference("cookies", "cookies list", _COOKIES),
    Difference(
        "session new", "session new other", _SESSIONS, "a session of this mode starts when its browser connects"
    ),
    Difference("state", "state save kept.json", _COOKIES),
    Difference("trace", "trace start", _RECORDING),
    Difference("record", "record start film.webm", _RECORDING),
)
"""What is refused even where the user allows the debugger."""

_DEBUGGER = "only the browser's debugger can do it"
_REQUESTS = "only the browser's debugger holds requests back"

WITHOUT_DEBUGGER: tuple[Difference, ...] = (
    Difference("goto --headers", 'goto {pages}/form.html --headers {"X-A": "b"}', _REQUESTS),
    Difference(
        "screenshot --fullpage",
        "screenshot --fullpage",
        "a browser shows its extensions what is in view",
        "fullpage not supported",
    ),
    Difference("pdf", "pdf page.pdf", _DEBUGGER),
    Difference("upload", 'upload "Name" notes.txt', "only the browser's debugger reports file choosers"),
    Difference("headers", 'headers set {"X-A": "b"}', _REQUESTS),
    Difference("intercept", 'intercept "**/*.png" --block', _REQUESTS),
    Difference("clipboard", "clipboard read", _DEBUGGER),
    Difference("device", 'device "Pixel 7"', _DEBUGGER),
    Difference("dialog", "dialog auto accept", _DEBUGGER),
    Difference("geolocation", "geolocation 48.2 16.4", _DEBUGGER),
    Difference("har", "har start kept.har", _DEBUGGER),
    Difference("locale", "locale de-AT", _DEBUGGER),
    Difference("media", "media color-scheme dark", _DEBUGGER),
    Difference("offline", "offline off", _DEBUGGER),
    Difference("request", "request 1", _DEBUGGER),
    Difference("requests", "requests", _DEBUGGER),
    Difference("script", "script list", _DEBUGGER),
    Difference("throttle", "throttle off", _DEBUGGER),
    Difference("timezone", "timezone Europe/Vienna", _DEBUGGER),
    Difference("useragent", 'useragent "Another"', _DEBUGGER),
    Difference("viewport", "viewport 390 844", _DEBUGGER),
)
"""What is refused in addition where no debugger may be attached: in Chromium without the user's setting *Real keys and
mouse*, and in Firefox, which has no debugger for extensions."""

HOST_DIFFERENCES: tuple[Difference, ...] = (
    Difference("login", "login", "a person logs in in their own browser, which is the session's"),
    Difference("captcha solve", "captcha_solve", "the key of the user's service stays with the server"),
)
"""The actions of the daemon that are no lines, and refused in every browser of the user's. `example` is the action."""

HOST_WITHOUT_DEBUGGER: tuple[Difference, ...] = (Difference("network", "network_start", _DEBUGGER),)
"""Those that are refused in addition where no debugger may be attached."""


class Variation(Record):
    """A command that succeeds in Firefox too, with another effect or other values. `form` is as in `Difference`."""

    form: str
    reason: str

    def covers(self, form: str) -> bool:
        """Whether the variation applies to a form of a command."""
        return f"{form} ".startswith(f"{self.form} ")


FIREFOX_VARIATIONS: tuple[Variation, ...] = (
    Variation("back", "in a page that Firefox has kept, password fields still have what was typed"),
    Variation("console", "messages of the browser itself are missing, such as one of a file that did not load"),
    Variation("box", "Firefox draws controls in other sizes"),
    Variation("drag", "the events of a finger are missing if the computer has no touch screen"),
    Variation("eval", "the text of an error in a script is the browser's"),
    Variation("hover", "events that a script creates do not apply styles of `:hover`"),
    Variation("observe --full", "Firefox draws controls in other sizes"),
    Variation("observe --positions", "Firefox draws controls in other sizes"),
    Variation("press", "Tab goes to the next control of the page, without those in closed shadow roots"),
    Variation("tap", "the events of a finger are missing if the computer has no touch screen"),
    Variation("type", "Firefox writes four spaces for a tab in a rich-text editor"),
    Variation("wait until", "the text of an error in a script is the browser's"),
)
"""What Firefox answers otherwise, but does."""
