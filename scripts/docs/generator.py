"""Writes the pages that are generated from declarations: `python -m scripts.docs.generator`. A test compares them."""

from __future__ import annotations

import inspect
import re
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path

from oryn import errors
from oryn.browsers.common.differences import Difference
from oryn.browsers.extension import differences as remote
from oryn.browsers.playwright import differences as playwright
from oryn.browsers.webkit import differences as embedded
from oryn.errors import EXIT_CODES, OrynError
from oryn.language.reference import GUARANTEE_HEAD, guarantee_rows, reference_page
from oryn.settings import SETTINGS, Setting
from scripts.docs.command_examples import with_answers_of

DOCS = Path(__file__).parents[2] / "docs"
_EXIT_CODES = re.compile(r"(?<=^\| exit code \| what is wrong \|\n\|---\|---\|\n)(?:\|.*\n)+", re.MULTILINE)
_GUARANTEES = re.compile(rf"(?<=^{re.escape(GUARANTEE_HEAD)})(?:\|.*\n)*", re.MULTILINE)
_SECTION = re.compile(r"^\[([^\]\n]+)\]\n(.*?)(?=^\[[^\]\n]+\]$|\Z)", re.MULTILINE | re.DOTALL)


def pages() -> Mapping[str, str]:
    """Every generated page by its file name in `docs`."""
    return {
        "settings.md": _settings(),
        "reference.md": reference_page(examples()),
        "errors.md": _errors(),
        "remote-differences.md": _remote_differences(),
        "embedded-differences.md": _embedded_differences(),
        "playwright-differences.md": _playwright_differences(),
    }


def with_exit_codes(text: str) -> str:
    """A page with its table of exit codes as `oryn.errors` has it; the rest of the page is written by hand."""
    return _EXIT_CODES.sub("".join(f"| {code} | {meaning} |\n" for code, meaning in EXIT_CODES.items()), text)


def with_guarantees(text: str) -> str:
    """A page with its table of what commands guarantee as the command table has it."""
    return _GUARANTEES.sub(guarantee_rows().replace("\\", r"\\"), text)


def examples() -> dict[str, str]:
    """The example of each command, from `docs/reference/*.txt`: one file for each family, which is one session. It has
    the command's name in brackets, then the lines to send and, if an answer varies, its pattern."""
    found = {}
    for file in sorted(DOCS.joinpath("reference").glob("*.txt")):
        kind = "oryn new"
        for name, text in _SECTION.findall(file.read_text("utf-8")):
            found[name] = f"```{kind}\n{text.strip()}\n```"
            kind = "oryn"
    return found


def _settings() -> str:
    rows = "\n".join(map(_row, SETTINGS.values()))
    return f"""# Settings

Made by `make docs` from `oryn.settings.definitions`. A flag takes precedence over the environment, that over
`config.toml`, and that over the default. `oryn config` shows every value with its origin, and where `config.toml` is.

| key in `config.toml` | flag | environment | default | description | values |
|---|---|---|---|---|---|
{rows}

The variable `ORYN_HOME` moves all of Oryn's folders below one folder: configuration, data, cache, sessions, intents.
If `colour` is `auto`, the variable `NO_COLOR` (https://no-color.org) disables colour.
"""


def _row(setting: Setting) -> str:
    flag = f"{setting.flag}`, `--no-{setting.flag.removeprefix('--')}" if setting.is_switch else setting.flag
    default = "none" if setting.default is None else f"`{setting.default_text}`"
    cells = (
        f"`{setting.name}`",
        f"`{flag}`",
        f"`{setting.environment}`",
        default,
        setting.help,
        setting.kind.description,
    )
    return f"| {' | '.join(cells)} |"


def _errors() -> str:
    rows = "\n".join(map(_error_row, _leaves(OrynError)))
    return f"""# Errors

Made by `make docs` from `src/oryn/errors/`. Over HTTP a failed command has status 200, with `ok: false` and the code in
lower case as `error_kind`. Any other status means that the daemon rejected the request. The exit code is that of the
command line if the command fails with this error.

| code | meaning | exit code | HTTP status |
|---|---|---|---|
{rows}
"""


