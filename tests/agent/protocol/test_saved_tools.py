"""Saved tools: names in any case, and files that are wrong."""

from __future__ import annotations

import pytest

from oryn.agent import SavedTools
from oryn.errors import ConfigurationError


def test_names_are_found_in_any_case() -> None:
    saved = SavedTools({"Gmail": "https://mail.google.com", "Google  Docs": "docs.google.com"})
    assert saved.url("gMAIL") == "https://mail.google.com"
    assert saved.url("  google docs ") == "docs.google.com"
    assert saved.url("Outlook") is None
    assert saved.names == ["Gmail", "Google Docs"]


def test_a_file_of_them() -> None:
    saved = SavedTools.from_json('{"Straße": "https://a.org"}')
    assert saved.url("STRASSE") == "https://a.org"
    assert SavedTools.from_json(saved.to_json()).items() == saved.items()


@pytest.mark.parametrize(
    "text",
    [
        "",
        "[]",
        "{",
        '{"a": 1}',
        '{"": "https://a.org"}',
        '{"a": "https://a.org", "A": "https://b.org"}',
        '{"a": "javascript:alert(1)"}',
        '{"a": "https://a b"}',
        '{"a": ""}',
        "[" * 100_000,
    ],
)
def test_invalid_saved_tools_file_is_rejected(text: str) -> None:
    with pytest.raises(ConfigurationError):
        SavedTools.from_json(text)


def test_too_many() -> None:
    with pytest.raises(ConfigurationError, match="more than 100"):
        SavedTools({f"tool {number}": "https://a.org" for number in range(101)})
