"""What a step of a test is expected to be answered with: a command's change report, without numbers. Pure.

A report is read from the JSON form of an answer (`read`), written into a test's file one entry a line (`render`), and
read from there (`parse`):

    @ /cart "Cart"                          another document
    ~ url /cart?page=2                      another address in the same document
    + status "Saved"                        a message, or another text
    ~ checkbox "Gift" {checked}             a state, or a value: value: "On Saturday"
    - dialog "Place the order?"
    = text "Total €36"                      what another document shows
    = result "yes"                          what a command that asks has found
    ! error ELEMENT_NOT_FOUND "…"           a command that fails; `! request POST /save "500"`, `! console "…"`
    ? + text "3 others look at this"        came in some recordings only

In a text, `{{varies}}` stands for what is different each time."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Mapping, Sequence, Set
from typing import Any, Literal
from urllib.parse import urlsplit

from oryn.core.records import Record
from oryn.core.text_folding import without_ignorable
from oryn.core.text_safety import quoted, shortened, url
from oryn.core.urls import origin_of

Sign = Literal["@", "+", "-", "~", "=", "!"]
SIGNS = "@+-~=!"

VARIES = "{{varies}}"
"""Stands in an expected text for what is different each time."""

MESSAGES = frozenset({"alert", "status"})
"""Kinds of texts that tell whether something was done."""
CHECKS = frozenset(
    {"url", "title", "text", "value", "attribute", "is", "exists", "count", "wait", "wait text", "wait url"}
)
"""Commands that only read, and whose result is worth expecting."""
PAGE_TEXTS = MESSAGES | {"heading", "text"}
"""Kinds of texts that can be read on the page."""
TEXTS = PAGE_TEXTS | {"order", "image", "selection", "format"}
"""Kinds of texts, as the change reports have them."""
CONTAINERS = frozenset({"dialog", "alertdialog", "menu", "listbox", "tabpanel"})
"""Kinds of elements that go with all they contain."""
UNTOLD_STATES = frozenset({"focused", "unchecked", "primary", "required", "active", "revealed", "hidden"})
"""Modifiers that say nothing of what was done."""

MAX_SEEN = 60
"""Maximum number of entries about what another document shows."""
MAX_GONE = 6
"""Maximum number of elements that have gone at once and have an entry each."""
MAX_TEXT = 200
"""Maximum characters of a text; the rest of a longer one is not compared."""
SLOW_SECONDS = 4.0
"""A request that takes longer is reported."""
SCRIPTED = frozenset({"document", "fetch", "xhr"})
"""Kinds of requests that pages need in order to do what they are for."""
_BROKEN_OFF = ("ERR_ABORTED", "broken off", "NS_BINDING_ABORTED")
_LINE = re.compile(r'(?P<words>(?:[^"{]|\{\{varies\}\})*+)(?:"(?P<text>[^"\\]*+(?:\\.[^"\\]*+)*+)")?(?P<rest>.*+)')
_REST = re.compile(r'(?: \{(?P<states>[^"{}]*+)\})?(?: value: "(?P<value>[^"\\]*+(?:\\.[^"\\]*+)*+)")?')
_ESCAPED = re.compile(r"\\(?:u\{([0-9a-f]{1,6})\}|u([0-9a-f]{4})|(.))", re.DOTALL)
_CONTROLS = {"n": "\n", "r": "\r", "t": "\t"}


class ReportLineError(ValueError):
    """A line of an expected report can't be read. `index`: its 0-based place among the lines; `column`: 1-based."""

    def __init__(self, index: int, column: int, message: str) -> None:
        super().__init__(message)
        self.index, self.column, self.message = index, column, message


class ReportEntry(Record):
    """One line of a report. `kind`: what it is about, such as `page`, `status`, `checkbox`, `request POST`; `place`: a
    URL, relative to the test's base; `text`: a name or a text of the page; `value`: that of a field."""

    sign: Sign
    kind: str
    text: str = ""
    place: str = ""
    states: tuple[str, ...] = ()
    value: str | None = None
    sometimes: bool = False
    """Whether it came in some recordings only, so that it is not missed."""

    @property
    def is_element(self) -> bool:
        """Whether it is about an element that can be acted on, of a change report or of what a document shows."""
        return self.sign in "+-~=" and " " not in self.kind and self.kind not in TEXTS | _OTHER_KINDS

    def render(self) -> str:
        """Return the line: `~ checkbox "Gift" {checked}`."""
        words: list[str] = [self.sign]
        if self.kind != "page":
            words.append(self.kind)
        if self.place:
            words.append(self.place)
        if self.text or not self.place:
            words.append(quoted(self.text))
        if self.states:
            words.append(f"{{{', '.join(self.states)}}}")
        if self.value is not None:
            words.append(f"value: {quoted(self.value)}")
        return ("? " if self.sometimes else "") + " ".join(words)


