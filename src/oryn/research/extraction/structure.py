"""Segments of a page as blocks: headings, items of lists, rows of tables, code with its language, quotes, definitions,
images with captions. Everything is read from the page's own elements around a segment."""

from __future__ import annotations

import re
from collections import deque
from collections.abc import Callable, Iterator, Sequence
from urllib.parse import urljoin

import numpy as np
import numpy.typing as npt
from lxml.html import HtmlElement

from oryn.research.extraction.blocks import Block, BlockKind, TextRun, join_runs, words
from oryn.research.extraction.segments import InlineStyle, PageSegments, Segment

_LISTS = frozenset(("ul", "ol", "menu", "dir"))
_HEADINGS = ("h1", "h2", "h3", "h4", "h5", "h6")
_CELLS = frozenset(("td", "th"))
_CELL_ROLES = frozenset(("cell", "gridcell", "columnheader", "rowheader"))
MAX_SPAN = 50
"""Rows and columns that a cell is repeated in."""
MAX_CHECKED_CELLS = 500
"""Cells of a table that are looked at to find out whether it is one for layout."""
MAX_CELL_CHARACTERS = 600
MAX_CELL_PARAGRAPHS = 3
"""A cell with more text or paragraphs makes its table one for layout."""

_LANGUAGE = re.compile(
    r"(?:^|[\s:])(?:language|lang|highlight-source|highlight-text|brush|code|highlight|source)[-:]\s?([a-zA-Z][\w+#.-]*)"
)
_NO_LANGUAGE = frozenset(
    "default none text plaintext plain block snippet wrapper toolbar highlight notranslate box container auto "
    "nohighlight".split()
)
_SUBSCRIPTS = str.maketrans("0123456789+-=()", "₀₁₂₃₄₅₆₇₈₉₊₋₌₍₎")
_SUBSCRIPT = re.compile(r"[0-9+\-=()]+")
_ORDINAL = re.compile(r"(?:st|nd|rd|th|er|re|e|ème|o|a|º|ª|TM|SM|®|™|©|℠)", re.IGNORECASE)
_REFERENCE_MARK = re.compile(r"\[?\s*(?:\d{1,3}|[a-z*†‡§¶]|note \d+|citation needed)\s*\]?", re.IGNORECASE)
_CODE_NUMBERS = re.compile(r"[\d\s]+")


