"""The built extension holds what the package holds, no more and no less, and little enough of it."""

from __future__ import annotations

import hashlib
import json
import re
import shutil
import zipfile
from pathlib import Path

import pytest

from oryn.extension.agent.chat import SCRIPTS as CHAT_SCRIPTS
from oryn.extension.popup.indicators import BANNER
from oryn.scanner.bundle import bundle
from scripts.extension import builder
from scripts.extension.builder import ENTRIES, PYODIDE, SOURCE
from scripts.extension.bundles import write_bundles
from scripts.extension.closure import LIBRARIES, Closure
from scripts.extension.engine import BuildFailed, libraries, named_below, write_zip

MAX_BYTES = 25_500_000


@pytest.mark.slow
def test_every_file_of_the_engine_is_the_packages_own(extension: Path) -> None:
    with zipfile.ZipFile(extension / "engine" / "oryn.zip") as archive:
        names = archive.namelist()
        for name in names:
            assert archive.read(name) == libraries().get(name, SOURCE / name).read_bytes(), name
    assert {
        "oryn/engine/session.py",
        "oryn/engine/devices.json",
        "oryn/scanner/bundles/scanner.js",
        "oryn/errors/page.py",
    } < {*names}


def test_all_commands_and_the_whole_scanner_are_in_it(extension: Path) -> None:
    with zipfile.ZipFile(extension / "engine" / "oryn.zip") as archive:
        built = set(archive.namelist())
    for part in ("language/commands", "engine", "scanner"):
        for file in (SOURCE / "oryn" / part).rglob("*"):
            is_types_alone = file.is_relative_to(SOURCE / "oryn" / "scanner" / "protocol")
            if file.suffix in (".py", ".js", ".json") and not is_types_alone and file.name not in LIBRARIES:
                assert file.relative_to(SOURCE).as_posix() in built


def test_nothing_is_in_it_that_only_other_hosts_need(extension: Path) -> None:
    with zipfile.ZipFile(extension / "engine" / "oryn.zip") as archive:
        parts = {"/".join(name.split("/")[:2]) for name in archive.namelist()}
    assert not parts & {f"oryn/{part}" for part in ("cli", "client", "daemon", "demo", "host", "sessions", "vault")}


def test_the_scanner_in_pages_is_the_packages_bundle(extension: Path) -> None:
    assert (extension / "scanner.js").read_text("utf-8") == bundle()


def test_its_scripts_are_bundles_that_can_be_read(extension: Path) -> None:
    """No TypeScript, and no import but of what has a file of its own in the package."""
    names = {file.relative_to(extension).as_posix() for file in extension.rglob("*") if file.is_file()}
    assert not [name for name in names if name.endswith((".ts", ".mts")) or name == "build.mjs"]
    scripts = [
        name for name in names if name.endswith((".js", ".mjs")) and not name.startswith(("pyodide/", "hub/json_"))
    ]
    for name in set(scripts) - {"scanner.js"}:
        text = (extension / name).read_text("utf-8")
        assert len(text) < 100 * text.count("\n"), f"{name} is minified"
        imported = re.findall(r'^import .* from "(.*)";$', text, re.MULTILINE)
        assert all((extension / name).parent.joinpath(each).is_file() for each in imported), name
        assert name == "worker.js" or not imported, name


@pytest.mark.slow
def test_scripts_that_can_not_be_bundled_are_not_built(tmp_path: Path) -> None:
    template = shutil.copytree(builder.TEMPLATE, tmp_path / "template")
    (template / "boot.ts").unlink()
    with pytest.raises(BuildFailed, match="Could not resolve"):
        write_bundles(tmp_path / "out", template)


def test_pyodide_is_the_npm_package_and_can_download_nothing(extension: Path) -> None:
    for name in ("pyodide.mjs", "pyodide.asm.mjs", "pyodide.asm.wasm", "python_stdlib.zip"):
        assert (extension / "pyodide" / name).read_bytes() == (PYODIDE / name).read_bytes()
    assert json.loads((extension / "pyodide" / "pyodide-lock.json").read_text("utf-8"))["packages"] == {}


