"""The lines that the client library's optional methods send (seed 000 §4.2). Whatever text stands in one, it stays that
text: no option, no comment, no second command comes out of it."""

from __future__ import annotations

import re

from oryn.errors import UnexpectedInput
from oryn.language.kinds import URL
from oryn.language.strings import is_identifier, quote
from oryn.language.targets import RELATIONS, ROLE_ALIASES, ROLES

_STRING = r"""(?:"(?:[^"\\\r\n]|\\[^\r\n])*"|'(?:[^'\\\r\n]|\\[^\r\n])*')"""
_NUMBER = r"-?[0-9]{1,15}(?:\.[0-9]{1,15})?"
_SIMPLE = (
    rf"(?:[0-9]{{1,15}}|@e[0-9]{{1,15}}|{'|'.join((*ROLES, *ROLE_ALIASES))}|{_STRING}|(?:css|xpath)\({_STRING}\)"
    rf"|at\({_NUMBER}, *{_NUMBER}\))"
)
_TARGET = re.compile(rf"{_SIMPLE}(?: +(?:{'|'.join(RELATIONS)}) +{_SIMPLE})*", re.ASCII)
_SELECTOR = re.compile(r"(css|xpath)\((.+)\)")


def target_text(target: int | str) -> str:
    """A target as it stands in a line. A number, and a text that is a whole target of the language (`@e5`, `email`,
    `"Save" near "Address"`), are that target; any other text is the text of an element. `quote(text)` is always one."""
    if isinstance(target, int):
        return str(int(target))
    if _TARGET.fullmatch(target):
        return target
    if (selector := _SELECTOR.fullmatch(target)) and (inside := selector[2].strip()):
        return f"{selector[1]}({quote(inside)})"
    return quote(target)


def goto(url: str) -> str:
    return f"goto {URL.write(url) if url else quote(url)}"


def click(target: int | str) -> str:
    return f"click {target_text(target)}"


def type_text(target: int | str, text: str) -> str:
    return f"type {target_text(target)} {quote(text)}"


def new_session(name: str, mode: str | None) -> str:
    return f"session new {_name(name)}{f' --mode {_name(mode)}' if mode else ''}"


def close_session(name: str) -> str:
    return f"session close {_name(name)}"


def _name(name: str) -> str:
    return name if is_identifier(name) else quote(name)


def one_line(command: str) -> str:
    """`command`, where it is one line of text that can be sent. Raises `UnexpectedInput`."""
    if "\n" in command or "\r" in command:
        raise UnexpectedInput(
            "a line break in a command",
            "Send one command at a time. Inside a string, \\n is a line break; quote(text) writes such a string.",
        )
    try:
        command.encode()
    except UnicodeEncodeError as error:
        raise UnexpectedInput(f"half a character at position {error.start}", "Send commands as Unicode text.") from None
    return command
