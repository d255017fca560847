from __future__ import annotations

from oryn.host.agent.loops import MOST_ALIKE, MOST_ERRORS, WARNED_AT, Loops

CLICK = '{"action": "click", "id": 1}'


def reason(loops: Loops, command: str | None, outcome: str, errors: int = 0) -> str | None:
    loops.take(command, outcome, errors)
    return loops.reason


def test_the_same_command_with_the_same_outcome_ends_it() -> None:
    loops = Loops()
    found = [reason(loops, CLICK, "nothing") for _ in range(MOST_ALIKE)]
    assert found == [None] * (MOST_ALIKE - 1) + [f"it did the same {MOST_ALIKE} times with the same outcome: {CLICK}"]


def test_circles_of_several_commands_are_noticed() -> None:
    loops = Loops()
    steps = [
        reason(loops, command, "as before") for _ in range(MOST_ALIKE) for command in ("back", "forward", "click 1")
    ]
    assert sum(step is not None for step in steps) == 3 and steps[-1] is not None


def test_another_outcome_is_progress() -> None:
    loops = Loops()
    assert not any(reason(loops, CLICK, f"page {number}") for number in range(100))


def test_what_was_long_ago_is_no_circle() -> None:
    loops = Loops()
    for round in range(MOST_ALIKE * 2):
        assert reason(loops, CLICK, "list") is None
        for number in range(20):
            assert reason(loops, "type", f"{round} {number}") is None


def test_responses_that_are_none_end_it_too() -> None:
    loops = Loops()
    assert reason(loops, None, "", MOST_ERRORS - 1) is None
    assert reason(loops, None, "", MOST_ERRORS) == f"{MOST_ERRORS} of its responses in a row were none that can be done"


def test_the_model_is_warned_once_before() -> None:
    loops = Loops()
    warnings = []
    for _ in range(MOST_ALIKE):
        loops.take(CLICK, "nothing", 0)
        warnings.append(loops.warning)
    told = f"System: You have done this {WARNED_AT} times, and the outcome was the same each time."
    assert [each for each in warnings if each] == [told] and warnings[WARNED_AT - 1] == told
