"""`intercept`: requests that are marked, fail, or are answered by a rule."""

from __future__ import annotations

import json

import pytest

PAGE = "<link rel=icon href=data:,><title>page</title>"
ASK = "eval \"fetch('{0}').then(async r => r.status + ' ' + r.headers.get('content-type') + ' ' + await r.text(), String)\""


@pytest.fixture
def fetch_in_page(isolated):
    """What a page gets for a URL: `status type body`, or the error."""

    async def ask(url: str) -> str:
        return (await isolated.ok(ASK.format(url))).split("\n\n| ", 1)[1]

    isolated.pages["/api"] = (200, {"Content-Type": "text/plain"}, "the server's")
    return ask


async def test_respond_with_json(isolated, fetch_in_page):
    await isolated.show(PAGE)
    assert await isolated('intercept "*/api" --respond {"items": [1, "ü"]}') == (
        'ok intercept "*/api" --respond "{\\"items\\": [1, \\"ü\\"]}"\n\nanswer "*/api" with 200, 20 bytes'
    )
    assert await fetch_in_page("/api") == '200 application/json {"items": [1, "ü"]}'
    assert '{intercept "*/api"}' in await isolated("requests --last 1")


@pytest.mark.parametrize("value", ["null", "0", '""', "false", "[]"])
async def test_respond_with_any_value(isolated, fetch_in_page, value):
    await isolated.show(PAGE)
    await isolated.ok(f"intercept /api --respond '{value}'")
    assert await fetch_in_page("/api") == f"200 application/json {value}"


async def test_respond_with_a_status(isolated, fetch_in_page):
    await isolated.show(PAGE)
    await isolated.ok('intercept "/api" --respond {"error": "no"} --status 503')
    assert await fetch_in_page("/api") == '503 application/json {"error": "no"}'
    await isolated.ok('intercept "/api" --status 404')
    assert await fetch_in_page("/api") == "404 null "


async def test_respond_with_a_file(isolated, fetch_in_page, tmp_path):
    file = tmp_path / "answer.csv"
    file.write_text("a,b\n", "utf-8")
    await isolated.show(PAGE)
    await isolated.ok(f'intercept "/api" --respond-file {file}')
    assert await fetch_in_page("/api") == "200 text/csv; charset=utf-8 a,b\n|"
    script = tmp_path / "app.js"
    script.write_text("document.title = 'mine'", "utf-8")
    await isolated.ok(f'intercept "*/app.js" --respond-file {script}')
    assert '"mine"' in await isolated.show(f"{PAGE}<script src=/app.js></script>")


async def test_respond_file_errors(isolated, tmp_path):
    missing = await isolated(f'intercept "x" --respond-file {tmp_path / "none.json"}')
    assert "there is no file" in missing
    assert (await isolated(f'intercept "x" --respond-file {tmp_path}')).startswith("error")
    assert "{intercept" not in await isolated("requests")


async def test_answers_can_be_read_from_any_origin(isolated, fetch_in_page):
    await isolated.show(PAGE)
    other = isolated.pages.url("/api", "localhost")
    assert await fetch_in_page(other) == "TypeError: Failed to fetch"
    await isolated.ok('intercept "*/api" --respond [1]')
    assert await fetch_in_page(other) == "200 application/json [1]"
    preflighted = f"eval \"fetch('{other}', {{method: 'PUT', headers: {{'X-A': '1'}}, credentials: 'include'}}).then(r => r.json(), String)\""
    assert (await isolated(preflighted)).endswith("\n\n| [\n|  1\n| ]")


async def test_block(isolated, fetch_in_page):
    await isolated.show(PAGE)
    assert (await isolated('intercept "/api" --block')).endswith('\n\nblock "/api"')
    assert await fetch_in_page("/api") == "TypeError: Failed to fetch"
    assert (
        (await isolated("requests --last 1"))
        .split("\n")[2]
        .endswith('/api" {intercept "/api"}: a rule of the browser blocked it (net::ERR_BLOCKED_BY_CLIENT)')
    )
    await isolated.ok('intercept "/api" --block --status 403')
    assert await fetch_in_page("/api") == "403 null "


async def test_a_rule_without_options_marks_requests_and_lets_them_be(isolated, fetch_in_page):
    await isolated.show(PAGE)
    assert (await isolated('intercept "*/a?i"')).endswith('\n\nlog "*/a?i"')
    assert "the server's" in await fetch_in_page("/api")
    assert "{intercept" not in await isolated("requests --last 1")
    await isolated.ok('intercept "*/api"')
    assert "the server's" in await fetch_in_page("/api")
    assert '{intercept "*/api"}' in await isolated("requests --last 1")


