"""What `intercept` is told, as a rule. Reads the file that a rule answers with, and nothing else."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from oryn.browsers.base.network import Reply, Rule
from oryn.engine.escape import quoted
from oryn.errors import ConflictingOptions, InvalidValue

if TYPE_CHECKING:
    from oryn.engine.files import Files
    from oryn.language import Intercept

MOST_BYTES = 16_000_000
"""The largest file that a rule answers with: all of it is kept, and sent again with each answer."""
_TEXT = frozenset({"application/json", "application/javascript", "application/xml", "image/svg+xml"})


def rule_of(command: Intercept, files: Files) -> Rule:
    """Raises `ConflictingOptions`, `InvalidValue`, and what `Files` raises for `--respond-file`."""
    answers = command.respond is not None or command.respond_file is not None
    if command.respond is not None and command.respond_file is not None:
        raise ConflictingOptions("--respond and --respond-file conflict")
    if command.block and answers:
        raise ConflictingOptions(f"--block and {'--respond-file' if command.respond is None else '--respond'} conflict")
    if command.status is not None and not 200 <= command.status <= 599:
        raise InvalidValue(f"{command.status} is no status of an answer", "A number from 200 to 599.")
    if not answers and command.status is None:
        return Rule(command.pattern, block=command.block)
    status = 200 if command.status is None else command.status
    if command.respond_file is not None:
        content = files.read_bytes(command.respond_file, MOST_BYTES)
        kind = content_type(command.respond_file)
        return Rule(command.pattern, reply=Reply(status, (("Content-Type", kind),), content))
    if command.respond is not None:
        body = command.respond.encode("utf-8", "replace")
        return Rule(command.pattern, reply=Reply(status, (("Content-Type", "application/json"),), body))
    return Rule(command.pattern, reply=Reply(status))


def content_type(path: str) -> str:
    """By the name's suffix; text is taken to be UTF-8."""
    import mimetypes

    kind = mimetypes.guess_type(path)[0] or "application/octet-stream"
    return f"{kind}; charset=utf-8" if kind.startswith("text/") or kind in _TEXT else kind


def rule_line(rule: Rule) -> str:
    """`block "*/ads/*"`, `answer "*/api/*" with 200, 14 bytes`, `log "*"`."""
    if rule.reply is not None:
        return f"answer {quoted(rule.pattern)} with {rule.reply.status}, {len(rule.reply.body)} bytes"
    return f"{'block' if rule.block else 'log'} {quoted(rule.pattern)}"


def rule_data(rule: Rule) -> dict[str, Any]:
    does = "answer" if rule.reply else "block" if rule.block else "log"
    return {"pattern": rule.pattern, "action": does, "status": rule.reply.status if rule.reply else None}
