"""`oryn crawl`, `oryn extract` and their like: lines as they come, files, and what ends a command before its end."""

from __future__ import annotations

import json
import os
import pty
import signal
import subprocess
import threading
from collections.abc import Iterator

import pytest

from tests.cli.shell import SECONDS, Shell
from tests.research.server import ReceivedRequest, Reply, Site

PAGE = """<html lang="en"><head><title>Page {0}</title></head><body><main><h1>Page {0}</h1><p>The fern of page {0} has
fronds that uncurl in spring, grows by the brook, and is found by those who walk there in the evening.</p>
<p>Its spores ripen in late summer, when the undersides of the fronds turn brown, and are carried off by the wind.</p>
{1}</main></body></html>"""


def linked(number: int, *others: int) -> str:
    return PAGE.format(number, " ".join(f'<a href="/{other}">page {other}</a>' for other in others))


@pytest.fixture(scope="module")
def site() -> Iterator[Site]:
    with Site() as site:
        site.page("/", linked(0, 1, 2, 3))
        for number in (1, 2, 3):
            site.page(f"/{number}", linked(number))
        yield site


@pytest.fixture(scope="module")
def shell(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Shell]:
    """Its daemon is polite for a millisecond only."""
    folder = tmp_path_factory.mktemp("research")
    shell = Shell(folder / "home", folder)
    shell.environment |= {"ORYN_THROTTLE": "1ms"}
    yield shell
    shell.close()


class DelayedReply:
    """An answer that does not come before the test says so."""

    def __init__(self) -> None:
        self.requested, self.free = threading.Event(), threading.Event()

    def __call__(self, requested: ReceivedRequest) -> Reply:
        self.requested.set()
        self.free.wait(SECONDS)
        return Reply(linked(9))


def pages_of(text: str) -> list[str]:
    return [json.loads(line)["url"] for line in text.splitlines()]


@pytest.mark.slow
def test_a_crawl_prints_a_line_for_each_page(shell: Shell, site: Site) -> None:
    printed = shell.ok("crawl", site.url("/"), "--allow-private")
    assert sorted(pages_of(printed)) == [site.url(path) for path in ("/", "/1", "/2", "/3")]
    first = json.loads(printed.splitlines()[0])
    assert (first["number"], first["depth"], first["article"]["title"]) == (1, 0, "Page 0")


@pytest.mark.slow
def test_a_question_is_read_for_first(shell: Shell, site: Site) -> None:
    crawl = ("crawl", site.url("/"), "--allow-private", "--pages", "2", "--question", "What is on page 3?")
    assert pages_of(shell.ok(*crawl)) == [site.url("/"), site.url("/3")]


@pytest.mark.slow
def test_the_setting_stands_before_the_verb_as_well(shell: Shell, site: Site) -> None:
    assert pages_of(shell.ok("--allow-private", "crawl", site.url("/"), "--depth", "0")) == [site.url("/")]
    code, out, err = shell("crawl", site.url("/"), "--depth", "0")
    assert (code, err) == (0, "")
    assert json.loads(out)["error"]["code"] == "ADDRESS_NOT_ALLOWED"


@pytest.mark.slow
def test_options_that_are_given_again_add_up(shell: Shell, site: Site) -> None:
    crawl = ("crawl", site.url("/"), "--allow-private")
    left = pages_of(shell.ok(*crawl, "--exclude", "*/1", "--exclude", "*/2"))
    assert sorted(left) == [site.url("/"), site.url("/3")]
    taken = pages_of(shell.ok(*crawl, "--include", "*/1", "--include=*/2"))
    assert {site.url("/1"), site.url("/2")} <= set(taken)
    assert site.url("/3") not in taken
    urls = [site.url(f"/{number}") for number in (1, 2, 3)]
    words = [word for url in urls for word in ("--url", url)]
    read = shell.json(
        "--json", "research", "fern fronds", *words, "--source", "index", "--collection", "adding", "--allow-private"
    )
    assert {source["url"] for source in read["data"]["result"]["sources"]} == set(urls)


def test_a_crawl_into_a_file_of_the_callers_folder(shell: Shell, site: Site) -> None:
    printed = shell.ok("crawl", site.url("/"), "--allow-private", "--to", "pages.jsonl")
    file = shell.folder / "pages.jsonl"
    assert f'"{file}"' in printed
    assert len(pages_of(file.read_text("utf-8"))) == 4
    assert file.stat().st_mode & 0o777 == 0o600


