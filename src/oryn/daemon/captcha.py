"""`captcha` and `captcha solve`: commands of the session, which are no lines of the language."""

from __future__ import annotations

from typing import TYPE_CHECKING

from oryn.daemon.hosting import Hosting, Open, performs
from oryn.language import doors, parse, render
from oryn.language.commands.hosting import Captcha, CaptchaSolve

if TYPE_CHECKING:
    from oryn.engine import Answer


@performs(Captcha, CaptchaSolve, opens=True)
async def _in_session(hosting: Hosting, name: str, command: Captcha | CaptchaSolve, opened: Open) -> Answer:
    return await opened().execute(parse(render(command), doors()))
