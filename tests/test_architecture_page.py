"""docs/architecture.md and the code: what it draws and names is there."""

from __future__ import annotations

import re
from fnmatch import fnmatch

from tests.pages import PROJECT, files, is_in_the_code, modules, spans_of, text_of, words_of_the_code

PAGE = PROJECT / "docs" / "architecture.md"
SOURCE = PROJECT / "src" / "oryn"
SUFFIXES = ("py", "js", "ts", "json", "css", "sh", "md")


def house() -> dict[str, str]:
    """The tree on the page: each path below `src/oryn`, with what is said of it."""
    block = text_of(PAGE).partition("    src/oryn/\n")[2].partition("\n\n")[0]
    found, above = {}, ""
    for indent, name, told in re.findall(r"^( {6}| {8})(\S+) +(.*)$", block, re.MULTILINE):
        above = name if len(indent) == 6 else above
        found[name if len(indent) == 6 else above + name] = told
    return found


def test_what_the_tree_has_is_where_it_says() -> None:
    for path, told in house().items():
        assert (SOURCE / path).is_dir() if path.endswith("/") else (SOURCE / path).is_file(), path
        for inside in re.findall(r"(?<![\w/`.])[a-z_]+\.py\b|\b[a-z_]+/(?=[:, ])", told):
            assert (SOURCE / path / inside).exists(), f"{path}: {inside}"


def test_every_package_is_in_the_tree() -> None:
    packages = {f"{file.parent.name}/" for file in SOURCE.glob("*/__init__.py")}
    assert packages <= set(house()), packages - set(house())


def test_modules_and_files_that_are_named_exist() -> None:
    wrong = []
    for span in spans_of(PAGE):
        if re.fullmatch(rf"[\w.*-]+(?:/[\w.*-]+)*\.(?:{'|'.join(SUFFIXES)})", span):
            wrong += [] if any(fnmatch(f"/{name}", f"*/{span}") for name in files()) else [span]
        elif re.fullmatch(r"[a-z_]+(?:\.[a-z_]+)*\.[A-Za-z_]+", span):
            # A browser's own functions (`tabs.goBack`) are called by that name in the code.
            wrong += [] if is_in_the_code(span) or span.rpartition(".")[2] in words_of_the_code() else [span]
    assert not wrong


def test_names_that_are_told_stand_in_the_code() -> None:
    known = words_of_the_code() | {part for module in modules() for part in module.split(".")}
    project = set(re.findall(r"[\w-]+", text_of(PROJECT / "pyproject.toml")))
    foreign = {"babel", "courlan", "hf_xet", "huggingface_hub", "self_cell", "typer", "openai"}
    names = {span for span in spans_of(PAGE) if re.fullmatch(r"[A-Za-z_]+", span)}
    assert not names - known - project - foreign
