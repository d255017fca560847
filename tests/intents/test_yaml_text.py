"""YAML of anybody: what is small and flat is read, what would cost more than it weighs is not."""

from __future__ import annotations

import itertools
import time
from typing import Any

import pytest

from oryn.errors import InvalidDefinition
from oryn.intents.yaml_text import MAX_BYTES, parse_yaml, render_yaml

LAUGHS = "a: &a [x, x, x, x, x, x, x, x, x]\n" + "".join(
    f"{name}: &{name} [{', '.join([f'*{before}'] * 9)}]\n" for before, name in zip("abcdefgh", "bcdefghi", strict=True)
)


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (LAUGHS.encode(), "line 1: anchors and aliases (& and *) are refused"),
        (b"a: &a [*a]", "line 1: anchors and aliases"),
        (b"<<: *x", "line 1: anchors and aliases"),
        (b"[" * 100_000, "line 1: nested deeper than 40 levels"),
        (b"{a: " * 50_000, "line 1: nested deeper than 40 levels"),
        (b"- " * 50_000 + b"x", "line 1: nested deeper than 40 levels"),
        (b"- x\n" * 30_000, "line 20000: more than 20000 values"),
        (b"x" * (MAX_BYTES + 1), f"larger than {MAX_BYTES} bytes"),
        (b"a: 1\nb: 2\na: 3", "line 3: not YAML: 'a' appears twice"),
        (b"a: [1", "line 2: not YAML: "),
        (b"a: 'x", None),
        (b"\xff\xfe\xfa", "not YAML: "),
        (b"a: \x00", "not YAML: "),
        (b"!!python/object/apply:os.system ['true']", "line 1: not YAML: could not determine a constructor"),
        (b"a: !!python/name:os.system", "line 1: not YAML: could not determine a constructor"),
        (b"a: " + b"9" * 10_000, "not YAML: "),
        (b"a: 2026-99-99", "not YAML: "),
        (b"? [a, b]\n: c", "line 1: not YAML: "),
    ],
    ids=itertools.count(),
)
def test_dangerous_yaml_is_rejected_quickly(content: bytes, message: str | None) -> None:
    begun = time.process_time()
    if message is None:
        with pytest.raises(InvalidDefinition):
            parse_yaml(content)
    else:
        with pytest.raises(InvalidDefinition) as caught:
            parse_yaml(content)
        assert caught.value.message.startswith(message)
        assert "\n" not in caught.value.message
    assert time.process_time() - begun < 5


@pytest.mark.parametrize(
    ("text", "data"),
    [
        ("", None),
        ("\ufeffname: a", {"name": "a"}),
        ("version: 1.0\nflag: no\nnumber: 5", {"version": 1.0, "flag": False, "number": 5}),
        ('steps:\n- click "A" # c\n- \'type 5 "x # y"\'', {"steps": ['click "A"', 'type 5 "x # y"']}),
    ],
)
def test_valid_yaml_is_parsed(text: str, data: Any) -> None:
    assert parse_yaml(text.encode()) == data


def test_rendered_yaml_parses_to_the_same_data() -> None:
    shared = ["a: b # c", "é😀\u2028", "", "yes", "1", "- x", "{{a}}", '"', "line\nbreak", "x" * 500]
    data = {"name": "a", "steps": shared, "again": (shared, shared), "n": {"x": None, "y": True, "z": 1.5}}
    text = render_yaml(data)
    assert "&" not in text
    assert parse_yaml(text.encode()) == {**data, "again": [shared, shared]}
    assert list(parse_yaml(text.encode())) == ["name", "steps", "again", "n"]
