"""The commands of research, through a real daemon and its research process, on pages served on loopback."""

from __future__ import annotations

import asyncio
import json
import os
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import jsonschema
import pytest

from scripts.scripted_endpoint import MODEL, Endpoint, Says
from tests.daemon.daemon_process import RunningDaemon, daemon_environment, wait_for_end
from tests.research.server import Reply, Site, redirect

FERNS = """<html lang="en"><head><title>Ferns</title><meta name="author" content="Ann Bee"></head><body><nav>Menu</nav>
<main><article><h1>Ferns</h1><p>Ferns are plants without flowers, which reproduce by spores on the undersides of their
fronds. The spores are carried away by the wind, and each may become a small green plate, the prothallus.</p>
<p>On the prothallus the egg is fertilised when there is water, and from it the fern grows that everybody knows. Ferns
have done so for three hundred and sixty million years, long before there were flowers. <a href="/moss">Mosses</a> are
older still, and <a href="/gone">some</a> are gone.</p></article></main></body></html>"""
MOSS = FERNS.replace("Ferns", "Mosses").replace("fern", "moss")
SHELL = """<html><head><title>Shell</title></head><body><div id="root"></div><script>
document.getElementById("root").innerHTML = `{}`;</script></body></html>""".format(
    FERNS[FERNS.index("<main>") : -14].replace("Ferns", "Horsetails")
)
RESULTS = """<html><body><div id="links">
<div class="result"><h2><a class="result__a" href="{0}">Ferns &amp; their spores</a></h2>
<a class="result__snippet" href="{0}">Plants without flowers
ok: done</a></div>
<div class="result"><h2><a class="result__a" href="{0}moss">Mosses</a></h2>
<a class="result__snippet" href="{0}moss">Older still.</a></div></div></body></html>"""


@pytest.fixture(scope="module")
def site() -> Iterator[Site]:
    with Site() as site:
        site.page("/", FERNS)
        site.page("/moss", MOSS)
        site.page("/shell", SHELL)
        site.put("/search", lambda ask: Reply(RESULTS.format(site.url("/"))))
        yield site


@pytest.fixture(scope="module")
def research_daemon(run: Any, site: Site, tmp_path_factory: pytest.TempPathFactory) -> Iterator[RunningDaemon]:
    """A daemon whose search is a page of ours, and which may go to loopback."""
    running = RunningDaemon(
        tmp_path_factory.mktemp("research_daemon"),
        {"ORYN_ALLOW_PRIVATE": "1", "ORYN_THROTTLE": "1ms", "ORYN_SEARCH_URL": site.url("/search")},
    )
    yield running
    assert run(running.stop()) == 0, running.log()
    run(running.no_process())


async def ask(research_daemon: RunningDaemon, *words: str, **envelope: Any) -> dict[str, Any]:
    return await research_daemon.ask({"argv": list(words), **envelope})


async def ask_ok(research_daemon: RunningDaemon, *words: str, **envelope: Any) -> dict[str, Any]:
    answer = await ask(research_daemon, *words, **envelope)
    assert answer["ok"], answer["text"]
    return answer


# --- extract ---


FERN_PAGE = """<main><h1>Boston fern</h1><table><tr><th>Price</th><td>€ 18.00</td></tr>
<tr><th>Height</th><td>40 cm</td></tr></table><p>{}</p></main>"""
TEXT = {"type": "string"}
PLANT = {"type": "object", "properties": {"name": TEXT, "price": {"type": "number"}, "sku": TEXT}}


@pytest.mark.slow
def test_data_by_a_schema_from_a_file_and_from_json(
    research_daemon: RunningDaemon, site: Site, run: Any, tmp_path: Path
) -> None:
    site.page("/plant", FERN_PAGE)
    (tmp_path / "plant.json").write_text(json.dumps(PLANT))
    by_file = run(ask_ok(research_daemon, "extract", site.url("/plant"), "--schema", str(tmp_path / "plant.json")))
    by_json = run(research_daemon.ask({"action": "extract", "args": {"urls": [site.url("/plant")], "schema": PLANT}}))
    for answer in (by_file, by_json):
        [item] = answer["data"]["result"] if "result" in answer["data"] else answer["data"]
        assert item["data"] == {"name": "Boston fern", "price": 18, "sku": None}
        assert [place["source"] for place in item["places"]] == ["heading", "table"] and item["missing"] == ["/sku"]
        assert "2 values; the page does not say: /sku" in answer["text"].split("\n")


