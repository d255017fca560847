"""What kind of value a question asks for, and how well a sentence answers with one: `How deep is Lake Immer?` asks for
a length, and `Lake Immer is 141 metres deep.` has one beside the word for it. English."""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import lru_cache

from oryn.core.records import Record
from oryn.research.text.questions import aspect_of, content_words, names_in, stem_of, words_of

MAX_DISTANCE = 5
"""Words between a value and the word that says what it is."""

_DIGITS = r"\d[\d.,\u00a0\u202f]{0,30}(?:\s?(?:million|billion|thousand|hundred))?"
_WRITTEN = (
    "one|two|three|four|five|six|seven|eight|nine|ten|eleven|twelve|thirteen|fourteen|fifteen|sixteen|seventeen|"
    "eighteen|nineteen|twenty|thirty|forty|fifty|sixty|seventy|eighty|ninety|hundred|thousand|million|dozen|half"
)
_IN_WORDS = rf"(?:(?:a )?(?:{_WRITTEN})(?:[- ](?:and )?(?:a )?(?:{_WRITTEN}|quarter|score)){{0,8}})"
_NUMBER = rf"(?:{_DIGITS}|{_IN_WORDS})"
_MONTH = (
    r"(?:jan(?:uary)?|feb(?:ruary)?|mar(?:ch)?|apr(?:il)?|may|june?|july?|aug(?:ust)?|sep(?:t(?:ember)?)?|"
    r"oct(?:ober)?|nov(?:ember)?|dec(?:ember)?)"
)
_SEASON = r"(?:spring|summer|autumn|winter|(?:mon|tues|wednes|thurs|fri|satur|sun)days?)"
_YEAR = r"\b(?:1\d{3}|20\d\d)s?\b"
_DATE = (
    rf"{_YEAR}|\b\d{{1,2}}(?:st|nd|rd|th)?\s+(?:of\s+)?{_MONTH}\b|\b{_MONTH}\s+\d{{1,2}}\b"
    r"|\b\d{1,4}[-./]\d{1,2}[-./]\d{1,4}\b|\b\d{1,2}(?:st|nd|rd|th)\s+century\b"
    rf"|\b(?:in|on|since|until|by|from|every|each)\s+(?:early |mid-|late )?(?:{_MONTH}|{_SEASON})\b"
)
_CLOCK = (
    r"\b\d{1,2}[:.]\d\d\b|\b\d{1,2}\s*(?:a\.?m\b|p\.?m\b|o['’]clock)"
    r"|\b(?:noon|midnight|dawn|dusk|sunrise|sunset)\b"
)
_TIME_UNIT = (
    r"(?:seconds?|secs?|minutes?|mins?|hours?|hrs?|h|days?|nights?|weeks?|months?|years?|decades?|centur(?:y|ies))"
)
_LENGTH_UNIT = (
    r"(?:mm|cm|dm|m|km|(?:milli|centi|kilo)?met(?:re|er)s?|inch(?:es)?|ft|feet|foot|yards?|miles?|mi|nm|fathoms?|"
    r"leagues?|storeys?|nautical miles?|light[- ]years?)"
)
_MASS_UNIT = r"(?:mg|g|kg|t|(?:milli|kilo)?grams?|tonnes?|tons?|lbs?|pounds?|oz|ounces?|stone|grt)"
_SPEED_UNIT = r"(?:km/h|kmh|mph|kn|knots?|m/s|(?:kilomet(?:re|er)s?|miles) (?:an|per) hour)"
_MONEY = (
    r"[€$£¥₹]\s?\d|\d[\d.,]{0,30}\s?(?:[€$£¥₹]|(?:EUR|USD|GBP|CHF)\b)|\bfree(?: of charge)?\b"
    rf"|\b{_NUMBER}\s+(?:pounds?|dollars?|euros?|pence|cents?|francs?|crowns?|shillings?|marks?|yen)\b"
)


def _measured(unit: str) -> str:
    digits = rf"{_DIGITS}(?:\s?[-–]\s?\d[\d.,]{{0,30}})?[\s\u00a0-]?"
    return rf"\b(?:{digits}|{_IN_WORDS}[\s-]|an?\s){unit}\b"


