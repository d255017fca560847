"""`make demo-research`: research on a small web that is served here, through the command line, offline.

usage: python -m scripts.demo_research [FOLDER]      Reports are kept there (default: build/research).

Search, extract, crawl and graph are shown once; then every planted question is asked, and its report checked: the
answer is in it, from the page where it was planted, and each claim stands in the passage that it leads to. The exit
code is 1 where one is not."""

from __future__ import annotations

import json
import os
import shlex
import subprocess
import sys
import tempfile
import textwrap
from pathlib import Path
from urllib.parse import urlsplit

from scripts.small_web.questions import QUESTIONS
from scripts.small_web.report_check import Checked, check, faults_of_page
from scripts.small_web.server import Served

TOPIC = "Why were ships of the isles lost, and what did the inquiries find?"
WIDTH = 100
MAX_ANSWER_LINES = 12
"""Lines of an answer that are shown."""


class Shell:
    """Runs `oryn …` in a home of its own."""

    def __init__(self, home: str, search_url: str) -> None:
        self._environment = {
            **os.environ,
            "ORYN_HOME": home,
            "ORYN_ALLOW_PRIVATE": "true",
            "ORYN_SEARCH_URL": search_url,
            "ORYN_THROTTLE": "10ms",
        }

    def run(self, *words: str, shown: int = MAX_ANSWER_LINES) -> None:
        """Print the command and the first lines of its answer. Raises `SystemExit` where it fails."""
        print(f"\n$ oryn {' '.join(map(shlex.quote, words))}", flush=True)
        command = [sys.executable, "-m", "oryn", *words]
        ended = subprocess.run(command, env=self._environment, capture_output=True, text=True, check=False)
        if ended.returncode:
            raise SystemExit(f"{ended.stdout}{ended.stderr}\nIt ended with {ended.returncode}.")
        # The first line says the command again.
        lines = [line for each in ended.stdout.splitlines()[2:] for line in textwrap.wrap(each, WIDTH) or [""]]
        if shown:
            print(*lines[:shown], *([f"… {len(lines) - shown} lines more"] if lines[shown:] else []), sep="\n")

    def end(self) -> None:
        command = [sys.executable, "-m", "oryn", "daemon", "stop"]
        subprocess.run(command, env=self._environment, capture_output=True, check=False)


def show_the_others(shell: Shell, served: Served, folder: Path) -> None:
    """Search, extract (a page, a PDF, a script's shell), crawl and graph."""
    tariff, harbour = served.web.about("tariff"), served.web.about("harbour Grayling Sound")
    shell.run("search", "puffins on the northern cliffs", "--limit", "3")
    shell.run("extract", served.url_of(tariff))
    shell.run("extract", served.url_of(harbour))
    pages = folder / "almanac.jsonl"
    pages.unlink(missing_ok=True)
    shell.run("crawl", served.home("almanac"), "--depth", "1", "--pages", "30", "--to", str(pages))
    shell.run("graph", "Lake Immer", "--website", served.url_of(served.web.about("Lake Immer")), "--no-llm")


def ask(shell: Shell, served: Served, folder: Path) -> list[Checked]:
    """A report for each question."""
    checked = []
    for number, question in enumerate(QUESTIONS, 1):
        file = folder / f"{number:02}.json"
        file.unlink(missing_ok=True)
        shell.run("research", question.text, "--format", "json", "--to", str(file), shown=0)
        checked.append(check(question, json.loads(file.read_text("utf-8")), served))
        print(textwrap.fill(checked[-1].sentence or "No sentence of the report answers it.", WIDTH))
    return checked


def sum_up(shell: Shell, folder: Path) -> list[str]:
    """A report of several pages, and the same as a page; what is wrong with its links."""
    page = folder / "report.html"
    page.unlink(missing_ok=True)
    shell.run("research", TOPIC, shown=30)
    shell.run("research", TOPIC, "--source", "index", "--format", "html", "--to", str(page))
    print(f"\nAs a page: {page.resolve().as_uri()}")
    return faults_of_page(page.read_text("utf-8"))


def table(checked: list[Checked]) -> None:
    print(f"\n{'question':<62} answer  source")
    for each in checked:
        question = textwrap.shorten(each.question.text, 61, placeholder=" …")
        path = urlsplit(each.source).path
        print(f"{question:<62} {'found ' if each.sentence else 'MISSED'}  {path}")


def main(folder: Path) -> int:
    folder.mkdir(parents=True, exist_ok=True)
    with Served() as served, tempfile.TemporaryDirectory() as home:
        print(f"{len(served.web.articles)} pages on nine sites; they are searched at {served.search_url}.")
        shell = Shell(home, served.search_url)
        try:
            show_the_others(shell, served, folder)
            checked = ask(shell, served, folder)
            faults = sum_up(shell, folder)
        finally:
            shell.end()
    table(checked)
    faults += [f"{each.question.text} {fault}" for each in checked for fault in each.faults]
    found = sum(bool(each.sentence) for each in checked)
    print(
        f"\n{found} of {len(checked)} answers found; {len(faults)} claims without their passage.", *faults, sep="\n  "
    )
    return 0 if found == len(checked) and not faults else 1


if __name__ == "__main__":
    sys.exit(main(Path(*sys.argv[1:]) if sys.argv[1:] else Path("build/research")))
