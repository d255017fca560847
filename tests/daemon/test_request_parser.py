"""What an envelope means, whichever way it is said."""

from __future__ import annotations

from typing import Any

import pytest

from oryn.daemon.request.command import mode_of, settings_with_backend
from oryn.daemon.request.parser import parse_line, parse_request
from oryn.errors import InvalidValue, RequestError, SessionExists


def of_words(*words: str, **more: Any) -> Any:
    request = parse_request({"argv": list(words), **more})
    return request.envelope, request.as_json


def test_command_line_options_set_envelope_fields() -> None:
    envelope, as_json = of_words("click", "3", "--session", "work", "--json", "--backend=headless", folder="/home")
    assert (envelope.session, envelope.backend, envelope.folder, as_json) == ("work", "headless", "/home", True)
    assert parse_line(envelope).canonical == "click 3"


def test_option_after_the_verb_overrides_one_before_it() -> None:
    assert of_words("title", "--session", "b", session="a")[0].session == "b"


def test_text_argument_is_not_parsed_as_an_envelope_option() -> None:
    envelope, as_json = of_words("type", "3", "--json", session="a")
    assert not as_json and parse_line(envelope).canonical == 'type 3 "--json"'


def test_an_option_of_the_command_is_the_commands() -> None:
    envelope, _ = of_words("storage", "list", "--session")
    assert envelope.session == "default" and parse_line(envelope).canonical == "storage list --session"


def test_invalid_envelope_option_is_ignored_before_parsing() -> None:
    envelope, as_json = of_words("click", "--session")
    assert not as_json and envelope.session == "default"


@pytest.mark.parametrize("words", [["title", "--session", "no way"], ["title", "--session="]])
def test_a_session_that_can_not_be(words: list[str]) -> None:
    with pytest.raises(RequestError, match="session"):
        of_words(*words)


def test_a_folder_is_absolute() -> None:
    with pytest.raises(RequestError, match="folder"):
        of_words("title", folder="here")


def test_backends() -> None:
    names = ("headless", "embedded", "playwright", "remote")
    modes = {None: None, **{name: name for name in names}, "extension": "remote"}
    assert {name: mode_of(name) for name in modes} == modes
    with pytest.raises(InvalidValue, match="no such backend"):
        mode_of("netscape")


def test_the_backend_of_a_session_that_there_is() -> None:
    assert settings_with_backend({"headful": True}, None, "work", "remote") == {"headful": True}
    assert settings_with_backend({"headful": True}, "remote", "new", None) == {"headful": True, "backend": "remote"}
    assert settings_with_backend({}, "remote", "work", "remote") == {}
    with pytest.raises(SessionExists, match="mode remote"):
        settings_with_backend({}, "headless", "work", "remote")
