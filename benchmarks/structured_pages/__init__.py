"""Pages of twenty templates, three of each, with the values that a person would read from them.

`development` has the templates that the rules were written with, `held_out` those that were written before and measured
after. A template is a function of the number of its page (0 to 2)."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple


class Sample(NamedTuple):
    """A page: its HTML, the JSON Schema to read it with, and the right data, with None for what it does not say."""

    html: str
    schema: dict[str, Any]
    data: Any


Template = Callable[[int], Sample]


def object_schema(**properties: Any) -> dict[str, Any]:
    """The schema of an object. A value is a type's name, or a schema."""
    return {
        "type": "object",
        "properties": {
            name: {"type": value} if isinstance(value, str) else value for name, value in properties.items()
        },
    }


def list_of(**properties: Any) -> dict[str, Any]:
    """The schema of a list of objects."""
    return {"type": "array", "items": object_schema(**properties)}


def document(title: str, body: str, head: str = "") -> str:
    """A page with a menu and a footer around `body`."""
    return f"""<!doctype html><html lang="en"><head><meta charset="utf-8"><title>{title}</title>{head}</head><body>
<header class="site-header"><a class="logo" href="/">Fernhill</a><nav><ul><li><a href="/a">Shop</a></li>
<li><a href="/b">Journal</a></li><li><a href="/c">Contact</a></li></ul></nav></header>
{body}
<footer><p>Phone: 0800 123 456</p><p>© 2026 Fernhill. Prices: include VAT.</p></footer></body></html>"""


DATE = {"type": "string", "format": "date"}
URI = {"type": "string", "format": "uri"}
