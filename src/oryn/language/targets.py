"""What a command acts on (intent-language §3): values, their canonical text and their JSON form.

5  @e5  "Sign in"  email  css("…")  xpath("…")  at(120,300)  "Save" near "Address" inside "Checkout"
"""

from __future__ import annotations

from typing import Any, Literal, get_args

from oryn.language.strings import number_text, quote
from oryn.records import Record

RoleName = Literal["email", "password", "search", "submit", "username", "phone", "url"]
Relation = Literal["near", "inside", "after", "before", "contains"]

ROLES: tuple[RoleName, ...] = get_args(RoleName)
ROLE_ALIASES: dict[str, RoleName] = {"tel": "phone"}
RELATIONS: tuple[Relation, ...] = get_args(Relation)


class Id(Record):
    """`5`: element `[5]` of the last observation."""

    number: int

    def __str__(self) -> str:
        return str(self.number)


class Reference(Record):
    """`@e5`: element `@e5` of the last snapshot."""

    number: int

    def __str__(self) -> str:
        return f"@e{self.number}"


class Text(Record):
    """`"Sign in"`: visible or accessible text, label, placeholder, then `name` or `id`."""

    text: str

    def __str__(self) -> str:
        return quote(self.text)


class Role(Record):
    """`email`: the element with that role."""

    name: RoleName

    def __str__(self) -> str:
        return self.name


class Css(Record):
    """`css("…")`: a CSS selector, which pierces open shadow roots."""

    selector: str

    def __str__(self) -> str:
        return f"css({quote(self.selector)})"


class XPath(Record):
    """`xpath("…")`: an XPath 1.0 expression."""

    expression: str

    def __str__(self) -> str:
        return f"xpath({quote(self.expression)})"


class Point(Record):
    """`at(120,300)`: a point of the viewport, in CSS pixels."""

    x: float
    y: float

    def __str__(self) -> str:
        return f"at({number_text(self.x)},{number_text(self.y)})"


Simple = Id | Reference | Text | Role | Css | XPath | Point


class Related(Record):
    """`A near B`: the `subject` in that relation to `to`. Chains associate to the right: a subject is never related."""

    subject: Simple
    relation: Relation
    to: Simple | Related

    def __str__(self) -> str:
        return f"{self.subject} {self.relation} {self.to}"


Target = Simple | Related


def relate(target: Target, relation: Relation, to: Target) -> Related:
    """`target` with a relation added at the end of its chain: `A near B` and `inside C` → `A near (B inside C)`."""
    if isinstance(target, Related):
        return Related(target.subject, target.relation, relate(target.to, relation, to))
    return Related(target, relation, to)


def target_json(target: Target) -> dict[str, Any]:
    """The tagged object of a target, as the scanner protocol's `find` takes it.

    `{"id": 5}` `{"reference": 5}` `{"text": s}` `{"role": s}` `{"css": s}` `{"xpath": s}` `{"point": [x, y]}`, and with
    a relation `{"text": s, "relation": {"kind": "near", "to": {…}}}`."""
    match target:
        case Related(subject, relation, to):
            return {**target_json(subject), "relation": {"kind": relation, "to": target_json(to)}}
        case Id(number):
            return {"id": number}
        case Reference(number):
            return {"reference": number}
        case Text(text):
            return {"text": text}
        case Role(name):
            return {"role": name}
        case Css(selector):
            return {"css": selector}
        case XPath(expression):
            return {"xpath": expression}
        case Point(x, y):
            return {"point": [x, y]}