class StructureReader:
    """Reads blocks from a page's segments. `base` is what addresses of images are relative to."""

    def __init__(self, page: PageSegments, base: str = "") -> None:
        self.page = page
        self.base = base
        self._tables: dict[HtmlElement, bool] = {}
        self._around_headings = _around_headings(page)
        self._numbers: dict[HtmlElement, int] = {}

    def blocks(self, selected: npt.NDArray[np.bool_]) -> list[Block]:
        """The blocks of the segments that are kept, in the order of the page."""
        blocks: list[Block] = []
        table_numbers: dict[HtmlElement, int] = {}
        row: HtmlElement | None = None
        cells: dict[HtmlElement, list[TextRun]] = {}
        begun: set[HtmlElement] = set()
        images = deque(self._images(selected))
        for at in np.flatnonzero(selected).tolist():
            segment = self.page.segments[at]
            place = Place.of(self.page.containers[segment.container], self.is_data_table, self._is_section)
            if row is not None and place.row is not row:
                blocks += self._row(row, cells, table_numbers)
                row, cells = None, {}
            while images and images[0][0] <= at:
                _, image, source = images.popleft()
                blocks.append(self._image(image, source, begun))
            if place.row is not None and place.cell is not None:
                row = place.row
                runs = cells.setdefault(place.cell, [])
                runs += [_between(runs, place), *runs_of(segment)] if runs else runs_of(segment)
                continue
            blocks += self._blocks(segment, place, begun)
        if row is not None:
            blocks += self._row(row, cells, table_numbers)
        return blocks + [self._image(image, source, begun) for _, image, source in images]

    def _blocks(self, segment: Segment, place: Place, begun: set[HtmlElement]) -> Iterator[Block]:
        if place.pre is not None:
            text = code_text(segment)
            if text and not _CODE_NUMBERS.fullmatch(text):
                yield place.block("code", (TextRun(text),)).replace(language=code_language(place.pre))
            return
        for runs in lines_of(segment):
            if place.heading:
                yield Block("heading", runs, level=place.heading, quoted=place.quoted)
            elif place.item is not None and place.item not in begun:
                begun.add(place.item)
                yield place.block("item", runs).replace(number=self._number(place.item))
            elif place.definition in ("dt", "dd"):
                yield place.block("term" if place.definition == "dt" else "definition", runs)
            else:
                yield place.block("paragraph", runs)

    def _number(self, item: HtmlElement) -> int:
        """The number of an item of an ordered list, 0 for one of an unordered one."""
        parent = item.getparent()
        if parent is None or parent.tag != "ol":
            return 0
        if item not in self._numbers:
            number = _integer(parent.get("start"), 1)
            for each in parent.iterchildren("li"):
                number = _integer(each.get("value"), number)
                self._numbers[each] = number
                number += 1
        return self._numbers.get(item, 1)

    def is_data_table(self, table: HtmlElement) -> bool:
        """Whether a table is one of data, and not for layout."""
        if table not in self._tables:
            self._tables[table] = _is_data_table(table)
        return self._tables[table]

    def _is_section(self, item: HtmlElement) -> bool:
        """Whether an item of a list is a section: it has a heading. Its text stands below that, and not in a list."""
        return item in self._around_headings

    def _row(
        self, row: HtmlElement, cells: dict[HtmlElement, list[TextRun]], numbers: dict[HtmlElement, int]
    ) -> Iterator[Block]:
        table = next(
            (each for each in row.iterancestors() if each.tag == "table" or each.get("role") in ("table", "grid")), row
        )
        number = numbers.setdefault(table, len(numbers) + 1)
        found: list[tuple[TextRun, ...]] = []
        for cell in row:
            if isinstance(cell.tag, str) and (cell.tag in _CELLS or cell.get("role") in _CELL_ROLES):
                found.append(join_runs(cells.pop(cell, [])))
                found += [()] * (min(_integer(cell.get("colspan"), 1), MAX_SPAN) - 1)
        found += [join_runs(runs) for runs in cells.values()]
        if any(found):
            yield Block("row", cells=tuple(found), table=number, is_header=_is_header(row))

    def _image(self, image: HtmlElement, source: str, begun: set[HtmlElement]) -> Block:
        runs = (TextRun(" ".join((image.get("alt") or "").split()), href=source),)
        place = Place.of(image, self.is_data_table, self._is_section)
        # What stands before the first text of an item stands before the item.
        return place.block("image", runs) if place.item in begun else Block("image", runs)

    def _images(self, selected: npt.NDArray[np.bool_]) -> list[tuple[int, HtmlElement, str]]:
        """Images within a figure whose caption is kept, and images with a description between what is kept: each with
        the number of segments before it, and its address."""
        found: list[tuple[int, HtmlElement, str]] = []
        places = np.flatnonzero(selected)
        if not len(places):
            return found
        seen: set[str] = set()
        for before, image in self.page.images:
            source = _source(image, self.base)
            figure = next(image.iterancestors("figure"), None)
            near = [at for at in (before - 1, before) if 0 <= at < len(selected) and selected[at]]
            described = len(near) == 2 and (image.get("alt") or "").strip()
            if not source or source in seen or not near or not (figure is not None or described):
                continue
            seen.add(source)
            found.append((before, image, source))
        return found