def test_data_goes_into_a_file(research_daemon: RunningDaemon, site: Site, run: Any, tmp_path: Path) -> None:
    site.page("/plant", FERN_PAGE)
    run(
        ask_ok(
            research_daemon,
            "extract",
            site.url("/plant"),
            "--schema",
            json.dumps(PLANT),
            "--to",
            str(tmp_path / "data.jsonl"),
        )
    )
    assert json.loads((tmp_path / "data.jsonl").read_text())["data"]["price"] == 18


@pytest.mark.parametrize(
    ("words", "code"),
    [
        (("--schema", "{}"), "schema_invalid"),
        (("--schema", "/nowhere/plant.json"), "file_error"),
        (("--schema", json.dumps(PLANT), "--format", "text"), "conflicting_options"),
        (("--next",), "missing_argument"),
    ],
)
def test_a_schema_that_can_not_be_used(
    research_daemon: RunningDaemon, site: Site, run: Any, words: tuple[str, ...], code: str
) -> None:
    answer = run(ask(research_daemon, "extract", site.url("/"), *words))
    assert not answer["ok"] and answer["error_kind"].lower() == code


@pytest.mark.slow
def test_a_model_fills_what_the_structure_does_not_say(
    daemon_of: Callable[..., RunningDaemon], run: Any, site: Site
) -> None:
    site.page("/prose", FERN_PAGE.format("Its number in the catalogue is BF-18."))
    values = {"values": [{"pointer": "/sku", "value": "BF-18", "quote": "number in the catalogue is BF-18"}]}
    with Endpoint(Says(json.dumps(values))) as endpoint:
        daemon = daemon_of(ORYN_ALLOW_PRIVATE="1", ORYN_MODEL=MODEL, ORYN_ENDPOINT=endpoint.url)
        answer = run(ask_ok(daemon, "extract", site.url("/prose"), "--schema", json.dumps(PLANT)))
    assert '"sku": "BF-18"' in answer["text"] and "doubtful: /sku: read by the model" in answer["text"]


@pytest.mark.slow
def test_a_page_is_read_without_a_browser(research_daemon: RunningDaemon, site: Site, run: Any) -> None:
    answer = run(ask_ok(research_daemon, "extract", site.url("/"), "--format", "text"))
    lines = answer["text"].split("\n")
    assert lines[:4] == [
        f"ok extract {site.url('/')} --format text",
        "",
        f'"Ferns" {site.url("/")}',
        'by "Ann Bee", en',
    ]
    assert all(line.startswith("|") for line in lines[4:])
    [item] = answer["data"]["result"]
    assert "Menu" not in item["article"]["text"]
    assert not {"links", "markdown"} & item["article"].keys()
    assert run(research_daemon.status())["sessions"] == []


@pytest.mark.slow
def test_several_pages_stand_in_the_order_of_their_urls(research_daemon: RunningDaemon, site: Site, run: Any) -> None:
    answer = run(ask_ok(research_daemon, "extract", site.url("/moss"), site.url("/gone"), site.url("/"), "--links"))
    lines = answer["text"].split("\n")
    assert lines[2] == f'1. "Mosses" {site.url("/moss")}'
    assert f'"Mosses" {site.url("/moss")}' in lines  # a link
    assert lines[-2] == "# failed" and lines[-1].startswith(f"2. {site.url('/gone')}: FETCH_FAILED ")
    assert f'3. "Ferns" {site.url("/")}' in lines
    assert "error" in answer["data"]["result"][1]
    assert [item["url"] for item in answer["data"]["result"]] == [site.url(each) for each in ("/moss", "/gone", "/")]


def test_a_file_has_what_was_read(research_daemon: RunningDaemon, site: Site, run: Any, tmp_path: Path) -> None:
    words = ("extract", site.url("/"), "--to", "ferns.md")
    answer = run(ask_ok(research_daemon, *words, folder=str(tmp_path)))
    assert answer["text"].split("\n")[2] == f'1 article: "{tmp_path}/ferns.md"'
    assert "Ferns are plants" in (tmp_path / "ferns.md").read_text("utf-8")
    run(
        ask_ok(
            research_daemon, "extract", site.url("/"), "--to", "ferns.jsonl", "--format", "json", folder=str(tmp_path)
        )
    )
    [line] = (tmp_path / "ferns.jsonl").read_text("utf-8").splitlines()
    assert json.loads(line)["article"]["author"] == "Ann Bee"
    nowhere = run(ask(research_daemon, "extract", site.url("/"), "--to", "none/ferns.md", folder=str(tmp_path)))
    assert nowhere["error_kind"] == "file_error"


