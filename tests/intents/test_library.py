"""Intents and packs in folders: what is there, what is wrong there, what is kept."""

from __future__ import annotations

import os
import stat
from pathlib import Path
from typing import Any

import pytest
from jsonschema import Draft202012Validator

from oryn.engine.definitions import json_schema, read_definition
from oryn.errors import FileError, InvalidDefinition
from oryn.intents import FileIntentLibrary, library_of
from oryn.intents.library import bundled_packs_folder
from oryn.intents.yaml_text import parse_yaml
from oryn.system.paths import find

PACKS = sorted(each.name for each in bundled_packs_folder().iterdir())
FILES = sorted(bundled_packs_folder().glob("*/*.yaml"))


@pytest.fixture
def library(tmp_path: Path) -> FileIntentLibrary:
    return FileIntentLibrary(tmp_path / "intents", tmp_path / "packs")


def put(folder: Path, **files: str) -> None:
    folder.mkdir(parents=True, exist_ok=True)
    for name, text in files.items():
        (folder / f"{name}.yaml").write_text(text)


# --- what ships ------------------------------------------------------------------------------------------------------


def test_packs_ship_for_a_shop_a_search_engine_and_documentation(library: FileIntentLibrary) -> None:
    packs = library.packs()
    assert list(packs) == PACKS == ["documentation", "search_results", "shop"]
    for name, pack in packs.items():
        assert (pack.name, dict(pack.folder.problems)) == (name, {})
        assert pack.description
        assert pack.folder.definitions
        for definition in pack.folder.definitions.values():
            assert definition.description
            assert all(parameter.description for parameter in definition.parameters.values())


@pytest.mark.parametrize("file", FILES, ids=lambda file: f"{file.parent.name}/{file.stem}")
def test_bundled_intents_match_the_published_schema(file: Path) -> None:
    schema = json_schema("pack" if file.name == "pack.yaml" else "intent")
    data = parse_yaml(file.read_bytes())
    assert list(Draft202012Validator(schema).iter_errors(data)) == []
    assert file.name == "pack.yaml" or data["name"] == file.stem


@pytest.mark.parametrize("document", ["intent", "pack"])
def test_published_schema_is_a_valid_json_schema(document: str) -> None:
    Draft202012Validator.check_schema(json_schema(document))


@pytest.mark.parametrize(
    "change",
    [
        {"name": "5"},
        {"name": None},
        {"steps": None},
        {"steps": [5]},
        {"steps": [{}]},
        {"steps": [{"branch": {"if": {}, "then": []}}]},
        {"steps": [{"branch": {"if": {"text": "a", "url": "b"}, "then": []}}]},
        {"steps": [{"loop": {"times": -1, "steps": []}}]},
        {"steps": [{"try": {}}]},
        {"steps": ["back"] * 201},
        {"parameters": {"A": {}}},
        {"parameters": {"a": {"type": "date"}}},
        {"parameters": {"a": {"default": {}}}},
        {"limits": {"steps": 0}},
        {"limits": {"time": "soon"}},
        {"success": "x"},
        {"success": [{"all": []}]},
        {"version": True},
        {"other": 1},
    ],
    ids=str,
)
def test_what_the_schema_refuses_is_refused_here_and_the_other_way_round(change: dict[str, Any]) -> None:
    validator = Draft202012Validator(json_schema("intent"))
    good = {"name": "a", "steps": ["back"], "success": {"url": "x"}, "limits": {"time": "2m"}, "version": 1.0}
    assert validator.is_valid(good)
    read_definition(good)
    assert not validator.is_valid({**good, **change})
    with pytest.raises(InvalidDefinition):
        read_definition({**good, **change})


# --- the user's ------------------------------------------------------------------------------------------------------


def test_folders_that_are_not_there_hold_nothing(library: FileIntentLibrary) -> None:
    assert dict(library.intents().definitions) == {}
    assert list(library.packs()) == PACKS


def test_files_are_read_again_when_they_change(library: FileIntentLibrary, tmp_path: Path) -> None:
    put(tmp_path / "intents", a="name: a\nsteps: [back]")
    first = library.intents()
    assert library.intents() is first
    put(tmp_path / "intents", b="name: b\nsteps: [back, url]")
    assert set(library.intents().definitions) == {"a", "b"}
    (tmp_path / "intents" / "a.yaml").unlink()
    assert set(library.intents().definitions) == {"b"}


