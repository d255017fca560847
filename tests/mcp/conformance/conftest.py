"""The official conformance tests of the Model Context Protocol, which are a package of npm."""

from __future__ import annotations

import pytest

pytestmark = pytest.mark.node
