"""Research on many machines."""

from __future__ import annotations

import pytest

pytestmark = pytest.mark.ray