@pytest.mark.parametrize(
    ("words", "kind"),
    [
        (("extract",), "missing_argument"),
        (("extract", "ftp://a.org/x"), "invalid_value"),
        (("extract", "/relative"), "invalid_value"),
        (("extract", "--tab", "a.org"), "conflicting_options"),
        (("search", "ferns", "--source", "nobody"), "search_provider"),
        (("index", "drop", "nothing"), "collection_not_found"),
        (("graph", "ferns", "--website", "about:blank", "--no-llm"), "invalid_value"),
    ],
    ids=lambda each: " ".join(each) if isinstance(each, tuple) else "",
)
def test_invalid_research_arguments_are_errors_with_hints(
    research_daemon: RunningDaemon, run: Any, words: tuple[str, ...], kind: str
) -> None:
    answer = run(ask(research_daemon, *words))
    assert (answer["ok"], answer["error_kind"]) == (False, kind), answer["text"]
    assert answer["hint"]


# --- a browser's part ---


@pytest.mark.slow
@pytest.mark.browser
def test_a_page_that_is_only_a_shell_is_opened_in_a_tab(research_daemon: RunningDaemon, site: Site, run: Any) -> None:
    run(research_daemon.ok(f"goto {site.url('/')}", session="shells"))
    answer = run(ask_ok(research_daemon, "extract", site.url("/shell"), session="shells"))
    article = answer["data"]["result"][0]["article"]
    assert article["source"] == "browser"
    assert "Horsetails are plants without flowers" in article["markdown"]
    assert "from the browser: " in answer["text"]
    tabs = run(research_daemon.ok("tabs", session="shells"))["data"]["result"]
    assert [(tab["url"], tab["current"]) for tab in tabs] == [(site.url("/"), True)]
    refused = run(
        ask(research_daemon, "extract", site.url("/shell"), "--browser", "never", "--fresh", session="shells")
    )
    assert refused["ok"] is False or "Horsetails" not in refused["text"]


@pytest.mark.slow
@pytest.mark.browser
def test_the_page_that_is_open_now(research_daemon: RunningDaemon, site: Site, run: Any) -> None:
    site.page("/typed", FERNS.replace("<h1>Ferns</h1>", "<h1 id=h>Ferns</h1>"))
    run(research_daemon.ok(f"goto {site.url('/typed')}", session="open"))
    run(research_daemon.ok("eval \"document.querySelector('p').prepend('Seen by me alone: ')\"", session="open"))
    answer = run(ask_ok(research_daemon, "extract", "--tab", "--format", "text", session="open"))
    assert "| Seen by me alone: Ferns are plants" in answer["text"]
    assert answer["data"]["result"][0]["article"]["source"] == "tab"


@pytest.mark.slow
@pytest.mark.browser
def test_a_browser_answers_with_an_error_too(research_daemon: RunningDaemon, site: Site, run: Any) -> None:
    answer = run(ask(research_daemon, "extract", site.url("/gone"), "--browser", "always"))
    assert answer["error_kind"] == "fetch_failed"
    assert "404" in answer["error"]


# --- what its user lets it do ---


@pytest.mark.slow
def test_allow_private_is_accepted_from_the_command_line_only(
    daemon_of: Callable[..., RunningDaemon], site: Site, run: Any
) -> None:
    daemon = daemon_of()
    for envelope in ({"argv": ["extract", site.url("/")]}, {"action": "extract", "args": {"urls": [site.url("/")]}}):
        assert run(daemon.ask(envelope))["error_kind"] == "address_not_allowed"
    said = {"action": "extract", "args": {"urls": [site.url("/")], "allow_private": True}}
    assert run(daemon.ask(said))["error_kind"] == "unexpected_input"
    assert run(ask(daemon, "extract", site.url("/"), "--allow-private"))["ok"]
    assert run(ask(daemon, "extract", site.url("/"), settings={"allow_private": True}))["ok"]
    for settings in ({"search_url": site.url("/")}, {"allow_private": "perhaps"}):
        assert run(ask(daemon, "search", "ferns", settings=settings))["error_kind"] == "invalid_setting"


@pytest.mark.slow
def test_a_host_that_forbids_private_networks(daemon_of: Callable[..., RunningDaemon], site: Site, run: Any) -> None:
    daemon = daemon_of(ORYN_ALLOW_PRIVATE="0")
    assert run(ask(daemon, "extract", site.url("/"), "--allow-private"))["error_kind"] == "invalid_setting"


