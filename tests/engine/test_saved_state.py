"""The file of `state save`: what is written is read again, and what is wrong is refused with its place."""

from __future__ import annotations

import json
from typing import Any

import pytest

from oryn.browsers.base import Cookie
from oryn.engine.state.state_file import (
    OriginState,
    SavedState,
    decode,
    decode_any,
    encode,
    in_domain,
    origin_in_domain,
)
from oryn.errors import FileError, StateKeyWrong

FULL = SavedState(
    "2026-11-22T09:30:00Z",
    "example.org",
    [
        Cookie("plain", "1", "example.org"),
        Cookie(
            "all", 'ü "quoted"\n', ".example.org", "/a", 1.8e9, True, True, "None", "High", "Secure", 443,
            ("https://top.example", True),
        ),
    ],
    [
        OriginState("https://example.org", {"key": "value", "__proto__": "p", "lone": "\ud800"}),
        OriginState("http://localhost:8080", {}, {"tab": "s"}),
    ],
)  # fmt: skip


def plain() -> dict[str, Any]:
    """A file's data, to be spoilt."""
    data: dict[str, Any] = json.loads(encode(FULL))
    return data


def test_encoded_state_decodes_to_the_same_state() -> None:
    assert decode(encode(FULL)) == FULL


def test_a_file_of_cookies_alone_has_no_origins() -> None:
    state = SavedState("now", None, [], None)
    assert json.loads(encode(state)) == {"version": 1, "created": "now", "domain": None, "cookies": [], "origins": None}
    assert decode(encode(state)) == state


def test_a_cookie_has_all_its_attributes() -> None:
    assert plain()["cookies"][1] == {
        "name": "all",
        "value": 'ü "quoted"\n',
        "domain": ".example.org",
        "path": "/a",
        "expires": 1.8e9,
        "httpOnly": True,
        "secure": True,
        "sameSite": "None",
        "priority": "High",
        "sourceScheme": "Secure",
        "sourcePort": 443,
        "partitionKey": {"topLevelSite": "https://top.example", "hasCrossSiteAncestor": True},
    }


@pytest.mark.parametrize("cut", [0, 1, 20, 300, -3])
def test_a_file_that_is_cut_off_is_damaged(cut: int) -> None:
    with pytest.raises(FileError, match="the state is damaged: it is not JSON"):
        decode(encode(FULL)[:cut])


@pytest.mark.parametrize("content", [b"[" * 100_000, b'{"version": 1' + b"9" * 5000 + b"}", b"\xff\xfe"])
def test_invalid_json_state_is_rejected(content: bytes) -> None:
    with pytest.raises(FileError, match=r"it is (not JSON|nested too deep)"):
        decode(content)


@pytest.mark.parametrize("content", [b"[]", b"{}", b'"version"', b"1"])
def test_state_without_a_version_is_rejected(content: bytes) -> None:
    with pytest.raises(FileError, match="it has no version"):
        decode(content)


@pytest.mark.parametrize("version", [0, 2, "1", None, True, [1]])
def test_another_version_is_refused(version: Any) -> None:
    with pytest.raises(FileError, match="and this Oryn reads version 1") as caught:
        decode(json.dumps(plain() | {"version": version}).encode())
    assert "Nothing was changed" in (caught.value.hint or "")


