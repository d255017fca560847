"""The scanner: the JavaScript that runs in every page, and its protocol (docs/spec/scanner-protocol.md)."""

from __future__ import annotations

from oryn.scanner.bundle import ENTRY, bundle, captcha_answer_script, editor_script, listeners_script

LISTENERS_SCRIPT = listeners_script()
"""See `oryn.scanner.bundle.listeners_script`."""

__all__ = ["ENTRY", "LISTENERS_SCRIPT", "bundle", "captcha_answer_script", "editor_script"]
