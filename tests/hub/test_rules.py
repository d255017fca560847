"""The rules of `harbor-plugin/v1` by number, and the tests that check each of them in real Chromium and Firefox.

The numbers are those of the specification's sections in their order, and of the rules in each section. The tests of
`test_suspension.py` repeat the essential ones in backgrounds that the browser suspends after a second."""

from __future__ import annotations

import ast
import json
import re
from pathlib import Path

import pytest

from scripts.extension.manifest import FIREFOX_ID, firefox_manifest

HERE = Path(__file__).parent
TEMPLATE = HERE.parents[1] / "extension" / "manifest.json"

RULES: dict[str, tuple[str, tuple[str, ...]]] = {
    # Architecture Overview
    "1.1": ("plugins register by runtime.sendMessage", ("protocol::a_plugin_registers_and_gets_its_namespace",)),
    "1.2": ("only the hub is in pages", ("page::the_object_is_frozen", "page::a_page_can_not_forge_messages")),
    "1.3": ("consent belongs to an origin", ("page::frames_count_as_their_own_origin",)),
    "1.4": ("tools are named pluginId::toolName", ("page::a_list_has_only_what_is_granted",)),
    # Message Envelope
    "2.1": ("all six fields", ("protocol::an_envelope_has_all_its_fields",)),
    "2.2": ("the namespace", ("protocol::what_is_of_another_namespace_is_ignored",)),
    "2.3": ("the types of fields", ("protocol::an_envelope_has_the_types_of_the_specification",)),
    "2.4": (
        "request ids are unique",
        ("protocol::a_registration_is_not_replayed", "protocol::request_ids_of_two_plugins_are_their_own"),
    ),
    # Message Types: registration
    "3.1": ("PLUGIN_REGISTER", ("protocol::a_plugin_registers_again_with_other_tools",)),
    "3.2": ("PLUGIN_REGISTER_ACK: success", ("protocol::the_acknowledgement_has_the_id_of_the_described",)),
    "3.3": ("PLUGIN_REGISTER_ACK: error", ("protocol::a_registration_that_is_not_valid_fails",)),
    "3.4": ("the extensionId is the sender's", ("protocol::a_registration_that_is_not_valid_fails",)),
    "3.5": (
        "PLUGIN_UNREGISTER and its acknowledgement",
        ("protocol::a_plugin_unregisters_once", "protocol::unregistering_ends_open_calls"),
    ),
    # Message Types: tools
    "4.1": ("PLUGIN_TOOLS_LIST and its result", ("protocol::tools_are_listed_again",)),
    "4.2": ("PLUGIN_TOOL_CALL and its result", ("protocol::a_call_has_its_result",)),
    "4.3": (
        "PLUGIN_TOOL_ERROR",
        ("protocol::every_error_code_of_a_plugin_arrives", "hostile::details_of_an_error_are_data"),
    ),
    # Message Types: health, notifications
    "5.1": ("PLUGIN_PING and PLUGIN_PONG", ("protocol::the_heartbeat_pings_and_counts",)),
    "5.2": (
        "PLUGIN_DISABLED and PLUGIN_ENABLED",
        (
            "page::a_disabled_plugin_is_notified_and_not_called",
            "page::an_allowlist_that_is_emptied_again_has_dropped_no_plugin",
        ),
    ),
    # Tool Definition Format
    "6.1": ("names are unique in a plugin", ("protocol::a_registration_that_is_not_valid_fails",)),
    "6.2": ("arguments match the inputSchema", ("page::errors_have_codes", "hostile::a_pattern_is_checked")),
    "6.3": ("uiHints.dangerous", ("page::a_dangerous_tool_is_asked_for_at_each_call",)),
    # Error Codes
    "7.1": ("TOOL_NOT_FOUND", ("page::errors_have_codes",)),
    "7.2": ("INVALID_ARGUMENTS", ("page::errors_have_codes",)),
    "7.3": ("EXECUTION_FAILED", ("page::a_result_of_50_mb_is_refused",)),
    "7.4": ("TIMEOUT", ("protocol::a_plugin_that_never_answers_times_out",)),
    "7.5": ("INTERNAL_ERROR", ("protocol::an_answer_that_is_not_valid_is_an_internal_error",)),
    "7.6": ("NOT_REGISTERED", ("page::a_plugin_that_is_uninstalled_while_it_is_called",)),
    "7.7": ("ALREADY_REGISTERED", ("protocol::a_registration_is_not_replayed",)),
    "7.8": ("PLUGIN_NOT_ALLOWED", ("protocol::an_allowlist_that_is_not_empty_restricts",)),
    "7.9": ("PROTOCOL_VERSION_MISMATCH", ("protocol::only_the_exact_version_is_accepted",)),
    # Security Model
    "8.1": ("an empty allowlist allows all", ("protocol::a_plugin_registers_and_gets_its_namespace",)),
    "8.2": ("another allowlist restricts", ("protocol::an_allowlist_that_is_not_empty_restricts",)),
    "8.3": ("allow once: ten minutes, in memory", ("page::a_permission_for_once_ends_after_ten_minutes",)),
    "8.4": (
        "allow always: stored",
        ("page::the_user_allows_a_tool", "page::decisions_survive_the_end_of_the_background"),
    ),
    "8.5": ("deny", ("page::the_user_denies_and_is_not_asked_again", "hostile::a_refusal_silences_the_origin")),
    "8.6": (
        "specific tools or all",
        (
            "page::a_permission_for_all_tools",
            "page::the_user_extends_an_answer_to_all_tools",
            "hostile::only_the_name_of_a_tool_is_a_name",
        ),
    ),
    "8.7": ("plugins have no say in consent", ("page::without_consent_nothing_says_which_plugins_there_are",)),
    # Versioning Rules
    "9.1": (
        "optional fields, message types and error codes may be added",
        (
            "protocol::fields_that_are_not_of_the_specification_are_ignored",
            "protocol::messages_of_an_unknown_type_are_ignored",
            "protocol::every_error_code_of_a_plugin_arrives",
        ),
    ),
    "9.2": ("only the exact version", ("protocol::only_the_exact_version_is_accepted",)),
    # Timeouts
    "10.1": ("the limits", ("protocol::the_time_outs_are_those_of_the_specification",)),
    "10.2": ("each limit ends its request", ("protocol::a_plugin_that_never_answers_times_out",)),
    # Message Flow Examples
    "11.1": ("registration", ("protocol::a_plugin_registers_and_gets_its_namespace",)),
    "11.2": ("a tool call: {success, result}", ("page::the_user_allows_a_tool",)),
    "11.3": ("a heartbeat updates lastSeen", ("protocol::the_heartbeat_pings_and_counts",)),
    # Implementation Notes
    "12.1": (
        "requestId correlates requests with responses",
        (
            "protocol::no_plugin_answers_for_another",
            "protocol::an_answer_counts_once_and_only_for_an_open_request",
            "hostile::answers_that_are_sent_twice_reach_no_second_call",
        ),
    ),
    "12.2": ("plugins answer the hub alone", ("plugin_kit::the_kit_passes_its_tests",)),
    "12.3": ("pings come periodically", ("protocol::no_alarm_wakes_a_hub_without_plugins",)),
}


