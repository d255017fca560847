"""What a file of an intent and the manifest of a pack may say, declared once: reading, errors and the published JSON
Schema come from here (docs/intents.md describes them to a user)."""

from __future__ import annotations

from typing import Any

from oryn.engine.intents.own.shapes import (
    Choice,
    Either,
    Entry,
    Fields,
    Flag,
    Many,
    Named,
    Reference,
    Shape,
    Text,
    Whole,
)

NAME_PATTERN = r"^[^\W\d][\w-]{0,63}$"
PARAMETER_PATTERN = r"^[a-z_][a-z0-9_-]{0,63}$"

STEP_LIMIT = 100
"""Commands that an intent may run, where it says nothing."""
ROUND_LIMIT = 20
"""Rounds of a loop that waits for something, where it says nothing."""

NAME = Text(NAME_PATTERN, what="a name: a letter or _, then letters, digits, _ and -, 64 at most")
VERSION = Text(longest=40, loose=True)
PROSE = Text(longest=1000)
TYPES = ("text", "number", "flag", "list")

_condition = Reference("condition")
_step = Reference("step")
_line = Text(what="a command line")
_steps = Many(_step, 200)
_own_text = Text(longest=10_000, loose=True)
_scalar = Either(
    "a text, a number, true, false or a list of texts",
    {
        str: Text(longest=10_000),
        int: Whole(-(2**53), 2**53),
        float: _own_text,
        bool: Flag(),
        list: Many(_own_text, 200),
    },
)

_condition.shape = Fields(
    "a condition",
    {
        "text": Entry(_line, "this text is visible on the page"),
        "visible": Entry(_line, "this target is visible, written as in a command"),
        "enabled": Entry(_line, "this target is enabled"),
        "checked": Entry(_line, "this target is checked"),
        "exists": Entry(_line, "this CSS selector finds something"),
        "gone": Entry(_line, "this CSS selector finds nothing"),
        "url": Entry(_line, "the URL fits this pattern, as in `wait url`"),
        "script": Entry(_line, "this JavaScript expression is true"),
        "given": Entry(Text(PARAMETER_PATTERN, what="a parameter's name"), "this parameter has a value"),
        "equals": Entry(Many(_own_text, 2, least=2), "these two texts are the same"),
        "not": Entry(_condition, "this does not hold"),
        "all": Entry(Many(_condition, 20, least=1), "each of these holds"),
        "any": Entry(Many(_condition, 20, least=1), "one of these holds"),
    },
    one=True,
)

BRANCH = Fields(
    "a branch",
    {
        "if": Entry(_condition, "the condition", required=True),
        "then": Entry(_steps, "steps where it holds", required=True),
        "else": Entry(_steps, "steps where it does not"),
    },
)
LOOP = Fields(
    "a loop",
    {
        "times": Entry(
            Either("a whole number or a parameter's name", {int: Whole(0, 1000), str: Text(PARAMETER_PATTERN)}),
            "so many rounds, or as many as this parameter says",
        ),
        "while": Entry(_condition, "rounds as long as this holds"),
        "until": Entry(_condition, "rounds until this holds, asked before each"),
        "over": Entry(
            Either("a list or a parameter's name", {list: Many(_own_text, 200), str: Text(PARAMETER_PATTERN)}),
            "a round for each of these texts, or for each of this parameter's",
        ),
        "as": Entry(Text(PARAMETER_PATTERN, what="a name"), "the name of a round's text in its steps; item otherwise"),
        "limit": Entry(Whole(1, 1000), f"rounds that `while` and `until` may take; {ROUND_LIMIT} otherwise"),
        "steps": Entry(_steps, "the steps of a round", required=True),
    },
)
TRY = Fields(
    "a try",
    {
        "steps": Entry(_steps, "what may fail", required=True),
        "catch": Entry(_steps, "steps for when it did"),
    },
)
_step.shape = Either(
    "a step: a command line, or branch, loop or try",
    {
        str: _line,
        dict: Fields(
            "a step",
            {
                "branch": Entry(BRANCH, "steps on a condition"),
                "loop": Entry(LOOP, "steps several times"),
                "try": Entry(TRY, "steps that may fail"),
            },
            one=True,
        ),
    },
)
PARAMETER = Fields(
    "a parameter",
    {
        "description": Entry(PROSE, "what it is for"),
        "type": Entry(Choice(*TYPES), "text, if it says nothing"),
        "default": Entry(_scalar, "its value where none is given"),
        "required": Entry(Flag(), "whether it must be given; true for one without a default, if it says nothing"),
        "secret": Entry(Flag(), "whether it is a credential: shown as dots, never kept"),
    },
)
LIMITS = Fields(
    "limits",
    {
        "steps": Entry(Whole(1, 1000), f"commands that it may run; {STEP_LIMIT} otherwise"),
        "time": Entry(
            Text(r"^[0-9]+(\.[0-9]+)?(ms|s|m)$", longest=20, what="a duration such as 90s or 2m"),
            "how long it may take; the session's time limit otherwise",
        ),
    },
)
DEFINITION = Fields(
    "an intent",
    {
        "name": Entry(NAME, "what `run` calls it", required=True),
        "version": Entry(VERSION, "the version of the intent"),
        "description": Entry(PROSE, "what it does"),
        "parameters": Entry(
            Named(PARAMETER_PATTERN, PARAMETER, 50), "what it is given; `{{name}}` in a step is its value"
        ),
        "steps": Entry(_steps, "what it does, in order", required=True),
        "success": Entry(Many(_condition, 20, alone=True), "what must hold in the end, each of them"),
        "failure": Entry(Many(_condition, 20, alone=True), "what ends it as failed as soon as one of them holds"),
        "limits": Entry(LIMITS, "when it is ended"),
    },
)
PACK = Fields(
    "a pack",
    {
        "name": Entry(NAME, "what `pack load` calls it", required=True),
        "version": Entry(VERSION, "the version of the pack"),
        "description": Entry(PROSE, "what it is for"),
        "urls": Entry(
            Many(Text(longest=500), 100, least=1),
            "patterns of the URLs that it is for, as in `wait url`",
            required=True,
        ),
    },
)

DOCUMENTS: dict[str, tuple[str, Fields]] = {
    "intent": ("An intent of Oryn", DEFINITION),
    "pack": ("The manifest of a pack of Oryn's intents (pack.yaml)", PACK),
}


def json_schema(document: str) -> dict[str, Any]:
    """The JSON Schema of a document of `DOCUMENTS`."""
    title, shape = DOCUMENTS[document]
    inner: tuple[Reference, ...] = (_condition, _step) if document == "intent" else ()
    definitions: dict[str, Any] = {each.name: each.shape.schema() for each in inner}
    schema: dict[str, Any] = {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "title": title,
        **shape.schema(),
    }
    return {**schema, "$defs": definitions} if definitions else schema


__all__ = ["DEFINITION", "DOCUMENTS", "PACK", "ROUND_LIMIT", "STEP_LIMIT", "Shape", "json_schema"]
