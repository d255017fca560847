"""Trees that no author would write: nothing that a page has where the scanner expects an element ends in an exception.

Shadow roots that are drawn anew, nodes that are removed while they are read, frames without a root element, elements of
other namespaces with HTML's names, comments, texts right in a shadow root."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st

SCRIPT = Path(__file__).with_name("random_page.js").read_text(encoding="utf-8")

TAGS = (
    "div span p a area button input input input textarea select option optgroup label form fieldset legend iframe frame "
    "object details summary dialog table tr td th ul li img svg title text math mi x-part slot template output progress "
    "meter video canvas h1 nav main body html datalist"
).split()
ATTRIBUTES = {
    "role": "button checkbox radio combobox listbox option slider spinbutton alert status log dialog tab textbox switch "
    "menu menuitem row cell grid treeitem none timer".split(),
    "type": "text checkbox radio range date time color file hidden submit image number password".split(),
    "class": ["alert", "toast", "modal cookie", "spinner loading", "select", "calendar datepicker", "icon"],
    "id": ["one", "two", "three"],
    "for": ["one", "two", "three"],
    "list": ["one", "two"],
    "aria-labelledby": ["one two", "three"],
    "aria-controls": ["one two", "three"],
    "aria-owns": ["one", "two three"],
    "aria-describedby": ["one", "two"],
    "aria-expanded": ["true", "false"],
    "aria-checked": ["true", "mixed"],
    "aria-invalid": ["true"],
    "aria-live": ["polite", "off"],
    "aria-haspopup": ["listbox", "dialog"],
    "aria-label": ["a", "Close", "b"],
    "contenteditable": ["true", "plaintext-only", "false"],
    "tabindex": ["0", "-1", "5"],
    "onclick": ["0"],
    "name": ["one", "parentNode", "style", "tabIndex", "scrollBy", "blur", "select", "childNodes", "elements"],
    "value": ["a", "2026-12-24"],
    "slot": ["", "s"],
    "href": ["#", "https://example.invalid/"],
    "open": [""],
    "multiple": [""],
    "disabled": [""],
    "draggable": ["true"],
    "style": [
        "position: fixed; inset: 0; z-index: 99",
        "display: contents",
        "display: none",
        "overflow: auto; height: 20px",
        "opacity: 0",
        "cursor: pointer",
        "visibility: hidden",
    ],
}

texts = st.sampled_from(["a", "b", " ", "Accept all cookies", "12:30", "December 2026", "23", "24", "\u00a0"])


def _elements(children: st.SearchStrategy[Any]) -> st.SearchStrategy[Any]:
    shadows = st.fixed_dictionaries({"mode": st.sampled_from(["open", "open", "closed"]), "children": children})
    return st.fixed_dictionaries(
        {
            "space": st.sampled_from(["html"] * 5 + ["svg", "math", "own"]),
            "tag": st.sampled_from(TAGS + ["div", "span", "x-part", "x-part"] * 6),  # those that may have a shadow root
            "attributes": st.lists(st.sampled_from(sorted(ATTRIBUTES)), max_size=4, unique=True).flatmap(
                lambda names: st.fixed_dictionaries({name: st.sampled_from(ATTRIBUTES[name]) for name in names})
            ),
            "children": children,
            "shadow": st.one_of(st.none(), shadows, shadows),
        }
    )


leaves = st.one_of(
    st.builds(lambda text: {"text": text}, texts),
    st.just({"comment": "a comment"}),
    st.just({"instruction": "an instruction"}),
)
trees = st.recursive(
    st.lists(leaves | _elements(st.just([])), max_size=4),
    lambda children: st.lists(leaves | _elements(children), min_size=1, max_size=5),
    max_leaves=40,
)
changes = st.tuples(
    st.sampled_from(
        "redraw redraw text remove move adopt unroot reroot unbody comment say attribute reload fragment".split()
    ),
    st.integers(0, 30),
)
pages = st.fixed_dictionaries(
    {
        "body": trees,
        "changes": st.lists(changes, min_size=1, max_size=5),
        "acts": st.lists(st.tuples(st.integers(0, 60), st.integers(0, 40)), max_size=25),
        "traps": st.lists(changes, max_size=12),
    }
)


def _element(tag: str, *children: Any, space: str = "html", **attributes: str) -> dict[str, Any]:
    return {"space": space, "tag": tag, "attributes": attributes, "children": list(children), "shadow": None}


COMPONENT = {**_element("x-part"), "shadow": {"mode": "open", "children": [{"text": "a"}, _element("button")]}}
FOREIGN_LABEL = _element("label", _element("p", _element("input", type="checkbox")), onclick="0", space="svg")


@pytest.mark.slow
@settings(max_examples=60, suppress_health_check=list(HealthCheck))
@given(page=pages)
@example(page={"body": [COMPONENT], "changes": [("redraw", 0), ("text", 0)], "acts": [], "traps": []})
@example(page={"body": [FOREIGN_LABEL], "changes": [("unroot", 0)], "acts": [(38, 1), (45, 3)], "traps": []})
def test_no_tree_ends_in_an_exception(show: Any, page: dict[str, Any]) -> None:
    shown = show("<title>Random</title>")
    assert shown.in_page(f"{SCRIPT}\nawait tryEverything({json.dumps(page)})") == []