def test_invalid_intent_file_is_reported_and_skipped(library: FileIntentLibrary, tmp_path: Path) -> None:
    folder = tmp_path / "intents"
    put(folder, a="name: a\nsteps: [back]", b="name: a\nsteps: [url]", c="steps: [back]", d="[", e="")
    (folder / "notes.txt").write_text("no intent")
    (folder / "folder.yaml").mkdir()
    os.mkfifo(folder / "pipe.yaml")
    (folder / "gone.yaml").symlink_to(folder / "nowhere")
    intents = library.intents()
    assert {name: each.steps[0].template.text for name, each in intents.definitions.items()} == {"a": "back"}  # type: ignore[union-attr]
    assert {name: each.message for name, each in intents.problems.items()} == {
        "b.yaml": "b.yaml: another file defines a too",
        "c.yaml": "c.yaml: an intent needs name: the name for `run`",
        "d.yaml": "d.yaml: line 2: not YAML: did not find expected node content",
        "e.yaml": "e.yaml: not an intent",
    }


def test_saved_intent_is_private_and_overwrites_nothing(library: FileIntentLibrary, tmp_path: Path) -> None:
    definition = read_definition({"name": "a", "steps": ["back"]})
    file = tmp_path / "intents" / "a.yaml"
    assert library.save(definition) == str(file)
    assert stat.S_IMODE(file.stat().st_mode) == 0o600
    assert stat.S_IMODE(file.parent.stat().st_mode) == 0o700
    assert library.intents().definitions["a"].data == definition.data
    with pytest.raises(FileError, match="there is an intent a already"):
        library.save(definition)
    put(tmp_path / "intents", other="name: b\nsteps: [back]")
    with pytest.raises(FileError, match="there is an intent b already"):
        library.save(read_definition({"name": "b", "steps": ["url"]}))
    assert sorted(each.name for each in file.parent.iterdir()) == ["a.yaml", "other.yaml"]


def test_a_users_pack_comes_before_the_shipped_one(library: FileIntentLibrary, tmp_path: Path) -> None:
    put(tmp_path / "packs" / "mine", pack="name: shop\nversion: 2\nurls: ['*://mine/*']", a="name: a\nsteps: [back]")
    put(tmp_path / "packs" / "wrong", pack="name: wrong\n", a="name: a\nsteps: [back]")
    put(tmp_path / "packs" / "none", a="name: a\nsteps: [back]")
    packs = library.packs()
    assert list(packs) == ["documentation", "search_results", "shop", "wrong"]
    assert (packs["shop"].version, list(packs["shop"].folder.definitions)) == ("2", ["a"])
    assert packs["shop"].matches("https://mine/a")
    assert not packs["shop"].matches("https://other/a")
    assert packs["wrong"].folder.problems["pack.yaml"].message == "pack.yaml: a pack needs urls: " + (
        "patterns of the URLs that it is for, as in `wait url`"
    )
    put(tmp_path / "packs" / "mine", pack="name: shop\nversion: three\nurls: ['*']")
    assert library.packs()["shop"].version == "three"


def test_a_process_has_one_library_for_a_users_folders(tmp_path: Path) -> None:
    paths = find({"ORYN_HOME": str(tmp_path)})
    assert library_of(paths) is library_of(find({"ORYN_HOME": str(tmp_path)}))
    assert paths.packs == tmp_path / "packs"


@pytest.mark.parametrize(
    ("pack", "url", "fits"),
    [
        ("shop", "https://shop.example/", True),
        ("shop", "about:blank", False),
        ("search_results", "https://duckduckgo.com/?q=x", True),
        ("search_results", "https://www.google.com/search?q=x&hl=en", True),
        ("search_results", "https://www.bing.com/search?q=x", True),
        ("search_results", "https://example.org/", False),
        ("documentation", "https://docs.python.org/3/library/", True),
        ("documentation", "https://oryn.readthedocs.io/en/latest/", True),
        ("documentation", "https://example.org/docs/start", True),
        ("documentation", "https://example.org/shop", False),
    ],
)
def test_which_pages_a_shipped_pack_is_for(library: FileIntentLibrary, pack: str, url: str, fits: bool) -> None:
    assert library.packs()[pack].matches(url) is fits
