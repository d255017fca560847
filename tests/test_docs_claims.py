"""What the pages claim is so: the modes, commands, options, settings, variables, codes, addresses and files that
they name are there, their links lead somewhere, and what is said to be missing is missing. Each test holds one kind of
claim, on every page."""

from __future__ import annotations

import ast
import importlib
import re
from functools import cache

import click
import pytest

from oryn.cli.app import COMMANDS as OWN
from oryn.cli.app import app
from oryn.cli.fast.commands import SHORTCUTS
from oryn.cli.fast.main import ANSWER_OPTIONS
from oryn.daemon.request.command import mode_of
from oryn.errors import EXIT_CODES, NotSupported
from oryn.language import COMMANDS, api_vocabulary
from oryn.language.argv import TARGET_OPTIONS
from oryn.language.commands.host import HOST_COMMANDS
from oryn.language.commands.research import RESEARCH_COMMANDS
from oryn.settings import SETTINGS
from tests.pages import (
    PAGES,
    PROJECT,
    anchors_of,
    code_of,
    errors,
    is_in_the_code,
    modules,
    source,
    spans_of,
    text_of,
    words_of_the_code,
)

# --- modes ---

MODES = ("headless", "embedded", "playwright", "remote", "extension")
_NAMED = re.compile(
    r"""--(?:backend|mode)[ =]([a-z]+)\b(?!\|)|backend["']?[=:] ?["']?([a-z]+)|\bmode:? [`"']{1,2}([a-z]+)[`"']"""
    r"""|\bOryn\(["']([a-z]+)["']|`mode` (?:is|\|) ([^;\n]*)"""
)
_MISSING = re.compile(r"\b(?:to come|not supported|NotSupported)\b")


def is_there(mode: str) -> bool:
    try:
        return mode_of(mode) is not None
    except NotSupported:
        return False


def test_modes_that_are_named_exist_or_are_said_to_be_missing() -> None:
    wrong = []
    for page in PAGES:
        for paragraph in re.split(r"\n\s*\n|\n(?=\| )", text_of(page)):
            named = {name for groups in _NAMED.findall(paragraph) for name in re.findall("[a-z]+", " ".join(groups))}
            if any(not is_there(name) for name in named & set(MODES)) and not _MISSING.search(paragraph):
                wrong.append(f"{page.name}: {paragraph}")
    assert not wrong


def test_modes_that_are_said_to_be_missing_are_missing() -> None:
    wrong = []
    for page in PAGES:
        for clause in re.split(r"[.;:|]\s|\n\n", text_of(page)):
            if re.search(r"\b(?:is|are) (?:still )?to come\b|\bnot there yet\b|\bnot yet supported\b", clause):
                told = [name for name in MODES if re.search(rf"[`\"]{name}[`\"]", clause)]
                wrong += [f"{page.name}: {clause}" for name in told if is_there(name)]
    assert not wrong


def test_nothing_else_is_promised() -> None:
    """A page says what there is. The one thing that is named before it exists is a mode."""
    promise = re.compile(r"\bcoming soon\b|\bplanned for\b|\bin a later version\b|\bTODO\b|\bTBD\b|\bnot implemented\b")
    assert not [f"{page.name}: {found[0]}" for page in PAGES for found in promise.finditer(text_of(page))]


# --- exit codes, and codes of errors ---


def test_every_exit_code_of_the_tree_is_in_the_table() -> None:
    used = {error.exit_code for error in errors()}
    assert used <= set(EXIT_CODES)
    assert set(EXIT_CODES) - used == {0, 130}, "no error: all went well, or Ctrl-C"


def test_exit_codes_that_are_named_exist() -> None:
    for page in PAGES:
        for code in re.findall(r"\bexit code (?:is )?(\d+)\b", text_of(page)):
            assert int(code) in EXIT_CODES, f"{page.name}: {code}"


def test_codes_of_errors_have_the_exit_code_that_pages_say() -> None:
    """`docs/vault.md` has a table of errors with one exit code for all."""
    codes = {error.code: error for error in errors()}
    for page in PAGES:
        for number, table in re.findall(r"\(exit code (\d+)\)[^\n]*\n\|[-|]+\n((?:\|.*\n)+)", text_of(page)):
            for code in re.findall(r"^\| `([A-Z_]+)`", table, re.MULTILINE):
                assert codes[code].exit_code == int(number), f"{page.name}: {code}"


