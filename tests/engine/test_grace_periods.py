"""How long pages get, by how they have reacted so far."""

from __future__ import annotations

from oryn.engine.page.grace import PROMPT_SECONDS, ActKind, GracePeriods

TYPING = ActKind(True, "input")
PRESSING = ActKind(False, "click")


def test_entering_values_gets_all_the_time_once_if_it_is_known_that_nothing_is_pending() -> None:
    periods = GracePeriods()
    assert periods.period(TYPING, False, 0.4) == 0.4
    periods.record(TYPING, late=False)
    assert periods.period(TYPING, False, 0.4) == 0
    assert periods.period(ActKind(True, "other"), False, 0.4) == 0.4


def test_what_is_pending_gets_all_the_time() -> None:
    periods = GracePeriods()
    for _ in range(5):
        assert periods.period(TYPING, True, 0.4) == 0.4
        periods.record(TYPING, late=False)


def test_where_it_is_not_known_the_third_action_gets_less() -> None:
    periods, times = GracePeriods(), []
    for _ in range(3):
        times.append(periods.period(TYPING, None, 0.4))
        periods.record(TYPING, late=False)
    assert times == [0.4, 0.4, PROMPT_SECONDS]


def test_presses_get_less_only_if_their_listeners_are_known_and_nothing_is_pending() -> None:
    periods, unknown = GracePeriods(), ActKind(False, "button", names_listeners=False)
    for kind in (PRESSING, unknown):
        for _ in range(2):
            periods.record(kind, late=False)
    assert periods.period(PRESSING, False, 0.4) == PROMPT_SECONDS
    assert periods.period(PRESSING, None, 0.4) == 0.4
    assert periods.period(unknown, False, 0.4) == 0.4


def test_one_late_reaction_restores_the_time() -> None:
    periods = GracePeriods()
    periods.record(TYPING, late=False)
    periods.record(TYPING, late=True)
    assert periods.period(TYPING, False, 0.4) == 0.4


def test_a_change_after_a_shortened_time_restores_it() -> None:
    periods = GracePeriods()
    periods.record(TYPING, late=False)
    periods.record_meanwhile()
    assert periods.period(TYPING, False, 0.4) == 0
    periods.record_meanwhile()
    assert periods.period(TYPING, False, 0.4) == 0.4


def test_a_setting_below_the_shortened_time_stays() -> None:
    periods = GracePeriods()
    for _ in range(2):
        periods.record(TYPING, late=False)
    assert periods.period(TYPING, None, 0.05) == 0.05
