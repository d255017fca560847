"""The JSON Schemas of the results of research commands, from the classes of `oryn.research`:
`python -m scripts.docs.research_results` writes them where `/openapi.json` reads them. A test compares them.

The daemon can't make them: the classes need the packages of the extra `research`."""

from __future__ import annotations

import inspect
import json
import types
from collections.abc import Mapping
from pathlib import Path
from typing import Any, Literal, Union, get_args, get_origin, get_type_hints

from oryn.core.records import Record
from oryn.language.command import Command
from oryn.language.commands.research import (
    CollectionDrop,
    Collections,
    Crawl,
    Graph,
    Investigate,
    MapSite,
    WebExtract,
    WebSearch,
)
from oryn.research.crawling.models import CrawlTotals, PageFailure
from oryn.research.crawling.site_mapper import SiteMap
from oryn.research.documents import Article, Hit
from oryn.research.graph.knowledge import KnowledgeGraph
from oryn.research.index.interface import Collection
from oryn.research.report import Report
from oryn.research.structured_data import PageData

FILE = Path(__file__).parents[2] / "src" / "oryn" / "daemon" / "http" / "research_results.json"
PREFIX = "Research"
"""What the names of these schemas begin with in the description of the daemon."""
_REFERENCE = f"#/components/schemas/{PREFIX}"
_SIMPLE: dict[Any, dict[str, Any]] = {
    str: {"type": "string"},
    int: {"type": "integer"},
    float: {"type": "number"},
    bool: {"type": "boolean"},
    Any: {},
}


class SchemaCollector:
    """Makes schemas of classes; `schemas` has each by its name."""

    def __init__(self) -> None:
        self.schemas: dict[str, Any] = {}

    def reference(self, record: type[Record]) -> dict[str, Any]:
        """A reference to the schema of a class."""
        if record.__name__ not in self.schemas:
            self.schemas[record.__name__] = {}  # for classes that refer to themselves
            self.schemas[record.__name__] = self._record(record)
        return {"$ref": _REFERENCE + record.__name__}

    def _record(self, record: type[Record]) -> dict[str, Any]:
        """Optional fields are left out of a result if they are None or empty."""
        hints = get_type_hints(record)
        fields = record.__fields__
        return {
            "title": f"{PREFIX}{record.__name__}",
            "description": " ".join((inspect.getdoc(record) or "").split()),
            "type": "object",
            "properties": {name: self.schema(hints[name]) for name in fields},
            "required": [name for name, field in fields.items() if field.required],
        }

    def schema(self, hint: Any) -> dict[str, Any]:
        """The schema of the values of a type."""
        origin, arguments = get_origin(hint), get_args(hint)
        if hint in _SIMPLE:
            return _SIMPLE[hint]
        if isinstance(hint, type) and issubclass(hint, Record):
            return self.reference(hint)
        if origin is Literal:
            return {"enum": list(arguments)}
        if origin in (Union, types.UnionType):
            parts = [self.schema(each) for each in arguments if each is not type(None)]
            return parts[0] if len(parts) == 1 else {"anyOf": parts}
        if origin is tuple and arguments[-1] is not Ellipsis:
            return {"type": "array", "prefixItems": [self.schema(each) for each in arguments]}
        if origin in (tuple, list):
            return {"type": "array", "items": self.schema(arguments[0])}
        if isinstance(origin, type) and issubclass(origin, Mapping):
            return {"type": "object", "additionalProperties": self.schema(arguments[1])}
        raise TypeError(f"no schema for {hint}")


def results() -> dict[str, Any]:
    """`schemas` by name, and `results`: the schema of `data.result` by the name of the command."""
    collector = SchemaCollector()
    refer = collector.reference
    text = {"type": "string"}
    written = _object({"path": text}, "With `to`: the file that has the result.", "path")
    failed = _object({"url": text, "error": refer(PageFailure)}, "A page that can't be read.", "url", "error")
    read = _object({"url": text, "article": refer(Article)}, "A page that was read.", "url", "article")
    preview = _object({"url": text, "title": text, "error": refer(PageFailure)}, "A page of a file.", "url")
    totals = {"totals": refer(CrawlTotals), "path": text, "pages": {"type": "array", "items": preview}}
    by_command: dict[type[Command], Any] = {
        WebSearch: _array(refer(Hit)),
        WebExtract: {"anyOf": [_array({"anyOf": [read, failed, refer(PageData)]}), written]},
        Crawl: _object(totals, "The figures of the crawl; its pages are in the file, or were streamed.", "totals"),
        MapSite: {"anyOf": [refer(SiteMap), written]},
        Investigate: {"anyOf": [refer(Report), written]},
        Graph: {"anyOf": [refer(KnowledgeGraph), written]},
        Collections: _array(refer(Collection)),
        CollectionDrop: _object({"dropped": text}, "The collection that was deleted.", "dropped"),
    }
    # Only the text in the requested format is there.
    collector.schemas["Article"]["required"] = ["url", "title"]
    named = {command.spec.name: schema for command, schema in by_command.items()}
    return {"schemas": {f"{PREFIX}{name}": each for name, each in collector.schemas.items()}, "results": named}


def _array(items: Any) -> dict[str, Any]:
    return {"type": "array", "items": items}


def _object(properties: dict[str, Any], description: str, *required: str) -> dict[str, Any]:
    return {"description": description, "type": "object", "properties": properties, "required": list(required)}


def results_text() -> str:
    """The text of the file."""
    return json.dumps(results(), indent=1, ensure_ascii=False) + "\n"


if __name__ == "__main__":
    FILE.write_text(results_text(), "utf-8")
