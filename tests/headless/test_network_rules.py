"""`intercept`: requests that are marked, fail, or are answered by a rule."""

from __future__ import annotations

import json

import pytest

PAGE = "<link rel=icon href=data:,><title>page</title>"
ASK = "eval \"fetch('{0}').then(async r => r.status + ' ' + r.headers.get('content-type') + ' ' + await r.text(), String)\""


@pytest.fixture
def asks(alone):
    """What a page gets for a URL: `status type body`, or the error."""

    async def ask(url: str) -> str:
        return (await alone.ok(ASK.format(url))).split("\n\n| ", 1)[1]

    alone.pages["/api"] = (200, {"Content-Type": "text/plain"}, "the server's")
    return ask


async def test_respond_with_json(alone, asks):
    await alone.show(PAGE)
    assert await alone('intercept "*/api" --respond {"items": [1, "ü"]}') == (
        'ok intercept "*/api" --respond "{\\"items\\": [1, \\"ü\\"]}"\n\nanswer "*/api" with 200, 20 bytes'
    )
    assert await asks("/api") == '200 application/json {"items": [1, "ü"]}'
    assert '{intercept "*/api"}' in await alone("requests --last 1")


@pytest.mark.parametrize("value", ["null", "0", '""', "false", "[]"])
async def test_respond_with_any_value(alone, asks, value):
    await alone.show(PAGE)
    await alone.ok(f"intercept /api --respond '{value}'")
    assert await asks("/api") == f"200 application/json {value}"


async def test_respond_with_a_status(alone, asks):
    await alone.show(PAGE)
    await alone.ok('intercept "/api" --respond {"error": "no"} --status 503')
    assert await asks("/api") == '503 application/json {"error": "no"}'
    await alone.ok('intercept "/api" --status 404')
    assert await asks("/api") == "404 null "


async def test_respond_with_a_file(alone, asks, tmp_path):
    file = tmp_path / "answer.csv"
    file.write_text("a,b\n", "utf-8")
    await alone.show(PAGE)
    await alone.ok(f'intercept "/api" --respond-file {file}')
    assert await asks("/api") == "200 text/csv; charset=utf-8 a,b\n|"
    script = tmp_path / "app.js"
    script.write_text("document.title = 'mine'", "utf-8")
    await alone.ok(f'intercept "*/app.js" --respond-file {script}')
    assert '"mine"' in await alone.show(f"{PAGE}<script src=/app.js></script>")


async def test_respond_file_errors(alone, tmp_path):
    missing = await alone(f'intercept "x" --respond-file {tmp_path / "none.json"}')
    assert "there is no file" in missing
    assert (await alone(f'intercept "x" --respond-file {tmp_path}')).startswith("error")
    assert "{intercept" not in await alone("requests")


async def test_answers_can_be_read_from_any_origin(alone, asks):
    await alone.show(PAGE)
    other = alone.pages.url("/api", "localhost")
    assert await asks(other) == "TypeError: Failed to fetch"
    await alone.ok('intercept "*/api" --respond [1]')
    assert await asks(other) == "200 application/json [1]"
    preflighted = f"eval \"fetch('{other}', {{method: 'PUT', headers: {{'X-A': '1'}}, credentials: 'include'}}).then(r => r.json(), String)\""
    assert (await alone(preflighted)).endswith("\n\n| [\n|  1\n| ]")


async def test_block(alone, asks):
    await alone.show(PAGE)
    assert (await alone('intercept "/api" --block')).endswith('\n\nblock "/api"')
    assert await asks("/api") == "TypeError: Failed to fetch"
    assert (
        (await alone("requests --last 1"))
        .split("\n")[2]
        .endswith('/api" {intercept "/api"}: a rule of the browser blocked it (net::ERR_BLOCKED_BY_CLIENT)')
    )
    await alone.ok('intercept "/api" --block --status 403')
    assert await asks("/api") == "403 null "


async def test_a_rule_without_options_marks_requests_and_lets_them_be(alone, asks):
    await alone.show(PAGE)
    assert (await alone('intercept "*/a?i"')).endswith('\n\nlog "*/a?i"')
    assert "the server's" in await asks("/api")
    assert "{intercept" not in await alone("requests --last 1")
    await alone.ok('intercept "*/api"')
    assert "the server's" in await asks("/api")
    assert '{intercept "*/api"}' in await alone("requests --last 1")


