"""The texts of remote objects (`RemoteObject` and its previews), as a developer's console shows them.

https://console.spec.whatwg.org/#formatter and
https://chromedevtools.github.io/devtools-protocol/tot/Runtime/#type-RemoteObject"""

from __future__ import annotations

import re
from typing import Any

_FORMAT = re.compile(r"%[sdifoOc%]")
_STACK_LINE = re.compile(r"\n[^\S\n]++at ")


def split_stack(description: str) -> tuple[str, str]:
    """The message of an error, and the lines of its stack."""
    found = _STACK_LINE.search(description)
    if found is None:
        return description, ""
    return description[: found.start()], "\n".join(
        line.strip() for line in description[found.start() + 1 :].split("\n")
    )


def is_error(value: dict[str, Any]) -> bool:
    return value.get("subtype") == "error" and "description" in value


def formatted(arguments: list[dict[str, Any]]) -> str:
    """The text of a call: `console.log("%s is %d", "a", 1)` is `a is 1`; values without a placeholder follow it."""
    if not arguments or arguments[0].get("type") != "string":
        return " ".join(map(text_of, arguments))
    rest = arguments[1:]

    def replace(found: re.Match[str]) -> str:
        if found[0] == "%%":
            return "%"
        if not rest:
            return found[0]
        value = rest.pop(0)
        return "" if found[0] == "%c" else text_of(value)

    head = _FORMAT.sub(replace, arguments[0]["value"]) if rest else arguments[0]["value"]
    return " ".join([head, *map(text_of, rest)])


def text_of(value: dict[str, Any]) -> str:
    """The text of a remote object."""
    if "unserializableValue" in value:
        return str(value["unserializableValue"])
    if value["type"] in ("string", "boolean", "number"):
        return _primitive(value["value"])
    if value["type"] == "undefined" or value.get("subtype") == "null":
        return "undefined" if value["type"] == "undefined" else "null"
    if is_error(value):
        return split_stack(value["description"])[0]
    preview = value.get("preview")
    if preview is not None and value.get("subtype") not in ("node", "date", "regexp"):
        return _preview(preview)
    return str(value.get("description", value["type"]))


def _primitive(value: Any) -> str:
    if isinstance(value, bool):
        return str(value).lower()
    return f"{value:g}" if isinstance(value, float) and value.is_integer() else str(value)


def _preview(preview: dict[str, Any]) -> str:
    """`{a: 1, b: "x"}`, `[1, 2]`, `Map(1) {1 => 2}`; values that the browser left out are `…`."""
    array = preview.get("subtype") in ("array", "typedarray")
    parts = [
        _property(part) if array and part["name"].isdigit() else f"{part['name']}: {_property(part)}"
        for part in preview.get("properties", ())
    ]
    for entry in preview.get("entries", ()):
        key = f"{_entry(entry['key'])} => " if "key" in entry else ""
        parts.append(f"{key}{_entry(entry['value'])}")
    inner = ", ".join([*parts, "…"] if preview.get("overflow") else parts)
    if array:
        return f"[{inner}]"
    name = preview.get("description", "")
    return f"{{{inner}}}" if name in ("Object", "") else f"{name} {{{inner}}}"


def _property(part: dict[str, Any]) -> str:
    if part["type"] == "string":
        return f'"{part.get("value", "")}"'
    if part["type"] == "function":
        return "ƒ"
    if part["type"] == "accessor":
        return "(…)"
    return str(part.get("value") or part["type"])


def _entry(value: dict[str, Any]) -> str:
    if value["type"] == "string":
        return f'"{value.get("description", "")}"'
    return _preview(value) if value.get("properties") else str(value.get("description", value["type"]))
