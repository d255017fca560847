from __future__ import annotations

from oryn.agent.runner.loop import MAX_CONSECUTIVE_ERRORS, MAX_REPEATS, WARN_AFTER_REPEATS, LoopDetector

CLICK = '{"action": "click", "id": 1}'


def reason(loops: LoopDetector, command: str | None, outcome: str, errors: int = 0) -> str | None:
    loops.add_step(command, outcome, errors)
    return loops.reason


def test_the_same_command_with_the_same_outcome_ends_it() -> None:
    loops = LoopDetector()
    found = [reason(loops, CLICK, "nothing") for _ in range(MAX_REPEATS)]
    assert found == [None] * (MAX_REPEATS - 1) + [f"it did the same {MAX_REPEATS} times with the same outcome: {CLICK}"]


def test_circles_of_several_commands_are_noticed() -> None:
    loops = LoopDetector()
    steps = [
        reason(loops, command, "as before") for _ in range(MAX_REPEATS) for command in ("back", "forward", "click 1")
    ]
    assert sum(step is not None for step in steps) == 3 and steps[-1] is not None


def test_another_outcome_is_progress() -> None:
    loops = LoopDetector()
    assert not any(reason(loops, CLICK, f"page {number}") for number in range(100))


def test_repeats_far_apart_are_not_a_loop() -> None:
    loops = LoopDetector()
    for round in range(MAX_REPEATS * 2):
        assert reason(loops, CLICK, "list") is None
        for number in range(20):
            assert reason(loops, "type", f"{round} {number}") is None


def test_consecutive_invalid_responses_end_the_run() -> None:
    loops = LoopDetector()
    assert reason(loops, None, "", MAX_CONSECUTIVE_ERRORS - 1) is None
    assert (
        reason(loops, None, "", MAX_CONSECUTIVE_ERRORS)
        == f"{MAX_CONSECUTIVE_ERRORS} of its responses in a row had no valid command"
    )


def test_the_model_is_warned_once_before() -> None:
    loops = LoopDetector()
    warnings = []
    for _ in range(MAX_REPEATS):
        loops.add_step(CLICK, "nothing", 0)
        warnings.append(loops.warning)
    told = f"System: You have done this {WARN_AFTER_REPEATS} times, and the outcome was the same each time."
    assert [each for each in warnings if each] == [told] and warnings[WARN_AFTER_REPEATS - 1] == told
