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
    for item in items:
        whole = getattr(getattr(item, "obj", None), "_hypothesis_internal_use_settings", None)
        if whole is not None:  # a property; what it was decorated with counts, not a profile that is loaded later
            item.obj._hypothesis_internal_use_settings = settings(whole, max_examples=min(EXAMPLES, whole.max_examples))
    cases: dict[str, list[pytest.Item]] = defaultdict(list)
    for item in items:
        cases[item.nodeid.partition("[")[0]].append(item)
    kept = {item for each in cases.values() for item in each[:: ceil(len(each) / CASES)]}
    config.hook.pytest_deselected(items=[item for item in items if item not in kept])
    items[:] = [item for item in items if item in kept]
