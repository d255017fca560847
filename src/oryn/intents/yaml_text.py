"""Reads and writes YAML. Input is untrusted: it must be small and flat, without anchors or aliases.

With aliases ten lines can mean a billion values, and intents don't need them. So they are rejected before any value is
constructed. PyYAML is imported when the first file is read or written."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from typing import Any

from oryn.errors import InvalidDefinition

MAX_BYTES = 256_000
"""Maximum size of a file, in bytes."""
MAX_DEPTH = 40
MAX_VALUES = 20_000
_TOO_DEEP = f"nested deeper than {MAX_DEPTH} levels"
_PARSER_DEPTH_ERROR = "exceeded maximum nesting depth"
"""What libyaml says since PyYAML 6.0.4 if nesting exceeds a limit of its own, which may be before its first event."""


def parse_yaml(content: bytes) -> Any:
    """Return the plain data of a YAML text. Raises `InvalidDefinition` with the line of the error."""
    import yaml

    if len(content) > MAX_BYTES:
        raise InvalidDefinition(f"larger than {MAX_BYTES} bytes")
    try:
        text = content.decode("utf-8-sig")
        _check_events(text)
        return yaml.load(text, _loader())
    except yaml.MarkedYAMLError as error:
        line = f"line {error.problem_mark.line + 1}: " if error.problem_mark else ""
        if error.problem == _PARSER_DEPTH_ERROR:
            raise InvalidDefinition(f"{line}{_TOO_DEEP}") from error
        raise InvalidDefinition(f"{line}not YAML: {error.problem}") from error
    except (yaml.YAMLError, ValueError, OverflowError) as error:
        raise InvalidDefinition(f"not YAML: {error}".split("\n")[0]) from error


def _check_events(text: str) -> None:
    """Check the events of the parser, which take no memory, before values are constructed from them."""
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
        if depth > MAX_DEPTH:
            raise InvalidDefinition(f"{line}{_TOO_DEEP}")
        if values > MAX_VALUES:
            raise InvalidDefinition(f"{line}more than {MAX_VALUES} values")


@cache
def _loader() -> Any:
    """Return a safe loader that rejects equal keys; PyYAML's lets the last one win."""
    import yaml

    base: Any = getattr(yaml, "CSafeLoader", yaml.SafeLoader)

    class Loader(base):  # type: ignore[misc]
        def construct_mapping(self, node: Any, deep: bool = False) -> Any:
            seen = set()
            for key, _ in node.value:
                if not isinstance(key, yaml.ScalarNode):
                    raise yaml.constructor.ConstructorError(None, None, "a key is one text", key.start_mark)
                if key.value in seen:
                    raise yaml.constructor.ConstructorError(None, None, f"{key.value!r} appears twice", key.start_mark)
                seen.add(key.value)
            return super().construct_mapping(node, deep)

    return Loader


def render_yaml(data: Mapping[str, Any]) -> str:
    """Render a mapping as YAML for people: keys in their order, one step a line."""
    import yaml

    text = yaml.dump(
        _plain_data(data),
        Dumper=_dumper(),
        sort_keys=False,
        allow_unicode=True,
        width=1000,
        default_flow_style=False,
    )
    return str(text)


@cache
def _dumper() -> Any:
    """Return a safe dumper that writes texts of several lines as blocks."""
    import yaml

    class Dumper(yaml.SafeDumper):
        """Has a representer of its own."""

    def block(dumper: Any, text: str) -> Any:
        return dumper.represent_scalar("tag:yaml.org,2002:str", text, style="|" if "\n" in text else None)

    Dumper.add_representer(str, block)
    return Dumper


def _plain_data(value: Any) -> Any:
    """Copy the data with lists instead of tuples and without shared values, for which YAML would write an alias."""
    if isinstance(value, Mapping):
        return {key: _plain_data(each) for key, each in value.items()}
    if isinstance(value, list | tuple):
        return [_plain_data(each) for each in value]
    return value
