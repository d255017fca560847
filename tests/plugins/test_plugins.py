"""Tools of Python plugins: how they are declared, found and called."""

from __future__ import annotations

import asyncio
import os
import subprocess
import sys
from importlib.metadata import EntryPoint
from pathlib import Path
from typing import Any, Literal

import pytest

from oryn.errors import InvalidDefinition, InvalidValue, NameNotFound, Timeout, ToolFailed
from oryn.plugins import Plugin
from oryn.plugins.plugin import parameters_of
from oryn.plugins.registry import GROUP, MAX_RESULT_CHARACTERS, InstalledPlugins

CLOCK = '''
import asyncio
import threading
from oryn.plugins import Plugin

plugin = Plugin("clock")
threads = []

@plugin.tool(read_only=True)
def now(zone: str = "UTC", *, digits: int) -> str:
    """The time
    in a zone.

    More about it."""
    threads.append(threading.current_thread())
    return f"{digits} in {zone}"

@plugin.tool("wait.for.ever")
async def wait() -> None:
    await asyncio.Event().wait()

@plugin.tool()
def fail() -> None:
    raise KeyError("x")

@plugin.tool()
def strange() -> object:
    return {1, 2}

@plugin.tool()
def long(length: int) -> str:
    return "x" * length
'''


@pytest.fixture
def modules(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder of modules that can be imported."""
    monkeypatch.syspath_prepend(tmp_path)
    for name in ("clock_of_test", "broken_of_test", "other_of_test"):
        sys.modules.pop(name, None)
    (tmp_path / "clock_of_test.py").write_text(CLOCK)
    (tmp_path / "broken_of_test.py").write_text("raise RuntimeError('no')")
    (tmp_path / "other_of_test.py").write_text("plugin = 3")
    return tmp_path


def installed(*values: str) -> InstalledPlugins:
    return InstalledPlugins(lambda: [EntryPoint(value.split("_")[0], value, GROUP) for value in values])


@pytest.fixture
def clock(modules: Path) -> InstalledPlugins:
    return installed("clock_of_test:plugin")


async def test_tools_are_listed(clock: InstalledPlugins) -> None:
    tools = {tool.name: tool for tool in await clock.all()}
    assert list(tools) == ["clock::now", "clock::wait.for.ever", "clock::fail", "clock::strange", "clock::long"]
    now = tools["clock::now"]
    assert now.description == "The time in a zone." and now.read_only
    assert now.parameters == {
        "type": "object",
        "properties": {"zone": {"type": "string", "default": "UTC"}, "digits": {"type": "integer"}},
        "required": ["digits"],
        "additionalProperties": False,
    }


async def test_a_call_runs_in_a_thread(clock: InstalledPlugins) -> None:
    assert await clock.call("clock::now", {"digits": 3}, timeout=10) == "3 in UTC"
    import threading

    import clock_of_test  # type: ignore[import-not-found]

    assert threading.main_thread() not in clock_of_test.threads


@pytest.mark.parametrize(
    ("arguments", "reason"),
    [
        ({}, "digits"),
        ({"digits": "3"}, "integer"),
        ({"digits": 3, "zonen": "UTC"}, "zonen"),
        ([3], "JSON object"),
        (None, "JSON object"),
    ],
)
async def test_arguments_are_checked(clock: InstalledPlugins, arguments: Any, reason: str) -> None:
    with pytest.raises(InvalidValue, match=reason):
        await clock.call("clock::now", arguments, timeout=10)


async def test_a_tool_that_does_not_answer(clock: InstalledPlugins) -> None:
    with pytest.raises(Timeout, match=r"clock::wait\.for\.ever"):
        await clock.call("clock::wait.for.ever", {}, timeout=0.05)


async def test_tools_that_fail(clock: InstalledPlugins, caplog: pytest.LogCaptureFixture) -> None:
    with pytest.raises(ToolFailed, match="KeyError: 'x'"):
        await clock.call("clock::fail", {}, timeout=10)
    assert "in fail" in caplog.text, "its author finds the place in the log"
    with pytest.raises(ToolFailed, match="data that is not JSON"):
        await clock.call("clock::strange", {}, timeout=10)
    with pytest.raises(ToolFailed, match="characters"):
        await clock.call("clock::long", {"length": MAX_RESULT_CHARACTERS}, timeout=10)
    with pytest.raises(NameNotFound):
        await clock.call("clock::then", {}, timeout=10)


async def test_a_plugin_that_can_not_be_imported_hides_no_other(
    modules: Path, caplog: pytest.LogCaptureFixture
) -> None:
    plugins = installed("broken_of_test:plugin", "other_of_test:plugin", "none_of_test:plugin", "clock_of_test:plugin")
    assert len(await plugins.all()) == 5
    assert "RuntimeError: no" in caplog.text and "is a int, not a Plugin" in caplog.text
    assert "ModuleNotFoundError" in caplog.text


async def test_many_calls_at_once(clock: InstalledPlugins) -> None:
    calls = [clock.call("clock::now", {"digits": number}, timeout=10) for number in range(100)]
    assert await asyncio.gather(*calls) == [f"{number} in UTC" for number in range(100)]


def kinds(
    a: Literal["x", 2], b: list[int], c: str | None = None, d: dict[str, Any] | None = None, e: float = 1.5
) -> None:
    pass


def test_schemas_are_derived_from_annotations() -> None:
    assert parameters_of(kinds)["properties"] == {
        "a": {"enum": ["x", 2]},
        "b": {"type": "array", "items": {"type": "integer"}},
        "c": {"anyOf": [{"type": "string"}, {"type": "null"}]},
        "d": {"anyOf": [{"type": "object"}, {"type": "null"}]},
        "e": {"type": "number", "default": 1.5},
    }


def test_what_can_not_be_declared() -> None:
    plugin = Plugin("p")
    plugin.tool("a")(lambda: None)
    for name in ("a", "", "a::b", "a b"):
        with pytest.raises(InvalidDefinition):
            plugin.tool(name)(lambda: None)
    with pytest.raises(InvalidDefinition, match="no name"):
        plugin.tool("b")(lambda *parts: None)
    with pytest.raises(InvalidDefinition, match="bytes"):

        @plugin.tool()
        def with_bytes(data: bytes) -> None: ...

    for id in ("", "a::b", "-a", "a b"):
        with pytest.raises(InvalidDefinition):
            Plugin(id)
    assert list(plugin.tools) == ["a"]


@pytest.mark.slow
def test_an_installed_package(modules: Path) -> None:
    """Found by its entry point, listed and called by `oryn headless`, without a browser."""
    folder = modules / "clock_of_test-1.0.dist-info"
    folder.mkdir()
    (folder / "METADATA").write_text("Metadata-Version: 2.1\nName: clock-of-test\nVersion: 1.0\n")
    (folder / "entry_points.txt").write_text(f"[{GROUP}]\nclock = clock_of_test:plugin\n")
    path = os.pathsep.join([str(modules), *sys.path])
    ended = subprocess.run(
        [sys.executable, "-m", "oryn", "headless"],
        input='tools\ntool call clock::now {"digits": 2}\ntool call clock::now {}\nexit\n',
        env={**os.environ, "ORYN_HOME": str(modules / "home"), "PYTHONPATH": path},
        capture_output=True, text=True, timeout=60, check=True,
    )  # fmt: skip
    assert 'clock::now(zone?: string, digits: integer) "The time in a zone." {read-only}' in ended.stdout
    assert "| 2 in UTC" in ended.stdout
    assert "the arguments of \"clock::now\" are not allowed: data must contain ['digits'] properties" in ended.stdout
