"""Targets of commands (docs/spec/intent-language.md#targets): values, their canonical text and their JSON form.

5  @e5  "Sign in"  button "Save"  email  label("E-mail")  /Sav(e|ing)/i  css("…")  xpath("…")  at(120,300)
"Save" near "Address" inside "Checkout"
"""

from __future__ import annotations

import re
from typing import Literal, NotRequired, TypedDict, get_args

from oryn.core.records import Record
from oryn.language.lexer import number_text, quote

RoleName = Literal["email", "password", "search", "submit", "username", "phone", "url"]
Relation = Literal["near", "inside", "after", "before", "contains"]
TextSource = Literal["label", "placeholder", "title", "alt"]
"""Where a text stands that only a part of an element's texts is compared with. `label` includes `aria-label`."""

ROLES: tuple[RoleName, ...] = get_args(RoleName)
ROLE_ALIASES: dict[str, RoleName] = {"tel": "phone"}
RELATIONS: tuple[Relation, ...] = get_args(Relation)
TEXT_SOURCES: tuple[TextSource, ...] = get_args(TextSource)

ELEMENT_TYPES = ("input", "button", "link", "select", "textarea", "checkbox", "radio", "generic")
"""The types of elements in answers."""

# https://www.w3.org/TR/wai-aria-1.2/#role_definitions, without `none`, `presentation` and `search`, which is a role of
# fields here.
KINDS = frozenset((*ELEMENT_TYPES, *"""
    alert alertdialog application article banner blockquote canvas caption cell code columnheader combobox
    complementary contentinfo definition deletion dialog directory document emphasis feed figure form frame grid
    gridcell group heading image img insertion list listbox listitem log main marquee math menu menubar menuitem
    menuitemcheckbox menuitemradio meter navigation note option paragraph progressbar radiogroup region row rowgroup
    rowheader scrollbar searchbox separator slider spinbutton status strong subscript superscript switch tab table
    tablist tabpanel term textbox time timer toolbar tooltip tree treegrid treeitem
""".split()))  # fmt: skip
"""The words that name an element's kind: ARIA's roles and the types of answers."""


def is_kind(word: str) -> bool:
    """Return whether a word in lower case names a kind: a role, a type, or both as answers print them
    (`input/email`)."""
    kind, slash, role = word.partition("/")
    return word in KINDS or (bool(slash) and kind in ELEMENT_TYPES and role.replace("-", "").isalpha())


class IdTarget(Record):
    """`5`: element `[5]` of the last observation."""

    number: int

    def __str__(self) -> str:
        return str(self.number)


class ReferenceTarget(Record):
    """`@e5`: element `@e5` of the last snapshot."""

    number: int

    def __str__(self) -> str:
        return f"@e{self.number}"


_SELECTOR = re.compile(r"[.#\[*]|.*( > |::|:[a-zA-Z])", re.DOTALL)


def is_selector(text: str) -> bool:
    """Whether a quoted text of `exists`, `count` or `wait exists|gone` is a CSS selector, because it can only be
    one (docs/spec/intent-language.md#texts-that-are-selectors)."""
    return _SELECTOR.match(text) is not None


class TextTarget(Record):
    """`"Sign in"`: visible or accessible text, label, placeholder, then `name` or `id`."""

    text: str

    def __str__(self) -> str:
        return quote(self.text)


class KindTarget(Record):
    """`button "Save"`: the element of that kind with that text, as observations print it. `number` is that of
    `[5] button "Save"`, `reference` that of `button "Save" @e5`: the element with it, if it is still called so. An
    empty text fits every element of the kind."""

    kind: str
    text: str
    number: int | None = None
    reference: int | None = None

    def __str__(self) -> str:
        number = "" if self.number is None else f"[{self.number}] "
        reference = "" if self.reference is None else f" @e{self.reference}"
        return f"{number}{self.kind} {quote(self.text)}{reference}"


class SourceTarget(Record):
    """`label("E-mail")`: the element of which this is, or begins, the label (also `aria-label`), the placeholder, the
    title or the alternative text, and nothing else of it."""

    source: TextSource
    text: str

    def __str__(self) -> str:
        return f"{self.source}({quote(self.text)})"