_OTHER_KINDS = frozenset({"page", "url", "title", "download", "result", "more"})


class StepReport(Record):
    """What a step's line was answered with."""

    entries: tuple[ReportEntry, ...] = ()
    hidden: tuple[ReportEntry, ...] = ()
    """Entries that the answer counts or folds together: a test does not expect them, but they may be what it
    expects."""
    page_text: str = ""
    """The text that another document shows, whole."""

    def render(self) -> list[str]:
        """Return the report's lines, as `parse` reads them."""
        return [entry.render() for entry in self.entries]

    @property
    def all(self) -> tuple[ReportEntry, ...]:
        return (*self.entries, *self.hidden)

    @property
    def effects(self) -> list[ReportEntry]:
        """What the page has changed."""
        return [entry for entry in self.entries if entry.sign in "@+-~"]

    def merged(self, later: StepReport) -> StepReport:
        """Return what has changed in all, if `later` came after this report. What is said of the same thing again
        replaces the former; what came and has gone again, or the other way about, is left out, except texts."""
        if any(entry.sign == "@" for entry in later.entries):  # nothing of the former document holds
            former = [entry for entry in self.entries if entry.sign == "!"]
            return StepReport((*later.entries, *former), later.hidden, later.page_text)
        added = list(later.entries)
        seen_again = any(entry.sign == "=" for entry in added)
        remaining: list[ReportEntry] = []
        paired: set[int] = set()
        for entry in self.entries:
            if entry.sign == "=" and seen_again:
                continue
            at = next((n for n, e in enumerate(added) if n not in paired and _subject(e) == _subject(entry)), None)
            if at is None:
                remaining.append(entry)
                continue
            paired.add(at)
            if {entry.sign, added[at].sign} == {"+", "-"} and entry.is_element:
                del added[at]
                paired = {n - (n > at) for n in paired - {at}}
            elif entry.sign == "+" and added[at].sign == "~":
                added[at] = added[at].replace(sign="+")
        hidden = (*self.hidden, *later.hidden)
        return StepReport((*remaining, *added), hidden, later.page_text or self.page_text)


def _subject(entry: ReportEntry) -> tuple[str, ...]:
    sign = entry.sign if entry.sign in "=!" else ""
    if entry.kind in ("page", "url", "title"):
        return (entry.kind,)
    return sign, entry.kind, entry.text, entry.place


# --- an answer ---


def read(
    form: Mapping[str, Any],
    *,
    base_url: str = "",
    console: Iterable[Mapping[str, Any]] = (),
    requests: Iterable[Mapping[str, Any]] = (),
    seen: Mapping[str, Any] | None = None,
) -> StepReport:
    """Return the report of an answer in its JSON form (docs/spec/intent-language.md#answers-as-json).

    base_url: of the site that the test is about; addresses of its origin become relative.
    console: rows of `console` that have come since the step began.
    requests: rows of `requests` that have begun since then.
    seen: `elements`, as `observe` has them, and `text`, the result of `text`, of the document that the step has led to.
    """
    origin = origin_of(base_url) or ""
    entries: list[ReportEntry] = []
    hidden: list[ReportEntry] = []
    if error := form.get("error"):
        entries.append(ReportEntry("!", f"error {error['code']}", _cut(error["message"])))
    elif "page" in form and "elements" not in form:
        page = form["page"]
        entries.append(ReportEntry("@", "page", _cut(page["title"]), relative(page["url"], origin)))
    if "result" in form and not error:
        entries.append(_result(form["result"]))
    for row in form.get("changes") or ():
        _read_change(row, origin, entries, hidden)
    entries = _without_replaced(entries, hidden)
    if form.get("more_changes"):
        hidden.append(ReportEntry("=", "more", str(form["more_changes"])))
    entries += _failures(console, requests, origin)
    page_text = ""
    if seen is not None:
        page_text = str(seen.get("text") or "")
        elements = seen.get("elements") or ()
        reported = {each.text for each in entries if each.kind in TEXTS and each.sign in "+~"}
        found = [*_seen_elements(elements), *_seen_texts(page_text, elements, reported)]
        entries += found[:MAX_SEEN]
        hidden += found[MAX_SEEN:]
    return StepReport(_unique(entries), tuple(hidden), page_text)


