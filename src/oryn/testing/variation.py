"""What may differ between two runs of a test: what its file declares, and what several recordings show. Pure.

A declared variation is one of `CLASSES`, or words of the page after which something else stands each time: `vary: date,
order number` fits `Order 1001 of 30 Nov 2026` and `Order no. 1002 of 1 Dec 2026`."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from difflib import SequenceMatcher
from functools import lru_cache

from oryn.core.records import Record
from oryn.core.text_folding import fold
from oryn.testing.expectation import VARIES, ReportEntry, StepReport

_MONTH = r"(?:jan|feb|mar|apr|may|jun|jul|aug|sept?|oct|nov|dec)[a-z]{0,6}\.?"
_DAY = r"(?:mon|tues?|wed(?:nes)?|thu(?:rs)?|fri|sat(?:ur)?|sun)(?:day)?"
_UNIT = r"(?:ms|milliseconds?|s|secs?|seconds?|m|mins?|minutes?|h|hrs?|hours?|d|days?|w|weeks?|months?|y|years?)"
_AGE = (
    rf"(?:\b(?:an?|\d{{1,4}}) ?{_UNIT} ago\b|\bin \d{{1,4}} ?{_UNIT}\b|\bjust now\b"
    r"|\b(?:yesterday|today|tomorrow|now)\b)"
)

CLASSES: dict[str, str] = {
    "date": (
        rf"\b\d{{4}}[-/.]\d{{1,2}}[-/.]\d{{1,2}}\b|\b\d{{1,2}}[-/.]\d{{1,2}}[-/.]\d{{2,4}}\b"
        rf"|(?:\b{_DAY},? )?(?:\b{_MONTH} \d{{1,2}}(?:st|nd|rd|th)?\b|\b\d{{1,2}}\.? {_MONTH})(?:,? \d{{4}}\b)?"
        rf"|\b{_MONTH} \d{{4}}\b|\b{_DAY}\b|{_AGE}"
    ),
    "time": r"\b\d{1,2}:\d{2}(?::\d{2}(?:[.,]\d{1,6})?)?(?: ?[ap]\.?m\.?)?(?: ?(?:utc|gmt|z)\b)?|\b\d{1,2} ?[ap]m\b|"
    + _AGE,
    "age": _AGE,
    "duration": rf"\b\d{{1,6}}(?:[.,]\d{{1,6}})? ?{_UNIT}\b",
    "price": r"[€$£¥₹] ?-?\d[\d.,'  ]{0,20}\d|[€$£¥₹] ?\d|\b\d[\d.,']{0,20} ?(?:[€$£¥₹]|eur\b|usd\b|gbp\b|chf\b)",
    "size": r"\b\d{1,6}(?:[.,]\d{1,3})? ?(?:[kmgt]i?b|bytes?)\b",
    "id": (
        r"\b[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}\b"
        r"|\b(?=[a-z0-9]{0,40}\d)[a-z0-9]{6,40}\b|#?\b[a-z]{1,8}-\d{1,12}\b|#\d{1,12}\b"
    ),
    "query": r"\?[^#\s]{1,2000}",
    "number": r"-?\d[\d.,]{0,20}\d|\d",
}
"""The expressions of what varies by its name, whatever the case."""

_ORDER = ("query", "date", "time", "age", "duration", "price", "size", "id", "number")
_NUMBERED = re.compile(r"(.+) (?:number|no|id|code|reference)")
_TOKEN = re.compile(r"\w+(?:[.,:'_-]\w+)*+|[^\w\s]")
_MIN_LIKENESS = 0.5
_MAX_TOKENS = 60


def is_class(name: str) -> bool:
    return name.strip().lower() in CLASSES


@lru_cache(maxsize=256)
def _expressions(vary: tuple[str, ...]) -> tuple[tuple[re.Pattern[str], str], ...]:
    names = [fold(name) for name in vary if name.strip()]
    found = []
    for name in names:
        if name not in CLASSES:
            numbered = _NUMBERED.fullmatch(name)
            words = re.escape(numbered[1] if numbered else name)
            expression = rf"\b({words}(?: (?:number|no|id|code|reference)\b\.?)?[\s:#=.–-]{{1,4}})([^\s,;]{{1,80}})"
            found.append((re.compile(expression, re.IGNORECASE), rf"\1{VARIES}"))
    found += [(re.compile(CLASSES[name], re.IGNORECASE), VARIES) for name in _ORDER if name in names]
    return tuple(found)


def masked(text: str, vary: Sequence[str]) -> str:
    """Return the folded text with `{{varies}}` in the place of what is declared to vary."""
    text = fold(text)
    for pattern, replacement in _expressions(tuple(vary)):
        text = pattern.sub(replacement, text)
    return text


def with_varying(text: str, vary: Sequence[str]) -> str:
    """Return the text as it is, with `{{varies}}` in the place of what is declared to vary."""
    for pattern, replacement in _expressions(tuple(vary)):
        text = pattern.sub(replacement, text)
    return text


def fits(expected: str, actual: str, vary: Sequence[str] = ()) -> bool:
    """Return whether a text is the expected one, but for what varies."""
    one, other = masked(expected, vary), masked(actual, vary)
    return one == other or (VARIES in one and _fits_template(one, other))


def _fits_template(template: str, text: str) -> bool:
    first, *rest = template.split(VARIES)
    if not text.startswith(first):
        return False
    position = len(first)
    for part in rest[:-1]:
        found = text.find(part, position)
        if found < 0:
            return False
        position = found + len(part)
    return text.endswith(rest[-1]) and len(text) - len(rest[-1]) >= position


def tokens(text: str) -> list[str]:
    return _TOKEN.findall(fold(text).replace(VARIES, "…"))[:_MAX_TOKENS]


def likeness(one: str, other: str) -> float:
    """Return the share of words that two texts have in common, in order: 0 to 1."""
    return SequenceMatcher(None, tokens(one), tokens(other), autojunk=False).ratio()


def most_like(text: str, others: Sequence[ReportEntry], *, only: bool = False) -> ReportEntry | None:
    """Return the entry whose text is most like this one; with `only`, the only one there is, whatever its text."""
    rated = [(likeness(text, each.text), each) for each in others]
    best = max(rated, key=lambda pair: pair[0], default=None)
    if best is None or (best[0] < _MIN_LIKENESS and not (only and len(others) == 1)):
        return None
    return best[1]


# --- recordings ---


class LearnedReport(Record):
    """What several recordings of a step have in common. `sentences` say what differs between them."""

    report: StepReport
    sentences: tuple[str, ...] = ()


def learn(recordings: Sequence[StepReport]) -> LearnedReport:
    """Return the report that all recordings of one step fit: `{{varies}}` stands in a text for what differs, and an
    entry that some of them lack is not missed. Of one recording it is that."""
    first, *others = recordings
    sentences: list[str] = []
    entries, hidden = list(first.entries), list(first.hidden)
    for other in others:
        entries = list(_aligned(entries, other, sentences))
    page_text = first.page_text if all(first.page_text == other.page_text for other in others) else ""
    return LearnedReport(StepReport(tuple(entries), tuple(hidden), page_text), tuple(dict.fromkeys(sentences)))


def _aligned(entries: Sequence[ReportEntry], other: StepReport, sentences: list[str]) -> Iterator[ReportEntry]:
    free = list(other.entries)
    pairs: dict[int, ReportEntry | None] = {}
    for equal in (_is_same, _is_alike):
        for place, entry in enumerate(entries):
            if pairs.get(place) is None:
                pairs[place] = _taken(entry, free, equal)
    for place, entry in enumerate(entries):
        counterpart = pairs[place] or next((each for each in other.hidden if _is_same(entry, each)), None)
        if counterpart is None:
            if not entry.sometimes:
                sentences.append(f"only sometimes: {entry.render()}")
            yield entry.replace(sometimes=True)
            continue
        merged = _merged(entry, counterpart)
        if merged != entry:
            sentences.append(f"varies: {merged.render()}")
        yield merged
    for entry in free:
        sentences.append(f"only sometimes: {entry.render()}")
        yield entry.replace(sometimes=True)


def _taken(
    entry: ReportEntry, free: list[ReportEntry], is_equal: Callable[[ReportEntry, ReportEntry], bool]
) -> ReportEntry | None:
    for place, each in enumerate(free):
        if is_equal(entry, each):
            return free.pop(place)
    return None


def _is_same(entry: ReportEntry, other: ReportEntry) -> bool:
    return (
        (entry.sign, entry.kind) == (other.sign, other.kind)
        and fits(entry.text, other.text)
        and fits(entry.place, other.place)
        and (entry.states, entry.value) == (other.states, other.value)
    )


def _is_alike(entry: ReportEntry, other: ReportEntry) -> bool:
    if (entry.sign, entry.kind) != (other.sign, other.kind):
        return False
    is_one = entry.kind in ("page", "url", "title", "result") or entry.kind.startswith("error ")
    is_placed = likeness(entry.place, other.place) >= _MIN_LIKENESS if entry.place else True
    return is_one or (is_placed and (fits(entry.text, other.text) or likeness(entry.text, other.text) >= _MIN_LIKENESS))


def _merged(entry: ReportEntry, other: ReportEntry) -> ReportEntry:
    value = entry.value
    if entry.value is not None and other.value is not None:
        value = template(entry.value, other.value)
    elif entry.value != other.value:
        value = VARIES
    states = tuple(each for each in entry.states if each in other.states)
    text, place = template(entry.text, other.text), template(entry.place, other.place)
    return entry.replace(text=text, place=place, states=states, value=value)


def template(one: str, other: str) -> str:
    """Return the text with `{{varies}}` for the words in which the two differ: all of it if they have none in
    common."""
    if fits(one, other):
        return one
    spans = [*re.finditer(rf"{re.escape(VARIES)}|{_TOKEN.pattern}", one)]
    words, others = [fold(span[0]) for span in spans], [fold(each) for each in _TOKEN.findall(other)]
    matcher = SequenceMatcher(None, words, others, autojunk=False)
    result, position = "", 0
    for tag, start, end, *_ in matcher.get_opcodes():
        if tag == "equal":
            begin = spans[start].start()
            result += one[position:begin]
            result += one[begin : spans[end - 1].end()]
            position = spans[end - 1].end()
        elif end > start:
            gap = one[position : spans[start].start()]
            result += gap + VARIES
            position = spans[end - 1].end()
        elif not result.endswith(VARIES):
            result += VARIES
    result += one[position:]
    return re.sub(rf"{re.escape(VARIES)}(?:\s*{re.escape(VARIES)})+", VARIES, result)


def is_all_varying(report: StepReport) -> bool:
    """Return whether nothing that a step is expected to do is always the same, though it does something."""
    return bool(report.entries) and all(_is_varying(entry) for entry in report.entries)


def _is_varying(entry: ReportEntry) -> bool:
    if entry.sometimes:
        return True
    fixed = f"{entry.text} {entry.place}".replace(VARIES, "")
    return not any(character.isalnum() for character in fixed) and not entry.states and entry.value in (None, VARIES)
