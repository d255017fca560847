"""The commands that remote mode answers differently from `headless`: the table of `docs/remote-differences.md`.

The conformance suite (`tests/extension/conformance`) checks it in both modes. Seed 000 §5.6.1 lists the differences
allowed."""

from __future__ import annotations

from oryn.browsers.common.differences import Difference

_COOKIES = "the extension never sees cookies"
_REQUESTS = "an extension can't hold requests back"
_FILES = "a page gets no files from an extension"
_RECORDING = "an extension can't record the browser"
_SESSIONS = "there is one browser, the user's"

DIFFERENCES: tuple[Difference, ...] = (
    Difference("goto --headers", 'goto {pages}/form.html --headers {"X-A": "b"}', _REQUESTS),
    Difference("goto data:", "goto data:text/html,hello", "a browser opens no `data:` address for an extension"),
    Difference(
        "screenshot --fullpage",
        "screenshot --fullpage",
        "a browser shows its extensions what is in view",
        "fullpage not supported",
    ),
    Difference("upload", 'upload "Name" notes.txt', _FILES),
    Difference("cookies", "cookies list", _COOKIES),
    Difference(
        "session new", "session new other", _SESSIONS, "a session of this mode starts when its browser connects"
    ),
    Difference("state", "state save kept.json", _COOKIES),
    Difference("headers", 'headers set {"X-A": "b"}', _REQUESTS),
    Difference("intercept", 'intercept "**/*.png" --block', _REQUESTS),
    Difference("trace", "trace start", _RECORDING),
    Difference("record", "record start film.webm", _RECORDING),
    Difference("pdf", "pdf page.pdf", _RECORDING),
)
