"""Whatever is sent: parsing never raises anything outside the tree of errors, and a running daemon answers it."""

from __future__ import annotations

import asyncio
import json
import random
import string
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
import schemathesis
from hypothesis import HealthCheck, settings
from schemathesis.checks import not_a_server_error
from schemathesis.specs.openapi.checks import (
    content_type_conformance,
    response_schema_conformance,
    status_code_conformance,
)

from oryn.daemon.http.openapi import description
from oryn.daemon.request.json_body import read_json
from oryn.daemon.request.parser import parse_request
from oryn.errors import LanguageError, OrynError, RequestError
from oryn.language import Line, api_vocabulary, parse
from oryn.language.argv import parse_argv
from oryn.language.json_codec import line_from_json
from tests.daemon.daemon_process import RunningDaemon
from tests.soak import repeated, repetitions

if TYPE_CHECKING:
    from oryn.language.command import CommandSpec


SEED = 20261122
LINES = repetitions(30_000, soak=1_000_000)
REQUESTS = repetitions(500, soak=20_000)
AT_ONCE = 8

ODD = ['"', "'", "\\", "/", "(", ")", "[", "]", "{", "}", "--", "@", "@e1", ":", ";", "#", "\0", "\n", "\r", "\t", " ",
       "\u2028", "\ufeff", "\u202e", "\U0001f600", "9" * 30, "-1", "0x1f", "1e308", "../", "{{vault:x.y}}", "css(",
       "xpath(", "--timeout", "--timeout 1ms", "near", "inside", "e\u0301", "٣"]  # fmt: skip


def specs() -> list[CommandSpec]:
    """Every command, those of lines and those of the host."""
    return [spec for verb in api_vocabulary().verbs.values() for spec in verb.commands]


def seeds() -> list[str]:
    """Lines as the help shows them, and the names of those that it shows none of."""
    return [spec.example or spec.api_name for spec in specs()]


def mutated(line: str, chance: random.Random) -> str:
    """The line with some pieces left out, doubled, moved, or made odd."""
    for _ in range(chance.randint(1, 4)):
        at = chance.randint(0, len(line))
        to = min(len(line), at + chance.randint(0, 6))
        match chance.randrange(5):
            case 0:
                line = line[:at] + line[to:]
            case 1:
                line = line[:at] + chance.choice(ODD) + line[at:]
            case 2:
                line = line[:at] + chance.choice(string.printable) + line[to:]
            case 3:
                line = line[:to] + line[at:]
            case _:
                words = line.split(" ")
                chance.shuffle(words)
                line = " ".join(words)
    return line


def lines(count: int, seed: int = SEED) -> Iterator[str]:
    chance, known = random.Random(seed), seeds()
    for _ in range(count):
        line = chance.choice(known)
        if chance.random() < 0.1:
            line = f"{line} {chance.choice(known)}"
        yield mutated(line, chance)


def data(chance: random.Random, depth: int = 0) -> Any:
    """Any JSON value."""
    match chance.randrange(9 if depth < 3 else 6):
        case 0:
            return chance.choice([None, True, False])
        case 1:
            return chance.choice([0, 1, -1, 3, 2**31, 2**63, -(2**70), 10**300])
        case 2:
            return chance.choice([0.5, -0.0, 1e308, 5e-324, 1.5])
        case 3:
            return chance.choice(ODD)
        case 4 | 5:
            return chance.choice(["Sign in", "@e3", "3", "about:blank", "#id", "*", "ok", "list", "new", ""])
        case 6:
            return [data(chance, depth + 1) for _ in range(chance.randrange(4))]
        case _:
            names = ["css", "text", "reference", "point", "id", "role", "x", "near", "target", "pattern"]
            return {chance.choice(names): data(chance, depth + 1) for _ in range(chance.randrange(4))}


def envelopes(count: int, seed: int = SEED) -> Iterator[dict[str, Any]]:
    """Requests that are nearly right."""
    chance, mutations = random.Random(seed), lines(count, seed + 1)
    names = [spec.api_name for spec in specs()] + ["navigate", "fill", "key", "snapshot", "tab", "network", "nothing"]
    for line in mutations:
        match chance.randrange(10):
            case 0 | 1 | 2 | 3:
                envelope: dict[str, Any] = {"line": line}
            case 4 | 5:
                envelope = {"argv": line.split(" ")}
            case _:
                args = {chance.choice(ARGUMENTS): data(chance) for _ in range(chance.randrange(4))}
                envelope = {"action": chance.choice(names), "args": args}
        if chance.random() < 0.15:
            envelope[chance.choice(FIELDS)] = data(chance)
        yield envelope


