"""The regular expressions of `oryn`, wherever they stand, and texts that make a bad one slow.

A pattern that tries each of n beginnings, and reads the rest of the text from each, takes n² steps; text of other
people may be millions of characters long. The texts here repeat what a pattern itself consists of: its characters, its
parts, and what it reads before a part."""

from __future__ import annotations

import ast
import importlib
import re
import signal
import sys
import time
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from re import _constants as sre  # type: ignore[attr-defined]
from re import _parser  # type: ignore[attr-defined]
from typing import Any, NamedTuple

from tests.source_modules import modules, tree

SCANNING = frozenset({"search", "sub", "subn", "findall", "finditer", "split"})
METHODS = SCANNING | {"match", "fullmatch"}


@dataclass(frozen=True)
class Place:
    """A pattern in the source. `methods`: how it is applied; `text` is None if it is only known when the code runs."""

    module: str
    line: int
    function: str
    text: str | bytes | None
    flags: int = 0
    methods: frozenset[str] = field(default=METHODS)

    def __str__(self) -> str:
        return f"{self.module}:{self.line}"


# --- finding ---


@cache
def places() -> tuple[Place, ...]:
    """Every call of `re` in `oryn`."""
    return tuple(place for name, file in modules("oryn") for place in _places(name, file))


def _places(module: str, file: Path) -> Iterator[Place]:
    source = tree(file)
    if not any(isinstance(node, ast.Attribute) and _is_re(node) for node in ast.walk(source)):
        return
    try:
        namespace = vars(importlib.import_module(module))
    except ImportError:  # it needs a library that the tests don't install
        namespace = {"re": re}
    for function, names, call in _calls(source, ""):
        method = call.func.attr  # type: ignore[attr-defined]
        if method == "escape":
            continue
        text, flags = _evaluated(call, namespace)
        methods = _methods_of(module, names) if method == "compile" else frozenset({method})
        yield Place(module, call.lineno, function, text, flags, methods)


def pattern_objects() -> Iterator[tuple[str, re.Pattern[Any]]]:
    """The compiled patterns in the modules and classes that are imported."""
    for name, module in sorted(sys.modules.items()):
        if name.partition(".")[0] == "oryn":
            for owner in (module, *(each for each in vars(module).values() if isinstance(each, type))):
                for key, value in list(vars(owner).items()):
                    for each in (
                        value.values()
                        if isinstance(value, dict)
                        else value
                        if isinstance(value, tuple | list)
                        else [value]
                    ):
                        if isinstance(each, re.Pattern):
                            yield f"{name}.{key}", each


def _is_re(node: ast.expr) -> bool:
    return isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name) and node.value.id == "re"


def _calls(
    node: ast.AST, function: str, names: tuple[str, ...] = ()
) -> Iterator[tuple[str, tuple[str, ...], ast.Call]]:
    """Each call of `re.…`, the function that it stands in, and the names that its value is given."""
    if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
        function = f"{function}.{node.name}".lstrip(".")
    if isinstance(node, ast.Assign | ast.AnnAssign):
        targets = node.targets if isinstance(node, ast.Assign) else [node.target]
        names = tuple(
            each.id if isinstance(each, ast.Name) else each.attr
            for each in targets
            if isinstance(each, ast.Name | ast.Attribute)
        )
    if (
        isinstance(node, ast.Call)
        and _is_re(node.func)
        and isinstance(node.func, ast.Attribute)
        and (node.func.attr in METHODS or node.func.attr == "compile")
    ):
        yield function, names, node
    for child in ast.iter_child_nodes(node):
        yield from _calls(child, function, names)


def _evaluated(call: ast.Call, namespace: dict[str, Any]) -> tuple[str | bytes | None, int]:
    flags = [each for each in call.args[1:] if "re." in ast.unparse(each)]
    flags += [each.value for each in call.keywords if each.arg == "flags"]
    try:
        text = eval(compile(ast.Expression(call.args[0]), "pattern", "eval"), dict(namespace))
        flag = eval(compile(ast.Expression(flags[0]), "flags", "eval"), dict(namespace)) if flags else 0
    except NameError:
        return None, 0
    if isinstance(text, re.Pattern):
        return text.pattern, text.flags
    return (text, int(flag)) if isinstance(text, str | bytes) else (None, 0)


@cache
def _used() -> dict[tuple[str, str], frozenset[str]]:
    """The methods that are used of each name of a module; of a public one, in all of `oryn`."""
    found: dict[tuple[str, str], set[str]] = {}
    for module, file in modules("oryn"):
        for node in ast.walk(tree(file)):
            if isinstance(node, ast.Attribute) and node.attr in METHODS:
                value = node.value.value if isinstance(node.value, ast.Subscript) else node.value
                if isinstance(value, ast.Name | ast.Attribute):
                    name = value.id if isinstance(value, ast.Name) else value.attr
                    found.setdefault((module if name.startswith("_") else "", name), set()).add(node.attr)
    return {name: frozenset(methods) for name, methods in found.items()}