_LASTING = (
    r"(?:takes?|took|lasts?|lasted|runs?|stays?|lives?|lived|wait|cook|bake|valid|keeps?|sail|rules?|reign|war|"
    r"journey|trip|flight|tour|crossing|warranty|film|season)"
)
_TIMES = r"how many (?:minutes|hours|days|weeks|months|years|seconds)"
_COSTS = r"(?:cost|price|fee|fare|toll|rent|admission)s?"

_KINDS: tuple[tuple[str, str, str], ...] = (
    ("percentage", r"\b(?:what|which) (?:percentage|per ?cent|share|proportion|fraction)\b|\bhow many per ?cent\b",
     rf"\d\s?(?:%|‰)|\b{_NUMBER}\s+per ?cent\b"
     r"|\b(?:half|(?:one|two|three)[- ](?:thirds?|quarters?|fifths?|tenths?))\b"),
    ("amount of money", r"\bhow (?:much|expensive)\b.{0,200}\b(?:cost|price|pay|paid|charge|fee|fare|worth|toll|earn)"
     rf"|\bwhat (?:does|did|do|is|was|are)\b.{{0,200}}\b{_COSTS}\b|\bhow much (?:is|are|was|were)\b"
     r"|\bwhat price\b", _MONEY),
    ("temperature", r"\bhow (?:hot|cold|warm)\b|\b(?:what|which) temperature\b",
     rf"\d\s?(?:°|º|℃|℉)|\b{_NUMBER}\s+(?:degrees|kelvin)\b"),
    ("mass", r"\bhow heavy\b|\b(?:how much|what)\b.{0,200}\bweigh", _measured(_MASS_UNIT)),
    ("speed", r"\bhow (?:fast|quick)\b|\bspeed\b", rf"\b{_NUMBER}\s?{_SPEED_UNIT}\b"),
    ("age", r"\bhow old\b", rf"\b{_NUMBER}[\s-]years?\b|{_YEAR}"),
    ("duration", rf"\bhow long\b.{{0,200}}\b{_LASTING}\b|\b{_TIMES}\b", _measured(_TIME_UNIT)),
    ("length or duration", r"\bhow (?:long|short)\b", rf"{_measured(_LENGTH_UNIT)}|{_measured(_TIME_UNIT)}"),
    ("length", r"\bhow (?:tall|high|wide|broad|deep|thick|far)\b"
     r"|\bwhat\b.{0,200}\b(?:height|width|depth|length|distance|elevation|altitude)\b", _measured(_LENGTH_UNIT)),
    ("time of day", r"\b(?:what time|at what hour)\b", _CLOCK),
    ("year", r"\b(?:what|which) year\b", _YEAR),
    ("date", r"^\W*(?:and )?(?:since |until |by )?when\b|\b(?:what|which) (?:day|date|month|decade|century)\b",
     f"{_DATE}|{_CLOCK}"),
    ("frequency", r"\bhow often\b",
     r"\b(?:once|twice|daily|hourly|weekly|monthly|yearly|annually|every)\b|\beach (?:day|week|month|year|hour)\b"
     rf"|\b{_NUMBER} times\b"),
    ("number", r"\bhow many\b|\b(?:what|which) number\b"
     r"|\b(?:what|which) (?:vhf )?(?:channel|platform|page|room|line|population)\b", rf"\b{_NUMBER}\b"),
    ("amount", r"\bhow (?:much|big|large)\b", rf"\b{_NUMBER}\b"),
    ("person", r"\b(?:who|whom|whose)\b", ""),
    ("yes or no", r"^\W*(?:is|are|was|were|do|does|did|can|could|may|must|has|have|had|will)\b", ""),
    ("place", r"\bwhere\b|\b(?:what|which) (?:town|city|country|place|village|island|port|region|street)\b", ""),
)  # fmt: skip
"""Kinds of values: their name, forms of questions that ask for one, and what it looks like. The first that fits counts.
Persons and places are names that the question does not have; a question that is answered by yes or no has no value."""

