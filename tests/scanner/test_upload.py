"""`file_input`: which input takes the files."""

from __future__ import annotations

from typing import Any

import pytest


@pytest.mark.parametrize(
    "html",
    [
        "<input id=t type=file>",
        "<label id=t>Pick <input type=file></label>",
        "<label>Pick <b id=t>here</b> <input type=file></label>",
        "<label id=t for=f>Pick</label><p><input id=f type=file>",
        "<div id=t><p><input type=file></div>",
    ],
)
def test_the_input_is_found(show: Any, html: str) -> None:
    data = show(html).do("file_input", selector="#t")
    assert data["input"] == {"id": 1, "multiple": False, "folder": False, "accept": "", "disabled": False}
    assert data["next_id"] == 2


def test_what_it_takes(show: Any) -> None:
    data = show("<input type=file multiple webkitdirectory accept='image/*' disabled>").do(
        "file_input", selector="input"
    )
    assert data["input"] == {"id": 1, "multiple": True, "folder": True, "accept": "image/*", "disabled": True}


@pytest.mark.parametrize("html", ["<button id=t>b</button>", "<div id=t><input type=file><input type=file></div>"])
def test_none_or_too_many(show: Any, html: str) -> None:
    assert show(html).do("file_input", selector="#t")["input"] is None
