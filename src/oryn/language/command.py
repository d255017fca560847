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
from oryn.language.effects import EVERY, Effect, is_safe
from oryn.language.kinds import DURATION, OUTPUT, PATH, URL, URLS, HeadersKind, JsonOrFileKind, PictureKind, ValueKind

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


OUTPUT_NAMES = ("output", "out", "to")
"""The names of the option for the file to write, of which the first is canonical. A command whose argument is that file
takes them, too."""


def output_option(help: str = "the file to write", kind: ValueKind[str] = PATH) -> str | None:
    """Declare the option for the file to write, in the field `output`."""
    return option(kind, help, aliases=OUTPUT_NAMES[1:])


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


_ACTING_FAMILIES = frozenset({"Moving", "Acting", "Intents", "Device"})
"""Families whose commands act on the current tab unless they only read."""


class CommandSpec:
    """The declaration of a command, read from its class."""

    def __init__(self, type_: RecordType, declared: dict[str, Any]) -> None:
        self.type = type_
        self.path: tuple[str, ...] = tuple(declared["path"].split())
        """The verb, or the verb and its sub-commands."""
        self.family: str = declared["family"]
        self.help: str = declared["help"]
        self.guarantee: str | None = declared.get("guarantee")
        """What is true after it, unless the answer is an error: the table in docs/looking.md."""
        self.example: str | None = declared.get("example")
        self.aliases: tuple[str, ...] = declared.get("aliases", ())
        """Other verbs for the command in raw text."""
        self.api_aliases: tuple[str, ...] = declared.get("api_aliases", ())
        """Two-word names of the command in APIs, if a line has its own name for it (`tab list`)."""
        self.conflicts: tuple[tuple[str, str], ...] = declared.get("conflicts", ())
        """Pairs of options or arguments, by field name, that exclude each other."""
        self.either: tuple[str, ...] = declared.get("either", ())
        """Names of fields of which at least one is required."""
        self.open: bool = declared.get("open", False)
        """Whether it takes options of any name, each with a value, in the field `parameters`."""
        self.api_name: str = declared.get("api_name", " ".join(self.path))
        """The name of the command in interfaces that don't use lines (the JSON vocabulary, the command line, tools). It
        differs from `name` if the verb has another meaning there."""
        self.effects: tuple[Effect, ...] = declared.get("effects", () if declared.get("safe") else EVERY)
        """The kinds of what it does, first what it is for. `safe=True` declares that there are none: it only reads and
        moves. A command that declares nothing is assumed to do anything. (`Command.effects` also considers the
        arguments.)"""
        self.scope: CommandScope = declared.get("scope", "session")
        """What runs it. Each host states which scopes it serves."""
        self.reads: bool = declared.get("reads", False)
        """Whether it only looks at what is there: it changes neither the page, nor the session, nor a file that a user
        has named, and sends nothing anywhere."""
        self.acts: bool = declared.get("acts", not self.reads and self.family in _ACTING_FAMILIES)
        """Whether it acts on the current tab, so that it is refused while the tab belongs to somebody else."""
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
        written: tuple[Argument | Option, ...] = (*self.arguments, *self.options.values())
        self.maskable: tuple[tuple[str, ValueKind[Any]], ...] = tuple(
            (each.name, each.kind) for each in written if each.kind is not None and _may_be_secret(each.kind)
        )
        """The fields that may hold a secret, by name and kind."""
        self.path_fields: tuple[str, ...] = tuple(
            each.name
            for each in written
            if each.kind is not None and (each.kind.label == PATH.label or isinstance(each.kind, JsonOrFileKind))
        )
        """The fields that are paths of files."""
        self.nameless: Option | None = next(
            (each for each in self.options.values() if isinstance(each.kind, PictureKind)), None
        )
        """The option of which some values need no name (`screenshot page.png`)."""
        self.output: Argument | None = next((each for each in self.arguments if each.kind is OUTPUT), None)
        """The argument that is the file to write, which options of `OUTPUT_NAMES` may give instead."""
        self.field_aliases: dict[str, str] = {
            alias.replace("-", "_"): each.name for each in self.options.values() for alias in each.aliases
        }
        """The fields by the other names of their options, for callers that send data."""
        if self.output is not None:
            self.field_aliases |= dict.fromkeys(OUTPUT_NAMES, self.output.name)
        first = self.arguments[0] if self.arguments else None
        self.choice: tuple[str, ...] = first.kind.words if first and first.required else ()
        """The words of a first argument that is a choice. They distinguish this command from others with
        the same path."""

    @property
    def name(self) -> str:
        """The path as text: `cookies get`."""
        return " ".join(self.path)

    @property
    def safe(self) -> bool:
        """Whether it changes nothing at a site, nor what the session stores or sends, unless its arguments do."""
        return is_safe(self.effects)


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

VAULT_REFERENCE = re.compile(r"\{\{\s*+vault:\s*+((?:[^{}\s]++|\s++(?!\}))*+)\s*+\}\}")
"""A reference to a value of the vault by its name: `{{vault:shop.password}}`. The engine replaces it when it sends the
value."""


def mask_secret(text: str) -> str:
    """Replace a credential by `MASK`. A reference to the vault stays, because it is not secret."""
    return text if VAULT_REFERENCE.fullmatch(text) else MASK


