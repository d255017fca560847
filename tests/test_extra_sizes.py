"""The README's table of what the extras install (`scripts/extra_sizes.py`)."""

from __future__ import annotations

import re

from scripts import extra_sizes

MAX_BASE_MEGABYTES = 40
MAX_ALL_MEGABYTES = 570


def test_the_table_has_every_extra_and_the_sizes_are_small_enough() -> None:
    table = extra_sizes.README.read_text("utf-8").partition(extra_sizes.BEGIN)[2].partition(extra_sizes.END)[0]
    sizes = dict(re.findall(r"^\| `?([\w()]+)`? \| (\d+) MB \| \d+ \| ", table, re.MULTILINE))
    assert set(sizes) == {extra_sizes.BASE, *extra_sizes.extras()} - {"ray"}
    assert int(sizes[extra_sizes.BASE]) <= MAX_BASE_MEGABYTES
    assert int(sizes["all"]) <= MAX_ALL_MEGABYTES
