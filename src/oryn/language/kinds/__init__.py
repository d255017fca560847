"""The kinds of arguments and option values that the table of commands is made of."""

from __future__ import annotations

from oryn.language.kinds.base import ParsedValue, ValueKind
from oryn.language.kinds.json import HeadersKind, JsonKind, JsonObjectKind, JsonTextKind
from oryn.language.kinds.keys import KeyCombinationKind, KeyKind
from oryn.language.kinds.numbers import (
    DurationKind,
    IntegerKind,
    NumberKind,
    OffsetKind,
    Region,
    RegionKind,
    RegionsKind,
)
from oryn.language.kinds.special import (
    DefinedNameKind,
    DismissKind,
    ExtractKind,
    JsonOrFileKind,
    RolesKind,
    SelectionKind,
)
from oryn.language.kinds.targets import TargetKind
from oryn.language.kinds.text import (
    CaseFoldedKind,
    ChoiceKind,
    DomainKind,
    IdentifierKind,
    ListKind,
    NameKind,
    PictureKind,
    SecretKind,
    StringKind,
    UrlKind,
    WordsKind,
)

TARGET = TargetKind()
TEXT = StringKind("text")
CSS = StringKind("css")
JAVASCRIPT = StringKind("js")
PATTERN = StringKind("pattern")
PROGRAM = StringKind("program")
PASSWORD = SecretKind("password")
PATH = NameKind("path")
PICTURE = PictureKind("path")
OUTPUT = NameKind("path")
"""The path of the file that a command writes, as its argument."""
PATHS = (PATH, PICTURE, OUTPUT)
NAME = NameKind("name")
VALUE = NameKind("value")
URL = UrlKind("url")
URLS = ListKind(URL)
PATTERNS = ListKind(NameKind("pattern"))
DOMAIN = DomainKind("domain")
SESSION_NAME = IdentifierKind("name", reserved=("new", "close"))
IDENTIFIER = IdentifierKind("name")
ROLES = RolesKind()
COUNT = IntegerKind("n")
REGION = RegionKind()
REGIONS = RegionsKind()
DURATION = DurationKind()
JSON = JsonKind()
JSON_OBJECT = JsonObjectKind()
JSON_OR_FILE = JsonOrFileKind()
JSON_TEXT = JsonTextKind()
HEADERS = HeadersKind()
COMMAND_NAME = CaseFoldedKind("command", r"[^\W\d]\w*")
METHOD = CaseFoldedKind("METHOD", r"[A-Za-z][A-Za-z-]{0,31}", upper=True)

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
    "JSON_OR_FILE",
    "JSON_TEXT",
    "METHOD",
    "NAME",
    "OUTPUT",
    "PASSWORD",
    "PATH",
    "PATHS",
    "PATTERN",
    "PATTERNS",
    "PICTURE",
    "PROGRAM",
    "REGION",
    "REGIONS",
    "ROLES",
    "SESSION_NAME",
    "TARGET",
    "TEXT",
    "URL",
    "URLS",
    "VALUE",
    "CaseFoldedKind",
    "ChoiceKind",
    "DefinedNameKind",
    "DismissKind",
    "DomainKind",
    "DurationKind",
    "ExtractKind",
    "HeadersKind",
    "IdentifierKind",
    "IntegerKind",
    "JsonKind",
    "JsonObjectKind",
    "JsonOrFileKind",
    "JsonTextKind",
    "KeyCombinationKind",
    "KeyKind",
    "ListKind",
    "NameKind",
    "NumberKind",
    "OffsetKind",
    "ParsedValue",
    "PictureKind",
    "Region",
    "RegionKind",
    "RegionsKind",
    "RolesKind",
    "SecretKind",
    "SelectionKind",
    "StringKind",
    "TargetKind",
    "UrlKind",
    "ValueKind",
    "WordsKind",
]