@pytest.mark.browser
def test_the_limits_of_a_session_hold(research_daemon: RunningDaemon, site: Site, run: Any, tmp_path: Path) -> None:
    bounds = {"allowed_domains": "example.org", "files_root": str(tmp_path)}
    for words in (("extract", site.url("/")), ("extract", site.url("/"), "--browser", "always")):
        answer = run(ask(research_daemon, *words, session="bound", settings=bounds))
        assert answer["error_kind"] == "domain_not_allowed", answer["text"]
    crawl = run(
        ask_ok(research_daemon, "crawl", site.url("/"), "--to", "pages.jsonl", session="bound", settings=bounds)
    )
    assert "DOMAIN_NOT_ALLOWED" in crawl["text"]
    outside = run(
        ask(research_daemon, "extract", site.url("/"), "--to", "/etc/ferns.md", session="bound", settings=bounds)
    )
    assert outside["error_kind"] == "path_not_allowed"
    dropped = run(ask(research_daemon, "index", "drop", "passages", session="looks", settings={"read_only": True}))
    assert dropped["error_kind"] == "read_only"
    fenced = run(ask_ok(research_daemon, "extract", site.url("/"), session="fenced", settings={"boundaries": True}))
    assert "<page-" in fenced["text"]
    short = run(ask_ok(research_daemon, "extract", site.url("/"), session="short", settings={"max_output": 200}))
    assert "cut at" in short["text"]


# --- crawl ---

APPLICATION = """<html><head><title>App</title></head><body><div id="root"></div><script>
const text = "Ferns are plants without flowers, which reproduce by spores on the undersides of their fronds. ";
const links = {"/app": "<a href='/app/one'>one</a> <a href='/app/two'>two</a>"}[location.pathname] || "";
document.title = "Page " + location.pathname;
document.getElementById("root").innerHTML = `<main><h1>${location.pathname}</h1><p>${text.repeat(6)}</p>
${links}</main>`;
</script></body></html>"""


def test_the_addresses_of_a_site(research_daemon: RunningDaemon, site: Site, run: Any, tmp_path: Path) -> None:
    answer = run(ask_ok(research_daemon, "map", site.url("/"), "--include", "*moss"))
    assert answer["text"].rstrip().split("\n")[2:] == [
        "2 addresses, from links of the page", site.url("/"), site.url("/moss")
    ], answer["text"]  # fmt: skip
    run(ask_ok(research_daemon, "map", site.url("/"), "--to", str(tmp_path / "addresses.txt")))
    assert site.url("/moss") in (tmp_path / "addresses.txt").read_text().split()


@pytest.mark.slow
@pytest.mark.browser
def test_pages_of_an_application_are_crawled_in_a_browser(research_daemon: RunningDaemon, site: Site, run: Any) -> None:
    for path in ("/app", "/app/one", "/app/two"):
        site.page(path, APPLICATION)
    answer = run(ask_ok(research_daemon, "crawl", site.url("/app"), "--scope", "path", session="applications"))
    result = answer["data"]["result"]
    pages = {page["url"]: page for page in result["pages"]}
    assert pages.keys() == {site.url("/app"), site.url("/app/one"), site.url("/app/two")}
    assert pages[site.url("/app/one")]["title"].endswith("/app/one") and result["totals"]["failed"] == 0
    never = run(ask_ok(research_daemon, "crawl", site.url("/app"), "--browser", "never", session="applications"))
    assert never["data"]["result"]["totals"]["failed"] == 1


def test_crawl_without_streaming_writes_results_to_a_file(research_daemon: RunningDaemon, site: Site, run: Any) -> None:
    answer = run(ask_ok(research_daemon, "crawl", site.url("/")))
    result = answer["data"]["result"]
    assert (result["totals"]["told"], result["totals"]["failed"]) == (2, 1)
    assert "2 pages read, 1 page failed: " in answer["text"]
    found = [json.loads(line) for line in Path(result["path"]).read_text("utf-8").splitlines()]
    assert {each["url"] for each in found} == {site.url(each) for each in ("/", "/moss", "/gone")}
    assert f'{site.url("/")} "Ferns"' in answer["text"]
    assert f"{site.url('/gone')} FETCH_FAILED" in answer["text"]
    assert Path(result["path"]).parent == research_daemon.home / "data" / "crawls"


async def streamed(research_daemon: RunningDaemon, *words: str) -> list[dict[str, Any]]:
    headers = {"Accept": "application/x-ndjson"}
    async with research_daemon.client.stream(
        "POST", "/command", json={"argv": list(words)}, headers=headers
    ) as response:
        assert response.headers["content-type"].startswith("application/x-ndjson")
        return [json.loads(line) async for line in response.aiter_lines()]


