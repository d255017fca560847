"""Prompts: beginnings of tasks that a person chooses in an assistant."""

from __future__ import annotations

from collections.abc import Mapping

from mcp.shared.exceptions import MCPError
from mcp_types import INVALID_PARAMS, GetPromptResult, Prompt, PromptArgument, PromptMessage, TextContent

_TEXTS: Mapping[str, tuple[str, Mapping[str, str], str]] = {
    "browse": (
        "Do something on a website",
        {"task": "what to do", "url": "where to begin"},
        "Use the browser for this task: {task}\nBegin at {url}. Observe each new page before you act on it, say "
        "briefly what you do, and ask me before anything that costs money, sends a message or can't be undone.",
    ),
    "log_in": (
        "Log in to a website with a stored login",
        {"url": "the login page", "entry": "the name of the entry in Oryn's vault"},
        "Open {url} and log in with the entry {entry} of Oryn's vault: run the line `login {entry}`. Never ask me for "
        "the password. Tell me if the page asks for more, such as a code.",
    ),
    "check_page": (
        "Check a web page for problems",
        {"url": "the page"},
        "Open {url} in the browser. Look at it (observe, read_page, screenshot) and run the lines `errors`, `console "
        "--level error` and `requests --last 50`. Report what is broken: errors of scripts, failed requests, missing "
        "names of controls, with the line or URL of each.",
    ),
    "collect_data": (
        "Collect data from a list on the web",
        {"url": "the page with the list", "fields": "what to collect of each entry"},
        "Open {url} and collect {fields} of each entry of its list. Run the line `extract tables` or `extract links` "
        "if the page has the data in that form, otherwise read_page. Go through the following pages too, at most ten. "
        "Answer with a table; leave empty what a page does not say, and name the pages that you read.",
    ),
}
"""For each prompt its description, its arguments, all required, and its text."""

PROMPTS = [
    Prompt(
        name=name,
        title=about,
        description=f"{about}.",
        arguments=[PromptArgument(name=each, description=what, required=True) for each, what in arguments.items()],
    )
    for name, (about, arguments, _) in _TEXTS.items()
]


def get(name: str, arguments: Mapping[str, str]) -> GetPromptResult:
    """Return a prompt with its arguments filled in. Raises `MCPError` for an unknown one, or if an argument is
    missing."""
    if name not in _TEXTS:
        raise MCPError(INVALID_PARAMS, f"Unknown prompt: {name[:80]}")
    about, wanted, text = _TEXTS[name]
    if missing := [each for each in wanted if not arguments.get(each)]:
        raise MCPError(INVALID_PARAMS, f"{name} needs {', '.join(missing)}")
    for each in wanted:
        text = text.replace(f"{{{each}}}", arguments[each])
    message = PromptMessage(role="user", content=TextContent(type="text", text=text))
    return GetPromptResult(description=f"{about}.", messages=[message])
