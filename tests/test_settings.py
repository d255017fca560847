from __future__ import annotations

import re
import stat
from pathlib import Path
from typing import Any

import click
import pytest

from oryn.cli.app import app
from oryn.cli.fast.main import parse_request
from oryn.cli.flags import option
from oryn.errors import ConfigurationError
from oryn.settings import SERVING, SETTINGS, Settings, load
from oryn.settings.flags import flags_of, parse_flags
from oryn.system import paths
from oryn.system.paths import Paths, private_folder, write_private

PIN = "A" * 43 + "="


@pytest.fixture
def home(tmp_path: Path) -> Paths:
    return paths.find({"ORYN_HOME": str(tmp_path)})


def write_config(home: Paths, text: str) -> None:
    write_private(home.config_file, text)


def test_defaults_hold_where_nothing_else_is_said(home: Paths) -> None:
    configuration = load({}, home, {})
    assert configuration.settings == Settings()
    assert set(configuration.origins.values()) == {"default"}


def test_flag_over_environment_over_file_over_default(home: Paths) -> None:
    write_config(home, 'timeout = 1\nsession = "file"\nviewport = [800, 600]\nstrict = true\n')
    environment = {"ORYN_TIMEOUT": "2s", "ORYN_SESSION": "environment"}
    configuration = load({"timeout": "500ms", "session": None}, home, environment)
    settings, origins = configuration.settings, configuration.origins
    assert (settings.timeout, origins["timeout"]) == (0.5, "flag")
    assert (settings.session, origins["session"]) == ("environment", "environment")
    assert (settings.viewport, origins["viewport"]) == ((800, 600), "config.toml")
    assert (settings.strict, origins["strict"]) == (True, "config.toml")
    assert (settings.headful, origins["headful"]) == (False, "default")


def test_a_switch_can_be_turned_off_again(home: Paths) -> None:
    assert load({"headful": False}, home, {"ORYN_HEADFUL": "yes"}).settings.headful is False


def test_an_empty_variable_counts_as_unset(home: Paths) -> None:
    assert load({}, home, {"ORYN_BROWSER": ""}).origins["browser"] == "default"


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("timeout", "0"),
        ("timeout", "soon"),
        ("timeout", "nan"),
        ("timeout", "2h"),
        ("observe_limit", "-1"),
        ("observe_limit", "1.5"),
        ("viewport", "1280"),
        ("viewport", "0x10"),
        ("viewport", "1280x720x3"),
        ("session", "new"),
        ("session", "../etc"),
        ("session", "7up"),
        ("profile", "a/b"),
        ("output", "xml"),
        ("strict", "maybe"),
        ("browser", "  "),
        ("browser", "a\0b"),
    ],
)
def test_a_bad_value_is_told_with_its_name_origin_and_what_it_may_be(home: Paths, name: str, value: str) -> None:
    setting = SETTINGS[name]
    with pytest.raises(ConfigurationError) as caught:
        load({}, home, {setting.environment: value})
    assert caught.value.message == f"{name} can't be {value!r} (from the environment variable {setting.environment})"
    assert caught.value.hint == f"{name} must be {setting.kind.description}."


@pytest.mark.parametrize(
    "text", ["timeout = true", 'observe_limit = "many"', "viewport = 3", "viewport = [1]", "session = 3"]
)
def test_a_value_of_the_wrong_type_in_the_file_is_refused(home: Paths, text: str) -> None:
    write_config(home, text)
    with pytest.raises(ConfigurationError, match=rf"from {re.escape(str(home.config_file))}"):
        load({}, home, {})


def test_an_unknown_key_names_the_nearest(home: Paths) -> None:
    write_config(home, "time_out = 3")
    with pytest.raises(ConfigurationError, match="time_out") as caught:
        load({}, home, {})
    assert caught.value.hint == "Did you mean timeout?"


@pytest.mark.parametrize("content", [b"timeout = ", b"\xff\xfe"])
def test_a_file_that_is_no_toml_is_told_by_its_path(home: Paths, content: bytes) -> None:
    private_folder(home.config)
    home.config_file.write_bytes(content)
    with pytest.raises(ConfigurationError, match=r"config\.toml"):
        load({}, home, {})


@pytest.mark.parametrize("value", ["0", "0s", "0ms"])
def test_a_pause_may_be_none_where_a_limit_may_not(home: Paths, value: str) -> None:
    assert load({"throttle": value}, home, {}).settings.throttle == 0
    with pytest.raises(ConfigurationError, match="throttle"):
        load({"throttle": "-1s"}, home, {})


