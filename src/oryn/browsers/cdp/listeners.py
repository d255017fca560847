"""Which elements only listen for clicks: the page's own world tells, with the console's command line API.

https://chromedevtools.github.io/devtools-protocol/tot/Runtime/#method-evaluate (includeCommandLineAPI)
"""

from __future__ import annotations

from typing import Any

from oryn.browsers.cdp.calls import Calls
from oryn.browsers.cdp.connection import Session
from oryn.errors import OrynError


async def ask_listeners(
    calls: Calls,
    script: str,
    levels: int,
    timeout: float,
    *,
    session: Session | None = None,
    context: int | None = None,
) -> Any:
    """What `script` (`oryn.scanner.bundle.listeners_script`) answers for a frame `levels` below the walk's first, its
    shape unchecked, or None. `context` is that of the page's own world (default: of the top document)."""
    params = {"expression": f"{script}({levels})", "includeCommandLineAPI": True, "returnByValue": True}
    if context is not None:
        params["contextId"] = context
    try:
        answer = await calls.call("Runtime.evaluate", params, session=session, timeout=timeout)
    except OrynError:
        return None  # only hints: whatever is wrong, the request that wants them will meet it too
    return answer["result"].get("value")
