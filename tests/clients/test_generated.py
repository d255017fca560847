"""The generated files of the client libraries are what the table of commands gives: `python -m scripts.clients`."""

from __future__ import annotations

import inspect
from pathlib import Path

import pytest

from oryn import Oryn, SyncOryn
from oryn.client.caller import CommandCaller
from oryn.language.json_codec import line_from_json
from oryn.language.vocabulary import api_vocabulary
from scripts.clients import python, sync, typescript
from scripts.clients.methods import Method, methods

FILES = {**python.files(), **sync.files(), **typescript.files()}
EXAMPLES = {"int": 3, "float": 1.5, "Duration": 2, "Target": "Sign in", "tuple[float, float]": [1, 2], "Any": {"a": 1}}
"""A value of each type, as JSON data; a text for every other."""
TEXTS = {"key": "enter", "keys": "control+a", "url": "example.org", "urls": "example.org", "what": "links"}


@pytest.mark.parametrize("path", FILES, ids=lambda path: f"{path.parent.name}/{path.name}")
def test_a_file_is_as_generated(path: Path) -> None:
    assert path.read_text("utf-8") == FILES[path]


def test_there_is_no_other_file() -> None:
    for folder in (python.CLIENT / "_generated", typescript.SOURCE / "_generated"):
        assert {*folder.rglob("*.py"), *folder.rglob("*.ts")} == {path for path in FILES if folder in path.parents}


@pytest.mark.parametrize("method", methods(), ids=lambda method: method.name)
def test_a_request_of_a_method_is_its_command(method: Method) -> None:
    required = {each.key: _example(each.key, each.type.python) for each in method.parameters if each.required}
    arguments = {**method.fixed, **required}
    if missing := method.spec.either:
        arguments[missing[0]] = "Done"
    line = line_from_json(method.action, arguments, api_vocabulary())
    assert line.command is not None and type(line.command) is method.spec.type
    signature = inspect.signature(getattr(Oryn, method.name))
    assert set(signature.parameters) - {"self"} == {each.name for each in method.parameters}


def _example(key: str, type_: str) -> object:
    if type_.startswith("Literal"):
        return type_.split('"')[1]
    if type_.startswith("Mapping"):
        return {"X-Key": "value"}
    if type_ == "Sequence[str]":
        return ["url"]
    return EXAMPLES.get(type_, TEXTS.get(key, "word"))


def test_both_classes_have_the_same_methods() -> None:
    def public(kind: type) -> dict[str, object]:
        members = ((name, each) for name, each in inspect.getmembers(kind) if not name.startswith("_"))
        return {name: list(inspect.signature(each).parameters) if callable(each) else "" for name, each in members}

    assert public(SyncOryn) == public(Oryn)
    assert issubclass(Oryn, CommandCaller)
    assert {each.name for each in methods()} <= set(dir(Oryn))
    for each in methods():
        assert (getattr(Oryn, each.name).__doc__ or "").startswith(each.help)