def test_names_follow_from_the_declaration() -> None:
    assert SETTINGS["observe_limit"].environment == "ORYN_OBSERVE_LIMIT"
    assert SETTINGS["observe_limit"].flag == "--observe-limit"
    assert SETTINGS["observe_limit"].flag_aliases == ()


@pytest.mark.parametrize("name", ["max_pages", "max_sessions", "max_commands"])
def test_limits_are_max_in_file_environment_and_flag(name: str, home: Paths) -> None:
    setting = SETTINGS[name]
    assert (setting.flag, setting.environment) == (f"--{name.replace('_', '-')}", f"ORYN_{name.upper()}")


def test_an_alias_of_a_flag_means_the_same_and_stands_in_no_help(home: Paths) -> None:
    alias, flag = "--colour", "--color"
    assert (SETTINGS["colour"].flag, SETTINGS["colour"].flag_aliases) == (flag, (alias,))
    known = flags_of(["colour"])
    assert parse_flags([alias, "always"], known) == parse_flags([flag, "always"], known) == {"colour": "always"}
    found: list[Any] = []
    command = click.Command("x", params=[], callback=lambda **flags: found.append(load(flags, home, {}).settings))
    option(SETTINGS["colour"])(command)
    for each in (alias, flag):
        command.main([each, "always"], standalone_mode=False, **app.context_settings)
    assert [each.colour for each in found] == ["always", "always"]
    text = command.get_help(click.Context(command, **app.context_settings))
    assert flag in text and alias not in text


@pytest.mark.parametrize(
    ("name", "text"),
    [("timeout", "30 s"), ("download_limit", "1000 MB"), ("viewport", "1280x720 px"), ("max_steps", "50")],
)
def test_the_help_shows_a_default_with_its_unit(name: str, text: str) -> None:
    assert SETTINGS[name].default_text == text
    command = option(SETTINGS[name])(click.Command("x"))
    assert f"Default: {text}." in " ".join(command.get_help(click.Context(command)).split())


@pytest.mark.parametrize("name", SETTINGS)
def test_a_default_reads_back_from_what_is_shown(name: str) -> None:
    setting = SETTINGS[name]
    if setting.default is not None:
        assert setting.kind.read(setting.show(setting.default)) == setting.default


def test_oryn_home_moves_everything(tmp_path: Path) -> None:
    found = paths.find({"ORYN_HOME": str(tmp_path)})
    for folder in (found.config, found.data, found.cache, found.runtime, found.sessions, found.intents):
        assert folder.parent == tmp_path


