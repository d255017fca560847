"""A step's command line with `{{parameter}}` in it: validated when it is defined, filled in when it runs.

The line is parsed with placeholder words instead of texts, and the texts are put into the parsed command. So values
become data of its fields, and can't add an option or a command. Numbers and flags, which are plain words, are put into
the line itself, so that they may also be an element's number or part of a duration.

Text that is code has its own escapes. In CSS and JavaScript every character that could end a string or a name is
escaped. XPath has no escapes, so a value that would need one is rejected."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from oryn.core.records import Record
from oryn.engine.definitions.schema import refuse
from oryn.errors import InvalidValue, LanguageError
from oryn.language import Command, CssTarget, XPathTarget, mask_secret, parse, render
from oryn.language.kinds import CSS, JAVASCRIPT, UrlKind, ValueKind
from oryn.language.kinds.text import complete_url
from oryn.language.lexer import shorten

_NOT_PLAIN = re.compile(r"[^A-Za-z0-9_-]")
_NOT_WORD = re.compile(r"[^A-Za-z0-9]")
_NOT_FOR_XPATH = re.compile(r"[^\w .,:-]")

Values = Mapping[str, str]
"""The replacement of each word."""


def substitute(command: Command, values: Values, *, encode: bool = True) -> Command:
    """Replace each word of `values` in all fields of a command.

    `encode=False` is for display. Raises `InvalidValue` if a value is not valid in its position."""
    fields = type(command).__fields__
    return command.replace(
        **{
            name: _in_field(value, getattr(fields[name], "kind", None), values, encode)
            for name, value in command.values().items()
        }
    )


def _in_field(value: Any, kind: ValueKind[Any] | None, values: Values, encode: bool) -> Any:
    if isinstance(value, str) and isinstance(kind, UrlKind):
        return _in_url(value, values, encode)
    if isinstance(value, str) and encode:
        if kind is JAVASCRIPT:
            return _replace_words(value, {word: _in_javascript(text) for word, text in values.items()})
        if kind is CSS:
            return _replace_words(value, {word: _in_css(text) for word, text in values.items()})
    return _in_value(value, values, encode)


def _in_value(value: Any, values: Values, encode: bool) -> Any:
    match value:
        case str():
            return _replace_words(value, values)
        case CssTarget(selector) if encode:
            return CssTarget(_replace_words(selector, {word: _in_css(text) for word, text in values.items()}))
        case XPathTarget(expression) if encode:
            return XPathTarget(_replace_words(expression, _XPathValues(values)))
        case Record():
            return value.replace(**{name: _in_value(each, values, encode) for name, each in value.values().items()})
        case tuple():
            return tuple(_in_value(each, values, encode) for each in value)
        case list():
            return [_in_value(each, values, encode) for each in value]
        case dict():
            return {_in_value(k, values, encode): _in_value(v, values, encode) for k, v in value.items()}
        case _:
            return value


def _replace_words(text: str, values: Values) -> str:
    if not any(word in text for word in values):
        return text
    # In one pass, so that a value that happens to contain another's word stays unchanged.
    words = re.compile("|".join(map(re.escape, values)))
    return words.sub(lambda found: values[found[0]], text)


class _XPathValues(dict[str, str]):
    """Values for XPath; looking up one that would need escapes raises `InvalidValue`."""

    def __getitem__(self, word: str) -> str:
        text = super().__getitem__(word)
        if _NOT_FOR_XPATH.search(text):
            raise InvalidValue(
                "a value in an XPath may have letters, digits, spaces and . , : _ - only", "Use a text or CSS instead."
            )
        return text


def _in_javascript(text: str) -> str:
    units = text.encode("utf-16-be", "surrogatepass")
    characters = (int.from_bytes(units[i : i + 2], "big") for i in range(0, len(units), 2))
    return "".join(_NOT_WORD.sub(lambda found: f"\\u{ord(found[0]):04x}", chr(c)) for c in characters)


def _in_css(text: str) -> str:
    # https://drafts.csswg.org/css-syntax/#consume-escaped-code-point
    return _NOT_PLAIN.sub(lambda found: f"\\{ord(found[0]):x} ", text)


def _in_url(value: str, values: Values, encode: bool) -> str:
    """Replace words in a URL. A value at the very start is the URL, or its beginning; any other is a part of it and is
    percent-encoded."""
    from urllib.parse import quote

    written = value.removeprefix("https://")
    first = next((word for word in values if written.startswith(word)), None)
    encoded = {word: quote(text, safe="", errors="replace") if encode else text for word, text in values.items()}
    if first is None:
        return _replace_words(value, encoded)
    whole = values[first] + _replace_words(written[len(first) :], encoded)
    return complete_url(whole) if encode else whole


PLACEHOLDER = re.compile(r"\{\{\s*(?!vault:)([^{}\s]{1,64})\s*\}\}")
"""A reference to a parameter; references to the vault don't match."""

Types = Mapping[str, str]
"""The parameters that a line may use, with their types."""

_SAMPLES = {"number": "1", "flag": "true"}


