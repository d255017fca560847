"""A model behind a real endpoint on loopback, and every way in which that can fail."""

from __future__ import annotations

import socket
import threading
from typing import Any

import httpx
import pytest

from oryn.errors import (
    ContextTooLong,
    ModelError,
    ModelFailed,
    ModelNotFound,
    ModelRateLimited,
    ModelUnauthorized,
    ModelUnreachable,
)
from oryn.models import ChatMessage, ChatModel, ModelEndpoint, ModelReply, Usage
from oryn.models.model import ATTEMPTS, error_from_httpx
from scripts.scripted_endpoint import (
    MODEL,
    Bytes,
    Drops,
    Fails,
    FailsInStream,
    Policy,
    RateLimited,
    Refuses,
    Says,
    TooLong,
    Whole,
)
from scripts.scripted_endpoint import Endpoint as Served
from scripts.scripted_endpoint import Reply as Scripted

MESSAGES = [ChatMessage("system", "You are a test."), ChatMessage("user", "Hello")]


class RecordingListener:
    """Listens."""

    def __init__(self) -> None:
        self.pieces: list[str] = []
        self.repeats: list[tuple[str, float]] = []

    def on_text(self, text: str) -> None:
        self.pieces.append(text)

    def on_retry(self, error: ModelError, seconds: float) -> None:
        self.pieces.clear()
        self.repeats.append((error.code, seconds))


async def ask(
    served: Served, heard: RecordingListener | None = None, model: str = MODEL, key: str | None = None
) -> ModelReply:
    async def found() -> str | None:
        return key

    return await ChatModel(ModelEndpoint(served.url, model, found), pause=0).reply(
        MESSAGES, heard or RecordingListener()
    )


async def refused(*script: Scripted | Policy, **how: Any) -> ModelError:
    with Served(*script) as served, pytest.raises(ModelError) as caught:
        await ask(served, **how)
    return caught.value


async def test_a_reply_comes_in_pieces_and_whole() -> None:
    heard = RecordingListener()
    with Served(Says("I look at the page.", usage=(40, 6))) as served:
        reply = await ask(served, heard)
    assert heard.pieces == ["I look ", "at the ", "page."]
    assert reply == ModelReply("I look at the page.", usage=Usage(40, 6))
    request = served.requests[0]
    assert request.messages == [
        {"role": "system", "content": "You are a test."},
        {"role": "user", "content": "Hello"},
    ]
    assert request.body["stream_options"] == {"include_usage": True}
    assert "authorization" not in request.headers


async def test_missing_token_usage_is_estimated() -> None:
    with Served(Says("four little words here", usage=None)) as served:
        reply = await ask(served)
    assert reply.usage is not None and reply.usage.estimated
    assert (reply.usage.prompt, reply.usage.completion) == (14, 10)


async def test_an_endpoint_that_does_not_take_stream_options_is_asked_without() -> None:
    unknown = Fails(400, "Unrecognized request argument supplied: stream_options")
    with Served(unknown, Says("fine", usage=None), Says("still")) as served:
        model = ChatModel(ModelEndpoint(served.url, MODEL))
        assert (await model.reply(MESSAGES, RecordingListener())).text == "fine"
        assert (await model.reply(MESSAGES, RecordingListener())).text == "still"
    assert ["stream_options" in each.body for each in served.requests] == [True, False, False]


async def test_a_schema_is_asked_for_where_the_endpoint_takes_one() -> None:
    schema = {"type": "object"}
    unknown = Fails(400, "Unknown parameter: 'response_format'")
    with Served(Says("{}", usage=None), unknown, Says("{}"), Says("{}")) as served:
        model = ChatModel(ModelEndpoint(served.url, MODEL))
        for _ in range(3):
            assert (await model.reply(MESSAGES, RecordingListener(), schema=schema)).text == "{}"
    form = {"name": "answer", "strict": True, "schema": schema}
    assert served.requests[0].body["response_format"] == {"type": "json_schema", "json_schema": form}
    assert ["response_format" in each.body for each in served.requests] == [True, True, False, False]
    assert all("stream_options" in each.body for each in served.requests)