def test_it_says_what_it_was_made_of(extension: Path) -> None:
    about = json.loads((extension / "engine" / "built.json").read_text("utf-8"))
    assert about["pyodide"] == json.loads((PYODIDE / "package.json").read_text("utf-8"))["version"]
    for part, file in (("engine", "oryn.zip"), ("snapshot", "snapshot.gz")):
        assert about[part] == hashlib.sha256((extension / "engine" / file).read_bytes()).hexdigest()


def test_it_has_the_licenses_of_all_that_others_have_written(extension: Path) -> None:
    """A section for each part that is not Oryn's own: the packages in the engine, and the folders that are bundled."""
    text = (extension / "THIRD-PARTY-NOTICES.md").read_text("utf-8")
    sections = dict(section.split("\n", 1) for section in text.split("\n## ")[1:])
    with zipfile.ZipFile(extension / "engine" / "oryn.zip") as archive:
        packages = {name.split("/")[0] for name in archive.namelist()} - {"oryn"}
    bundled = {f"folder `{name}`" for name in packages}
    own = {path.relative_to(builder.TEMPLATE) for path in builder.TEMPLATE.rglob("*") if path.is_dir()}
    folders = {path.relative_to(extension) for path in extension.rglob("*") if path.is_dir()} - own
    bundled |= {f"`{folder.as_posix()}`" for folder in folders - {Path("engine")}}
    for name in bundled:
        assert any(name in section for section in sections.values()), f"no license of {name}"
    assert len(bundled) == 3
    for title, holder in (("@cfworker/json-schema", "Jeremy Danyow"), ("PyYAML", "Kirill Simonov")):
        assert f"Copyright (c) {'2006-2016 ' * (title == 'PyYAML')}{holder}" in sections[title]
        assert "Permission is hereby granted, free of charge" in sections[title]
    assert "PYTHON SOFTWARE FOUNDATION LICENSE VERSION 2" in sections["Python"]
    assert "Mozilla Public License Version 2.0" in sections["Pyodide"]


def test_it_is_small_enough(extension: Path) -> None:
    assert sum(file.stat().st_size for file in extension.rglob("*") if file.is_file()) <= MAX_BYTES


def test_the_manifest_lets_no_foreign_script_run(extension: Path) -> None:
    manifest = json.loads((extension / "manifest.json").read_text("utf-8"))
    policy = manifest["content_security_policy"]["extension_pages"]
    assert "script-src 'self' 'wasm-unsafe-eval';" in policy and "default-src 'self';" in policy
    assert "web_accessible_resources" not in manifest  # no page of the web sees a file of it


def test_every_file_that_the_manifest_names_is_there(extension: Path) -> None:
    manifest = json.loads((extension / "manifest.json").read_text("utf-8"))
    named = [
        manifest["background"]["service_worker"],
        manifest["action"]["default_popup"],
        manifest["options_ui"]["page"],
        *re.findall(r"'([\w/]+\.js)'\]?", (builder.TEMPLATE / "content_scripts.ts").read_text("utf-8")),
        *CHAT_SCRIPTS,
        BANNER,
        *manifest["icons"].values(),
        *manifest["action"]["default_icon"].values(),
    ]
    assert {"scanner.js", "content.js", "model_context.js", "hub/agent_page.js"} <= set(named)
    assert [name for name in named if not (extension / name).is_file()] == []


@pytest.mark.slow
def test_firefox_gets_the_same_files_with_its_own_manifest(extension: Path, tmp_path: Path) -> None:
    firefox = builder.copy(tmp_path / "firefox", "firefox")
    contents = [
        {file.relative_to(folder).as_posix(): file.read_bytes() for file in folder.rglob("*") if file.is_file()}
        for folder in (extension, firefox)
    ]
    for each in contents:
        manifest = json.loads(each.pop("manifest.json"))
        assert ("service_worker" in manifest["background"]) is (each is contents[0])
    assert contents[0] == contents[1]