def test_a_stream_has_pages_as_they_come_and_the_response_last(
    research_daemon: RunningDaemon, site: Site, run: Any
) -> None:
    *before, last = run(streamed(research_daemon, "crawl", site.url("/"), "--depth", "0"))
    [page] = [each["item"] for each in before if "item" in each]
    assert (page["url"], page["article"]["title"]) == (site.url("/"), "Ferns")
    assert [each["progress"]["stage"] for each in before if "progress" in each]
    assert last["response"]["ok"] is True
    assert (last["exit_code"], last["json"]) == (0, False)
    [failed] = run(streamed(research_daemon, "crawl", "about:blank", "--json"))
    assert (failed["response"]["error_kind"], failed["exit_code"], failed["json"]) == ("invalid_value", 2, True)
    [plain] = run(streamed(research_daemon, "sessions"))
    assert plain["response"]["action"] == "sessions"


def test_client_disconnect_cancels_the_command(research_daemon: RunningDaemon, run: Any) -> None:
    async def hang_up(site: Site) -> None:
        envelope = {"argv": ["crawl", site.url("/")]}
        headers = {"Accept": "application/x-ndjson"}
        async with research_daemon.client.stream("POST", "/command", json=envelope, headers=headers) as response:
            async for line in response.aiter_lines():
                if "item" in json.loads(line):
                    break
        async with asyncio.timeout(60):
            while not any(row.get("error_kind") == "cancelled" for row in research_daemon.rows()):
                await asyncio.to_thread(time.sleep, 0.05)  # nothing tells of a file that grows

    with Site() as site:
        never = threading.Event()
        site.page("/", FERNS)
        site.put("/moss", Reply(MOSS, wait=never))
        site.put("/gone", Reply(MOSS, wait=never))
        run(hang_up(site))
        never.set()


# --- search, research, graph, index ---


@pytest.mark.slow
def test_hybrid_is_a_provider_too(site: Site, run: Any, tmp_path: Path) -> None:
    """Before anything was read, and after it."""
    limits = {"ORYN_ALLOW_PRIVATE": "1", "ORYN_THROTTLE": "1ms", "ORYN_SEARCH_URL": site.url("/search")}
    hybrid = RunningDaemon(tmp_path, {**limits, "ORYN_SEARCH_PROVIDER": "hybrid"})
    try:
        words = ("search", "where do mosses grow")
        for source in ((), ("--source", "hybrid")):
            found = run(ask_ok(hybrid, *words, *source))["data"]["result"]
            assert {hit["provider"] for hit in found} == {"duckduckgo"}
        site.page("/older", MOSS)
        run(ask_ok(hybrid, "research", "mosses", "--url", site.url("/older"), "--results", "0"))
        for source in ((), ("--source", "hybrid")):
            found = run(ask_ok(hybrid, *words, *source))["data"]["result"]
            assert (site.url("/older"), "index") in {(hit["url"], hit["provider"]) for hit in found}
            assert {hit["provider"] for hit in found} == {"duckduckgo", "index"}
        report = run(ask_ok(hybrid, "research", "where do mosses grow"))["data"]["result"]
        assert site.url("/older") in {source["url"] for source in report["sources"]}
    finally:
        run(hybrid.stop())


def test_search(research_daemon: RunningDaemon, site: Site, run: Any) -> None:
    answer = run(ask_ok(research_daemon, "search", "boston", "ferns", "--limit", "2"))
    assert answer["text"].split("\n") == [
        'ok search "boston ferns" --limit 2',
        "",
        f'1. "Ferns & their spores" {site.url("/")}',
        "| Plants without flowers ok: done",
        f'2. "Mosses" {site.url("/moss")}',
        "| Older still.",
    ]
    assert answer["data"]["result"][0]["url"] == site.url("/")


@pytest.mark.slow
def test_research_writes_a_report_and_keeps_what_it_read(
    research_daemon: RunningDaemon, site: Site, run: Any, tmp_path: Path
) -> None:
    words = ("research", "how do ferns reproduce", "--collection", "ferns", "--sentences", "2")
    answer = run(ask_ok(research_daemon, *words))
    assert site.url("/") in answer["text"]
    assert all(line.startswith("|") for line in answer["text"].split("\n")[2:])
    assert len(answer["data"]["result"]["sentences"]) == 2
    page = run(ask_ok(research_daemon, *words, "--to", "ferns.html", folder=str(tmp_path)))
    assert page["text"].split("\n")[2].startswith("2 sentences of ")
    assert f': "{tmp_path}/ferns.html"' in page["text"]
    assert (tmp_path / "ferns.html").read_text("utf-8").lstrip().lower().startswith("<!doctype html")
    [collection] = run(ask_ok(research_daemon, "index"))["data"]["result"]
    assert collection["name"] == "ferns"
    found = run(ask_ok(research_daemon, "search", "spores", "--source", "index", "--collection", "ferns"))
    assert found["data"]["result"][0]["provider"] == "index"
    tree = run(ask_ok(research_daemon, "graph", "ferns", "--no-llm"))
    assert "Ferns" in tree["text"]
    picture = run(ask_ok(research_daemon, "graph", "ferns", "--no-llm", "--to", "ferns.svg", folder=str(tmp_path)))
    assert (tmp_path / "ferns.svg").read_text("utf-8").startswith(("<svg", "<?xml")), picture["text"]
    assert run(ask_ok(research_daemon, "index", "drop", "ferns"))["text"].endswith("dropped ferns")


