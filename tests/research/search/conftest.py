from __future__ import annotations

from collections.abc import Iterator

import pytest

from tests.research.server import Site


@pytest.fixture
def site() -> Iterator[Site]:
    with Site() as site:
        yield site
