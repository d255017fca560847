"""Where Oryn says the same as Chromium in other words: the only place that maps roles, names and states, with reasons.

What no row here explains is a difference (`differences.py`).
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from typing import NamedTuple

from tests.scanner.accessibility.browser_tree import BrowserNode
from tests.scanner.accessibility.scanner_trees import ScannerNode


class RoleWord(NamedTuple):
    """Chromium's role `chromium` is Oryn's `oryn` in the `tree`."""

    chromium: str
    oryn: str
    reason: str


INTERNAL = "Chromium's own name for what HTML-AAM maps to this role"
ROLE_WORDS = (
    RoleWord("image", "img", "ARIA 1.3 has both words for one role"),
    RoleWord("Iframe", "iframe", INTERNAL),
    RoleWord("Video", "video", INTERNAL),
    RoleWord("Audio", "audio", INTERNAL),
    RoleWord("DisclosureTriangle", "button", INTERNAL + ": a summary"),
    RoleWord("Date", "textbox", "HTML-AAM has no role for it; the state says `date`"),
    RoleWord("DateTime", "textbox", "HTML-AAM has no role for it; the state says `month`, `week` or `datetime-local`"),
    RoleWord("InputTime", "textbox", "HTML-AAM has no role for it; the state says `time`"),
    RoleWord("ColorWell", "textbox", "HTML-AAM has no role for it; the state says `color`"),
    RoleWord("MathMLMath", "math", INTERNAL),
)

MEANINGLESS_ROLES: Mapping[str, str] = {
    "": "has no role",
    "none": "has no role",
    "generic": "has no role",
    "RootWebArea": "the page: it stands beside the nodes",
    **dict.fromkeys(("StaticText", "InlineTextBox", "ListMarker", "LineBreak", "LayoutBR"), "text, which has no element"),
    **dict.fromkeys(("LabelText", "Legend", "caption", "Figcaption"), "its text is the name of another node"),
    **dict.fromkeys(
        ("emphasis", "strong", "mark", "subscript", "superscript", "time", "code", "insertion", "Abbr", "Ruby"),
        "says how a text is set; the text is what counts",
    ),
    "RubyAnnotation": "text",
    "rowgroup": "rows say where they are",
    "DescriptionList": "its terms and definitions stand for themselves",
    "Canvas": "pixels without a name",
    "SvgRoot": "a drawing without a name is what is in it",
    "MenuListPopup": "the options of a select are in its `options`",
    "EmbeddedObject": "what it shows is no part of the page",
    "PluginObject": "what it shows is no part of the page",
}
"""Chromium's roles that the scanner leaves out, and why."""

NEEDS_NAME = frozenset({"group", "figure", "image", "img", "region", "SvgRoot", "Canvas"})
"""These say something only by a name."""
NEEDS_CONTENT = NEEDS_NAME | {
    *("article", "banner", "blockquote", "complementary", "contentinfo", "definition", "deletion", "form", "list"),
    *("listitem", "main", "navigation", "note", "paragraph", "row", "search", "table", "term"),
}
"""These say something only by a name or by what they hold."""

SCAN_ROLES: Mapping[tuple[str, str], frozenset[str]] = {
    ("input", "password"): frozenset({"textbox"}),
    ("input", "email"): frozenset({"textbox", "combobox"}),
    ("input", "tel"): frozenset({"textbox", "combobox"}),
    ("input", "url"): frozenset({"textbox", "combobox"}),
    ("input", "username"): frozenset({"textbox", "combobox"}),
    ("input", "search"): frozenset({"searchbox", "textbox", "combobox"}),
    ("input", "text"): frozenset({"textbox", "combobox"}),
    ("input", "number"): frozenset({"spinbutton"}),
    ("input", "range"): frozenset({"slider"}),
    ("input", "date"): frozenset({"Date"}),
    ("input", "time"): frozenset({"InputTime"}),
    ("input", "color"): frozenset({"ColorWell"}),
    ("input", "file"): frozenset({"button"}),
    **{("input", kind): frozenset({"DateTime"}) for kind in ("datetime-local", "month", "week")},
    ("select", "generic"): frozenset({"combobox", "listbox"}),
    ("select", "multiple"): frozenset({"listbox"}),
    ("textarea", "generic"): frozenset({"textbox"}),
    ("link", "generic"): frozenset({"link"}),
    **{("button", role): frozenset({"button", "DisclosureTriangle"}) for role in ("generic", "submit", "primary")},
    ("checkbox", "generic"): frozenset({"checkbox"}),
    ("radio", "generic"): frozenset({"radio"}),
    ("generic", "frame"): frozenset({"Iframe"}),
}
"""Type and role word of a scan's element, and the roles that they stand for. Any other role word is an ARIA role."""

INTERACTIVE_ROLES = frozenset(
    "button checkbox combobox link listbox menuitem menuitemcheckbox menuitemradio radio searchbox slider spinbutton "
    "switch tab textbox treeitem ColorWell Date DateTime DisclosureTriangle InputTime".split()
)
"""What a scan must list, if the browser can focus it."""

ORYN_STATES = frozenset(
    "primary active hidden revealed password file date datetime-local month week time color".split()
)
"""Words that Chromium has no property for: hints of classes and forms, and the type of an input."""
UNSCANNED_STATES = frozenset({"collapsed", "multiple"})
"""A scan leaves `collapsed` out, which is what an element without `expanded` is; `multiple` is its role word."""

GLYPHS = re.compile("[\ue000-\uf8ff\U000f0000-\U0010ffff]+")
NAME_LIMIT = 150


def plain(name: str) -> str:
    """A name as both sides are compared: the pictures of icon fonts and white space are left out."""
    return "".join(GLYPHS.sub("", name).split())


class NameRule(NamedTuple):
    """`holds(chromium, oryn)` is whether both names say the same, although they differ."""

    holds: Callable[[BrowserNode, ScannerNode], bool]
    reason: str


def is_cut(node: BrowserNode, own: ScannerNode) -> bool:
    return own.name.endswith("…") and len(own.name) <= NAME_LIMIT and plain(node.name).startswith(plain(own.name[:-1]))


def is_said_by_content(node: BrowserNode, own: ScannerNode) -> bool:
    return not own.name and node.by_content and plain(own.content) == plain(node.name)


def is_taken_from_beside(node: BrowserNode, own: ScannerNode) -> bool:
    return not node.name and (own.role == "generic" or node.is_focusable)


NAME_RULES = (
    NameRule(is_cut, "the scanner cuts names at 150 characters"),
    NameRule(is_said_by_content, "a cell, a row or a list item says its name by what it holds, once"),
    NameRule(is_taken_from_beside, "an element to act on without a name has what a person reads as its label"),
)


def role_word(role: str) -> str:
    """Oryn's word for Chromium's role in a `tree`, '' if the scanner leaves such nodes out."""
    if role in MEANINGLESS_ROLES:
        return ""
    return next((word.oryn for word in ROLE_WORDS if word.chromium == role), role)


def scan_roles(kind: str, role: str) -> frozenset[str]:
    """The roles of Chromium's that the type and the role word of a scan's element stand for."""
    return SCAN_ROLES.get((kind, role), frozenset({role}))
