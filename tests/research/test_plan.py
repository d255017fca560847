"""Several questions from one: by its own parts, or as a model behind a real endpoint plans them."""

from __future__ import annotations

import json

import pytest

from oryn.errors import ModelAnswerInvalid
from oryn.models import ChatModel, ModelEndpoint
from oryn.models.structured_reply import MAX_ATTEMPTS
from oryn.research.report.plan import parts_of, planned_questions
from scripts.scripted_endpoint import MODEL, Endpoint, Says


@pytest.mark.parametrize(
    ("topic", "parts"),
    [
        ("How do ferns reproduce?", ("How do ferns reproduce?",)),
        ("ferns and mosses", ("ferns and mosses",)),
        (
            "How long is the Heron Bridge, and who built it?",
            ("How long is the Heron Bridge?", "who built Heron Bridge?"),
        ),
        (
            "Who wrote Ulysses? When was its first edition printed?",
            ("Who wrote Ulysses?", "When was Ulysses's first edition printed?"),
        ),
        (
            "How long is the Heron Bridge and how high is the Kestrel Bridge?",
            ("How long is the Heron Bridge?", "how high is the Kestrel Bridge?"),
        ),
        (
            "how do ferns reproduce and how long do they live",
            ("how do ferns reproduce?", "how long do they live? (ferns reproduce)"),
        ),
    ],
)
def test_the_parts_of_a_question_name_what_they_are_about(topic: str, parts: tuple[str, ...]) -> None:
    assert parts_of(topic) == parts


async def test_a_limit_holds_without_a_model() -> None:
    topic = "How long is the Heron Bridge, who built it, and when was it opened?"
    assert await planned_questions(topic, 1, None) == (topic,)
    assert len(await planned_questions(topic, 2, None)) == 2
    assert len(await planned_questions(topic, 5, None)) == 3


async def test_a_model_plans_complete_questions() -> None:
    said = {"questions": ["How do ferns  reproduce?", "How do ferns reproduce?", " ", "Where do ferns grow?"]}
    with Endpoint(Says(json.dumps(said))) as endpoint:
        model = ChatModel(ModelEndpoint(endpoint.url, MODEL), pause=0)
        assert await planned_questions("ferns", 4, model) == ("How do ferns reproduce?", "Where do ferns grow?")
        assert await planned_questions("ferns", 1, model) == ("ferns",)
    assert len(endpoint.requests) == 1


async def test_a_plan_that_is_no_plan_is_an_error() -> None:
    empty = Says(json.dumps({"questions": [" "]}))
    with Endpoint(*[empty] * MAX_ATTEMPTS) as endpoint, pytest.raises(ModelAnswerInvalid, match="questions are empty"):
        await planned_questions("ferns", 3, ChatModel(ModelEndpoint(endpoint.url, MODEL), pause=0))
