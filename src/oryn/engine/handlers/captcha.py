"""`captcha` and `captcha solve` (docs/spec/scanner-protocol.md#captcha)."""

from __future__ import annotations

from typing import TYPE_CHECKING
from urllib.parse import urlsplit

from oryn.engine.action import Action
from oryn.engine.handlers.registry import handles
from oryn.engine.output.answer import Answer
from oryn.engine.page.captcha import PageCaptcha, deduplicate
from oryn.engine.page.context import require_no_dialog
from oryn.engine.page.scanner import query_frames
from oryn.errors import CaptchaError, CaptchaNotConfigured
from oryn.language.commands.host import Captcha as Detect
from oryn.language.commands.host import CaptchaSolve
from oryn.scanner import page_call

if TYPE_CHECKING:
    from oryn.engine.session import Session
    from oryn.scanner.protocol import CaptchaRequest

SOLVE_SECONDS = 180.0
"""Seconds for a service to solve a captcha, without `--timeout`. Some services employ people."""


@handles(Detect)
async def captcha(session: Session, command: Detect) -> Answer:
    found = await _detect(session)
    answer = Answer(lines=[each.line() for each in found], data={"captchas": [each.form() for each in found]})
    if not found:
        answer.lines = ["no captcha that is known here"]
    return answer


@handles(CaptchaSolve)
async def captcha_solve(session: Session, command: CaptchaSolve) -> Answer:
    if session.solver is None:
        raise CaptchaNotConfigured("no service is set that solves captchas")
    if command.timeout is None:
        session.deadline.extend(SOLVE_SECONDS)
    wanted = _choose_unsolved(await _detect(session))
    parts = urlsplit(session.page.url)
    # Without query, fragment and credentials, because they may identify the user.
    url = f"{parts.scheme}://{parts.netloc.rpartition('@')[2]}{parts.path}"
    token = await session.solver().solve(wanted, url, timeout=session.deadline.remaining())
    action = await Action.begin(session, reacts=False)
    taken = await _submit_answer(session, wanted, token)
    if not any(taken.values()):
        raise CaptchaError(f"the page has neither a field nor a callback for the answer of {wanted.name}")
    counts = " and ".join(f"{count} {name[:-1] if count == 1 else name}" for name, count in taken.items() if count)
    answer = await action.report([f"the answer went into {counts}; whether it is right, the site will say"])
    answer.lines = [f"{wanted.name} answered"]
    answer.data = {"captcha": wanted.form() | {"solved": True}, **taken}
    return answer


async def _detect(session: Session) -> list[PageCaptcha]:
    """Return the captchas of every frame. The index records the numbers of their visible elements."""
    require_no_dialog(session)
    index, page = session.element_index, session.page
    index.enter(page)
    if index.elements is None:
        await index.refresh(page, session.frame, timeout=session.deadline.remaining())
    found: list[PageCaptcha] = []

    def request() -> CaptchaRequest:
        return {"cmd": "captcha", "next_id": index.next_id}

    async for data, frame in query_frames(page, None, request, session.deadline.remaining):
        index.next_id = data["next_id"]
        found += [PageCaptcha.from_scanner(each, frame) for each in data["captchas"]]
    found = deduplicate(found)
    for one in found:
        numbers = [number for number in (one.id, one.field) if number is not None]
        index.mark_reported(numbers)
        if one.frame is not None:
            index.frames.update(dict.fromkeys(numbers, one.frame))
    return found


def _choose_unsolved(found: list[PageCaptcha]) -> PageCaptcha:
    """Return the captcha to solve. Raises `CaptchaError` if there is nothing to solve."""
    if not found:
        raise CaptchaError("the page has no captcha that is known here", "Run 'observe' to see what it has.")
    open_ones = [each for each in found if not each.solved]
    if not open_ones:
        raise CaptchaError(f"{found[0].name} is solved already", "Go on: send the form.")
    # Captchas with a key that need an answer come before those that only watch.
    return max(open_ones, key=lambda each: (each.sitekey is not None, each.version != "v3", each.id is not None))


async def _submit_answer(session: Session, captcha: PageCaptcha, token: str) -> dict[str, int]:
    """Pass the answer to the page; returns how many fields and callbacks accepted it."""
    answer = {"field": captcha.answer or "no-field", "sitekey": captcha.sitekey, "token": token}
    script = page_call("captcha_answer", answer)
    result = await session.page.evaluate(script, captcha.frame, timeout=session.deadline.remaining())
    counts = result if isinstance(result, dict) else {}
    return {name: int(counts.get(name) or 0) for name in ("fields", "callbacks")}
