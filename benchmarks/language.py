"""The language on a set of cases: raw text and the canonical text, or the error, that it must give.

usage: python -m benchmarks.language [FILE]      (as tests/language/cases.jsonl, which is the default)

Last line: cases that agree, and cases whose canonical text is a fixed point, of all.
"""

from __future__ import annotations

import argparse
import json
import time
from pathlib import Path
from typing import Any

from oryn.errors import LanguageError
from oryn.language import normalize, parse

DEFAULT_SET = Path(__file__).parent.parent / "tests" / "language" / "cases.jsonl"


def agrees(case: dict[str, Any]) -> bool:
    """Whether a case gives the canonical text, or the phase, code and position of the error, that it names."""
    try:
        canonical = normalize(case["raw"])
    except LanguageError as error:
        found = {"phase": error.phase, "code": error.code, "position": error.position}
        return all(found[name] == value for name, value in case.get("error", {"code": None}).items())
    return canonical == case.get("canonical")


def is_fixed_point(case: dict[str, Any]) -> bool:
    return "canonical" not in case or normalize(case["canonical"]) == case["canonical"]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("file", nargs="?", default=DEFAULT_SET, type=Path)
    file: Path = parser.parse_args().file
    cases = [json.loads(line) for line in file.read_text("utf-8").splitlines()]
    for case in cases:
        if not agrees(case):
            print("differs:", case["id"])
    lines = [case["raw"] for case in cases if "error" not in case and "\n" not in case["raw"]]
    started = time.perf_counter()
    for line in lines:
        parse(line)
    each = (time.perf_counter() - started) / len(lines)
    print(
        f"cases {len(cases)}  agree {sum(map(agrees, cases))}  fixed points {sum(map(is_fixed_point, cases))}  "
        f"a line takes {each * 1e6:.0f} µs"
    )


if __name__ == "__main__":
    main()
