"""The demo shop and the examples, in Chromium as users have it."""

from __future__ import annotations

import pytest

pytestmark = pytest.mark.whole_browser