async def test_the_last_rule_holds(alone, asks):
    await alone.show(PAGE)
    await alone.ok('intercept "/api" --respond 1')
    await alone.ok('intercept "*" --respond 2')
    assert await asks("/api") == "200 application/json 2"
    await alone.ok('intercept "/api" --respond 3')
    assert await asks("/api") == "200 application/json 3"
    assert await alone('intercept clear "*"') == 'ok intercept clear "*"\n\n1 dropped'
    assert await alone("intercept clear") == "ok intercept clear\n\n1 dropped"
    assert await asks("/api") == "200 text/plain the server's"


async def test_clear_names_the_rules_that_there_are(alone):
    assert (await alone('intercept clear "a"')).endswith('no rule "a"\n\n# hint\nThere are no rules.')
    await alone.ok('intercept "b" --block')
    assert (await alone('intercept clear "a"')).endswith('no rule "a"\n\n# hint\nRules: "b".')
    assert await alone("intercept clear") == "ok intercept clear\n\n1 dropped"


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ("--block --respond 1", "--block and --respond conflict"),
        ("--block --respond-file x", "--block and --respond-file conflict"),
        ("--respond 1 --respond-file x", "--respond and --respond-file conflict"),
        ("--status 99", "99 is no status of an answer"),
        ("--respond 1 --status 600", "600 is no status of an answer"),
    ],
)
async def test_options_that_mean_nothing(alone, options, message):
    answer = await alone(f'intercept "x" {options}')
    assert answer.startswith("error") and message in answer and "# hint" in answer
    assert (await alone("intercept clear")).endswith("0 dropped")


async def test_patterns_are_taken_as_they_stand(alone, asks):
    alone.pages["/a(b"] = "1"
    await alone.show(PAGE)
    await alone.ok('intercept "/a(b?c=[1]" --respond 5')
    assert await asks("/a(b?c=[1]") == "200 application/json 5"
    assert await asks("/a(bxc=[1]") != "200 application/json 5"


async def test_a_rule_for_everything_breaks_nothing(alone):
    await alone.show(f"{PAGE}<button>Go</button>", "/")
    await alone.ok('intercept "*" --block')
    assert "button" in await alone("observe")
    failed = await alone(f"goto {alone.pages.url()}")
    assert "a rule of the browser blocked it (net::ERR_BLOCKED_BY_CLIENT)" in failed
    assert "See 'intercept' for the rules." in failed
    await alone.ok('intercept "*" --respond {"a": 1}')
    await alone.ok(f"goto {alone.pages.url()}")
    assert '{"a": 1}' in await alone("text")
    await alone.ok("intercept clear")
    await alone.ok(f"goto {alone.pages.url()}")
    assert "button" in await alone("observe")


async def test_rules_hold_in_new_tabs_frames_and_workers(alone, asks):
    alone.pages["/worker.js"] = (
        200,
        {"Content-Type": "text/javascript"},
        "fetch('/api').then(r => r.text()).then(postMessage)",
    )
    alone.pages["/frame"] = "<script>fetch('/api').then(r => r.text()).then(t => parent.postMessage(t, '*'))</script>"
    await alone.ok('intercept "*/api" --respond "7"')
    await alone.show(
        f"{PAGE}<script>seen = []; onmessage = e => seen.push('f' + e.data);"
        "new Worker('/worker.js').onmessage = e => seen.push('w' + e.data)</script>"
        f"<iframe src={alone.pages.url('/frame', 'localhost')}></iframe>"
    )
    await alone.ok('wait until "seen.length == 2"')
    assert '"f7"' in await alone('eval "seen.sort()"') and '"w7"' in await alone('eval "seen"')
    alone.pages["/tab"] = PAGE
    await alone.ok(f"tab new {alone.pages.url('/tab')}")
    assert await asks("/api") == "200 application/json 7"


async def test_rules_outlive_the_browser(alone, asks):
    await alone.show(PAGE)
    await alone.ok('intercept "*/api" --respond 8')
    before = alone.session.page
    await alone("goto chrome://crash")
    await alone.ok(f"goto {alone.pages.url()}")
    assert alone.session.page is not before
    assert await asks("/api") == "200 application/json 8"


async def test_rules_as_data(alone):
    await alone("output json")
    assert json.loads(await alone('intercept "x" --status 204'))["result"] == {
        "pattern": "x",
        "action": "answer",
        "status": 204,
    }
    assert json.loads(await alone("intercept clear"))["result"] == 1
