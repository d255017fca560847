"""Changes of JSON documents: merge patches, whose keys may be pointers. Pure.

https://www.rfc-editor.org/rfc/rfc7396 (JSON Merge Patch), https://www.rfc-editor.org/rfc/rfc6901 (JSON Pointer)"""

from __future__ import annotations

from copy import deepcopy
from typing import Any


def edited(document: Any, edit: Any) -> Any:
    """Return a document as an edit changes it: an object's members are set, or removed if they are null; anything else
    takes the document's place. At the top, a key that begins with `/` is a pointer (`/items/0/price`, and `/items/-` is
    behind the last item).

    Raises `LookupError` with what a pointer does not lead to."""
    if not isinstance(edit, dict):
        return edit
    pointers = {key: value for key, value in edit.items() if key.startswith("/")}
    members = {key: value for key, value in edit.items() if key not in pointers}
    found = deepcopy(document)  # the pointers change it in place
    if members or not pointers:
        found = _merged(found, members)
    for pointer, value in pointers.items():
        _set(found, pointer, value)
    return found


def _merged(document: Any, edit: Any) -> Any:
    if not isinstance(edit, dict):
        return edit
    found = dict(document) if isinstance(document, dict) else {}
    for key, value in edit.items():
        if value is None:
            found.pop(key, None)
        else:
            found[key] = _merged(found.get(key), value)
    return found


def _set(document: Any, pointer: str, value: Any) -> None:
    *way, last = [part.replace("~1", "/").replace("~0", "~") for part in pointer.split("/")[1:]]
    place = document
    for part in way:
        place = place[_key(place, part, pointer)]
    if isinstance(place, list) and last == "-":
        place.append(value)
        return
    key = _key(place, last, pointer, is_new=value is not None)
    if value is None:
        del place[key]
    else:
        place[key] = value


def _key(place: Any, part: str, pointer: str, *, is_new: bool = False) -> Any:
    """The key or index of a part of a pointer; of an object also a key that it has not, if it `is_new`."""
    if isinstance(place, dict) and (is_new or part in place):
        return part
    if isinstance(place, list) and part.isdecimal() and int(part) < len(place):
        return int(part)
    raise LookupError(f"{pointer} leads nowhere")
