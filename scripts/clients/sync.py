"""Writes the blocking client: `src/oryn/client/_generated/sync/client.py`.

Every public method becomes one with the same signature and description, which runs the asynchronous one in a thread.
Rewriting the asynchronous code itself, word for word, would need a second, blocking transport for processes and
WebSockets; here there is one, and the twin works where an event loop runs already."""

from __future__ import annotations

import ast
import re
import subprocess
import sys
from collections.abc import Iterator, Mapping
from pathlib import Path

CLIENT = Path(__file__).parents[2] / "src" / "oryn" / "client"

_NAMES = {"Oryn": "SyncOryn", "Expectation": "SyncExpectation"}

_HEAD = '''"""`SyncOryn`: the library with a method for every command, for programs without an event loop.

Generated from `client.py` and `expectation.py` by `scripts/clients`, whose `sync.py` says why; change those."""

from __future__ import annotations

import copy
import os
from collections.abc import Mapping, Sequence
from typing import Any, Self

from oryn.client._generated.sync import SyncOrynMethods
from oryn.client.caller import Target
from oryn.client.client import Oryn
from oryn.client.connection import Mode, Place
from oryn.client.expectation import DEFAULT_SECONDS, Expectation
from oryn.client.loop_thread import LoopThread
from oryn.client.result import Result

'''

_CONTEXT = """
    def __enter__(self) -> Self:
        self.connect()
        return self

    def __exit__(self, *_: object) -> None:
        self.close()
"""

_REPR = """
    def __repr__(self) -> str:
        return repr(self._oryn).replace("<Oryn", "<SyncOryn", 1)
"""

_EXPECTATION_START = """
    def __init__(self, expectation: Expectation, loop: LoopThread) -> None:
        self._oryn = expectation
        self._loop = loop
"""


def files() -> Mapping[Path, str]:
    """Return the module, formatted."""
    client = _twin("client.py", "Oryn", "(SyncOrynMethods)")
    text = f"{_HEAD}\n{client}{_CONTEXT}{_REPR}\n\n{_twin('expectation.py', 'Expectation')}"
    return {CLIENT / "_generated" / "sync" / "client.py": _formatted(text)}


def _twin(module: str, name: str, bases: str = "") -> str:
    tree = ast.parse((CLIENT / module).read_text("utf-8"))
    found = next(node for node in tree.body if isinstance(node, ast.ClassDef) and node.name == name)
    members = "\n\n".join(_indented(member) for member in _members(found))
    docstring = _blocking(ast.get_docstring(found, clean=False) or "")
    start = _EXPECTATION_START if name == "Expectation" else ""
    return f'\nclass {_NAMES[name]}{bases}:\n    """{docstring}"""\n{start}\n{members}\n'


def _members(owner: ast.ClassDef) -> Iterator[str]:
    for node in owner.body:
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef) and owner.name != "Expectation":
            if node.name == "__init__":
                made = f"self._oryn = {owner.name}({_passed_on(node)})"
                yield _function(node, f"{made}\nself._loop = LoopThread(lambda: self._oryn.connected)")
                continue
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef) and (node.name == "_call" or node.name[0] != "_"):
            yield _member(node)


def _member(node: ast.FunctionDef | ast.AsyncFunctionDef) -> str:
    call = f"self._oryn.{node.name}({_passed_on(node)})"
    returned = ast.unparse(node.returns) if node.returns else "None"
    if isinstance(node, ast.AsyncFunctionDef):
        body = f"self._loop.run({call})\nreturn self" if returned == "Self" else f"return self._loop.run({call})"
        return _function(node, body)
    if any(isinstance(each, ast.Name) and each.id == "property" for each in node.decorator_list):
        return f"@property\n{_function(node, f'return self._oryn.{node.name}')}"
    if returned == "Self":
        return _function(node, f"other = copy.copy(self)\nother._oryn = {call}\nreturn other")
    return _function(node, f"return {_NAMES[returned]}({call}, self._loop)")


def _function(node: ast.FunctionDef | ast.AsyncFunctionDef, body: str) -> str:
    returned = ast.unparse(node.returns) if node.returns else "None"
    head = f"def {node.name}({ast.unparse(node.args)}) -> {_NAMES.get(returned, returned)}:"
    description = ast.get_docstring(node, clean=False)
    text = f'    """{_blocking(description)}"""\n' if description else ""
    return f"{head}\n{text}{_indented(body)}"


def _passed_on(node: ast.FunctionDef | ast.AsyncFunctionDef) -> str:
    named = [f"{each.arg}={each.arg}" for each in node.args.kwonlyargs]
    return ", ".join([*(each.arg for each in node.args.args[1:]), *named])


def _blocking(description: str) -> str:
    """Return what is said of the asynchronous one as it is for this one."""
    text = re.sub(r"\bOryn\(", "SyncOryn(", description.replace("async with", "with").replace("await ", ""))
    return re.sub(r"`oryn\.client\.Oryn\b", "`oryn.client.SyncOryn", text)


def _indented(text: str) -> str:
    return "\n".join(f"    {line}" if line and not line.startswith("        ") else line for line in text.split("\n"))


def _formatted(text: str) -> str:
    command = [sys.executable, "-m", "ruff", "format", "-q", "--stdin-filename", str(CLIENT / "generated.py"), "-"]
    return subprocess.run(command, input=text, capture_output=True, text=True, check=True).stdout
