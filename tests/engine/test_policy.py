"""What a policy is made of, and what each command of the table says of itself."""

from __future__ import annotations

import pytest

from oryn.core.urls import DomainPolicy, DomainRefusal
from oryn.engine.policy.policy import Policy, refused_notes
from oryn.errors import ConfigurationError, ReadOnly
from oryn.language import COMMANDS, Command, parse
from oryn.language.commands.host import HOST_COMMANDS
from oryn.language.commands.research import RESEARCH_COMMANDS
from oryn.language.effects import EVERY

UNSAFE = """
    accept_cookies check clear click clipboard_write cookies_clear cookies_delete cookies_set credentials
    credentials_clear dialog_accept dismiss drag eval fill_form focus headers_clear headers_set intercept
    intercept_clear keydown keyup learn_discard learn_save login logout mouse_down mouse_up press program_save script_add
    script_remove search select state_load storage_clear storage_delete storage_set submit tap tool_call type uncheck
    upload useragent useragent_reset wait_until dialog_auto
""".split()
"""Every command that a session which only looks does not run."""


PRESSES = [
    "click 1",
    "tap 1",
    "mouse down 1",
    "mouse up",
    "drag 1 to 2",
    "press enter",
    "keydown space",
    "keyup all",
    "submit",
    "type 1 a --enter",
    r'type 1 "a\n"',
    r'fill_form {"a": "b\n"}',
    "dismiss popups",
    "accept_cookies",
    "logout",
    'login "a" "b"',
    'search "a"',
    "upload 1 a",
    'eval "1"',
    'wait until "1"',
    "script add a.js",
    "tool call a {}",
    "goto data:,x",
]
"""Every way to press what may send something."""


def command(line: str) -> Command:
    found = parse(line).command
    assert found is not None
    return found


def test_unsafe_commands_match_the_expected_list() -> None:
    assert sorted(each.spec.name.replace(" ", "_") for each in COMMANDS if not each.spec.safe) == sorted(UNSAFE)


def test_every_command_declares_its_effects() -> None:
    declared = (*COMMANDS, *HOST_COMMANDS, *RESEARCH_COMMANDS)
    assert [each.spec.name for each in declared if each.spec.effects == EVERY] == []


def test_a_new_command_is_taken_to_change_something() -> None:
    class NewCommand(Command, path="new", family="Moving", help="New"):
        pass

    assert not NewCommand().safe
    assert NewCommand().effects == EVERY


@pytest.mark.parametrize(
    "line",
    [
        "goto data:text/html,<script>1</script>",
        "goto DATA:,x",
        "tab new data:,x",
        "dialog auto accept",
        'click "Buy"',
        'useragent "${jndi:ldap://a.example}"',
        'goto a.example --headers {"X-HTTP-Method-Override": "DELETE"}',
        "goto https://ann:secret@a.example/",
        "goto ann@a.example",
        "goto //ann:secret@a.example/",
        "tab new https://ann:secret@a.example/",
    ],
)
def test_arguments_count(line: str) -> None:
    with pytest.raises(ReadOnly, match="may change something"):
        Policy(read_only=True).check(command(line))


@pytest.mark.parametrize(
    "line", ["goto example.org/@ann", "dialog auto dismiss", "tab new /x", "observe", "run anything"]
)
def test_safe_commands_pass_a_read_only_policy(line: str) -> None:
    Policy(read_only=True).check(command(line))
    Policy().check(command('click "Buy"'))


@pytest.mark.parametrize(
    ("names", "waits", "passes"),
    [
        (
            ["click"],
            PRESSES,
            ["hover 1", "type 1 a", "select 1 a", "check 1", "dialog accept", "goto a.org", "focus 1"],
        ),
        (["tap"], PRESSES, ["type 1 a"]),
        (["submit"], PRESSES, ["type 1 a"]),
        (["logout"], PRESSES, ["type 1 a"]),
        (
            ["eval"],
            [
                'eval "1"',
                'wait until "1"',
                "script add a.js",
                "script remove 1",
                "goto data:,x",
                'intercept "a" --respond "1"',
            ],
            ["wait idle", "goto a.org", "tool call a {}", 'intercept "a" --block', "click 1"],
        ),
        (["cookies"], ["cookies clear", "cookies list", "state load a", 'eval "1"'], ["storage clear"]),
        (["cookies set"], ["cookies set a b", "cookies clear"], ["storage clear", "cookies list"]),
        (
            ["type"],
            [
                "type 1 a",
                'fill_form {"a": 1}',
                'search "x"',
                'login "a" "b"',
                "select 1 a",
                "check 1",
                "clear 1",
                'eval "1"',
            ],
            ["press enter", "click 1"],
        ),
        (["fill"], ["type 1 a"], ["click 1"]),
        (["sign_in"], ['login "a" "b" --no-submit', "click 1"], ["type 1 a"]),
        (["run_intent"], ["run x"], ["intents"]),
        (["upload"], ["upload 1 a"], ["click 1", 'eval "1"']),
        (["goto"], ["goto a.org", "tab new a.org", "goto data:,x"], ["back", "click 1"]),
        (["dialog accept"], ["dialog accept", "dialog auto accept", 'eval "1"'], ["dialog auto dismiss", "click 1"]),
        (["dialog dismiss"], ["dialog dismiss", "dialog auto dismiss"], ["dialog auto accept", "dialog accept"]),
        (
            ["headers"],
            ["headers set {}", 'useragent "a"', 'goto a.org --headers {"a": "b"}', "headers"],
            ["goto a.org"],
        ),
        (
            ["all"],
            ["click 1", 'wait until "1"', "goto data:,x", "dialog auto accept"],
            ["goto a.org", "dialog auto off"],
        ),
        (["all", "goto"], ["click 1", "goto a.org"], ["observe"]),
    ],
)
def test_which_commands_wait(names: list[str], waits: list[str], passes: list[str]) -> None:
    policy = Policy.of(confirm=names)
    assert policy is not None
    assert [line for line in (*waits, *passes) if policy.requires_confirmation(command(line))] == waits


def test_a_name_that_no_command_has_is_refused() -> None:
    with pytest.raises(ConfigurationError, match="confirm can't be 'clik'") as error:
        Policy.of(confirm=["clik"])
    assert error.value.hint == "did you mean click?"


def test_settings_that_limit_nothing_make_no_policy() -> None:
    assert Policy.of() is None
    assert Policy.of(domains=DomainPolicy()) is None
    assert Policy.of(read_only=True) == Policy(read_only=True)


def test_refusals_are_told_in_a_few_lines() -> None:
    assert refused_notes({}) == []
    assert refused_notes(
        {DomainRefusal("a.org", "denied_domains"): 3, DomainRefusal("file:", "allowed_domains"): 1}
    ) == [
        "blocked 3 requests: a.org is in denied_domains",
        "blocked 1 request: file: is not in allowed_domains",
    ]
    many = {DomainRefusal(f"{number}.org", "allowed_domains"): 2 for number in range(7)}
    assert refused_notes(many)[5:] == ["blocked 4 more to 2 other hosts"]
