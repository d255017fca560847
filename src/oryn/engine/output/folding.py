"""The elements of a large page in few lines (docs/spec/intent-language.md#folded-lines). Pure.

Nothing is left out: each element has its number by its place in a line, and what is called like another one has it
before its name.

* A *run* is several elements that differ by name alone: `[4]-[6] link "Home", "News", [6] "Video"`.
* *Groups* are cards or rows of the same elements again and again:
  `[7]-[12] 3 × (link, button "Add to cart"): [7] "Fern", [9] "Ivy", [11] "Palm"`.
* *Equals* have nothing that tells them apart: `[14]-[19] 6 × button "Remove"`.
* What has no name stands behind what it follows, as icons do: `[13] input/text "City" + [14]`.
* An *echo* repeats the lines of other elements, as a menu for small screens does: `[40]-[45] as [4]-[9]`."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Sequence, Set
from functools import partial
from typing import Any, TypeVar

from oryn.core import text_safety
from oryn.core.records import Record, field
from oryn.engine.output.elements import Element, kind, line, quoted_name, ranges, without_repetition

Part = TypeVar("Part")

MAX_UNFOLDED = 50
"""How many elements an observation has at most whose elements have a line each."""
MIN_RUN = 3
MAX_ITEMS_PER_LINE = 10
"""How many elements or groups a line has at most: places in it can still be counted."""
MAX_LINE_CHARACTERS = 300
"""Length of the names from which on a line has no further one."""
MAX_GROUP_SIZE = 8
MIN_GROUPS = 3
MIN_ECHO = 6
MAX_EARLIER_PLACES = 16
"""How many earlier places of an element are compared with what follows it."""


class _Fold(Record):
    """Elements that stand in lines together, from a place in the list on."""

    start: int
    count: int
    render: Callable[[Sequence[Element], Counter[str]], Iterator[str]]
    """Renders them, with how often each name is on the page."""
    repeats: bool = False
    """Whether their names stand in other lines already."""

    @property
    def end(self) -> int:
        return self.start + self.count

    def part(self, segment: _Segment) -> Sequence[Element]:
        return segment.elements[self.start : self.end]


class FoldedTable(Record):
    """A table of which only the first rows are displayed."""

    first: int
    """The number of the first element in its rows."""
    last: int
    """The number of the last one that is displayed."""
    rows: int
    columns: Sequence[str]
    elements: Sequence[int]
    """The numbers in the other rows."""

    def head(self) -> str:
        """`table 60 rows, columns id | city`"""
        return f"table {self.rows} rows, columns {' | '.join(map(text_safety.plain, self.columns))}"

    def rest(self) -> str:
        """`… further rows: 12-188`"""
        return f"… further rows: {ranges(self.elements)}"


class Overview(Record):
    """How the elements of a page are displayed."""

    raised: frozenset[int] = frozenset()
    """The numbers of those that are in a dialog or a menu over the page. They come first in the list."""
    tables: Sequence[FoldedTable] = ()

    def left_out(self, elements: Sequence[Element]) -> set[int]:
        """The numbers that the line of a displayed table stands for."""
        displayed = {element["id"] for element in elements}
        return {n for table in self.tables if table.last in displayed for n in table.elements}


class _Segment(Record):
    """Elements that no line may mix with others, between lines of their own."""

    elements: list[Element] = field(factory=list)
    before: list[str] = field(factory=list)
    after: list[str] = field(factory=list)


def folded_lines(elements: Sequence[Element], overview: Overview | None = None) -> list[str]:
    """Return the lines of an observation's elements, one each if they are few."""
    segments = list(_segments(elements, overview or Overview()))
    folding = [list(_folds(segment.elements)) for segment in segments]
    if sum(len(segment.elements) for segment in segments) <= MAX_UNFOLDED:
        folding = [[_Fold(0, len(segment.elements), _single)] for segment in segments]
    placed = [(segment, fold) for segment, folds in zip(segments, folding, strict=True) for fold in folds]
    counts = Counter(_folded_name(e) for segment, fold in placed if not fold.repeats for e in fold.part(segment))
    lines: list[str] = []
    for segment, folds in zip(segments, folding, strict=True):
        lines += segment.before
        for place, fold in enumerate(folds):
            found = list(fold.render(fold.part(segment), counts))
            if place and fold.render is _bare_line:
                found = [f"{lines.pop()} {found[0]}"]
            lines += found
        lines += segment.after
    return lines


