"""Compares the report that a step has with the one that it is expected to have. Pure.

What is expected is looked for first as it is, then as something like it; what is left over of the actual report was not
expected. Of each difference the severity says what it means: `Severity`."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from enum import IntEnum
from itertools import pairwise
from urllib.parse import SplitResult, parse_qsl, urlsplit

from oryn.core.records import Record
from oryn.core.text_safety import quoted, shortened
from oryn.testing.expectation import CONTAINERS, MESSAGES, TEXTS, VARIES, ReportEntry, StepReport
from oryn.testing.variation import fits, masked, most_like, tokens

MAX_QUOTED = 100
MAX_SHORT_RESULT = 200
"""Characters of a result that is compared as a whole; a longer one is compared line by line."""
MIN_WORDS = 3
"""Words of the shortest text that may stand in the middle of another line."""
_PLAIN_TEXTS = frozenset({"heading", "text"})
_PASSIVE = frozenset({"generic", "frame", "row", "listitem"})
"""Kinds of elements that nobody misses who wants to press or to fill in something."""
_SINGLE = MESSAGES | {"heading", "title", "result"}
"""Kinds of which another one takes the place of the expected one, whatever it says."""
_ENDED = ("enabled", "valid", "not ")


class Severity(IntEnum):
    """How much a report differs from the expected one."""

    SAME = 0
    COSMETIC = 1
    """What nobody would miss: it is counted."""
    TEXT = 2
    """The page says something else: a warning, or a failure where the step is exact."""
    OUTCOME = 3
    """Something else was done: another page, message, state, or a request that failed."""


class Mismatch(Record):
    """One difference. `sentence`: what differs, for a person; the lines are those of the reports, or None."""

    severity: Severity
    sentence: str
    expected_line: str | None = None
    actual_line: str | None = None


class Comparison(Record):
    """The differences, the worst first; those of one severity in the expected order, behind failed requests."""

    mismatches: tuple[Mismatch, ...] = ()

    @property
    def severity(self) -> Severity:
        return self.mismatches[0].severity if self.mismatches else Severity.SAME

    @property
    def first(self) -> Mismatch | None:
        return self.mismatches[0] if self.mismatches else None


def compare(expected: StepReport, actual: StepReport, vary: Sequence[str] = (), *, exact: bool = False) -> Comparison:
    """Return how `actual` differs from `expected`.

    vary: what may be other than expected: `date`, `price`, or words after which something else may stand
        (`oryn.testing.variation`).
    exact: another text is another outcome."""
    found = list(_ReportMatcher(expected, actual, vary).mismatches())
    if exact:
        found = [each.replace(severity=Severity.OUTCOME) if each.severity == Severity.TEXT else each for each in found]
    return Comparison(tuple(sorted(found, key=lambda each: (-each.severity, not _is_failed_request(each)))))


def _is_failed_request(mismatch: Mismatch) -> bool:
    """A failed request is the cause, and what is missing on the page its effect."""
    return (mismatch.actual_line or "").startswith("! request")


class _ReportMatcher:
    """One comparison. `free`: the actual entries that nothing expected was found in yet."""

    def __init__(self, expected: StepReport, actual: StepReport, vary: Sequence[str]) -> None:
        self.expected, self.actual, self.vary = expected, actual, tuple(vary)
        self.free, self.hidden = list(actual.entries), list(actual.hidden)
        self.is_cut = any(entry.kind == "more" for entry in actual.hidden)
        words = [word for line in actual.page_text.splitlines() for word in tokens(line)]
        self.page_words = f" {' '.join(words)} "

    def mismatches(self) -> Iterator[Mismatch]:
        required = [entry for entry in self.expected.entries if not entry.sometimes]
        if (blocking := self._blocking(required)) is not None:
            yield blocking
            return
        missing = [entry for entry in required if not self._take_same(entry)]
        optional = [entry for entry in self.expected.entries if entry.sometimes and not self._take_same(entry)]
        effects = [entry for entry in required if entry.sign in "@+-~"]
        if effects and not self.actual.effects and any(entry in missing for entry in effects):
            lost = next(entry for entry in effects if entry in missing)
            yield Mismatch(Severity.OUTCOME, f"nothing changed, instead of: {lost.render()}", lost.render())
            missing = [entry for entry in missing if entry not in effects]
        for entry in missing:
            mismatch = self._other(entry)
            if mismatch is not None:
                yield mismatch
        for entry in optional:
            self._like(entry)
        yield from filter(None, map(self._unexpected, self.free))

    # --- what makes all else meaningless ---

    def _blocking(self, required: Sequence[ReportEntry]) -> Mismatch | None:
        """Return the difference besides which no other counts: the step has failed, or led to another page."""
        failed = next((entry for entry in self.actual.entries if _is_error(entry)), None)
        wanted = next((entry for entry in self.expected.entries if _is_error(entry)), None)
        if failed is not None and wanted is None:
            return Mismatch(Severity.OUTCOME, f"the step failed: {failed.text}", None, failed.render())
        if failed is None and wanted is not None and not wanted.sometimes:
            sentence = f"the step worked, though it was expected to fail: {wanted.text}"
            return Mismatch(Severity.OUTCOME, sentence, wanted.render())
        if failed is not None and wanted is not None and failed.kind != wanted.kind:
            sentence = f"the step failed otherwise: {failed.text}, instead of: {wanted.text}"
            return Mismatch(Severity.OUTCOME, sentence, wanted.render(), failed.render())
        before = next((entry for entry in required if entry.kind in ("page", "url")), None)
        after = next((entry for entry in self.actual.entries if entry.kind in ("page", "url")), None)
        is_optional = any(entry.kind in ("page", "url") for entry in self.expected.entries if entry.sometimes)
        if before is None and after is not None and after.kind == "page" and not is_optional:
            sentence = f"it led to another page, {_page(after)}, instead of none"
            return Mismatch(Severity.OUTCOME, sentence, None, after.render())
        if before is not None and before.kind == "page" and after is None and self.actual.effects:
            sentence = f"the page stayed, instead of: {_page(before)}"
            return Mismatch(Severity.OUTCOME, sentence, before.render())
        if before is not None and after is not None and self._place(before, after) == Severity.OUTCOME:
            sentence = f"it led to {_page(after)}, instead of {_page(before)}"
            return Mismatch(Severity.OUTCOME, sentence, before.render(), after.render())
        return None

    def _place(self, expected: ReportEntry, actual: ReportEntry) -> Severity:
        """Return how much an address differs: another path, other values of the query, more of them."""
        if fits(expected.place, actual.place, self.vary):
            return Severity.SAME
        one, other = urlsplit(expected.place), urlsplit(actual.place)
        if not fits(_path(one), _path(other), self.vary):
            return Severity.OUTCOME
        wanted, found = dict(parse_qsl(one.query, True)), dict(parse_qsl(other.query, True))
        if all(name in found and fits(value, found[name], self.vary) for name, value in wanted.items()):
            return Severity.COSMETIC
        return Severity.TEXT

    # --- the same ---

    def _take_same(self, entry: ReportEntry) -> bool:
        """Return whether the actual report has an entry, which is then taken out of it."""
        for pool in (self.free, self.hidden):
            for place, each in enumerate(pool):
                if self._is_same(entry, each):
                    del pool[place]
                    if entry.kind == "text":
                        self._take_words(each.text)
                    return True
        return entry.sign == "=" and entry.kind == "text" and self._take_words(entry.text)

    def _is_same(self, entry: ReportEntry, other: ReportEntry) -> bool:
        if entry.kind in ("page", "url") and other.kind == entry.kind:
            return self._place(entry, other) == Severity.SAME and fits(entry.text, other.text, self.vary)
        return (
            _is_comparable(entry, other)
            and self._says(entry, other)
            and fits(entry.place, other.place, self.vary)
            and _lasting(entry) == _lasting(other)
            and self._has_value(entry, other)
        )

    def _says(self, entry: ReportEntry, other: ReportEntry) -> bool:
        vary = (*self.vary, "number", "id") if entry.kind == "console" else self.vary
        return fits(entry.text, other.text, vary)

    def _has_value(self, entry: ReportEntry, other: ReportEntry) -> bool:
        return entry.value == other.value or fits(entry.value or "", other.value or "", self.vary)

    def _take_words(self, text: str) -> bool:
        """Return whether the page shows these words in this order, though not in a line of their own."""
        words = tokens(text)
        phrase = f" {' '.join(words)} "
        if len(words) < MIN_WORDS or VARIES in masked(text, self.vary) or phrase not in self.page_words:
            return False
        self.page_words = self.page_words.replace(phrase, " ¶ ", 1)
        return True

    # --- something else ---

    def _like(self, entry: ReportEntry) -> ReportEntry | None:
        """Take what stands in the place of an expected entry out of the actual report."""
        others = [each for each in self.free if _is_comparable(entry, each)]
        named = next((each for each in others if self._says(entry, each)), None)
        found = named or most_like(entry.text, others, only=entry.kind in _SINGLE)
        if found is not None:
            self.free.remove(found)
        return found

    def _other(self, entry: ReportEntry) -> Mismatch | None:
        """Return how the actual report differs in what an expected entry says."""
        line = entry.render()
        if entry.kind in ("page", "url"):
            return self._other_page(entry)
        if entry.sign == "!":
            return Mismatch(Severity.COSMETIC, f"no longer: {line}", line)
        if entry.kind == "result":
            return self._other_result(entry)
        if entry.kind in TEXTS:
            return self._other_text(entry)
        if entry.is_element:
            return self._other_element(entry)
        found = self._like(entry)
        severity = Severity.TEXT if entry.kind == "title" else Severity.OUTCOME
        return _mismatch(severity, entry, found)

    def _other_page(self, entry: ReportEntry) -> Mismatch | None:
        found = next((each for each in self.free if each.kind in ("page", "url")), None)
        if found is None:
            return Mismatch(Severity.OUTCOME, f"the address stayed, instead of: {_page(entry)}", entry.render())
        self.free.remove(found)
        severity = self._place(entry, found)
        if severity != Severity.SAME:
            sentence = f"the address is {found.place}, instead of {entry.place}"
            return Mismatch(severity, sentence, entry.render(), found.render())
        if found.kind != entry.kind:
            return Mismatch(Severity.COSMETIC, "the address is reached otherwise", entry.render(), found.render())
        sentence = f"the page {found.place} is titled {_quoted(found.text)}, instead of {_quoted(entry.text)}"
        return Mismatch(Severity.TEXT, sentence, entry.render(), found.render())

    def _other_result(self, entry: ReportEntry) -> Mismatch | None:
        found = next((each for each in self.free if each.kind == "result"), None)
        if found is None:
            return _mismatch(Severity.OUTCOME, entry, None)
        self.free.remove(found)
        if max(len(entry.text), len(found.text)) <= MAX_SHORT_RESULT and "\n" not in entry.text:
            sentence = f"the result is {_quoted(found.text)}, instead of {_quoted(entry.text)}"
            return Mismatch(Severity.OUTCOME, sentence, entry.render(), found.render())
        there = [line for line in found.text.splitlines() if line.strip()]
        for line in filter(str.strip, entry.text.splitlines()):
            if not any(fits(line, each, self.vary) for each in there):
                return _mismatch(Severity.TEXT, ReportEntry("=", "text", line), None)
        return Mismatch(Severity.COSMETIC, "the result has more lines", entry.render(), found.render())

    def _other_text(self, entry: ReportEntry) -> Mismatch | None:
        if entry.sign == "-" or entry.kind == "image":
            return Mismatch(Severity.COSMETIC, f"not reported: {entry.render()}", entry.render())
        elsewhere = next((each for each in self.actual.all if each.sign in "+~=" and self._says(entry, each)), None)
        if elsewhere is not None or self._take_words(entry.text):
            if elsewhere in self.free:
                self.free.remove(elsewhere)
            sentence = f"{_subject(entry)} is there, but of another kind"
            return Mismatch(Severity.COSMETIC, sentence, entry.render(), elsewhere.render() if elsewhere else None)
        found = self._like(entry)
        is_message = entry.kind in MESSAGES
        if found is not None and _words(entry.text) == _words(found.text):
            sentence = f"{_subject(entry)} is written otherwise: {_quoted(found.text)}"
            return Mismatch(Severity.COSMETIC, sentence, entry.render(), found.render())
        return _mismatch(Severity.OUTCOME if is_message else Severity.TEXT, entry, found)

    def _other_element(self, entry: ReportEntry) -> Mismatch | None:
        others = [each for each in self.free if each.is_element and _is_comparable(entry, each)]
        named = next((each for each in others if self._says(entry, each)), None)
        if named is not None:
            self.free.remove(named)
            return self._other_state(entry, named)
        otherwise = [each for each in self.free if each.is_element and (each.sign == "-") == (entry.sign == "-")]
        if (changed_kind := next((each for each in otherwise if self._says(entry, each)), None)) is not None:
            self.free.remove(changed_kind)
            sentence = f"{_subject(entry)} is a {changed_kind.kind} now"
            return Mismatch(Severity.COSMETIC, sentence, entry.render(), changed_kind.render())
        found = self._like(entry) if entry.text else None
        has_state = entry.sign == "~" and bool(entry.states or entry.value is not None)
        if found is not None:
            severity = Severity.OUTCOME if has_state and _lasting(entry) != _lasting(found) else Severity.TEXT
            return _mismatch(severity, entry, found)
        if self.is_cut and not has_state:
            return Mismatch(Severity.COSMETIC, f"not in what was reported: {entry.render()}", entry.render())
        if entry.sign == "-":
            severity = Severity.OUTCOME if entry.kind in CONTAINERS else Severity.TEXT
            return Mismatch(severity, f"{_subject(entry)} has not gone", entry.render())
        if has_state:
            return Mismatch(Severity.OUTCOME, f"{_subject(entry)} did not become {_state(entry)}", entry.render())
        is_control = entry.kind.partition("/")[0] not in _PASSIVE
        return _mismatch(Severity.OUTCOME if is_control else Severity.TEXT, entry, None)

    def _other_state(self, entry: ReportEntry, found: ReportEntry) -> Mismatch:
        lines = entry.render(), found.render()
        if _lasting(entry) != _lasting(found):
            sentence = f"{_subject(entry)} is {_state(found)}, instead of {_state(entry)}"
            return Mismatch(Severity.OUTCOME, sentence, *lines)
        if not self._has_value(entry, found):
            held = _quoted(found.value) if found.value else "nothing"
            wanted = _quoted(entry.value) if entry.value else "nothing"
            sentence = f"{_subject(entry)} holds {held}, instead of {wanted}"
            return Mismatch(Severity.TEXT if entry.sign == "=" else Severity.OUTCOME, sentence, *lines)
        return Mismatch(Severity.COSMETIC, f"{_subject(entry)} is reported otherwise", *lines)

    # --- not expected ---

    def _unexpected(self, entry: ReportEntry) -> Mismatch | None:
        line = entry.render()
        if entry.kind in ("page", "url"):
            return Mismatch(Severity.OUTCOME, f"it led to {_page(entry)}, which was not expected", None, line)
        if entry.sign == "!":
            return Mismatch(_failure_severity(entry), _failure_sentence(entry), None, line)
        is_message = entry.kind == "alert" and entry.sign in "+~"
        is_dialog = entry.kind.startswith("dialog ") or (entry.kind == "browser tab")
        is_invalid = "invalid" in entry.states and entry.sign in "+~"
        if is_message or is_dialog or is_invalid:
            state = ", which is invalid" if is_invalid else ", which was not expected"
            sentence = f"there is {_subject(entry, _article(entry))}{state}"
            return Mismatch(Severity.OUTCOME, sentence, None, line)
        return Mismatch(Severity.COSMETIC, f"not expected: {line}", None, line)


def _words(text: str) -> list[str]:
    """Return the words of a text and the signs that change its meaning: of money, parts, and before a number."""
    found = [*tokens(text), ""]
    signed = [word for word, after in pairwise(found) if word in "+-" and after[:1].isdigit()]
    return [word for word in found if word[:1].isalnum() or (word and word in "€$£¥₹%")] + signed


def _is_error(entry: ReportEntry) -> bool:
    return entry.sign == "!" and entry.kind.startswith("error ")


def _is_comparable(entry: ReportEntry, other: ReportEntry) -> bool:
    """Return whether two entries may be about the same: what has come may have been there, or changed."""
    if entry.sign != other.sign and not (entry.sign in "+~=" and other.sign in "+~="):
        return False
    return entry.kind == other.kind or (entry.kind in _PLAIN_TEXTS and other.kind in _PLAIN_TEXTS)


def _lasting(entry: ReportEntry) -> set[str]:
    """Return the states without those that only say that another has ended."""
    return {each for each in entry.states if not each.startswith(_ENDED)}


def _path(parts: SplitResult) -> str:
    """Return what of an address names a page; a fragment does if it is a route of the page's script."""
    route = parts.fragment.rstrip("/") if parts.fragment.startswith(("/", "!")) else ""
    return f"{parts.scheme}:{parts.netloc}{parts.path.rstrip('/')}#{route}"


