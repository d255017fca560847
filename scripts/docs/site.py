"""Builds the documentation site and the manual page: `python -m scripts.docs.site`, which `make site` runs.

The site is `docs/` as it is. Its navigation is the list of pages in README.md, and its first page is README.md itself;
links that lead out of `docs/` lead to the repository."""

from __future__ import annotations

import logging
import posixpath
import re
import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import Any

PROJECT = Path(__file__).parents[2]
DOCS = PROJECT / "docs"
CONFIGURATION = PROJECT / "mkdocs.yml"
SOURCE = PROJECT / "build" / "site-source"
REPOSITORY = "https://github.com/oryn-browser/oryn/blob/main/"
PAGES = {"README.md": "index.md", "CONTRIBUTING.md": "contributing.md", "CHANGELOG.md": "changelog.md",
         "SECURITY.md": "security.md", "clients/typescript/README.md": "typescript.md",
         "clients/plugin-kit/README.md": "plugin-kit.md"}  # fmt: skip
"""Pages of the site that are not in `docs/`, by their place in the repository."""

_LINK = re.compile(r"(\]\(|src=\")([^)\s\"]+)")
_ENTRY = re.compile(r"\[([^\]]+)\]\(([\w./-]+\.md)\)")
_DIALOGUE = re.compile(r"^```(?:oryn|console)\b.*$", re.MULTILINE)


def navigation(readme: str) -> list[dict[str, Any]]:
    """The navigation that README.md lists under "Documentation": its groups, with the pages in their order."""
    found: list[dict[str, Any]] = [{"Oryn": "index.md"}]
    part = readme.partition("\n## Documentation\n")[2]
    for title, text in re.findall(r"^\*\*([^*]+)\*\*\n(.*?)(?=^\*\*|\Z)", part, re.MULTILINE | re.DOTALL):
        rows = [{name[:1].upper() + name[1:]: place} for name, place in _entries(text)]
        found.append({title: rows})
    return found


def _entries(text: str) -> Iterator[tuple[str, str]]:
    for name, link in _ENTRY.findall(text):
        if place := site_place(link):
            yield " ".join(name.split()), place


def site_place(path: str) -> str | None:
    """Where a file of the repository is on the site, or None if it is not there."""
    if path.startswith("docs/"):
        return path.removeprefix("docs/")
    return PAGES.get(path)


def converted(text: str, path: str) -> str:
    """A page with its links as the site has them. `path` is the page's place in the repository."""
    here = posixpath.dirname(site_place(path) or "")

    def link(found: re.Match[str]) -> str:
        target, hash_mark, anchor = found[2].partition("#")
        if not target or "://" in target or target.startswith("mailto:"):
            return found[0]
        in_repository = posixpath.normpath(posixpath.join(posixpath.dirname(path), target))
        place = site_place(in_repository)
        where = posixpath.relpath(place, here or ".") if place else REPOSITORY + in_repository
        return f"{found[1]}{where}{hash_mark}{anchor}"

    return _DIALOGUE.sub("```text", _LINK.sub(link, text))


def write_source(to: Path = SOURCE) -> None:
    """Write the pages as mkdocs reads them, into the folder `to`."""
    shutil.rmtree(to, ignore_errors=True)
    shutil.copytree(DOCS, to, ignore=shutil.ignore_patterns("*.txt", "files"))
    for file in DOCS.rglob("*.md"):
        place = file.relative_to(DOCS).as_posix()
        (to / place).write_text(converted(file.read_text("utf-8"), f"docs/{place}"), "utf-8")
    for path, place in PAGES.items():
        (to / place).write_text(converted((PROJECT / path).read_text("utf-8"), path), "utf-8")


def build() -> Path:
    """Build the site; returns its folder. Raises `mkdocs.exceptions.Abort` if a link is broken."""
    from mkdocs.commands.build import build
    from mkdocs.config import load_config

    write_source()
    configuration = load_config(str(CONFIGURATION), nav=navigation((PROJECT / "README.md").read_text("utf-8")))
    configuration.plugins.on_startup(command="build", dirty=False)
    try:
        build(configuration)
    finally:
        configuration.plugins.on_shutdown()
    return Path(configuration.site_dir)


def nav_places(entries: Any) -> Iterator[str]:
    """The pages of a navigation."""
    if isinstance(entries, str):
        yield entries
    elif isinstance(entries, dict):
        for each in entries.values():
            yield from nav_places(each)
    else:
        for each in entries:
            yield from nav_places(each)


if __name__ == "__main__":
    logging.basicConfig(level=logging.WARNING, format="%(message)s")
    print(build())
