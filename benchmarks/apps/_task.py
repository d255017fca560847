"""A task: commands in order, what their answers must say, and the application's own word on whether it is done."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Protocol


class Asker(Protocol):
    def ask(self, line: str) -> str: ...


@dataclass(frozen=True)
class Step:
    """One command. `{NAME}` in `line` is a number that an earlier answer had.

    expect: texts that the answer must contain: the result that the page showed by then.
    find: names of numbers, and for each a regular expression whose group finds it in the answer.
    """

    line: str
    expect: Sequence[str] = ()
    find: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True)
class Task:
    """`check` asks the application: True if the task is done. `checked_after` names the later task whose end makes the
    result of this one visible to the application."""

    name: str
    steps: Sequence[Step]
    check: Callable[[], bool]
    checked_after: str = ""


@dataclass
class Outcome:
    """What a task cost. `wrong` has the commands that were answered `ok`, though the answer lacks what it must say."""

    task: str
    commands: int = 0
    characters: int = 0
    errors: int = 0
    wrong: list[str] = field(default_factory=list)
    done: bool = False

    def render(self) -> str:
        done = "done" if self.done else "NOT DONE"
        return (
            f"{self.task:4} {done:9} {self.commands:3} commands {self.characters:6} characters "
            f"{self.errors:2} errors {len(self.wrong):2} wrong"
        )


def perform(task: Task, host: Asker, *, verbose: bool = False) -> Outcome:
    """Send the task's commands, whatever is answered, and judge each answer. The task is not checked yet."""
    outcome, numbers = Outcome(task.name), dict[str, str]()
    for step in task.steps:
        line = _with_numbers(step.line, numbers)
        answer = host.ask(line)
        outcome.commands += 1
        outcome.characters += len(answer)
        if verbose:
            print(f"> {line}\n{answer}", flush=True)
        if answer.startswith("error"):
            outcome.errors += 1
            continue
        # The first line of an answer repeats the command, so it says nothing about its effect.
        result = answer.partition("\n")[2] if answer.startswith("ok") else answer
        missing = [each for each in step.expect if each not in result]
        for name, pattern in step.find.items():
            if found := re.search(pattern, result):
                numbers[name] = found[1]
            else:
                missing.append(pattern)
        if missing:
            outcome.wrong.append(f"{line}: the answer lacks {', '.join(missing)}")
    return outcome


def _with_numbers(line: str, numbers: Mapping[str, str]) -> str:
    """Replace `{NAME}`. A number that no answer had becomes 0, which is no element."""
    return re.sub(r"\{([a-z]+)\}", lambda match: numbers.get(match[1], "0"), line)
