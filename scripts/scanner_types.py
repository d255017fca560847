"""Makes what the scanner's sources share with Python: the types of the protocol (`scanner/dom/protocol.ts`) from
`oryn.scanner.protocol`, and the tables of folded characters (`scanner/dom/folded.ts`) from `oryn.core.text_folding`.

usage: python -m scripts.scanner_types"""

from __future__ import annotations

import ast
import inspect
import itertools
import re
import textwrap
from collections.abc import Mapping, Sequence
from pathlib import Path
from types import ModuleType, NoneType, UnionType
from typing import Any, Literal, NotRequired, Union, get_args, get_origin, get_type_hints, is_typeddict

from oryn.core import text_folding
from oryn.language import targets
from oryn.scanner.protocol import COMMANDS, ScannerResponse, elements, requests, responses

FILE = Path(__file__).parent.parent / "scanner" / "dom" / "protocol.ts"
FOLDED_FILE = FILE.with_name("folded.ts")
HEAD = """\
// The scanner protocol (docs/spec/scanner-protocol.md). `make scanner` makes this file from `oryn.scanner.protocol`.
"""
WIDTH = 120
MODULES = (targets, elements, requests, responses)
PLAIN = {str: "string", int: "number", float: "number", bool: "boolean", NoneType: "null", Any: "unknown"}


def generated() -> str:
    """Return the source of the types that `COMMANDS` and `ScannerResponse` need."""
    types = Types()
    commands = [
        f"  {name}: {{ request: {types.text(command.request)}; response: {types.text(command.response)} }};"
        for name, command in COMMANDS.items()
    ]
    types.text(ScannerResponse)
    table = [
        "/** Each command's request, and the data of its response. */",
        "export interface Commands {",
        *commands,
        "}",
    ]
    return "\n".join([HEAD, *types.declarations(), *table, ""])


def generated_tables() -> str:
    """Return the source of the tables of folded characters."""
    same = "".join(f"  [{_literal(character)}, {_literal(other)}],\n" for character, other in text_folding.SAME.items())
    return (
        "// Characters that are compared alike. `make scanner` makes this file from `oryn.core.text_folding`.\n\n"
        f"{comment(inspect.cleandoc(_document('SAME')), '')}"
        f"export const SAME: ReadonlyMap<string, string> = new Map([\n{same}]);\n\n"
        f"{comment(_document('IGNORABLE'), '')}export const IGNORABLE =\n  {_literal(text_folding.IGNORABLE)};\n\n"
        f"{comment(_document('JOINED'), '')}export const JOINED = {_literal(text_folding.JOINED)};\n"
    )


def _document(name: str) -> str:
    return Source(text_folding).documents[name]


def _literal(text: str) -> str:
    """Return a literal of TypeScript in ASCII."""
    quote = '"' if "'" in text else "'"
    return f"{quote}{''.join(map(_escaped, text))}{quote}"


def _escaped(character: str) -> str:
    if character.isascii():
        return character
    code = ord(character)
    return f"\\u{code:04x}" if code < 0x10000 else f"\\u{{{code:x}}}"


class Types:
    """The declarations of the types that were written so far."""

    def __init__(self) -> None:
        self._declared: dict[tuple[str, int], str] = {}
        """By their places in the Python sources."""
        self._sources = {module.__name__: Source(module) for module in MODULES}
        self._aliases = {
            hint: (name, module) for module, source in self._sources.items() for name, hint in source.aliases()
        }
        """The name of a union or of literals, and the module that declares it."""

    def declarations(self) -> list[str]:
        """Return them in the order of the Python sources."""
        return [text for _, text in sorted(self._declared.items())]

    def text(self, hint: Any) -> str:
        """Return a type as TypeScript, and declare the types in it."""
        if is_typeddict(hint):
            self._declare_record(hint)
            return str(hint.__name__)
        if hint in self._aliases:
            return self._declare_alias(hint)
        return self._inline(hint)

    def _inline(self, hint: Any) -> str:
        origin, parts = get_origin(hint), get_args(hint)
        if origin is Literal:
            return " | ".join(f"'{part}'" if isinstance(part, str) else str(part).lower() for part in parts)
        if origin in (Union, UnionType):
            return " | ".join(map(self.text, parts))
        if origin in (list, Sequence):
            inner = self.text(parts[0])
            return f"readonly ({inner})[]" if " " in inner else f"readonly {inner}[]"
        if origin in (dict, Mapping):
            return f"Readonly<Record<{self.text(parts[0])}, {self.text(parts[1])}>>"
        return PLAIN[hint]

    def _declare_alias(self, hint: Any) -> str:
        name, module = self._aliases[hint]
        source = self._sources[module]
        text = declaration(name, self._inline(hint))
        self._declared[module, source.lines[name]] = comment(source.documents.get(name), "") + text
        return name

    def _declare_record(self, record: type) -> None:
        source = self._sources[record.__module__]
        place, name = (record.__module__, source.lines[record.__name__]), record.__name__
        if place in self._declared:
            return
        self._declared[place] = ""  # while its members are written, which may have it too
        hints = get_type_hints(record, include_extras=True)
        bases, own = source.bases[name], source.members[name]
        for base in bases:
            self._declare_record(getattr(source.module, base))
        head = comment(source.documents.get(name), "")
        if not bases and not own:
            self._declared[place] = f"{head}export type {name} = Record<string, never>;\n"
            return
        extends = f" extends {', '.join(bases)}" if bases else ""
        lines = [f"{head}export interface {name}{extends} {{\n"]
        for member in own:
            hint = hints[member]
            is_optional = get_origin(hint) is NotRequired
            kind = self.text(get_args(hint)[0] if is_optional else hint)
            lines.append(comment(source.documents.get(f"{name}.{member}"), "  "))
            lines.append(f"  {member}{'?' if is_optional else ''}: {kind};\n")
        self._declared[place] = "".join([*lines, "}\n"])