def leads_elsewhere(form: Mapping[str, Any]) -> bool:
    """Return whether the answer's command has led to another document, of which `read` is to get what it shows."""
    return ("page" in form and "elements" not in form) or any(
        row.get("change") == "page" for row in form.get("changes") or ()
    )


def relative(address: str, origin: str) -> str:
    """Return a URL without its origin if that is the test's own: `/cart?page=2`."""
    if origin and origin_of(address) == origin:
        rest = address[len(origin) :] if address.startswith(origin) else "/" + address.split("/", 3)[-1]
        return url(rest if rest.startswith("/") else f"/{rest}", 400)
    return url(address, 400)


def element_kind(element: Mapping[str, Any]) -> str:
    """Return how an element is called in a report: `button`, `tab`, `input/email`, which are targets' kinds too."""
    type_, role = str(element.get("type", "generic")), str(element.get("role") or "generic")
    if role in ("generic", "submit", type_):
        return type_
    if type_ == "generic":
        return role if role not in TEXTS else f"generic/{role}"
    return f"{type_}/{role}"


def _element_entry(sign: Sign, element: Mapping[str, Any]) -> ReportEntry:
    states = tuple(each for each in element.get("modifiers") or () if each not in UNTOLD_STATES)
    value = element.get("value")
    name = _cut(str(element.get("text", "")))
    return ReportEntry(sign, element_kind(element), name, "", states, None if value is None else _cut(str(value)))


def _read_change(row: Mapping[str, Any], origin: str, entries: list[ReportEntry], hidden: list[ReportEntry]) -> None:
    match row:
        case {"change": "page", "url": address, "title": title}:
            entries.append(ReportEntry("@", "page", _cut(title), relative(address, origin)))
        case {"change": "url", "after": address}:
            entries.append(ReportEntry("~", "url", "", relative(address, origin)))
        case {"change": "title", "title": title}:
            entries.append(ReportEntry("~", "title", _cut(title)))
        case {"change": "text", "kind": kind, "text": text}:
            states = tuple(str(row["format"]).split(", ")) if row.get("format") else ()
            entries.append(ReportEntry(row["sign"], kind, _cut(text), "", states))
        case {"change": "dialog", "kind": kind, "message": message}:
            states = (row["answer"],) if row.get("answer") else ()
            entries.append(ReportEntry("+", f"dialog {kind}", _cut(message), "", states))
        case {"change": "tab", "url": address, "title": title}:
            entries.append(ReportEntry("+", "browser tab", _cut(title), relative(address, origin)))
        case {"change": "tab_closed"}:
            entries.append(ReportEntry("-", "browser tab"))
        case {"change": "download", "filename": name}:
            entries.append(ReportEntry("+", "download", _cut(name)))
        case {"change": "appeared", "element": element, "replaces": _}:  # rendered anew, as it was
            hidden.append(_element_entry("+", element))
        case {"change": "gone", "elements": [*elements]}:
            holder = next((each for each in elements if each.get("role") in CONTAINERS), None)
            is_many = holder is not None or len(elements) > MAX_GONE
            for each in elements:
                (entries if each is holder or not is_many else hidden).append(_element_entry("-", each))
        case {"change": "gone", "element": element}:
            entries.append(_element_entry("-", element))
        case {"change": "returned", "elements": [*elements]}:
            hidden += [_element_entry("+", each) for each in elements]
        case {"sign": sign, "element": element}:
            entries.append(_element_entry(sign, element))


def _without_replaced(entries: Sequence[ReportEntry], hidden: list[ReportEntry]) -> list[ReportEntry]:
    """Hide elements that have gone and come in one: they were rendered anew, and have changed if their state has."""
    gone = [each for each in entries if each.sign == "-" and each.is_element]
    found: list[ReportEntry] = []
    for each in entries:
        if each.sign == "+" and each.is_element:
            former = next((one for one in gone if (one.kind, one.text) == (each.kind, each.text)), None)
            if former is not None:
                gone.remove(former)
                is_same = former == each.replace(sign="-")
                (hidden if is_same else found).append(each if is_same else each.replace(sign="~"))
                continue
        if each.sign != "-" or not each.is_element:
            found.append(each)
    return [*found, *(each.replace(states=(), value=None) for each in gone)]


def _result(value: Any) -> ReportEntry:
    if isinstance(value, bool):
        text = "yes" if value else "no"
    else:
        text = value if isinstance(value, str) else json.dumps(value, ensure_ascii=False, sort_keys=True)
    return ReportEntry("=", "result", shortened(text, 4_000))


