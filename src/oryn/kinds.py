"""The kinds of values that settings have: how text or a TOML value becomes one, and what a refused value is told."""

from __future__ import annotations

import os
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

from oryn.paths import is_session_name
from oryn.records import Record


class Kind(Record):
    """What values a setting may have. `read` takes text or a TOML value and raises `ValueError` for all else."""

    may_be: str
    read: Callable[[Any], Any]
    metavar: str
    choices: tuple[str, ...] = ()
    shown: Callable[[Any], Any] | None = None
    """What is shown of a value, or of what was given for one, that holds a secret."""
    between: str = ""
    """What stands between the parts of a list. A flag of such a kind may be given again: its values add up."""


def _switch(value: Any) -> bool:
    if isinstance(value, bool):
        return value
    word = str(value).strip().lower()
    if word in ("1", "true", "yes", "on"):
        return True
    if word in ("0", "false", "no", "off"):
        return False
    raise ValueError(value)


def _words(value: Any) -> str:
    if not isinstance(value, str) or not value.strip() or "\0" in value:
        raise ValueError(value)
    return value.strip()


def _session(value: Any) -> str:
    if not isinstance(value, str) or not is_session_name(value):
        raise ValueError(value)
    return value


def _count(value: Any) -> int:
    if isinstance(value, bool) or not isinstance(value, int | str) or (number := int(value)) < 0:
        raise ValueError(value)
    return number


def _several(value: Any) -> int:
    if (number := _count(value)) < 1:
        raise ValueError(value)
    return number


def _price(value: Any) -> float:
    if isinstance(value, bool) or not 0 <= (price := float(value)) < float("inf"):
        raise ValueError(value)
    return price


def _port(value: Any) -> int:
    if (number := _count(value)) > 65_535:
        raise ValueError(value)
    return number


COLLECTION_NAME = re.compile(r"[A-Za-z0-9_-]{1,64}")

_UNITS = {"ms": 0.001, "s": 1.0, "m": 60.0, "": 1.0}


def _seconds(value: Any) -> float:
    seconds = _pause(value)
    if not seconds:
        raise ValueError(value)
    return seconds


def _pause(value: Any) -> float:
    if isinstance(value, bool) or not isinstance(value, int | float | str):
        raise ValueError(value)
    text = str(value).strip()
    unit = next(unit for unit in _UNITS if text.endswith(unit))
    seconds = float(text.removesuffix(unit)) * _UNITS[unit]
    if not 0 <= seconds < 86_400:
        raise ValueError(value)
    return seconds


def _size(value: Any) -> tuple[int, int]:
    width, height = value.lower().split("x") if isinstance(value, str) else value
    size = (_count(width), _count(height))
    if not all(1 <= side <= 16_384 for side in size):
        raise ValueError(value)
    return size


def choice(*choices: str) -> Kind:
    def read(value: Any) -> str:
        if not isinstance(value, str) or value.lower() not in choices:
            raise ValueError(value)
        return value.lower()

    return Kind(" or ".join((", ".join(choices[:-1]), choices[-1])), read, "|".join(choices), choices)


def _folders(value: Any) -> tuple[Path, ...]:
    parts = value.split(os.pathsep) if isinstance(value, str) else value
    if not parts or not all(isinstance(part, str) and part.strip() and "\0" not in part for part in parts):
        raise ValueError(value)
    return tuple(Path(part).expanduser().absolute() for part in parts)


def _folder(value: Any) -> Path:
    return Path(_words(value)).expanduser().absolute()


# https://chromium.googlesource.com/chromium/src/+/main/net/docs/proxy.md
_PROXY_SCHEMES = ("http", "https", "socks4", "socks5")


def _proxy(value: Any) -> str:
    text = _words(value)
    parts = urlsplit(text if "://" in text else f"http://{text}")
    if parts.scheme not in _PROXY_SCHEMES or not parts.hostname or parts.path.strip("/") or parts.query:
        raise ValueError(value)
    if parts.username and parts.scheme.startswith("socks"):
        raise ValueError(value)  # Chromium speaks to SOCKS proxies without a login
    port = f":{parts.port}" if parts.port is not None else ""
    login, at, place = parts.netloc.rpartition("@")
    host = place.rpartition(":")[0] if port else place
    return f"{parts.scheme}://{login}{at}{host}{port}"


def _without_password(value: Any) -> Any:
    """A URL with dots in the place of its password."""
    return re.sub(r"^((?:[^/@]*//)?[^:/@]*):.*@", r"\1:••••@", value) if isinstance(value, str) else value


def _browser_url(value: Any) -> str:
    from oryn import browser_url

    return browser_url.read(value)


def _shown_browser_url(value: Any) -> Any:
    from oryn import browser_url

    return browser_url.shown(value)


def _pins(value: Any) -> tuple[str, ...]:
    import base64

    parts = value.split(",") if isinstance(value, str) else value
    pins = tuple(str(part).strip().removeprefix("sha256/") for part in parts)
    if not pins or any(len(base64.b64decode(pin, validate=True)) != 32 for pin in pins):
        raise ValueError(value)
    return pins


def _origins(value: Any) -> tuple[str, ...]:
    parts = value.split(",") if isinstance(value, str) else value
    found = tuple(_words(part).rstrip("/") for part in parts)
    for each in found:
        url = urlsplit(each)
        # `port` raises for what is none.
        if url.scheme != "https" or not url.hostname or url.path or url.query or "@" in url.netloc or url.port == 0:
            raise ValueError(value)
    return found