def _methods_of(module: str, names: tuple[str, ...]) -> frozenset[str]:
    used = [_used().get((module if name.startswith("_") else "", name), frozenset[str]()) for name in names]
    return frozenset[str]().union(*used) or METHODS


# --- texts ---

_POOL = "a A0_-. \n\\\"'<>(=&;:/\x00é"
"""Characters of which every set of a pattern has one, and every complement of a set too."""
ENDS = ("\x00", "\n", "!")
MAX_ATTACKS = 600
MAX_BEGINNINGS = 12


class Attack(NamedTuple):
    """A text in which a unit is repeated between a beginning and an end."""

    start: str
    unit: str
    end: str

    def text(self, pattern: re.Pattern[Any], length: int) -> Any:
        text = self.start + self.unit * (length // len(self.unit)) + self.end
        return text.encode("latin-1", "replace") if isinstance(pattern.pattern, bytes) else text


def attacks(pattern: re.Pattern[Any]) -> list[Attack]:
    """The attacks on a pattern; of more than `MAX_ATTACKS`, some of each sort."""
    tokens = _parser.parse(pattern.pattern, pattern.flags & ~re.DEBUG)
    before = sorted({"", *_before(tokens, "")}, key=len)[:MAX_BEGINNINGS]
    units = sorted({each for each in (*_units(tokens), *_characters(tokens), *_pairs(tokens)) if each})
    ends = sorted({*ENDS, *_refused(tokens)})
    found = [Attack(start, unit, end) for unit in units for start in before for end in ends]
    return found[:: 1 + len(found) // MAX_ATTACKS]


def _sample(tokens: Iterable[Any], choice: int = 0) -> str:
    return "".join(_sample_of(token, choice) for token in tokens)


def _sample_of(token: Any, choice: int = 0) -> str:
    kind, value = token
    match kind:
        case sre.LITERAL:
            return chr(value)
        case sre.NOT_LITERAL:
            return next(c for c in _POOL if c != chr(value))
        case sre.ANY:
            return "a"
        case sre.IN:
            members = _members(value)
            return members[choice % len(members)] if members else ""
        case sre.BRANCH:
            branches = value[1]
            return _sample(branches[choice % len(branches)], choice)
        case sre.SUBPATTERN:
            return _sample(value[3], choice)
        case sre.ATOMIC_GROUP:
            return _sample(value, choice)
        case sre.MAX_REPEAT | sre.MIN_REPEAT | sre.POSSESSIVE_REPEAT:
            least, _, body = value
            return _sample(body, choice) * max(1, min(least, 8))
        case sre.ASSERT:
            return _sample(value[1], choice) if value[0] > 0 else ""
    return ""  # assertions of a place, references to groups


def _members(items: Any) -> list[str]:
    """Some characters of a set: those of the pool that it has, and its own."""
    inside = re.compile(_set_text(items), re.DOTALL)
    own = [chr(value if kind is sre.LITERAL else value[0]) for kind, value in items if kind in (sre.LITERAL, sre.RANGE)]
    return [c for c in dict.fromkeys([*_POOL, *own]) if inside.fullmatch(c)][:8]


_CATEGORIES = {
    sre.CATEGORY_DIGIT: r"\d", sre.CATEGORY_NOT_DIGIT: r"\D", sre.CATEGORY_SPACE: r"\s",
    sre.CATEGORY_NOT_SPACE: r"\S", sre.CATEGORY_WORD: r"\w", sre.CATEGORY_NOT_WORD: r"\W",
}  # fmt: skip


def _set_text(items: Any) -> str:
    text = ""
    for kind, value in items:
        match kind:
            case sre.NEGATE:
                text += "^"
            case sre.LITERAL:
                text += re.escape(chr(value))
            case sre.RANGE:
                text += f"{re.escape(chr(value[0]))}-{re.escape(chr(value[1]))}"
            case sre.CATEGORY:
                text += _CATEGORIES[value]
    return f"[{text}]"


def _children(token: Any) -> list[Any]:
    kind, value = token
    match kind:
        case sre.BRANCH:
            return list(value[1])
        case sre.SUBPATTERN:
            return [value[3]]
        case sre.ATOMIC_GROUP:
            return [value]
        case sre.MAX_REPEAT | sre.MIN_REPEAT | sre.POSSESSIVE_REPEAT:
            return [value[2]]
        case sre.ASSERT | sre.ASSERT_NOT:
            return [value[1]]
        case sre.GROUPREF_EXISTS:
            return [each for each in value[1:] if each is not None]
    return []


def _units(tokens: Any) -> Iterator[str]:
    """The parts of a pattern: every beginning of every sequence, and every part of it."""
    items = list(tokens)
    for at, token in enumerate(items):
        for choice in range(3):
            yield _sample(items[: at + 1], choice)
            yield _sample_of(token, choice)
            yield _sample(items[at:], choice)
        for child in _children(token):
            yield from _units(child)


def _before(tokens: Any, before: str) -> Iterator[str]:
    """What a pattern reads before each of its repetitions."""
    for token in tokens:
        if token[0] in (sre.MAX_REPEAT, sre.MIN_REPEAT, sre.POSSESSIVE_REPEAT):
            yield before
        for child in _children(token):
            yield from _before(child, before)
        before += _sample_of(token)


def _characters(tokens: Any) -> Iterator[str]:
    for token in tokens:
        if token[0] is sre.LITERAL:
            yield chr(token[1])
        elif token[0] in (sre.IN, sre.ANY, sre.NOT_LITERAL):
            yield from _members(token[1]) if token[0] is sre.IN else (_sample_of(token),)
        for child in _children(token):
            yield from _characters(child)


def _pairs(tokens: Any) -> Iterator[str]:
    """Each two of the marks that a pattern has: a quote and the backslash before it."""
    marks = [each for each in dict.fromkeys(_characters(tokens)) if each in "\\\"'<>*/-{}[]():,;=&.#"][:6]
    yield from (one + other for one in marks for other in marks if one != other)


def _refused(tokens: Any) -> Iterator[str]:
    """What ends a repetition of a complement: the characters that it does not have, twice."""
    for token in tokens:
        if token[0] is sre.IN and token[1][0][0] is sre.NEGATE:
            own = [
                value if kind is sre.LITERAL else value[0]
                for kind, value in token[1]
                if kind in (sre.LITERAL, sre.RANGE)
            ]
            yield "".join(map(chr, own[:3])) * 2
        for child in _children(token):
            yield from _refused(child)


# --- measuring ---


ATTACK_CHARACTERS = 20_000
SUSPICIOUS_SECONDS = 0.05
"""CPU time from which growth is measured. A pattern whose steps grow with the square needs more than that for a text of
that length, even on a fast machine; a linear one may need more on a slow machine, and is then measured for nothing."""
MAX_MEASURED_SECONDS = 2.0
FEWEST_MEASUREMENTS = 3
MEASUREMENTS = 10
MAX_GROWTH = 3.0
"""Between linear (2) and quadratic (4)."""


class TooSlow(Exception):
    pass


@contextmanager
def cpu_limit(seconds: float) -> Iterator[None]:
    """Raise `TooSlow` after that much CPU time of this process; `re` looks for signals while it matches."""

    def stop(*_: object) -> None:
        raise TooSlow

    before = signal.signal(signal.SIGVTALRM, stop)
    signal.setitimer(signal.ITIMER_VIRTUAL, seconds)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_VIRTUAL, 0)
        signal.signal(signal.SIGVTALRM, before)


def apply(pattern: re.Pattern[Any], method: str, text: Any) -> None:
    if method in SCANNING:
        for _ in pattern.finditer(text):
            pass
    else:
        getattr(pattern, method)(text)


def slow_attack(pattern: re.Pattern[Any], methods: Iterable[str]) -> str | None:
    """Return an attack on a pattern that takes a time that grows faster than the text; None if there is none."""
    for method in sorted({"finditer" if each in SCANNING else each for each in methods}):
        for attack in attacks(pattern):
            try:
                with cpu_limit(SUSPICIOUS_SECONDS):
                    apply(pattern, method, attack.text(pattern, ATTACK_CHARACTERS))
            except TooSlow:
                if (ratio := _growth(pattern, method, attack)) > MAX_GROWTH:
                    return f"{method}: {attack!r}: twice the text takes {ratio:.1f} times as long"
    return None


def _growth(pattern: re.Pattern[Any], method: str, attack: Attack) -> float:
    """How many times as long a text takes that is twice as long, in CPU time: the least of some measurements, because
    a busy machine only adds to a time."""
    short, long = (attack.text(pattern, ATTACK_CHARACTERS // part) for part in (4, 2))

    def measure(text: Any) -> float:
        start = time.process_time()
        with cpu_limit(MAX_MEASURED_SECONDS):
            apply(pattern, method, text)
        return time.process_time() - start

    times = []
    try:
        while len(times) < MEASUREMENTS:
            times.append((measure(short), measure(long)))
            ratio = min(each for _, each in times) / max(1e-6, min(each for each, _ in times))
            if len(times) >= FEWEST_MEASUREMENTS and ratio <= MAX_GROWTH:
                break
    except TooSlow:
        return float("inf")
    return ratio