def test_a_crawl_goes_on_where_it_was_interrupted(shell: Shell) -> None:
    held = DelayedReply()
    with Site() as site:
        site.page("/", linked(0, 1, 2))
        site.page("/1", linked(1))
        site.put("/2", held)
        words = ("crawl", site.url("/"), "--allow-private", "--resume", "brook", "--to", "brook.jsonl")
        process = shell.start(*words)
        assert held.requested.wait(SECONDS)
        process.send_signal(signal.SIGINT)
        assert process.wait(SECONDS) == 130
        held.free.set()
        assert process.communicate()[1] == "interrupted: the command is cancelled\n"
        shell.ok(*words)
        found = pages_of((shell.folder / "brook.jsonl").read_text("utf-8"))
        assert sorted(found) == [site.url(path) for path in ("/", "/1", "/2")]


def test_closed_output_ends_the_crawl(shell: Shell) -> None:
    held = DelayedReply()
    with Site() as site:
        site.page("/", linked(0, 1))
        site.put("/1", held)
        with shell.start("crawl", site.url("/"), "--allow-private") as process:
            assert process.stdout is not None
            assert json.loads(process.stdout.readline())["url"] == site.url("/")
            assert held.requested.wait(SECONDS)
            process.stdout.close()  # as `head -1` does
            held.free.set()
            assert process.wait(SECONDS) == 0


@pytest.mark.slow
def test_extract_answers_as_every_verb_does(shell: Shell, site: Site) -> None:
    printed = shell.ok("extract", site.url("/1"), "--allow-private")
    assert printed.splitlines()[:3] == [
        f"ok extract {site.url('/1')}",
        "",
        f'"Page 1" {site.url("/1")}',
    ]
    alone = shell.ok("extract", site.url("/1"), "--allow-private", "--format", "text")
    assert not alone.startswith("ok ") and alone == shell.ok(
        "extract", site.url("/1"), "--allow-private", "--format", "text", "--raw"
    )
    as_json = json.loads(shell.ok("extract", site.url("/1"), "--allow-private", "--json"))
    assert as_json["data"]["result"][0]["article"]["title"] == "Page 1"
    code, out, err = shell("extract", site.url("/none"), "--allow-private")
    assert (code, out) == (14, "")
    assert "404" in err


@pytest.mark.slow
@pytest.mark.parametrize("form", ["markdown", "text", "json", None])
def test_pages_that_fail_go_to_standard_error(shell: Shell, site: Site, form: str | None) -> None:
    """The others are on standard output, each with its title and address, and the exit code is that of the failure."""
    urls = [site.url(path) for path in ("/1", "/none", "/2")]
    code, out, err = shell("extract", *urls, "--allow-private", *(("--format", form) if form else ()))
    assert code == 14
    assert err.startswith(f"2. {urls[1]}: FETCH_FAILED ") and err.count("\n") == 1
    if form == "json":
        items = [json.loads(line) for line in out.splitlines()]
        assert [item["url"] for item in items] == urls
        assert [item.get("error", {}).get("code") for item in items] == [None, "FETCH_FAILED", None]
        return
    assert urls[1] not in out.removeprefix(f"ok extract {' '.join(urls)}\n") and "FETCH_FAILED" not in out
    first, rest = out.split("\n---\n") if form else out.split("\n3. ")
    for number, text in ((1, first), (2, rest)):
        begin = {
            "markdown": f"# Page {number}\n\n<{site.url(f'/{number}')}>\n\nThe fern of page {number}",
            "text": f"Page {number}\n{site.url(f'/{number}')}\n\nThe fern of page {number}",
            None: f'"Page {number}" {site.url(f"/{number}")}',
        }[form]
        assert begin in text
    as_json = shell("extract", *urls, "--allow-private", "--json")
    assert as_json.code == 14 and "error" in json.loads(as_json.out)["data"]["result"][1]


@pytest.mark.slow
def test_markdown_begins_with_the_title(shell: Shell, site: Site) -> None:
    printed = shell.ok("extract", site.url("/1"), "--allow-private", "--format", "markdown")
    assert printed.startswith("# Page 1\n\nThe fern of page 1")
    assert printed.count("# Page 1") == 1
    shell.ok("extract", site.url("/1"), "--allow-private", "--to", "page.md")
    assert (shell.folder / "page.md").read_text("utf-8") == printed


def test_a_file_has_the_pages_that_could_be_read(shell: Shell, site: Site) -> None:
    words = ("extract", site.url("/1"), site.url("/none"), "--allow-private", "--to", "pages.md")
    code, out, err = shell(*words)
    assert (code, err[:2]) == (14, "2.")
    assert f'1 article: "{shell.folder / "pages.md"}"' in out
    text = (shell.folder / "pages.md").read_text("utf-8")
    assert text.startswith("# Page 1\n") and "none" not in text