def _mismatch(severity: Severity, entry: ReportEntry, found: ReportEntry | None) -> Mismatch:
    if found is None:
        verb = "is missing" if entry.sign == "=" else "has not come"
        return Mismatch(severity, f"{_subject(entry)} {verb}", entry.render())
    sentence = f"{_subject(found)} is there, instead of {_quoted(entry.text)}"
    return Mismatch(severity, sentence, entry.render(), found.render())


def _failure_severity(entry: ReportEntry) -> Severity:
    word, is_ours = entry.kind.partition(" ")[0], entry.place.startswith("/")
    if word == "request" and is_ours:
        return Severity.OUTCOME
    return Severity.TEXT if is_ours or word == "console" else Severity.COSMETIC


def _failure_sentence(entry: ReportEntry) -> str:
    word, _, method = entry.kind.partition(" ")
    match word:
        case "slow":
            return f"the answer to {method} {entry.place} took {entry.text}"
        case "console":
            return f"a script of the page failed: {_quoted(entry.text)}"
    return f"the request {method} {entry.place} failed: {entry.text}"


def _page(entry: ReportEntry) -> str:
    return f"{entry.place} {_quoted(entry.text)}" if entry.text else entry.place


def _subject(entry: ReportEntry, article: str = "the") -> str:
    return f"{article} {entry.kind} {_quoted(entry.text)}"


def _article(entry: ReportEntry) -> str:
    return "an" if entry.kind[0] in "aeiou" else "a"


def _state(entry: ReportEntry) -> str:
    states = " and ".join(entry.states)
    value = f"{_quoted(entry.value)}" if entry.value is not None else ""
    return " with ".join(filter(None, (states, value))) or "as it was"


def _quoted(text: str) -> str:
    return quoted(shortened(text, MAX_QUOTED))
