"""Serial in a tab, concurrent across tabs, in the order of coming."""

from __future__ import annotations

from oryn.extension.command_queue import QueueEntry, TabQueue


class NamedEntry(QueueEntry):
    def __init__(self, name: str, named: int | None = None) -> None:
        super().__init__(named)
        self.name = name


def entered(*entries: NamedEntry) -> TabQueue[NamedEntry]:
    lanes = TabQueue[NamedEntry]()
    for entry in entries:
        lanes.enter(entry)
    return lanes


def started(lanes: TabQueue[NamedEntry], active: int | None = 1) -> list[str]:
    return [entry.name for entry in lanes.start(active)]


def ends(lanes: TabQueue[NamedEntry], name: str) -> None:
    (entry,) = [entry for entry in lanes if entry.name == name]
    lanes.leave(entry)


def test_one_at_a_time_in_a_tab_and_several_tabs_at_once() -> None:
    lanes = entered(NamedEntry("a", 2), NamedEntry("b", 2), NamedEntry("c", 3), NamedEntry("d"))
    assert started(lanes) == ["a", "c", "d"]
    assert started(lanes) == []
    ends(lanes, "c")
    assert started(lanes) == []
    ends(lanes, "a")
    assert started(lanes) == ["b"]


def test_a_command_without_a_tab_goes_to_the_one_that_is_active_when_it_starts() -> None:
    lanes = entered(NamedEntry("switch"), NamedEntry("click"))
    assert started(lanes, active=1) == ["switch"]
    ends(lanes, "switch")
    (click,) = lanes.start(active=2)
    assert click.tab == 2


def test_the_same_tab_by_number_and_by_being_active_is_one_tab() -> None:
    lanes = entered(NamedEntry("named", 1), NamedEntry("active"), NamedEntry("again", 1))
    assert started(lanes, active=1) == ["named"]
    ends(lanes, "named")
    assert started(lanes, active=1) == ["active"]
    ends(lanes, "active")
    assert started(lanes, active=1) == ["again"]


def test_commands_without_a_tab_wait_for_each_other_even_when_the_tab_has_changed() -> None:
    lanes = entered(NamedEntry("a"), NamedEntry("b"), NamedEntry("c", 2))
    assert started(lanes, active=1) == ["a", "c"]
    ends(lanes, "c")
    assert started(lanes, active=2) == []


def test_one_that_waits_keeps_its_place() -> None:
    lanes = entered(NamedEntry("a"), NamedEntry("b"), NamedEntry("c", 1))
    assert started(lanes, active=1) == ["a"]
    ends(lanes, "a")
    assert started(lanes, active=1) == ["b"], "not c, which came later"


def test_one_that_left_before_it_started_does_not_start() -> None:
    lanes = entered(NamedEntry("a", 1), NamedEntry("b", 1))
    assert started(lanes) == ["a"]
    ends(lanes, "b")
    ends(lanes, "a")
    assert started(lanes) == []
    assert len(lanes) == 0