@pytest.mark.slow
def test_the_same_files_make_the_same_engine(tmp_path: Path) -> None:
    files = Closure(SOURCE, *ENTRIES).files()
    for name in ("one", "two"):
        write_zip(tmp_path / name, named_below(SOURCE, files))
    assert (tmp_path / "one").read_bytes() == (tmp_path / "two").read_bytes()


@pytest.mark.slow
def test_it_is_built_again_only_when_a_file_has_changed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    template, out, made = tmp_path / "template", tmp_path / "out" / "extension", []

    def snapshot(out: Path, extension: Path, modules: object) -> None:
        made.append(extension)
        out.write_bytes(b"memory")

    shutil.copytree(builder.TEMPLATE, template)
    monkeypatch.setattr(builder, "TEMPLATE", template)
    monkeypatch.setattr(builder, "PROJECT", Path("/"))
    monkeypatch.setattr(builder, "write_snapshot", snapshot)
    for _ in range(2):
        assert builder.build(out) == out
    assert len(made) == 1
    (template / "worker.ts").write_text("import { another } from './another';\nconsole.log(another);\n")
    (template / "another.ts").write_text("export const another = 'another worker';\n")
    builder.build(out)
    assert len(made) == 2
    assert 'another = "another worker"' in (out / "worker.js").read_text()
    assert [file.name for file in out.parent.iterdir() if file.is_dir()] == ["extension"]


@pytest.mark.slow
def test_an_engine_that_does_not_start_is_not_built(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    source = tmp_path / "src"
    (source / "oryn").mkdir(parents=True)
    (source / "oryn" / "__init__.py").touch()
    (source / "oryn" / "broken.py").write_text("import fcntl, no_such_module\n")
    monkeypatch.setattr(builder, "SOURCE", source)
    monkeypatch.setattr(builder, "PROJECT", Path("/"))
    monkeypatch.setattr(builder, "ENTRIES", ("oryn.broken",))
    with pytest.raises(BuildFailed, match="ModuleNotFoundError: No module named"):
        builder.build(tmp_path / "out")
    assert not (tmp_path / "out").exists()


def test_a_closure_follows_what_runs_and_only_that(tmp_path: Path) -> None:
    modules = {
        "__init__": "",
        "entry": "from typing import TYPE_CHECKING\nimport os\nfrom oryn import named\nfrom oryn.inner import thing\n"
        "if TYPE_CHECKING:\n    from oryn import types_only\nelse:\n    import oryn.otherwise\n"
        "def run():\n    from oryn.later import x\n    import_module(f'oryn.family.{name}')\n",
        "named": "",
        "types_only": "",
        "otherwise": "",
        "later": "",
        "unused": "",
        "inner/__init__": "from oryn.inner.part import y\ndef __getattr__(name):\n    from oryn import lazily\n",
        "inner/part": "",
        "inner/other": "",
        "lazily": "",
        "family/__init__": "",
        "family/one": "",
        "family/two": "",
    }
    for name, code in modules.items():
        file = tmp_path / "oryn" / f"{name}.py"
        file.parent.mkdir(exist_ok=True)
        file.write_text(code)
    for data in ("inner/table.json", "inner/scripts/a.js", "family/py.typed"):
        (tmp_path / "oryn" / data).parent.mkdir(exist_ok=True)
        (tmp_path / "oryn" / data).touch()
    closure = Closure(tmp_path, "oryn.entry")
    assert [file.relative_to(tmp_path / "oryn").as_posix() for file in closure.files()] == [
        "__init__.py",
        "entry.py",
        "family/__init__.py",
        "family/one.py",
        "family/two.py",
        "inner/__init__.py",
        "inner/part.py",
        "inner/scripts/a.js",
        "inner/table.json",
        "later.py",
        "named.py",
        "otherwise.py",
    ]
