"""A pytest plugin that runs a sample of the cases: WebAssembly takes ten times as long; `make soak` runs them all."""

from __future__ import annotations

from collections import defaultdict
from math import ceil

import pytest
from hypothesis import settings

CASES = 6
"""How many cases of each parametrized test run."""
EXAMPLES = 20
"""How many examples of each property are tried."""


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    settings.register_profile("sample", settings.get_profile("oryn"), max_examples=EXAMPLES)
    settings.load_profile("sample")
    cases: dict[str, list[pytest.Item]] = defaultdict(list)
    for item in items:
        cases[item.nodeid.partition("[")[0]].append(item)
    kept = {item for each in cases.values() for item in each[:: ceil(len(each) / CASES)]}
    config.hook.pytest_deselected(items=[item for item in items if item not in kept])
    items[:] = [item for item in items if item in kept]