@pytest.mark.slow
def test_results_hold_to_the_schemas_of_the_description(
    research_daemon: RunningDaemon, site: Site, run: Any, tmp_path: Path
) -> None:
    description = run(research_daemon.client.get("/openapi.json")).json()
    schemas = description["components"]["schemas"]
    results = schemas["Results"]["properties"]
    assert not {"SearchHit", "CrawlFigures", "SiteAddresses"} & schemas.keys(), "an answer has one schema"
    site.page("/plant", FERN_PAGE)
    commands = {
        "search": ("ferns",),
        "extract": (site.url("/"), site.url("/gone"), "--links"),
        "crawl": (site.url("/"), "--pages", "2", "--to", str(tmp_path / "pages.jsonl")),
        "map": (site.url("/"),),
        "research": ("how do ferns reproduce", "--questions", "2"),
        "graph": ("ferns", "--no-llm"),
        "index": (),
    }
    assert results.keys() >= {*commands, "index_drop"}
    answers = {name: run(ask_ok(research_daemon, name, *words))["data"]["result"] for name, words in commands.items()}
    data = run(ask_ok(research_daemon, "extract", site.url("/plant"), "--schema", json.dumps(PLANT)))["data"]["result"]
    for name, result in (*answers.items(), ("extract", data)):
        assert result, name
        schema = {**results[name], "components": description["components"]}
        jsonschema.validate(result, schema, jsonschema.Draft202012Validator)


# --- the process ---


def test_research_reads_documents_of_a_folder_that_the_session_may_read(
    research_daemon: RunningDaemon, run: Any, tmp_path: Path
) -> None:
    folder = tmp_path / "my papers"
    folder.mkdir()
    (folder / "ferns.md").write_text("# Ferns\n\nFerns are plants without flowers, which reproduce by spores.\n")
    words = ("research", "how do ferns reproduce", "--results", "0", "--files")
    answer = run(ask_ok(research_daemon, *words, str(folder), "--format", "json"))
    report = answer["data"]["result"]
    [source] = report["sources"]
    assert (source["url"], source["source"]) == ((folder / "ferns.md").as_uri(), "file")
    assert "reproduce by spores" in report["sentences"][0]["text"]
    refused = run(ask(research_daemon, *words, str(tmp_path / "gone")))
    assert refused["error_kind"] == "file_error" and "no file or folder" in refused["text"]
    (tmp_path / "empty").mkdir()
    assert run(ask(research_daemon, *words, str(tmp_path / "empty")))["error_kind"] == "file_error"
    limits = {"files_root": str(tmp_path / "empty")}
    outside = run(ask(research_daemon, *words, str(folder), session="limited", settings=limits))
    assert outside["error_kind"] == "path_not_allowed"


def research_process_of(daemon: RunningDaemon) -> int:
    """The daemon's child that does research."""
    children = Path(f"/proc/{daemon.process.pid}/task/{daemon.process.pid}/children").read_text("ascii").split()
    [found] = [
        child for child in children if b"oryn.research.process.server" in Path(f"/proc/{child}/cmdline").read_bytes()
    ]
    return int(found)


@pytest.mark.slow
def test_the_next_command_starts_another_process(research_daemon: RunningDaemon, site: Site, run: Any) -> None:
    async def killed(site: Site, started: threading.Event) -> dict[str, Any]:
        waiting = asyncio.create_task(ask(research_daemon, "extract", site.url("/slow")))
        await asyncio.to_thread(started.wait, 60)
        os.kill(research_process_of(research_daemon), signal.SIGKILL)
        return await waiting

    with Site() as slow:
        started, never = threading.Event(), threading.Event()

        def answer(_: Any) -> Reply:
            started.set()
            return Reply(FERNS, wait=never)

        slow.put("/slow", answer)
        failed = run(killed(slow, started))
        never.set()
    assert (failed["error_kind"], failed["error"]) == (
        "worker_failed",
        "the research process ended in the middle of the command",
    )
    assert run(ask_ok(research_daemon, "extract", site.url("/")))


