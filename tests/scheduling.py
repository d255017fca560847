"""Which tests run in one process when several run side by side, and in what order.

A pytest plugin. Tests of one file run in one process, for they share the fixtures of their module; so do those of one
group in `GROUPS`, for what they share takes longest to start. Otherwise each process would start it, and a
parametrized one for each file anew."""

from __future__ import annotations

from functools import cache
from pathlib import PurePosixPath
from typing import TYPE_CHECKING

import pytest

from tests import time_limits

if TYPE_CHECKING:
    from xdist.remote import Producer
    from xdist.scheduler import LoadFileScheduling

GROUPS = {
    "tests/hub": "hub",
    "tests/extension/firefox": "firefox",
    "tests/extension/conformance": "conformance",
    "tests/embedded/test_conformance.py": "conformance",
    "tests/playwright/test_conformance.py": "conformance",
}
"""The group of files and folders whose tests share a browser with the extension and its Python, or the answers that
other engines' are compared with."""


def group_of(nodeid: str) -> str:
    """The group whose tests run in the same process as the test with this id: its file is one, if `GROUPS` names no
    other."""
    return _group_of_file(nodeid.partition("::")[0])


@cache  # pytest-xdist asks for each test, and again when it has run
def _group_of_file(file: str) -> str:
    path = PurePosixPath(file)
    return next((group for place, group in GROUPS.items() if path.is_relative_to(place)), file)


@pytest.hookimpl(trylast=True)
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Order the groups so that processes side by side end at about the same time: those whose tests may take longest
    come first, then those with the most tests (`--no-loadscope-reorder`, or pytest-xdist would count the tests alone).
    """
    limits: dict[str, float] = {}
    counts: dict[str, int] = {}
    for item in items:
        group, mark = group_of(item.nodeid), item.get_closest_marker("timeout")
        limits[group] = max(limits.get(group, 0), mark.args[0] if mark else time_limits.LIMIT)
        counts[group] = counts.get(group, 0) + 1
    groups = {group: (-limits[group], -counts[group], group) for group in counts}
    items.sort(key=lambda item: groups[group_of(item.nodeid)])


@pytest.hookimpl(optionalhook=True)
def pytest_xdist_make_scheduler(config: pytest.Config, log: Producer) -> LoadFileScheduling | None:
    """pytest-xdist's scheduler of `--dist loadfile`, for these groups."""
    if config.getoption("dist") != "loadfile":
        return None
    from xdist.scheduler import LoadFileScheduling

    class GroupScheduling(LoadFileScheduling):
        def _split_scope(self, nodeid: str) -> str:
            return group_of(nodeid)

    return GroupScheduling(config, log)
