"""How a command is declared: a class of the table, its arguments, options and help.

    class Goto(Command, path="goto", family="Moving", help="Go to a URL", aliases=("navigate",)):
        url: str = argument(URL, "where to go")
        headers: dict[str, str] | None = option(HEADERS, "extra headers of this one request")

The parser, rendering, checks, `help`, the JSON form and the reference page all read `Goto.spec`.
"""

from __future__ import annotations

import re
from typing import Any, ClassVar, Literal, Self, TypeVar, dataclass_transform, overload

from oryn.language.kinds import DURATION, Kind
from oryn.records import Field, Record, RecordType

Value = TypeVar("Value")


class Argument(Field):
    """A positional argument. `lead` is a word that stands before it (`drag <target> to <target>`)."""

    __slots__ = ("help", "kind", "lead", "many")

    def __init__(self, kind: Kind[Any], help: str, *, required: bool, many: bool, lead: str, keyword: bool) -> None:
        super().__init__(required=required, keyword=keyword)
        self.kind = kind
        self.help = help
        self.many = many
        self.lead = lead


class Option(Field):
    """An option; `kind` is None for a flag. Of a `group` of flags the last written wins; the others count as absent.
    `aliases` are other names that may be written for it (`full-page`)."""

    __slots__ = ("aliases", "group", "help", "kind")

    def __init__(self, kind: Kind[Any] | None, help: str, *, group: str = "", aliases: tuple[str, ...] = ()) -> None:
        super().__init__(default=None if kind else False, keyword=True)
        self.kind = kind
        self.help = help
        self.group = group
        self.aliases = aliases

    @property
    def written(self) -> str:
        """`--respond-file`."""
        return f"--{self.key}"

    @property
    def key(self) -> str:
        """`respond-file`: its name in `CommandSpec.options`."""
        return self.name.replace("_", "-")


@overload
def argument(kind: Kind[Value], help: str, *, lead: str = "") -> Value: ...
@overload
def argument(kind: Kind[Value], help: str, *, default: None, kw_only: bool = False) -> Value | None: ...
@overload
def argument(kind: Kind[Value], help: str, *, many: Literal[True]) -> tuple[Value, ...]: ...
@overload
def argument(kind: Kind[Value], help: str, *, many: Literal[True], default: None) -> tuple[Value, ...] | None: ...
def argument(
    kind: Kind[Any], help: str, *, default: Any = ..., many: bool = False, lead: str = "", kw_only: bool = False
) -> Any:
    """An argument: required, or `default=None`, or `many` (one or more; with the default, also none). `kw_only`: given
    by keyword, for it stands in front of one that is required."""
    return Argument(kind, help, required=default is ..., many=many, lead=lead, keyword=kw_only)


def option(kind: Kind[Value], help: str, *, aliases: tuple[str, ...] = ()) -> Value | None:
    """An option with a value; None when it is not given. Like flags, options are given by keyword."""
    return Option(kind, help, aliases=aliases)  # type: ignore[return-value]


def flag(help: str, *, group: str = "", aliases: tuple[str, ...] = ()) -> bool:
    """An option without a value."""
    return Option(None, help, group=group, aliases=aliases)  # type: ignore[return-value]


def overwriting() -> bool:
    """The flag of every command that writes a file which its caller names."""
    return flag("replace the file also if Oryn has not made it")


