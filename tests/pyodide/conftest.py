"""The portable layers on Pyodide."""

from __future__ import annotations

import pytest

pytestmark = [pytest.mark.node, pytest.mark.pyodide]