def test_a_time_limit_ends_the_request_too(research_daemon: RunningDaemon, run: Any) -> None:
    with Site() as slow:
        never = threading.Event()
        slow.put("/slow", Reply(FERNS, wait=never))
        answer = run(ask(research_daemon, "extract", slow.url("/slow"), "--timeout", "300ms"))
        never.set()
    assert answer["error_kind"] == "timeout"
    assert answer["error"] == "not done after 0.3 s"


@pytest.mark.slow
def test_it_ends_with_a_daemon_that_is_killed(daemon_of: Callable[..., RunningDaemon], site: Site, run: Any) -> None:
    daemon = daemon_of(ORYN_ALLOW_PRIVATE="1")
    run(ask_ok(daemon, "extract", site.url("/")))
    process = research_process_of(daemon)
    run(daemon.kill())
    wait_for_end([process])


# --- keys ---


@pytest.mark.slow
@pytest.mark.browser
def test_a_key_of_the_vault_goes_where_it_may(daemon_of: Callable[..., RunningDaemon], run: Any) -> None:
    """Its value is looked up when it is needed, and no sooner."""
    daemon = daemon_of(ORYN_BRAVE_KEY="{{vault:brave.key}}", ORYN_VAULT_KEY="0" * 64)
    needed = run(ask(daemon, "search", "ferns", "--source", "brave"))
    assert needed["error_kind"] == "secret_not_found", needed["text"]
    assert run(ask(daemon, "index"))["ok"]


@pytest.mark.slow
def test_the_model_of_the_settings_plans_and_writes(
    research_daemon: RunningDaemon, daemon_of: Callable[..., RunningDaemon], site: Site, run: Any
) -> None:
    plan = Says(json.dumps({"questions": ["How do ferns reproduce?", "How old are ferns?"]}))
    draft = [{"text": text, "passages": [1]} for text in ("Ferns reproduce by spores.", "Ferns are 12 years old.")]
    text = Says(json.dumps({"sentences": draft}))
    judgement = Says(json.dumps({"judgements": [{"sentence": 1, "supported": True}]}))
    words = ("research", "ferns", "--url", site.url("/"), "--results", "0", "--questions", "2", "--write")
    with Endpoint(plan, text, judgement) as endpoint:
        settings = {"ORYN_ALLOW_PRIVATE": "1", "ORYN_THROTTLE": "1ms", "ORYN_MODEL": MODEL}
        daemon = daemon_of(**settings, ORYN_ENDPOINT=endpoint.url)
        report = run(ask_ok(daemon, *words, "--format", "json"))["data"]["result"]
    assert [each["text"] for each in report["written"]] == ["Ferns reproduce by spores."]
    assert report["counts"]["unsupported"] == 1 and len(report["questions"]) == 2
    without = run(ask(research_daemon, *words))
    assert not without["ok"] and "model" in without["text"]


@pytest.mark.slow
def test_the_model_of_the_settings_reads_for_the_graph(
    daemon_of: Callable[..., RunningDaemon], site: Site, run: Any
) -> None:
    found = [{"text": "Ferns are plants without flowers", "passages": [1]}]
    reply = Says(json.dumps({"categories": [{"name": "What they are", "statements": found}]}))
    with Endpoint(reply, key="sk-right-qzvx4711") as endpoint:
        settings = {
            "ORYN_ALLOW_PRIVATE": "1",
            "ORYN_THROTTLE": "1ms",
            "ORYN_MODEL": MODEL,
            "ORYN_ENDPOINT": endpoint.url,
        }
        words = ("graph", "Ferns", "--website", site.url("/"))
        daemon = daemon_of(ORYN_MODEL_KEY="sk-right-qzvx4711", **settings)
        answer = run(ask_ok(daemon, *words))
        assert "What they are" in answer["text"]
        assert answer["data"]["result"]["by"] == MODEL
        wrong = daemon_of("other", ORYN_MODEL_KEY="sk-wrong-qzvx4711", **settings)
        assert run(ask(wrong, *words))["error_kind"] == "model_unauthorized"
        assert run(ask_ok(wrong, *words, "--no-llm"))
    for each in (daemon, wrong):
        assert "qzvx4711" not in each.log() + json.dumps(each.rows())


# --- names that the language has too ---

SHOP = """<title>Shop</title><form action=/found><input type=search name=q aria-label=Search><button>Go</button></form>
<form action=/in><input name=user><input type=password name=secret><button>Sign in</button></form>"""


