"""Files that a server sends as attachments."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from oryn.browsers.base import Download
from oryn.browsers.webkit import WebKitBrowser
from tests.headless.conftest import Driver, Pages


@pytest.fixture
def stored(wpe: WebKitBrowser, tmp_path: Path) -> Iterator[Path]:
    """The folder in which the session stores files, under the names that it gets."""

    def save(file: Path, name: str) -> Path:
        return Path(shutil.move(file, tmp_path / f"{len(list(tmp_path.iterdir()))} {name}"))

    wpe.configure_downloads(save, 0)
    yield tmp_path
    wpe.configure_downloads(save, 0)


def attachment(content: str, name: str, **headers: str) -> tuple[int, dict[str, str], str]:
    return (
        200,
        {"Content-Type": "text/plain", "Content-Disposition": f'attachment; filename="{name}"', **headers},
        content,
    )


def latest(run: Any, browser: WebKitBrowser) -> Download:
    download = browser.downloads()[-1]
    run(browser.wait_for_downloads([download.id], timeout=10))
    return browser.downloads()[-1]


def test_a_download_leaves_the_page(embedded: Driver, wpe: WebKitBrowser, pages: Pages, run: Any, stored: Path) -> None:
    run(embedded.show("<p>stays</p><a href='/file'>Get</a>"))
    pages["/file"] = attachment("words", "../a b.txt")
    answer = run(embedded.ok(f"goto {pages.url('/file')}"))
    assert "a b.txt" in answer
    found = latest(run, wpe)
    assert (found.filename, found.state, found.size, found.received) == ("a b.txt", "finished", 5, 5)
    assert found.path is not None
    assert Path(found.path).read_text() == "words"
    assert "stays" in run(embedded.ok("text"))


def test_downloads_of_the_same_name(embedded: Driver, wpe: WebKitBrowser, pages: Pages, run: Any, stored: Path) -> None:
    run(embedded.show("<p>here</p><a href='/file'>Get</a>"))
    for content in ("one", "two"):
        pages["/file"] = attachment(content, "same.txt")
        assert "same.txt" in run(embedded.ok('click "Get"'))
        found = latest(run, wpe)
        assert found.path is not None
        assert Path(found.path).read_text() == content


def test_a_download_that_is_too_large(
    embedded: Driver, wpe: WebKitBrowser, pages: Pages, run: Any, stored: Path
) -> None:
    wpe.configure_downloads(lambda file, name: file, 1_000_000)
    run(embedded.show("<a href='/file'>Get</a>"))
    pages["/file"] = attachment("x" * 3_000_000, "large.txt")
    run(embedded.ok('click "Get"'))
    found = latest(run, wpe)
    assert (found.state, found.reason) == ("failed", "larger than 1 MB (the setting download_limit)")
