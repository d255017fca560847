"""Where Oryn says the same as Chromium in other words: the only place that maps roles, names and states, with reasons.

What no row here explains is a difference (`differences.py`).
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from typing import NamedTuple

from tests.scanner.accessibility.browser_tree import BrowserNode, DocumentNode
from tests.scanner.accessibility.scanner_trees import ScannerNode


class RoleWord(NamedTuple):
    """Chromium's role `chromium` is Oryn's `oryn` in the `tree`; '' if the scanner may leave such a node out."""

    chromium: str
    oryn: str
    reason: str


INTERNAL = "Chromium's own name for what HTML-AAM maps to this role"
UNTYPED = "HTML-AAM has no role for it; the states name the type of the input"
LAYOUT = "HTML-AAM says so of every table; Chromium guesses that one without marks lays out the page"
ROLE_WORDS = (
    RoleWord("image", "img", "ARIA 1.3 has both words for one role"),
    RoleWord("Iframe", "iframe", INTERNAL),
    RoleWord("IframePresentational", "iframe", INTERNAL + "; what is in the frame is another document anyway"),
    RoleWord("Video", "video", INTERNAL),
    RoleWord("Audio", "audio", INTERNAL),
    RoleWord("DisclosureTriangle", "button", INTERNAL + ": a summary"),
    RoleWord("DisclosureTriangleGrouped", "button", INTERNAL + ": a summary of details with a name"),
    RoleWord("Date", "textbox", UNTYPED),
    RoleWord("DateTime", "textbox", UNTYPED),
    RoleWord("InputTime", "textbox", UNTYPED),
    RoleWord("ColorWell", "textbox", UNTYPED),
    RoleWord("MathMLMath", "math", INTERNAL),
    RoleWord("SvgRoot", "img", "HTML-AAM has `graphics-document` for it, which ARIA 1.2 does not have"),
    RoleWord("SvgRoot", "", "a drawing without a name is what is in it"),
    RoleWord("LayoutTable", "table", LAYOUT),
    RoleWord("LayoutTableRow", "row", LAYOUT),
    RoleWord("LayoutTableCell", "cell", LAYOUT),
    *(
        RoleWord(f"LayoutTable{part}", "", "a single row or column, or what has a table inside")
        for part in ("", "Row", "Cell")
    ),
)

MEANINGLESS_ROLES: Mapping[str, str] = {
    "": "has no role",
    "none": "has no role",
    "generic": "has no role",
    "RootWebArea": "the page: it stands beside the nodes",
    **dict.fromkeys(
        ("StaticText", "InlineTextBox", "ListMarker", "LineBreak", "LayoutBR"), "text, which has no element"
    ),
    **dict.fromkeys(("LabelText", "Legend", "caption", "Figcaption"), "its text is the name of another node"),
    **dict.fromkeys(
        ("emphasis", "strong", "mark", "subscript", "superscript", "time", "code", "insertion", "Abbr", "Ruby"),
        "says how a text is set; the text is what counts",
    ),
    **dict.fromkeys(("sectionheader", "sectionfooter"), "roles of the ARIA 1.3 draft: in ARIA 1.2 these are generic"),
    "RubyAnnotation": "text",
    "rowgroup": "rows say where they are",
    "DescriptionList": "its terms and definitions stand for themselves",
    "Canvas": "pixels without a name",
    "MenuListPopup": "the options of a select are in its `options`",
    **dict.fromkeys(("EmbeddedObject", "PluginObject"), "what it shows is no part of the page"),
}
"""Chromium's roles that the scanner leaves out, and why. So are the letters of formulas (`MathML…`), which are text."""

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
    ("input", "text"): frozenset({"textbox", "combobox", "spinbutton"}),  # which is typed into, too
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
    ("link", "generic"): frozenset({"link", "menuitem"}),  # one in a menu is followed like any other
    **{
        ("button", role): frozenset({"button", "DisclosureTriangle", "DisclosureTriangleGrouped"})
        for role in ("generic", "submit", "primary")
    },
    ("checkbox", "generic"): frozenset({"checkbox"}),
    ("radio", "generic"): frozenset({"radio"}),
    ("generic", "frame"): frozenset({"Iframe", "IframePresentational"}),
}
"""Type and role word of a scan's element, and the roles that they stand for. Any other role word is an ARIA role."""

INTERACTIVE_ROLES = frozenset(
    "button checkbox combobox link listbox menuitem menuitemcheckbox menuitemradio radio searchbox slider spinbutton "
    "switch tab textbox treeitem ColorWell Date DateTime DisclosureTriangle DisclosureTriangleGrouped InputTime".split()
)
"""What a scan must list, if the browser can focus it."""