class PatternTarget(Record):
    """`/Sav(e|ing)/i`: the element with a text in which the regular expression, of JavaScript's, is found; with `kind`
    only one of that kind (`button /Sav/`), with `source` only in that text (`label(/E-?mail/)`)."""

    pattern: str
    flags: str = ""
    kind: str | None = None
    source: TextSource | None = None

    def __str__(self) -> str:
        literal = f"/{self.pattern}/{self.flags}"
        if self.source:
            return f"{self.source}({literal})"
        return f"{self.kind} {literal}" if self.kind else literal


class RoleTarget(Record):
    """`email`: the element with that role."""

    name: RoleName

    def __str__(self) -> str:
        return self.name


class CssTarget(Record):
    """`css("…")`: a CSS selector, which pierces shadow roots."""

    selector: str

    def __str__(self) -> str:
        return f"css({quote(self.selector)})"


class XPathTarget(Record):
    """`xpath("…")`: an XPath 1.0 expression."""

    expression: str

    def __str__(self) -> str:
        return f"xpath({quote(self.expression)})"


class PointTarget(Record):
    """`at(120,300)`: a point of the viewport, in CSS pixels."""

    x: float
    y: float

    def __str__(self) -> str:
        return f"at({number_text(self.x)},{number_text(self.y)})"


SimpleTarget = (
    IdTarget
    | ReferenceTarget
    | TextTarget
    | KindTarget
    | SourceTarget
    | PatternTarget
    | RoleTarget
    | CssTarget
    | XPathTarget
    | PointTarget
)


class RelatedTarget(Record):
    """A target by a relation: `A near B` is the `subject` in that relation to `to`. Chains associate to the right: a
    subject is never related."""

    subject: SimpleTarget
    relation: Relation
    to: SimpleTarget | RelatedTarget

    def __str__(self) -> str:
        return f"{self.subject} {self.relation} {self.to}"


Target = SimpleTarget | RelatedTarget


def add_relation(target: Target, relation: Relation, to: Target) -> RelatedTarget:
    """Add a relation at the end of the target's chain: `A near B` and `inside C` → `A near (B inside C)`."""
    if isinstance(target, RelatedTarget):
        return RelatedTarget(target.subject, target.relation, add_relation(target.to, relation, to))
    return RelatedTarget(target, relation, to)


class RelationData(TypedDict):
    kind: Relation
    to: TargetData


class TargetData(TypedDict):
    """A target as a tagged object: one of its members, and a relation if it has one."""

    text: NotRequired[str]
    kind: NotRequired[str]
    """With `text` or `pattern`: a role of ARIA's, a type of an element, or `type/role`."""
    source: NotRequired[TextSource]
    """With `text` or `pattern`: the only text of an element that it is compared with."""
    pattern: NotRequired[str]
    """In the place of `text`: a regular expression of JavaScript's."""
    flags: NotRequired[str]
    role: NotRequired[str]
    id: NotRequired[int]
    reference: NotRequired[int]
    css: NotRequired[str]
    xpath: NotRequired[str]
    point: NotRequired[list[float]]
    relation: NotRequired[RelationData]


def target_json(target: Target) -> TargetData:
    """Return the tagged object of a target, in the form that the scanner protocol's `find` accepts.

    `{"id": 5}` `{"reference": 5}` `{"text": s}` `{"kind": s, "text": s}` `{"source": s, "text": s}`
    `{"pattern": s, "flags": s}` `{"role": s}` `{"css": s}` `{"xpath": s}` `{"point": [x, y]}`, and with a relation
    `{"text": s, "relation": {"kind": "near", "to": {…}}}`."""
    match target:
        case RelatedTarget(subject, relation, to):
            return {**target_json(subject), "relation": {"kind": relation, "to": target_json(to)}}
        case IdTarget(number):
            return {"id": number}
        case ReferenceTarget(number):
            return {"reference": number}
        case TextTarget(text):
            return {"text": text}
        case KindTarget(kind, text, number, reference):
            data: TargetData = {"kind": kind, "text": text}
            if number is not None:
                data["id"] = number
            if reference is not None:
                data["reference"] = reference
            return data
        case SourceTarget(source, text):
            return {"source": source, "text": text}
        case PatternTarget(pattern, flags, kind, source):
            data = {"pattern": pattern, "flags": flags}
            if kind is not None:
                data["kind"] = kind
            if source is not None:
                data["source"] = source
            return data
        case RoleTarget(name):
            return {"role": name}
        case CssTarget(selector):
            return {"css": selector}
        case XPathTarget(expression):
            return {"xpath": expression}
        case PointTarget(x, y):
            return {"point": [x, y]}
