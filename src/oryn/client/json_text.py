"""JSON text of simple data, without the time that importing `json` takes."""

from __future__ import annotations

try:
    from _json import encode_basestring_ascii as _quoted
except ImportError:  # another Python than CPython
    from json.encoder import py_encode_basestring_ascii as _quoted

TYPE_CHECKING = False  # without the import of `typing`
if TYPE_CHECKING:
    from typing import Any


def json_text(data: Any) -> str:
    """The JSON text of strings, booleans, and lists and objects of such."""
    if isinstance(data, str):
        return _quoted(data)
    if isinstance(data, bool):
        return "true" if data else "false"
    if isinstance(data, dict):
        return f"{{{','.join(f'{_quoted(name)}:{json_text(value)}' for name, value in data.items())}}}"
    return f"[{','.join(map(json_text, data))}]"
