"""Whether a condition of an intent holds on the page as it is."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

from oryn.engine.actions import require_no_dialog
from oryn.engine.intents.own.template import put
from oryn.errors import ElementNotFound, ElementStale
from oryn.language import Eval, Exists, Is, Target, WaitUrl, dots, render

if TYPE_CHECKING:
    from oryn.engine.intents.own.definition import Condition
    from oryn.engine.session import Session


class Scope:
    """What the names in a step stand for: the parameters' texts and lists, and the texts of the loops around it."""

    def __init__(
        self, texts: Mapping[str, str], lists: Mapping[str, tuple[str, ...]], given: set[str], secrets: frozenset[str]
    ) -> None:
        self.texts, self.lists, self.given, self.secrets = texts, lists, given, secrets

    def inside(self, name: str, text: str) -> Scope:
        """The scope of a round of a loop."""
        return Scope({**self.texts, name: text}, self.lists, self.given | {name}, self.secrets)

    def told(self) -> Mapping[str, str]:
        """The texts as a transcript may have them."""
        return {name: dots(text) if name in self.secrets else text for name, text in self.texts.items()}


async def holds(session: Session, condition: Condition, scope: Scope) -> bool:
    """Ask the page. Raises what the questions raise, but an element that is not there is only not as asked."""
    match condition.kind:
        case "not":
            return not await holds(session, condition.parts[0], scope)
        case "all":
            return all([await holds(session, part, scope) for part in condition.parts])
        case "any":
            return any([await holds(session, part, scope) for part in condition.parts])
        case "given":
            return condition.texts[0] in scope.given
        case "equals":
            first, second = (put(text, scope.texts) for text in condition.texts)
            return first == second
        case _:
            return await _asked(session, condition, scope)


async def _asked(session: Session, condition: Condition, scope: Scope) -> bool:
    from oryn.browsers.base.patterns import url_pattern

    assert condition.template is not None
    match condition.template.fill(scope.texts):
        case WaitUrl(pattern):
            return url_pattern(pattern).search(session.page.url) is not None
        case Eval(script) as command:
            session.permit(command)
            require_no_dialog(session)
            return bool(await session.page.evaluate(script, session.frame, timeout=session.remaining()))
        case Exists() as command:
            return bool((await session.perform(command)).data) is not (condition.kind == "gone")
        case Is("visible", target):
            return await _visible(session, target)
        case Is() as command:
            try:
                return bool((await session.perform(command)).data)
            except (ElementNotFound, ElementStale):
                return False
        case command:
            raise AssertionError(f"{command.spec.name} asks nothing")


async def _visible(session: Session, target: Target) -> bool:
    """Also text that is nothing to act on."""
    from oryn.engine.resolve import matches

    require_no_dialog(session)
    try:
        found = await matches(session, target, any=True)
    except (ElementNotFound, ElementStale):
        return False
    return any(element["state"]["visible"] for element, _ in found)


def told(condition: Condition, scope: Scope) -> str:
    """A condition as a transcript shows it."""
    match condition.kind:
        case "not":
            return f"not {told(condition.parts[0], scope)}"
        case "all" | "any":
            word = " and " if condition.kind == "all" else " or "
            return f"({word.join(told(part, scope) for part in condition.parts)})"
        case "given":
            return f"given {condition.texts[0]}"
        case "equals":
            return " equals ".join(f'"{put(text, scope.told())}"' for text in condition.texts)
        case _:
            assert condition.template is not None
            asked = render(condition.template.shown(scope.texts, scope.secrets)).removeprefix("wait ")
            return f"not {asked}" if condition.kind == "gone" else asked
