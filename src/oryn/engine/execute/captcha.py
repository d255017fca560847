"""`captcha` and `captcha solve` (seed 004, Action vocabulary)."""

from __future__ import annotations

from typing import TYPE_CHECKING
from urllib.parse import urlsplit

from oryn.engine.actions import Action, require_no_dialog
from oryn.engine.answer import Answer
from oryn.engine.captchas import Captcha, merged
from oryn.engine.execute.registry import handles
from oryn.engine.view import FRAME_GONE, ask
from oryn.errors import CaptchaError, CaptchaNotConfigured
from oryn.language.commands.hosting import Captcha as Detect
from oryn.language.commands.hosting import CaptchaSolve
from oryn.scanner import captcha_answer_script

if TYPE_CHECKING:
    from oryn.engine.session import Session

SOLVE_SECONDS = 180.0
"""What a service gets, unless `--timeout` says otherwise: people may sit behind it."""


@handles(Detect)
async def captcha(session: Session, command: Detect) -> Answer:
    found = await _detected(session)
    answer = Answer(lines=[each.line() for each in found], data={"captchas": [each.form() for each in found]})
    if not found:
        answer.lines = ["no captcha that is known here"]
    return answer


@handles(CaptchaSolve)
async def captcha_solve(session: Session, command: CaptchaSolve) -> Answer:
    if session.solver is None:
        raise CaptchaNotConfigured("no service is set that solves captchas")
    if command.timeout is None:
        session.allow(SOLVE_SECONDS)
    wanted = _to_solve(await _detected(session))
    page = session.page
    token = await session.solver().solve(wanted, _address(page.url), timeout=session.remaining())
    action = await Action.begin(session)
    taken = await _answered(session, wanted, token)
    if not any(taken.values()):
        raise CaptchaError(f"the page has neither a field nor a callback for the answer of {wanted.name}")
    answer = await action.report([f"the answer went into {_counted(taken)}; whether it is right, the site will say"])
    answer.lines = [f"{wanted.name} answered"]
    answer.data = {"captcha": wanted.form() | {"solved": True}, **taken}
    return answer


async def _detected(session: Session) -> list[Captcha]:
    """Those of every frame, with the numbers noted of what is seen of them."""
    require_no_dialog(session)
    view, page = session.view, session.page
    view.enter(page)
    if view.elements is None:
        await view.refresh(page, session.frame, timeout=session.remaining())
    found: list[Captcha] = []
    for position, root in enumerate(page.roots()):
        frame = root if position else None
        try:
            data = await ask(page, {"cmd": "captcha", "next_id": view.next_id}, frame, session.remaining())
        except FRAME_GONE:
            if position == 0:
                raise
            continue  # it went away
        view.next_id = data["next_id"]
        found += [Captcha.of(each, frame) for each in data["captchas"]]
    found = merged(found)
    for one in found:
        numbers = [number for number in (one.id, one.field) if number is not None]
        view.tell(numbers)
        if one.frame is not None:
            view.frames.update(dict.fromkeys(numbers, one.frame))
    return found


def _to_solve(found: list[Captcha]) -> Captcha:
    """Raises `CaptchaError` where there is nothing to do."""
    if not found:
        raise CaptchaError("the page has no captcha that is known here", "'observe' tells what it has.")
    open_ones = [each for each in found if not each.solved]
    if not open_ones:
        raise CaptchaError(f"{found[0].name} is solved already", "Go on: send the form.")
    # What has a key and asks for an answer comes before what only watches.
    return max(open_ones, key=lambda each: (each.sitekey is not None, each.version != "v3", each.id is not None))


async def _answered(session: Session, captcha: Captcha, token: str) -> dict[str, int]:
    """Hand the answer to the page; how many fields and callbacks took it."""
    import json

    # JSON in ASCII is JavaScript.
    given = json.dumps({"field": captcha.answer or "no-field", "sitekey": captcha.sitekey, "token": token})
    script = f"({captcha_answer_script()})({given})"
    told = await session.page.evaluate(script, captcha.frame, timeout=session.remaining())
    taken = told if isinstance(told, dict) else {}
    return {name: int(taken.get(name) or 0) for name in ("fields", "callbacks")}


def _counted(taken: dict[str, int]) -> str:
    parts = [f"{count} {name[:-1] if count == 1 else name}" for name, count in taken.items() if count]
    return " and ".join(parts)


def _address(url: str) -> str:
    """A page's URL without what it says of its user: no query, no fragment."""
    parts = urlsplit(url)
    return f"{parts.scheme}://{parts.netloc.rpartition('@')[2]}{parts.path}"
