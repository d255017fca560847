"""Changes of JSON documents. The merges are the examples of https://www.rfc-editor.org/rfc/rfc7396#appendix-A"""

from __future__ import annotations

import pytest

from oryn.core.json_edit import edited


@pytest.mark.parametrize(
    ("document", "edit", "result"),
    [
        ({"a": "b"}, {"a": "c"}, {"a": "c"}),
        ({"a": "b"}, {"b": "c"}, {"a": "b", "b": "c"}),
        ({"a": "b"}, {"a": None}, {}),
        ({"a": "b", "b": "c"}, {"a": None}, {"b": "c"}),
        ({"a": ["b"]}, {"a": "c"}, {"a": "c"}),
        ({"a": "c"}, {"a": ["b"]}, {"a": ["b"]}),
        ({"a": {"b": "c"}}, {"a": {"b": "d", "c": None}}, {"a": {"b": "d"}}),
        ({"a": [{"b": "c"}]}, {"a": [1]}, {"a": [1]}),
        (["a", "b"], ["c", "d"], ["c", "d"]),
        ({"a": "b"}, ["c"], ["c"]),
        ({"a": "foo"}, None, None),
        ({"a": "foo"}, "bar", "bar"),
        ({"e": None}, {"a": 1}, {"e": None, "a": 1}),
        ([1, 2], {"a": "b", "c": None}, {"a": "b"}),
        ({}, {"a": {"bb": {"ccc": None}}}, {"a": {"bb": {}}}),
    ],
)
def test_merges(document, edit, result):
    assert edited(document, edit) == result


@pytest.mark.parametrize(
    ("document", "edit", "result"),
    [
        ({"a": [1, 2]}, {"/a/0": 9}, {"a": [9, 2]}),
        ({"a": [1, 2]}, {"/a/1": None}, {"a": [1]}),
        ({"a": [1]}, {"/a/-": 2}, {"a": [1, 2]}),
        ([{"b": 1}], {"/0/c": 2}, [{"b": 1, "c": 2}]),
        ({"a/b": {"m~n": 1}}, {"/a~1b/m~0n": 2}, {"a/b": {"m~n": 2}}),
        ({"a": {"b": 1}}, {"/a/b": {"c": None}}, {"a": {"b": {"c": None}}}),
        ({"a": 1}, {"b": 2, "/a": 3}, {"a": 3, "b": 2}),
    ],
)
def test_pointers(document, edit, result):
    assert edited(document, edit) == result


@pytest.mark.parametrize("pointer", ["/b/c", "/a/2", "/a/x", "/a/0/0", "/a/-/0"])
def test_a_pointer_that_leads_nowhere(pointer):
    document = {"a": [1, 2]}
    with pytest.raises(LookupError, match=f"{pointer} leads nowhere"):
        edited(document, {pointer: 1})
    assert document == {"a": [1, 2]}


def test_the_document_stays_as_it_was():
    document = {"a": [{"b": 1}]}
    edited(document, {"/a/0/b": 2, "c": 3})
    assert document == {"a": [{"b": 1}]}