async def test_an_answer_in_one_piece_is_an_answer() -> None:
    with Served(Whole("all at once", usage=(5, 3))) as served:
        assert await ask(served) == ModelReply("all at once", usage=Usage(5, 3))


async def test_a_refusal_is_told_apart() -> None:
    with Served(Refuses("I won't."), Says("", finish="content_filter"), Says("too lo", finish="length")) as served:
        assert (await ask(served)).replace(usage=None) == ModelReply("I won't.", refused=True)
        assert (await ask(served)).refused
        assert (await ask(served)).cut


async def test_a_rate_limit_is_waited_for_as_long_as_the_endpoint_asks() -> None:
    heard = RecordingListener()
    with Served(RateLimited(seconds=0.25), "now") as served:
        assert (await ask(served, heard)).text == "now"
    assert heard.repeats == [("MODEL_RATE_LIMITED", 0.25)]


async def test_a_wait_that_is_too_long_is_an_error_at_once() -> None:
    heard = RecordingListener()
    error = await refused(RateLimited(seconds=3600), heard=heard)
    assert isinstance(error, ModelRateLimited) and error.wait == 3600
    assert error.message == 'the endpoint wants no request for 3600 s: "Rate limit reached for requests"'
    assert not heard.repeats


async def test_without_money_nothing_is_repeated() -> None:
    heard = RecordingListener()
    error = await refused(Fails(429, "You exceeded your current quota", "insufficient_quota"), heard=heard)
    assert isinstance(error, ModelRateLimited) and error.hint == "Only its owner can change that."
    assert not heard.repeats


@pytest.mark.parametrize(
    "first",
    [Drops(), Drops(None), Fails(500), Fails(503), FailsInStream(), Bytes(b'data: {"choices": []}\n\n')],
    ids=str,
)
async def test_temporary_failure_is_retried_from_the_beginning(first: Scripted) -> None:
    heard = RecordingListener()
    with Served(first, "whole") as served:
        assert (await ask(served, heard)).text == "whole"
    assert len(heard.repeats) == 1
    assert "".join(heard.pieces) == "whole", "what had come of the first attempt counts no more"
    assert served.requests[0].body == served.requests[1].body


async def test_attempts_end() -> None:
    heard = RecordingListener()
    error = await refused(lambda _: Drops(), heard=heard)
    assert isinstance(error, ModelUnreachable) and error.message == "the connection to the endpoint broke off"
    assert len(heard.repeats) == ATTEMPTS - 1


async def test_a_key_is_sent_and_a_wrong_one_told_without_it() -> None:
    with Served("hello", key="sk-right") as served:
        assert (await ask(served, key="sk-right")).text == "hello"
        with pytest.raises(ModelUnauthorized) as missing:
            await ask(served)
    assert missing.value.message == 'the endpoint does not take the key: "Incorrect API key provided."'
    assert missing.value.hint is not None and "ORYN_MODEL_KEY" in missing.value.hint
    error = await refused(Fails(401, "Incorrect API key provided: sk-wrong."), key="sk-wrong")
    assert "sk-wrong" not in f"{error}{error.message}{error.args}" and "••••" in error.message


@pytest.mark.parametrize("key", ["sk-ключ", "sk\nX-Other: 1"])
async def test_invalid_api_key_is_not_sent(key: str) -> None:
    with Served("hello") as served, pytest.raises(ModelUnauthorized) as caught:
        await ask(served, key=key)
    assert not served.requests and key not in caught.value.message


async def test_no_such_model() -> None:
    error = await refused("hello", model="gpt-0")
    assert isinstance(error, ModelNotFound) and "The model `gpt-0` does not exist" in error.message