_PASSWORD = re.compile(
    r"passw|passcode|passphrase|\b(?:otp|pin|cv[cv]2?)\b"
    r"|(?:one.?time|verification|security|authenticat\w{0,4}|2fa|sms|log.?in|confirmation|access).?code",
    re.IGNORECASE,
)


def names_password(text: str) -> bool:
    """Return whether a field of that name is for a password, or for a code in the place of one."""
    return _PASSWORD.search(text) is not None


_CREDENTIAL = re.compile(
    r"auth(?!or(?!i))|token|secret|passw|passcode|passphrase|credential|cookie|signature|api.?key|session.?(?:id|key)"
    r"|(?:^|[-_.])(?:key|otp|jwt|sig|sid|pwd)$|^(?:code|pin|session|ticket|assertion)$",
    re.IGNORECASE,
)


def names_credential(text: str) -> bool:
    """Return whether the value of a header, a cookie, a key of web storage or a URL's parameter of that name is for
    nobody else to read."""
    return _CREDENTIAL.search(text) is not None


_USER = re.compile(r"((?:[a-z][a-z0-9+.-]*:)?[/\\]{2,})([^/\\?#]*)@", re.IGNORECASE)
_PARAMETER = re.compile(r"([?&#;])([^=&#;?]+)=([^&#;]*)")
_SCHEMES = frozenset({"", "basic", "bearer", "digest", "token", ":"})


def _mask_credential(text: str) -> str:
    """Replace a credential by `MASK`, unless it is only references to the vault, also behind a scheme (`Bearer`)."""
    left = VAULT_REFERENCE.sub("", text) if "{{" in text else text
    return text if not text or (left != text and left.strip().lower() in _SCHEMES) else MASK


def mask_url(url: str) -> str:
    """Replace the user and password in a URL, and the values of parameters that are credentials."""
    if "@" in url and (found := _USER.match(url)):
        url = f"{found[1]}{_mask_credential(found[2])}@{url[found.end() :]}"
    if "=" not in url:
        return url
    return _PARAMETER.sub(
        lambda each: f"{each[1]}{each[2]}={_mask_credential(each[3]) if names_credential(each[2]) else each[3]}", url
    )


def _mask_value(value: Any, kind: ValueKind[Any]) -> Any:
    """Return the value of a field with its secrets replaced."""
    if value is None:
        return None
    if kind.secret:
        return mask_secret(value)
    if isinstance(kind, HeadersKind):
        return {each: _mask_credential(text) if names_credential(each) else text for each, text in value.items()}
    return mask_url(value) if isinstance(value, str) else tuple(map(mask_url, value))


def _may_be_secret(kind: ValueKind[Any]) -> bool:
    return kind.secret or kind is URL or kind is URLS or isinstance(kind, HeadersKind)


def with_vault_field(text: str, field: str) -> str:
    """Complete a reference without a field by the given field: `{{vault:shop}}` → `{{vault:shop.password}}`. One to a
    password manager, which has a colon, is complete."""
    found = VAULT_REFERENCE.fullmatch(text)
    return f"{{{{vault:{found[1]}.{field}}}}}" if found and not {".", ":"} & set(found[1]) else text


def has_line_break(value: Any) -> bool:
    """Return whether a text in the value of a field has a line break."""
    return any("\n" in text or "\r" in text for text in texts_in(value))


def texts_in(value: Any) -> Iterator[str]:
    """Yield every text in the value of a field: its own, and those in its records, mappings and sequences."""
    waiting = [value]
    while waiting:
        match waiting.pop():
            case str() as text:
                yield text
            case Record() as record:
                waiting.append(record.values())
            case Mapping() as mapping:
                waiting += reversed([*mapping, *mapping.values()])
            case tuple() | list() as sequence:
                waiting += reversed(sequence)


class Command(Record, metaclass=CommandType, kw_only=True):
    """Base of every command. `timeout` is in seconds; None means the timeout of the settings. (`exit` has
    no timeout.)"""

    spec: ClassVar[CommandSpec]
    timeout: float | None = option(DURATION, "how long it may take")

    @property
    def effects(self) -> tuple[Effect, ...]:
        """The kinds of what it does, with these arguments."""
        return self.spec.effects

    @property
    def safe(self) -> bool:
        """Whether a read-only session may run it."""
        return is_safe(self.effects)

    @property
    def has_placeholder(self) -> bool:
        """Whether one of its texts contains `{{`, so that a reference to the vault may be in it."""
        return any("{{" in text for text in texts_in(self))

    @property
    def has_secret(self) -> bool:
        return self.masked() is not self

    def masked(self) -> Self:
        """Return the command with its secrets replaced by `MASK`; the command itself if it has none."""
        changed = {}
        for name, kind in self.spec.maskable:
            value = getattr(self, name)
            if (masked := _mask_value(value, kind)) != value:
                changed[name] = masked
        return self.replace(**changed) if changed else self

    @property
    def paths(self) -> tuple[str, ...]:
        """The paths of files among its arguments, as they are written."""
        if not self.spec.path_fields:
            return ()
        values = [getattr(self, name) for name in self.spec.path_fields]
        texts = [[each] if isinstance(each, str) else each for each in values if each is not None]
        # Of `JsonOrFileKind`, a value may be JSON itself.
        return tuple(text for each in texts for text in each if not text.startswith("{"))

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
