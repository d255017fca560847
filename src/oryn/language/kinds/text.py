"""Text values: strings, names, paths, URLs, identifiers, choices.

URLs may be written as people write them (docs/spec/intent-language.md#urls): `example.com` is `https://example.com`.
Hosts are completed when the line is parsed; relative URLs are resolved against the current page later
(`resolve_url`)."""

from __future__ import annotations

import re
from typing import Any, Generic, TypeVar

from oryn.core.suggestions import did_you_mean
from oryn.errors import InvalidValue
from oryn.language.kinds.base import ParsedValue, ValueKind, invalid_value, read_bare
from oryn.language.lexer import Cursor, is_identifier, quote, shorten
from oryn.language.targets import RELATIONS

# Characters that URL parsers drop before the scheme: https://url.spec.whatwg.org/#concept-basic-url-parser
_STRIPPED = "".join(map(chr, range(0x21)))
_REMOVED = str.maketrans("", "", "\t\n\r")

_ABSOLUTE = re.compile(r"[a-z][a-z0-9+.-]*+://|(?:about|data|blob|file):", re.IGNORECASE)
_RELATIVE = re.compile(r"[/?#]|\.\.?/")
_LOOPBACK = re.compile(
    r"(?:[^/?#]*@)?(?:localhost|127(?:\.[0-9]{1,3}){3}|\[::1\])(?::[0-9]*)?(?:[/?#]|$)", re.IGNORECASE
)


def holds_page(url: str) -> bool:
    """Return whether a command's `url` contains the page itself (`data:text/html,…`), so that its scripts are the
    caller's."""
    return url[:5].lower() == "data:"


_CREDENTIALS = re.compile(r"(?:[a-z][a-z0-9+.-]*:[/\\]*|[/\\]{2,})[^/\\?#]*@", re.IGNORECASE)


def holds_credentials(url: str) -> bool:
    """Return whether a `url` names a user or a password, which the browser would send (RFC 3986 §3.2.1)."""
    return _CREDENTIALS.match(url) is not None


def is_relative(url: str) -> bool:
    """Return whether a URL resolves against the current page: it starts with `/`, `?`, `#`, `./` or `../`."""
    return _RELATIVE.match(url) is not None


def complete_url(text: str, position: int | None = None) -> str:
    """Return `text` with its scheme; relative URLs stay as they are. Raises `InvalidValue` for
    `javascript:` and `""`."""
    url = text.strip(_STRIPPED).translate(_REMOVED)
    if not url:
        raise InvalidValue("an empty URL", None, position)
    if url[:11].lower() == "javascript:":
        raise InvalidValue("javascript: URLs are refused", "run it with eval", position)
    if _ABSOLUTE.match(url) or is_relative(url):
        return url
    if url.startswith("-"):  # no host does (RFC 1123, 2.1): a mistaken option, which would become a request
        raise InvalidValue(f"not a URL: {shorten(url)}", "'help' with the command's name lists its options", position)
    return f"http://{url}" if _LOOPBACK.match(url) else f"https://{url}"


def resolve_url(url: str, base: str) -> str:
    """Return the absolute URL of a command's `url`; `base` is the current page's. Raises `InvalidValue` if there is
    none."""
    if not is_relative(url):
        return url
    # Imported late: it would take a fifth of the start-up time of `oryn parse`.
    from urllib.parse import urljoin

    try:
        resolved = urljoin(base, url)
    except ValueError as error:
        raise InvalidValue(f"not a URL: {shorten(url)} ({error})") from error
    if is_relative(resolved):
        message = f"{shorten(url)} is relative, and {shorten(base)} is no place to start from"
        raise InvalidValue(message, "write the whole URL")
    return resolved


Choice = TypeVar("Choice", bound=str)

# `[` also begins an IPv6 address.
_JSON_BEGINS = re.compile(r"\s*+(?:\{|\[(?![0-9a-fA-F]*+:))")
_PLAIN_NAME = re.compile(r"[\w./~:%?&=+,;@*#-]++")


def _is_number(data: Any) -> bool:
    return isinstance(data, int | float) and not isinstance(data, bool)


class StringKind(ValueKind[str]):
    """A string, `"<text>"`. A single word may be bare, and canonical text quotes it."""

    def __init__(self, label: str) -> None:
        self.label = f'"<{label}>"'

    def read(self, cursor: Cursor) -> ParsedValue:
        start = cursor.position
        text = cursor.string() if cursor.at_string else cursor.word()
        return ParsedValue(quote(text), text, start)

    def write(self, value: str) -> str:
        return quote(value)

    def text_of(self, data: Any) -> str | None:
        return quote(data) if isinstance(data, str) else str(data) if _is_number(data) else None


class SecretKind(StringKind):
    """A string that Oryn never repeats: a password."""

    secret = True


class NameKind(ValueKind[str]):
    """A word or a string, such as `<path>`; canonical text keeps the form that was written."""

    def __init__(self, label: str) -> None:
        self.label = f"<{label}>"

    def read(self, cursor: Cursor) -> ParsedValue:
        start = cursor.position
        if cursor.at_string:
            text = cursor.string()
            return ParsedValue(quote(text), self.convert(text, start), start)
        text = self.bare(cursor)
        return ParsedValue(text, self.convert(text, start), start)

    def bare(self, cursor: Cursor) -> str:
        return cursor.word()

    def convert(self, text: str, start: int) -> str:
        """Return the value of a text. Raises `InvalidValue`."""
        return text

    def write(self, value: str) -> str:
        plain = _PLAIN_NAME.fullmatch(value) and value[0] not in "-@#" and value.lower() not in (*RELATIONS, "in")
        return value if plain else quote(value)

    def text_of(self, data: Any) -> str | None:
        return self.write(data) if isinstance(data, str) else str(data) if _is_number(data) else None


