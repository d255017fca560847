"""How much of extraction's figure comes from what was written with a page in view: leave one page out.

usage: extraction_left_out.py FOLDER      (as extraction.py)

For each page every rule, word and pattern of `oryn.research.extraction` that changes no other page of the folder is
switched off, as if its writer had never seen that page; then the page is scored. It is stricter than another folder of
pages would be, where words that were right for one page are right for others. Takes minutes.

Last line: F1, precision and recall with everything, and left out.
"""

from __future__ import annotations

import gzip
import json
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from types import ModuleType
from unittest import mock

from _session import folder_argument
from extraction import means, score

from oryn.research.extraction import boilerplate, boilerplate_patterns, main_text, preprocess

Piece = tuple[str, str]

TABLES = ("LABELS", "INVITING", "INVITED", "AFTER", "DATES", "WRITTEN")
CLASSES = ("_FURNITURE", "_UNSEEN", "_POSTS")
PATTERNS = {
    "_LABEL": boilerplate_patterns.label_pattern,
    "_INVITE": boilerplate_patterns.invitation_pattern,
    "_AFTER": boilerplate_patterns.after_pattern,
    "_DATE": boilerplate_patterns.date_pattern,
    "_WRITTEN": boilerplate_patterns.written_pattern,
}
NEVER = r"(?!x)x"


def pieces() -> list[Piece]:
    """Everything that can be switched off: the table's or module's name, and what stands there."""
    found = [("rule", rule.__name__) for rule in (*preprocess.RULES, *boilerplate.RULES)]
    found += [(name, word) for name in CLASSES for word in sorted(getattr(preprocess, name))]
    return found + [(name, word) for name in TABLES for word in entries(name)]


def entries(name: str) -> tuple[str, ...]:
    value = getattr(boilerplate_patterns, name)
    return (value,) if isinstance(value, str) else value


def may(piece: Piece, page: bytes) -> bool:
    """Whether it may change the page at all: a class that does not stand in it can't."""
    table, word = piece
    return table not in CLASSES or word.encode() in page.lower()


@contextmanager
def without(off: set[Piece]) -> Iterator[None]:
    """Extraction as if these had never been written."""
    with ExitStack() as patches:

        def put(module: ModuleType, name: str, value: object) -> None:
            patches.enter_context(mock.patch.object(module, name, value))

        for name in TABLES:
            kept = tuple(word for word in entries(name) if (name, word) not in off) or (NEVER,)
            put(boilerplate_patterns, name, kept[0] if isinstance(getattr(boilerplate_patterns, name), str) else kept)
        for name in CLASSES:
            put(preprocess, name, frozenset(word for word in getattr(preprocess, name) if (name, word) not in off))
        for name, pattern in PATTERNS.items():
            put(boilerplate, name, pattern())
        for module in (preprocess, boilerplate):
            put(module, "RULES", [rule for rule in module.RULES if ("rule", rule.__name__) not in off])
        yield


def main() -> None:
    folder = folder_argument(__doc__) / "extraction"
    truth = {name: gold["articleBody"] for name, gold in json.loads(_text(folder / "ground-truth.json")).items()}
    html = {name: gzip.decompress((folder / "html" / f"{name}.html.gz").read_bytes()) for name in truth}
    full = {name: main_text(html[name]) for name in truth}
    changes: dict[Piece, set[str]] = {}
    for piece in pieces():
        with without({piece}):
            changes[piece] = {name for name in truth if may(piece, html[name]) and main_text(html[name]) != full[name]}
        if changes[piece]:
            print(f"{len(changes[piece]):3} pages  {piece[0]:13} {piece[1][:80]}")
    left_out = {}
    for name in truth:
        with without({piece for piece, changed in changes.items() if not changed - {name}}):
            left_out[name] = main_text(html[name])
    shown = [
        "F1 {:.4f}  precision {:.4f}  recall {:.4f}".format(*means([score(truth[name], texts[name]) for name in truth]))
        for texts in (full, left_out)
    ]
    print(f"everything: {shown[0]}   left out: {shown[1]}")


def _text(path: Path) -> str:
    return path.read_text("utf-8")


if __name__ == "__main__":
    main()
