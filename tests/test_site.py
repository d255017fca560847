"""The documentation site: its navigation has every page, and its links lead to pages, headings and files that exist.

`make site` builds it with mkdocs, which checks the same and is not among the tools of developers."""

from __future__ import annotations

import posixpath
import re
from pathlib import Path

import pytest

from scripts.docs import site

README = (site.PROJECT / "README.md").read_text("utf-8")
LINK = re.compile(r"\]\(([^)\s]+)\)")
FENCED = re.compile(r"^```.*?^```$", re.MULTILINE | re.DOTALL)


@pytest.fixture(scope="module")
def source(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("site") / "source"
    site.write_source(folder)
    return folder


def test_the_navigation_has_every_page_once(source: Path) -> None:
    places = list(site.nav_places(site.navigation(README)))
    assert len(set(places)) == len(places)
    assert set(places) == {file.relative_to(source).as_posix() for file in source.rglob("*.md")}


def headings(page: Path) -> set[str]:
    """The anchors of a page, as GitHub and mkdocs make them of headings."""
    text = FENCED.sub("", page.read_text("utf-8"))
    titles = re.findall(r"^#+ (.+)$", text, re.MULTILINE)
    return {re.sub(r"[^\w\- ]", "", re.sub(r"[`*]", "", title)).strip().lower().replace(" ", "-") for title in titles}


def test_links_lead_somewhere(source: Path) -> None:
    broken = []
    for page in source.rglob("*.md"):
        for link in LINK.findall(FENCED.sub("", page.read_text("utf-8"))):
            place, _, anchor = link.partition("#")
            if link.startswith(site.REPOSITORY):
                if not (site.PROJECT / place.removeprefix(site.REPOSITORY)).exists():
                    broken.append((page.name, link))
            elif "://" not in link:
                target = source / posixpath.normpath(posixpath.join(page.parent.relative_to(source).as_posix(), place))
                target = target if place else page
                if not target.is_file() or (anchor and target.suffix == ".md" and anchor not in headings(target)):
                    broken.append((page.name, link))
    assert not broken


@pytest.mark.parametrize(
    ("text", "path", "expected"),
    [
        ("[a](docs/daemon.md#limits)", "README.md", "[a](daemon.md#limits)"),
        ("[a](../README.md)", "docs/daemon.md", "[a](index.md)"),
        ("[a](../extension/worker.ts)", "docs/daemon.md", f"[a]({site.REPOSITORY}extension/worker.ts)"),
        ("[a](../../docs/clients.md)", "clients/typescript/README.md", "[a](clients.md)"),
        ("[a](https://example.org/x)", "README.md", "[a](https://example.org/x)"),
        ('<img src="docs/pictures/a.png">', "README.md", '<img src="pictures/a.png">'),
        ("```oryn new --read-only\n> url\n```", "docs/policy.md", "```text\n> url\n```"),
    ],
)
def test_pages_are_converted(text: str, path: str, expected: str) -> None:
    assert site.converted(text, path) == expected


def test_the_navigation_is_the_readmes_list() -> None:
    readme = "# X\n\n## Documentation\n\n**First**\n\n* [the daemon](docs/daemon.md): text\n* [a\n  b](docs/a.md)\n"
    assert site.navigation(readme) == [
        {"Oryn": "index.md"}, {"First": [{"The daemon": "daemon.md"}, {"A b": "a.md"}]},
    ]  # fmt: skip
