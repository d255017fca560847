"""Evaluates the conditions of an intent on the current page."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

from oryn.engine.definitions.template import fill_text
from oryn.engine.page.context import require_no_dialog
from oryn.errors import ElementNotFound, ElementStale
from oryn.language import Eval, Exists, Is, Target, WaitUrl, mask_secret, render

if TYPE_CHECKING:
    from oryn.engine.definitions.model import Condition
    from oryn.engine.session import Session


class IntentScope:
    """The values of the names in a step: the texts and lists of the parameters, and the texts of the
    surrounding loops."""

    def __init__(
        self,
        texts: Mapping[str, str],
        lists: Mapping[str, tuple[str, ...]],
        provided: set[str],
        secrets: frozenset[str],
    ) -> None:
        self.texts, self.lists, self.provided, self.secrets = texts, lists, provided, secrets

    def inside(self, name: str, text: str) -> IntentScope:
        """Return the scope of one round of a loop."""
        return IntentScope({**self.texts, name: text}, self.lists, self.provided | {name}, self.secrets)

    def masked_texts(self) -> Mapping[str, str]:
        """Return the texts with secrets masked, for a transcript."""
        return {name: mask_secret(text) if name in self.secrets else text for name, text in self.texts.items()}


async def is_satisfied(session: Session, condition: Condition, scope: IntentScope) -> bool:
    """Return whether a condition is true on the page. Raises the errors of its command, but a missing element only
    makes the condition false."""
    match condition.kind:
        case "not":
            return not await is_satisfied(session, condition.parts[0], scope)
        case "all":
            return all([await is_satisfied(session, part, scope) for part in condition.parts])
        case "any":
            return any([await is_satisfied(session, part, scope) for part in condition.parts])
        case "given":
            return condition.texts[0] in scope.provided
        case "equals":
            first, second = (fill_text(text, scope.texts) for text in condition.texts)
            return first == second
        case _:
            return await _query(session, condition, scope)


async def _query(session: Session, condition: Condition, scope: IntentScope) -> bool:
    from oryn.core.urls import url_pattern

    assert condition.template is not None
    match condition.template.fill(scope.texts):
        case WaitUrl(pattern):
            return url_pattern(pattern).search(session.page.url) is not None
        case Eval(script) as command:
            session.permit(command)
            require_no_dialog(session)
            return bool(await session.page.evaluate(script, session.frame, timeout=session.deadline.remaining()))
        case Exists() as command:
            return bool((await session.runner.perform(command)).data) is not (condition.kind == "gone")
        case Is("visible", target):
            return await _is_visible(session, target)
        case Is() as command:
            try:
                return bool((await session.runner.perform(command)).data)
            except (ElementNotFound, ElementStale):
                return False
        case command:
            raise AssertionError(f"{command.spec.name} asks nothing")


async def _is_visible(session: Session, target: Target) -> bool:
    """Return whether an element or text is visible, including text that is not interactive."""
    from oryn.engine.page.resolve import matches

    require_no_dialog(session)
    try:
        found = await matches(session, target, any=True)
    except (ElementNotFound, ElementStale):
        return False
    return any(element["state"]["visible"] for element, _ in found)


def render_condition(condition: Condition, scope: IntentScope) -> str:
    """Render a condition for a transcript."""
    match condition.kind:
        case "not":
            return f"not {render_condition(condition.parts[0], scope)}"
        case "all" | "any":
            word = " and " if condition.kind == "all" else " or "
            return f"({word.join(render_condition(part, scope) for part in condition.parts)})"
        case "given":
            return f"given {condition.texts[0]}"
        case "equals":
            return " equals ".join(f'"{fill_text(text, scope.masked_texts())}"' for text in condition.texts)
        case _:
            assert condition.template is not None
            question = render(condition.template.masked_command(scope.texts, scope.secrets)).removeprefix("wait ")
            return f"not {question}" if condition.kind == "gone" else question
