"""A page on paper. https://chromedevtools.github.io/devtools-protocol/tot/Page/#method-printToPDF"""

from __future__ import annotations

from oryn.browsers.base.recording import Paper, Write
from oryn.browsers.cdp.channel import Channel
from oryn.browsers.cdp.recording import streams


async def print_page(channel: Channel, paper: Paper, write: Write, timeout: float) -> None:
    """Write the whole page as PDF, backgrounds included. A page's own `@page` rules about size do not count."""
    params = {
        "paperWidth": paper.width,
        "paperHeight": paper.height,
        "marginTop": paper.margin,
        "marginBottom": paper.margin,
        "marginLeft": paper.margin,
        "marginRight": paper.margin,
        "printBackground": True,
        "transferMode": "ReturnAsStream",
    }
    printed = await channel.call("Page.printToPDF", params, timeout=timeout)
    await streams.copy(channel.session, printed["stream"], write, timeout)
