"""The declaration of commands: a class of the table, its arguments, options and help.

    class Goto(Command, path="goto", family="Moving", help="Go to a URL", aliases=("navigate",)):
        url: str = argument(URL, "the URL to open")
        headers: dict[str, str] | None = option(HEADERS, "extra headers of this request only")

The parser, rendering, checks, `help`, the JSON form and the reference page all read `Goto.spec`."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import Any, ClassVar, Literal, Self, TypeVar, dataclass_transform, overload

from oryn.core.records import Field, Record, RecordType
from oryn.language.kinds import DURATION, ValueKind

Value = TypeVar("Value")


ValueSource = Literal["", "commands", "connections", "devices", "elements", "intents", "packs", "sessions", "tools"]
"""What a host completes an argument with: the names that it knows of that kind."""


class Argument(Field):
    """A positional argument. `lead` is a word that precedes it (`drag <target> to <target>`)."""

    __slots__ = ("help", "kind", "lead", "many", "source")

    def __init__(
        self,
        kind: ValueKind[Any],
        help: str,
        *,
        required: bool,
        many: bool,
        lead: str,
        source: ValueSource,
        keyword: bool,
    ) -> None:
        super().__init__(required=required, keyword=keyword)
        self.kind = kind
        self.help = help
        self.many = many
        self.lead = lead
        self.source: ValueSource = source


class Option(Field):
    """An option; `kind` is None for a flag. Of a `group` of flags, the last one written wins; the others count as
    absent. `aliases` are alternative names (`full-page`)."""

    __slots__ = ("aliases", "group", "help", "kind")

    def __init__(
        self, kind: ValueKind[Any] | None, help: str, *, group: str = "", aliases: tuple[str, ...] = ()
    ) -> None:
        super().__init__(default=None if kind else False, keyword=True)
        self.kind = kind
        self.help = help
        self.group = group
        self.aliases = aliases

    @property
    def written(self) -> str:
        """The option as it is written in a line: `--respond-file`."""
        return f"--{self.key}"

    @property
    def key(self) -> str:
        """The name of the option in `CommandSpec.options`: `respond-file`."""
        return self.name.replace("_", "-")


@overload
def argument(kind: ValueKind[Value], help: str, *, lead: str = "", source: ValueSource = "") -> Value: ...
@overload
def argument(
    kind: ValueKind[Value],
    help: str,
    *,
    default: None,
    lead: str = "",
    source: ValueSource = "",
    kw_only: bool = False,
) -> Value | None: ...
@overload
def argument(kind: ValueKind[Value], help: str, *, many: Literal[True]) -> tuple[Value, ...]: ...
@overload
def argument(kind: ValueKind[Value], help: str, *, many: Literal[True], default: None) -> tuple[Value, ...] | None: ...
def argument(
    kind: ValueKind[Any],
    help: str,
    *,
    default: Any = ...,
    many: bool = False,
    lead: str = "",
    source: ValueSource = "",
    kw_only: bool = False,
) -> Any:
    """Declare a positional argument, required unless it has `default=None`.

    kind: the values that it takes.
    help: its purpose, for usage texts.
    many: it takes one or more values; with the default, zero or more.
    lead: a word that precedes it in a line.
    source: the names with which prompts and shells complete it.
    kw_only: a keyword argument of the class, because a required argument follows it."""
    return Argument(kind, help, required=default is ..., many=many, lead=lead, source=source, keyword=kw_only)


def option(kind: ValueKind[Value], help: str, *, aliases: tuple[str, ...] = ()) -> Value | None:
    """Declare an option with a value, None if it is absent. Like flags, options are keyword arguments."""
    return Option(kind, help, aliases=aliases)  # type: ignore[return-value]


def flag(help: str, *, group: str = "", aliases: tuple[str, ...] = ()) -> bool:
    """Declare an option without a value."""
    return Option(None, help, group=group, aliases=aliases)  # type: ignore[return-value]


def overwrite_flag() -> bool:
    """Declare the flag of every command that writes a file whose name the caller chooses."""
    return flag("replace the file even if Oryn did not create it")


CommandScope = Literal["session", "conversation", "host", "research"]
"""What runs a command.

