"""YAML in and out. What is read may come from anybody: it is small, flat, and nothing in it repeats by reference.

An alias lets ten lines mean a billion values, and an intent needs none: they are refused before anything is built.
PyYAML is imported when the first file is read or written.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from typing import Any

from oryn.errors import InvalidDefinition

SIZE_LIMIT = 256_000
"""Bytes of a file."""
DEPTH_LIMIT = 40
VALUES_LIMIT = 20_000


def read(content: bytes) -> Any:
    """The plain data of a YAML text. Raises `InvalidDefinition` with the line that is wrong."""
    import yaml

    if len(content) > SIZE_LIMIT:
        raise InvalidDefinition(f"larger than {SIZE_LIMIT} bytes")
    try:
        text = content.decode("utf-8-sig")
        _check(text)
        return yaml.load(text, _loader())
    except yaml.MarkedYAMLError as error:
        line = f"line {error.problem_mark.line + 1}: " if error.problem_mark else ""
        raise InvalidDefinition(f"{line}not YAML: {error.problem}") from error
    except (yaml.YAMLError, ValueError, OverflowError) as error:
        raise InvalidDefinition(f"not YAML: {error}".split("\n")[0]) from error


def _check(text: str) -> None:
    """Walk over the events, which cost nothing to hold, before values are made of them."""
    import yaml

    depth = values = 0
    for event in yaml.parse(text, getattr(yaml, "CSafeLoader", yaml.SafeLoader)):
        line = f"line {event.start_mark.line + 1}: " if event.start_mark else ""
        if isinstance(event, yaml.AliasEvent) or getattr(event, "anchor", None):
            raise InvalidDefinition(
                f"{line}anchors and aliases (& and *) are refused", "Write it out, or quote the text."
            )
        depth += isinstance(event, yaml.CollectionStartEvent) - isinstance(event, yaml.CollectionEndEvent)
        values += isinstance(event, yaml.NodeEvent)
        if depth > DEPTH_LIMIT:
            raise InvalidDefinition(f"{line}nested deeper than {DEPTH_LIMIT} levels")
        if values > VALUES_LIMIT:
            raise InvalidDefinition(f"{line}more than {VALUES_LIMIT} values")


@cache
def _loader() -> Any:
    """The safe loader, which would let the last of two equal keys win."""
    import yaml

    base: Any = getattr(yaml, "CSafeLoader", yaml.SafeLoader)

    class Loader(base):  # type: ignore[misc]
        def construct_mapping(self, node: Any, deep: bool = False) -> Any:
            seen = set()
            for key, _ in node.value:
                if not isinstance(key, yaml.ScalarNode):
                    raise yaml.constructor.ConstructorError(None, None, "a key is one text", key.start_mark)
                if key.value in seen:
                    raise yaml.constructor.ConstructorError(None, None, f"{key.value!r} stands twice", key.start_mark)
                seen.add(key.value)
            return super().construct_mapping(node, deep)

    return Loader


def write(data: Mapping[str, Any]) -> str:
    """YAML for people: keys in their order, one step a line."""
    import yaml

    text = yaml.dump(
        _plain(data), Dumper=yaml.SafeDumper, sort_keys=False, allow_unicode=True, width=1000, default_flow_style=False
    )
    return str(text)


def _plain(value: Any) -> Any:
    """Without sharing, for which YAML would write an alias, and with lists for tuples."""
    if isinstance(value, Mapping):
        return {key: _plain(each) for key, each in value.items()}
    if isinstance(value, list | tuple):
        return [_plain(each) for each in value]
    return value