def parameter_names(text: str) -> Iterator[str]:
    """Return the names in the placeholders of a text."""
    return (found[1] for found in PLACEHOLDER.finditer(text))


def fill_text(text: str, values: Mapping[str, str]) -> str:
    """Fill in the placeholders of a plain text that is not a command."""
    return PLACEHOLDER.sub(lambda found: values[found[1]], text)


@dataclass(frozen=True, slots=True)
class Template:
    """A step's line. `text` is the line without its comment; `texts` are the names of its parameters of
    the type text."""

    text: str
    texts: tuple[str, ...]

    @classmethod
    def read(cls, text: str, types: Types, where: str) -> Template:
        """Parse and validate a line. Raises `InvalidDefinition` if it is not a command, regardless of its parameters'
        values."""
        text = without_comment(text)
        names = dict.fromkeys(parameter_names(text))
        for name in names:
            if name not in types:
                hint = f"parameters: {', '.join(types)}" if types else "it has no parameters"
                refuse(where, f"{{{{{name[:40]}}}}} is no parameter", hint)
            if types[name] == "list":
                refuse(where, f"{{{{{name}}}}} is a list", f"loop over it: loop: {{over: {name}, steps: […]}}")
        texts = tuple(name for name in names if types[name] == "text")
        template = cls(text, texts)
        samples = {name: _SAMPLES.get(types[name], "") for name in names}
        try:
            line = parse(template._with_stand_ins(samples))
        except LanguageError as error:
            refuse(where, f"{shorten(text)}: {error.message}", error.hint)
        if line.command is None:
            refuse(where, "no command")
        if line.session is not None:
            refuse(where, "a step runs in the session of its intent", "Leave the session's name out.")
        rendered = render(line.command)
        for name, word in template._stand_ins().items():
            if rendered.count(word) != line.canonical.removesuffix(line.comment or "").count(word):
                refuse(where, f"{{{{{name}}}}} can't stand there", "A parameter of the type number may.")
        return template

    def fill(self, values: Mapping[str, str]) -> Command:
        """Return the command with these values. Raises `LanguageError` if one does not fit."""
        line = parse(self._with_stand_ins(values))
        assert line.command is not None
        command = substitute(line.command, {word: values[name] for name, word in self._stand_ins().items()})
        if self.texts and parse(render(command)).command != command:
            raise InvalidValue(f"a value does not fit into {shorten(self.text, 80)}")
        return command

    def masked_command(self, values: Mapping[str, str], secrets: Collection[str]) -> Command:
        """Return the command with these values, and with secrets masked, for a transcript."""
        texts = {name: mask_secret(text) if name in secrets else text for name, text in values.items()}
        command = parse(self._with_stand_ins(values)).command
        assert command is not None
        return substitute(
            command, {word: texts[name] for name, word in self._stand_ins().items()}, encode=False
        ).masked()

    def sample(self, types: Types) -> Command:
        """Return the command with a sample value for each parameter."""
        samples = {name: _SAMPLES.get(types.get(name, "text"), "") for name in parameter_names(self.text)}
        command = parse(self._with_stand_ins(samples)).command
        assert command is not None
        return command

    def secrets(self, types: Types) -> set[str]:
        """Return the parameters that are in the position of a credential."""
        command = parse(
            self._with_stand_ins({name: _SAMPLES.get(types[name], "") for name in parameter_names(self.text)})
        ).command
        assert command is not None
        return self.secret_parameters(command, command.masked())

    def secret_parameters(self, sample: Command, masked: Command) -> set[str]:
        """Return the parameters that masking removes from a sample."""
        sample_text, masked_text = render(sample), render(masked)
        return {name for name, word in self._stand_ins().items() if word in sample_text and word not in masked_text}

    def _stand_ins(self) -> dict[str, str]:
        """Return a unique word for each text that the line doesn't contain. The words are in lower case, because some
        kinds change the case."""
        seal = "z"
        while f"value{seal}" in self.text.lower():
            seal += "z"
        return {name: f"value{seal}{index}x" for index, name in enumerate(self.texts)}

    def _with_stand_ins(self, values: Mapping[str, str]) -> str:
        words = self._stand_ins()
        return PLACEHOLDER.sub(lambda found: words.get(found[1]) or values[found[1]], self.text)


def without_comment(text: str) -> str:
    """Return the line without its comment, in which braces are not parameters."""
    try:
        comment = parse(PLACEHOLDER.sub("1", text)).comment
    except LanguageError:
        return text
    if comment is None:
        return text.strip()
    starts = (found.start() for found in re.finditer("#", text))
    start = next(place for place in starts if PLACEHOLDER.sub("1", text[place:]) == comment)
    return text[:start].rstrip()


def slug(label: str) -> str:
    """Return a parameter's name for a label: `Full name` → `full_name`."""
    text = re.sub(r"[^a-z0-9]+", "_", label.lower()).strip("_")[:40]
    return text if text[:1].isalpha() and text != "timeout" else f"text_{text}".rstrip("_")


def unused_name(name: str, taken: dict[str, Any]) -> str:
    number = 1
    free = name
    while free in taken:
        number += 1
        free = f"{name}_{number}"
    return free