ORYN_STATES = frozenset(
    "primary active hidden revealed password file date datetime-local month week time color".split()
)
"""Words that Chromium has no property for: hints of classes and forms, and the type of an input."""
UNSCANNED_STATES = frozenset({"busy", "collapsed", "multiple"})
"""A scan leaves `collapsed` out, which is what an element without `expanded` is; `multiple` is its role word; a control
is never `busy` itself."""
UNREPORTED: Mapping[str, str] = {
    "hasPopup": "a scan has `aria-haspopup` among its attributes; what opens is listed when it is open",
    "modal": "a tree with an open modal dialog has nothing else; a scan has the pattern `modal`",
    "orientation": "commands move a slider either way",
    "live": "changes are reported as text changes, by kind",
    "roledescription": "a word for people, not for targets",
}
"""Properties that no state is about, and why."""


def states_of(node: BrowserNode) -> frozenset[str]:
    """The states that the scanner must report of Chromium's node."""
    states = node.states | _order_above(node)
    # A closed native select is `collapsed` for Chromium. It is always closed for the scanner, which chooses without it.
    return states - {"collapsed", "expanded"} if node.place.tag == "select" else states


def _order_above(node: BrowserNode) -> frozenset[str]:
    """How the column is sorted whose header an element is in: the button that sorts it says so too."""
    orders = frozenset({"ascending", "descending"})
    return next((above.states & orders for above in node.ancestors() if above.states & orders), frozenset())


def level_of(node: BrowserNode) -> int | None:
    """The level that the scanner must report: a heading's, or one that the author wrote. Chromium counts others from the
    nesting of lists and trees, which the depth of the rows shows."""
    return node.level if node.role == "heading" or "aria-level" in node.place.attributes else None


GLYPHS = re.compile("[\ue000-\uf8ff\U000f0000-\U0010ffff]+")
NAME_LIMIT = 150


def plain(name: str) -> str:
    """A name as both sides are compared: the pictures of icon fonts and white space are left out."""
    return "".join(GLYPHS.sub("", name).split())


UNSEEN = "a scan lists what cannot be seen with `include_hidden` alone"
CONCEALED = "a scan lists what `aria-hidden` or `inert` takes from assistive technology as long as a person sees it"


DRAWN = "a box that a page draws by its label, or a file input, has a node in the place of the label"


def is_drawn_by_label(place: DocumentNode, role: str) -> bool:
    """Whether a page may show the label of this input in its place."""
    return place.tag == "input" and place.attributes.get("type") in ("checkbox", "radio", "file") and role != "generic"


def is_concealed(place: DocumentNode) -> bool:
    """Whether the page takes an element away from assistive technology."""
    around: DocumentNode | None = place
    while around:
        if around.attributes.get("aria-hidden") == "true" or "inert" in around.attributes:
            return True
        around = around.parent
    return False


class NameRule(NamedTuple):
    """`holds(chromium, oryn)` is whether both names say the same, although they differ."""

    holds: Callable[[BrowserNode, ScannerNode], bool]
    reason: str


def is_cut(node: BrowserNode, own: ScannerNode) -> bool:
    return own.name.endswith("…") and len(own.name) <= NAME_LIMIT and plain(node.name).startswith(plain(own.name[:-1]))


def is_said_by_content(node: BrowserNode, own: ScannerNode) -> bool:
    return not own.name and node.by_content and plain(own.content) == plain(node.name)


def is_in_other_case(node: BrowserNode, own: ScannerNode) -> bool:
    return plain(node.name).casefold() == plain(own.name).casefold()


def is_address(node: BrowserNode, own: ScannerNode) -> bool:
    return not node.name and own.role in ("iframe", "frame")


def is_taken_from_beside(node: BrowserNode, own: ScannerNode) -> bool:
    return not plain(node.name) and own.is_interactive


NAME_RULES = (
    NameRule(is_cut, "the scanner cuts names at 150 characters"),
    NameRule(is_said_by_content, "a cell, a row or a list item says its name by what it holds, once"),
    NameRule(is_in_other_case, "the scanner has the letters as they are written, Chromium as a style shows them"),
    NameRule(is_address, "a frame without a name is called by its address"),
    NameRule(is_taken_from_beside, "an element to act on without a name has what a person reads as its label"),
)


def role_words(role: str) -> frozenset[str]:
    """Oryn's words for Chromium's role in a `tree`, '' among them if the scanner may leave the node out."""
    if role in MEANINGLESS_ROLES or (role.startswith("MathML") and role != "MathMLMath"):
        return frozenset({""})
    return frozenset(word.oryn for word in ROLE_WORDS if word.chromium == role) or frozenset({role})


def scan_roles(kind: str, role: str) -> frozenset[str]:
    """The roles of Chromium's that the type and the role word of a scan's element stand for."""
    return SCAN_ROLES.get((kind, role), frozenset({role}))
