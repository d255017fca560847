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


@pytest.mark.slow
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


@pytest.mark.slow
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


@pytest.mark.slow
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
        "type": None,
        "action": "answer",
        "status": 204,
        "delay": 0.0,
    }
    assert json.loads(await isolated("intercept clear"))["result"] == 1


# --- types, delays, changed answers ---


async def test_rules_of_a_type(isolated, fetch_in_page):
    isolated.pages["/cat.png"] = (200, {"Content-Type": "text/plain"}, "no picture")
    assert (await isolated("intercept --type image --block")).endswith('\n\nblock image "*"')
    await isolated.show(f"{PAGE}<img src=/cat.png>")
    rows = await isolated("requests")
    assert "GET 200 document" in rows and "/cat.png" in rows
    assert "failed image" in rows and rows.endswith(
        '{intercept "*"}: a rule of the browser blocked it (net::ERR_BLOCKED_BY_CLIENT)'
    )
    assert await fetch_in_page("/cat.png") == "200 text/plain no picture"


async def test_rules_of_one_pattern_and_several_types(isolated, fetch_in_page):
    await isolated.ok('intercept "/api" --type image --block')
    await isolated.ok('intercept "/api" --type fetch --respond [1]')
    await isolated.show(PAGE)
    other = isolated.pages.url("/api", "localhost")
    preflighted = f"eval \"fetch('{other}', {{method: 'PUT', headers: {{'X-A': '1'}}}}).then(r => r.text(), String)\""
    assert await fetch_in_page("/api") == "200 application/json [1]"
    assert (await isolated(preflighted)).endswith("| [1]")
    assert "2 dropped" in await isolated('intercept clear "/api"')


@pytest.mark.slow
async def test_a_delay(isolated, fetch_in_page):
    await isolated.show(PAGE)
    assert (await isolated('intercept "/api" --delay 400ms')).endswith('\n\ndelay "/api" by 0.4 s')
    timed = "eval \"(async () => { const t = performance.now(); await fetch('/api').catch(String); return performance.now() - t >= 395 })()\""
    assert (await isolated.ok(timed)).endswith("| true")
    assert await fetch_in_page("/api") == "200 text/plain the server's"
    assert (await isolated('intercept "/api" --delay 400ms --respond {"a": 1}')).endswith(", after 0.4 s")
    assert (await isolated.ok(timed)).endswith("| true")
    assert await fetch_in_page("/api") == '200 application/json {"a": 1}'
    await isolated.ok('intercept "/api" --delay 400ms --block')
    assert (await isolated.ok(timed)).endswith("| true")


@pytest.mark.slow
async def test_a_tab_may_close_during_a_delay(isolated):
    await isolated.show(PAGE)
    await isolated.ok('intercept "/api" --delay 200ms')
    await isolated.ok("eval \"void fetch('/api')\"")
    await isolated.ok(f"tab new {isolated.pages.url('/')}")
    await isolated.ok("tab close 1")
    assert "[1]" in await isolated("requests")


async def test_an_edited_answer(isolated, fetch_in_page):
    isolated.pages["/api"] = (
        201,
        {"Content-Type": "application/json; charset=utf-8", "X-A": "kept"},
        '{"items": [{"name": "Fern", "price": 9}, {"name": "Ivy"}], "total": 9, "more": {"a": 1, "b": "ü"}}',
    )
    await isolated.show(PAGE)
    line = 'intercept "/api" --edit-json {"total": 0, "more": {"a": null}, "/items/0/price": 5, "/items/-": 3, "/items/1": null}'
    assert (await isolated(line)).endswith('\n\nedit "/api"')
    status, _, body = (await fetch_in_page("/api")).partition(" application/json; charset=utf-8 ")
    assert status == "201"
    assert json.loads(body) == {"items": [{"name": "Fern", "price": 5}, 3], "total": 0, "more": {"b": "ü"}}
    assert (await isolated.ok("eval \"fetch('/api').then(r => r.headers.get('x-a'))\"")).endswith("| kept")
    assert "not changed" not in await isolated("requests")


async def test_an_answer_that_can_not_be_edited_says_why(isolated, fetch_in_page):
    await isolated.show(PAGE)
    await isolated.ok('intercept "/api" --edit-json {"a": 1}')
    assert await fetch_in_page("/api") == "200 text/plain the server's"
    assert '{intercept "/api", not changed: the answer is no JSON}' in await isolated("requests --last 1")
    isolated.pages["/api"] = (200, {"Content-Type": "application/json"}, "[1]")
    await isolated.ok('intercept "/api" --edit-json {"/3": 1}')
    assert await fetch_in_page("/api") == "200 application/json [1]"
    assert "not changed: /3 leads nowhere" in await isolated("requests --last 1")


async def test_a_redirect_is_not_edited_and_its_goal_is(isolated, fetch_in_page):
    isolated.pages["/old"] = (302, {"Location": "/new"}, "")
    isolated.pages["/new"] = (200, {"Content-Type": "application/json"}, "{}")
    await isolated.show(PAGE)
    await isolated.ok('intercept --type fetch --edit-json {"a": 1}')
    assert await fetch_in_page("/old") == '200 application/json {"a": 1}'


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ("intercept", "intercept takes a pattern"),
        ("intercept --block", "intercept takes a pattern"),
        ('intercept "/a" --edit-json {} --block', "--edit-json changes the server's answer"),
        ('intercept "/a" --type picture --block', "one of document, stylesheet"),
    ],
)
async def test_what_is_no_rule(isolated, line, message):
    assert message in await isolated(line)
