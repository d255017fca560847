"""Metrics (docs/monitoring.md#metrics): what a daemon that has run commands serves, read by Prometheus' own parsers."""

from __future__ import annotations

import asyncio
import re
import shutil
import socket
import subprocess
import sys
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import suppress
from functools import partial
from pathlib import Path
from typing import Any

import httpx
import pytest
from prometheus_client.parser import text_string_to_metric_families as parse_text

from oryn.browsers.process.process_tree import memory_of_tree
from oryn.daemon.daemon import load_of
from oryn.daemon.events import Event, utc_now
from oryn.daemon.metrics.prometheus import DaemonMetrics
from oryn.daemon.protocol import (
    BrowserStatus,
    CommandEnvelope,
    DaemonStatus,
    ProviderStatus,
    QueuedCommand,
    SessionStatus,
)
from oryn.daemon.request.parser import action_name, parse_line_or_error
from oryn.daemon.vocabulary import table_action
from oryn.language import Line, api_vocabulary
from oryn.settings import Settings
from tests.daemon.daemon_process import RunningDaemon, daemon_environment
from tests.headless.conftest import Pages

PROJECT = Path(__file__).parents[2]
PAGE = PROJECT / "docs" / "monitoring.md"
SECRET = "oryn_token"
"""A file of the deployment, and no metric."""

Samples = Mapping[tuple[str, frozenset[tuple[str, str]]], float]


def samples_of(text: str) -> Samples:
    """The samples by their names and labels."""
    families = list(parse_text(text))
    return {(each.name, frozenset(each.labels.items())): each.value for one in families for each in one.samples}


def value(samples: Samples, name: str, **labels: str) -> float:
    return samples[name, frozenset(labels.items())]


def finished(action: str, error_kind: str | None = None, elapsed_ms: float = 20.0) -> Event:
    return Event("action.finish", utc_now(), {"action": action, "error_kind": error_kind, "elapsed_ms": elapsed_ms})


def status_with(
    *sessions: SessionStatus, browsers: tuple[BrowserStatus, ...] = (), running: int = 0, load: float | None = None
) -> DaemonStatus:
    return DaemonStatus(
        version="1.2.3",
        pid=7,
        port=7720,
        socket=None,
        started=utc_now(),
        uptime_s=1.0,
        commands=0,
        running=running,
        memory_mb=None,
        history=None,
        sessions=list(sessions),
        browsers=list(browsers),
        load=load,
    )


def test_gauges_are_the_status() -> None:
    queue = [QueuedCommand(action="click", seconds=1.0), QueuedCommand(action="title", seconds=0.5)]
    status = status_with(
        SessionStatus(name="a", mode="headless"),
        SessionStatus(name="b", mode="headless", queue=queue),
        SessionStatus(name="c", mode="headless", taken_over=utc_now()),
        SessionStatus(name="d", mode="embedded", state="dormant"),
        SessionStatus(name="e", mode="embedded", state="dormant"),
        browsers=(BrowserStatus(process=12, memory_mb=300.5), BrowserStatus(process=13, memory_mb=None)),
        running=3,
    )
    found = samples_of(DaemonMetrics().exposition(status).decode())
    for state, backend, count in (
        ("idle", "headless", 1),
        ("busy", "headless", 1),
        ("taken_over", "headless", 1),
        ("dormant", "embedded", 2),
    ):
        assert value(found, "oryn_sessions", state=state, backend=backend) == count
    assert value(found, "oryn_commands_running") == 2
    assert value(found, "oryn_commands_waiting") == 1
    assert value(found, "oryn_browser_memory_bytes", process="12") == 300.5e6
    assert ("oryn_browser_memory_bytes", frozenset({("process", "13")})) not in found
    assert value(found, "oryn_build_info", version="1.2.3") == 1


GRID = {
    "name": "grid",
    "kind": "grid",
    "labels": {},
    "capacity": 4,
    "used": 3,
    "queue": 2,
    "state": "up",
    "error": None,
}


def test_providers_are_gauges() -> None:
    status = status_with()
    status.providers = [
        ProviderStatus(**GRID),
        ProviderStatus(**GRID | {"name": "cloud", "capacity": None, "state": "down", "error": "it says acme.example"}),
    ]
    text = DaemonMetrics().exposition(status).decode()
    found = samples_of(text)
    for name, number in (("up", 1), ("capacity", 4), ("used", 3), ("queue", 2)):
        assert value(found, f"oryn_provider_{name}", provider="grid") == number
    assert value(found, "oryn_provider_up", provider="cloud") == 0
    assert ("oryn_provider_capacity", frozenset({("provider", "cloud")})) not in found
    assert "acme" not in text


