"""DevTools messages over a `CDPSession` of Playwright.

Playwright carries the messages of one session of the browser, not those of the sessions below it. So this attaches
targets the way that was usual before sessions were flat: `Target.sendMessageToTarget` wraps a message for a target in
one for its parent. The rest of Oryn sees flat sessions.
https://chromedevtools.github.io/devtools-protocol/tot/Target/#method-sendMessageToTarget

The browser attaches new tabs by itself in flat sessions only. They take no messages here, but hold the tab until it is
set up in a session of its own."""

from __future__ import annotations

import asyncio
import itertools
import json
import logging
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from oryn.browsers.cdp.connection import SIBLING_ENDED
from oryn.browsers.playwright.error_mapping import is_closed_error, protocol_error

if TYPE_CHECKING:
    from playwright.async_api import CDPSession

    from oryn.browsers.cdp.connection import CdpConnection

log = logging.getLogger(__name__)

Message = dict[str, Any]
_encode = json.JSONEncoder(separators=(",", ":"), check_circular=False).encode
_ATTACH = "Target.attachToTarget"
_ATTACHED = "Target.attachedToTarget"
_DETACHED = "Target.detachedFromTarget"
_RECEIVED = "Target.receivedMessageFromTarget"
_AUTO_ATTACH = "Target.setAutoAttach"
_NO_AUTO_ATTACH = {"autoAttach": False, "waitForDebuggerOnStart": False, "flatten": True}
_FIRST_OWN_NUMBER = 1 << 30
_DETACH = "Target.detachFromTarget"
_USER_AGENT = "Emulation.setUserAgentOverride"
_SEND = "Target.sendMessageToTarget"
_RELEASE = "Runtime.runIfWaitingForDebugger"