async def test_the_last_rule_holds(isolated, fetch_in_page):
    await isolated.show(PAGE)
    await isolated.ok('intercept "/api" --respond 1')
    await isolated.ok('intercept "*" --respond 2')
    assert await fetch_in_page("/api") == "200 application/json 2"
    await isolated.ok('intercept "/api" --respond 3')
    assert await fetch_in_page("/api") == "200 application/json 3"
    assert await isolated('intercept clear "*"') == 'ok intercept clear "*"\n\n1 dropped'
    assert await isolated("intercept clear") == "ok intercept clear\n\n1 dropped"
    assert await fetch_in_page("/api") == "200 text/plain the server's"


async def test_clear_names_the_rules_that_there_are(isolated):
    assert (await isolated('intercept clear "a"')).endswith('no rule "a"\n\n# hint\nThere are no rules.')
    await isolated.ok('intercept "b" --block')
    assert (await isolated('intercept clear "a"')).endswith('no rule "a"\n\n# hint\nRules: "b".')
    assert await isolated("intercept clear") == "ok intercept clear\n\n1 dropped"


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
async def test_options_that_mean_nothing(isolated, options, message):
    answer = await isolated(f'intercept "x" {options}')
    assert answer.startswith("error") and message in answer and "# hint" in answer
    assert (await isolated("intercept clear")).endswith("0 dropped")


async def test_patterns_are_taken_as_they_stand(isolated, fetch_in_page):
    isolated.pages["/a(b"] = "1"
    await isolated.show(PAGE)
    await isolated.ok('intercept "/a(b?c=[1]" --respond 5')
    assert await fetch_in_page("/a(b?c=[1]") == "200 application/json 5"
    assert await fetch_in_page("/a(bxc=[1]") != "200 application/json 5"


async def test_a_rule_for_everything_breaks_nothing(isolated):
    await isolated.show(f"{PAGE}<button>Go</button>", "/")
    await isolated.ok('intercept "*" --block')
    assert "button" in await isolated("observe")
    failed = await isolated(f"goto {isolated.pages.url()}")
    assert "a rule of the browser blocked it (net::ERR_BLOCKED_BY_CLIENT)" in failed
    assert "See 'intercept' for the rules." in failed
    await isolated.ok('intercept "*" --respond {"a": 1}')
    await isolated.ok(f"goto {isolated.pages.url()}")
    assert '{"a": 1}' in await isolated("text")
    await isolated.ok("intercept clear")
    await isolated.ok(f"goto {isolated.pages.url()}")
    assert "button" in await isolated("observe")


async def test_rules_hold_in_new_tabs_frames_and_workers(isolated, fetch_in_page):
    isolated.pages["/worker.js"] = (
        200,
        {"Content-Type": "text/javascript"},
        "fetch('/api').then(r => r.text()).then(postMessage)",
    )
    isolated.pages["/frame"] = (
        "<script>fetch('/api').then(r => r.text()).then(t => parent.postMessage(t, '*'))</script>"
    )
    await isolated.ok('intercept "*/api" --respond "7"')
    await isolated.show(
        f"{PAGE}<script>seen = []; onmessage = e => seen.push('f' + e.data);"
        "new Worker('/worker.js').onmessage = e => seen.push('w' + e.data)</script>"
        f"<iframe src={isolated.pages.url('/frame', 'localhost')}></iframe>"
    )
    await isolated.ok('wait until "seen.length == 2"')
    assert '"f7"' in await isolated('eval "seen.sort()"') and '"w7"' in await isolated('eval "seen"')
    isolated.pages["/tab"] = PAGE
    await isolated.ok(f"tab new {isolated.pages.url('/tab')}")
    assert await fetch_in_page("/api") == "200 application/json 7"


async def test_rules_outlive_the_browser(isolated, fetch_in_page):
    await isolated.show(PAGE)
    await isolated.ok('intercept "*/api" --respond 8')
    before = isolated.session.page
    await isolated("goto chrome://crash")
    await isolated.ok(f"goto {isolated.pages.url()}")
    assert isolated.session.page is not before
    assert await fetch_in_page("/api") == "200 application/json 8"


async def test_rules_as_data(isolated):
    await isolated("output json")
    assert json.loads(await isolated('intercept "x" --status 204'))["result"] == {
        "pattern": "x",
        "action": "answer",
        "status": 204,
    }
    assert json.loads(await isolated("intercept clear"))["result"] == 1
