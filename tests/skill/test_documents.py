"""Entries put into files that people write: all else stays, to the last comment."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as any_

from oryn.skill import json_document, toml_document

ENTRY = {"command": "oryn", "args": ["mcp"]}
PLACE = ("servers", "oryn")


def put(text: str) -> str:
    return json_document.with_entry(text, PLACE, ENTRY)


NEW = """\
{
  "servers": {
    "oryn": {
      "command": "oryn",
      "args": ["mcp"]
    }
  }
}
"""


@pytest.mark.parametrize("text", ["", "{}\n", "  \n{}\n"])
def test_a_file_without_anything(text: str) -> None:
    assert put(text).lstrip() == NEW


@pytest.mark.parametrize(
    ("before", "after"),
    [
        (
            '{\n    "servers": {\n        "a": {"x": 1} // mine\n    },\n    "z": [1,  2]\n}\n',
            '{\n    "servers": {\n        "a": {"x": 1}, // mine\n        "oryn": {\n            "command": "oryn",\n'
            '            "args": ["mcp"]\n        }\n    },\n    "z": [1,  2]\n}\n',
        ),
        (
            '{\n\t"a": 1,\n\t/* servers, and "such": */\n}',
            '{\n\t"a": 1,\n\t/* servers, and "such": */\n\t"servers": {\n\t\t"oryn": {\n\t\t\t"command": "oryn",\n'
            '\t\t\t"args": ["mcp"]\n\t\t}\n\t}\n}',
        ),
        (
            '{"a": "//no, /*comment*/ ,}"}',
            '{"a": "//no, /*comment*/ ,}",\n  "servers": {\n    "oryn": {\n      "command": "oryn",\n'
            '      "args": ["mcp"]\n    }\n  }\n}',
        ),
        (
            '// only this',
            '// only this\n' + NEW,
        ),
        (
            '{\n  "servers": {\n    "oryn": {"command": "old"}, // keep\n    "b": {}\n  }\n}\n',
            '{\n  "servers": {\n    "oryn": {\n      "command": "oryn",\n      "args": ["mcp"]\n    }, // keep\n'
            '    "b": {}\n  }\n}\n',
        ),
        (
            '{\r\n  "servers": {\r\n  }\r\n}\r\n',
            '{\r\n  "servers": {\r\n    "oryn": {\r\n      "command": "oryn",\r\n      "args": ["mcp"]\r\n    }\r\n'
            "  }\r\n}\r\n",
        ),
    ],
)  # fmt: skip
def test_the_rest_of_a_file_stays(before: str, after: str) -> None:
    assert put(before) == after
    assert put(after) == after
    assert json_document.read(after)["servers"]["oryn"] == ENTRY


@pytest.mark.parametrize("text", ['{"servers": []}', "[]", '{"servers": null}', "{", '{"a": 1} x'])
def test_what_it_can_not_be_put_into(text: str) -> None:
    with pytest.raises(ValueError):
        json_document.read(put(text))


DATA = any_.recursive(
    any_.none() | any_.booleans() | any_.integers() | any_.text(),
    lambda inner: any_.lists(inner, max_size=3) | any_.dictionaries(any_.text(), inner, max_size=3),
)
SPACE = any_.sampled_from(["", " ", "\n", "\n\t", " /* , */ ", '// { "\n'])


@any_.composite
def documents(draw: Any) -> str:
    """Objects of any contents, with comments and trailing commas wherever they may stand."""
    import json

    def member(name: str, value: str) -> str:
        return f"{draw(SPACE)}{json.dumps(name)}{draw(SPACE)}:{draw(SPACE)}{value}{draw(SPACE)}"

    def written(members: list[str]) -> str:
        comma = f",{draw(SPACE)}" if members and draw(any_.booleans()) else ""
        return f"{{{draw(SPACE)}{','.join(members)}{comma}}}"

    members = [member(name, json.dumps(value)) for name, value in draw(any_.dictionaries(any_.text(), DATA)).items()]
    if draw(any_.booleans()):
        inner = [member(name, json.dumps(value)) for name, value in draw(any_.dictionaries(any_.text(), DATA)).items()]
        members = [each for each in members if '"servers"' not in each] + [member("servers", written(inner))]
    else:
        members = [each for each in members if '"servers"' not in each]
    return f"{draw(SPACE)}{written(members)}{draw(SPACE)}"


@pytest.mark.slow
@given(documents())
def test_existing_document_content_is_preserved(text: str) -> None:
    data = json_document.read(text)
    after = put(text)
    assert json_document.read(after) == {**data, "servers": {**data.get("servers", {}), "oryn": ENTRY}}
    assert put(after) == after
    for comment in (" /* , */ ", '// { "\n'):
        assert after.count(comment.strip()) >= text.count(comment.strip())


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("", '[servers.oryn]\ncommand = "oryn"\nargs = ["mcp"]\n'),
        (
            'a = 1 # one\n\n\n[b]\nc = "[d]"',
            'a = 1 # one\n\n\n[b]\nc = "[d]"\n\n[servers.oryn]\ncommand = "oryn"\nargs = ["mcp"]\n',
        ),
        (
            '[servers."oryn"]\ncommand = "x"\n[servers.oryn.env]\nK = "v"\n# of b\n[b]\nc = 1\n',
            '[b]\nc = 1\n\n[servers.oryn]\ncommand = "oryn"\nargs = ["mcp"]\n',
        ),
        ("a = 1\r\n", 'a = 1\r\n\r\n[servers.oryn]\r\ncommand = "oryn"\r\nargs = ["mcp"]\r\n'),
    ],
)  # fmt: skip
def test_a_table_at_the_end_of_a_file(before: str, after: str) -> None:
    assert toml_document.with_entry(before, PLACE, ENTRY) == after
    assert toml_document.read(after)["servers"]["oryn"] == ENTRY


@given(any_.text(any_.characters(exclude_categories=["Cs"])))
def test_any_text_is_written_as_that_text(text: str) -> None:
    after = toml_document.with_entry("", PLACE, {"command": text})
    assert toml_document.read(after)["servers"]["oryn"]["command"] == text