class PlaywrightTransport:
    """Implements `CdpTransport` over the browser's own session.

    root: a session of the browser, not of a page.
    connection: gets the messages, and their end."""

    def __init__(self, root: CDPSession, connection: CdpConnection) -> None:
        self._root = root
        self._connection = connection
        self._parents: dict[str, str] = {}
        """The parent of each session that is not the browser's child."""
        self._owners: dict[int, str] = {}
        """The session of each command in flight, as the messages around it have its number, too."""
        self._targets: dict[str, str] = {}
        """The tab of each session that is the browser's child."""
        self._attaching: dict[str, bool] = {}
        """The tabs that are being attached, and whether the browser holds each."""
        self._held: dict[str, str] = {}
        """The tabs that the browser holds until they are released, and its own session of each."""
        self._user_agents: dict[str, Message] = {}
        """The command that has set the user agent of each tab last."""
        self._own_numbers = itertools.count(_FIRST_OWN_NUMBER)
        """The numbers of commands that nobody waits for."""
        self._auto_attach: Message = {}
        """The parameters of auto-attach as they were set last."""
        self._answers: list[Callable[[], None]] = []
        """Answers of the browser that must not come before the tabs that are being attached."""
        self._tasks: set[asyncio.Task[Any]] = set()
        self._is_closed = False
        root.on("event", self._on_event)
        root.on("close", lambda *_: self.end())

    # --- to the browser ---

    def send(self, message: bytes) -> None:
        command = json.loads(message)
        session: str = command.pop("sessionId", "")
        number, method, params = command["id"], command["method"], command.get("params", {})
        if "flatten" in params:
            params["flatten"] = not session and method == _AUTO_ATTACH
        if not session:
            self._send_root(number, method, params)
            return
        self._owners[number] = session
        if method == _USER_AGENT and session in self._targets:
            self._user_agents[session] = command
        self._post_to(session, command)
        if method == _RELEASE:
            self._release(self._targets.get(session))

    def _post_to(self, session: str, command: Message) -> None:
        number, text = command["id"], _encode(command)
        while (parent := self._parents.get(session)) is not None:
            text = _encode({"id": number, "method": _SEND, "params": {"sessionId": session, "message": text}})
            session = parent
        self._post(_SEND, {"sessionId": session, "message": text}, number)

    def _send_root(self, number: int, method: str, params: Message) -> None:
        target: str | None = None
        if method == _ATTACH:
            target = params["targetId"]
            self._attaching[target] = False
        elif method == _AUTO_ATTACH:
            self._auto_attach = params
        self._owners[number] = ""
        self._post(method, params, number, target)

    def _post(self, method: str, params: Message, number: int | None = None, target: str | None = None) -> None:
        """Send a command to the browser.

        number: that of the command that gets the answer, or only a failure if this one carries it to a target.
        target: the tab that it is to attach."""
        task = asyncio.get_running_loop().create_task(self._root.send(method, params))
        self._tasks.add(task)

        def answered(task: asyncio.Task[Any]) -> None:
            self._tasks.discard(task)
            if task.cancelled():
                return
            error = task.exception()
            if error is not None and is_closed_error(error):
                self.end()
            elif error is not None:
                self._on_failure(error, number, target)
            elif number is not None and method != _SEND:
                self._deliver_root({"id": number, "result": task.result()})

        task.add_done_callback(answered)

    def _on_failure(self, error: BaseException, number: int | None, target: str | None) -> None:
        if target is not None:  # the tab has closed meanwhile
            self._attaching.pop(target, None)
            self._release(target)
            self._release_answers()
        if number is not None:
            self._deliver_root({"id": number, "error": protocol_error(error)})
        elif target is None:
            log.warning("the browser refused %s", error)

    def _deliver_root(self, answer: Message) -> None:
        def deliver() -> None:
            self._owners.pop(answer["id"], None)
            self._connection.receive_message(answer)

        if self._attaching and "error" not in answer:
            self._answers.append(deliver)
        else:
            deliver()

    # --- from the browser ---

    def _on_event(self, event: Message) -> None:
        if self._is_closed:
            return
        method, params = event["method"], event.get("params") or {}
        if method == _RECEIVED:
            self._on_message(params["sessionId"], json.loads(params["message"]))
        elif method == _ATTACHED:
            self._on_attached(params)
        else:
            if method == _DETACHED:
                self._forget(params["sessionId"])
            self._connection.receive_message({"method": method, "params": params})

    def _on_attached(self, params: Message) -> None:
        target, is_held = params["targetInfo"]["targetId"], params["waitingForDebugger"]
        if target in self._attaching:
            is_held = self._attaching.pop(target)
            self._targets[params["sessionId"]] = target
            event = {"method": _ATTACHED, "params": {**params, "waitingForDebugger": is_held}}
            self._connection.receive_message(event)
            self._release_answers()
        elif target in self._targets.values():
            self._end_own(params["sessionId"], target)
        else:
            # The browser's own session, which takes no messages here.
            self._attaching[target] = is_held
            self._post(_ATTACH, {"targetId": target, "flatten": False}, target=target)
            if is_held:
                self._held[target] = params["sessionId"]
            else:
                self._end_own(params["sessionId"], target)

    def _end_own(self, own: str, target: str) -> None:
        """End the browser's own session of a tab. At a new document, the browser applies what each session of the tab
        emulates in the order of their begins. One that emulates nothing takes the platform and the languages back, as
        its end does. So none may stay that is younger than the one here, which sets them again. Only a
        script that a popup runs at once may come before that.
        https://crsrc.org/c/third_party/blink/renderer/core/inspector/inspector_emulation_agent.cc"""
        self._post(_DETACH, {"sessionId": own})
        for session in [each for each, its_target in self._targets.items() if its_target == target]:
            if (user_agent := self._user_agents.get(session)) is not None:
                # Under a number of its own: the first one may be in flight, and the browser repeats a command that is.
                self._post_to(session, {**user_agent, "id": next(self._own_numbers)})
            self._connection.receive_message({"method": SIBLING_ENDED, "sessionId": session})

    def _release(self, target: str | None) -> None:
        """Let a tab go on. The browser lets those go that it holds when auto-attach ends, so they go together."""
        own = self._held.pop(target, None) if target is not None else None
        if target is not None and own is not None:
            self._end_own(own, target)
            if not self._held:
                self._post(_AUTO_ATTACH, _NO_AUTO_ATTACH)
                self._post(_AUTO_ATTACH, self._auto_attach)

    def _release_answers(self) -> None:
        if not self._attaching:
            answers, self._answers = self._answers, []
            for deliver in answers:
                deliver()

    def _on_message(self, session: str, message: Message) -> None:
        """A message of a session below the browser's, unwrapped once."""
        method = message.get("method")
        if method == _RECEIVED:
            self._on_message(message["params"]["sessionId"], json.loads(message["params"]["message"]))
            return
        if method is None:
            number = message["id"]
            if number >= _FIRST_OWN_NUMBER:
                return
            if self._owners.get(number) != session and "error" not in message:
                return  # the answer to a message that carried another one
            self._owners.pop(number, None)
        elif method == _ATTACHED:
            self._parents[message["params"]["sessionId"]] = session
        elif method == _DETACHED:
            self._forget(message["params"]["sessionId"])
        message["sessionId"] = session
        self._connection.receive_message(message)

    def _forget(self, session: str) -> None:
        """A session has ended; its commands in flight get no answers."""
        self._parents.pop(session, None)
        self._release(self._targets.pop(session, None))
        self._user_agents.pop(session, None)
        self._owners = {number: owner for number, owner in self._owners.items() if owner != session}

    # --- the end ---

    def end(self) -> None:
        """Report that the browser, or Playwright's driver, is gone."""
        if not self._is_closed:
            self._is_closed = True
            self._connection.on_lost()

    def close(self) -> None:
        self.end()