FOREIGN_NAMES = {
    *("connect_over_cdp", "file_policy", "get_by_label", "get_by_text", "hf_xet", "huggingface_hub"),
    *("record_video_dir", "self_cell", "url_policy", "pg_dump"),
    *("OTEL_EXPORTER_OTLP_HEADERS", "OTEL_TRACES_SAMPLER", "OTEL_RESOURCE_ATTRIBUTES"),
    # Prometheus adds the suffix of a metric's kind.
    *("oryn_build_info", "oryn_commands_total"),
}
"""Of other programs and libraries."""


@pytest.mark.slow
def test_names_in_snake_case_are_names_of_the_code() -> None:
    """Codes of errors, settings, variables, functions, fields of JSON."""
    known = words_of_the_code() | {error.code.lower() for error in errors()} | FOREIGN_NAMES
    known |= {setting.environment for setting in SETTINGS.values()}
    shape = re.compile(r"[a-z]+(?:_[a-z]+)+|[A-Z]+(?:_[A-Z]+)+")
    named = [(page, span) for page in PAGES for span in spans_of(page) if shape.fullmatch(span)]
    assert not [f"{page.name}: {name}" for page, name in named if name not in known]


# --- commands, options, settings ---

FOREIGN_FLAGS = {
    "--remote-debugging-port", "--user-data-dir", "--webrtc-ip-handling-policy", "--host-resolver-rules",
    "--shm-size", "--head", "--address", "--build-arg", "--detach", "--env", "--file", "--interactive", "--name",
    "--publish", "--rm", "--security-opt", "--tag", "--volume", "--header", "--user", "--automation",
    "--filename", "--kustomize", "--namespace", "--enable-cdp", "--session-timeout",
}  # fmt: skip
"""Of other programs that pages call."""
TRANSLATED_FLAGS = {"--network-idle", "--ms", "--new-tab"}
"""Of `oryn.daemon.vocabulary.translate_words`."""
EXAMPLES = {"--plant", "--search", "--force"}
"""Parameters of intents, and a text that is typed."""


@cache
def commands() -> dict[str, click.Command]:
    """Those of the command line's own."""
    context = click.Context(app)
    found = {name: app.get_command(context, name) for name in OWN}
    return {name: command for name, command in found.items() if command is not None}


def subcommands(name: str) -> dict[str, click.Command]:
    command = commands().get(name)
    return command.commands if isinstance(command, click.Group) else {}


@cache
def flags() -> set[str]:
    """Every option: of settings, of the command line's commands, of the language's."""
    found = {"--help", "--version", *ANSWER_OPTIONS}
    for setting in SETTINGS.values():
        found |= {setting.flag, f"--no-{setting.flag.removeprefix('--')}"}
    for command in (app, *commands().values(), *(each for name in OWN for each in subcommands(name).values())):
        found |= {option for parameter in command.params for option in (*parameter.opts, *parameter.secondary_opts)}
    for line in (*COMMANDS, *HOST_COMMANDS, *RESEARCH_COMMANDS):
        for name, option in line.spec.options.items():
            found |= {f"--{each.replace('_', '-')}" for each in (name, *option.aliases)}
    return found | {f"--{name}" for name in TARGET_OPTIONS}


FOREIGN_PROGRAMS = ("docker ", "openssl ", "benchmarks/", "python -m benchmarks.", "CONTENT_ARGUMENTS=", "uvx ")


def test_options_that_are_named_exist() -> None:
    known = flags() | FOREIGN_FLAGS | TRANSLATED_FLAGS | EXAMPLES
    wrong = []
    for page in PAGES:
        for code in code_of(page):
            if not code.startswith(FOREIGN_PROGRAMS):
                named = set(re.findall(r"(?<![\w-])--[a-z][a-z-]*[a-z]", code))
                wrong += [f"{page.name}: {flag} in {code}" for flag in named - known]
    assert not wrong


def test_commands_that_are_named_exist() -> None:
    shape = re.compile(r"(?:^|[$(|;&] ?)oryn ((?:--[\w-]+(?:[ =][\w.:/-]+)? )*[a-z][\w-]*(?: [a-z][\w-]*)?)")
    wrong = []
    for page in PAGES:
        for code in code_of(page):
            for words in shape.findall(code):
                plain = [word for word in words.split() if not word.startswith("--")]
                named = next(
                    (
                        word
                        for word in plain
                        if word in OWN or word in SHORTCUTS or word in api_vocabulary().verbs or word == "help"
                    ),
                    "",
                )
                below = plain[plain.index(named) + 1 :][:1] if named else []
                # What is misspelt on purpose stands with the error that it gives.
                if not named and f"{code}\nerror: unknown command" not in text_of(page) and "clik" not in plain:
                    wrong.append(f"{page.name}: {code}")
                if below and subcommands(named) and below[0] not in subcommands(named):
                    wrong.append(f"{page.name}: {code}")
    assert not wrong