@pytest.mark.parametrize(
    ("place", "value", "message"),
    [
        (["created"], 5, "created is not a string"),
        (["domain"], ["a"], "domain is not a string"),
        (["cookies"], {}, "cookies is not a list"),
        (["cookies"], None, "cookies is not a list"),
        (["cookies", 0], "a=1", r"cookies\[0\] is not an object"),
        (["cookies", 1, "name"], None, r"cookies\[1\]\.name is not a string"),
        (["cookies", 1, "value"], 7, r"cookies\[1\]\.value is not a string"),
        (["cookies", 1, "domain"], "..", "can't have the domain"),
        (["cookies", 1, "path"], "a", "can't have the domain"),
        (["cookies", 1, "expires"], "tomorrow", r"cookies\[1\]\.expires is not a number"),
        (["cookies", 1, "expires"], float("nan"), r"cookies\[1\]\.expires is not a time"),
        (["cookies", 1, "expires"], float("inf"), r"cookies\[1\]\.expires is not a time"),
        (["cookies", 1, "expires"], 1e300, r"cookies\[1\]\.expires is not a time"),
        (["cookies", 1, "secure"], 1, r"cookies\[1\]\.secure is not true or false"),
        (["cookies", 1, "httpOnly"], None, r"cookies\[1\]\.httpOnly is not true or false"),
        (["cookies", 1, "sameSite"], "lax", r"cookies\[1\]\.sameSite is not one of Strict, Lax, None"),
        (["cookies", 1, "priority"], "Highest", r"cookies\[1\]\.priority is not one of"),
        (["cookies", 1, "sourceScheme"], "https", r"cookies\[1\]\.sourceScheme is not one of"),
        (["cookies", 1, "sourcePort"], 70_000, r"cookies\[1\]\.sourcePort is not a port"),
        (["cookies", 1, "sourcePort"], True, r"cookies\[1\]\.sourcePort is not a port"),
        (["cookies", 1, "partitionKey"], "https://a.org", r"cookies\[1\]\.partitionKey is not an object"),
        (["cookies", 1, "partitionKey", "topLevelSite"], 1, r"partitionKey\.topLevelSite is not a string"),
        (["origins"], {"https://a.org": {}}, "origins is not a list"),
        (["origins", 0, "origin"], "https://a.org/path", "is not an origin"),
        (["origins", 0, "origin"], "file:///etc", "is not an origin"),
        (["origins", 0, "origin"], "https://user@a.org", "is not an origin"),
        (["origins", 0, "origin"], "http://[::1", "is not an origin"),
        (["origins", 0, "localStorage"], None, r"origins\[0\]\.localStorage is not an object"),
        (["origins", 0, "localStorage", "key"], {"nested": 1}, r'origins\[0\]\.localStorage\["key"\] is not a string'),
        (["origins", 1, "sessionStorage"], [], r"origins\[1\]\.sessionStorage is not an object"),
    ],
)
def test_a_wrong_value_is_named_with_its_place(place: list[Any], value: Any, message: str) -> None:
    data = plain()
    spot: Any = data
    for step in place[:-1]:
        spot = spot[step]
    spot[place[-1]] = value
    with pytest.raises(FileError, match=message):
        decode(json.dumps(data).encode())


def test_unknown_state_members_are_ignored() -> None:
    data = plain()
    data["comment"] = data["cookies"][0]["sameParty"] = "?"
    assert decode(json.dumps(data).encode()) == FULL


async def test_encrypted_state_without_encryption_is_rejected() -> None:
    with pytest.raises(StateKeyWrong, match="encrypted"):
        await decode_any(b'{"version": 1, "sealed": {}}', None)
    with pytest.raises(FileError, match="sealed is not an object"):
        await decode_any(b'{"version": 1, "sealed": 5}', _NoKeys())


class _NoKeys:
    """Keys that open nothing: `decode_any` must not come so far."""

    on = False

    async def seal(self, content: bytes) -> dict[str, Any]:
        raise NotImplementedError

    async def unseal(self, sealed: dict[str, Any]) -> bytes:
        raise NotImplementedError


@pytest.mark.parametrize(
    ("host", "domain", "belongs"),
    [
        ("example.org", None, True),
        ("example.org", "example.org", True),
        (".EXAMPLE.org", "example.org", True),
        ("shop.example.org", ".example.org", True),
        ("badexample.org", "example.org", False),
        ("org", "example.org", False),
    ],
)
def test_what_belongs_to_a_domain(host: str, domain: str | None, belongs: bool) -> None:
    assert in_domain(host, domain) is belongs


def test_an_origin_belongs_to_the_domain_of_its_host() -> None:
    assert origin_in_domain("http://a.example.org:8080", "example.org")
    assert not origin_in_domain("http://localhost:80", "example.org")
