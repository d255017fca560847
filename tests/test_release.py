"""What a release holds: each part has the version, all that is needed and nothing else, and works where nothing but it
(and what it depends on) is installed."""

from __future__ import annotations

import hashlib
import json
import os
import re
import shutil
import subprocess
import sys
import sysconfig
import tarfile
import tomllib
import venv
import zipfile
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

import pytest
from cyclonedx.schema import SchemaVersion
from cyclonedx.validation.json import JsonStrictValidator

from oryn import __version__
from scripts import release
from scripts.extension import build as build_extension
from scripts.extension.engine import BuildFailed
from scripts.extension.manifest import FIREFOX_ID
from tests.headless.conftest import Pages

PROJECT = release.PROJECT
CLIENT = release.CLIENT
NAMES = {
    f"oryn_browser-{__version__}-py3-none-any.whl",
    f"oryn_browser-{__version__}.tar.gz",
    f"oryn-browser-{release.npm_version()}.tgz",
    f"oryn-plugin-kit-{release.npm_version()}.tgz",
    f"oryn-extension-{__version__}.zip",
    f"oryn-extension-{__version__}.xpi",
    f"oryn-{__version__}.cdx.json",
    "oryn.rb",
}

pytestmark = [
    pytest.mark.node,
    pytest.mark.slow,
    pytest.mark.timeout(900),
    pytest.mark.skipif(shutil.which("npm") is None, reason="needs Node; 'make test' installs it"),
    pytest.mark.skipif(not (CLIENT / "node_modules").is_dir(), reason="needs npm packages; 'make test' installs them"),
]