class CommandSpec:
    """What a command's class declares."""

    def __init__(self, type_: RecordType, declared: dict[str, Any]) -> None:
        self.type = type_
        self.path: tuple[str, ...] = tuple(declared["path"].split())
        """The verb, or the verb and its sub-commands."""
        self.family: str = declared["family"]
        self.help: str = declared["help"]
        self.example: str | None = declared.get("example")
        self.aliases: tuple[str, ...] = declared.get("aliases", ())
        """Other verbs for it in raw text."""
        self.door_aliases: tuple[str, ...] = declared.get("door_aliases", ())
        """Two words for it at doors, where a line has its own (`tab list`, seed 004)."""
        self.conflicts: tuple[tuple[str, str], ...] = declared.get("conflicts", ())
        """Pairs of flags, by field name, that can't stand together."""
        self.open: bool = declared.get("open", False)
        """Takes options of any name, each with a value, in the field `parameters`."""
        self.door: str = declared.get("door", " ".join(self.path))
        """Its name where commands are not lines (the JSON vocabulary, the command line, tools): another one where its
        verb means something else there."""
        self.safe: bool = declared.get("safe", False)
        """It only looks and moves: it changes nothing at a site, nor what the session keeps or sends. What does not say
        so is taken to change something. (`Command.safe` also looks at the arguments.)"""
        self.host: bool = declared.get("host", False)
        """Only a host with doors can do it, and it is no line of the language."""
        self.conversation: bool = declared.get("conversation", False)
        """It changes how a host and its one caller talk. Where a host has many, each says that in another way."""
        self.person: bool = declared.get("person", False)
        """A person's word, which no model is given a tool for."""
        fields = type_.__fields__.values()
        self.arguments: tuple[Argument, ...] = tuple(each for each in fields if isinstance(each, Argument))
        omitted = () if declared.get("timed", True) else ("timeout",)
        self.options: dict[str, Option] = {
            each.key: each for each in fields if isinstance(each, Option) and each.name not in omitted
        }
        self.spellings: dict[str, Option] = {
            name: each for key, each in self.options.items() for name in (key, *each.aliases)
        }
        """The options by every name that may be written."""
        first = self.arguments[0] if self.arguments else None
        self.choice: tuple[str, ...] = first.kind.words if first and first.required else ()
        """The words of a first argument that is a choice: they tell this command from others with the same path."""

    @property
    def name(self) -> str:
        """`cookies get`."""
        return " ".join(self.path)


@dataclass_transform(frozen_default=True, field_specifiers=(argument,))
class CommandType(RecordType):
    """Makes a `CommandSpec` of the keywords of a class statement. (`kw_only` is for type checkers.)"""

    def __new__(mcls, name: str, bases: tuple[type, ...], namespace: dict[str, Any], **declared: Any) -> RecordType:
        return super().__new__(mcls, name, bases, namespace)

    def __init__(cls, name: str, bases: tuple[type, ...], namespace: dict[str, Any], **declared: Any) -> None:
        super().__init__(name, bases, namespace)
        if "path" in declared:
            type.__setattr__(cls, "spec", CommandSpec(cls, declared))


MASK = "••••"
"""What stands in the place of a secret."""

VAULT_REFERENCE = re.compile(r"\{\{\s*vault:\s*([^{}]*?)\s*\}\}")
"""`{{vault:shop.password}}`: a value of the vault, by its name. It is put in when the command writes it somewhere."""


def dots(text: str) -> str:
    """`MASK` in the place of a credential; a reference to the vault says where one is, and is none."""
    return text if VAULT_REFERENCE.fullmatch(text) else MASK


_PASSWORD = re.compile(r"passw|passcode|passphrase", re.IGNORECASE)


def names_password(text: str) -> bool:
    """Whether a field of that name takes a password."""
    return _PASSWORD.search(text) is not None


def of_entry(text: str, field: str) -> str:
    """`{{vault:shop}}` → `{{vault:shop.password}}`: an entry's name alone means the field that its place asks for."""
    found = VAULT_REFERENCE.fullmatch(text)
    return f"{{{{vault:{found[1]}.{field}}}}}" if found and "." not in found[1] else text


class Command(Record, metaclass=CommandType, kw_only=True):
    """Base of every command. `timeout` is in seconds; None leaves it to the setting. (`exit` takes none.)"""

    spec: ClassVar[CommandSpec]
    timeout: float | None = option(DURATION, "how long it may take")

    @property
    def safe(self) -> bool:
        """Whether a session that only looks (`read_only`) may run it."""
        return self.spec.safe

    @property
    def has_secret(self) -> bool:
        masked = self.masked()
        return masked is not self and masked != self

    def masked(self) -> Self:
        """The command with dots in the place of its secrets."""
        secrets = [each.name for each in self.spec.arguments if each.kind.secret]
        return self.replace(**{name: dots(getattr(self, name)) for name in secrets}) if secrets else self


class TargetCommand(Command, kw_only=True):
    """A command that names an element. `strict`: several that fit equally well are an error."""

    strict: bool = flag("several elements that fit equally well are an error")