@pytest.mark.parametrize(
    ("capacities", "max_sessions", "load"),
    [([4, 6], 50, 1.0), ([4, None], 50, 0.2), ([], 50, 0.2), ([], 0, None), ([0], 50, 1.0), ([40], 0, 0.125)],
)
def test_the_load_is_that_of_the_providers_or_of_the_sessions(
    capacities: list[int | None], max_sessions: int, load: float | None
) -> None:
    providers = [ProviderStatus(**GRID | {"capacity": each}) for each in capacities]
    assert load_of(providers, 10, max_sessions) == load


def test_commands_are_counted_by_verb_and_outcome() -> None:
    metrics = DaemonMetrics()
    for event in (
        finished("goto"),
        finished("navigate", elapsed_ms=4_000),
        finished("goto", "timeout"),
        finished("cookies set"),
        finished("unknown", "unknown_command"),
        Event("session.opened", utc_now(), {"session": "a"}),
    ):
        metrics.on_event(event)
    found = samples_of(metrics.exposition(status_with()).decode())
    assert value(found, "oryn_commands_total", verb="goto", outcome="ok") == 2
    assert value(found, "oryn_commands_total", verb="goto", outcome="timeout") == 1
    assert value(found, "oryn_commands_total", verb="cookies set", outcome="ok") == 1
    assert value(found, "oryn_commands_total", verb="unknown", outcome="unknown_command") == 1
    assert value(found, "oryn_command_duration_seconds_bucket", verb="goto", le="0.025") == 2
    assert value(found, "oryn_command_duration_seconds_sum", verb="goto") == pytest.approx(4.04)


def test_each_command_has_a_verb_of_its_own_as_label() -> None:
    """Labels are bounded by the table of commands, whatever a client sends."""
    names = {spec.api_name for verb in api_vocabulary().verbs.values() for spec in verb.commands}
    for name in names:
        assert table_action(name) == name
    for line in ("goto https://example.org/secret", 'type 3 "hunter2"', "hunter2", "cookies hunter2", "tab list"):
        envelope = CommandEnvelope(line=line)
        parsed = parse_line_or_error(envelope)
        name = action_name(envelope, parsed if isinstance(parsed, Line) else None)
        assert table_action(name) in {*names, "unknown", *api_vocabulary().verbs}
    assert table_action("hunter2") == "unknown"


def all_metrics() -> str:
    """What a daemon serves that has all there is to measure."""
    metrics = DaemonMetrics()
    metrics.on_event(finished("goto"))
    one = SessionStatus(name="a", mode="headless")
    status = status_with(one, browsers=(BrowserStatus(process=1, memory_mb=1),), load=0.5)
    status.providers = [ProviderStatus(**GRID)]
    return metrics.exposition(status).decode()


def test_the_page_lists_each_metric_with_its_labels() -> None:
    served: dict[str, set[str]] = {}
    for family in parse_text(all_metrics()):
        if family.name.startswith("oryn_"):
            name = f"{family.name}_total" if family.type == "counter" else family.name
            served[name] = set[str]().union(*(sample.labels for sample in family.samples)) - {"le"}
    table = PAGE.read_text("utf-8").partition("## Metrics")[2].partition("\n## ")[0]
    rows = re.findall(r"^\| `(oryn_\w+)` \|([^|]*)\|", table, re.MULTILINE)
    assert served == {name: set(re.findall(r"`(\w+)`", labels)) for name, labels in rows}


def test_what_names_metrics_names_those_that_there_are() -> None:
    """The deployment's files, such as its rules to scale by, and the documentation."""
    served = {name for name, _ in samples_of(all_metrics())}
    served |= {name.removesuffix("_bucket") for name in served}
    files = [*(PROJECT / "deployment").rglob("*.*"), *(PROJECT / "docs").rglob("*.md")]
    named = {name for file in files for name in re.findall(r"\boryn_[a-z]\w*", file.read_text("utf-8"))}
    assert "oryn_commands_running" in named and named - {SECRET} <= served


# --- a daemon ---


@pytest.fixture(scope="module")
def measured(run: Callable[..., object], tmp_path_factory: pytest.TempPathFactory) -> Iterator[RunningDaemon]:
    """A daemon that serves metrics."""
    daemon = RunningDaemon(tmp_path_factory.mktemp("measured"), {"ORYN_METRICS": "1"})
    yield daemon
    run(daemon.stop())