def _segments(elements: Sequence[Element], overview: Overview) -> Iterator[_Segment]:
    left_out = overview.left_out(elements)
    firsts = {table.first: table for table in overview.tables if left_out.issuperset(table.elements)}
    lasts = {table.last: table for table in firsts.values()}
    segment = _Segment(before=["# on top"] if overview.raised else [])
    is_on_top = bool(overview.raised)
    for element in elements:
        number = element["id"]
        if number in left_out:
            continue
        if is_on_top and number not in overview.raised:
            is_on_top = False
            yield segment
            segment = _Segment(before=["", "# page"])
        if number in firsts:
            yield segment
            segment = _Segment(before=[firsts[number].head()])
        segment.elements.append(element)
        if number in lasts:
            segment.after.append(lasts[number].rest())
            yield segment
            segment = _Segment()
    yield segment


def _folds(elements: Sequence[Element]) -> Iterator[_Fold]:
    """Groups come first, then equals and echoes; what none of them takes are runs and single elements."""
    shapes = [_shape(element) for element in elements]
    ends = _ends_of_sequences(elements)
    taken: dict[int, _Fold] = {}
    start = 0
    while start < len(elements):
        if fold := _groups(shapes, start, ends[start]):
            taken[start] = fold
        start = fold.end if fold else start + 1
    for find in (_equals, _echoes):
        places = {place for each in taken.values() for place in range(each.start, each.end)}
        taken |= {fold.start: fold for fold in find(elements, ends, places)}
    start = 0
    for begin in [*sorted(taken), len(elements)]:
        while start < begin:
            fold = _bare(elements, start, begin) if start else None
            fold = fold or _run(shapes, start, min(ends[start], begin))
            yield fold
            start = fold.end
        if begin in taken:
            yield taken[begin]
            start = taken[begin].end


def _ends_of_sequences(elements: Sequence[Element]) -> list[int]:
    """Return for each place where the consecutive numbers that it is in end."""
    ends = [len(elements)] * len(elements)
    for place in range(len(elements) - 2, -1, -1):
        follows = elements[place + 1]["id"] == elements[place]["id"] + 1
        ends[place] = ends[place + 1] if follows else place + 1
    return ends


def _form(element: Element) -> tuple[Any, ...]:
    """What a line of the element says, but for its number and what tells it from its like."""
    options = element.get("options")
    return (
        kind(element),
        element["text"],
        tuple(element.get("modifiers") or ()),
        element.get("value"),
        (tuple(options["first"]), options["count"]) if options else None,
    )


def _shape(element: Element) -> tuple[Any, ...] | None:
    """What elements of a run have in common; None if the element's line says more than that and its name."""
    if element.get("options") or element.get("value"):
        return None
    return kind(element), tuple(element.get("modifiers") or ())


def _folded_name(element: Element) -> str:
    return without_repetition(element["text"]).casefold()


# One element.


def _single(elements: Sequence[Element], counts: Counter[str]) -> Iterator[str]:
    yield from map(line, elements)


# What has no name.


def _bare(elements: Sequence[Element], start: int, end: int) -> _Fold | None:
    """Elements without a name, a state and a role from `start` on, such as icons beside a control; or None."""
    stop = start
    while stop < end and kind(elements[stop]) == "generic" and _has_nothing_but_a_number(elements[stop]):
        stop += 1
    return _Fold(start, stop - start, _bare_line) if stop > start else None


def _has_nothing_but_a_number(element: Element) -> bool:
    return not (element["text"] or element.get("modifiers") or element.get("value") or element.get("options"))


def _bare_line(elements: Sequence[Element], counts: Counter[str]) -> Iterator[str]:
    yield " ".join(f"+ [{element['id']}]" for element in elements)


# Equals.


def _equals(elements: Sequence[Element], ends: Sequence[int], taken: Set[int]) -> Iterator[_Fold]:
    forms = [_form(element) if element["text"] and not element.get("context") else None for element in elements]
    start = 0
    while start < len(elements):
        stop = start + 1
        if start not in taken and forms[start] is not None:
            while stop < ends[start] and stop not in taken and forms[stop] == forms[start]:
                stop += 1
        if stop - start >= MIN_RUN:
            yield _Fold(start, stop - start, _equals_line)
        start = stop


def _equals_line(elements: Sequence[Element], counts: Counter[str]) -> Iterator[str]:
    yield f"{_range(elements)} {len(elements)} × {line(elements[0]).partition(' ')[2]}"


# Runs.


def _run(shapes: Sequence[Any], start: int, end: int) -> _Fold:
    stop = start
    while stop < end and shapes[stop] is not None and shapes[stop] == shapes[start]:
        stop += 1
    return _Fold(start, stop - start, _run_lines) if stop - start >= MIN_RUN else _Fold(start, 1, _single)


def _run_lines(elements: Sequence[Element], counts: Counter[str]) -> Iterator[str]:
    title = _title(elements[0])
    for part in _parts(elements, _described_name):
        if len(part) == 1:
            yield line(part[0])
            continue
        names = [_numbered_name(part[0], numbered=False)]
        names += [_numbered_name(each, numbered=counts[_folded_name(each)] > 1) for each in part[1:]]
        yield f"{_range(part)} {title} {', '.join(names)}"


