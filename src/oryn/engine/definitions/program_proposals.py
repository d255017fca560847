"""Finds what was repeated as a loop, and programs that were run again, and proposes programs for them. Pure.

A loop is a sequence of commands that was done at least three times in a row and differs in texts only, which become a
list. Two programs are the same apart from their texts and numbers; those that differ become parameters."""

from __future__ import annotations

import ast
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from oryn.engine.command_history import RecordedCommand, TextSlot
from oryn.engine.definitions.program_text import ProgramText, literal_of, saved_program
from oryn.engine.definitions.template import slug, substitute, unused_name
from oryn.engine.program.calls import call_text
from oryn.engine.program.functions import command_functions
from oryn.engine.program.stopped_programs import EndedProgram
from oryn.errors import InvalidProgram
from oryn.language import Check, Click, Goto, Hover, TextTarget, Uncheck

MIN_ROUNDS = 3
"""Minimum number of rounds of a loop."""
MAX_ROUND_COMMANDS = 20
"""Maximum number of commands of a round."""
MIN_PROGRAM_CALLS = 2
"""Minimum number of calls of a program that is proposed."""

ProposalKey = tuple[str, ...]


@dataclass(frozen=True, slots=True)
class RepeatedLoop:
    """A loop: the commands of each round, with the texts that may differ as slots.

    acts: the keys of the commands of two rounds, as they were recorded, without moves."""

    rounds: tuple[tuple[RecordedCommand, ...], ...]
    acts: tuple[str, ...]

    @property
    def key(self) -> ProposalKey:
        return ("for", *(each.key for each in self.rounds[0]))

    def texts(self, place: int, slot: int) -> tuple[str | None, ...]:
        """The texts of a slot in all rounds."""
        return tuple(each[place].slots[slot].text for each in self.rounds)

    def slots(self) -> Iterator[tuple[int, int, TextSlot]]:
        """Yield the slots of a round: the place of the command, that of the slot, the slot."""
        for place, each in enumerate(self.rounds[0]):
            yield from ((place, index, slot) for index, slot in enumerate(each.slots))

    def is_useful(self) -> bool:
        """Return whether a program is worth it: a text differs, none is secret, and one act is the same each time."""
        differing = {place for place, index, _ in self.slots() if len(set(self.texts(place, index))) > 1}
        is_secret = any(None in self.texts(place, index) for place, index, _ in self.slots())
        acts = {place for place, each in enumerate(self.rounds[0]) if not each.moves}
        return bool(differing) and not is_secret and bool(acts - differing)


def find_loops(done: Sequence[RecordedCommand]) -> list[RepeatedLoop]:
    """Return the loops in a history, moves included, the longest first."""
    commands = [_with_slots(each) for each in done]
    keys = [each.key for each in commands]
    found: dict[ProposalKey, RepeatedLoop] = {}
    start = 0
    while start < len(commands):
        loop = _longest_loop(done, commands, keys, start)
        if loop is None:
            start += 1
            continue
        former = found.get(loop.key)
        if former is None or len(former.rounds) < len(loop.rounds):
            found[loop.key] = loop
        start += len(loop.rounds) * len(loop.rounds[0])
    return sorted(found.values(), key=lambda each: -len(each.rounds[0]))


def _longest_loop(
    done: Sequence[RecordedCommand], commands: Sequence[RecordedCommand], keys: Sequence[str], start: int
) -> RepeatedLoop | None:
    """Return the loop that begins at a place and has most commands. `commands` are those of `done` with slots, `keys`
    theirs."""
    best: RepeatedLoop | None = None
    if commands[start].moves and not isinstance(commands[start].command, Goto):
        return None  # going back ends a round
    for size in range(2, MAX_ROUND_COMMANDS + 1):
        count = 1
        while keys[start : start + size] == keys[start + count * size : start + (count + 1) * size]:
            count += 1
        if count < MIN_ROUNDS or (best is not None and count * size <= len(best.rounds) * len(best.rounds[0])):
            continue
        rounds = tuple(tuple(commands[start + each * size : start + (each + 1) * size]) for each in range(count))
        loop = RepeatedLoop(rounds, tuple(each.key for each in done[start : start + 2 * size] if not each.moves))
        if loop.is_useful():
            best = loop
    return best


