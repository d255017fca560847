"""The pages of the documentation, and what there is that they can name."""

from __future__ import annotations

import re
import subprocess
from collections.abc import Iterator
from functools import cache
from pathlib import Path

from oryn.errors import OrynError

PROJECT = Path(__file__).parent.parent
PAGES = [
    *(PROJECT / name for name in ("README.md", "CONTRIBUTING.md", "clients/typescript/README.md")),
    PROJECT / "src" / "oryn" / "skill" / "SKILL.md",
    *sorted(PROJECT.joinpath("docs").rglob("*.md")),
]
"""All but the changelog, which says what was."""

_FENCE = re.compile(r"^```[^\n]*\n(.*?)^```$", re.MULTILINE | re.DOTALL)
_INDENTED = re.compile(r"^(?: {4}|\t)(.*)$", re.MULTILINE)
_SPAN = re.compile(r"(?<!`)`([^`\n]+(?:\n[^`\n]+)?)`(?!`)")
_TEXT = (".py", ".js", ".mjs", ".ts", ".json", ".toml", ".html", ".css", ".sh", ".yaml", ".oil")


@cache
def text_of(page: Path) -> str:
    return page.read_text("utf-8")


def prose_of(page: Path) -> str:
    """A page without its fenced blocks."""
    return _FENCE.sub("", text_of(page))


def spans_of(page: Path) -> list[str]:
    """What a page has between backticks."""
    return [" ".join(span.split()) for span in _SPAN.findall(prose_of(page))]


def code_of(page: Path) -> list[str]:
    """What stands on a page as code: spans, and the lines of blocks."""
    blocks = [line for block in _FENCE.findall(text_of(page)) for line in block.splitlines()]
    return [*blocks, *_INDENTED.findall(prose_of(page)), *spans_of(page)]


def anchors_of(page: Path) -> set[str]:
    """The headings of a page as links name them (https://docs.github.com/en/get-started/writing-on-github)."""
    headings = re.findall(r"^#+ (.*)$", prose_of(page), re.MULTILINE)
    return {re.sub(r"[^\w\- ]", "", heading.lower()).replace(" ", "-") for heading in headings}


@cache
def files() -> list[str]:
    """Those that are, or are about to be, the repository's."""
    command = ["git", "ls-files", "--cached", "--others", "--exclude-standard"]
    listed = subprocess.run(command, cwd=PROJECT, check=True, capture_output=True, text=True).stdout.splitlines()
    return [name for name in listed if (PROJECT / name).is_file()]


@cache
def modules() -> set[str]:
    """Every module and package of the project's Python: `oryn.hosts.process_io`, `scripts.release`."""
    python = [name for name in files() if name.startswith(("src/oryn/", "scripts/")) and name.endswith(".py")]
    paths = (name.removeprefix("src/").removesuffix(".py").removesuffix("/__init__") for name in python)
    return {path.replace("/", ".") for path in paths}


@cache
def source(module: str) -> str:
    base = PROJECT.joinpath(*(["src"] if module.startswith("oryn") else []), *module.split("."))
    file = base.with_suffix(".py")
    return (file if file.is_file() else base / "__init__.py").read_text("utf-8")


def is_in_the_code(dotted: str) -> bool:
    """Whether a module, or a name in one, is called that: `oryn.cli`, `cdp.launch`, `mcp.server.Oryn`."""
    path, _, name = dotted.rpartition(".")
    if any(f".{module}".endswith(f".{dotted}") for module in modules()):
        return True
    above = [module for module in modules() if path and f".{module}".endswith(f".{path}")]
    return any(re.search(rf"\b{re.escape(name)}\b", source(module)) for module in above)


@cache
def words_of_the_code() -> set[str]:
    """Every name that stands in the code, whichever language it is in; the tests are not asked."""
    found: set[str] = set()
    for name in files():
        if (name.endswith(_TEXT) or name == "Makefile") and not name.startswith("tests/"):
            found |= set(re.findall(r"\w+", PROJECT.joinpath(name).read_text("utf-8")))
    return found


def errors() -> Iterator[type[OrynError]]:
    """Every class of the tree."""
    waiting: list[type[OrynError]] = [OrynError]
    while waiting:
        yield (error := waiting.pop())
        waiting.extend(error.__subclasses__())
