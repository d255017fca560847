"""The differences between the scanner's trees and Chromium's that stay: what each side says, and why.

Those of kind `BUG` are errors of the scanner, the most important first: mend one, and delete its rows. `STANDARD` are
those where Chromium deviates from the standard or from its current version, `CHROMIUM` say something about Chromium
alone, and `DELIBERATE` are decisions of Oryn. `python -m benchmarks.accessibility --bugs` prints the bugs.
"""

from __future__ import annotations

from enum import StrEnum
from typing import NamedTuple


class Kind(StrEnum):
    """Whose the difference is."""

    BUG = "a bug, to be mended"
    STANDARD = "the standard says so"
    CHROMIUM = "Chromium's own"
    DELIBERATE = "deliberate"


class Row(NamedTuple):
    """One difference: as `comparison.Difference`, with the page before it."""

    page: str
    element: str
    aspect: str
    chromium: str
    oryn: str


class Reason(NamedTuple):
    """Why these differences stay."""

    kind: Kind
    text: str
    rows: tuple[Row, ...]


# fmt: off
REASONS = (
    Reason(Kind.BUG, "details without a summary have one from the browser: nothing in either view can open them", (
        Row("roles/forms", "#details-summary summary", "role", "DisclosureTriangle", ""),
    )),
    Reason(Kind.BUG, "a box that holds nothing but a field is called by the text beside it, of another block even", (
        Row("roles/conflicts", "#checkbox-children", "name", "field", "Heading in a link and text"),
    )),
    Reason(Kind.STANDARD, "ARIA prohibits names of this role; Chromium has it anyway", (
        Row("names/2d-label", "#paragraph", "name", "prohibited", ""),
    )),
    Reason(Kind.STANDARD, "HTML-AAM: a figure is called by its caption", (
        Row("names/2e-native", "#figure", "name", "", "Figure caption"),
        Row("roles/embedded", "#figure", "name", "", "Caption"),
    )),
    Reason(Kind.STANDARD, "each node is consulted only once (accname-1.2, 2F)", (
        Row("names/2b-labelledby", "#same-twice", "name", "one one", "one"),
    )),
    Reason(Kind.STANDARD, "an attribute that does not exist, or that HTML has given up", (
        Row("names/2b-labelledby", "#british-spelling", "name", "one", "no"),
        Row("names/2e-native", "#summary", "name", "The summary", ""),
    )),
    Reason(Kind.STANDARD, "HTML-AAM: `alt`, then `title`, then the browser's own words; never `value`", (
        Row("names/2e-native", "#image-value", "name", "Picture's value", "Submit"),
    )),
    Reason(Kind.STANDARD, "HTML-AAM: a title names a file input; Chromium says what its button says", (
        Row("names/2i-tooltip", "#file-title", "name", "Choose File", "file"),
    )),
    Reason(Kind.STANDARD, "ARIA: a level that is no whole number above 0 is 2; one above 6 counts", (
        Row("roles/conflicts", "#heading-bad-level", "level", "1", "2"),
        Row("states/structure", "#deep-heading", "level", "2", "12"),
        Row("states/structure", "#text-level", "level", "1", "2"),
        Row("states/structure", "#negative-level", "level", "1", "2"),
    )),
    Reason(Kind.STANDARD, "HTML-AAM: `list` makes no combo box of a number, and a select that takes several options is a list whatever its size", (
        Row("roles/forms", "#number-list", "role", "combobox", "spinbutton"),
        Row("roles/forms", "#multiple-one", "role", "combobox", "listbox"),
        Row("roles/forms", "#multiple-one", "states", "", "multiple"),
        Row("roles/forms", "#number-list", "scan role", "combobox", "input/number"),
        Row("roles/forms", "#multiple-one", "scan role", "combobox", "select/multiple"),
    )),
    Reason(Kind.STANDARD, "an unknown token is the default, false (ARIA 1.2)", (
        Row("states/checks", "#role-invalid", "states", "checked", "unchecked"),
        Row("states/checks", "#role-upper", "states", "checked", "unchecked"),
        Row("states/checks", "#pressed-invalid", "states", "pressed", ""),
    )),
    Reason(Kind.STANDARD, "ARIA 1.2 has `aria-readonly` for this role, HTML `readonly` for this input; Chromium's protocol has it for text alone", (
        Row("states/fields", "#aria-readonly-checkbox", "states", "unchecked", "readonly unchecked"),
        Row("states/fields", "#readonly-combobox", "states", "collapsed", "collapsed readonly"),
        Row("states/fields", "#readonly-select", "states", "", "readonly"),
        Row("states/fields", "#readonly-slider", "states", "", "readonly"),
        Row("states/fields", "#readonly-date", "states", "", "readonly"),
        Row("states/fields", "#readonly-number", "states", "", "readonly"),
        Row("states/fields", "#readonly-combobox", "scan states", "", "readonly"),
        Row("practices/range", "#rating", "states", "", "readonly"),
    )),
    Reason(Kind.STANDARD, "HTML-ARIA allows this role for a box that says `aria-pressed`", (
        Row("roles/forms", "#check-as-button", "states", "", "pressed"),
    )),
    Reason(Kind.STANDARD, "HTML has `required` for this control; Chromium's protocol has it for text and lists alone", (
        Row("states/fields", "#required-select", "states", "", "required"),
        Row("states/fields", "#required-checkbox", "states", "invalid unchecked", "required unchecked"),
        Row("states/fields", "#required-radio", "states", "unchecked", "required unchecked"),
        Row("states/fields", "#required-file", "states", "invalid", "required"),
    )),
    Reason(Kind.STANDARD, "only items of a list that is presentational itself are so; this one has a label", (
        Row("roles/conflicts", "#labelled-li", "role", "", "listitem"),
    )),
    Reason(Kind.STANDARD, "HTML-AAM: an anchor without a target is generic; Chromium guesses from its listener", (
        Row("roles/embedded", "#pressable-anchor", "role", "link", "generic"),
        Row("roles/embedded", "#pressable-anchor", "scan role", "link", "generic/generic"),
    )),
    Reason(Kind.STANDARD, "SVG-AAM has `graphics-symbol`, which ARIA 1.2 does not have", (
        Row("roles/embedded", "#svg-focus", "role", "graphics-symbol", "generic"),
    )),
    Reason(Kind.CHROMIUM, "areas of a picture are in the tree below the picture, and not at their own elements", (
        Row("roles/embedded", "#area", "scan role", "", "link/generic"),
        Row("names/2e-native", "#area", "scan role", "", "link/generic"),
    )),
    Reason(Kind.CHROMIUM, "Chromium says of media that it cannot play that they are disabled, and calls them so", (
        Row("names/2e-native", "#video-title", "name", "Unable to play media.", "Film"),
        Row("names/2e-native", "#video-title", "states", "disabled", ""),
        Row("names/2h-recursion", "#video-inside", "name", "Film Unable to play media.", "Film film"),
        Row("roles/embedded", "#video", "name", "Unable to play media.", ""),
        Row("roles/embedded", "#video", "states", "disabled", ""),
        Row("roles/embedded", "#video-named", "name", "Unable to play media.", "Film"),
        Row("roles/embedded", "#video-named", "states", "disabled", ""),
        Row("roles/embedded", "#bare-video", "name", "Unable to play media.", ""),
        Row("roles/embedded", "#bare-video", "states", "disabled", ""),
        Row("roles/embedded", "#audio", "name", "Unable to play media.", "Song"),
        Row("roles/embedded", "#audio", "states", "disabled", ""),
    )),
    Reason(Kind.DELIBERATE, "an editor is a text box whatever it is made of: one types into it", (
        Row("roles/forms", "#editable", "role", "generic", "textbox"),
        Row("roles/forms", "#plain-editable", "role", "generic", "textbox"),
        Row("roles/forms", "#editable", "scan role", "generic", "generic/textbox"),
        Row("roles/forms", "#plain-editable", "scan role", "generic", "generic/textbox"),
        Row("roles/forms", "#editable-paragraph", "scan role", "paragraph", "generic/textbox"),
    )),
    Reason(Kind.DELIBERATE, "what an author calls an option, an item or a form is operated as one, also outside of a list and without a name", (
        Row("names/2f-content", "#option", "role", "generic", "option"),
        Row("names/2f-content", "#treeitem", "role", "generic", "treeitem"),
        Row("names/2f-content", "#option", "scan role", "generic", "generic/option"),
        Row("names/2f-content", "#treeitem", "scan role", "generic", "generic/treeitem"),
        Row("roles/conflicts", "#stray-option", "role", "generic", "option"),
        Row("roles/conflicts", "#stray-item", "role", "generic", "listitem"),
        Row("roles/conflicts", "#stray-option", "scan role", "generic", "generic/option"),
    )),
    Reason(Kind.DELIBERATE, "a state that the author gives a role that has none is what a person sees", (
        Row("states/checks", "#unsupported-checked", "states", "", "checked"),
        Row("states/checks", "#pressed-link", "states", "", "pressed"),
        Row("states/checks", "#expanded-heading", "states", "", "expanded"),
        Row("states/checks", "#expanded-textbox", "states", "", "expanded"),
        Row("states/checks", "#unsupported-selected", "states", "", "selected"),
        Row("states/checks", "#roleless-checked", "scan states", "", "checked"),
        Row("states/fields", "#readonly-button", "states", "", "readonly"),
        Row("states/fields", "#required-unsupported", "states", "", "required"),
        Row("states/structure", "#link-level", "level", "", "2"),
    )),
    Reason(Kind.DELIBERATE, "a field is invalid once the browser shows it: after the user has left it", (
        Row("states/fields", "#invalid-number", "states", "invalid", ""),
        Row("states/fields", "#invalid-email", "states", "invalid", ""),
        Row("states/fields", "#invalid-pattern", "states", "invalid", ""),
    )),
    Reason(Kind.DELIBERATE, "nothing says how long a password is", (
        Row("names/2c-embedded", "#secret", "name", "word •••• kept", "word kept"),
    )),
    Reason(Kind.DELIBERATE, "a person sees the reading above the characters", (
        Row("names/2h-recursion", "#ruby-inside", "name", "漢", "漢kan"),
    )),
    Reason(Kind.DELIBERATE, "nobody sees what a canvas holds", (
        Row("names/2h-recursion", "#canvas-inside", "name", "Canvas fallback", "Canvas"),
    )),
    Reason(Kind.DELIBERATE, "a branch of a tree is not called by its items", (
        Row("practices/tree", "#about", "name", "About About", "About"),
    )),
    Reason(Kind.DELIBERATE, "what is inside a button or a link is said by its name", (
        Row("names/2h-recursion", "#math-inside math", "role", "MathMLMath", ""),
        Row("names/2h-recursion", "#figure-inside figure img", "role", "image", ""),
        Row("names/2h-recursion", "#frame-inside iframe p", "role", "paragraph", ""),
    )),
    Reason(Kind.DELIBERATE, "a scan lists what a person sees behind a modal dialog; a tree does not", (
        Row("practices/dialog-modal", "#behind-button", "scan role", "", "button/generic"),
    )),
    Reason(Kind.DELIBERATE, "a term that is defined inside a text is text", (
        Row("roles/lists-and-text", "#dfn", "role", "term", ""),
    )),
)
# fmt: on


def rows_of(subject: str) -> set[Row]:
    """The rows of the pages in one folder."""
    return {row for reason in REASONS for row in reason.rows if row.page.startswith(f"{subject}/")}


def bug_lines() -> list[str]:
    """A line for each bug, and one for each of its rows."""
    lines = []
    for reason in REASONS:
        if reason.kind is Kind.BUG:
            lines.append(f"- {reason.text}")
            lines += [
                f"    {row.page} {row.element} {row.aspect}: Chromium {row.chromium!r}, Oryn {row.oryn!r}"
                for row in reason.rows
            ]
    return lines
