"""Reads answers back as strictly as they are written: what is Oryn's word, and what is a page's."""

from __future__ import annotations

import re
from urllib.parse import unquote

from oryn.sessions.framing import AnswerSplitter, encode
from tests.agent.injection.hostile import KEYWORD, MARK

STRING = re.compile(r'"(?:[^"\\]|\\.)*"')
UNSEEN = re.compile(
    "[\x00-\x08\x0b-\x1f\x7f-\x9f\u061c\u180e\u200b\u200e\u200f\u2028-\u202e\u2060-\u206f\ufeff\ufff9-\ufffb"
    "\ud800-\udfff\U000e0000-\U000e0fff]"
)
"""What nobody sees, or sees as another thing: nothing that is sent holds any of it."""

_ADDRESS = re.compile(r"(?:https?://|127\.0\.0\.1|/|about:|data:|blob:)\S*")


def outside(answer: str) -> str:
    """A line protocol's answer without the page's words: without its blocks' lines, its strings and its addresses."""
    lines = [line for line in answer.split("\n") if not re.match(r"\|(?: |$)", line)]
    return _ADDRESS.sub("…", STRING.sub('""', "\n".join(lines)))


def check_unseen(text: str) -> None:
    found = UNSEEN.search(text)
    assert found is None, ascii(text[max(0, found.start() - 40) : found.end() + 40])


def fence(answer: str) -> tuple[str, str, str]:
    """What stands before the one fence of an answer, in it, and after it."""
    found = re.search(r"^<page-([0-9a-f]{16})>\n(.*)\n</page-\1>$", answer, re.DOTALL | re.MULTILINE)
    assert found is not None, answer
    before, after = answer[: found.start()], answer[found.end() :]
    assert "<page-" not in before + after
    return before, found[2], after


def check_answer(answer: str, command: str) -> None:
    """There is one answer, to `command`, and outside of its strings, blocks and addresses nothing is the page's."""
    check_unseen(answer)
    assert list(AnswerSplitter().feed(encode(answer))) == [answer]
    ours = outside(answer)
    assert MARK not in unquote(ours), ours
    assert KEYWORD not in ours
    first, *rest = ours.split("\n")
    assert first.startswith(("ok ", "error ", "@ ")), first
    assert not [line for line in rest if line.startswith(("ok ", "error ", "---", "\\---"))], ours
    assert not [line for line in rest if line.startswith("@ ")][1:], ours
