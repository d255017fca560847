"""`eval`, `execute` and `wait until`: scripts in the page's own world, and what becomes of their values."""

from __future__ import annotations

from typing import Any

import pytest

from oryn.errors import ScriptError
from tests.embedded.scanned_page import Scanned, page, scanned

__all__ = ["page", "scanned"]


@pytest.mark.parametrize(
    ("script", "value"),
    [
        ("1 + 1", 2),
        ("'a'", "a"),
        ("undefined", None),
        ("null", None),
        ("NaN", "NaN"),
        ("-0", "-0"),
        ("10n", "10n"),
        ("({a: undefined, b: NaN, c: () => 1, d: [1, undefined], toJSON() { return 5 }})", None),
        ("new Map([[1, 2]])", "Map(1)"),
        ("new Uint8Array(2)", "Uint8Array(2)"),
        ("/x/g", "/x/g"),
        ("document", "#document"),
        ("document.body.firstChild", "p#a.b.c"),
        ("Symbol('x')", "Symbol(x)"),
        ("(() => { const a = {}; a.a = a; return a })()", "Object"),
        ("await Promise.resolve(7)", 7),
        ("Promise.resolve({a: 1})", {"a": 1}),
        ("const z = await 3; z + 1", 4),
        ("new Promise((done) => setTimeout(done, 20, 'late'))", "late"),
        ("let x = 1; x", 1),
        ("let x = 2; x + 1", 3),
        ("x", 2),
        ("const {z} = {z: 1}; z", 1),
        ("const {z} = {z: 2}; z", 2),
        ("class C {}; typeof C", "function"),
        ("class C {}; typeof C", "function"),
    ],
)
async def test_values_of_scripts(scanned: Scanned, script: str, value: Any) -> None:
    if scanned.page.url != scanned.pages.url("/values"):
        scanned.pages["/values"] = "<p id=a class='b c'>"
        await scanned.page.goto(scanned.pages.url("/values"))
    found = await scanned.eval(script)
    if value is None and script.startswith("({"):
        value = {"b": None, "c": {}, "d": [1, None], "toJSON": {}}
    assert found == value


@pytest.mark.parametrize(
    ("script", "text"),
    [
        ("nothing.there", "ReferenceError: Can't find variable: nothing"),
        ("throw new Error('no')", "Error: no"),
        ("throw 'text'", "text"),
        ("throw {a: 1}", "Object"),
        ("1 +", "SyntaxError: Unexpected end of script"),
        ("Promise.reject(new Error('later'))", "Error: later"),
        ("await 1 +", "SyntaxError"),
    ],
)
async def test_scripts_that_fail(scanned: Scanned, script: str, text: str) -> None:
    await scanned.show("<p>")
    with pytest.raises(ScriptError) as failed:
        await scanned.eval(script)
    assert failed.value.message.startswith(text)