@pytest.fixture(scope="module")
def dist(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("release") / "dist"
    folder.mkdir()
    (folder / "oryn-0.0.1.tar.gz").touch()  # of an earlier release
    release.release(folder)
    return folder


def ran(command: Sequence[object], cwd: Path | None = None, env: Mapping[str, str] | None = None) -> str:
    words = [str(word) for word in command]
    ended = subprocess.run(words, cwd=cwd, env=env, capture_output=True, text=True, timeout=300, check=False)
    assert ended.returncode == 0, ended.stdout + ended.stderr
    return ended.stdout


def of_project(folder: str) -> set[str]:
    """The files below a folder that are, or are about to be, the repository's."""
    listed = ran(["git", "ls-files", "--cached", "--others", "--exclude-standard", folder], cwd=PROJECT).splitlines()
    return {name for name in listed if (PROJECT / name).is_file()}


# --- what is in it ---


def test_a_release_is_these_files_and_their_sums(dist: Path) -> None:
    assert {file.name for file in dist.iterdir()} == NAMES | {release.SUMS}
    sums = dict(line.split("  ")[::-1] for line in (dist / release.SUMS).read_text("ascii").splitlines())
    assert sums == {name: hashlib.sha256((dist / name).read_bytes()).hexdigest() for name in NAMES}


def test_the_wheel_holds_the_package(dist: Path) -> None:
    about = f"oryn_browser-{__version__}.dist-info"
    with zipfile.ZipFile(dist / f"oryn_browser-{__version__}-py3-none-any.whl") as archive:
        names = set(archive.namelist())
        entry_points = archive.read(f"{about}/entry_points.txt").decode()
    more = {f"{about}/{name}" for name in ("METADATA", "WHEEL", "RECORD", "entry_points.txt", "licenses/LICENSE")}
    assert names == {name.removeprefix("src/") for name in of_project("src/oryn")} | more
    declared = tomllib.loads((PROJECT / "pyproject.toml").read_text("utf-8"))["project"]["scripts"]
    assert all(f"{name} = {place}" in entry_points for name, place in declared.items())


def test_the_source_distribution_holds_what_a_wheel_is_built_of(dist: Path) -> None:
    with tarfile.open(dist / f"oryn_browser-{__version__}.tar.gz") as archive:
        names = {member.name.partition("/")[2] for member in archive.getmembers()}
    more = {"pyproject.toml", "README.md", "LICENSE", "CHANGELOG.md", "PKG-INFO", ".gitignore"}
    assert names == of_project("src/oryn") | more


@pytest.mark.parametrize(
    ("name", "source", "dependencies"),
    [("oryn-browser", CLIENT, ["ws"]), ("oryn-plugin-kit", release.PLUGIN_KIT, [])],
)
def test_the_npm_packages_hold_compiled_code_and_its_types(
    dist: Path, name: str, source: Path, dependencies: list[str]
) -> None:
    with tarfile.open(dist / f"{name}-{release.npm_version()}.tgz") as archive:
        names = {member.name.removeprefix("package/") for member in archive.getmembers()}
        file = archive.extractfile("package/package.json")
        assert file is not None
        about = json.loads(file.read())
    sources = [file.relative_to(source / "src").with_suffix("") for file in source.glob("src/**/*.ts")]
    compiled = {f"dist/{each.as_posix()}{suffix}" for each in sources for suffix in (".js", ".d.ts")}
    assert names == compiled | {"package.json", "README.md", "LICENSE"}
    assert list(about.get("dependencies", {})) == dependencies
    assert not {"scripts", "devDependencies"} & set(about)
    assert about["exports"]["."] == {"types": "./dist/index.d.ts", "default": "./dist/index.js"}


def test_the_zip_is_the_extension(dist: Path) -> None:
    built = build_extension()
    with zipfile.ZipFile(dist / f"oryn-extension-{__version__}.zip") as archive:
        held = {name: hashlib.sha256(archive.read(name)).hexdigest() for name in archive.namelist()}
    files = [file for file in built.rglob("*") if file.is_file()]
    assert held == {file.relative_to(built).as_posix(): hashlib.sha256(file.read_bytes()).hexdigest() for file in files}
    assert "manifest.json" in held


def test_the_xpi_is_firefoxs(dist: Path) -> None:
    with zipfile.ZipFile(dist / f"oryn-extension-{__version__}.xpi") as archive:
        manifest = json.loads(archive.read("manifest.json"))
    assert manifest["browser_specific_settings"]["gecko"]["id"] == FIREFOX_ID
    assert manifest["background"]["scripts"] == ["worker.js"]


def test_the_formula_installs_the_source_distribution(dist: Path) -> None:
    text = (dist / "oryn.rb").read_text("utf-8")
    source = f"oryn_browser-{__version__}.tar.gz"
    assert re.findall(r'^  url ".*/(v[^/"]+)/([^/"]+)"$', text, re.MULTILINE) == [(f"v{__version__}", source)]
    assert f'sha256 "{hashlib.sha256((dist / source).read_bytes()).hexdigest()}"' in text
    assert "VERSION" not in text and "SHA256" not in text


def test_the_bill_of_materials_names_what_each_part_brings(dist: Path) -> None:
    text = (dist / release.SBOM).read_text("utf-8")
    assert JsonStrictValidator(SchemaVersion.V1_6).validate_str(text) is None
    parts = {
        each["purl"].partition("@")[0]: {value["value"] for value in each["properties"]}
        for each in json.loads(text)["components"]
    }
    assert parts["pkg:npm/ws"] == {"typescript"}
    assert parts["pkg:npm/pyodide"] == parts["pkg:npm/%40cfworker/json-schema"] == {"extension"}
    assert parts["pkg:pypi/pyyaml"] == {"python", "extension"}
    project = tomllib.loads((PROJECT / "pyproject.toml").read_text("utf-8"))["project"]
    extras = project["optional-dependencies"]
    of_all = set(extras) - {"all", "playwright", "ray"}
    wanted = [*project["dependencies"], *(each for name in of_all for each in extras[name])]
    names = {re.split(r"[\[>=<~! ;]", each)[0].lower().replace("_", "-") for each in wanted}
    assert names - {project["name"]} <= {purl.rpartition("/")[2] for purl in parts}
    assert not {"pytest", "mypy", "ruff", "typescript"} & {purl.rpartition("/")[2] for purl in parts}


def test_the_same_files_give_the_same_bytes(dist: Path, tmp_path: Path) -> None:
    release.release(tmp_path / "again")
    # The extension is built of the same files once; its memory of a Python would be another each time.
    for name in NAMES - {f"oryn-extension-{__version__}.{suffix}" for suffix in ("zip", "xpi")}:
        assert (tmp_path / "again" / name).read_bytes() == (dist / name).read_bytes(), name


@pytest.mark.skipif(shutil.which("make") is None, reason="needs make")
def test_one_command_builds_it() -> None:
    assert "-m scripts.release\n" in ran(["make", "--dry-run", "release"], PROJECT)


# --- its version ---


def test_every_part_has_the_version_of_the_package(dist: Path) -> None:
    with zipfile.ZipFile(dist / f"oryn-extension-{__version__}.zip") as archive:
        assert json.loads(archive.read("manifest.json"))["version_name"] == __version__
    for source in (CLIENT, release.PLUGIN_KIT):
        for name in ("package.json", "package-lock.json"):
            declared = json.loads((source / name).read_text("utf-8"))["version"]
            assert declared == release.npm_version(), source / name


def test_versions_as_npm_writes_them() -> None:
    written = {"1.2.3": "1.2.3", "1.2.3a4": "1.2.3-alpha.4", "1.2.3b1": "1.2.3-beta.1", "1.2.3rc10": "1.2.3-rc.10"}
    assert {version: release.npm_version(version) for version in written} == written
    for version in ("1.2", "1.2.3.dev1", "1.2.3+local", ""):
        with pytest.raises(BuildFailed, match="can't have the version"):
            release.npm_version(version)


# --- its use ---


@pytest.fixture(scope="module")
def installed(dist: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder of the programs of a fresh environment with the wheel. What that depends on is this environment's, so
    that nothing is downloaded."""
    folder = tmp_path_factory.mktemp("fresh") / "environment"
    venv.create(folder, with_pip=False, symlinks=True)
    wheel = dist / f"oryn_browser-{__version__}-py3-none-any.whl"
    python = folder / "bin" / "python"
    ran([sys.executable, "-m", "pip", "--python", python, "install", "--quiet", "--no-deps", "--no-index", wheel])
    packages = ran([python, "-c", "import sysconfig; print(sysconfig.get_path('purelib'))"]).strip()
    Path(packages, "dependencies.pth").write_text(sysconfig.get_path("purelib") + "\n", "utf-8")
    return python.parent


def test_the_wheel_is_installed_and_used(installed: Path, tmp_path: Path) -> None:
    environment = {**os.environ, "ORYN_HOME": str(tmp_path)}
    environment.pop("PYTHONPATH", None)
    assert __version__ in ran([installed / "oryn", "version"], cwd=tmp_path, env=environment)
    where = "import oryn, sys; print(oryn.__file__.startswith(sys.prefix))"
    assert ran([installed / "python", "-c", where], cwd=tmp_path, env=environment) == "True\n"


@pytest.fixture
def shop() -> Iterator[str]:
    pages = Pages()
    pages["/"] = "<title>Shop</title><button onclick=\"document.title = 'Bought'\">Buy</button>"
    yield pages.url()
    pages.server.shutdown()
    pages.server.server_close()


@pytest.mark.browser
def test_the_npm_package_is_installed_and_drives_the_wheels_engine(
    dist: Path, installed: Path, tmp_path: Path, shop: str
) -> None:
    project = tmp_path / "project"
    project.mkdir()
    (project / "package.json").write_text('{"private": true, "type": "module"}\n')
    ran(["npm", "pack", "--silent", "--pack-destination", tmp_path, CLIENT / "node_modules" / "ws"])
    tarballs = [dist / f"oryn-browser-{release.npm_version()}.tgz", *tmp_path.glob("ws-*.tgz")]
    ran(["npm", "install", "--offline", "--silent", "--no-audit", "--no-fund", *tarballs], cwd=project)
    (project / "buy.ts").write_text(PROGRAM)
    compiler = CLIENT / "node_modules" / ".bin" / "tsc"
    types = CLIENT / "node_modules" / "@types"
    options = ["--strict", "--target", "es2022", "--module", "nodenext", "--lib", "es2022,esnext.disposable"]
    ran([compiler, *options, "--typeRoots", types, "--types", "node", "buy.ts"], cwd=project)
    path = f"{installed}{os.pathsep}{os.environ['PATH']}"
    environment = {**os.environ, "PATH": path, "ORYN_HOME": str(tmp_path / "home")}
    environment.pop("PYTHONPATH", None)
    printed = ran(["node", "buy.js", shop], cwd=project, env=environment)
    assert printed == 'ok click "Buy"\n\n# changes\n~ title: "Bought"\n---\nok title\n\n"Bought"\n'


PROGRAM = """
import { Oryn, type Options } from "oryn-browser";

const options: Options = { session: "shop", timeout: 60 };
const oryn = await new Oryn(options).connect();
await oryn.goto(process.argv[2] ?? "");
console.log(String(await oryn.click("Buy")));
console.log("---");
console.log(await oryn.send("title"));
await oryn.close();
"""
