"""Writes the pages that are made from declarations: `python docs/generate.py`. A test compares."""

from __future__ import annotations

import importlib
import inspect
import re
import runpy
from collections.abc import Iterator, Mapping
from pathlib import Path

from oryn.browsers.extension.differences import DIFFERENCES
from oryn.errors import EXIT_CODES, OrynError
from oryn.language.reference import reference_page
from oryn.settings import SETTINGS, Setting

HERE = Path(__file__).parent
importlib.import_module("oryn.research.failures")  # a branch of the errors' tree in a module of its own
_EXIT_CODES = re.compile(r"(?<=^\| exit code \| what is wrong \|\n\|---\|---\|\n)(?:\|.*\n)+", re.MULTILINE)
_SECTION = re.compile(r"^\[([^\]\n]+)\]\n(.*?)(?=^\[[^\]\n]+\]$|\Z)", re.MULTILINE | re.DOTALL)


def pages() -> Mapping[str, str]:
    """Every generated page by its file name in this folder."""
    return {
        "settings.md": _settings(),
        "reference.md": reference_page(dialogues()),
        "errors.md": _errors(),
        "remote-differences.md": _differences(),
    }


def with_exit_codes(text: str) -> str:
    """A page with its table of exit codes as `oryn.errors` has it; the rest of the page is written by hand."""
    return _EXIT_CODES.sub("".join(f"| {code} | {meaning} |\n" for code, meaning in EXIT_CODES.items()), text)


def dialogues() -> dict[str, str]:
    """The dialogue of each command, from `reference/*.txt`: a file for each family, which is one session. In it stand,
    after the command's name in brackets, the lines to say and, where an answer is not always the same, its pattern."""
    found = {}
    for file in sorted(HERE.joinpath("reference").glob("*.txt")):
        kind = "oryn new"
        for name, text in _SECTION.findall(file.read_text("utf-8")):
            found[name] = f"```{kind}\n{text.strip()}\n```"
            kind = "oryn"
    return found


def _settings() -> str:
    rows = "\n".join(map(_row, SETTINGS.values()))
    return f"""# Settings

Made by `make docs` from `oryn.settings.declared`. A flag wins over the environment, the environment over `config.toml`,
that over the default. `oryn config` shows every value, where it came from, and where `config.toml` is.

| key in `config.toml` | flag | environment | default | what it is | it may be |
|---|---|---|---|---|---|
{rows}

`ORYN_HOME` is no setting but moves all of Oryn's folders below one: configuration, data, cache, sessions, intents.
`NO_COLOR` (https://no-color.org) turns colour off where `colour` is `auto`.
"""


def _row(setting: Setting) -> str:
    flag = f"{setting.flag}`, `--no-{setting.flag.removeprefix('--')}" if setting.is_switch else setting.flag
    default = "none" if setting.default is None else f"`{setting.show(setting.default)}`"
    cells = (f"`{setting.name}`", f"`{flag}`", f"`{setting.environment}`", default, setting.help, setting.kind.may_be)
    return f"| {' | '.join(cells)} |"


def _errors() -> str:
    rows = "\n".join(map(_error_row, _leaves(OrynError)))
    return f"""# Errors

Made by `make docs` from `src/oryn/errors.py` and `src/oryn/research/failures.py`. Over HTTP a command that fails is
still status 200, with `ok: false` and the code in lower case as `error_kind`; another status means that the request was
not even tried. The exit code is that of a command line which ends with the error.

| code | what it means | exit code | HTTP status |
|---|---|---|---|
{rows}
"""


def _differences() -> str:
    rows = "\n".join(f"| `{each.form}` | {each.message} | {each.reason} |" for each in DIFFERENCES)
    return f"""# What remote mode does otherwise

Made by `make docs` from `src/oryn/browsers/extension/differences.py`; a test holds both modes to it. All other commands
answer the same in the user's own browser as in `headless`, byte for byte, as long as its window is as large and real
keys and mouse are allowed in the extension's popup. Paths of files, the mode and the time in `session`, and the hint
for closing the last tab are each mode's own.

| command | what remote mode answers | why |
|---|---|---|
{rows}
"""


def _leaves(error: type[OrynError]) -> Iterator[type[OrynError]]:
    """Every class with a code of its own, in the order of the tree."""
    for each in error.__subclasses__():
        if "code" in vars(each):
            yield each
        yield from _leaves(each)


def _error_row(error: type[OrynError]) -> str:
    told = (inspect.getdoc(error) if error.__doc__ and "__doc__" in vars(error) else None) or ""
    meaning = " ".join(told.split("\n\n")[0].split()) or error.advice or _words(error)
    return f"| `{error.code}` | {meaning} | {error.exit_code} | {error.http_status} |"


def _words(error: type[OrynError]) -> str:
    """`UnknownCommand` → `Unknown command.`"""
    return re.sub(r"(?<!^)(?=[A-Z])", " ", error.__name__).capitalize() + "."


if __name__ == "__main__":
    answered_as = runpy.run_path(str(HERE / "dialogues.py"))["answered_as"]
    for name, text in pages().items():
        file = HERE / name
        file.write_text(answered_as(text, file.read_text("utf-8")), "utf-8")
    page = HERE / "command-line.md"
    page.write_text(with_exit_codes(page.read_text("utf-8")), "utf-8")
