"""Patterns of schemas: the hub's matcher says what JavaScript's own expressions say, and is never slow."""

from __future__ import annotations

import json
import shutil
import subprocess
from pathlib import Path
from typing import Any

import pytest

PROJECT = Path(__file__).parents[2]
SOURCE = PROJECT / "extension" / "hub" / "pattern.ts"
ESBUILD = PROJECT / "node_modules" / ".bin" / "esbuild"

pytestmark = [
    pytest.mark.skipif(shutil.which("node") is None or not ESBUILD.exists(), reason="needs Node and esbuild"),
]

PATTERNS = [
    *("", "a", "^a+$", "^$", ".", "^.{3}$", "a*?b", "^(|a)b$", "^(a*)*$", "^(a|a)*$", "(a|b)*c", "a{2,3}b?", "()"),
    *(r"^\d{4}-\d{2}-\d{2}(T\d{2}:\d{2}(:\d{2}(\.\d+)?)?(Z|[+-]\d{2}:\d{2})?)?$", r"^(?:x|yz){2}$", r"[^\]a-c]"),
    *(r"\bfoo\b", r"\Ba", r"\u{1F600}+", r"^\uD83D\uDE00$", r"(?<n>a)b", r"\p{L}+", r"^[A-Za-z_$][\w$]*$", r"\/"),
]
TEXTS = [
    *("", "a", "aa", "aaa", "b", "abc", "c", "ab", "aab", "foo", "a foo b", "afoo", "x", "xx", "xyz", "yzx", "yzyz"),
    *("2026-01-02", "2026-01-02T10:20:30.5Z", "\U0001f600", "é", "_x1", "\n", "/", "ba", "a" * 41),
]
COMPARE = """
import { compilePattern, beginCheck } from './pattern.mjs';
const [patterns, texts, letters] = JSON.parse(process.argv[2]);
let compared = 0;
let seed = 1;
const random = (below) => (seed = (seed * 48271) % 2147483647) % below;
const different = [];
function compare(pattern, texts) {
  const expected = new RegExp(pattern, 'u');
  const matches = compilePattern(pattern);
  for (const text of texts) {
    beginCheck();
    compared += 1;
    if (matches(text) !== expected.test(text)) different.push([pattern, text]);
  }
}
for (const pattern of patterns) compare(pattern, texts);
for (let number = 0; number < 20000; number++) {
  const pattern = Array.from({length: 1 + random(8)}, () => letters[random(letters.length)]).join('');
  try { new RegExp(pattern, 'u'); } catch { continue; }
  compare(pattern, ['', 'a', 'b', 'ab', 'ba', 'aab', 'abab', 'bbb', 'a b']);
}
console.log(JSON.stringify({compared, different}));
"""
REFUSE = """
import { compilePattern } from './pattern.mjs';
try { compilePattern(JSON.parse(process.argv[2])); console.log('null'); }
catch (error) { console.log(JSON.stringify(error.name)); }
"""


def node(folder: Path, code: str, argument: Any) -> Any:
    """What a module beside the matcher prints, as JSON."""
    subprocess.run(
        [ESBUILD, SOURCE, f"--outfile={folder / 'pattern.mjs'}", "--log-level=error"], check=True, timeout=60
    )
    (folder / "test.mjs").write_text(code, "utf-8")
    command = ["node", "test.mjs", json.dumps(argument)]
    ended = subprocess.run(command, cwd=folder, capture_output=True, text=True, check=True, timeout=60)
    return json.loads(ended.stdout)


@pytest.mark.slow
def test_it_agrees_with_the_expressions_of_the_language(tmp_path: Path) -> None:
    letters = ["a", "b", "|", "(", ")", "*", "+", "?", "^", "$", ".", "{2}", "[ab]", "\\b", "{1,}"]
    found = node(tmp_path, COMPARE, [PATTERNS, TEXTS, letters])
    assert found["different"] == [] and found["compared"] > 10_000


@pytest.mark.parametrize(
    ("pattern", "error"),
    [
        ("(", "SyntaxError"), ("(?=a)b", "TypeError"), ("(?<!a)b", "TypeError"), (r"(a)\1", "TypeError"),
        (r"(?<n>a)\k<n>", "TypeError"), ("a{1001}", "TypeError"), ("(a{500}){5}", "TypeError"),
        ("(){1000000000}", "TypeError"), ("a" * 1001, "TypeError"),
    ],
)  # fmt: skip
def test_what_can_not_be_matched_in_bounded_time_is_refused(tmp_path: Path, pattern: str, error: str) -> None:
    assert node(tmp_path, REFUSE, pattern) == error
