"""The kinds of arguments and option values that the table of commands is made of."""

from __future__ import annotations

from oryn.language.kinds.base import Kind, Written
from oryn.language.kinds.json import Headers, Json, JsonObject, JsonText
from oryn.language.kinds.keys import Combination, Key
from oryn.language.kinds.numbers import Duration, Integer, Number
from oryn.language.kinds.special import DefinedName, Dismissed, Extracted, Selection
from oryn.language.kinds.targets import TargetKind
from oryn.language.kinds.words import Domain, Folded, Identifier, Name, OneOf, Secret, Several, String, Url, Words

TARGET = TargetKind()
TEXT = String("text")
CSS = String("css")
JAVASCRIPT = String("js")
PATTERN = String("pattern")
PASSWORD = Secret("password")
PATH = Name("path")
NAME = Name("name")
VALUE = Name("value")
URL = Url("url")
URLS = Several(URL)
PATTERNS = Several(Name("pattern"))
DOMAIN = Domain("domain")
SESSION_NAME = Identifier("name", reserved=("new", "close"))
IDENTIFIER = Identifier("name")
COUNT = Integer("n")
DURATION = Duration()
JSON = Json()
JSON_OBJECT = JsonObject()
JSON_TEXT = JsonText()
HEADERS = Headers()
COMMAND_NAME = Folded("command", r"[^\W\d]\w*")
METHOD = Folded("METHOD", r"[A-Za-z][A-Za-z-]{0,31}", upper=True)

__all__ = [
    "COMMAND_NAME",
    "COUNT",
    "CSS",
    "DOMAIN",
    "DURATION",
    "HEADERS",
    "IDENTIFIER",
    "JAVASCRIPT",
    "JSON",
    "JSON_OBJECT",
    "JSON_TEXT",
    "METHOD",
    "NAME",
    "PASSWORD",
    "PATH",
    "PATTERN",
    "PATTERNS",
    "SESSION_NAME",
    "TARGET",
    "TEXT",
    "URL",
    "URLS",
    "VALUE",
    "Combination",
    "DefinedName",
    "Dismissed",
    "Domain",
    "Duration",
    "Extracted",
    "Folded",
    "Headers",
    "Identifier",
    "Integer",
    "Json",
    "JsonObject",
    "JsonText",
    "Key",
    "Kind",
    "Name",
    "Number",
    "OneOf",
    "Secret",
    "Selection",
    "Several",
    "String",
    "TargetKind",
    "Url",
    "Words",
    "Written",
]