def _tests() -> set[str]:
    """`protocol::a_call_has_its_result` for each test of this folder."""
    found = set()
    for file in HERE.glob("test_*.py"):
        for node in ast.parse(file.read_text("utf-8")).body:
            if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef) and node.name.startswith("test_"):
                found.add(f"{file.stem.removeprefix('test_')}::{node.name.removeprefix('test_')}")
    return found


@pytest.mark.parametrize("number", RULES)
def test_a_rule_has_its_tests(number: str) -> None:
    rule, tests = RULES[number]
    assert rule and tests
    assert set(tests) <= _tests(), f"{number}, {rule}: {set(tests) - _tests()}"


def test_every_message_type_and_code_is_a_rule_or_in_one() -> None:
    schema = json.loads((HERE.parents[1] / "extension" / "hub" / "harbor-plugin-v1.schema.json").read_text("utf-8"))
    rules = " ".join(rule for rule, _ in RULES.values())
    codes = schema["$defs"]["errorCode"]["anyOf"][0]["enum"]
    requests = [name for name in schema["$defs"]["payloads"] if not re.search("_(ACK|RESULT)$", name)]
    assert [name for name in (*codes, *requests) if name not in rules] == []


def test_the_hub_has_the_id_of_the_specification() -> None:
    """docs/spec/plugin-protocol.md#transport."""
    manifest = firefox_manifest(json.loads(TEMPLATE.read_text("utf-8")))
    assert manifest["browser_specific_settings"]["gecko"]["id"] == FIREFOX_ID == "raffi.krikorian.harbor@gmail.com"
