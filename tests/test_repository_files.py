"""The files that a code host reads: workflows and forms are valid by their schemas, and name what exists."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
import yaml

from scripts.rooms.__main__ import ROOMS

PROJECT = Path(__file__).parent.parent
GITHUB = PROJECT / ".github"
WORKFLOWS = sorted((GITHUB / "workflows").glob("*.yml"))
TARGETS = set(re.findall(r"^([a-z-]+):", (PROJECT / "Makefile").read_text("utf-8"), re.MULTILINE))


def check(schema: str, *files: Path) -> None:
    """Check files against a schema that check-jsonschema brings: nothing is downloaded."""
    command = [sys.executable, "-m", "check_jsonschema", "--builtin-schema", schema, *map(str, files)]
    ended = subprocess.run(command, capture_output=True, text=True, timeout=120, check=False)
    assert ended.returncode == 0, ended.stdout + ended.stderr


@pytest.mark.slow
def test_workflows_are_valid() -> None:
    assert {file.stem for file in WORKFLOWS} == {"tests", "nightly", "release", "site"}
    check("vendor.github-workflows", *WORKFLOWS)


@pytest.mark.slow
def test_dependabot_is_valid() -> None:
    check("vendor.dependabot", GITHUB / "dependabot.yml")
    folders = yaml.safe_load((GITHUB / "dependabot.yml").read_text("utf-8"))["updates"][-1]["directories"]
    assert all((PROJECT / folder[1:] / "package-lock.json").is_file() for folder in folders)


@pytest.mark.slow
def test_a_workflow_that_is_not_valid_is_found(tmp_path: Path) -> None:
    broken = tmp_path / "broken.yml"
    broken.write_text(WORKFLOWS[0].read_text("utf-8").replace("runs-on:", "run-on:"), "utf-8")
    with pytest.raises(AssertionError, match=r"broken\.yml"):
        check("vendor.github-workflows", broken)


def jobs(file: Path) -> dict[str, dict[str, Any]]:
    found: dict[str, dict[str, Any]] = yaml.safe_load(file.read_text("utf-8"))["jobs"]
    return found


def steps(file: Path) -> list[dict[str, Any]]:
    return [step for job in jobs(file).values() for step in job["steps"]]


@pytest.mark.parametrize("file", WORKFLOWS, ids=lambda file: file.stem)
def test_workflows_name_what_exists(file: Path) -> None:
    commands = [step["run"] for step in steps(file) if "run" in step]
    made = {target for command in commands for target in re.findall(r"\bmake ([a-z-]+)", command)}
    assert made <= TARGETS
    for place in re.findall(r"\b(?:tests|src|containers)/[\w./]+", " ".join(commands)):
        assert (PROJECT / place).exists(), place
    for job in jobs(file).values():
        needs = job.get("needs", [])
        assert set([needs] if isinstance(needs, str) else needs) <= set(jobs(file))


def test_publishing_needs_no_secret() -> None:
    text = (GITHUB / "workflows" / "release.yml").read_text("utf-8")
    assert "secrets." not in text
    publishing = {name: job for name, job in jobs(GITHUB / "workflows" / "release.yml").items() if name != "build"}
    assert all(job["permissions"].get("id-token") == "write" for job in publishing.values())
    assert all(publishing[name]["environment"] == "release" for name in ("pypi", "npm"))


def test_what_has_not_run_yet_is_marked() -> None:
    tests = jobs(GITHUB / "workflows" / "tests.yml")
    for name in ("macos", "windows"):
        assert tests[name]["name"].endswith("(unverified)") and tests[name]["continue-on-error"] is True
    assert any("make test-lowest" in step.get("run", "") for step in tests["lowest-versions"]["steps"])


def test_checks_and_tests_run_in_more_than_one_python() -> None:
    tests = jobs(GITHUB / "workflows" / "tests.yml")
    assert {"run": "make check"} in tests["check"]["steps"]
    assert {"run": "make test"} in tests["linux"]["steps"]
    assert len(tests["linux"]["strategy"]["matrix"]["python"]) >= 2


def test_other_machines_are_tested_every_night() -> None:
    file = GITHUB / "workflows" / "nightly.yml"
    assert yaml.safe_load(file.read_text("utf-8"))[True]["schedule"]  # `on` is a boolean of YAML 1.1
    assert jobs(file)["engines"]["steps"][-1]["run"] == "make test-engines"
    rooms = jobs(file)["rooms"]
    assert set(rooms["strategy"]["matrix"]["room"]) == set(ROOMS)
    assert "make test-rooms ROOMS=${{ matrix.room }}" in rooms["steps"][-1]["run"]


def test_forms_have_fields_with_names() -> None:
    for name in ("bug", "feature"):
        form = yaml.safe_load((GITHUB / "ISSUE_TEMPLATE" / f"{name}.yml").read_text("utf-8"))
        assert {"name", "description", "body"} <= set(form)
        fields = [field for field in form["body"] if field["type"] != "markdown"]
        assert len({field["id"] for field in fields}) == len(fields)
        assert all(field["attributes"]["label"] for field in fields)


def test_links_of_the_security_page_lead_somewhere() -> None:
    text = (PROJECT / "SECURITY.md").read_text("utf-8")
    assert all((PROJECT / link).is_file() for link in re.findall(r"\]\((docs/[\w-]+\.md)\)", text))
