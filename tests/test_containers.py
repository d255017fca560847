"""The Containerfiles: each names what exists, and the daemon's start script does what the page says."""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import tomllib
from pathlib import Path

import pytest

from scripts.rooms.debian import CONFORMANCE, EMBEDDED, WITHOUT_BROWSER
from scripts.rooms.images import default_profile

PROJECT = Path(__file__).parent.parent
CONTAINERS = PROJECT / "containers"
FILES = [CONTAINERS / name / "Containerfile" for name in ("headless", "daemon", "embedded")]
CONTAINERS_PAGE = PROJECT / "docs" / "containers.md"
START = CONTAINERS / "daemon" / "start.sh"


@pytest.mark.parametrize("file", FILES, ids=lambda file: file.parent.name)
def test_an_image_runs_as_a_user_and_from_files_that_are_sent(file: Path) -> None:
    text = file.read_text("utf-8")
    instructions = re.findall(r"^([A-Z]+) (.*)$", text, re.MULTILINE)
    final = instructions[max(at for at, (name, _) in enumerate(instructions) if name == "FROM") :]
    assert ("USER", "1000") in final, "Chromium has no sandbox as root, and Kubernetes checks only numbers"
    home = re.search(r"\bORYN_HOME=(\S+)", text)
    volume = next(value for name, value in final if name == "VOLUME")
    assert home is not None and Path(home[1]).parent == Path(volume), (
        "who runs the image makes the folder in the volume"
    )
    assert next(name for name, _ in reversed(final) if name in ("ENTRYPOINT", "CMD"))
    ignored = (PROJECT / ".dockerignore").read_text("utf-8").splitlines()
    needed = {"pyproject.toml", "README.md", "LICENSE", "CHANGELOG.md", "src", "containers"}
    assert ignored[0] == "*" and {line[1:] for line in ignored if line.startswith("!")} == needed
    assert all((PROJECT / name).exists() for name in needed)
    copied = re.findall(r"^COPY (?:--chmod=\d+ )?(containers\S+)", text, re.MULTILINE)
    assert all((PROJECT / name).is_file() for name in copied)


@pytest.mark.parametrize("file", FILES, ids=lambda file: file.parent.name)
def test_an_image_says_what_it_is_and_keeps_its_health_check(file: Path) -> None:
    text = file.read_text("utf-8")
    labels = dict(re.findall(r'org\.opencontainers\.image\.(\w+)="([^"]+)"', text[text.rindex("\nFROM ") :]))
    project = tomllib.loads((PROJECT / "pyproject.toml").read_text("utf-8"))["project"]
    assert labels.pop("title") and labels.pop("description")
    assert labels == {
        "licenses": project["license"],
        "source": project["urls"]["Source"],
        "documentation": project["urls"]["Documentation"],
    }
    builds = re.findall(rf"podman build (.*)containers/{file.parent.name}/", text + CONTAINERS_PAGE.read_text("utf-8"))
    assert builds and all(("--format docker" in build) == ("\nHEALTHCHECK " in text) for build in builds)


def started(tmp_path: Path, **environment: str) -> tuple[list[str], dict[str, str]]:
    """What the script runs, and the environment of that."""
    programs = tmp_path / "programs"
    programs.mkdir()
    fake = programs / "oryn"
    fake.write_text('#!/bin/sh\nprintf "%s\\n" "$@"\necho ---\nenv\n')
    fake.chmod(0o755)
    given = {"PATH": f"{programs}{os.pathsep}{os.environ['PATH']}", "ORYN_HOME": str(tmp_path / "data"), **environment}
    ended = subprocess.run(["sh", str(START), "--verbose"], env=given, capture_output=True, text=True, check=True)
    arguments, _, variables = ended.stdout.partition("---\n")
    return arguments.splitlines(), dict(line.split("=", 1) for line in variables.splitlines())