def _embedded_differences() -> str:
    subjects: dict[str, str] = {each.subject: each.reason for each in embedded.ENGINE_DIFFERENCES}
    rows = "\n".join(f"| {subject} | {reason} |" for subject, reason in subjects.items())
    commands = "\n".join(
        f"| `{each.form}` | {each.browsers} | {each.message} | {each.reason} |" for each in embedded.DIFFERENCES
    )
    return f"""# Differences of embedded mode

Made by `make docs` from `src/oryn/browsers/webkit/differences.py`; a test checks both tables in WPE WebKit. All
other commands of the conformance suite answer the same in [embedded mode](embedded.md) as in `headless`, byte for byte.

## Commands

| command | browsers | answer in embedded mode | reason |
|---|---|---|---|
{commands}

## Answers

| what differs | reason |
|---|---|
{rows}
"""


def _playwright_differences() -> str:
    subjects: dict[str, str] = {each.subject: each.reason for each in playwright.FIREFOX_DIFFERENCES}
    rows = "\n".join(f"| {subject} | {reason} |" for subject, reason in subjects.items())
    commands = "\n".join(f"| `{each.form}` | {each.message} |" for each in playwright.UNSUPPORTED)
    return f"""# Differences of Playwright

Made by `make docs` from `src/oryn/browsers/playwright/differences.py`; a test checks both tables. In Chromium all
commands of the conformance suite answer the same with the backend [playwright](playwright.md) as in `headless`, byte
for byte. Only `trace` writes another file: Playwright's.

## Firefox and WebKit

These engines are driven by the commands of WebDriver, so they can't run these:

| command | answer |
|---|---|
{commands}

## Answers of Firefox

Those of Debian's Firefox ESR 153, with Playwright 1.64:

| what differs | reason |
|---|---|
{rows}
"""


def _remote_differences() -> str:
    variations = "\n".join(f"| `{each.form}` | {each.reason} |" for each in remote.FIREFOX_VARIATIONS)
    return f"""# Differences of remote mode

Made by `make docs` from `src/oryn/browsers/extension/differences.py`; a test checks both modes. All other commands
answer the same in the user's own browser as in `headless`, byte for byte, if its window has the same size and the
extension's popup allows *Real keys and mouse*. Paths of files, the mode and the time in `session`, and the hint for
closing the last tab differ between the modes.

| command | answer in remote mode | reason |
|---|---|---|
{_difference_rows((*remote.DIFFERENCES, *remote.HOST_DIFFERENCES))}

## Without *Real keys and mouse*

These commands need the browser's debugger. They are refused while the user has not allowed *Real keys and mouse*, has
closed the browser's bar about it, and in Firefox, which has no debugger for extensions.

| command | answer without the debugger | reason |
|---|---|---|
{_difference_rows((*remote.WITHOUT_DEBUGGER, *remote.HOST_WITHOUT_DEBUGGER))}

## Firefox

All input is created by scripts, which pages can detect.

These commands work, but their answers or effects can differ:

| command | reason |
|---|---|
{variations}
"""


def _difference_rows(differences: Iterable[Difference]) -> str:
    return "\n".join(f"| `{each.form}` | {each.message} | {each.reason} |" for each in differences)


def _leaves(error: type[OrynError]) -> Iterator[type[OrynError]]:
    """Every class with a code of its own: branch by branch, as the tree is drawn in `oryn.errors`."""
    branches = list(dict.fromkeys(re.findall(r"(\w+)\.py$", errors.__doc__ or "", re.MULTILINE)))
    declared = [each for each in error.__subclasses__() if each.__module__.startswith(f"{errors.__name__}.")]
    for each in sorted(declared, key=lambda each: branches.index(each.__module__.rpartition(".")[2])):
        if "code" in vars(each):
            yield each
        yield from _leaves(each)


def _error_row(error: type[OrynError]) -> str:
    description = (inspect.getdoc(error) if error.__doc__ and "__doc__" in vars(error) else None) or ""
    meaning = " ".join(description.split("\n\n")[0].split()) or error.advice or _words(error)
    return f"| `{error.code}` | {meaning} | {error.exit_code} | {error.http_status} |"


def _words(error: type[OrynError]) -> str:
    """`UnknownCommand` → `Unknown command.`"""
    return re.sub(r"(?<!^)(?=[A-Z])", " ", error.__name__).capitalize() + "."


if __name__ == "__main__":
    for name, text in pages().items():
        file = DOCS / name
        file.write_text(with_answers_of(text, file.read_text("utf-8")), "utf-8")
    page = DOCS / "command-line.md"
    page.write_text(with_exit_codes(page.read_text("utf-8")), "utf-8")
    page = DOCS / "looking.md"
    page.write_text(with_guarantees(page.read_text("utf-8")), "utf-8")
