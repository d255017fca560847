"""Measures the extraction to a schema on twenty templates of three pages: `python -m benchmarks.structured_data`.

A value is right if it equals the expected one; an expected null that is not null, or a value that the page does not
have at all, is invented. The templates in `held_out` were not looked at while the rules were written."""

from __future__ import annotations

import argparse
import time
from collections.abc import Iterator
from typing import Any

from benchmarks.structured_pages import Sample, Template
from benchmarks.structured_pages.development import DEVELOPMENT
from benchmarks.structured_pages.held_out import HELD_OUT
from oryn.research.extractor import page_of_html
from oryn.research.structured_data import extract_data

PAGES = 3
URL = "https://pages.example/page"


def leaves(expected: Any, found: Any, pointer: str = "") -> Iterator[tuple[str, Any, Any]]:
    """Each scalar (and list of scalars) of the expected data, with what was found for it."""
    if isinstance(expected, dict):
        for name, value in expected.items():
            yield from leaves(value, found.get(name) if isinstance(found, dict) else None, f"{pointer}/{name}")
    elif isinstance(expected, list) and expected and isinstance(expected[0], dict):
        rows = found if isinstance(found, list) else []
        for place in range(max(len(expected), len(rows))):
            row = expected[place] if place < len(expected) else dict.fromkeys(expected[0])
            yield from leaves(row, rows[place] if place < len(rows) else None, f"{pointer}/{place}")
    else:
        yield pointer, expected, found


def measure(template: Template, *, verbose: bool = False) -> tuple[int, int, int]:
    """The values of a template's pages that are expected, right, and invented."""
    expected = right = invented = 0
    for number in range(PAGES):
        sample: Sample = template(number)
        found = extract_data(page_of_html(sample.html, URL), sample.schema)
        for pointer, value, got in leaves(sample.data, found.data):
            expected += value is not None
            right += value is not None and got == value
            invented += value is None and got is not None
            if verbose and got != value:
                print(f"    {template.__name__} {number} {pointer}: {got!r}, expected {value!r}")
    return expected, right, invented


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--verbose", action="store_true", help="print each wrong value")
    parser.add_argument("--only", choices=["development", "held-out"], help="one half")
    arguments = parser.parse_args()
    halves = {"development": DEVELOPMENT, "held-out": HELD_OUT}
    for name, templates in halves.items():
        if arguments.only in (None, name):
            begin = time.perf_counter()
            totals = [measure(template, verbose=arguments.verbose) for template in templates]
            expected, right, invented = (sum(column) for column in zip(*totals, strict=True))
            seconds = (time.perf_counter() - begin) / (PAGES * len(templates))
            for template, (own, good, bad) in zip(templates, totals, strict=True):
                print(f"  {template.__name__:26} {good:3} of {own:3} right, {bad} invented")
            share = 100 * right / expected
            print(
                f"{name}: {right} of {expected} values right ({share:.1f} %), {invented} invented,"
                f" {1000 * seconds:.0f} ms a page"
            )


if __name__ == "__main__":
    main()