def test_variables_that_are_named_exist() -> None:
    known = words_of_the_code() | {setting.environment for setting in SETTINGS.values()}
    for page in PAGES:
        for name in re.findall(r"\bORYN_[A-Z][A-Z_]*[A-Z]\b", text_of(page)):
            assert name in known, f"{page.name}: {name}"


def test_defaults_that_are_told_are_those_of_the_settings() -> None:
    told = [(page, *each) for page in PAGES for each in re.findall(r"`([a-z_]+)` \((\d[\d,]*)\)", text_of(page))]
    numbers = [(page, name, int(number.replace(",", ""))) for page, name, number in told if name in SETTINGS]
    assert numbers
    assert not [f"{page.name}: {name}" for page, name, number in numbers if SETTINGS[name].default != number]


def test_targets_of_make_exist() -> None:
    targets = re.findall(r"^([a-z][\w-]*):", text_of(PROJECT / "Makefile"), re.MULTILINE)
    for page in PAGES:
        for code in code_of(page):
            for target in re.findall(r"^make (?:-s )?([a-z][\w-]*)", code):
                assert target in targets, f"{page.name}: {code}"


# --- the daemon's addresses, files, modules, links ---


@cache
def routes() -> set[str]:
    found = set()
    for name in (each for each in modules() if each.startswith("oryn.daemon")):
        for written in re.findall(r'\b(?:WebSocket)?Route\(\s*(f?"[^"]+"|[A-Z_]+\b)', source(name)):
            is_constant = not written.endswith('"')
            found.add(getattr(importlib.import_module(name), written) if is_constant else written.strip('f"'))
    return found


def test_addresses_of_the_daemon_exist() -> None:
    known = [re.sub(r"\\{\w+\\}", "[^/]+", re.escape(route)) for route in routes()]
    told = set()
    for page in ("daemon.md", "spec/daemon-protocol.md", "live-page.md", "mcp.md", "research.md", "remote.md"):
        told |= set(re.findall(r"`(?:GET |POST |DELETE |WS |)(/[a-z][^`?\s]*)[^`]*`", text_of(PROJECT / "docs" / page)))
    assert len(told) > 10
    assert not {address for address in told if not any(re.fullmatch(route, address) for route in known)}


def test_files_of_the_project_that_are_named_exist() -> None:
    path = re.compile(r"(?:src|tests|docs|scripts|setup|benchmarks|clients|extension|examples)/[\w./*-]*")
    named = [(page, found[0]) for page in PAGES for span in spans_of(page) if (found := path.match(span))]
    assert len(named) > 20
    assert not [f"{page.name}: {file}" for page, file in named if not list(PROJECT.glob(file.rstrip("/.")))]


FOREIGN_TO_MODULES = {"oryn.verb", "oryn.session", "oryn.action_id", "oryn.backend", "oryn.example.org"}
"""Attributes of spans, and a host."""


def test_modules_that_are_named_exist() -> None:
    shape = re.compile(r"oryn(?:\.[a-z_]+)+(?:\.[A-Za-z_]+)?")
    named = [(page, span) for page in PAGES for span in spans_of(page) if shape.fullmatch(span)]
    files = (".ts", ".js", ".oil")
    modules = [(page, name) for page, name in named if not name.endswith(files) and name not in FOREIGN_TO_MODULES]
    assert not [f"{page.name}: {name}" for page, name in modules if not is_in_the_code(name)]


def test_what_programs_on_pages_import_exists() -> None:
    for page in PAGES:
        for program in re.findall(r"^```python\n(.*?)^```$", text_of(page), re.MULTILINE | re.DOTALL):
            for node in ast.walk(ast.parse(program)):
                if isinstance(node, ast.ImportFrom) and (node.module or "").partition(".")[0] == "oryn":
                    module = importlib.import_module(node.module or "")
                    assert all(hasattr(module, alias.name) for alias in node.names), f"{page.name}: {node.module}"


def test_links_lead_somewhere() -> None:
    wrong = []
    for page in PAGES:
        for target in re.findall(r"\]\(([^)\s]+)\)|<img src=\"([^\"]+)\"", text_of(page)):
            path, _, anchor = "".join(target).partition("#")
            if "://" not in path:
                file = page.parent / path if path else page
                if not file.exists() or (anchor and file.suffix == ".md" and anchor not in anchors_of(file)):
                    wrong.append(f"{page.name}: {''.join(target)}")
    assert not wrong