class Place:
    """Where a segment stands: what its ancestors make of it."""

    __slots__ = ("cell", "definition", "heading", "item", "level", "outside", "pre", "quoted", "row")

    def __init__(self) -> None:
        self.pre: HtmlElement | None = None
        self.heading = 0
        self.item: HtmlElement | None = None
        self.level = 0
        self.quoted = 0
        self.outside = 0
        self.cell: HtmlElement | None = None
        self.row: HtmlElement | None = None
        self.definition = ""

    @classmethod
    def of(cls, element: HtmlElement, is_data_table: _Decides, is_section: _Decides) -> Place:
        """The place of an element's text."""
        place = cls()
        cell: HtmlElement | None = None
        row: HtmlElement | None = None
        in_section = False
        for each in (element, *element.iterancestors()):
            tag, role = each.tag, each.get("role")
            place._text(each, tag, role)
            if tag == "li" or (role == "listitem" and tag != "tr"):
                in_section = in_section or is_section(each)
                if place.item is None and not place.definition and not in_section:
                    place.item = each
            elif tag == "blockquote":
                place.quoted += 1
                place.outside = 0
            elif tag in _CELLS or role in _CELL_ROLES:
                cell, row = each, None
            elif (tag == "tr" or role == "row") and cell is not None and row is None:
                row = each
            elif (tag == "table" or role in ("table", "grid", "treegrid")) and cell is not None and row is not None:
                if is_data_table(each):
                    # What is within a cell is a part of the cell.
                    place.cell, place.row = cell, row
                cell = row = None
            elif (tag in _LISTS or role == "list") and not in_section:
                place.level += 1
                place.outside += 1
        if place.item is None and not place.definition:
            place.level = 0
        place.outside = min(place.outside, place.level) if place.quoted else 0
        return place

    def _text(self, element: HtmlElement, tag: str, role: str | None) -> None:
        """Note code, a heading, or a definition."""
        if tag in ("pre", "listing", "xmp") and self.pre is None:
            self.pre = element
        elif tag in _HEADINGS and not self.heading:
            self.heading = int(tag[1])
        elif role == "heading" and not self.heading:
            self.heading = min(6, max(1, _integer(element.get("aria-level"), 2)))
        elif tag in ("dt", "dd") and self.item is None and not self.definition:
            self.definition = tag

    def block(self, kind: BlockKind, runs: tuple[TextRun, ...]) -> Block:
        """A block at this place."""
        return Block(kind, runs, quoted=self.quoted, level=self.level, outside=self.outside)


_Decides = Callable[[HtmlElement], bool]


def _around_headings(page: PageSegments) -> set[HtmlElement]:
    """The elements that have a heading with text within."""
    around: set[HtmlElement] = set()
    for at, element in enumerate(page.containers):
        if page.begins[at] == page.ends[at] or (element.tag not in _HEADINGS and element.get("role") != "heading"):
            continue
        for each in element.iterancestors():
            if each in around:
                break
            around.add(each)
    return around


def _between(runs: list[TextRun], place: Place) -> TextRun:
    """What parts two pieces of text in a cell, where lines can't end: the items of a list are told apart."""
    ended = runs[-1].text.rstrip()[-1:] in (*".,;:!?", "")
    return TextRun("; " if place.item is not None and not ended else " ")


def _is_data_table(table: HtmlElement) -> bool:
    if table.tag != "table":
        return True
    if table.get("role") in ("presentation", "none"):
        return False
    cells = list(table.iter("td", "th"))
    if len(cells) < 2:
        return False
    if any(cell.tag == "th" for cell in cells) and table.find(".//table") is None:
        return True
    return not any(_is_layout(cell) for cell in cells[:MAX_CHECKED_CELLS])


def _is_header(row: HtmlElement) -> bool:
    """Whether a row labels the columns of its table: it says so, or is the first one, without a number above numbers.
    Of two columns without a sign of a header, the first row is a label and its value like the others."""
    cells = [cell for cell in row if isinstance(cell.tag, str)]
    parent = row.getparent()
    if len(cells) < 2:
        return False
    if parent is not None and parent.tag == "thead":
        return True
    if all(cell.tag == "th" or cell.get("role") == "columnheader" for cell in cells):
        return True
    following = row.getnext()
    if row.getprevious() is not None or following is None or any(cell.tag != "td" for cell in (*cells, *following)):
        return False
    texts = ["".join(cell.itertext()).strip() for cell in cells]
    if not all(texts) or any(char.isdigit() for text in texts for char in text):
        return False
    if all(cell.find(".//b") is not None or cell.find(".//strong") is not None for cell in cells):
        return all(cell.find(".//b") is None and cell.find(".//strong") is None for cell in list(following)[1:])
    return len(cells) > 2 and any(char.isdigit() for text in following.itertext() for char in text)


def _is_layout(cell: HtmlElement) -> bool:
    size = sum(len(text.strip()) for text in cell.itertext())
    # A heading that is all of a cell is the cell's style; one above other text begins a part of the page.
    headed = any(sum(len(text.strip()) for text in heading.itertext()) < size for heading in cell.iter(*_HEADINGS[:3]))
    return (
        headed
        or any(cell.find(f".//{name}") is not None for name in ("table", "article", "pre"))
        or len(cell.findall(".//p")) > MAX_CELL_PARAGRAPHS
        or size > MAX_CELL_CHARACTERS
    )


