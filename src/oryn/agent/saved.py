"""Saved tools: the user's names for sites that are used often. Pure; a host keeps them in a file."""

from __future__ import annotations

import json
from collections.abc import Mapping
from types import MappingProxyType

from oryn.errors import ConfigurationError, LanguageError
from oryn.language import parse
from oryn.language.brackets import json_depth

MOST = 100


class SavedTools:
    """Names and the URLs that they stand for, in the user's order. Names differ in more than case."""

    def __init__(self, urls: Mapping[str, str] = MappingProxyType({})) -> None:
        """Raises `ConfigurationError` for a name that is empty or comes twice, and for what is no URL."""
        self._urls: dict[str, tuple[str, str]] = {}
        for name, url in urls.items():
            shown = " ".join(name.split())
            if not shown:
                raise ConfigurationError("a saved tool has no name", "Give it one.")
            if shown.casefold() in self._urls:
                raise ConfigurationError(f"two saved tools are called {shown!r}", "Names differ in more than case.")
            _check(shown, url)
            self._urls[shown.casefold()] = shown, url
        if len(self._urls) > MOST:
            raise ConfigurationError(f"there are more than {MOST} saved tools", "Each of them stands in every prompt.")

    @classmethod
    def read(cls, text: str) -> SavedTools:
        """Of a JSON object of names and URLs: `{"Gmail": "https://mail.google.com"}`. Raises `ConfigurationError`."""
        try:
            found = json.loads(text) if json_depth(text) <= 1 else None
        except ValueError:
            found = None
        if not isinstance(found, dict) or not all(isinstance(url, str) for url in found.values()):
            raise ConfigurationError("the saved tools are no JSON object of names and URLs")
        return cls(found)

    def written(self) -> str:
        """What `read` reads."""
        return json.dumps(dict(self.items()), ensure_ascii=False, indent=2) + "\n"

    def url(self, name: str) -> str | None:
        """The URL of a name, in any case; None where there is no such tool."""
        found = self._urls.get(" ".join(name.split()).casefold())
        return found[1] if found else None

    @property
    def names(self) -> list[str]:
        return [name for name, _ in self._urls.values()]

    def items(self) -> list[tuple[str, str]]:
        return list(self._urls.values())


def _check(name: str, url: str) -> None:
    if any(each.isspace() for each in url.strip()):
        raise ConfigurationError(f"the saved tool {name!r} has a URL with a space in it")
    try:
        parse(f"goto {url.strip()}")
    except LanguageError as error:
        raise ConfigurationError(f"the saved tool {name!r} has no URL: {error}") from error
