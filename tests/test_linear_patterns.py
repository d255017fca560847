"""No regular expression of `oryn` takes time that grows faster than the text.

The daemon serves all sessions on one event loop, and what it reads was written by others: one slow pattern blocks every
session. Each pattern is applied to what it consists of, repeated; growth is measured in CPU time."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping

import pytest

from oryn.browsers.cdp.emulation import _SYSTEMS
from oryn.browsers.webkit.differences import ENGINE_DIFFERENCES
from oryn.browsers.webkit.error_mapping import _NOT_LOADED
from oryn.core.urls import url_pattern, wildcard_expression
from oryn.engine.definitions.schema import NAME_PATTERN, PARAMETER_PATTERN
from oryn.engine.secrets.masking import MaskedValue, SecretMasker
from oryn.language.kinds import COMMAND_NAME, METHOD
from oryn.research.text import expected_values
from oryn.research.text.questions import _ASPECTS, _KINDS
from oryn.testing.variation import CLASSES, _expressions
from tests.regular_expressions import METHODS, Place, pattern_objects, places, slow_attack

pytestmark = pytest.mark.processes

SECRETS = ("correct horse+battery", "\\\\server\\\\\\b", "a + b", "\"'`/\\n\n")


def _literals(form: str = "{}") -> list[str]:
    return [form.format(re.escape(word)) for word in ("word", "two words", "aaaa", "a.b/c")]


def _masker(part: Callable[[SecretMasker], Iterable[re.Pattern[str] | None]]) -> list[re.Pattern[str]]:
    maskers = [SecretMasker([MaskedValue(secret)]) for secret in SECRETS]
    maskers.append(SecretMasker([MaskedValue("482913", spread=True)]))
    return [pattern for masker in maskers for pattern in part(masker) if pattern is not None]


def _prefix_parts(masker: SecretMasker) -> Iterable[re.Pattern[str]]:
    for prefix in masker._prefixes:
        prefix.mask("".join(prefix._value), displayed=False)
        yield from prefix._patterns.values()


def _defining(entity: str) -> list[str]:
    verb = r"\b(?:(?:is|are|was|were)\s+(?:an?|the|one)|lies|lie|stands|stand)\b"
    return [rf"(?:the\s+)?{re.escape(entity)}\b[^.:;]{{0,80}}?{verb}"]


WHEN_RUN: Mapping[str, Callable[[], Iterable[str | re.Pattern[str]]]] = {
    "oryn.browsers.cdp.emulation:_platform_of": lambda: [pattern for pattern, *_ in _SYSTEMS],
    "oryn.browsers.common.differences:EngineDifference.covers": lambda: [each.lines for each in ENGINE_DIFFERENCES],
    "oryn.browsers.webkit.error_mapping:missing_library": lambda: [
        rf"{start}(?<!\S)(\S+): cannot open shared object file" for start in ("", _NOT_LOADED)
    ],
    "oryn.browsers.webkit.evaluation:_assigning": lambda: _literals(r"(?<![\w$.])(?:let|const|var)(\s+{}\s*=(?!=))"),
    "oryn.core.urls:url_pattern": lambda: map(url_pattern, ("a", "*a*a*b*", "a*a*a*b", "*a", "a*", "http*://*.x/*?*")),
    "oryn.engine.handlers.editors:_Entry._insert": lambda: (r"(\n|\t)", r"(\t)"),
    "oryn.engine.handlers.text_entry:TextEntry._type": lambda: (r"([^\n]+)", r"(\t+)", r"((?s:.+))", r"([\n\t]+)"),
    "oryn.engine.definitions.schema:TextShape.read": lambda: (
        NAME_PATTERN,
        PARAMETER_PATTERN,
        r"^[0-9]+(\.[0-9]+)?(ms|s|m)$",
    ),
    "oryn.engine.definitions.schema:MapShape.read": lambda: [PARAMETER_PATTERN],
    "oryn.engine.definitions.template:_replace_words": lambda: ["|".join(_literals())],
    "oryn.providers.configuration:_ProviderFile._line_of": lambda: _literals(
        r"\s*(\[+\s*(provider\.)?)?[\"']?{}[\"']?\s*[.=\]]"
    ),
    "oryn.engine.secrets.masking:SecretMasker.__init__": lambda: _masker(lambda each: (each._forms, each._encoded)),
    "oryn.engine.secrets.prefixes:SecretPrefix.__init__": lambda: _masker(
        lambda each: [p._start for p in each._prefixes]
    ),
    "oryn.engine.secrets.prefixes:SecretPrefix._end": lambda: _masker(_prefix_parts),
    "oryn.engine.secrets.prefixes:_EncodedPrefix.__init__": lambda: _masker(
        lambda each: [pattern for p in each._prefixes for pattern in (p._encoded._core, p._encoded._digits)]
    ),
    "oryn.language.kinds.text:CaseFoldedKind.__init__": lambda: (COMMAND_NAME._pattern, METHOD._pattern),
    "oryn.research.crawling.scope:_UrlPattern.__init__": lambda: map(wildcard_expression, ("/*a*a*b", "*/a/*")),
    "oryn.research.graph.heuristic:_mentions": lambda: _literals(r"\b{}"),
    "oryn.research.graph.heuristic:_defines": lambda: _defining("Heron Bridge"),
    "oryn.research.text.questions:answer_strength": lambda: [pattern for pair in _KINDS for pattern in pair],
    "oryn.research.text.bylines:as_written": lambda: [*_literals(r"(?<!\w){}(?!\w)"), r"(?<!\w)Ann\s+Bee(?!\w)"],
    "oryn.research.text.expected_values:expected_value": lambda: [
        pattern for _, *patterns in expected_values._KINDS for pattern in patterns
    ],
    "oryn.research.text.questions:aspect_of": lambda: [form for form, _ in _ASPECTS],
    "oryn.testing.variation:_expressions": lambda: [
        pattern for pattern, _ in _expressions((*CLASSES, "order number", "total"))
    ],
    "oryn.vault.mail_settings:checked_mail_code": lambda: [r"Code: (\d{6})"],
    "oryn.vault.message_codes:find_code": lambda: [r"Code: (\d{6})"],  # the user's own
    "oryn.system.processes:_numbered": lambda: [r"^NSpid:\t\d+\t.*\b4711$"],
    "oryn.skill.toml_document:_without_table": lambda: [r"\s*\[\s*[\"']?mcp[\"']?\s*\.\s*[\"']?oryn[\"']?\s*[.\]]"],
}
"""The patterns that are only known when the code runs, by the place of the code."""
WRITTEN = [place for place in places() if place.text is not None]


@pytest.mark.parametrize("place", WRITTEN, ids=str)
def test_written_patterns(place: Place) -> None:
    assert place.text is not None
    assert slow_attack(re.compile(place.text, place.flags), place.methods) is None


@pytest.mark.slow
@pytest.mark.parametrize("place", WHEN_RUN)
def test_patterns_that_are_made_when_the_code_runs(place: str) -> None:
    methods = METHODS.intersection(*(each.methods for each in places() if each.text is None and _key(each) == place))
    flags = re.DOTALL if "url" in place.lower() else 0
    for pattern in WHEN_RUN[place]():
        pattern = pattern if isinstance(pattern, re.Pattern) else re.compile(pattern, flags)
        assert slow_attack(pattern, methods) is None


def test_every_pattern_is_tested() -> None:
    assert {_key(each) for each in places() if each.text is None} == set(WHEN_RUN)
    tested = {each.text for each in WRITTEN}
    tested |= {each if isinstance(each, str) else each.pattern for make in WHEN_RUN.values() for each in make()}
    assert [name for name, pattern in pattern_objects() if pattern.pattern not in tested] == []


def _key(place: Place) -> str:
    return f"{place.module}:{place.function}"


@pytest.mark.slow
@pytest.mark.parametrize(
    "pattern", [r"\s+$", r"^(a+)+$", r"\[.*\]", r"\w*\d", r"<a[^>]*>", r'"(?:[^"\\]|\\.)*"', r".*a.*a.*b"]
)
def test_slow_patterns_are_found(pattern: str) -> None:
    assert slow_attack(re.compile(pattern), METHODS)
