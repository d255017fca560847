"""The agent command protocol for whoever speaks the line protocol: `make -s agent-engine`.

Every line becomes the response of a model, with `<tool_code>`, and every answer is made of the message that comes back:
`observe` shows the elements of the last `<browsing_context>` as the line protocol writes elements, and `text` the text
of the page. So a program that drives Oryn by lines is held to what a model is shown."""

from __future__ import annotations

import asyncio
import json
import re
import sys
import tempfile
from collections.abc import Iterator
from html import unescape
from pathlib import Path

from oryn.agent import Agent, BrowserTabProvider
from oryn.browsers.chromium import ChromiumBrowser
from oryn.core.text_safety import quoted
from oryn.engine import Options, Session
from oryn.errors import LanguageError
from oryn.hosts.line_protocol import ready_line
from oryn.hosts.process_io import LineReader, Writer
from oryn.language import parse
from oryn.language.json_codec import command_json
from oryn.sessions.framing import decode_line, encode

PATIENCE = 0.5
"""Seconds to wait for an action that changes nothing: those who drive by lines wait themselves."""

_ELEMENT = re.compile(r"<([a-z][a-z0-9-]*)((?: [a-z]+=\"[^\"]*\")*)>(?:(.*)</\1>)?")
_ATTRIBUTE = re.compile(r' ([a-z]+)="([^"]*)"')
_CONTEXT = re.compile(r"^<browsing_context>\n\[Target Update\]\n(.*?)^</browsing_context>$", re.MULTILINE | re.DOTALL)
_RESULT = re.compile(r"^<command_result[^>]*>\n(.*?)\n</command_result>$", re.MULTILINE | re.DOTALL)
_ERROR = re.compile(r"^System Error: (.*)$", re.MULTILINE)
_KINDS = {"a": "link"}


class Bridge:
    """One agent, whose model does what lines say."""

    def __init__(self, agent: Agent) -> None:
        self._agent = agent
        self._context = ""
        self._has_tab = False

    async def answer(self, line: str) -> str:
        """The answer to a line. Its errors are those that the model was told."""
        command = parse(line).command
        if command is None:
            return ""
        form = command_json(command)
        arguments = {name: value for name, value in form["arguments"].items() if value}
        number = arguments.get("target", {}).get("id")
        match form["name"]:
            case "goto" if not self._has_tab:
                self._has_tab = True
                message = await self._say(action="open_tab", url=arguments["url"])
            case "observe":
                await self._say(action="observe")
                return "\n".join(self._elements())
            case "click" if number is not None:
                message = await self._say(action="click", id=number)
            case "type" if number is not None:
                # The protocol's `type` writes where the cursor is, a line's replaces what is there.
                await self._say(action="type", id=number, value="")
                message = await self._say(action="type", id=number, value=arguments.get("text", ""))
            case name:
                message = await self._say(action=name, **arguments)
        if error := _ERROR.search(message):
            return f"error {line}: {unescape(error[1])}"
        found = _RESULT.search(message)
        return f"ok {line}\n\n{unescape(found[1])}" if found else f"ok {line}"

    async def _say(self, **command: object) -> str:
        """Respond as a model does; the message that comes back."""
        turn = await self._agent.reply(f"<tool_code>{json.dumps(command)}</tool_code>\n\n{self._agent.keyword}")
        message = turn.message or ""
        for context in _CONTEXT.findall(message):
            self._context = context
        return message

    def _elements(self) -> Iterator[str]:
        """The last context's elements: `[3] input/text "Name" {disabled} value: "Ada"`."""
        for row in self._context.split("\n"):
            if found := _ELEMENT.fullmatch(row):
                tag, attributes, text = found[1], dict(_ATTRIBUTE.findall(found[2])), unescape(found[3] or "")
                yield _line(tag, {name: unescape(value) for name, value in attributes.items()}, text)


def _line(tag: str, attributes: dict[str, str], text: str) -> str:
    kind = "/".join(filter(None, (_KINDS.get(tag, tag), attributes.get("type"), attributes.get("role"))))
    label, placeholder = attributes.get("label", ""), attributes.get("placeholder", "")
    name = label or placeholder if tag in ("input", "select", "textarea") else text or label
    states = [state for state in ("checked", "disabled") if attributes.get(state) == "true"]
    shown = f"[{attributes['id']}] {kind} {quoted(name)}" + (f" {{{', '.join(states)}}}" if states else "")
    return shown + (f" value: {quoted(value)}" if (value := attributes.get("value")) else "")


async def main() -> int:
    reader, writer = LineReader(0), Writer(1)
    with tempfile.TemporaryDirectory() as folder:
        browser = ChromiumBrowser(runtime_dir=Path(folder))
        targets = BrowserTabProvider(browser, lambda tab: Session(tab, options=Options(timeout=10)))
        agent = Agent("Do what the lines say", targets, max_tabs=1, patience=PATIENCE)
        bridge = Bridge(agent)
        try:
            await agent.begin()
            await writer.write(encode(ready_line("oryn-h")))
            async for line in reader:
                if (text := decode_line(line)).strip() in ("quit", "exit"):
                    break
                try:
                    answer = await bridge.answer(text)
                except LanguageError as error:
                    answer = f"error {text}: {error}"
                await writer.write(encode(answer))
        finally:
            await agent.close()
            await browser.close()
    return 0


if __name__ == "__main__":
    sys.exit(asyncio.run(main()))