def runs_of(segment: Segment) -> list[TextRun]:
    """The pieces of a segment as runs. Exponents and indices stay what they are: `10^6`, `CO₂`."""
    runs: list[TextRun] = []
    before = ""
    for text, style in segment.pieces:
        if style.formula:
            run = TextRun(text, href=style.href, formula=style.formula)
        else:
            run = TextRun(
                _scripted(text, style, before),
                style.strong,
                style.emphasis,
                style.code,
                style.href if style.href else "",
            )
        if run.text:
            runs.append(run)
            before = run.text
    return runs


def _scripted(text: str, style: InlineStyle, before: str) -> str:
    """Raised and lowered text in a line."""
    bare = text.strip()
    if not style.script or not bare:
        return text
    if style.script == "sub":
        if not before[-1:].isalnum() and before[-1:] not in ")]":
            return text
        return bare.translate(_SUBSCRIPTS) if _SUBSCRIPT.fullmatch(bare) else f"_{_braced(bare)}"
    if not before.strip() or before[-1:].isspace() or _ORDINAL.fullmatch(bare):
        return text
    if style.href or bare.startswith("[") or before[-1:] in ".,;:!?\"'”’»":
        # The mark of a footnote: it does not become a part of the word before it.
        return f" {text}" if bare.startswith("[") else f" [{bare}]" if _REFERENCE_MARK.fullmatch(bare) else f" {text}"
    return f"^{_braced(bare)}"


def _braced(text: str) -> str:
    return text if re.fullmatch(r"[-+−]?\w+", text) else f"({text})"


def lines_of(segment: Segment) -> list[tuple[TextRun, ...]]:
    """The lines of a segment, as `br` breaks it."""
    lines: list[list[TextRun]] = [[]]
    for run in runs_of(segment):
        if run.text == "\n" and not run.href:
            lines.append([])
        else:
            lines[-1].append(run)
    joined = [join_runs(line) for line in lines]
    return [line for line in joined if words(line).strip()]


def code_text(segment: Segment) -> str:
    """The text of code, without empty lines around it, and without the numbers of its lines."""
    lines: list[list[str]] = [[]]
    for text, style in segment.pieces:
        if style.line_end and not lines[-1]:
            continue
        first, *others = text.replace("\r\n", "\n").replace("\xa0", " ").split("\n")
        lines[-1] += [first] if first else []
        lines += [[each] if each else [] for each in others]
    joined = ["".join(line).rstrip() for line in _without_line_numbers(lines)]
    return words(join_runs([TextRun("\n".join(joined).strip("\n"))], spaced=False))


def _without_line_numbers(lines: list[list[str]]) -> list[list[str]]:
    """The lines without a first piece that counts them, if each has one: numbers that a highlighter puts before them.
    A line is a list of the pieces of text that it has."""
    numbers = [line[0].strip() for line in lines if line]
    begin = numbers[0] if len(numbers) > 1 else ""
    if not re.fullmatch(r"\d{1,5}", begin) or all(len(line) < 2 for line in lines):
        return lines
    counted = [str(number) for number in range(int(begin), int(begin) + len(numbers))]
    return [line[1:] for line in lines] if numbers == counted else lines


def code_language(pre: HtmlElement) -> str:
    """The language that a page says its code is in, as its highlighter names it; empty if it does not."""
    around: Sequence[HtmlElement] = [*pre.iter("code"), pre, *list(pre.iterancestors())[:3]]
    for element in around:
        for attribute in ("data-lang", "data-language", "data-enlighter-language"):
            if (said := (element.get(attribute) or "").strip().lower()) and re.fullmatch(r"[\w+#.-]{1,20}", said):
                return said
        for found in _LANGUAGE.finditer(element.get("class") or ""):
            if (name := found[1].lower()) not in _NO_LANGUAGE:
                return name
    return ""


def _source(image: HtmlElement, base: str) -> str:
    for attribute in ("src", "data-src", "data-lazy-src", "data-original"):
        target = (image.get(attribute) or "").strip()
        if target and not target.startswith("data:"):
            try:
                joined: str = urljoin(base, target)
                return joined
            except ValueError:
                return ""
    return ""


def _integer(text: str | None, default: int) -> int:
    try:
        return int(text or default)
    except ValueError:
        return default