def _failures(
    console: Iterable[Mapping[str, Any]], requests: Iterable[Mapping[str, Any]], origin: str
) -> list[ReportEntry]:
    found: list[ReportEntry] = []
    for row in requests:
        kind, status, failure = row.get("type"), row.get("status"), row.get("failure")
        what = str(failure) if failure else str(status)
        is_failed = (failure and not any(part in what for part in _BROKEN_OFF)) or (status or 0) >= 400
        place = relative(str(row.get("url", "")), origin)
        if is_failed:
            word = "request" if kind in SCRIPTED else "resource"
            found.append(ReportEntry("!", f"{word} {row.get('method', 'GET')}", _cut(what), place))
        elif kind in SCRIPTED and (row.get("seconds") or 0) > SLOW_SECONDS:
            found.append(ReportEntry("!", f"slow {row.get('method', 'GET')}", f"{row['seconds']:.0f} s", place))
    for row in console:
        text = str(row.get("text", "")).partition("\n")[0]
        if row.get("level") == "error" and not text.startswith("Failed to load resource"):
            found.append(ReportEntry("!", "console", _cut(text)))
    return found


def _seen_elements(elements: Iterable[Mapping[str, Any]]) -> list[ReportEntry]:
    return [entry for each in elements if (entry := _element_entry("=", each)).text or entry.value]


def _seen_texts(text: str, elements: Iterable[Mapping[str, Any]], reported: Set[str]) -> list[ReportEntry]:
    names = {_cut(str(each.get("text", ""))) for each in elements} | reported
    lines = [_cut(line) for line in text.splitlines()]
    return [ReportEntry("=", "text", each) for each in lines if each not in names and any(map(str.isalnum, each))]


def _unique(entries: Sequence[ReportEntry]) -> tuple[ReportEntry, ...]:
    """Leave out failures that are there already: a page may send a request, or throw, again and again."""
    found: list[ReportEntry] = []
    for entry in entries:
        if entry.sign != "!" or entry not in found:
            found.append(entry)
    return tuple(found)


def _cut(text: str) -> str:
    return shortened(" ".join(without_ignorable(text).split()), MAX_TEXT)


# --- lines of a file ---


def parse(lines: Sequence[str]) -> StepReport:
    """Read what `StepReport.render` has written. Raises `ReportLineError`."""
    return StepReport(tuple(_parse_line(index, line.rstrip()) for index, line in enumerate(lines)))


def _parse_line(index: int, line: str) -> ReportEntry:
    start = 2 if line.startswith("? ") else 0
    sign = line[start : start + 1]
    if not sign or sign not in SIGNS or line[start + 1 : start + 2] != " ":
        message = f"an entry of a report begins with one of {' '.join(SIGNS)} and a space"
        raise ReportLineError(index, start + 1, message)
    found = _LINE.fullmatch(line, start + 2)
    assert found is not None
    words = found["words"].split()
    if found["text"] is None and '"' in found["rest"]:
        raise ReportLineError(index, found.start("rest") + 1, "the quoted text does not end")
    place = words.pop() if words and _is_place(words[-1]) else ""
    kind = " ".join(words)
    if sign == "@" and not kind:
        kind = "page"
    if not kind:
        raise ReportLineError(index, start + 3, 'what it is about is missing, such as: text "Saved"')
    if kind == "page" and not place:
        raise ReportLineError(index, start + 3, 'the address is missing, as in: @ /cart "Cart"')
    if found["text"] is None and not place:
        raise ReportLineError(index, len(line) + 1, f'a quoted text is missing, as in: {sign} {kind} "Saved"')
    rest = _REST.fullmatch(found["rest"])
    if rest is None:
        column = found.start("rest") + 1
        raise ReportLineError(index, column, 'only {states} and value: "…" may follow the text')
    states = tuple(each.strip() for each in (rest["states"] or "").split(",") if each.strip())
    value = None if rest["value"] is None else _unescaped(rest["value"])
    return ReportEntry(sign, kind, _unescaped(found["text"] or ""), place, states, value, start > 0)  # type: ignore[arg-type]


def _is_place(word: str) -> bool:
    return word.startswith("/") or VARIES in word or bool(urlsplit(word).scheme and ":" in word)


def _unescaped(text: str) -> str:
    def character(found: re.Match[str]) -> str:
        if code := found[1] or found[2]:
            number = int(code, 16)
            return chr(number) if number <= 0x10FFFF else found[0]
        return _CONTROLS.get(found[3], found[3])

    return _ESCAPED.sub(character, text) if "\\" in text else text