@pytest.mark.slow
def test_a_report_is_raw_on_a_pipe_and_rendered_on_a_terminal(shell: Shell, site: Site) -> None:
    words = ("research", "fern fronds in spring", "--url", site.url("/1"), "--results", "0", "--allow-private")
    raw = shell.ok(*words)
    assert raw.startswith("# fern fronds in spring\n\n") and "\n## Sources\n" in raw
    shown = on_terminal(shell, *words)
    assert "## " not in shown and "](#" not in shown and "<a id" not in shown and "\n| " not in shown
    assert "Sources" in shown and "[1]" in shown and site.url("/1") in shown and "fronds that uncurl" in shown
    assert "\x1b" not in shown  # NO_COLOR
    assert "\x1b[1" in on_terminal(shell, *words, NO_COLOR="", FORCE_COLOR="1", TERM="xterm-256color")
    assert on_terminal(shell, *words, "--raw").startswith("# fern fronds in spring")


def on_terminal(shell: Shell, *words: str, **environment: str) -> str:
    """What a command prints on a terminal."""
    leader, terminal = pty.openpty()
    process = subprocess.Popen(
        shell.command(*words),
        env={**shell.environment, **environment},
        cwd=shell.folder,
        stdin=subprocess.DEVNULL,
        stdout=terminal,
        stderr=subprocess.DEVNULL,
    )
    os.close(terminal)
    shown = b""
    try:
        while piece := os.read(leader, 4096):
            shown += piece
    except OSError:  # Linux says so when the other end is closed
        pass
    os.close(leader)
    assert process.wait(SECONDS) == 0
    return shown.decode().replace("\r\n", "\n")


@pytest.mark.slow
def test_invalid_research_arguments_are_usage_errors(shell: Shell) -> None:
    code, out, err = shell("extract", "--tab", "a.org")
    assert (code, out) == (2, "")
    assert "exclude each other" in err
    assert shell("crawl", "ftp://a.org").code == 2
    assert shell("crawl").code == 2
    assert shell.ok("crawl", "--help").startswith("crawl <url>…")


@pytest.mark.slow
def test_progress_bars_are_printed_on_a_terminal(shell: Shell, site: Site) -> None:
    """Bars are on standard error, and gone when the answer comes."""
    leader, terminal = pty.openpty()
    process = subprocess.Popen(
        shell.command("extract", site.url("/2"), site.url("/3"), "--allow-private"),
        env={**shell.environment, "TERM": "xterm"},
        cwd=shell.folder,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=terminal,
    )
    os.close(terminal)
    shown = b""
    try:
        while piece := os.read(leader, 4096):
            shown += piece
    except OSError:  # Linux says so when the other end is closed
        pass
    os.close(leader)
    out, _ = process.communicate(timeout=SECONDS)
    assert process.returncode == 0
    assert b"extract" in shown
    assert out.decode().count("Page ") >= 2


@pytest.mark.slow
def test_a_crawl_has_the_items_of_a_schema(shell: Shell, site: Site) -> None:
    for number, toll in ((1, "2 EUR"), (2, "3 EUR")):
        site.page(f"/bridges/{number}", f"<h1>Bridge {number}</h1><dl><dt>Toll</dt><dd>{toll}</dd></dl>")
    site.page("/bridges", '<a href="/bridges/1">one</a> <a href="/bridges/2">two</a>')
    schema = json.dumps({"type": "object", "properties": {"toll": {"type": "string"}}})
    printed = shell.ok("crawl", site.url("/bridges"), "--allow-private", "--include", "/bridges/*", "--schema", schema)
    pages = {line["url"]: line for line in map(json.loads, printed.splitlines())}
    assert pages[site.url("/bridges/1")]["data"]["data"] == {"toll": "2 EUR"}
    assert pages[site.url("/bridges/2")]["data"]["data"] == {"toll": "3 EUR"}
    assert pages[site.url("/bridges")]["data"]["missing"] == ["/toll"]
    assert not any("article" in page for page in pages.values())


def test_a_schema_that_is_none_ends_a_crawl(shell: Shell, site: Site) -> None:
    code, out, said = shell("crawl", site.url("/bridges"), "--allow-private", "--schema", '{"type": "nonsense"}')
    assert code != 0
    assert "not a JSON Schema" in out + said
