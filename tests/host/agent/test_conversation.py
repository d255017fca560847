from __future__ import annotations

from oryn.agent.runner.resume import OMITTED_NOTICE, Conversation
from oryn.models import ChatMessage


def turns(count: int) -> Conversation:
    """A conversation with so many replies, the last of which was answered."""
    found = Conversation([ChatMessage("system", "prompt"), ChatMessage("user", "u0")])
    for number in range(1, count + 1):
        found.add("assistant", f"a{number}")
        found.add("user", f"u{number}")
    return found


def contents(conversation: Conversation) -> list[str]:
    return [each.content for each in conversation.messages]


def test_two_messages_of_one_side_are_one() -> None:
    conversation = turns(1)
    conversation.add("user", "and this")
    assert contents(conversation) == ["prompt", "u0", "a1", "u1\n\nand this"]


def test_the_older_half_is_left_out_and_the_sides_still_take_turns() -> None:
    conversation = turns(6)
    assert conversation.shorten() == 6
    assert contents(conversation) == ["prompt", f"{OMITTED_NOTICE}\n\nu3", "a4", "u4", "a5", "u5", "a6", "u6"]
    assert conversation.shorten() == 2
    assert contents(conversation)[:3] == ["prompt", f"{OMITTED_NOTICE}\n\nu4", "a5"]


def test_the_prompt_and_the_last_message_always_stay() -> None:
    conversation = turns(5)
    while conversation.shorten():
        roles = [each.role for each in conversation.messages]
        assert roles == ["system", *["user", "assistant"] * ((len(roles) - 2) // 2), "user"]
    assert contents(conversation) == ["prompt", f"{OMITTED_NOTICE}\n\nu5"]
    assert turns(0).shorten() == 0