@pytest.mark.slow
def test_without_the_settings_nothing_of_them_is_loaded(tmp_path: Path) -> None:
    code = """
import asyncio, sys
from oryn.daemon.app import create_app
from oryn.daemon.daemon import Daemon
from oryn.settings import load
from oryn.system.paths import find

async def main():
    daemon = Daemon(load({}, find({"ORYN_HOME": sys.argv[1]}), {}))
    create_app(daemon)
    await daemon.close()

asyncio.run(main())
own = ("oryn.testing.test_file", "oryn.daemon.live.person_acts", "oryn.records")
seldom = ("prometheus_client", "opentelemetry", *own)
assert not [name for name in sys.modules if name.startswith(seldom)]
"""
    subprocess.run([sys.executable, "-c", code, str(tmp_path)], check=True)


async def test_without_the_setting_there_are_no_metrics(daemon: RunningDaemon) -> None:
    response = await daemon.client.get("/metrics")
    assert response.status_code == 404
    assert response.json()["error_kind"] == "no_such_address"
    assert "--metrics" in response.json()["hint"]


async def test_metrics_need_the_token(measured: RunningDaemon) -> None:
    async with httpx.AsyncClient(base_url=measured.url, trust_env=False) as client:
        assert (await client.get("/metrics")).status_code == 401


@pytest.mark.slow
async def test_commands_sessions_and_browsers_are_measured(measured: RunningDaemon, pages: Pages) -> None:
    pages["/confidential"] = "<title>Payroll of Jane</title><button>Buy</button>"
    before = samples_of((await measured.client.get("/metrics")).text)
    await measured.ok(f"goto {pages.url('/confidential')}", session="acme-payroll")
    await measured.ok("click Buy", session="acme-payroll")
    assert (await measured.ask("click Sell --timeout 1s", session="acme-payroll"))["error_kind"] == "element_not_found"
    await measured.ask("hunter2 hunter3", session="acme-payroll")
    response = await measured.client.get("/metrics")
    assert response.headers["content-type"].startswith("text/plain; version=0.0.4")
    found = samples_of(response.text)
    total = "oryn_commands_total"
    assert value(found, total, verb="click", outcome="ok") == 1
    assert value(found, total, verb="click", outcome="element_not_found") == 1
    assert value(found, total, verb="goto", outcome="ok") == 1
    assert value(found, "oryn_command_duration_seconds_count", verb="click") == 2
    assert value(found, "oryn_sessions", state="idle", backend="headless") == 1
    assert not [key for key in before if key[0] == "oryn_sessions"]
    assert value(found, "oryn_history_failing") == 0
    assert value(found, "oryn_load_ratio") == round(1 / Settings().max_sessions, 3)
    assert value(before, "oryn_load_ratio") == 0
    for secret in ("confidential", "Payroll", "acme", "hunter", str(pages.url("/"))):
        assert secret not in response.text
    if sys.platform == "linux":
        (browser,) = (await measured.status())["browsers"]
        memory = value(found, "oryn_browser_memory_bytes", process=str(browser["process"]))
        assert 20e6 < memory < 2e9
        assert memory_of_tree(browser["process"]) == pytest.approx(memory, rel=0.5)
        assert value(found, "process_open_fds") > 0
    await measured.ok({"argv": ["close", "--all"]})
    assert (await measured.status())["browsers"] == []


@pytest.mark.slow
async def test_the_commands_of_a_program_are_counted(measured: RunningDaemon, pages: Pages) -> None:
    pytest.importorskip("pydantic_monty")
    pages["/"] = "<title>Shop</title>"
    await measured.ok(f"goto {pages.url('/')}")
    titles = "oryn_commands_total", frozenset({("verb", "title"), ("outcome", "ok")})
    before = samples_of((await measured.client.get("/metrics")).text).get(titles, 0)
    await measured.ok({"action": "program", "args": {"text": "title()\ntitle()"}})
    after = samples_of((await measured.client.get("/metrics")).text)
    assert after[titles] == before + 2
    assert value(after, "oryn_commands_total", verb="program", outcome="ok") == 1
    await measured.ok({"argv": ["close", "--all"]})


