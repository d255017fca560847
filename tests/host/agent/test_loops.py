from __future__ import annotations

from oryn.host.agent.loops import MOST_ALIKE, MOST_ERRORS, Loops

CLICK = '{"action": "click", "id": 1}'


def test_the_same_command_with_the_same_outcome_ends_it() -> None:
    loops = Loops()
    found = [loops.why(CLICK, "nothing", 0) for _ in range(MOST_ALIKE)]
    assert found == [None] * (MOST_ALIKE - 1) + [f"it did the same {MOST_ALIKE} times with the same outcome: {CLICK}"]


def test_circles_of_several_commands_are_noticed() -> None:
    loops = Loops()
    steps = [
        loops.why(command, "as before", 0) for _ in range(MOST_ALIKE) for command in ("back", "forward", "click 1")
    ]
    assert sum(step is not None for step in steps) == 3 and steps[-1] is not None


def test_another_outcome_is_progress() -> None:
    loops = Loops()
    assert not any(loops.why(CLICK, f"page {number}", 0) for number in range(100))


def test_what_was_long_ago_is_no_circle() -> None:
    loops = Loops()
    for round in range(MOST_ALIKE * 2):
        assert loops.why(CLICK, "list", 0) is None
        for number in range(20):
            assert loops.why("type", f"{round} {number}", 0) is None


def test_responses_that_are_none_end_it_too() -> None:
    loops = Loops()
    assert loops.why(None, "", MOST_ERRORS - 1) is None
    assert loops.why(None, "", MOST_ERRORS) == f"{MOST_ERRORS} of its responses in a row were none that can be done"
