"""Generate `src/oryn/client/sync_client.py`, the synchronous twin of the client library, from `client.py`.

    python scripts/blocking_client.py

Every public method of `Oryn` becomes one of `SyncOryn` with the same signature and description, which runs the
asynchronous one in a thread. Rewriting the asynchronous code itself, word for word, would need a second, blocking
transport for processes and WebSockets; here there is one, and the twin works where an event loop runs already.
"""

from __future__ import annotations

import ast
import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

CLIENT = Path(__file__).parent.parent / "src" / "oryn" / "client"
TARGET = CLIENT / "sync_client.py"

HEAD = '''"""`SyncOryn`: the client library for programs without an event loop.

Generated from `client.py` by `scripts/blocking_client.py`, which says why; change those."""

from __future__ import annotations

import os
from collections.abc import Sequence
from typing import Self

from oryn.client.client import Mode, Oryn
from oryn.client.loop_thread import LoopThread

'''

TAIL = """
    def __enter__(self) -> Self:
        self.connect()
        return self

    def __exit__(self, *_: object) -> None:
        self.close()
"""


def blocking_client() -> str:
    """The text of the module, not yet formatted."""
    tree = ast.parse((CLIENT / "client.py").read_text("utf-8"))
    oryn = next(node for node in tree.body if isinstance(node, ast.ClassDef) and node.name == "Oryn")
    members = "\n\n".join(_indented(member) for member in _members(oryn))
    docstring = _blocking(ast.get_docstring(oryn, clean=False) or "")
    return f'{HEAD}\nclass SyncOryn:\n    """{docstring}"""\n\n{members}\n{TAIL}'


def _members(oryn: ast.ClassDef) -> Iterator[str]:
    for node in oryn.body:
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            if node.name == "__init__":
                made = f"self._oryn = Oryn({_passed_on(node)})\nself._loop = LoopThread(lambda: self._oryn.connected)"
                yield _function(node, made)
            elif not node.name.startswith("_"):
                call = f"self._oryn.{node.name}({_passed_on(node)})"
                if isinstance(node, ast.AsyncFunctionDef):
                    yield _function(node, f"return self._loop.run({call})")
                else:
                    yield f"@property\n{_function(node, f'return self._oryn.{node.name}')}"


def _function(node: ast.FunctionDef | ast.AsyncFunctionDef, body: str) -> str:
    head = f"def {node.name}({ast.unparse(node.args)}) -> {ast.unparse(node.returns) if node.returns else 'None'}:"
    description = ast.get_docstring(node, clean=False)
    told = f'    """{_blocking(description)}"""\n' if description else ""
    return f"{head}\n{told}{_indented(body)}"


def _passed_on(node: ast.FunctionDef | ast.AsyncFunctionDef) -> str:
    named = [f"{each.arg}={each.arg}" for each in node.args.kwonlyargs]
    return ", ".join([*(each.arg for each in node.args.args[1:]), *named])


def _blocking(description: str) -> str:
    """What is said of the asynchronous one, of this one."""
    return re.sub(r"\bOryn\(", "SyncOryn(", description.replace("async with", "with").replace("await ", ""))


def _indented(text: str) -> str:
    return "\n".join(f"    {line}" if line and not line.startswith("        ") else line for line in text.split("\n"))


if __name__ == "__main__":
    TARGET.write_text(blocking_client(), "utf-8")
    subprocess.run([sys.executable, "-m", "ruff", "format", "-q", TARGET], check=True)
