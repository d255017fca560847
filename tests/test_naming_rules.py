"""How files and names look (CONTRIBUTING.md)."""

from __future__ import annotations

import ast
import re
from collections import Counter, defaultdict
from collections.abc import Iterator

import pytest

from tests.source_modules import PROJECT, graph, modules, tree, within

NOUNS = {
    "crawling",
    "embedded",
    "embedding",
    "fetching",
    "finding",
    "folding",
    "framing",
    "generated",
    "healing",
    "mapping",
    "masking",
    "pairing",
    "polling",
    "ranking",
    "recording",
    "seeding",
    "setting",
    "streaming",
    "testing",
    "tracing",
}
"""Last words of modules' names that end like a verb's and are nouns of the field. `_generated` is the mark of generated
code."""

PLUGINS = (
    "oryn.cli",
    "oryn.engine.handlers",
    "oryn.engine.intents.builtin",
    "oryn.language.commands",
    "oryn.language.kinds",
    "oryn.research.search.engines",
    "oryn.skill.toml_document",
)
"""Packages whose modules register themselves, and modules that are registered: one subject each, however short."""

MIN_LINES = 60
MAX_LINES = 800

BANNED_WORDS = {
    *("tell", "told", "hear", "heard", "asked", "kept", "known", "shown", "given", "made", "wishes"),
    *("door", "doors", "shelf", "news", "happened", "errand"),
}
GENERATED_FOLDERS = {"node_modules", "dist", "build"}
BANNED_PREFIXES = ("MOST", "LONGEST", "LARGEST", "DEEPEST", "LEAST")
FORMAT_NAMES = {"told", "shown", "made_at", "connection_made"}
"""Identifiers with a banned word that a file, the wire, or a base class prescribes."""


# --- files ---


@pytest.mark.slow
def test_no_module_is_named_by_a_gerund_or_a_participle() -> None:
    last_words = {re.split(r"[._]", module)[-1] for module in graph()}
    verbs = {word for word in last_words if re.search(r"(?:ing|ed|told|kept|known|shown|begun)$", word)}
    assert not verbs - NOUNS


def test_a_file_is_neither_a_fragment_nor_a_book() -> None:
    importers = Counter(imported for each in graph().values() for imported in each)
    wrong = []
    for module, file in modules("oryn"):
        lines = file.read_text("utf-8").count("\n")
        fragment = lines < MIN_LINES and importers[module] == 1 and file.stem not in ("__init__", "__main__")
        if lines > MAX_LINES or (fragment and not within(module, *PLUGINS)):
            wrong.append(f"{module}: {lines} lines, {importers[module]} importers")
    assert not wrong


def test_three_modules_with_one_prefix_are_a_package() -> None:
    families: dict[tuple[str, str], set[str]] = defaultdict(set)
    for module in graph():
        package, _, name = module.rpartition(".")
        prefix, underscore, _ = name.lstrip("_").partition("_")
        if underscore:
            families[package, prefix].add(name)
    assert not {family: names for family, names in families.items() if len(names) > 2}


# --- names ---


def declared(node: ast.AST, *, top: bool = True) -> Iterator[str]:
    """The names of classes, functions and methods below a node, and of the module's constants."""
    for each in ast.iter_child_nodes(node):
        if isinstance(each, ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef):
            yield each.name
            yield from declared(each, top=False)
        elif top and isinstance(each, ast.Assign | ast.AnnAssign):
            targets = each.targets if isinstance(each, ast.Assign) else [each.target]
            yield from (target.id for target in targets if isinstance(target, ast.Name))


def members(node: ast.AST) -> Iterator[str]:
    """The names of parameters, variables and attributes below a node."""
    for each in ast.walk(node):
        if isinstance(each, ast.arg):
            yield each.arg
        elif isinstance(each, ast.Name) and isinstance(each.ctx, ast.Store):
            yield each.id
        elif isinstance(each, ast.Attribute) and isinstance(each.ctx, ast.Store):
            yield each.attr
        elif isinstance(each, ast.ClassDef):
            yield from (field.target.id for field in fields_of(each) if isinstance(field.target, ast.Name))


def fields_of(node: ast.ClassDef) -> list[ast.AnnAssign]:
    return [each for each in node.body if isinstance(each, ast.AnnAssign)]


def words_of(name: str) -> set[str]:
    """`_tellAll` and `TELL_ALL`: `tell` and `all`."""
    return {word.lower() for word in re.findall(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+", name)}


def is_banned(name: str) -> bool:
    return bool(words_of(name) & BANNED_WORDS) or name.lstrip("_").split("_")[0] in BANNED_PREFIXES


@pytest.mark.slow
def test_names_are_of_the_glossary() -> None:
    wrong = [
        f"{module}: {name}"
        for module, file in modules("oryn")
        for name in {*declared(tree(file)), *members(tree(file))} - FORMAT_NAMES
        if is_banned(name)
    ]
    assert not wrong, "CONTRIBUTING.md has the glossary"


@pytest.mark.slow
@pytest.mark.parametrize("folder", ["tests", "scripts", "benchmarks"])
def test_names_around_the_package_are_of_the_glossary(folder: str) -> None:
    """What tests are called says what they show, so that may be any word."""
    files = [file for file in sorted((PROJECT / folder).rglob("*.py")) if "site-packages" not in file.parts]
    wrong = [
        f"{file.relative_to(PROJECT)}: {name}"
        for file in files
        for name in set(declared(tree(file)))
        if is_banned(name) and not name.startswith("test_")
    ]
    assert files and not wrong, "CONTRIBUTING.md has the glossary"


@pytest.mark.parametrize("folder", ["src", "extension", "clients"])
def test_names_in_javascript_are_of_the_glossary(folder: str) -> None:
    files = [file for file in sorted((PROJECT / folder).rglob("*.[jt]s")) if not {*file.parts} & GENERATED_FOLDERS]
    wrong = [
        f"{file.relative_to(PROJECT)}: {name}"
        for file in files
        for name in set(javascript_names(file.read_text("utf-8")))
        if is_banned(name)
    ]
    assert files and not wrong, "CONTRIBUTING.md has the glossary"


JAVASCRIPT_NAMES = re.compile(
    r"""\b(?:const|let|var|function\*?|class)\s+([\w$]+)  # declarations
    |\bthis\.\#?([\w$]+)\s=\s                            # attributes
    |^\s+(?:(?:async|static|get|set)\s)*\#?([\w$]+)\([^()]*\)\s\{$  # methods""",
    re.VERBOSE | re.MULTILINE,
)


def javascript_names(source: str) -> Iterator[str]:
    """The names that a file declares, but those of parameters and of destructuring."""
    return ("".join(found) for found in JAVASCRIPT_NAMES.findall(source))


def test_names_in_javascript_are_found() -> None:
    source = "let heard = 1;\nclass Told {\n  #asked(it) {\n    this.#kept = 1;\n  }\n}\n"
    assert [*javascript_names(source)] == ["heard", "Told", "asked", "kept"]


@pytest.mark.slow
def test_a_class_name_means_one_class() -> None:
    """Commands of the language aside: they are found by their verb, and many are values of the engine too."""
    found = defaultdict(list)
    for module, file in modules("oryn"):
        if not within(module, "oryn.language.commands"):
            for node in ast.walk(tree(file)):
                if isinstance(node, ast.ClassDef):
                    found[node.name].append(module)
    assert not {name: places for name, places in found.items() if len(places) > 1}