_UNITS = {
    "gram": "g", "kilogram": "kg", "metre": "m", "meter": "m", "kilometre": "km", "kilometer": "km", "litre": "l",
    "liter": "l", "minute": "min", "second": "sec", "hour": "h", "mile": "mi", "inch": "in", "ounce": "oz",
    "pound": "lb", "tonne": "t", "degree": "c",
}  # fmt: skip
_STANDING_FOR = frozenset(("them", "these", "those"))
"""Words behind a number that stand for what is counted: `some 180,000 of them`."""
_LIFE = re.compile(r"\(\s*+(?:(?:born|b\.)\s*+)?$")
"""What stands before the date of a person's birth."""

_WORD = re.compile(r"[^\W_]+(?:['’][^\W_]+)*")
_STARTS = re.compile(r"(?:^|[.!?:]\s+)[\"'“‘(]*$")
_HEARSAY = re.compile(
    r"\b(?:I|I'm|I’m|my|(?:he|she|they|people|some|somebody|someone|uncle|aunt|neighbours?) (?:says?|claims?|thinks?|"
    r"believes?|told|heard)|(?:is|are|was|were) (?:said|rumou?red|thought|believed|supposed) to|"
    r"it is said|reportedly|allegedly|supposedly|apparently|rumou?rs?|legend|legendary|perhaps|maybe|probably)\b"
)
HEARSAY_WEIGHT = 0.6
"""The weight of a sentence that only says what somebody thinks or has heard."""
_PLACE = re.compile(r"\b(?:in|at|on|near|beside|behind|outside|inside)\s+(?:the|an?)\s+(?:[^\W\d_A-Z][\w'’-]+\s*){1,3}")
_TIMES_OF = re.compile(
    r"\b(?:morning|afternoon|evening|night|days?|weeks?|months?|years?|century|winter|spring|summer|autumn|end|beginning|"
    r"start|time|past|future|age|way|case|same|first|last|other)\b"
)
_BEFORE_PLACE = re.compile(
    r"\b(?:in|at|on|near|from|to|towards|off|beside|above|below|between|along|under|over|outside|inside|of)\s+(?:the\s+)?$"
)
_VERB = (
    "are|is|were|was|do|does|did|can|could|have|has|had|hang|live|breed|of|in|on|at|there|will|fit|stand|belong|work|"
    "sail"
)
_COUNTED = re.compile(rf"\bhow many\s+((?:[^\W\d_]+\s+){{0,3}}?[^\W\d_]+)\s+(?:{_VERB})\b", re.I)


class ExpectedValue(Record):
    """What a question asks for: the `kind` of value, and the stems of words that say what it is (`deep`, `depth`)."""

    kind: str
    form: re.Pattern[str] | None
    focus: frozenset[str]
    counted: frozenset[str]
    names: frozenset[str]
    words: frozenset[str]


@lru_cache(maxsize=64)
def expected_value(question: str) -> ExpectedValue | None:
    """The value that a question asks for; None if it asks for none of a kind."""
    found = next(((kind, form) for kind, asking, form in _KINDS if re.search(asking, question, re.I)), None)
    if found is None:
        return None
    kind, form = found
    names = frozenset(stem_of(word) for name in names_in(question) for word in name)
    words = frozenset(map(stem_of, content_words(question))) - names
    counted = _COUNTED.search(question)
    return ExpectedValue(
        kind,
        re.compile(form, re.I) if form else None,
        frozenset(map(stem_of, aspect_of(question))) | words,
        _counted(counted[1]) | frozenset(map(stem_of, aspect_of(question))) if counted else frozenset(),
        names,
        words,
    )


def _counted(text: str) -> frozenset[str]:
    """The stems of what is counted, and the signs of units."""
    words = content_words(text)
    units = (_UNITS.get(each) for word in words for each in (word, word.removesuffix("s"), word.removesuffix("es")))
    return frozenset(map(stem_of, words)) | frozenset(filter(None, units))