def _listed(value: Any) -> list[str]:
    """The parts of a list: text with commas between them, or an array."""
    parts = value.split(",") if isinstance(value, str) else value
    if not isinstance(parts, list) or not parts:
        raise ValueError(value)
    return [_words(part) for part in parts]


def _domains(value: Any) -> tuple[str, ...]:
    from oryn.domains import rule_of

    return tuple(str(rule_of(part)) for part in _listed(value))


def _verbs(value: Any) -> tuple[str, ...]:
    return tuple(" ".join(part.lower().split()) for part in _listed(value))


CAPTCHA_SERVICES = ("2captcha", "anticaptcha", "capsolver")
_LOOPBACK = ("localhost", "127.0.0.1", "::1")


def _captcha_service(value: Any) -> str:
    text = _words(value)
    if text.lower() in CAPTCHA_SERVICES:
        return text.lower()
    url = urlsplit(text)
    safe = url.scheme == "https" or (url.scheme == "http" and url.hostname in _LOOPBACK)
    if not safe or not url.hostname or url.query or url.fragment or "@" in url.netloc or url.port == 0:
        raise ValueError(value)
    return text.rstrip("/")


def _endpoint(value: Any) -> str:
    text = _words(value)
    url = urlsplit(text)
    if url.scheme not in ("http", "https") or not url.hostname or url.query or url.fragment or "@" in url.netloc:
        raise ValueError(value)
    if url.port == 0:  # `port` raises for what is none
        raise ValueError(value)
    return text.rstrip("/").removesuffix("/chat/completions")


def _web_address(value: Any) -> str:
    text = _words(value)
    url = urlsplit(text)
    if url.scheme not in ("http", "https") or not url.hostname or url.fragment or "@" in url.netloc or url.port == 0:
        raise ValueError(value)
    return text


def _index(value: Any) -> Path | str:
    text = _words(value)
    return _web_address(text).rstrip("/") if text.startswith(("http://", "https://")) else _folder(text)


def _collection(value: Any) -> str:
    if not isinstance(value, str) or not COLLECTION_NAME.fullmatch(value):
        raise ValueError(value)
    return value


def _key_shown(value: Any) -> Any:
    """Nothing of a key; a reference to the vault is none."""
    refers = isinstance(value, str) and re.fullmatch(r"\{\{\s*vault:[^{}]*\}\}", value.strip())
    return value if value is None or refers else "••••"


SWITCH = Kind("true or false", _switch, "")
WORDS = Kind("text", _words, "TEXT")
SESSION = Kind("a letter or _, then letters, digits, _ and -; not new or close", _session, "NAME")
COUNT = Kind("a whole number, 0 or more", _count, "NUMBER")
SEVERAL = Kind("a whole number, 1 or more", _several, "NUMBER")
PRICE = Kind("a number, 0 or more", _price, "PRICE")
PORT = Kind("a number from 0 to 65535", _port, "PORT")
SECONDS = Kind("a time such as 30, 30s, 500ms or 2m, below a day", _seconds, "TIME")
PAUSE = Kind("a time such as 1, 1s or 500ms, below a day, or 0 for none", _pause, "TIME")
SIZE = Kind("a width and a height in pixels, such as 1280x720", _size, "WIDTHxHEIGHT")
FOLDER = Kind("a folder", _folder, "FOLDER")
FOLDERS = Kind(f"folders, with {os.pathsep} between them", _folders, "FOLDERS", between=os.pathsep)
PROXY = Kind(
    "a URL such as http://user:password@host:8080, with http, https or, without a user, socks4 or socks5",
    _proxy,
    "URL",
    shown=_without_password,
)
BROWSER_URL = Kind(
    "the address of a browser, such as ws://host:9222/devtools/browser/… or http://host:9222",
    _browser_url,
    "URL",
    shown=_shown_browser_url,
)
FILE = Kind("a file", _folder, "FILE")
ORIGINS = Kind(
    "origins such as https://example.org or https://localhost:8443, with , between them",
    _origins,
    "ORIGINS",
    between=",",
)
PINS = Kind("SHA-256 hashes of public keys in base64, with , between them", _pins, "HASHES", between=",")
DOMAINS = Kind(
    "hosts such as example.org, *.example.org (with all below it), localhost:3000 or 127.0.0.1, with , between them",
    _domains,
    "HOSTS",
    between=",",
)
VERBS = Kind("commands such as click, cookies set or all, with , between them", _verbs, "COMMANDS", between=",")
CAPTCHA_SERVICE = Kind(
    "2captcha, anticaptcha, capsolver, or the https:// address of a service with their protocol",
    _captcha_service,
    "SERVICE",
)
ENDPOINT = Kind("the address of an API such as http://localhost:11434/v1", _endpoint, "URL")
WEB_ADDRESS = Kind("an address such as https://example.org/search", _web_address, "URL")
INDEX = Kind("a folder, or the address of a Qdrant server such as http://localhost:6333", _index, "FOLDER|URL")
COLLECTION = Kind("letters, digits, _ and -, at most 64", _collection, "NAME")
KEY = Kind("text, or {{vault:name}}", _words, "KEY", shown=_key_shown)
