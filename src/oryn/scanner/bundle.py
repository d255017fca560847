"""The scanner as one script: the files of `js/` in their order, wrapped once. No build step; read once per process."""

from __future__ import annotations

from functools import cache
from importlib.resources import files

ENTRY = "__oryn_scanner"
"""The global function that the bundle defines: a JSON request in, a JSON response out, as a string or a promise of
one."""

PARTS = (
    "dom",
    "banner",
    "walk",
    "visibility",
    "transparent_controls",
    "roles",
    "names",
    "content",
    "values",
    "delegation",
    "interactive",
    "wrappers",
    "classify",
    "labels",
    "invented_names",
    "closed_roots",
    "snapshot",
    "registry",
    "number_transfer",
    "selectors",
    "scan",
    "patterns",
    "search_form",
    "closers",
    "dialogs",
    "popups",
    "match",
    "relations",
    "find",
    "vicinity",
    "structure",
    "nodes",
    "tree",
    "scrolling",
    "motion",
    "boundary_events",
    "locate",
    "busy",
    "settle",
    "text",
    "editor_families",
    "editors",
    "editor_text",
    "read",
    "prepare",
    "reaction",
    "clipping",
    "text_units",
    "text_kinds",
    "text_comparison",
    "feeds",
    "watch",
    "approach",
    "unread",
    "storage",
    "upload",
    "events",
    "act",
    "fields",
    "slider",
    "date_segments",
    "month_names",
    "calendar",
    "calendar_controls",
    "options",
    "select_widgets",
    "pointer",
    "pressing",
    "dragging",
    "traversal",
    "editing",
    "insertion",
    "key_actions",
    "keys",
    "script",
    "wait",
    "frames",
    "extract",
    "highlight",
    "annotate",
    "captcha",
    "dispatch",
)
"""Files of `js/`, in the order of their evaluation: at load time a file may only use the files before it."""

LISTENERS_PARTS = ("dom", "banner", "walk", "listeners")
ANSWER_PARTS = ("captcha_answer",)
EDITOR_PARTS = ("editor_families", "editor_model")


def _source(parts: tuple[str, ...]) -> str:
    folder = files("oryn.scanner") / "js"
    return "\n".join((folder / f"{part}.js").read_text(encoding="utf-8") for part in parts)


@cache
def bundle() -> str:
    """The script that defines `ENTRY`. Evaluating it twice in one world keeps the first instance and its element
    map."""
    return f"(() => {{\n'use strict';\nif (Object.hasOwn(globalThis, '{ENTRY}')) return;\n{_source(PARTS)}\n}})();\n"


@cache
def captcha_answer_script() -> str:
    """Return a function for the page's own world that fills in a captcha's answer.

    `{"field": css, "sitekey": s, "token": s}` becomes `{"fields": n, "callbacks": n}`: how many fields and callbacks
    received the token."""
    source = _source(ANSWER_PARTS)
    return f"({source[source.index('({ field') :].rstrip().rstrip(';')})"


@cache
def editor_script() -> str:
    """Return a function for the page's own world that reads an editor whole, by the editor's own object.

    Its argument is a path of `js/editors.js`; the result is the text, or null if there is no such object."""
    families, model = (_source((part,)) for part in EDITOR_PARTS)
    function = model[model.index("(path) =>") :].rstrip().rstrip(";")
    return f"(() => {{\n'use strict';\n{families}\nreturn {function}; }})()"


@cache
def listeners_script() -> str:
    """Return a function for the page's own world, with the console's command line API: `{"count": n, "positions":
    [...]}`.

    `positions` are those of the elements with click-like listeners of their own in the scanner's walk order. `count` is
    the number of elements walked. The result is null if the page's world is too broken for the check.

    One run knows the listeners of one frame's own document. If a scanner reaches frames of its origin, call the
    function in each of them with the number of levels below the scanner's own, and unite the positions. They share one
    numbering; drop answers whose `count` differs from that of level 0. Pass both to `scan` as `listeners` and
    `listeners_of`."""
    return (
        "(levels => { try {\n'use strict';\n"
        + _source(LISTENERS_PARTS)
        + "\nreturn clickListeners(levels);\n} catch (error) { return null; } })"
    )
