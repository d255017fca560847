"""What a question asks for: the labels of rows that answer it, the kind of value, and the thing it is about. English;
a question in another language is compared by its words alone."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from functools import lru_cache

from oryn.core.records import Record

_ASPECTS: tuple[tuple[str, str], ...] = (
    (r"how long\b.{0,200}\b(?:take|last|run|cook|bak|boil|journey|trip|wait|valid|keep)\w*|how long (?:is|was) the "
     r"(?:film|movie|flight|trip|walk|ride|song|album|warranty|guarantee)",
     "duration time runtime running cook cooking bake baking total length warranty guarantee validity"),
    (r"how (?:long|short)", "length long span duration time period measure"),
    (r"how (?:tall|high)", "height tall high elevation altitude summit rise tower"),
    (r"how (?:wide|broad)", "width wide breadth beam gauge"),
    (r"how (?:deep|thick)", "depth deep draught draft thickness"),
    (r"how (?:heavy|much .{0,200}\bweighs?\b)|\bweighs?\b", "weight mass heavy"),
    (r"how old", "age founded born built established year opened"),
    (r"how (?:fast|quick)|top speed", "speed velocity fastest"),
    (r"how (?:big|large)",
     "area size surface capacity population dimensions volume extent covers square hectares acres"),
    (r"how far", "distance range reach length"),
    (r"how (?:hot|cold|warm)", "temperature"),
    (r"how often", "frequency interval headway every"),
    (r"how loud", "noise loudness sound"),
    (r"how many (?:people|inhabitants|residents)\b.{0,200}\b(?:live|lived|living|reside)"
     r"|how many (?:inhabitants|residents)",
     "population inhabitants residents"),
    (r"how many (?:people|passengers|spectators|guests|visitors|seats)",
     "capacity seats seating passengers visitors attendance persons guests occupancy"),
    (r"how many (?:servings|portions|people does .{0,200} (?:serve|feed))", "yield servings serves portions"),
    (r"how much .{0,200}\bcosts?\b|how (?:much|expensive) (?:is|are|was|does)|what does .{0,200} cost|\bprice\b",
     "price cost costs fee fees admission toll fare rent charge ticket"),
    (r"how much .{0,200}\b(?:hold|holds|fit|fits|store)\b", "capacity volume storage contents"),
    (r"how much .{0,200}\b(?:earn|pay|pays|paid)\b", "salary pay wage income"),
    (r"how (?:many stars|good|well rated)|\brated\b|\brating\b", "rating stars score"),
    (r"(?:when|what year|which year|since when)\b.{0,200}\b(?:open|opened|opening|inaugurated)\b",
     "opened opening inaugurated inauguration open hours"),
    (r"(?:when|what year|which year)\b.{0,200}\b(?:built|completed|constructed|finished)\b",
     "built completed completion construction constructed finished year"),
    (r"(?:when|what year|which year)\b.{0,200}\b(?:founded|established|created|start\w*|began|begin)\b",
     "founded established foundation inception created formed start starts begins began date"),
    (r"(?:when|what year|which year)\b.{0,200}\b(?:born)\b", "born birth birthday"),
    (r"(?:when|what year|which year)\b.{0,200}\b(?:die|died|dead)\b", "died death"),
    (r"(?:when|what year|which year)\b.{0,200}\b(?:released?|published|come out|came out|launch\w*)\b",
     "release released published publication launch launched premiere date edition"),
    (r"(?:when|what time|until when)\b.{0,200}\b(?:leave|leaves|depart\w*)\b", "departure departs leaves dep"),
    (r"(?:when|what time)\b.{0,200}\b(?:arrive|arrives|get|reach\w*)\b", "arrival arrives arr"),
    (r"(?:when|what time|until when)\b.{0,200}\b(?:close|closes|shut)\b", "closes closing hours closed"),
    (r"(?:when|how often)\b.{0,200}\b(?:bloom\w*|flower\w*)\b", "flowering bloom blooming flowers season"),
    (r"until when|deadline|when\b.{0,200}\b(?:appl|submit|due|end|expire)\w*",
     "deadline until due end ends expiry closing"),
    (r"^\W*(?:when|what time|(?:what|which) (?:year|day|date))\b", "date year time day start"),
    (r"who (?:design|plan|draw|drew)\w*", "architect architects designer designed engineer design"),
    (r"who (?:wrote|writes|has written)", "author authors writer written by"),
    (r"who (?:buil[dt]|constructed)\w*", "builder built contractor constructor shipyard yard"),
    (r"who (?:made|makes|produce\w*|manufacture\w*)", "manufacturer maker brand producer made"),
    (r"who (?:directed|directs|shot)", "director directed"),
    (r"who (?:owns|owned)", "owner owned proprietor"),
    (r"who (?:runs|operates|manages|leads|heads|chairs)",
     "operator operated manager management director head chair chairman chief leader mayor ceo principal"),
    (r"who (?:found|established|started)\w*", "founder founders founded"),
    (r"who (?:painted|drew|sculpted|carved)", "artist painter sculptor creator"),
    (r"who (?:composed|sang|sings|recorded|performed)", "composer artist performer singer band"),
    (r"who (?:publish|released)\w*", "publisher label"),
    (r"who (?:teaches|taught|lectures|gives)", "teacher lecturer instructor speaker tutor"),
    (r"who (?:discovered|found|described|named|invented)", "discoverer discovered authority inventor described"),
    (r"\bwhere\b.{0,200}\b(?:live|lives|grow|grows|found)\b", "habitat range distribution region location"),
    (r"\bwhere\b.{0,200}\b(?:made|produced|manufactured)\b", "origin made country"),
    (r"\bwhere\b.{0,200}\bborn\b", "birthplace born birth place"),
    (r"\bwhere\b", "location address place venue situated headquarters country city region origin"),
    (r"\b(?:wife|husband|spouse|marry|married)\b", "spouse wife husband married partner"),
    (r"\b(?:allowed|permitted|forbidden|prohibited|banned|legal)\b",
     "allowed permitted forbidden prohibited banned legal"),
    (r"\bmade (?:of|from|out of)\b|\bwhat material\b", "material materials made fabric composition"),
    (r"\bcolou?rs?\b", "colour color colours colors"),
    (r"\b(?:phone|telephone|call)\b", "phone telephone tel call"),
    (r"\be-?mail\b", "email mail"),
    (r"\beat\b|\bfeeds? on\b", "diet food feeds prey"),
    (r"\b(?:power|run on|runs on|fuel\w*|driven by|powered)\b", "power fuel battery drive engine energy propulsion"),
)  # fmt: skip
"""Forms of questions, and words of labels whose values answer them; the first that fits counts."""

_KINDS: tuple[tuple[str, str], ...] = (
    (r"^\W*(?:and )?how (?:long|short|tall|high|wide|broad|deep|thick|heavy|old|fast|big|large|far|hot|cold|warm|loud)"
     r"\b"
     r"|\bhow (?:much|many|often|expensive)\b|^\W*(?:when|what time|(?:what|which) year)\b", r"\d|\bdaily\b|\bfree\b"),
    (r"^\W*(?:who|where)\b", r"[^\W\d_]{2}"),
)  # fmt: skip
"""Forms of questions, and what a value must have to answer them."""

_PLAIN = frozenset(
    "a an and any are as at be been by can could did do does for from get gets had has have how i in into is it its "
    "many much of on or that the their there they this to was we were what when where which who whom whose why will "
    "with would you your me my s us long tall high wide deep heavy old fast big large far".split()
)
_WORD = re.compile(r"[^\W_]+")
_QUESTION = re.compile(r"\?\s*$|^\s*(?:how|what|when|where|which|who|whose|until|at what|in which|on which)\b", re.I)
_NAME = re.compile(
    r"[^\W\d_a-zß-ÿ][\w'’&-]*(?:[ \t]+(?:(?:of|the|de|von|van|la|der|and|on|du)[ \t]+){0,2}"
    r"(?:[^\W\d_a-zß-ÿ][\w'’&-]*|\d[\w.-]*))*"
)
_TITLE_PARTS = re.compile(r"(?<!\s)\s++(?:[-–—|·]|of|in|and|at)\s++|[:,(]", re.I)
_NUMBER = re.compile(r"\d[\w.]*|[ivxlc]+")
_HONORIFICS = frozenset(
    "mr mrs ms miss dr prof professor sir lady lord king queen prince princess pope saint st president captain".split()
)
_KINDS_BEFORE = frozenset("lake mount mt river cape fort port hotel hms uss ss villa château chateau isle loch".split())
"""Words that name the kind of a thing before its own name."""
_IRREGULAR = {
    form: verb
    for verb, forms in {
        "bear": "bore borne", "begin": "began begun", "breed": "bred", "bring": "brought", "build": "built",
        "burn": "burnt", "buy": "bought",
        "carry": "carried", "choose": "chose chosen", "come": "came", "die": "died", "draw": "drew drawn",
        "feed": "fed", "fight": "fought", "find": "found", "give": "gave given", "grow": "grew grown", "hang": "hung",
        "hold": "held", "keep": "kept", "lead": "led", "leave": "left", "lose": "lost", "make": "made", "meet": "met",
        "pay": "paid", "run": "ran", "say": "said", "sell": "sold", "sing": "sang sung", "sink": "sank sunk",
        "speak": "spoke spoken", "spend": "spent", "steal": "stole stolen", "swim": "swam", "take": "took taken",
        "teach": "taught", "wear": "wore worn", "win": "won", "write": "wrote written",
    }.items()
    for form in forms.split()
}  # fmt: skip
_ARTICLE = re.compile(r"^(?:the|a|an|in|on|at|by|of)\s+", re.I)


class Row(Record):
    """A row of text: its `label`, its `value`, and the thing that it is about, if it names it."""

    subject: str
    label: str
    value: str


def shared_words(topic: str, text: str) -> float:
    """The share of the content words of a topic that a text has too, in any form; labels that answer the question
    count as one of them (`length` for `How long is …?`)."""
    words = set(map(stem_of, content_words(topic)))
    if not words:
        return 0.0
    present = set(map(stem_of, words_of(text)))
    aspect = {stem_of(label) for label in aspect_of(topic)}
    return (len(words & present) + bool(aspect & present - words)) / (len(words) + bool(aspect))


def missing_names(topic: str, texts: Sequence[str]) -> tuple[str, ...]:
    """The named things of a topic that none of the texts mentions with all of its words, as the topic writes them."""
    present = [{stem_of(word) for word in words_of(text)} for text in texts]
    return tuple(
        name for name, words in _named(topic) if not any({stem_of(word) for word in words} <= each for each in present)
    )


def is_question(topic: str) -> bool:
    """Whether a topic has the form of a question."""
    return _QUESTION.search(topic) is not None


def row_of(text: str) -> Row | None:
    """The parts of `label | value`, `label: value` or `thing | label | value`; None for other rows."""
    parts = [part.strip() for part in text.strip(" |").split("|")]
    match parts:
        case [only] if ": " in only:
            label, _, value = only.partition(": ")
            return Row("", label, value)
        case [label, value]:
            return Row("", label, value)
        case [subject, label, value]:
            return Row(subject, label, value)
    return None


def answer_strength(question: str, row: Row) -> float:
    """How well a row answers a question, from 0 to 1, by its label and the form of its value."""
    if not all(re.search(has, row.value, re.I) for form, has in _KINDS if re.search(form, question, re.I)):
        return 0.0
    label = words_of(row.label)
    if not label:
        return 0.0
    aspect, words = aspect_of(question), content_words(question)
    by_words = sum(_like(word, words) for word in label) / len(label)
    by_aspect = max(
        (1 - place / (2 * len(aspect)) for place, each in enumerate(aspect) if _like(each, label)), default=0
    )
    best = max(by_aspect * (0.6 + 0.4 / len(label)), by_words * 0.95)
    return min(1.0, best + 0.1 * (by_aspect > 0 and by_words > 0))


def content_words(text: str) -> tuple[str, ...]:
    """The words of a text that are not in every question, in lower case."""
    return tuple(word for word in words_of(text) if word not in _PLAIN)


def names_in(text: str) -> list[tuple[str, ...]]:
    """The named things of a text, as words in lower case: runs of words with capitals. The word that a question begins
    with is none."""
    return [words for _, words in _named(text)]


def _named(text: str) -> Iterator[tuple[str, tuple[str, ...]]]:
    for match in _NAME.finditer(text):
        name = match[0]
        while (first := name.split(maxsplit=1)) and first[0].casefold() in _PLAIN:
            name = "".join(first[1:])
        words = words_of(name)
        if match.start() == len(text) - len(text.lstrip()) and name == match[0] and len(words) == 1 < len(text.split()):
            continue  # the first word has a capital in any case
        if words and not (len(words) == 1 and words[0] in _PLAIN):
            yield name, tuple(words)


def capitalized(name: str) -> str:
    """A name with capitals, as `is_about_another` recognises it: `heron bridge` is `Heron Bridge`."""
    return re.sub(r"\b[^\W\d_]", lambda letter: letter[0].upper(), name)


def is_about_another(subject: str, topic: str, text: str = "") -> bool:
    """Whether `subject` names another thing of the same kind than `topic` does, and `text` does not mention that:
    `Kestrel Bridge` for a question about the `Heron Bridge`, `Lake Orrin` for `Lake Immer`, `Tern 50` for `Tern 40`. A
    subject of another kind may say something about the thing. `topic` is a question, or the name of the thing."""
    things = names_in(topic)
    if not subject or not things:
        return False
    others = [tuple(words_of(part)) for part in _TITLE_PARTS.split(_ARTICLE.sub("", subject.strip(), count=1))[:1]]
    mentioned = set(words_of(text))
    topic_words = set(words_of(topic))
    return any(
        _is_another(thing, other, topic_words) and not (set(thing) - set(other)) & mentioned
        for thing in things
        for other in others
        if other
    ) and not any(set(thing) <= set(words_of(subject)) for thing in things)


def _is_another(thing: tuple[str, ...], other: tuple[str, ...], topic_words: set[str]) -> bool:
    if set(thing) <= set(other) or set(other) <= topic_words:
        return False
    if thing[-1] == other[-1]:
        return thing[0] != other[0] and other[0] not in topic_words | _HONORIFICS
    if thing[0] == other[0] and len(thing) > 1 and len(other) > 1:
        return thing[0] in _KINDS_BEFORE or all(_NUMBER.fullmatch(each[-1]) for each in (thing, other))
    return False


def subject_of(sentence: str) -> str:
    """The name that a sentence begins with, as its subject; empty if it begins with something else."""
    start = _ARTICLE.match(sentence)
    begin = start.end() if start and start[0].strip().casefold() in ("the", "a", "an") else 0
    found = _NAME.match(sentence, begin)
    if found is None or (begin == 0 and len(words_of(found[0])) == 1):
        return ""
    return found[0]


@lru_cache(maxsize=64)
def aspect_of(question: str) -> tuple[str, ...]:
    """Words of labels whose values answer a question."""
    question = question.casefold()
    return next((tuple(labels.split()) for form, labels in _ASPECTS if re.search(form, question)), ())


def words_of(text: str) -> list[str]:
    """The words of a text, in lower case."""
    return [word.casefold() for word in _WORD.findall(text)]


def _like(word: str, words: Sequence[str]) -> bool:
    """Whether a word, or another form of it, is among `words`."""
    return any(word == each or stem_of(word) == stem_of(each) for each in words)


@lru_cache(maxsize=4096)
def stem_of(word: str) -> str:
    """A word without its ending, to compare its forms; of irregular verbs, the form that is not inflected."""
    word = _IRREGULAR.get(word, word)
    for ending in ("ing", "ers", "ors", "er", "ed", "es", "s", "or", "e"):
        if word.endswith(ending) and len(word) - len(ending) >= 4:
            return word.removesuffix(ending)
    return word
