"""What a command in remote mode costs, in what crosses between the worker and the browser: every message that others
wait for costs time which no other mode spends. `benchmarks/remote_commands.py` has the time."""

from __future__ import annotations

import json
from typing import Any

from tests.extension.driver import PairedBrowser, paired_browser, trusted

__all__ = ["paired_browser", "trusted"]

PAGE = """<!doctype html><title>Form</title>
<form><label>Name <input></label><label><input type=checkbox> News</label>
<select aria-label=Colour><option>Red<option>Blue</select></form>
<button onclick="out.textContent = 'pressed'">Count</button><p id=out></p>"""

WATCH = """(() => {
  globalThis.crossed = [];
  const { prototype } = oryn.Host;
  globalThis.called = prototype.call;
  prototype.call = function (name, values) {
    crossed.push([name, JSON.parse(values)]);
    return called.call(this, name, values);
  };
})()"""
WATCH_NO_MORE = "void (oryn.Host.prototype.call = called)"

FRAMES = "webNavigation.getAllFrames"
PRESSED = ["approach", "mouseMoved", "locate", "mouseMoved", "mousePressed", "mouseReleased"]
PRESSED_AGAIN = ["approach", "locate", "mouseMoved", "mousePressed", "mouseReleased"]
"""The mouse is over the element already."""
SETTLED = ["settle", FRAMES, "scan", "changed_texts"]
UNANSWERED = [*SETTLED, "wait_for", "scan", "changed_texts"]
"""The page does nothing by itself: a late reaction is waited for, and what made no event is looked for."""


def verified(count: int) -> list[str]:
    """The same of an act with so many postconditions: each look at the page also looks whether they hold."""
    return [*SETTLED, *["verify"] * count, "wait_for", "scan", "changed_texts", *["verify"] * count]


COMMANDS = {
    "title": [FRAMES, "page"],
    "observe": [FRAMES, "scan"],
    "text": [FRAMES, "get_text"],
    'value "Name"': [FRAMES, "find", "get_value"],
    'click "Count"': [FRAMES, *PRESSED_AGAIN, *verified(1)],
    'type "Name" "a"': [FRAMES, "approach", "prepare", "keyDown", "keyUp", *verified(1)],
    'check "News"': [FRAMES, "find", "toggle", "watch", "locate", *PRESSED[1:], *verified(2)],
    'uncheck "News"': [FRAMES, "find", "toggle", "watch", "locate", *PRESSED_AGAIN[1:], *SETTLED, "verify", "verify"],
    'select "Colour" "Blue"': [FRAMES, "approach", "select", *verified(1)],
    "eval 1": [FRAMES, "watch", "Runtime.evaluate", *SETTLED],
    "scroll down": [FRAMES, "watch", "scroll", *SETTLED],
    "press escape": [FRAMES, "watch", "rawKeyDown", "keyUp", *UNANSWERED],
}
LISTENER_CALLS = {"DOMDebugger.getEventListeners", "Runtime.callFunctionOn"}
"""Asked together whenever a page has come to rest, and anew where the answer is old: how often, time decides."""


async def test_messages_per_command_match_the_expected_count(trusted: PairedBrowser) -> None:
    await trusted.show(PAGE)
    await trusted.ok('click "Count"')  # what is asked once of a document
    worker = await trusted.browser.worker()
    await worker.evaluate(WATCH)
    found = {}
    try:
        for line in COMMANDS:
            await worker.evaluate("void (crossed.length = 0)")
            await trusted.ok(line)
            told = [_purpose(name, values) for name, values in await worker.evaluate("crossed")]
            found[line] = [each for each in told if each and each not in LISTENER_CALLS]
    finally:
        await worker.evaluate(WATCH_NO_MORE)
        await worker.detach()
    assert found == COMMANDS


def _purpose(name: str, values: list[Any]) -> str:
    """What a call about the page is for: the scanner's command, the kind of input, or what else it is called."""
    if name == "tabs.sendMessage":
        message = values[1]
        return str(json.loads(message["request"])["cmd"]) if "request" in message else message.get("oryn", "")
    if name == "debugger.sendCommand":
        return str(values[2]["type"] if values[1].startswith("Input.") else values[1])
    return name if name.startswith("webNavigation.") else ""
