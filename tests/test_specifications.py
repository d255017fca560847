"""The specifications of the wire (`docs/spec`) say what the code does: every message, field, event and action that the
code declares is on its page, and limits have the code's values."""

from __future__ import annotations

import json
import re

import pytest

from oryn.agent import activity, context, messages, parser, prompt
from oryn.agent.execution import RISKY
from oryn.daemon import event_bus
from oryn.daemon.dispatcher import MAX_QUEUED_COMMANDS
from oryn.daemon.events import EVENT_TYPES
from oryn.daemon.history.log import MAX_ROWS, MAX_WAITING_ROWS, HistoryRow
from oryn.daemon.history.query import MAX_PAGE_ROWS, HistoryQuery
from oryn.daemon.history.replay import INTERACTIVE
from oryn.daemon.http.openapi import description
from oryn.daemon.live.login_links import CODE_SECONDS as LINK_SECONDS
from oryn.daemon.live.person_input import MAX_TEXT_CHARACTERS as MAX_INPUT_CHARACTERS
from oryn.daemon.protocol import CommandEnvelope, CommandResponse, DaemonStatus, FailureResponse, SessionStatus
from oryn.daemon.request.command import MAX_ARGUMENT_CHARACTERS
from oryn.daemon.request.json_body import MAX_DEPTH
from oryn.extension import command_queue, files, router
from oryn.extension.server_connection import connection
from oryn.extension.storage import MAX_ALLOWED_ORIGINS, ExtensionSettings
from oryn.extension_server import keys, pairing, peer, pending_commands, server
from oryn.extension_server import messages as wire
from oryn.extension_server.plugin_provider import MAX_PARALLEL_CALLS
from oryn.sessions.persistence.models import MAX_URL_CHARACTERS, SessionRecord
from oryn.sessions.persistence.store import MAX_JOURNAL_BYTES
from oryn.sessions.registry_db import MAX_ENDED
from tests.pages import PROJECT, code_of, source, text_of

SPECIFICATIONS = PROJECT / "docs" / "spec"
HUB = PROJECT / "extension" / "hub"


def page(name: str) -> str:
    """A specification on one line."""
    return " ".join(text_of(SPECIFICATIONS / f"{name}.md").split())


def names_on(name: str) -> set[str]:
    """The words of what stands on a specification as code."""
    return set(re.findall(r"\w+(?:\.\w+)*", " ".join(code_of(SPECIFICATIONS / f"{name}.md"))))


EXTENSION_LIMITS = (
    f"has {MAX_ALLOWED_ORIGINS} entries at most",
    f"serve {server.MAX_CONNECTIONS} connections at once",
    f"message to the extension | {wire.COMMAND_LIMIT >> 20} Mi",
    f"message to the server | {wire.ANSWER_LIMIT >> 20} Mi",
    f"with fields | {wire.FIELDS_LIMIT:,};",
    f"(20 s) | {connection.MAX_REFUSED_MESSAGES};",
    f"before pairing is complete | {peer.MAX_EARLY_MESSAGES:,};",
    f"and `0:paired` | {connection.MAX_EARLY_COMMANDS} |",
    f"| {connection.OPEN_SECONDS:g} s | extension |",
    f"| {connection.ANSWER_SECONDS:g} s | extension |",
    f"| {peer.REGISTER_SECONDS:g} s | server |",
    f"| {peer.PROOF_SECONDS:g} s | server |",
    f"| {pairing.CODE_SECONDS:g} s | server |",
    f"every {connection.PING_SECONDS:g} seconds",
    f"at most {keys.MAX_KEYS} keys",
    f"At most {router.MAX_COMMANDS} commands run or wait",
    f"latest {command_queue.MAX_REMEMBERED_IDS:,} ids",
    f"a file from the extension | {wire.FILE_LIMIT >> 20} MiB",
    f"| {pending_commands.MAX_FILES}, of {pending_commands.MAX_FILES_BYTES >> 20} MiB together",
    f"a file to the extension | {wire.FILE_LIMIT >> 20} MiB, in pieces of {wire.PIECE_LIMIT >> 10} KiB",
    f"in the extension | {files.MAX_RECEIVED_FILES}, of {files.MAX_RECEIVED_BYTES >> 20} MiB together;",
)
AGENT_LIMITS = (
    f"at most {context.MAX_ELEMENTS} of them",
    f"the first {context.MAX_TOOLS} under `Tools`",
    f"A text has {context.TEXT_LIMIT} characters",
    f"{context.VALUE_LIMIT} characters at most, cut in the middle",
    f"at most {messages.MAX_RESULT_CHARACTERS:,} characters",
    f"{messages.MAX_ERROR_CHARACTERS} characters of each",
    f"cut after {activity.MAX_BODY_CHARACTERS} characters",
    f"at most {parser.MAX_RESPONSE_CHARACTERS:,} characters",
    f"nests {parser.MAX_JSON_DEPTH} levels at most",
    f"at most {prompt.MAX_TOOLS} names",
)
DAEMON_LIMITS = (
    f"{MAX_DEPTH} levels at most",
    f"may have {MAX_QUEUED_COMMANDS} commands that run or wait",
    f"{event_bus.MAX_QUEUED_EVENTS:,} events wait",
    f"1 to {MAX_PAGE_ROWS},",
    f"for {LINK_SECONDS:g} s",
    f"at most {MAX_INPUT_CHARACTERS:,} characters",
)
FILE_LIMITS = (
    f"has {MAX_ROWS:,} rows",
    f"{MAX_WAITING_ROWS:,} rows wait in memory",
    f"more than {MAX_ARGUMENT_CHARACTERS:,} characters",
    f"{MAX_URL_CHARACTERS:,} characters at most",
    f"more than {MAX_JOURNAL_BYTES:,} bytes",
    f"latest {MAX_ENDED} ended ones",
)