def sentence_strength(question: str, sentence: str, title: str = "") -> float:
    """How well a sentence answers a question, from 0 to 1: whether it has a value of the kind that is asked for, how
    near to a word for it, and how much of what is asked about it mentions. The `title` of its page may name the thing.
    0 if no kind of value is asked for."""
    expected = expected_value(question)
    if expected is None:
        return _aspect_strength(question, sentence, title)
    tokens = [(match.start(), match.end(), stem_of(match[0].casefold())) for match in _WORD.finditer(sentence)]
    if expected.kind == "yes or no":
        best = 1.0
    else:
        best = max((_nearness(expected, tokens, *span) for span in _values(expected, sentence)), default=0.0)
        if "born" in expected.focus and any(_LIFE.search(sentence[:begin]) for begin, _ in _values(expected, sentence)):
            best = 1.0
    if not best:
        return 0.0
    present = {stem for *_, stem in tokens}
    around = present | set(map(stem_of, words_of(title)))
    named = len(expected.names & around) / len(expected.names) if expected.names else 1.0
    said = len(expected.words & present) / len(expected.words) if expected.words else float(best > 0.5)
    aspect = bool(expected.focus & present)
    if expected.kind == "yes or no":
        # Nothing but its words shows that a sentence is about what was asked.
        best = max(said - 0.25, 0.0)
    weight = HEARSAY_WEIGHT if _HEARSAY.search(sentence) else 1.0
    return weight * (0.55 * best + 0.25 * max(said, 0.6 * aspect) + 0.2) * (0.3 + 0.7 * named)


def _aspect_strength(question: str, sentence: str, title: str) -> float:
    """The same for a question that asks for no kind of value, by words that are used for its aspect: `feed` for
    `What do they eat?`."""
    aspect = frozenset(map(stem_of, aspect_of(question)))
    present = frozenset(map(stem_of, words_of(sentence)))
    wanted = frozenset(map(stem_of, content_words(question)))
    if not aspect & present:
        return 0.0
    return 0.5 + 0.3 * len(wanted & (present | set(map(stem_of, words_of(title))))) / max(1, len(wanted))


def _values(expected: ExpectedValue, sentence: str) -> Iterator[tuple[int, int]]:
    """The offsets of values of the kind."""
    if expected.form is not None:
        yield from (found.span() for found in expected.form.finditer(sentence))
        return
    for begin, end, words in _names(sentence):
        stems = set(map(stem_of, words))
        if stems <= expected.names | expected.words:
            continue
        is_place = _BEFORE_PLACE.search(sentence[max(0, begin - 16) : begin]) is not None
        if is_place != (expected.kind == "place"):
            continue
        yield begin, end
    if expected.kind == "place":
        yield from (found.span() for found in _PLACE.finditer(sentence) if not _TIMES_OF.search(found[0]))


_NAME = re.compile(
    r"\b[^\W\d_a-zß-ÿ][\w'’.&-]*(?:\s+(?:(?:of|the|de|von|van|der|la|du|and|&)\s+){0,2}[^\W\d_a-zß-ÿ][\w'’.&-]*)*"
)


def _names(sentence: str) -> Iterator[tuple[int, int, tuple[str, ...]]]:
    for found in _NAME.finditer(sentence):
        words = tuple(words_of(found[0]))
        if content_words(found[0]) and not (len(words) == 1 and _STARTS.search(sentence[: found.start()])):
            yield found.start(), found.end(), words


def _nearness(expected: ExpectedValue, tokens: list[tuple[int, int, str]], begin: int, end: int) -> float:
    """How near a value stands to a word for it: 1 beside it, 0.35 if there is no such word."""
    focus = expected.counted or expected.focus
    first = sum(token_end <= begin for _, token_end, _ in tokens)
    last = sum(token_begin < end for token_begin, *_ in tokens)
    if expected.counted and expected.kind in ("number", "amount"):
        # What is counted stands behind its number.
        behind = [stem for *_, stem in tokens[last : last + 3]] + [stem for *_, stem in tokens[first:last]]
        return 1.0 if focus & set(behind) else 0.8 if _STANDING_FOR & set(behind) else 0.3
    near = 0.35
    for at, (*_, stem) in enumerate(tokens):
        if stem in focus:
            distance = first - at if at < first else max(0, at - last + 1)
            near = max(near, 1.0 if distance <= MAX_DISTANCE else 0.7)
    return near