ARGUMENTS = ["url", "target", "text", "value", "key", "keys", "ref", "selector", "x", "y", "action", "number", "script",
             "expression", "path", "paths", "files", "ms", "state", "timeout", "name", "format", "all",
             "direction"]  # fmt: skip
FIELDS = [
    "session",
    "timeout_ms",
    "settings",
    "protocol_version",
    "source_action_id",
    "folder",
    "backend",
    "args",
    "extra",
]


@pytest.mark.slow
@repeated
def test_mutated_lines_are_lines_or_language_errors() -> None:
    read = 0
    for number, line in enumerate(lines(LINES)):
        try:
            read += parse(line).command is not None
            if number % 8 == 0:
                parse_argv(line.split(" "))
        except LanguageError:
            continue
    assert read > LINES / 20, "mutations that are never a line test nothing"


@pytest.mark.slow
@repeated
def test_mutated_data_is_a_line_or_a_language_error() -> None:
    chance, known, read = random.Random(SEED), specs(), 0
    for envelope in envelopes(repetitions(10_000, soak=200_000)):
        try:
            line = parse_request(read_json(json.dumps(envelope).encode())).line
            read += isinstance(line, Line) and line.command is not None
        except (LanguageError, RequestError):
            continue
    for _ in range(repetitions(5_000, soak=100_000)):
        args = {chance.choice(ARGUMENTS): data(chance) for _ in range(chance.randrange(4))}
        try:
            read += line_from_json(chance.choice(known).api_name, args, api_vocabulary()).command is not None
        except LanguageError:
            continue
    assert read > 1_000


@pytest.mark.parametrize("line", [*("(" * n + "x" for n in (100, 5000)), '"' * 10_000, "click " + "near " * 5000, "\0"])
def test_lines_that_are_long_or_deep(line: str) -> None:
    try:
        parse(line)
    except OrynError:
        pass


@pytest.mark.slow
@repeated
@pytest.mark.timeout(repetitions(300, soak=3000))
async def test_mutated_requests_through_a_running_daemon(
    daemon_of: Callable[..., RunningDaemon], tmp_path: Path
) -> None:
    """None is left out; they go to a blank page, and files to a folder of the test's own."""
    daemon = daemon_of(
        ORYN_FILES_ROOT=str(tmp_path), ORYN_ALLOWED_DOMAINS="127.0.0.1", ORYN_MAX_SESSIONS="4", ORYN_IDLE_STOP="10m"
    )
    requests, answered, bugs = envelopes(REQUESTS), 0, list[Any]()

    async def ask(session: str) -> None:
        nonlocal answered
        for envelope in requests:
            sent = {"timeout_ms": 300, "session": session, **envelope}
            response = await daemon.client.post("/command", content=json.dumps(sent), timeout=60)
            answer = response.json()
            if response.status_code >= 500 or answer["error_kind"] == "internal_error":
                bugs.append((sent, answer))
            answered += 1

    async with asyncio.timeout(repetitions(300, soak=3000)):
        await asyncio.gather(*(ask(f"s{number % 3}") for number in range(AT_ONCE)))
    assert (answered, bugs) == (REQUESTS, [])
    assert "Traceback" not in daemon.log(), daemon.log()
    await daemon.ok({"action": "close", "args": {"all": True}})  # what was said may have opened as many as there may be
    await daemon.ok("help")


SCHEMA = schemathesis.openapi.from_dict(description()).exclude(
    path=["/drain", "/events", "/stop", "/mcp", "/extension"]
)


@pytest.mark.slow
@SCHEMA.parametrize()
@pytest.mark.timeout(900)
@settings(max_examples=60, deadline=None, derandomize=True, suppress_health_check=list(HealthCheck))
def test_requests_made_of_the_description(daemon: RunningDaemon, case: schemathesis.Case) -> None:
    """Of a stream without an end and of the end of the daemon there are other tests."""
    headers = {"Authorization": f"Bearer {daemon.token}"}
    if isinstance(case.body, dict):
        case.body.setdefault("timeout_ms", 300)
    response = case.call(base_url=daemon.url, headers=headers, timeout=60)
    assert response.status_code < 500
    checks = [not_a_server_error, status_code_conformance, content_type_conformance, response_schema_conformance]
    case.validate_response(response, checks=checks)
