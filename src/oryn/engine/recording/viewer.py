"""A journal as one HTML page (`oryn.html_page`). Pure."""

from __future__ import annotations

import base64
import time
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from html import escape

from oryn.html_page import END, head


@dataclass(frozen=True, slots=True)
class Row:
    """One command as the page shows it."""

    number: int
    command: str
    ok: bool
    at: float
    """Seconds since the trace began."""
    seconds: float
    answer: str
    before: bytes | None
    """A JPEG picture, as `after`."""
    after: bytes | None


_STYLE = """
:root { color-scheme: light dark; font: 15px/1.5 system-ui, sans-serif; }
body { max-width: 76rem; margin: 0 auto; padding: 1rem; }
h1 { font-size: 1.3rem; margin: 0; }
.about { opacity: .7; margin: 0 0 1rem; }
details.command { border-top: 1px solid #8885; padding: .4rem 0; }
details.command > summary { cursor: pointer; display: flex; gap: .8rem; align-items: baseline; }
details.command > summary code { flex: 1; overflow-wrap: anywhere; }
.time { opacity: .6; font-variant-numeric: tabular-nums; white-space: nowrap; }
.failed > summary code { color: #d33; }
pre { overflow: auto; max-height: 24rem; background: #8881; padding: .6rem; white-space: pre-wrap;
  overflow-wrap: anywhere; margin: .4rem 0; }
.pictures { display: flex; flex-wrap: wrap; gap: .6rem; }
figure { margin: 0; flex: 1 1 20rem; }
figcaption { opacity: .6; font-size: .85em; }
img { max-width: 100%; border: 1px solid #8885; cursor: zoom-in; }
figure input { display: none; }
figure:has(:checked) { flex-basis: 100%; }
figure:has(:checked) img { width: 100%; cursor: zoom-out; }
"""


def page(started: float, rows: Iterable[Row], *, has_trace: bool) -> Iterator[str]:
    """The page in parts, one at a time for each row: pictures of a long trace never lie in memory together."""
    yield head("Oryn trace", _STYLE, pictures=True)
    day = time.strftime("%Y-%m-%d %H:%M:%S UTC", time.gmtime(started))
    yield f"<h1>Oryn trace</h1>\n<p class=about>{day}. "
    if has_trace:
        yield "The browser's own trace is <code>trace.json</code> beside this page: ui.perfetto.dev opens it, and the "
        yield "performance panel of the developer tools."
    else:
        yield "The browser's own trace was lost with the browser."
    yield "</p>\n"
    for row in rows:
        yield from _command(row)
    yield END


def _command(row: Row) -> Iterator[str]:
    state = "command" if row.ok else "command failed"
    yield f'<details class="{state}" open>\n<summary><span class=time>{row.number}</span>'
    yield f"<code>{escape(row.command)}</code>"
    yield f"<span class=time>at {row.at:.1f} s, {row.seconds * 1000:.0f} ms</span></summary>\n"
    if row.before or row.after:
        yield "<div class=pictures>"
        yield from _picture("before", row.before)
        yield from _picture("after", row.after)
        yield "</div>\n"
    yield f"<pre>{escape(row.answer)}</pre>\n</details>\n"


def _picture(when: str, image: bytes | None) -> Iterator[str]:
    if image is None:
        return
    data = base64.b64encode(image).decode("ascii")
    yield f"<figure><figcaption>{when}</figcaption><label><input type=checkbox>"
    yield f'<img loading=lazy alt="the page {when} the command" src="data:image/jpeg;base64,{data}"></label></figure>'
