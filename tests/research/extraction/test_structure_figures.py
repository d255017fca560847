"""What `benchmarks/extraction.py --structure` counts: which elements of a page, and when one is marked in the Markdown."""

from __future__ import annotations

import pytest

from benchmarks.extraction_structure import judged_elements


def figures(body: str, text: str, markdown: str) -> list[tuple[str, bool, bool]]:
    judged = judged_elements(f"<html><body>{body}</body></html>", text, markdown)
    return [(name, kept, marked) for name, _, kept, marked in judged]


def test_an_element_is_kept_or_lost_and_marked_or_not() -> None:
    body, text = "<ul><li>the ice on the pier</li></ul>", "the ice on the pier"
    assert figures(body, text, "- the ice on the pier") == [("list item", True, True)]
    assert figures(body, text, "the ice on the pier") == [("list item", True, False)]
    assert figures(body, text, "the wind") == [("list item", False, False)]
    assert figures(body, "the wind", "the wind") == []


def test_what_stands_elsewhere_as_well_is_not_judged() -> None:
    entry = "<ul><li>How thick ice is</li></ul>"
    assert figures(f"{entry}<h2>How thick ice is</h2>", "How thick ice is", "## How thick ice is") == []
    assert figures(f"{entry}{entry}", "How thick ice is", "- How thick ice is") == [("list item", True, True)] * 2


def test_lines_below_an_item_are_its_own() -> None:
    body = "<ul><li><p>the ice on</p><pre>pier --open 3</pre><p>the pier</p></li></ul>"
    text = "the ice on pier --open 3 the pier"
    markdown = "- the ice on\n\n  ```console\n  pier --open 3\n  ```\n\n  ![A view](https://linden.example/a.png)\n\n  the pier"
    assert figures(body, text, markdown) == [("code block", True, True), ("list item", True, True)]
    assert figures(body, text, markdown.replace("  the pier", "the pier"))[1] == ("list item", True, False)


def test_a_longer_fence_has_fences_within() -> None:
    body = "<pre>```tasks\nnot done yet\n```</pre>"
    assert figures(body, "```tasks not done yet```", f"````\n{body[5:-6]}\n````") == [("code block", True, True)]


@pytest.mark.parametrize(
    "body",
    [
        "<ul><li><h3>Ice</h3>on the whole pier</li></ul>",
        "<table><tr><td>the ice on the pier is thick</td></tr></table>",
        "<table><tr><td>Note</td><td>the ice on the pier is thick</td></tr></table>",
        "<table><tr><td>2</td><td><pre>pier</pre></td></tr><tr><td>the</td><td>ice is thick</td></tr></table>",
        "<pre>1\n2\n3</pre>",
    ],
    ids=["section", "box", "note", "code", "line numbers"],
)
def test_what_markdown_has_as_something_else_is_not_judged(body: str) -> None:
    text = " ".join(body.replace("<", " <").replace(">", "> ").split())
    assert [each for each in figures(body, text, text) if each[0] != "heading"] == []


def test_an_item_in_a_cell_is_marked_by_its_table() -> None:
    cell = "<ul><li>the ice on the pier</li></ul>"
    body = f"<table><tr><td>Day</td><td>{cell}</td></tr><tr><td>Night</td><td>wind</td></tr></table>"
    markdown = "| Day | the ice on the pier |\n| --- | --- |\n| Night | wind |"
    assert figures(body, "Day the ice on the pier Night wind", markdown) == [
        ("table", True, True),
        ("list item", True, True),
    ]