class Source:
    """What the source of a module says and its types don't: the docstrings of members, and the bases of records."""

    def __init__(self, module: ModuleType) -> None:
        self.module = module
        self.lines: dict[str, int] = {}
        self.bases: dict[str, list[str]] = {}
        self.members: dict[str, list[str]] = {}
        self.documents: dict[str, str] = {}
        """By `Record`, `Record.member` or `Alias`."""
        body = ast.parse(inspect.getsource(module)).body
        self._read_documents("", body)
        for node in body:
            if isinstance(node, ast.Assign) and isinstance(node.targets[0], ast.Name):
                self.lines[node.targets[0].id] = node.lineno
            elif isinstance(node, ast.ClassDef):
                self._read_class(node)

    def _read_class(self, node: ast.ClassDef) -> None:
        self.lines[node.name] = node.lineno
        self.bases[node.name] = [
            base.id for base in node.bases if isinstance(base, ast.Name) and base.id != "TypedDict"
        ]
        self.members[node.name] = [
            each.target.id
            for each in node.body
            if isinstance(each, ast.AnnAssign) and isinstance(each.target, ast.Name)
        ]
        if text := ast.get_docstring(node):
            self.documents[node.name] = text
        self._read_documents(f"{node.name}.", node.body)

    def _read_documents(self, prefix: str, body: Sequence[ast.stmt]) -> None:
        for node, after in itertools.pairwise(body):
            target = node.targets[0] if isinstance(node, ast.Assign) else getattr(node, "target", None)
            if isinstance(target, ast.Name) and isinstance(after, ast.Expr) and isinstance(after.value, ast.Constant):
                self.documents[prefix + target.id] = inspect.cleandoc(str(after.value.value))

    def aliases(self) -> list[tuple[str, Any]]:
        """Return the names of unions and literals that the module declares."""
        values = ((name, getattr(self.module, name, None)) for name in self.lines)
        return [(name, value) for name, value in values if get_origin(value) in (Literal, Union, UnionType)]


def declaration(name: str, union: str) -> str:
    """Return the declaration of a union, in lines as Prettier breaks it."""
    if len(f"export type {name} = {union};") <= WIDTH:
        return f"export type {name} = {union};\n"
    if len(f"  {union};") > WIDTH:
        union = "| " + union.replace(" | ", "\n  | ")
    return f"export type {name} =\n  {union};\n"


def comment(text: str | None, indent: str) -> str:
    """Return a documentation comment; nothing without a text."""
    if not text:
        return ""
    flat = re.sub(r"\bNone\b", "null", " ".join(text.split()))
    if len(indent) + len(flat) + 7 <= WIDTH:
        return f"{indent}/** {flat} */\n"
    lines = textwrap.wrap(flat, WIDTH - len(indent) - 3, break_long_words=False, break_on_hyphens=False)
    return "".join([f"{indent}/**\n", *(f"{indent} * {line}\n" for line in lines), f"{indent} */\n"])


if __name__ == "__main__":
    FILE.write_text(generated(), "utf-8")
    FOLDED_FILE.write_text(generated_tables(), "utf-8")
