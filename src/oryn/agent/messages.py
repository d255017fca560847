"""System messages and `<command_result>` blocks of the agent protocol (docs/spec/agent-protocol.md#messages). Pure.

Text from a page or a model is escaped and on one line (`sanitization`). A command result has what no snapshot contains:
a page's text, a dialog, a note."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from oryn.agent.context import PageRedactor, display_url
from oryn.agent.sanitization import attribute, escape_line, escape_user_text, quote_block
from oryn.core import text_safety
from oryn.engine.action import NOTHING_CHANGED
from oryn.engine.output.answer import Answer, render_observation
from oryn.engine.output.changes import PageChange
from oryn.errors import OrynError

UNREDACTED = PageRedactor("off")

NOTHING_NEW = "System: There is nothing new."

MAX_ERROR_CHARACTERS = 600
"""Maximum length of an error message, in characters."""


RESTARTED = (
    "System: The browser's side was restarted. Your last command may not have been executed, and all elements have new "
    "numbers."
)


def timed_out(seconds: float) -> str:
    """The message that an action changed nothing within `seconds`."""
    return f"System: Action executed but no DOM change detected within {seconds:g} seconds."


def error(words: str) -> str:
    """Format an error message. `words` is Oryn's own text; text from a page or a model in it must be
    escaped already."""
    return f"System Error: {words}"


def element_not_found(number: object) -> str:
    """The error for an element number that no snapshot has. `number` is as the model wrote it."""
    return error(f"Element ID {escape_line(str(number), 40)} not found.")


def failed_to_open(url: str, reason: str) -> str:
    """Format the error for a URL that can't be opened. `url` is as the model or the user wrote it."""
    return error(
        f'Failed to open URL "{escape_line(text_safety.url(url))}". {escape_line(reason, MAX_ERROR_CHARACTERS)}'
    )


def tool_not_found(name: str, names: Iterable[str]) -> str:
    """The error for a saved tool that does not exist. `name` is as the model wrote it, `names` are the saved tools."""
    listing = ", ".join(f'"{escape_user_text(each)}"' for each in names)
    return error(f'Tool "{escape_line(name, 100)}" not found. Available tools: {listing or "none"}')


# The URLs of tabs are formatted as in their snapshots, so that a model recognizes them.


def tab_released(limit: int, url: str, redactor: PageRedactor = UNREDACTED) -> str:
    """The message that the tab limit was reached, and the oldest target released."""
    return f"System: Tab limit ({limit}) reached. Released tab: {display_url(url, redactor)}"


def tab_opened(url: str, redactor: PageRedactor = UNREDACTED) -> str:
    """The message that a page has opened a tab, which is a target from now on."""
    return f"System: The page opened a new tab, which is a target now: {display_url(url, redactor)}"


def tabs_left(count: int) -> str:
    """The message that pages have opened `count` tabs beyond the limit."""
    return f"System: Pages opened {count} more {'tab' if count == 1 else 'tabs'}, which are not targets."


def tab_closed(url: str, redactor: PageRedactor = UNREDACTED) -> str:
    """The message that a target was closed, by the page or the user."""
    return f"System: A target tab was closed: {display_url(url, redactor)}"


def no_snapshot(url: str, reason: str, redactor: PageRedactor = UNREDACTED) -> str:
    """The error for a tab without a snapshot. `reason` is escaped and shortened."""
    return error(f"No snapshot of {display_url(url, redactor)}: {escape_line(reason, MAX_ERROR_CHARACTERS)}")


def engine_error(failure: OrynError) -> str:
    """Format an error of the engine: its message and its hint."""
    message = escape_line(failure.message, MAX_ERROR_CHARACTERS).rstrip(".")
    return error(f"{message}. {escape_line(failure.hint, MAX_ERROR_CHARACTERS)}" if failure.hint else f"{message}.")


def note(words: str) -> str:
    """A message of Oryn's own, escaped and shortened to `MAX_ERROR_CHARACTERS`."""
    return f"System: {escape_line(words, MAX_ERROR_CHARACTERS)}"


def correction(words: str) -> str:
    """Format what the user typed during the run (SEND COMMAND)."""
    return f"User: {escape_user_text(words)}"


def person_note(number: int, about: str, words: str) -> str:
    """Format a note that the user has made on a page. `about` has no word of the page."""
    return f"User: note {number}, about {about}: {escape_user_text(words)}"


def join_parts(parts: Sequence[str]) -> str:
    """Join the parts of a message, each a line or a block; empty parts are dropped."""
    return "\n\n".join(part for part in parts if part)


MAX_RESULT_CHARACTERS = 8_000
"""Maximum length of a command result, in characters."""

_IN_SNAPSHOTS = frozenset({"appeared", "returned", "gone", "changed", "text", "url", "title", "page"})


def _events(answer: Answer) -> list[PageChange]:
    return [change for change in answer.changes if change.data["change"] not in _IN_SNAPSHOTS]


def has_events(answer: Answer) -> bool:
    """Return whether the answer reports a dialog, a tab, a download or another page, besides changes of elements."""
    return bool(_events(answer)) or any(change.data["change"] in ("page", "url") for change in answer.changes)


def render_result(answer: Answer, action: str, redactor: PageRedactor) -> str:
    """Render the `<command_result>` block, or an empty text if the answer has no content. Every line of it begins with
    `| `, which marks it as data."""
    parts = [render_observation(answer.observation)] if answer.observation is not None else []
    parts += answer.lines
    if answer.block is not None:
        parts.append(answer.block)
    # The snapshot that follows says itself that nothing has changed.
    parts += [f"note: {note}" for note in answer.notes if note != NOTHING_CHANGED]
    parts += [change.render() for change in _events(answer)]
    text = "\n".join(parts)
    if not text:
        return ""
    quoted = quote_block(redactor.text(text)[:MAX_RESULT_CHARACTERS])
    if len(text) > MAX_RESULT_CHARACTERS:
        quoted += f"\n| … {len(text) - MAX_RESULT_CHARACTERS} more characters"
    return f"<command_result{attribute('action', action, 60)}>\n{quoted}\n</command_result>"