@pytest.mark.parametrize(
    ("name", "limits"),
    [
        ("extension-protocol", EXTENSION_LIMITS),
        ("agent-protocol", AGENT_LIMITS),
        ("daemon-protocol", DAEMON_LIMITS),
        ("daemon-files", FILE_LIMITS),
    ],
)
def test_limits_are_those_of_the_code(name: str, limits: tuple[str, ...]) -> None:
    assert not [limit for limit in limits if limit not in page(name)]


# --- the extension ---


def test_every_message_of_the_extension_is_specified() -> None:
    text = page("extension-protocol")
    assert not [kind.word for kind in wire.Control.__subclasses__() if f"`0:{kind.word}" not in text]
    fields = {
        *(set(wire.ExtensionRegistration.__fields__) - {"nonce"}),  # on the wire it is called `pairing`
        *wire.EngineOptions.__fields__,
        *ExtensionSettings.__fields__,
    }
    assert not fields - names_on("extension-protocol")


def test_every_close_code_of_the_extension_is_specified() -> None:
    codes = {peer.REFUSED, peer.TOO_LARGE, peer.REPLACED, peer.SILENT, peer.FLOOD, server.USER_DISCONNECT}
    assert not [code for code in codes if f"| {code} |" not in page("extension-protocol")]


# --- agents and plugins ---


def test_every_command_of_agents_that_needs_a_confirmation_is_specified() -> None:
    assert not set(RISKY) - names_on("agent-protocol")


def test_every_message_and_code_of_plugins_is_specified() -> None:
    schema = json.loads(text_of(HUB / "harbor-plugin-v1.schema.json"))["$defs"]
    codes = schema["errorCode"]["anyOf"][0]["enum"] + re.findall(r"'([A-Z_]+)'", text_of(HUB / "protocol.ts"))
    fields = {name for part in ("plugin", "tool") for name in schema[part]["properties"]}
    fields |= {name for payload in schema["payloads"].values() for name in payload.get("properties", ())}
    assert not {*schema["payloads"], *codes, *fields} - names_on("plugin-protocol")


def test_limits_of_plugins_are_those_of_the_hub() -> None:
    text = page("plugin-protocol")
    (milliseconds,) = re.findall(r"TIMEOUTS = \{ (.*?) \}", text_of(HUB / "protocol.ts"))
    assert not [each for each in re.findall(r": ([\d_]+)", milliseconds) if f"| {int(each) // 1000} s |" not in text]
    numbers = dict(re.findall(r"const (MAX_\w+) = ([\d_]+);", "".join(map(text_of, sorted(HUB.glob("*.ts"))))))
    for told in (
        f"a document | {int(numbers['MAX_PENDING']):,} |",
        f"{numbers['MAX_SUBJECTS_OF_ORIGIN']} of an origin, {numbers['MAX_SUBJECTS']} of all",
        f"1 to {numbers['MAX_NAMES']} full names",
        f"at most {int(numbers['MAX_PER_ORIGIN']):,} decisions",
        f"first {int(numbers['MAX_ARGUMENT_CHARACTERS']):,} characters",
        f"latest {numbers['MAX_REMEMBERED_IDS']} of each",
        f"may have {int(numbers['MAX_UNIQUE_ITEMS']):,} items",
        f"are {numbers['MAX_SERVER_PLUGINS']} at most",
    ):
        assert told in text, told
    assert MAX_PARALLEL_CALLS == 4 and "They run four calls at once" in text


# --- the daemon ---


def test_every_field_of_the_daemons_messages_is_specified() -> None:
    models = CommandEnvelope, CommandResponse, FailureResponse, DaemonStatus, SessionStatus
    fields = {name for model in models for name in model.model_fields} | set(HistoryQuery.__fields__)
    assert not fields - names_on("daemon-protocol")


def test_every_route_of_the_daemon_is_specified() -> None:
    routes = set(description()["paths"]) - {"/live/{name}"}  # the files of the live page
    assert not {route for route in routes if f"{route}`" not in page("daemon-protocol")}


def test_every_event_and_action_is_specified() -> None:
    words = names_on("daemon-protocol")
    assert not set(EVENT_TYPES) - words
    own = re.findall(r'(?:_action\(|_translations\[)"(\w+)"', source("oryn.daemon.vocabulary"))
    assert len(own) > 10 and not set(own) - words
    assert not {action.split()[0] for action in INTERACTIVE} - words


def test_every_field_of_stored_rows_is_specified() -> None:
    words = names_on("daemon-files")
    assert not {*HistoryRow.__fields__, *SessionRecord.__fields__} - {"name"} - words