@pytest.mark.skipif(shutil.which("sh") is None, reason="needs a shell")
@pytest.mark.parametrize("by_file", [False, True])
def test_the_token_is_a_private_file_and_no_variable(tmp_path: Path, by_file: bool) -> None:
    secret = tmp_path / "secret"
    secret.write_text("t0ken\n")
    arguments, variables = started(
        tmp_path, **({"ORYN_TOKEN_FILE": str(secret)} if by_file else {"ORYN_TOKEN": "t0ken"})
    )
    assert arguments == [
        "daemon", "serve", "--listen", "0.0.0.0", "--port", "7720", "--idle-stop", "1439m", "--verbose",
    ]  # fmt: skip
    token = tmp_path / "data" / "data" / "daemon" / "token"
    assert token.read_text() == "t0ken\n"
    assert token.stat().st_mode & 0o077 == token.parent.stat().st_mode & 0o077 == 0
    assert "t0ken" not in variables.values()
    assert variables.get("ORYN_TOKEN_FILE") == (str(secret) if by_file else None), "so that no command opens it"


@pytest.mark.skipif(shutil.which("sh") is None, reason="needs a shell")
def test_the_databases_password_is_a_private_file_and_no_variable(tmp_path: Path) -> None:
    secret = tmp_path / "secret"
    secret.write_text("p:a\\ss\n")
    _, variables = started(tmp_path, ORYN_RECORDS_PASSWORD_FILE=str(secret))
    passwords = Path(variables["PGPASSFILE"])
    assert passwords.is_relative_to(tmp_path / "data")
    assert passwords.read_text() == "*:*:*:*:p\\:a\\\\ss\n"
    assert passwords.stat().st_mode & 0o077 == passwords.parent.stat().st_mode & 0o077 == 0
    assert not any("ss" in text and "p:a" in text for text in variables.values())


@pytest.mark.skipif(shutil.which("sh") is None, reason="needs a shell")
def test_a_volume_that_can_not_be_used_is_explained_by_oryn(tmp_path: Path) -> None:
    (tmp_path / "data").write_text("a file where the folder should be")
    assert started(tmp_path, ORYN_TOKEN="t0ken")[0] == ["doctor", "--only", "folders"]


def test_the_seccomp_profile_allows_what_the_sandbox_needs_and_no_privilege() -> None:
    profile = json.loads((CONTAINERS / "seccomp.json").read_text("utf-8"))
    assert profile["defaultAction"] == "SCMP_ACT_ERRNO"
    assert {rule["action"] for rule in profile["syscalls"]} == {"SCMP_ACT_ALLOW"}
    sandbox, others = (rule["names"] for rule in profile["syscalls"])
    assert set(sandbox) == {"chroot", "clone", "clone3", "unshare"}
    assert len({*sandbox, *others}) == len(sandbox) + len(others)
    privileged = "bpf init_module io_uring_setup kexec_load keyctl mount pivot_root ptrace reboot setns swapon umount2"
    assert not {*privileged.split(), "process_vm_readv", "perf_event_open", "open_by_handle_at"} & {*sandbox, *others}


@pytest.mark.skipif(shutil.which("sh") is None, reason="needs a shell")
def test_without_a_token_the_daemon_makes_one(tmp_path: Path) -> None:
    started(tmp_path)
    assert not (tmp_path / "data" / "data").exists()


def test_the_rooms_run_tests_that_exist_and_images_without_the_sandboxs_calls() -> None:
    places = [*(f"tests/{each}" for each in WITHOUT_BROWSER), *CONFORMANCE, EMBEDDED]
    assert all((PROJECT / place).exists() for place in places)
    allowed = [rule for rule in default_profile()["syscalls"] if rule["action"] == "SCMP_ACT_ALLOW"]
    without_arguments = {name for rule in allowed if "args" not in rule for name in rule["names"]}
    assert not {"clone", "clone3", "unshare", "chroot"} & without_arguments and "openat" in without_arguments
