from __future__ import annotations

import re
import subprocess
import sys
import tomllib
import zipfile
from importlib.metadata import entry_points, packages_distributions
from pathlib import Path

import pytest

from tests.test_house import imports

PROJECT = Path(__file__).parent.parent
DECLARED = tomllib.loads((PROJECT / "pyproject.toml").read_text("utf-8"))["project"]


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
    assert not [name for name in wheel if not name.startswith(("oryn/", "oryn-"))]


def test_all_is_every_extra_but_the_distributed_engine() -> None:
    extras = DECLARED["optional-dependencies"]
    (everything,) = extras["all"]
    assert set(re.findall(r"[\w-]+", everything)) - {"oryn"} == set(extras) - {"all", "ray"}


def test_every_dependency_has_a_lower_bound_and_a_reason() -> None:
    reasons = (PROJECT / "docs" / "architecture.md").read_text("utf-8")
    extras = DECLARED["optional-dependencies"]
    wanted = [each for extra in set(extras) - {"all", "dev"} for each in extras[extra] if not each.startswith("oryn[")]
    for requirement in [*DECLARED["dependencies"], *wanted]:
        name, bound, _ = re.split(r"(>=|==)", requirement)
        assert bound
        assert f"| `{name.partition('[')[0]}` |" in reasons, requirement


def test_what_research_imports_is_in_its_extras() -> None:
    extras = DECLARED["optional-dependencies"]
    declared = {
        re.split(r"[\[>=]", each)[0].lower().replace("_", "-")
        for each in [*extras["research"], *extras["qdrant"], *extras["ray"], *DECLARED["dependencies"]]
    }
    installed = packages_distributions()
    for file in sorted((PROJECT / "src" / "oryn" / "research").rglob("*.py")):
        for name in {name.partition(".")[0] for name in imports(file)} - sys.stdlib_module_names - {"oryn"}:
            known = {each.lower().replace("_", "-") for each in installed.get(name, [name])}
            assert known & declared, f"{file} imports {name}"


def test_the_commands_are_installed() -> None:
    if not (scripts := entry_points(group="console_scripts").select(module="oryn.cli.main")):
        pytest.skip("the package is not installed here")
    assert {script.name for script in scripts} == {"oryn", "oryn-h", "oryn-r"}
    for script in scripts:
        assert callable(script.load())