def test_sessions_and_intents_are_where_the_seed_puts_them(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("HOME", str(tmp_path))
    found = paths.find({"XDG_RUNTIME_DIR": str(tmp_path)})
    assert found.sessions == tmp_path / ".oryn" / "sessions"
    assert found.intents == tmp_path / ".oryn" / "intents"
    assert found.runtime == tmp_path / "oryn"


def test_without_a_login_session_the_runtime_folder_is_not_in_a_shared_place() -> None:
    found = paths.find({})
    assert found.runtime == found.cache / "run"


def test_folders_and_files_are_the_owners_alone(tmp_path: Path) -> None:
    folder = tmp_path / "a" / "b"
    write_private(folder / "file", "text")
    assert stat.S_IMODE(folder.stat().st_mode) == 0o700
    assert stat.S_IMODE((folder / "file").stat().st_mode) == 0o600
    folder.chmod(0o755)
    assert stat.S_IMODE(private_folder(folder).stat().st_mode) == 0o700


def test_a_folder_that_cannot_be_made_is_a_configuration_error(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    with pytest.raises(ConfigurationError, match="can't make the folder"):
        private_folder(tmp_path / "file" / "folder")


@pytest.mark.parametrize(
    ("text", "value", "shown"),
    [
        ("http://ada:s3cret@proxy.org:8080", "http://ada:s3cret@proxy.org:8080", "http://ada:••••@proxy.org:8080"),
        ("http://ada:s:3@cret@proxy.org", "http://ada:s:3@cret@proxy.org", "http://ada:••••@proxy.org"),
        ("proxy.org:3128", "http://proxy.org:3128", "http://proxy.org:3128"),
        ("socks5://[::1]:1080/", "socks5://[::1]:1080", "socks5://[::1]:1080"),
    ],
)
def test_a_secret_in_a_setting_is_shown_as_dots(home: Paths, text: str, value: str, shown: str) -> None:
    settings = load({"proxy": text}, home, {}).settings
    assert settings.proxy == value
    assert SETTINGS["proxy"].show(settings.proxy) == shown


@pytest.mark.parametrize(
    "text", ["ftp://ada:s3cret@h", "socks5://ada:s3cret@h:1", "http://ada:s3cret@h/path", "http://", "h:port"]
)
def test_a_proxy_that_is_none_is_refused_without_its_password(home: Paths, text: str) -> None:
    with pytest.raises(ConfigurationError) as caught:
        load({"proxy": text}, home, {})
    assert "s3cret" not in f"{caught.value}{caught.value.hint}{caught.value.__cause__}"


def test_pins_are_hashes(home: Paths) -> None:
    pin = "AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA="
    assert load({"certificate_pins": f"{pin}, sha256/{pin}"}, home, {}).settings.certificate_pins == (pin, pin)
    assert SETTINGS["certificate_pins"].show((pin, pin)) == f"{pin},{pin}"
    for bad in ("", "abc", "AAAA", f"{pin},x"):
        with pytest.raises(ConfigurationError):
            load({"certificate_pins": bad}, home, {})


def test_the_address_of_a_browser_is_shown_without_its_keys(home: Paths) -> None:
    setting = SETTINGS["browser_url"]
    assert setting.show(load({"browser_url": "wss://ada:s3cret@h?token=s3cret"}, home, {}).settings.browser_url) == (
        "wss://••••@h?••••"
    )
    with pytest.raises(ConfigurationError) as caught:
        load({"browser_url": "ftp://ada:s3cret@h"}, home, {})
    assert "s3cret" not in f"{caught.value}{caught.value.hint}{caught.value.__cause__}"


LISTS = {
    "files_root": ("/one", "/two"),
    "extensions": ("/one", "/two"),
    "certificate_pins": (PIN, PIN.replace("A", "B", 1)),
    "client_certificate_origins": ("https://a.org", "https://b.org"),
    "allowed_domains": ("a.org", "*.b.org"),
    "denied_domains": ("a.org", "*.b.org"),
    "confirm": ("click", "upload"),
    "allowed_hosts": ("a.org", "*.b.org"),
    "labels": ("region=eu", "size=big"),
    "trusted_proxies": ("10.0.0.1", "fd00::/8"),
}


def test_every_setting_that_is_a_list_is_tried_here() -> None:
    assert set(LISTS) == {name for name, setting in SETTINGS.items() if setting.kind.separator}


@pytest.mark.parametrize("name", LISTS)
def test_a_flag_of_a_list_that_is_given_again_adds_up_on_every_command_line(home: Paths, name: str) -> None:
    """Before a verb, behind a command of the framework's, and read without one."""
    setting, (one, two) = SETTINGS[name], LISTS[name]
    words = [setting.flag, one, f"{setting.flag}={two}"]
    whole = load({name: setting.kind.separator.join((one, two))}, home, {}).settings
    assert len(getattr(whole, name)) == 2

    asked = parse_request([*words, "title"])
    assert (asked is None) == (name in SERVING), "a verb takes no settings of the daemon"
    if asked is not None:
        assert load(asked.settings, home, {}).settings == whole

    given = parse_flags(words, flags_of([name]))
    assert given is not None
    assert load(given, home, {}).settings == whole

    found = []
    command = click.Command("x", params=[], callback=lambda **flags: found.append(load(flags, home, {}).settings))
    option(setting)(command)
    command.main(words, standalone_mode=False)
    command.main([], standalone_mode=False)
    assert found == [whole, load({}, home, {}).settings]


SEED_CONFIG = """
default_source = "ddg"
search_limit = 10
research_results = 8
research_depth = 1
request_throttle_seconds = 2.5
qdrant_collection = "scout_passages"
summary_sentences = 6
browser = "brave"
browser_channel = "chrome"
"""


def test_a_file_of_the_daemon_seed_is_accepted(home: Paths) -> None:
    write_config(home, SEED_CONFIG)
    configuration = load({}, home, {})
    settings = configuration.settings
    assert (settings.search_provider, settings.throttle, settings.collection) == ("ddg", 2.5, "scout_passages")
    assert (settings.browser, configuration.origins["browser"]) == ("brave", "config.toml")
    write_config(home, 'browser_channel = "edge"\n')
    assert load({}, home, {}).settings.browser == "edge"
    write_config(home, SEED_CONFIG + 'browser_executable = "/opt/chrome"\nthrottle = 1\n')
    settings = load({}, home, {"ORYN_COLLECTION": "mine"}).settings
    assert (settings.browser, settings.throttle, settings.collection) == ("/opt/chrome", 1.0, "mine")
    write_config(home, "request_throttle_seconds = true\n")
    with pytest.raises(ConfigurationError, match="throttle can't be True"):
        load({}, home, {})
