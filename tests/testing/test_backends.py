"""A test runs in every browser that Oryn starts, with a window and without; where it can't, it is said why."""

from __future__ import annotations

from typing import Any

import pytest

from oryn.demo.server import Shop
from oryn.errors import ConfigurationError, NoDisplay, NotSupported
from oryn.testing.report import exit_code, outcome_text
from oryn.testing.run_network import HarUse, RecordedAnswers
from tests.cli.shell import Shell
from tests.daemon.display import virtual_display
from tests.testing.conftest import RunText

FERN = """oryntest 1
base: {}

> goto {{{{base}}}}/plants/boston-fern
  @ /plants/boston-fern "Boston fern · Fernhill"
  = button "Fewer" {{disabled}}

> click "More"
  ~ status "2"
  ~ button "Fewer" {{enabled}}

> click "Add to cart"
  @ /cart "Cart · Fernhill"
  = text "Boston fern 2 €36"
"""
EMBEDDED = pytest.param({"backend": "embedded"}, marks=[pytest.mark.webkit, pytest.mark.other_engine])
PLAYWRIGHT = pytest.param({"backend": "playwright"}, marks=[pytest.mark.playwright, pytest.mark.other_engine])


@pytest.mark.parametrize("flags", [EMBEDDED, PLAYWRIGHT])
def test_a_test_passes_in_another_browser(run_text: RunText, shop: Shop, flags: dict[str, Any]) -> None:
    outcome = run_text(FERN.format(shop.url), flags, patience=10.0)
    assert outcome.status in ("passed", "differs"), outcome_text(outcome)
    assert len(outcome.steps) == 3


@pytest.mark.slow
@pytest.mark.display
@pytest.mark.whole_browser
def test_a_test_passes_in_a_window(run_text: RunText, shop: Shop, monkeypatch: pytest.MonkeyPatch) -> None:
    with virtual_display() as shown:
        monkeypatch.setenv("DISPLAY", shown.name)
        outcome = run_text(FERN.format(shop.url), {"headful": True}, patience=10.0)
    assert outcome.status in ("passed", "differs"), outcome_text(outcome)


@pytest.mark.whole_browser
def test_a_window_needs_a_display(run_text: RunText, shop: Shop, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("DISPLAY", "WAYLAND_DISPLAY"):
        monkeypatch.delenv(name, raising=False)
    outcome = run_text(FERN.format(shop.url), {"headful": True})
    assert isinstance(outcome.error, NoDisplay) and exit_code([outcome]) == 3 and not outcome.steps
    assert "xvfb-run" in outcome_text(outcome)


@pytest.mark.webkit
@pytest.mark.other_engine
def test_what_embedded_mode_can_not_do_is_refused(run_text: RunText, shop: Shop) -> None:
    text = FERN.format(shop.url)
    outcome = run_text(text, {"backend": "embedded", "headful": True})
    assert isinstance(outcome.error, ConfigurationError) and not outcome.steps
    files = {outcome.file: RecordedAnswers()}
    outcome = run_text(text, {"backend": "embedded"}, har=HarUse("replay", files=files))
    assert isinstance(outcome.error, NotSupported) and not outcome.steps
    assert "does not hold back redirects" in outcome.error.message


def test_the_users_own_browser_is_refused(shell: Shell) -> None:
    (shell.folder / "a.oryntest").write_text(FERN.format("http://localhost:9"), encoding="utf-8")
    refused = shell("test", "run", "a.oryntest", "--backend", "remote")
    assert refused.code == NotSupported.exit_code and "your own browser" in refused.err
