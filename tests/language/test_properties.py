"""What holds for every text and every command."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from oryn.core.records import Field
from oryn.errors import LanguageError
from oryn.language import (
    COMMANDS,
    RELATIONS,
    ROLES,
    Command,
    CssTarget,
    Define,
    IdTarget,
    KindTarget,
    PatternTarget,
    PointTarget,
    ReferenceTarget,
    RelatedTarget,
    RoleTarget,
    Run,
    Search,
    SourceTarget,
    TextTarget,
    XPathTarget,
    command_json,
    normalize,
    parse,
    parse_output,
    quote,
    render,
)
from oryn.language import kinds as k
from oryn.language.command import Argument, Option
from oryn.language.kinds.keys import KEYS
from oryn.language.kinds.text import WordsKind
from oryn.language.targets import TEXT_SOURCES
from oryn.language.vocabulary import verb_names

texts = st.text(max_size=20)
names = st.text(max_size=12) | st.sampled_from(["reset", "clear", "near", "to", "off", "-x", "#a", "a b", "timeout"])
identifiers = st.from_regex(r"[a-z_][a-z0-9_-]{0,8}", fullmatch=True).filter(lambda name: name not in ("new", "close"))
counts = st.integers(0, 10**15 - 1)
numbers = st.integers(0, 10**9).map(lambda number: number / 1000)
json_values = st.recursive(
    st.none() | st.booleans() | st.integers(-(10**9), 10**9) | texts,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(texts, inner, max_size=3),
    max_leaves=6,
)
keys = st.sampled_from(KEYS) | st.sampled_from([*"abz059é#-+\"'\\;"])
simple_targets = st.one_of(
    counts.map(IdTarget),
    counts.map(ReferenceTarget),
    texts.map(TextTarget),
    st.builds(KindTarget, st.sampled_from(["button", "input/email", "dialog"]), texts, st.none() | counts),
    st.builds(KindTarget, st.just("link"), texts, st.none(), counts),
    st.builds(SourceTarget, st.sampled_from(TEXT_SOURCES), texts),
    st.builds(
        PatternTarget,
        st.sampled_from([r"Sav(e|ing)", r"^a\/b c$", r"[/\]]+ #\d{2,}"]),
        st.sampled_from(["", "i", "imsu"]),
    ),
    st.builds(PatternTarget, st.just("x"), st.just("i"), st.sampled_from(["button", "input/email"])),
    st.builds(PatternTarget, st.just("x"), st.just(""), st.none(), st.sampled_from(TEXT_SOURCES)),
    st.sampled_from(ROLES).map(RoleTarget),
    texts.map(CssTarget),
    texts.map(XPathTarget),
    st.builds(PointTarget, numbers, numbers),
)
targets = st.recursive(
    simple_targets,
    lambda inner: st.builds(RelatedTarget, simple_targets, st.sampled_from(RELATIONS), inner),
    max_leaves=3,
)
urls = texts.map(lambda text: f"https://a.org/{''.join(filter(str.isprintable, text))}".rstrip()) | st.just("/a?b#c")

VALUES: dict[type[k.ValueKind[Any]], st.SearchStrategy[Any]] = {
    k.RolesKind: st.lists(st.sampled_from(["button", "input/email", "row"]), min_size=1, max_size=3).map(tuple),
    k.ListKind: st.lists(st.text("a-*/é\"'", min_size=1), min_size=1, max_size=3).map(tuple),
    k.TargetKind: targets,
    k.StringKind: texts,
    k.SecretKind: texts,
    WordsKind: texts,
    k.NameKind: names,
    k.PictureKind: names,
    k.DomainKind: names.filter(lambda name: not name.lstrip().startswith(("{", "["))),
    k.UrlKind: urls,
    k.IdentifierKind: identifiers,
    k.DefinedNameKind: identifiers,
    k.IntegerKind: counts,
    k.NumberKind: numbers,
    k.OffsetKind: st.tuples(numbers, numbers),
    k.RegionKind: st.tuples(*[st.floats(1, 10**6).map(lambda each: round(each, 3))] * 4),
    k.RegionsKind: st.lists(
        st.tuples(*[st.floats(1, 10**6).map(lambda each: round(each, 3))] * 4), min_size=1, max_size=3
    ).map(tuple),
    k.DurationKind: counts.map(lambda count: count / 1000 if count < 10**9 else float(count)),
    k.KeyKind: keys,
    k.KeyCombinationKind: st.lists(keys, min_size=1, max_size=3).map(tuple),
    k.JsonKind: json_values,
    k.JsonTextKind: json_values.map(json.dumps),
    k.JsonObjectKind: st.dictionaries(texts, json_values, max_size=3),
    k.HeadersKind: st.dictionaries(texts, texts, max_size=3),
    k.DismissKind: names.filter(lambda name: name == name.lower()),
    k.ExtractKind: st.sampled_from(["links", "text"]) | texts.map(CssTarget),
}


def values_of(kind: k.ValueKind[Any]) -> st.SearchStrategy[Any]:
    if isinstance(kind, k.ChoiceKind):
        return st.sampled_from(kind.words)
    if isinstance(kind, k.CaseFoldedKind):
        return st.just("POST") if kind is k.METHOD else st.just("click")
    if isinstance(kind, k.IntegerKind) and kind.maximum is not None:
        return st.integers(kind.minimum, kind.maximum)
    if isinstance(kind, k.NumberKind) and kind.maximum is not None:
        return st.floats(kind.minimum, kind.maximum).map(lambda number: round(number, 3))
    return VALUES[type(kind)]


def field_values(field: Field) -> st.SearchStrategy[Any]:
    if isinstance(field, Argument) and isinstance(field.kind, k.SelectionKind):
        return counts | st.lists(texts, min_size=1, max_size=3).map(tuple)
    if isinstance(field, Argument):
        values = values_of(field.kind)
        if field.many:
            return st.lists(values, min_size=1, max_size=3).map(tuple)
        return values if field.required else st.none() | values
    assert isinstance(field, Option)
    return st.booleans() if field.kind is None else st.none() | values_of(field.kind)


@st.composite
def commands(draw: st.DrawFn, of: type[Command]) -> Command:
    spec = of.spec
    values = {argument.name: draw(field_values(argument)) for argument in spec.arguments}
    values |= {option.name: draw(field_values(option)) for option in spec.options.values()}
    for conflict in spec.conflicts:
        fields = (*spec.arguments, *spec.options.values())
        values[conflict[0]] = next(each.default for each in fields if each.name == conflict[0])
    if spec.either and all(values[name] is None for name in spec.either):
        first = next(each for each in (*spec.arguments, *spec.options.values()) if each.name == spec.either[0])
        values[first.name] = draw(values_of(first.kind)) if first.kind is not None else True
    for group in {option.group for option in spec.options.values() if option.group}:
        values |= dict.fromkeys([option.name for option in spec.options.values() if option.group == group][1:], False)
    if of is Run:
        values["parameters"] = tuple(draw(st.dictionaries(identifiers, texts, max_size=2)).items())
    if of is Define:
        values["body"] = draw(st.sampled_from([(), ("back",), ("click 5", "#c", 'type 5 "x" # y')]))
    return of(**values)


@pytest.mark.parametrize("command", COMMANDS, ids=lambda command: command.__name__)
@settings(max_examples=30, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(data=st.data())
def test_parsing_what_is_rendered_gives_it_back(command: type[Command], data: st.DataObject) -> None:
    made = data.draw(commands(command))
    line = parse(render(made))
    assert line.command == made
    assert parse(line.canonical).canonical == line.canonical
    assert json.loads(json.dumps(command_json(made)))["name"] == command.spec.name


PIECES = [
    *verb_names(),
    *(option.written for command in COMMANDS for option in command.spec.options.values()),
    *(word for command in COMMANDS for word in (*command.spec.path, *command.spec.choice)),
    *RELATIONS,
    *ROLES,
    *(
        "5",
        "@e5",
        "@work",
        "session",
        "5s",
        "-5",
        "1.5",
        "at(1,2)",
        "css(#a)",
        "xpath(//a[@b='c'])",
        "css(",
        '"a b"',
        "'",
    ),
    *(
        '{"a": "b"}',
        "{",
        "]",
        "#",
        " # c",
        "x",
        "Login",
        "a.org#b",
        "control+",
        "+",
        "to",
        "define x:",
        "\r",
        "\t",
        "\\",
    ),
]
lines = st.lists(st.sampled_from(PIECES) | st.text(max_size=4), max_size=10).flatmap(
    lambda words: st.sampled_from([" ", "", "  "]).map(lambda space: space.join(words))
)


@pytest.mark.slow
@settings(max_examples=1500, deadline=None)
@given(lines | st.text())
def test_any_line_is_a_command_or_an_error_with_its_place(raw: str) -> None:
    try:
        line = parse(raw)
    except LanguageError as error:
        assert error.position is None or 0 <= error.position <= len(raw)
        assert "\n" not in error.message
        return
    again = parse(line.canonical)
    assert (again.canonical, again.command) == (line.canonical, line.command)
    if line.command:
        assert parse(render(line.command)).command == line.command


@pytest.mark.slow
@settings(max_examples=300, deadline=None)
@given(st.lists(lines | st.sampled_from(["define x:", "  back", "\tclick 5", "", "# c"]), max_size=6).map("\n".join))
def test_any_script_is_read_to_its_end(text: str) -> None:
    list(parse_output(text))
    try:
        canonical = normalize(text)
    except LanguageError:
        return
    assert normalize(canonical) == canonical


@given(st.text())
def test_a_string_literal_means_its_text(text: str) -> None:
    line = parse(f"search {quote(text)}")
    assert (line.canonical, line.command) == (f"search {quote(text)}", Search(text))
