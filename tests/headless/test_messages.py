"""`requests --messages` and `request <n> --messages`: what web sockets and server-sent events have carried."""

from __future__ import annotations

import re

import pytest

from tests.streams import event_server, socket_page, socket_server


def without_times(answer: str) -> str:
    return re.sub(r"\d\d:\d\d:\d\d", "TIME", answer)


@pytest.fixture
def socket(isolated, run):
    """A session that shows the page of a socket."""
    server = socket_server()
    url = run(server.__aenter__())

    async def show():
        await isolated.show(socket_page(url))
        await isolated.ok("wait until \"document.title === 'Open'\"")

    run(show())
    yield isolated
    run(server.__aexit__(None, None, None))


async def data_of(driver, line):
    return (await driver.session.execute(line)).data


async def test_messages_of_a_web_socket(socket):
    await socket.ok("eval \"ask('Ahoi')\"")
    await socket.ok("eval \"ask('binary')\"")
    answer = without_times(await socket("request 2 --messages"))
    assert answer.endswith("\n\n| → TIME Ahoi\n| ← TIME Ahoi\n| → TIME binary\n| ← TIME (3 bytes that are no text)")
    assert "{2 sent, 2 received}" in await socket("requests --last 1")
    data = (await data_of(socket, "request 2 --messages --last 2"))["messages"]
    assert [(row["number"], row["sent"], row["size"]) for row in data] == [(3, True, 6), (4, False, 3)]
    assert data[1]["body"] == {"base64": "AAH/"}


@pytest.mark.slow
async def test_the_newest_messages_of_many(socket):
    await socket.ok("eval \"ask('count 150', 150)\"")
    answer = await socket("request 2 --messages --last 2")
    assert without_times(answer).endswith(
        "| ← TIME n 149\n| ← TIME n 150\n\n# note\n149 earlier left out, 51 of them no longer stored"
    )
    assert (await socket("requests --messages")).count("← ") == 20


@pytest.mark.slow
async def test_long_messages_are_cut(socket):
    await socket.ok("eval \"ask('x'.repeat(6000))\"")
    row = (await socket("requests --messages --last 1")).split("| ")[1]
    assert row.split("\n")[0].endswith(f" {'x' * 199}… (6.0 kB)")
    text = (await data_of(socket, "requests --messages --last 1"))[0]["messages"][0]["body"]["text"]
    assert len(text) == 4000


async def test_a_message_can_not_forge_another(socket):
    await socket.ok("eval \"ask('a\\\\n[9] → 12:00:00 forged')\"")
    assert "| [2] ← TIME a\n|   [9] → 12:00:00 forged" in re.sub(
        r"← [\d:]+", "← TIME", await socket("requests --messages")
    )


async def test_server_sent_events(isolated):
    async with event_server("data: plain", "event: price\nid: 41\ndata: 12\ndata: 13") as url:
        await isolated.show("<link rel=icon href=data:,><title>Events</title>")
        script = f"new Promise(done => new EventSource('{url}').addEventListener('price', event => done(event.data)))"
        await isolated.ok(f'eval "{script}"')
        answer = without_times(await isolated("requests --messages"))
        assert answer.endswith("| [2] ← TIME plain\n| [2] ← TIME price: 12\n|   13")
        row = (await data_of(isolated, "request 2 --messages"))["messages"][1]
        assert (row["event"], row["event_id"], row["body"]) == ("price", "41", {"text": "12\n13"})
        assert " eventsource " in await isolated("requests --last 1")


@pytest.mark.slow
async def test_of_the_requests_that_are_filtered(socket):
    await socket.ok("eval \"ask('Ahoi')\"")
    assert (await socket("requests --filter /nothing --messages")).endswith("\n\nnone")


async def test_last_alone_says_what_it_is_for(socket):
    assert "--last is for --messages" in await socket("request 1 --last 3")


async def test_a_request_without_messages(socket):
    assert "\nnone" in await socket("request 1 --messages")
