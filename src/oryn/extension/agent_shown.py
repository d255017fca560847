"""What is shown of an agent's run: in the popup, and in the bar on the chat when it has ended. Pure."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from oryn.engine.escape import one_line, shortened
from oryn.extension.agent_questions import Question
from oryn.extension.agent_run import Run

LONGEST_DETAIL = 2000
"""Characters of what is told of the end."""


def state_of(run: Run, question: Question | None) -> dict[str, Any]:
    """For the popup, while it goes on."""
    progress = run.progress
    return {
        "question": question.data() if question else None,
        "goal": run.plan.goal,
        "chat": run.chat.host,
        "doing": progress.doing,
        "number": progress.number,
        "most": run.plan.settings.max_steps,
        "corrections": len(progress.corrections),
        "steps": [step.data() for step in progress.steps],
    }


def ended(goal: str, detail: str, answer: str | None = None) -> dict[str, Any]:
    """How a run ended, for the popup: with an answer of the model, or with a detail."""
    told = None if answer is None else shortened(answer, LONGEST_DETAIL)
    return {"goal": goal, "detail": one_line(shortened(detail, LONGEST_DETAIL)), "answer": told, "steps": []}


def told_of(last: Mapping[str, Any]) -> str:
    """The same for a bar."""
    return "Oryn's agent has finished" if last["answer"] is not None else f"Oryn's agent has ended: {last['detail']}"
