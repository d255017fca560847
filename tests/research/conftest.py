"""What the tests of research share: the real model, loaded once."""

from __future__ import annotations

import pytest

from oryn.research.embedding import Embedder


@pytest.fixture(scope="session")
def embedder() -> Embedder:
    return Embedder.load()