class PictureKind(NameKind):
    """The path of a picture. A bare word with a picture's suffix is one wherever it stands."""

    suffixes = (".png", ".jpg", ".jpeg", ".webp")

    def stands_alone(self, cursor: Cursor) -> bool:
        return not cursor.at_string and cursor.peek_atom().lower().endswith(self.suffixes)


class DomainKind(NameKind):
    """A host name before a JSON argument; text that looks like JSON is not a host name."""

    def accepts(self, cursor: Cursor) -> bool:
        ahead = Cursor(cursor.line, cursor.position)
        return not _JSON_BEGINS.match(ahead.string() if ahead.at_string else ahead.word())

    def convert(self, text: str, start: int) -> str:
        if _JSON_BEGINS.match(text):
            raise invalid_value("a domain", text, start)
        return text


class UrlKind(NameKind):
    """A URL: absolute, without its scheme, or relative to the current page. The value has the scheme
    (`complete_url`)."""

    def convert(self, text: str, start: int) -> str:
        return complete_url(text, start)


class IdentifierKind(NameKind):
    """A name that must be an identifier: a session's or an intent's. `reserved` names are sub-commands."""

    def __init__(self, label: str, reserved: tuple[str, ...] = ()) -> None:
        super().__init__(label)
        self.reserved = reserved

    def bare(self, cursor: Cursor) -> str:
        return cursor.atom()

    def convert(self, text: str, start: int) -> str:
        if not is_identifier(text):
            raise invalid_value("a name", text, start, "a letter or _, then letters, digits, _ and -")
        if text.lower() in self.reserved:
            raise invalid_value("a name", text, start, f"{text} is a sub-command")
        return text


class WordsKind(StringKind):
    """All words up to an option or a comment, or one string: `iPhone 14` → `"iPhone 14"`."""

    def read(self, cursor: Cursor) -> ParsedValue:
        if cursor.at_string:
            return super().read(cursor)
        start = cursor.position
        words = []
        while not (cursor.at_end or cursor.at_option or cursor.at_string):
            words.append(cursor.word())
            end = cursor.position
            cursor.skip_space()
        cursor.position = end
        text = " ".join(words)
        return ParsedValue(quote(text), text, start)


class ListKind(ValueKind[tuple[str, ...]]):
    """One or more values without spaces. They are written as a word, a string with spaces between them (`--exclude
    "*/login* *.zip"`), or repeated options (`--exclude */login* --exclude *.zip`). Each value is of the `kind`."""

    is_cumulative = True

    def __init__(self, kind: NameKind) -> None:
        self._kind = kind
        self.label = f'"{kind.label}…"'

    def read(self, cursor: Cursor) -> ParsedValue:
        start = cursor.position
        text = cursor.string() if cursor.at_string else cursor.word()
        values = tuple(self._kind.convert(each, start) for each in text.split())
        if not values:
            raise invalid_value("one or more", text, start)
        return ParsedValue(quote(text), values, start)

    def write(self, value: tuple[str, ...]) -> str:
        return quote(" ".join(value))

    def text_of(self, data: Any) -> str | None:
        if isinstance(data, str):
            return quote(data)
        # A space would split one value into two.
        fits = isinstance(data, list | tuple) and all(isinstance(each, str) and len(each.split()) == 1 for each in data)
        return quote(" ".join(data)) if fits else None


class ChoiceKind(ValueKind[Choice], Generic[Choice]):
    """One of a few words, in any case; canonical text has them as they are declared."""

    def __init__(self, *words: Choice) -> None:
        self.words = words
        self.label = "|".join(words)
        self._listed = {word.lower(): word for word in words}

    def accepts(self, cursor: Cursor) -> bool:
        return cursor.peek_atom().lower() in self._listed

    def read(self, cursor: Cursor) -> ParsedValue:
        word, start = read_bare(cursor, f"one of {', '.join(self.words)}")
        listed = self._listed.get(word.lower())
        if listed is None:
            raise invalid_value(f"one of {', '.join(self.words)}", word, start, did_you_mean(word, self.words))
        return ParsedValue(listed, listed, start)

    def write(self, value: Choice) -> str:
        return value


class CaseFoldedKind(ValueKind[str]):
    """A word whose case doesn't matter: the name of a command, an HTTP method."""

    def __init__(self, label: str, pattern: str, *, upper: bool = False) -> None:
        self.label = f"<{label}>"
        self._pattern = re.compile(pattern)
        self._upper = upper

    def read(self, cursor: Cursor) -> ParsedValue:
        word, start = read_bare(cursor, f"a {self.label[1:-1].lower()}")
        if not self._pattern.fullmatch(word):
            raise invalid_value(f"a {self.label[1:-1].lower()}", word, start)
        text = word.upper() if self._upper else word.lower()
        return ParsedValue(text, text, start)

    def write(self, value: str) -> str:
        return value