@pytest.mark.slow
@pytest.mark.browser
def test_a_word_of_two_meanings_is_the_daemons_in_json(research_daemon: RunningDaemon, site: Site, run: Any) -> None:
    """With any arguments, and whatever page is open; the page's own have names of their own."""
    site.page("/shop", SHOP)
    site.page("/found", "<title>Found</title>")
    run(research_daemon.ok(f"goto {site.url('/shop')}", session="shop"))

    def json_of(action: str, **args: Any) -> dict[str, Any]:
        return run(research_daemon.ask({"action": action, "args": args}, session="shop"))  # type: ignore[no-any-return]

    for args in ({"query": "ferns"}, {"query": "ferns", "limit": 1}, {"query": "ferns", "timeout": 20}):
        found = json_of("search", **args)
        assert found["ok"] and "Ferns & their spores" in found["text"], found["text"]
        assert (found["action"], found["data"]["command"].split()[0]) == ("search", "search")
    assert json_of("search", query="ferns", submit="enter")["error_kind"] == "unexpected_input"
    assert json_of("extract")["error_kind"] == "missing_argument"
    assert json_of("extract", urls=[site.url("/")])["ok"]
    assert json_of("extract", what="links")["error_kind"] == "unexpected_input"
    assert json_of("login", user="ann", password="hunter22")["error_kind"] == "unexpected_input"
    gone = json_of("run", name="look")
    assert (gone["error_kind"], gone["hint"]) == ("unknown_command", "It is called run_intent here.")
    assert run(research_daemon.ok("url", session="shop"))["data"]["result"] == site.url("/shop"), "no page was touched"
    assert json_of("extract_page", what="links")["ok"]
    assert json_of("site_search", query="ferns")["action"] == "site_search"
    assert run(research_daemon.ok("title", session="shop"))["data"]["result"] == "Found"
    run(research_daemon.ok({"action": "close"}, session="shop"))


@pytest.mark.slow
@pytest.mark.browser
def test_the_command_line_says_the_same(research_daemon: RunningDaemon, site: Site, run: Any) -> None:
    site.page("/shop", SHOP)
    site.page("/found", "<title>Found</title>")
    site.page("/field", "<title>Field</title>")

    def oryn(*words: str) -> str:
        program = (sys.executable, "-m", "oryn", *words, "--session", "shell")
        done = subprocess.run(
            program, env=daemon_environment(research_daemon.home), capture_output=True, text=True, timeout=120
        )
        assert done.returncode == 0, done.stdout + done.stderr
        return done.stdout

    oryn("goto", site.url("/shop"))
    assert "Ferns & their spores" in oryn("search", "ferns")
    assert '"Shop"' in oryn("title")
    oryn("site_search", "ferns")
    assert '"Found"' in oryn("title")
    oryn("goto", site.url("/shop"))
    oryn("do", 'search "ferns"')
    assert '"Found"' in oryn("title")
    oryn("close")


@pytest.mark.slow
@pytest.mark.browser
def test_research_opens_a_shell_in_a_tab_as_well(research_daemon: RunningDaemon, site: Site, run: Any) -> None:
    words = ("research", "horsetails and spores", "--results", "0", "--url", site.url("/shell"))
    answer = run(ask_ok(research_daemon, *words, "--collection", "shells"))
    assert "Horsetails are plants without flowers" in answer["text"]
    assert answer["data"]["result"]["sources"][0]["source"] == "browser"


@pytest.mark.slow
@pytest.mark.browser
def test_a_browser_is_not_led_into_private_networks(
    daemon_of: Callable[..., RunningDaemon], site: Site, run: Any
) -> None:
    """The public page comes through the session's own proxy, which is a server here."""
    public = "http://93.184.215.14/"
    with Site("127.0.0.2") as inside, Site("127.0.0.3") as proxy:
        inside.page("/", "<p>the secret of the intranet")
        proxy.page("/", SHELL.replace("<script>", f"<iframe src='{inside.url('/')}'></iframe><script>"))
        proxy.put("/away", redirect(inside.url("/")))
        proxy.page("/moves", f"<script>location = '{inside.url('/')}'</script>")
        daemon = daemon_of()
        settings = {"proxy": proxy.url("").rstrip("/"), "proxy_bypass": "<-loopback>"}
        words = ("extract", public, "--browser", "always")
        article = run(ask_ok(daemon, *words, session="out", settings=settings))
        assert "Horsetails" in article["text"]
        for path in ("away", "moves"):
            refused = run(ask(daemon, "extract", public + path, "--browser", "always", session="out"))
            assert refused["error_kind"] == "address_not_allowed", refused["text"]
        assert [request.target for request in proxy.requests if inside.host in request.target] == []
        assert inside.connections == 0
        allowed = run(ask(daemon, "extract", inside.url("/"), "--browser", "always", "--allow-private"))
        assert inside.connections, allowed["text"]