async def test_no_such_address() -> None:
    with Served("hello") as served, pytest.raises(ModelNotFound) as caught:
        await ChatModel(ModelEndpoint(f"{served.url}/chat/completions", MODEL)).reply(MESSAGES, RecordingListener())
    assert caught.value.hint == "Its address ends where /chat/completions begins."


async def test_a_conversation_that_is_too_long() -> None:
    error = await refused(TooLong())
    assert isinstance(error, ContextTooLong) and "maximum context length is 8192" in error.message


@pytest.mark.parametrize(
    ("answer", "message"),
    [
        (Bytes(b"<html>", "text/html"), 'the endpoint answered "text/html" and no stream of events'),
        (Bytes(b"data: hello\n\n"), "the endpoint answered something else than JSON"),
        (Bytes(b"data: [1]\n\n"), "the endpoint answered something else than JSON"),
        (Bytes(b"data: " + b"[" * 100_000 + b"\n\n"), "the endpoint answered something else than JSON"),
        (Bytes(b"hello", "application/json"), "the endpoint answered something else than JSON"),
        (Bytes(b'{"choices": []}', "application/json"), "the endpoint answered JSON without a message"),
        (Bytes(b"", "text/plain", 302, {"Location": "/v1/chat/completions"}), "the endpoint answered HTTP 302"),
        (Bytes(b"oops\nno", "text/plain", 400), 'the endpoint answered HTTP 400: "oops no"'),
        (Bytes(b'["x"]', "application/json", 422), 'the endpoint answered HTTP 422: "[\\"x\\"]"'),
    ],
    ids=str,
)
async def test_invalid_endpoint_response_is_a_model_failure(answer: Bytes, message: str) -> None:
    error = await refused(answer)
    assert isinstance(error, ModelFailed) and error.message == message


async def test_a_reply_without_an_end_is_not_waited_for() -> None:
    error = await refused(Says("x" * 1_000_001, piece=100_000))
    assert isinstance(error, ModelFailed) and "longer than" in error.message


async def test_unreachable_model_endpoint_is_an_error() -> None:
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        heard = RecordingListener()
        with pytest.raises(ModelUnreachable, match="nothing answers at") as caught:
            url = f"http://127.0.0.1:{taken.getsockname()[1]}/v1"
            await ChatModel(ModelEndpoint(url, MODEL), pause=0).reply(MESSAGES, heard)
    assert len(heard.repeats) == ATTEMPTS - 1
    assert caught.value.hint == "Check --endpoint, and that the server there runs."


@pytest.mark.parametrize("url", ["ftp://127.0.0.1/v1", "http://localhost:port/v1"])
async def test_invalid_endpoint_url_is_rejected(url: str) -> None:
    with pytest.raises(ModelUnreachable, match="is no address"):
        await ChatModel(ModelEndpoint(url, MODEL), pause=0).reply(MESSAGES, RecordingListener())


async def test_a_silent_endpoint_is_given_up() -> None:
    gate = threading.Event()
    with Served(lambda _: Says("I think", gate=gate)) as served:
        with pytest.raises(ModelUnreachable, match="stopped responding"):
            await ChatModel(ModelEndpoint(served.url, MODEL), pause=0, silence=0.05).reply(
                MESSAGES, RecordingListener()
            )
        gate.set()


async def test_halves_of_characters_are_sent_as_something_else() -> None:
    with Served("hello") as served:
        await ChatModel(ModelEndpoint(served.url, MODEL)).reply([ChatMessage("user", "a\ud800b")], RecordingListener())
    assert served.requests[0].last == "a?b"


def test_every_error_of_the_client_library_is_one_of_ours() -> None:
    def below(base: type[Any]) -> list[type[Any]]:
        return [base, *(each for child in base.__subclasses__() for each in below(child))]

    for kind in [*below(httpx.HTTPError), *below(httpx.StreamError), httpx.InvalidURL]:
        error: Exception = BaseException.__new__(kind)
        assert isinstance(error_from_httpx(error, "http://localhost/v1"), ModelError), kind
