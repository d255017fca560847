"""Definitions over several lines, where each line is answered and where a text is there at once."""

from __future__ import annotations

from collections.abc import AsyncIterator

import pytest

from oryn.hosts.line_protocol import DefinitionAssembler, join_definitions


def sent_lines(*lines: bytes, wrong: bytes = b"wrong") -> list[bytes]:
    """What is sent for each line; a line that says `wrong` is answered with an error."""
    definitions, sent = DefinitionAssembler(), []
    for line in lines:
        sent.append(definitions.next_command(line))
        definitions.on_answer(wrong not in sent[-1])
    return sent


@pytest.mark.parametrize("head", [b"define a:", b"@work define a:", b"DEFINE a:"])
def test_each_line_of_a_body_sends_the_definition_so_far(head: bytes) -> None:
    assert sent_lines(head, b"  back", b"\turl", b"title") == [
        head,
        head + b"\n  back",
        head + b"\n  back\n\turl",
        b"title",
    ]


def test_a_wrong_line_is_not_added() -> None:
    assert sent_lines(b"define a:", b"  wrong", b"  back")[1:] == [b"define a:\n  wrong", b"define a:\n  back"]


def test_the_body_of_a_wrong_definition_is_not_run() -> None:
    assert sent_lines(b"define wrong", b"  back")[1] == b"define wrong\n  back"


def test_blank_lines_end_no_body_and_others_do() -> None:
    assert sent_lines(b"define a:", b"", b"  back", b"url", b"  title")[1:] == [
        b"",
        b"define a:\n  back",
        b"url",
        b"  title",
    ]


def test_what_is_no_line_passes_and_ends_the_body() -> None:
    definitions = DefinitionAssembler()
    definitions.next_command(b"define a:")
    too_long = object()
    assert definitions.next_command(too_long) is too_long
    assert definitions.next_command(b"  back") == b"  back"


async def test_a_text_has_each_definition_as_one() -> None:
    async def lines() -> AsyncIterator[bytes]:
        for line in (b"url", b"define a:", b"  back", b"", b"  # c", b"run a", b"  title", b"define b:", b"\turl"):
            yield line

    assert [line async for line in join_definitions(lines())] == [
        b"url",
        b"define a:\n  back\n  # c",
        b"run a",
        b"  title",
        b"define b:\n\turl",
    ]
