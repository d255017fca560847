"""Value classes: what they take, and that the `__init__` that is compiled for them takes the same."""

from __future__ import annotations

from typing import Any

import pytest

from oryn.core.records import COMPILE_AFTER, Field, Record, field


class Point(Record):
    x: int
    y: int = 2
    tags: list[str] = field(factory=list)
    unit: str = Field(default="px", keyword=True)  # type: ignore[assignment]


class NamedPoint(Point):
    """Its own field, which has a default, comes before the inherited required one."""

    name: str = ""


class Marked(Record):
    mark: str
    _assign: int = 1


def create_all(type_: type[Record]) -> None:
    """Make as many values as it takes until the class is compiled."""
    for _ in range(COMPILE_AFTER):
        type_(x=1) if issubclass(type_, Point) else type_("a")


@pytest.mark.parametrize("compiled", [False, True])
def test_values_and_defaults(compiled: bool) -> None:
    if compiled:
        create_all(Point)
        assert Point.__init__ is not Record.__init__
    point = Point(1, unit="mm")
    assert point.values() == {"x": 1, "y": 2, "tags": [], "unit": "mm"}
    assert point == Point(x=1, y=2, unit="mm") != Point(1)
    assert Point(1).tags is not Point(1).tags
    assert Point(1, 5).replace(x=3) == Point(3, 5)
    assert repr(point) == "Point(1, tags=[], unit='mm')"


@pytest.mark.parametrize("compiled", [False, True])
@pytest.mark.parametrize(
    ("values", "named"),
    [((), {}), ((1, 2, [], "px"), {}), ((1,), {"x": 1}), ((1,), {"z": 1}), ((), {"y": 1})],
)
def test_wrong_arguments(compiled: bool, values: tuple[Any, ...], named: dict[str, Any]) -> None:
    if compiled:
        create_all(Point)
    with pytest.raises(TypeError):
        Point(*values, **named)


def test_a_subclass_has_its_own_fields() -> None:
    create_all(Point)
    create_all(NamedPoint)
    assert NamedPoint("A", 1, 5) == NamedPoint(name="A", x=1, y=5)


def test_field_names_do_not_clash_with_the_compiled_code() -> None:
    create_all(Marked)
    assert Marked("b", 7).values() == {"mark": "b", "_assign": 7}
