"""Finds sequences of commands that were repeated, and proposes intents for them. Pure.

Two sequences of the history are the same if their commands are, apart from texts, on pages of one pattern. Texts that
differ between them become parameters; a text that appears in several places is one parameter."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from oryn.engine.command_history import RecordedCommand
from oryn.engine.definitions.program_proposals import find_loops, find_programs, loop_data, program_data
from oryn.engine.definitions.template import slug, substitute, unused_name
from oryn.engine.program.stopped_programs import EndedProgram
from oryn.language import render

MIN_SEQUENCE_COMMANDS = 2
"""Minimum number of commands in a sequence."""

SequenceKey = tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Proposal:
    """A sequence that occurred at least twice, or what a program can do. `data` is the definition for it."""

    name: str
    seen: int
    data: dict[str, Any]

    @property
    def steps(self) -> int:
        """The number of steps; 0 for a program."""
        return len(self.data.get("steps", ()))


class ProposalStore:
    """Assigns stable names to proposals, and remembers which were discarded."""

    def __init__(self) -> None:
        self._names: dict[SequenceKey, str] = {}
        self._discarded: set[SequenceKey] = set()
        self._count = 0

    def current(self, done: Sequence[RecordedCommand], ended: Sequence[EndedProgram] = ()) -> list[Proposal]:
        """Return the proposals that are neither saved nor discarded: programs, then steps, longest first.

        done: the commands of the session, moves included. ended: its programs."""
        loops = {loop.key: loop for loop in find_loops(done)}
        programs = {each.key: each for each in find_programs(ended)}
        acts = [each for each in done if not each.moves]
        sequences = {
            key: places
            for key, places in find_repeated(acts).items()
            if not any(_contains(loop.acts, key) for loop in loops.values())
        }
        keys = (*loops, *programs, *sequences)
        for key in keys:
            if key not in self._names:
                self._count += 1
                self._names[key] = f"learned_{self._count}"
        self._names = {key: name for key, name in self._names.items() if key in keys}
        self._discarded &= set(keys)
        found = []
        for key in keys:
            if key in self._discarded:
                continue
            name = self._names[key]
            if key in loops:
                seen, data = len(loops[key].rounds), loop_data(name, loops[key])
            elif key in programs:
                seen, data = len(programs[key].programs), program_data(name, programs[key])
            else:
                places = sequences[key]
                seen = len(places)
                data = definition_data(name, [acts[place : place + len(key)] for place in places])
            if data is not None:
                found.append(Proposal(name, seen, data))
        return found

    def discard(self, proposal: Proposal) -> None:
        self._discarded |= {key for key, name in self._names.items() if name == proposal.name}


def find_repeated(done: Sequence[RecordedCommand]) -> dict[SequenceKey, list[int]]:
    """Return the sequences that occur at least twice without overlap, with their positions. No sequence is part of
    another."""
    keys = [each.key for each in done]
    candidates: set[SequenceKey] = set()
    for distance in range(MIN_SEQUENCE_COMMANDS, len(keys)):
        candidates |= _common_sequences(done, keys, distance)
    chosen: dict[SequenceKey, list[int]] = {}
    for key in sorted(candidates, key=lambda key: (-len(key), key)):
        if not any(_contains(longer, key) for longer in chosen):
            chosen[key] = _places(done, keys, key)
    return chosen


def _common_sequences(done: Sequence[RecordedCommand], keys: Sequence[str], distance: int) -> set[SequenceKey]:
    """Return the longest sequences that are equal to those `distance` commands later."""
    found: set[SequenceKey] = set()
    start = 0
    for place in range(len(keys) - distance + 1):
        ends = (
            place + distance == len(keys)
            or keys[place] != keys[place + distance]
            or (place > start and (done[place].fresh or done[place + distance].fresh))
            or place - start == distance
        )
        if ends:
            if place - start >= MIN_SEQUENCE_COMMANDS:
                found.add(tuple(keys[start:place]))
            same = place + distance < len(keys) and keys[place] == keys[place + distance]
            start = place if same else place + 1
    return found


def _places(done: Sequence[RecordedCommand], keys: Sequence[str], key: SequenceKey) -> list[int]:
    places: list[int] = []
    place = 0
    while place <= len(keys) - len(key):
        whole = not any(each.fresh for each in done[place + 1 : place + len(key)])
        if whole and tuple(keys[place : place + len(key)]) == key:
            places.append(place)
            place += len(key)
        else:
            place += 1
    return places


def _contains(longer: SequenceKey, key: SequenceKey) -> bool:
    return any(longer[at : at + len(key)] == key for at in range(len(longer) - len(key) + 1))


def definition_data(name: str, stretches: Sequence[Sequence[RecordedCommand]]) -> dict[str, Any]:
    """Return the plain data of an intent for `stretches`, which differ only in texts."""
    parameters: dict[str, dict[str, Any]] = {}
    names: dict[tuple[str | None, ...], str] = {}
    steps = []
    for index, each in enumerate(stretches[0]):
        values = {}
        for place, slot in enumerate(each.slots):
            texts = tuple(stretch[index].slots[place].text for stretch in stretches)
            if None not in texts and len(set(texts)) == 1:
                values[slot.word] = str(slot.text)
                continue
            secret = None in texts
            if secret or texts not in names:
                parameter = unused_name(slug(slot.label), parameters)
                parameters[parameter] = {"secret": True} if secret else {}
                names[texts] = parameter
            values[slot.word] = f"{{{{{names[texts]}}}}}"
        steps.append(render(substitute(each.command, values, encode=False)))
    data: dict[str, Any] = {"name": name, "version": "1", "description": f"Learnt on {stretches[0][0].page}"}
    if parameters:
        data["parameters"] = parameters
    return {**data, "steps": steps}