def _parts(items: Sequence[Part], text: Callable[[Part], str]) -> Iterator[Sequence[Part]]:
    """Cut what is to be rendered into lines that can be surveyed."""
    start = length = 0
    for place, item in enumerate(items):
        length += len(text(item))
        if place > start and (place - start >= MAX_ITEMS_PER_LINE or length > MAX_LINE_CHARACTERS):
            yield items[start:place]
            start, length = place, len(text(item))
    yield items[start:]


def _title(element: Element) -> str:
    modifiers = element.get("modifiers")
    return kind(element) + (f" {{{', '.join(modifiers)}}}" if modifiers else "")


def _described_name(element: Element) -> str:
    """The name, and what tells the element from its like."""
    name = quoted_name(without_repetition(element["text"]))
    context = element.get("context")
    return f"{name} in {quoted_name(context)}" if context else name


def _numbered_name(element: Element, *, numbered: bool) -> str:
    return f"[{element['id']}] {_described_name(element)}" if numbered else _described_name(element)


def _range(elements: Sequence[Element]) -> str:
    return f"[{elements[0]['id']}]-[{elements[-1]['id']}]"


# Groups.


def _groups(shapes: Sequence[Any], start: int, end: int) -> _Fold | None:
    """The groups that cover the most elements from `start` on, or None."""
    best = size = 0
    for candidate in range(2, MAX_GROUP_SIZE + 1):
        count = _repetitions(shapes, start, end, candidate)
        is_run = len(set(shapes[start : start + candidate])) == 1
        if count >= MIN_GROUPS and not is_run and count * candidate > best:
            best, size = count * candidate, candidate
    return _Fold(start, best, partial(_group_lines, size)) if best else None


def _repetitions(shapes: Sequence[Any], start: int, end: int, size: int) -> int:
    if start + size > end or None in shapes[start : start + size]:
        return 0
    place = start + size
    while place < end and shapes[place] == shapes[place - size]:
        place += 1
    return (place - start) // size


def _group_lines(size: int, elements: Sequence[Element], counts: Counter[str]) -> Iterator[str]:
    groups = [elements[place : place + size] for place in range(0, len(elements), size)]
    fixed = [len({group[slot]["text"] for group in groups}) == 1 for slot in range(size)]
    varying = [slot for slot in range(size) if not fixed[slot]]
    parts = [_title(each) + (f" {_name(each)}" if fixed[slot] else "") for slot, each in enumerate(groups[0])]
    header = f"{_range(elements)} {len(groups)} × ({', '.join(parts)})"
    told = [(group[0]["id"], _group_name(group, varying)) for group in groups]
    if not any(name for _, name in told):
        yield header
        return
    lines = _parts([f"[{number}] {name}".rstrip() for number, name in told], str)
    for place, part in enumerate(lines):
        yield f"{header}: {', '.join(part)}" if place == 0 else f"  {', '.join(part)}"


def _group_name(group: Sequence[Element], varying: Sequence[int]) -> str:
    """What a group is called: the names that differ from group to group, and else what its elements are in."""
    if varying:
        return " | ".join(_name(group[slot]) for slot in varying)
    return next((f"in {quoted_name(context)}" for each in group if (context := each.get("context"))), "")


def _name(element: Element) -> str:
    return quoted_name(without_repetition(element["text"]))


# Echoes.


def _echoes(elements: Sequence[Element], ends: Sequence[int], taken: Set[int]) -> Iterator[_Fold]:
    forms = [_form(element) for element in elements]
    earlier: dict[Any, list[int]] = {}
    start = 0
    while start < len(elements):
        fold = None if start in taken else _echo(elements, forms, start, ends, taken, earlier.get(forms[start], ()))
        end = fold.end if fold else start + 1
        for place in range(start, end):
            earlier.setdefault(forms[place], []).append(place)
        if fold:
            yield fold
        start = end


def _echo(
    elements: Sequence[Element],
    forms: Sequence[Any],
    start: int,
    ends: Sequence[int],
    taken: Set[int],
    places: Sequence[int],
) -> _Fold | None:
    """The longest sequence from `start` on that repeats an earlier one, or None."""
    best = source = 0
    for place in places[:MAX_EARLIER_PLACES]:
        most = min(ends[start] - start, ends[place] - place, start - place)
        count = 0
        while count < most and forms[place + count] == forms[start + count] and start + count not in taken:
            if elements[start + count].get("context"):
                break
            count += 1
        if count > best:
            best, source = count, place
    if best < MIN_ECHO:
        return None
    return _Fold(start, best, partial(_echo_line, _range(elements[source : source + best])), repeats=True)


def _echo_line(source: str, elements: Sequence[Element], counts: Counter[str]) -> Iterator[str]:
    yield f"{_range(elements)} as {source}"
