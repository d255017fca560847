"""The hub's windows without their extension: pages on loopback, and a worker that the test speaks for."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from oryn.engine import Session
from scripts.extension.builder import SHARED, TEMPLATE
from tests.extension.popup import WORKER, served
from tests.headless.conftest import Pages

MAIL: dict[str, Any] = {
    "extensionId": "mail@plugins.example",
    "name": "Mail",
    "version": "2.1.0",
    "author": "Ada Byron",
    "homepage": "https://mail.example.org/oryn",
}
CLOCK: dict[str, Any] = {"extensionId": "oryn:clock", "name": "World clock", "version": "1.0.0"}
SEND: dict[str, Any] = {
    "name": "mail@plugins.example::send",
    "title": "Send a message",
    "description": "Sends a message from your address.",
    "pluginId": "mail@plugins.example",
    "isDangerous": True,
}
NOW: dict[str, Any] = {
    "name": "oryn:clock::now",
    "title": "Time in a zone",
    "description": "Says what time it is.",
    "pluginId": "oryn:clock",
    "isDangerous": False,
}
UNKNOWN: dict[str, Any] = {"name": "a@b::c", "title": None, "description": None, "pluginId": None, "isDangerous": False}
ARGUMENTS: dict[str, Any] = {
    "to": "bob@example.org",
    "message": "Hello Bob,\nshall we meet?",
    "options": {"urgent": True, "copies": ["a@example.org", "c@example.org"], "none": []},
    "attempts": 3,
    "count": "3",
    "reply": None,
    "note": "",
}


def question(**changes: Any) -> dict[str, Any]:
    """A call of a dangerous tool, with changes. `arguments` replaces what is sent."""
    arguments = changes.pop("arguments", ARGUMENTS)
    text = None if arguments is None else json.dumps(arguments, indent=2, ensure_ascii=False)
    return {
        "type": "question",
        "id": 1,
        "origin": "https://shop.example.com",
        "names": [SEND["name"]],
        "isDangerous": True,
        "canPersist": True,
        "isAll": False,
        "argumentsText": text,
        "omitted": 0,
        "tools": [SEND],
        "plugins": [MAIL],
        **changes,
    }


def wish(**changes: Any) -> dict[str, Any]:
    """The wish to use several tools, one of which no plugin has."""
    tools = [SEND, NOW, UNKNOWN]
    names = [each["name"] for each in tools]
    about = {"isDangerous": False, "names": names, "tools": tools, "plugins": [MAIL, CLOCK], "canPersist": False}
    return question(arguments=None, **{**about, **changes})


def review_state(**changes: Any) -> dict[str, Any]:
    """Two plugins, and what three origins were granted."""

    def tool(each: dict[str, Any], **more: Any) -> dict[str, Any]:
        name = each["name"].rpartition("::")[2]
        return {"name": name, "title": each["title"], "description": each["description"], "inputSchema": {}, **more}

    mail = {**MAIL, "tools": [tool(SEND, uiHints={"dangerous": True})]}
    clock = {**CLOCK, "tools": [tool(NOW)]}
    grant = {"origin": "https://shop.example.com", "name": SEND["name"], "kind": "always", "until": None}
    return {
        "type": "state",
        "plugins": [
            {"plugin": mail, "disabled": False, "missed": 0, "lastSeen": 0},
            {"plugin": clock, "disabled": True, "missed": 0, "lastSeen": 0},
        ],
        "enabled": [MAIL["extensionId"]],
        "allowlist": [],
        "grants": [grant, {**grant, "origin": "https://ads.example.net", "name": None, "kind": "deny", "until": 9e12}],
        **changes,
    }


async def open_hub_page(session: Session, pages: Pages, bundles: Path, name: str, message: dict[str, Any]) -> None:
    """Open `consent` or `review`, with what the worker says first."""
    folder = TEMPLATE / "hub"
    for file in (folder / f"{name}.html", folder / "hub.css", bundles / "hub" / f"{name}.js"):
        pages[f"/hub/{file.name}"] = served(file)
    for file in SHARED:
        pages[f"/popup/{file.name}"] = served(file)
    pages["/hub/fake.js"] = (200, {"Content-Type": "text/javascript"}, WORKER)
    for line in (f"goto {pages.url(f'/hub/{name}.html')}", 'wait until "globalThis.fake && fake.port"'):
        answer = await session.execute(line)
        assert answer.error is None, answer.render()
    await session.page.evaluate(f"fake.say({json.dumps(message)})")