@pytest.mark.slow
async def test_the_status_shows_queues_and_browsers(measured: RunningDaemon) -> None:
    await measured.ok("title", session="work")
    commands = [asyncio.create_task(measured.ask(line, session="work")) for line in ("wait 60s --timeout 90s", "title")]
    while [len(each["queue"]) for each in (await measured.status())["sessions"]] != [2]:
        pass
    shown = await asyncio.create_subprocess_exec(
        *(sys.executable, "-m", "oryn", "daemon", "status"),
        env=daemon_environment(measured.home),
        stdout=subprocess.PIPE,
    )
    output = (await shown.communicate())[0].decode()
    found = samples_of((await measured.client.get("/metrics")).text)
    for each in commands:
        each.cancel()  # a client that goes cancels its command
    await asyncio.gather(*commands, return_exceptions=True)
    await measured.ok({"argv": ["close", "--all"]})
    assert re.search(r"^work: wait for \d+ s, 1 waiting$", output, re.MULTILINE)
    assert re.search(r"^process \d+ +\d+", output, re.MULTILINE)
    assert value(found, "oryn_commands_waiting") == 1
    assert value(found, "oryn_commands_running") == 1
    assert value(found, "oryn_sessions", state="busy", backend="headless") == 1


@pytest.mark.slow
async def test_the_places_of_providers_are_measured(daemon_of: Callable[..., RunningDaemon], tmp_path: Path) -> None:
    file = tmp_path / "providers.toml"
    await asyncio.to_thread(file.write_text, '[[provider]]\nname = "here"\nkind = "local"\ncapacity = 2\n')
    daemon = daemon_of(ORYN_METRICS="1", ORYN_PROVIDERS=str(file))
    await daemon.ok("title", session="work")
    status, found = await daemon.status(), samples_of((await daemon.client.get("/metrics")).text)
    assert [each["where"].split()[0] for each in status["sessions"]] == ["here"]
    assert (status["providers"][0]["name"], status["providers"][0]["used"]) == ("here", 1)
    assert value(found, "oryn_provider_capacity", provider="here") == 2
    assert value(found, "oryn_load_ratio") == 0.5


# --- Prometheus itself ---


@pytest.fixture
def prometheus() -> str:
    """The program, if it is installed."""
    found = shutil.which("prometheus")
    if found is None or shutil.which("promtool") is None:
        pytest.skip("needs Prometheus")
    return found


@pytest.mark.prometheus
async def test_promtool_finds_nothing_wrong(measured: RunningDaemon, prometheus: str) -> None:
    await measured.ask("title")
    text = (await measured.client.get("/metrics")).content
    check = partial(subprocess.run, ["promtool", "check", "metrics"], input=text, capture_output=True)
    checked: subprocess.CompletedProcess[bytes] = await asyncio.to_thread(check)
    assert (checked.returncode, checked.stderr) == (0, b""), checked.stderr.decode()
    await measured.ok({"argv": ["close", "--all"]})


@pytest.mark.prometheus
async def test_prometheus_reads_them_with_the_token(measured: RunningDaemon, prometheus: str, tmp_path: Path) -> None:
    """With the configuration of the documentation, but for its places and its period."""
    await measured.ask("title")
    example = re.search(r"```yaml\n(scrape_configs:.*?)```", PAGE.read_text("utf-8"), re.DOTALL)
    assert example is not None
    token = measured.home / "data" / "daemon" / "token"
    text = example[1].replace("/path/to/token", str(token)).replace("127.0.0.1:7720", f"127.0.0.1:{measured.port}")
    (tmp_path / "prometheus.yml").write_text(f"global: {{ scrape_interval: 200ms, scrape_timeout: 200ms }}\n{text}")
    port = _free_port()
    files = f"--config.file={tmp_path / 'prometheus.yml'}", f"--storage.tsdb.path={tmp_path / 'data'}"
    process = await asyncio.create_subprocess_exec(
        prometheus, *files, f"--web.listen-address=127.0.0.1:{port}", "--log.level=error"
    )
    try:
        found = await _result(f"http://127.0.0.1:{port}", 'oryn_commands_total{verb="title"}')
    finally:
        process.kill()
        await process.wait()
    assert found["metric"]["job"] == "oryn"
    assert float(found["value"][1]) >= 1
    await measured.ok({"argv": ["close", "--all"]})


def _free_port() -> int:
    with socket.socket() as listening:
        listening.bind(("127.0.0.1", 0))
        port: int = listening.getsockname()[1]
        return port


async def _result(url: str, query: str) -> dict[str, Any]:
    """The first series that a query of Prometheus finds, once there is one."""
    async with asyncio.timeout(60), httpx.AsyncClient(base_url=url, trust_env=False) as client:
        while True:
            with suppress(httpx.ConnectError):
                response = await client.get("/api/v1/query", params={"query": query})
                series = response.json()["data"]["result"] if response.is_success else []
                if series:
                    first: dict[str, Any] = series[0]
                    return first
            await asyncio.to_thread(time.sleep, 0.05)  # nothing tells that it has read the metrics
