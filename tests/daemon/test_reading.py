"""What an envelope means, whichever way it is said."""

from __future__ import annotations

from typing import Any

import pytest

from oryn.daemon.backends import mode_of, settings_with
from oryn.daemon.protocol import read_command
from oryn.daemon.reading import line_in, unfolded
from oryn.engine.hosting import Known
from oryn.errors import InvalidValue, NotSupported, RequestError, SessionExists


def of_words(*words: str, **more: Any) -> Any:
    return unfolded(read_command({"argv": list(words), **more}))


def test_words_say_what_belongs_to_the_envelope() -> None:
    envelope, as_json = of_words("click", "3", "--session", "work", "--json", "--backend=headless", folder="/home")
    assert (envelope.session, envelope.backend, envelope.folder, as_json) == ("work", "headless", "/home", True)
    assert line_in(envelope).canonical == "click 3"


def test_what_stands_before_the_verb_gives_way_to_what_stands_behind() -> None:
    assert of_words("title", "--session", "b", session="a")[0].session == "b"


def test_a_text_says_nothing_of_the_envelope() -> None:
    envelope, as_json = of_words("type", "3", "--json", session="a")
    assert not as_json and line_in(envelope).canonical == 'type 3 "--json"'


def test_an_option_of_the_command_is_the_commands() -> None:
    envelope, _ = of_words("storage", "list", "--session")
    assert envelope.session == "default" and line_in(envelope).canonical == "storage list --session"


def test_words_that_are_wrong_are_so_when_they_are_read() -> None:
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
    modes = {None: None, "headless": "headless", "remote": "remote", "extension": "remote"}
    assert {name: mode_of(name) for name in modes} == modes
    with pytest.raises(NotSupported, match="mode embedded is not supported yet"):
        mode_of("embedded")
    with pytest.raises(InvalidValue, match="no such backend"):
        mode_of("netscape")


def test_the_backend_of_a_session_that_there_is() -> None:
    there = [Known("work", "remote", None)]
    assert settings_with({"headful": True}, None, "work", there) == {"headful": True}
    assert settings_with({"headful": True}, "remote", "new", there) == {"headful": True, "backend": "remote"}
    assert settings_with({}, "remote", "work", there) == {}
    assert settings_with({}, "remote", "other", there) == {"backend": "remote"}
    with pytest.raises(SessionExists, match="mode remote"):
        settings_with({}, "headless", "work", there)