def _with_slots(recorded: RecordedCommand) -> RecordedCommand:
    """Return the command with its target's text as a slot, because each round may mean another element."""
    match recorded.command:
        case Click(TextTarget(text)) | Check(TextTarget(text)) | Uncheck(TextTarget(text)) | Hover(TextTarget(text)):
            if recorded.slots:
                return recorded
            slot = TextSlot("slotz0x", "item", text)
            command = recorded.command.replace(target=TextTarget(slot.word))
            return RecordedCommand(command, (slot,), recorded.page, recorded.fresh)
    return recorded


def loop_data(name: str, loop: RepeatedLoop) -> dict[str, Any] | None:
    """Return the data of a definition whose program is the loop; None if a command has no function."""
    variables: dict[tuple[str | None, ...], tuple[str, str]] = {}
    lines = []
    for place, each in enumerate(loop.rounds[0]):
        values, names = {}, {}
        for index, slot in enumerate(each.slots):
            texts = loop.texts(place, index)
            if len(set(texts)) == 1:
                values[slot.word] = str(slot.text)
            else:
                if texts not in variables:
                    variables[texts] = _variable_names(slot.label, [one for one, _ in variables.values()])
                names[slot.word] = variables[texts][0]
        line = call_text(substitute(each.command, values, encode=False), names)
        if line is None or not all(variable in line for variable in names.values()):
            return None
        lines.append(f"    {line}\n")
    items = [item for item, _ in variables.values()]
    lists = [one for _, one in variables.values()]
    over = lists[0] if len(lists) == 1 else f"zip({', '.join(lists)})"
    return {
        "name": name,
        "version": "1",
        "description": f"Learnt on {loop.rounds[0][0].page}",
        "parameters": {each: {"type": "list"} for each in lists},
        "program": f"for {', '.join(items)} in {over}:\n{''.join(lines)}",
    }


def _variable_names(label: str, taken: Sequence[str]) -> tuple[str, str]:
    """Return names for a text that differs from round to round, and for the list of them."""
    item = unused_name(slug(label).replace("-", "_"), dict.fromkeys([*taken, *command_functions()]))
    return item, f"{item}s"


# --- programs that were run again ---


@dataclass(frozen=True, slots=True)
class RepeatedProgram:
    """Programs that differ in literals only, the latest last. `literals` are those of each, in their order."""

    key: ProposalKey
    programs: tuple[EndedProgram, ...]
    texts: tuple[ProgramText, ...]


def find_programs(ended: Sequence[EndedProgram]) -> list[RepeatedProgram]:
    """Return the programs that were run at least twice."""
    found: dict[ProposalKey, list[tuple[EndedProgram, ProgramText]]] = {}
    for each in ended:
        try:
            text = ProgramText(each.text)
        except InvalidProgram:  # Python's grammar knows less than the sandbox's
            continue
        if text.count_calls() >= MIN_PROGRAM_CALLS:
            found.setdefault(("program", *text.structure()), []).append((each, text))
    return [
        RepeatedProgram(key, tuple(each for each, _ in runs), tuple(text for _, text in runs))
        for key, runs in found.items()
        if len(runs) > 1
    ]


def program_data(name: str, repeated: RepeatedProgram) -> dict[str, Any] | None:
    """Return the data of a definition for a program that was run again; None if it can't be saved."""
    last, secrets = repeated.texts[-1], frozenset[str]().union(*(each.secrets for each in repeated.programs))
    in_head = {part for statement, _ in last.head_parameters().values() for part in ast.walk(statement)}
    names: dict[tuple[Any, ...], str] = {}
    types: dict[str, str] = {}
    replaced: dict[ast.expr, str] = {}
    for column in zip(*(each.literals() for each in repeated.texts), strict=True):
        node, label = column[-1]
        kind, value = literal_of(node)
        values = tuple(ast.dump(each) for each, _ in column)
        if len(set(values)) == 1 or node in in_head or not kind or value in ([*secrets] if kind == "text" else []):
            continue
        if values not in names:
            names[values] = last.unused_name(label, list(names.values()))
            types[names[values]] = kind
        replaced[node] = names[values]
    try:
        data = saved_program(name, last.with_names(replaced), secrets)
    except InvalidProgram:
        return None
    for each, kind in types.items():
        if kind != "text" and not data["parameters"][each].get("secret"):
            data["parameters"][each]["type"] = kind
    return data