* `session`: a session, in every host.
* `conversation`: a host with one caller. It changes how the two communicate; a host with many callers has other means.
* `host`: a host with an API. It is not a line of the language.
* `research`: like `host`, and the extra `research` is needed."""


HOST_SCOPES: frozenset[CommandScope] = frozenset({"host", "research"})
"""Scopes whose commands are not lines of the language: only a host with an API runs them."""


class CommandSpec:
    """The declaration of a command, read from its class."""

    def __init__(self, type_: RecordType, declared: dict[str, Any]) -> None:
        self.type = type_
        self.path: tuple[str, ...] = tuple(declared["path"].split())
        """The verb, or the verb and its sub-commands."""
        self.family: str = declared["family"]
        self.help: str = declared["help"]
        self.example: str | None = declared.get("example")
        self.aliases: tuple[str, ...] = declared.get("aliases", ())
        """Other verbs for the command in raw text."""
        self.api_aliases: tuple[str, ...] = declared.get("api_aliases", ())
        """Two-word names of the command in APIs, if a line has its own name for it (`tab list`, seed 004)."""
        self.conflicts: tuple[tuple[str, str], ...] = declared.get("conflicts", ())
        """Pairs of flags, by field name, that exclude each other."""
        self.either: tuple[str, ...] = declared.get("either", ())
        """Names of fields of which at least one is required."""
        self.open: bool = declared.get("open", False)
        """Whether it takes options of any name, each with a value, in the field `parameters`."""
        self.api_name: str = declared.get("api_name", " ".join(self.path))
        """The name of the command in interfaces that don't use lines (the JSON vocabulary, the command line, tools). It
        differs from `name` if the verb has another meaning there."""
        self.safe: bool = declared.get("safe", False)
        """Whether it only reads and navigates: it changes nothing at a site, nor what the session stores or sends.
        Commands are assumed unsafe unless declared safe. (`Command.safe` also considers the arguments.)"""
        self.scope: CommandScope = declared.get("scope", "session")
        """What runs it. Each host states which scopes it serves."""
        self.reads: bool = declared.get("reads", False)
        """Whether it only looks at what is there: it changes neither the page, nor the session, nor a file that a user
        has named, and sends nothing anywhere."""
        self.results: Mapping[str, str] = declared.get("results", {})
        """The types of its result by the word of its first argument, if they depend on that."""
        self.result: str = declared.get("result", " | ".join(dict.fromkeys(self.results.values())) or "None")
        """The type of its result as JSON data: an expression of the types in `oryn.language.results`."""
        self.person: bool = declared.get("person", False)
        """Whether it is a person's decision, so that models get no tool for it."""
        fields = type_.__fields__.values()
        self.arguments: tuple[Argument, ...] = tuple(each for each in fields if isinstance(each, Argument))
        omitted = () if declared.get("timed", True) else ("timeout",)
        self.options: dict[str, Option] = {
            each.key: each for each in fields if isinstance(each, Option) and each.name not in omitted
        }
        self.spellings: dict[str, Option] = {
            name: each for key, each in self.options.items() for name in (key, *each.aliases)
        }
        """The options by every name that a user may write."""
        first = self.arguments[0] if self.arguments else None
        self.choice: tuple[str, ...] = first.kind.words if first and first.required else ()
        """The words of a first argument that is a choice. They distinguish this command from others with
        the same path."""

    @property
    def name(self) -> str:
        """The path as text: `cookies get`."""
        return " ".join(self.path)


@dataclass_transform(frozen_default=True, field_specifiers=(argument,))
class CommandType(RecordType):
    """Creates the `CommandSpec` from the keywords of a class statement. (`kw_only` is for type checkers.)"""

    def __new__(mcls, name: str, bases: tuple[type, ...], namespace: dict[str, Any], **declared: Any) -> RecordType:
        return super().__new__(mcls, name, bases, namespace)

    def __init__(cls, name: str, bases: tuple[type, ...], namespace: dict[str, Any], **declared: Any) -> None:
        super().__init__(name, bases, namespace)
        if "path" in declared:
            type.__setattr__(cls, "spec", CommandSpec(cls, declared))


MASK = "••••"
"""The replacement of a secret."""

VAULT_REFERENCE = re.compile(r"\{\{\s*vault:\s*([^{}]*?)\s*\}\}")
"""A reference to a value of the vault by its name: `{{vault:shop.password}}`. The engine replaces it when it sends the
value."""


def mask_secret(text: str) -> str:
    """Replace a credential by `MASK`. A reference to the vault stays, because it is not secret."""
    return text if VAULT_REFERENCE.fullmatch(text) else MASK


_PASSWORD = re.compile(r"passw|passcode|passphrase", re.IGNORECASE)


def names_password(text: str) -> bool:
    """Return whether a field of that name is for a password."""
    return _PASSWORD.search(text) is not None


def with_vault_field(text: str, field: str) -> str:
    """Complete a reference without a field by the given field: `{{vault:shop}}` → `{{vault:shop.password}}`."""
    found = VAULT_REFERENCE.fullmatch(text)
    return f"{{{{vault:{found[1]}.{field}}}}}" if found and "." not in found[1] else text


def texts_in(value: Any) -> Iterator[str]:
    """Yield every text in the value of a field: its own, and those in its records, mappings and sequences."""
    match value:
        case str():
            yield value
        case Record():
            yield from texts_in(value.values())
        case Mapping():
            yield from texts_in([*value, *value.values()])
        case tuple() | list():
            for each in value:
                yield from texts_in(each)


class Command(Record, metaclass=CommandType, kw_only=True):
    """Base of every command. `timeout` is in seconds; None means the timeout of the settings. (`exit` has
    no timeout.)"""

    spec: ClassVar[CommandSpec]
    timeout: float | None = option(DURATION, "how long it may take")

    @property
    def safe(self) -> bool:
        """Whether a read-only session may run it."""
        return self.spec.safe

    @property
    def has_placeholder(self) -> bool:
        """Whether one of its texts contains `{{`, so that a reference to the vault may be in it."""
        return any("{{" in text for text in texts_in(self.values()))

    @property
    def has_secret(self) -> bool:
        masked = self.masked()
        return masked is not self and masked != self

    def masked(self) -> Self:
        """Return the command with its secrets replaced by `MASK`."""
        secrets = [each.name for each in self.spec.arguments if each.kind.secret]
        return self.replace(**{name: mask_secret(getattr(self, name)) for name in secrets}) if secrets else self

    def references(self) -> dict[str, tuple[str, ...]]:
        """Return the references to the vault (`{{vault:shop.password}}`), as they are written, by field name.
        References inside lists, JSON and targets are included. Fields without a reference are left out."""
        found = {name: tuple(_references(value)) for name, value in self.values().items()}
        return {name: references for name, references in found.items() if references}


def _references(value: Any) -> Iterator[str]:
    match value:
        case str():
            yield from (match[0] for match in VAULT_REFERENCE.finditer(value))
        case Record():
            yield from _references(list(value.values().values()))
        case Mapping():
            yield from _references([*value, *value.values()])
        case tuple() | list():
            for each in value:
                yield from _references(each)


class TargetCommand(Command, kw_only=True):
    """A command that names an element. `strict`: raise an error if several elements fit equally well."""

    strict: bool = flag("several elements that fit equally well are an error")
