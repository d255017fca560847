"""Several questions from one: as a chat model plans them, or as the question's own parts."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

from oryn.core.text_safety import shortened
from oryn.errors import ModelAnswerInvalid
from oryn.research.text.questions import content_words, missing_names

if TYPE_CHECKING:
    from oryn.models.model import ChatModel

MAX_QUESTIONS = 8
MAX_QUESTION_CHARACTERS = 200

_INSTRUCTIONS = """\
You plan research. Split the topic into the questions that must be answered to cover it, at most {limit}, the most \
important first. Each is complete by itself: it names what it is about, without "it" or "they", and is short enough \
for a search engine. A topic that is one simple question stays one. Answer with JSON and nothing else.
The answer's JSON Schema:
{schema}"""

_END = re.compile(r"(?<=\?)\s+")
_JOINT = re.compile(
    r"(?:[,;]|(?<!\s))\s++(?:and|or|but)\s++(?=(?:at |in |on |for |by )?(?:how|what|when|where|which|who|whose|why)\b)"
    r"|[,;]\s++(?=(?:how|what|when|where|which|who|whose|why)\b)",
    re.IGNORECASE,
)
_POSSESSIVE = re.compile(r"\b(?:its|his|her|their)\b(?=\s+\w)", re.IGNORECASE)
_PRONOUN = re.compile(r"\b(?:it|he|she|they|them|him)\b", re.IGNORECASE)


async def planned_questions(topic: str, limit: int, model: ChatModel | None) -> tuple[str, ...]:
    """At most `limit` questions (and `MAX_QUESTIONS`) that cover the topic; without a model, its own parts.

    Raises `ModelError`, `ModelAnswerInvalid`."""
    limit = min(limit, MAX_QUESTIONS)
    if limit < 2:
        return (topic,)
    if model is None:
        return parts_of(topic)[:limit]
    from oryn.models.structured_reply import object_schema, structured_reply

    schema = object_schema(questions={"type": "array", "items": {"type": "string"}, "minItems": 1, "maxItems": limit})
    instructions = _INSTRUCTIONS.format(limit=limit, schema=schema)
    return await structured_reply(model, instructions, topic, schema, _read, error=ModelAnswerInvalid)


def _read(answer: Any) -> tuple[str, ...]:
    lines = (shortened(" ".join(each.split()), MAX_QUESTION_CHARACTERS) for each in answer["questions"])
    questions = tuple(dict.fromkeys(line for line in lines if line))
    if not questions:
        raise ValueError("all questions are empty")
    return questions


def parts_of(topic: str) -> tuple[str, ...]:
    """The questions that a topic consists of: `How long is the Heron Bridge, and who built it?` is two. A later part
    that only refers to a thing gets the name that the first part has for it."""
    parts = [part for sentence in _END.split(topic.strip()) for part in _JOINT.split(sentence) if part.strip(" ?")]
    if len(parts) < 2:
        return (topic,)
    first = f"{parts[0].rstrip(' ?')}?"
    names = missing_names(parts[0], ())
    return tuple(dict.fromkeys((first, *(_complete(part, names, parts[0]) for part in parts[1:]))))


def _complete(part: str, names: tuple[str, ...], first: str) -> str:
    """A part with what it is about, if it only refers to that."""
    part = part.rstrip(" ?")
    if missing_names(part, ()) or not (_POSSESSIVE.search(part) or _PRONOUN.search(part)):
        return f"{part}?"
    if names:
        named = _POSSESSIVE.sub(lambda _: f"{names[0]}'s", part, count=1)
        return f"{_PRONOUN.sub(lambda _: names[0], named, count=1) if named == part else named}?"
    return f"{part}? ({' '.join(content_words(first))})"
