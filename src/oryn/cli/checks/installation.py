"""Checks of the installation: the package, its extras and their dependencies, the settings, the embedding model."""

from __future__ import annotations

import importlib
import re
import shlex
import shutil
import sys
import sysconfig
import tomllib
import warnings
from collections.abc import Iterator
from functools import cache
from importlib import metadata
from importlib.util import find_spec
from pathlib import Path
from typing import NamedTuple

from oryn import DISTRIBUTION, __version__
from oryn.cli.checks.finding import CheckResult
from oryn.errors import OrynError
from oryn.settings import Configuration
from oryn.system.optional_dependencies import PURPOSES, Extra, install_command

FORMER = "oryn"
"""A distribution of this name is another project's, or an old version of this one. Programs and modules of all three
have the same names."""

_ENTRY_MODULES: dict[Extra, str] = {
    "daemon": "oryn.daemon.server",
    "mcp": "oryn.mcp.stdio",
    "agent": "oryn.agent.runner.runner",
    "research": "oryn.research.process.handlers",
}
"""Modules that import the packages of an extra, as its commands do."""
_OPTIONAL_EXTRAS: tuple[Extra, ...] = ("playwright", "qdrant", "ray")
"""Extras that few users need. They take long to import, so they are only imported if a setting needs them."""


class Requirement(NamedTuple):
    """A required package, with its minimum or exact version."""

    name: str
    bound: str
    version: str
    extra: str | None

    @classmethod
    def read(cls, text: str) -> Requirement | None:
        """Parse a line of the metadata: `starlette>=0.46; extra == 'daemon'`."""
        found = re.match(r"([\w.-]+)(?:\[[^]]*\])?\s*(?:(>=|==)\s*([\w.]+))?", text)
        extra = re.search(r"extra\s*==\s*['\"]([\w-]+)['\"]", text)
        return cls(found[1], found[2] or ">=", found[3] or "0", extra[1] if extra else None) if found else None

    def takes(self, version: str) -> bool:
        """Whether the installed `version` satisfies the requirement."""
        have, wanted = _numbers(version), _numbers(self.version)
        return have == wanted if self.bound == "==" else have >= wanted


def package(_: Configuration) -> list[CheckResult]:
    """Check the package itself, its required dependencies, and conflicting installations."""
    found: list[CheckResult] = [("ok", f"oryn {__version__} at {Path(__file__).parents[2]}", "")]
    found += [("wrong", problem, _pip_command(f"--upgrade {DISTRIBUTION}")) for problem in _problems(None)]
    if _version(FORMER) is not None:
        again = _pip_command(f"--force-reinstall --no-deps {DISTRIBUTION}")
        problem = f"another distribution, {FORMER} {_version(FORMER)}, has programs and modules of the same names"
        found.append(("wrong", problem, f"{_python()} -m pip uninstall -y {FORMER} && {again}"))
    in_path, own = shutil.which("oryn"), Path(sysconfig.get_path("scripts"), "oryn")
    if in_path and own.exists() and not own.samefile(in_path):
        found.append(("warning", f"the oryn in PATH is another one: {in_path}, not {own}", f"Put {own.parent} first."))
    return found


def extra(name: Extra, configuration: Configuration) -> CheckResult:
    """Check whether the packages of an extra are installed and can be imported; else report what fails without it."""
    required = is_required(name, configuration)
    problems = _problems(name)
    if not problems and (required or name not in _OPTIONAL_EXTRAS):
        problems = _not_imported(name)
    if not problems:
        return "ok", f"for {PURPOSES[name]}", ""
    detail = f"{'; '.join(problems)}: fails: {PURPOSES[name]}"
    if required:
        return "missing", detail, _pip_command(install_command(name).removeprefix("pip install "))
    if name in _OPTIONAL_EXTRAS:
        return "ok", f"not installed; only for {PURPOSES[name]}", ""
    return "warning", detail, _pip_command(install_command(name).removeprefix("pip install "))


def plugins(_: Configuration) -> list[CheckResult]:
    """Import each installed plugin, and report its tools."""
    from oryn.plugins.registry import PluginFailure, entry_points, load_plugin

    found: list[CheckResult] = []
    for entry in entry_points():
        try:
            plugin = load_plugin(entry)
        except PluginFailure as failure:
            package = entry.dist.name if entry.dist is not None else entry.name
            found.append(("wrong", f"{entry.name}: {failure}", _pip_command(f"--upgrade {package}")))
        else:
            found.append(("ok", f"{plugin.id}: {', '.join(plugin.tools) or 'no tools'}", ""))
    return found or [("ok", "none installed", "")]


def search_providers(configuration: Configuration) -> list[CheckResult]:
    """Check the search providers: what each needs, and whether the selected one has it. No provider is requested."""
    if _problems("research"):
        return [("ok", "the providers of searches need the extra research", "")]
    from oryn.research.search import ALIASES, provider_table, sources_for

    settings = configuration.settings
    selected = sources_for(None, settings.search_provider).provider or ""
    rows: list[CheckResult] = []
    for entry in provider_table():
        missing = bool(entry.needs) and not getattr(settings, entry.needs)
        is_selected = ALIASES.get(selected.lower(), selected.lower()) == entry.name
        need = f"needs {entry.needs}, which is {'not set' if missing else 'set'}" if entry.needs else "needs nothing"
        detail = f"{entry.name}: {entry.searches or 'of another package'}; {need}"
        detail += "; search_provider" if is_selected else ""
        mend = f"Set {entry.needs}, or another search_provider." if missing and is_selected else ""
        rows.append(("warning" if mend else "ok", detail, mend))
    return rows


def is_required(name: Extra, configuration: Configuration) -> bool:
    """Whether the user needs an extra: every verb needs the daemon, and settings may need others."""
    settings = configuration.settings
    required = {
        "daemon": True,
        "embedded": settings.backend == "embedded",
        "encryption": settings.state_encryption != "off",
        "playwright": settings.backend == "playwright",
        "qdrant": str(settings.index or "").startswith(("http://", "https://")),
        "ray": settings.engine == "ray",
    }
    return required.get(name, False)


def configuration(configuration: Configuration) -> CheckResult:
    """Check the configuration file. A missing file is no problem."""
    file = configuration.paths.config_file
    return "ok", f"{file}" if file.is_file() else f"no {file}; the defaults apply", ""


@cache
def _requirements() -> tuple[Requirement, ...]:
    """The requirements of the installed package, or, in a clone that is not installed, those of its
    `pyproject.toml`."""
    try:
        lines = list(metadata.requires(DISTRIBUTION) or ())
    except metadata.PackageNotFoundError:
        lines = list(_pyproject_requirements())
    read = (Requirement.read(line) for line in lines)
    return tuple(each for each in read if each is not None and _normalized(each.name) != DISTRIBUTION)


def _pyproject_requirements() -> Iterator[str]:
    file = Path(__file__).parents[4] / "pyproject.toml"
    if file.is_file():
        project = tomllib.loads(file.read_text("utf-8"))["project"]
        yield from project["dependencies"]
        for extra, lines in project["optional-dependencies"].items():
            yield from (f"{line}; extra == '{extra}'" for line in lines)


def _problems(extra: Extra | None) -> list[str]:
    """The requirements of an extra that are missing or have a wrong version; None means the package itself."""
    problems = []
    for wanted in _requirements():
        if wanted.extra != extra:
            continue
        version = _version(wanted.name)
        if version is None:
            problems.append(f"{wanted.name} is not installed")
        elif not wanted.takes(version):
            problems.append(f"{wanted.name} is {version}, and {wanted.bound}{wanted.version} is needed")
    return problems


def _not_imported(extra: Extra) -> list[str]:
    """The installed packages of an extra that can't be imported."""
    modules = [_module(wanted.name) for wanted in _requirements() if wanted.extra == extra]
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        for module in (*filter(None, modules), *filter(None, [_ENTRY_MODULES.get(extra)])):
            try:
                importlib.import_module(module)
            except Exception as error:  # noqa: BLE001  somebody else's, and whatever it is, it is why a command fails
                name = (getattr(error, "name", None) or module).partition(".")[0]
                if isinstance(error, ModuleNotFoundError):
                    return [f"{name} is not installed"]
                return [f"{name} can't be imported ({type(error).__name__}: {str(error).partition(chr(10))[0]})"]
    return []


@cache
def _modules() -> dict[str, list[str]]:
    """The importable modules of each installed distribution."""
    found: dict[str, list[str]] = {}
    for module, names in metadata.packages_distributions().items():
        if module.isidentifier() and not module.startswith("_"):
            for name in names:
                found.setdefault(_normalized(name), []).append(module)
    return found


def _module(distribution: str) -> str | None:
    modules = _modules().get(_normalized(distribution), [])
    own = [module for module in modules if _normalized(module) == _normalized(distribution)]
    return next(iter([*own, *sorted(modules)]), None)


def _version(distribution: str) -> str | None:
    try:
        return metadata.version(distribution)
    except metadata.PackageNotFoundError:
        return None


def _normalized(name: str) -> str:
    return re.sub(r"[-_.]+", "-", name).lower()


def _numbers(version: str) -> tuple[int, ...]:
    """The version's numbers, padded so that `1.0` and `1.0.0` are equal. A suffix (`rc1`, `.post1`) is ignored."""
    found = re.match(r"\d+(?:\.\d+)*", version)
    numbers = tuple(map(int, found[0].split("."))) if found else ()
    return numbers + (0,) * (6 - len(numbers))


def _pip_command(words: str) -> str:
    """The command that installs packages into the environment of this process."""
    ensured = "" if find_spec("pip") else f"{_python()} -m ensurepip && "
    return f"{ensured}{_python()} -m pip install {words}"


def _python() -> str:
    return shlex.quote(sys.executable)


def embedding(configuration: Configuration) -> CheckResult:
    """Load the model and embed a text: only that proves that it works here."""
    try:
        from oryn.research.embedding import Embedder
    except ImportError:
        return "ok", "none is needed without the extra research", ""
    folder = configuration.settings.embedding_model
    try:
        Embedder.load(folder).embed(["fern"])
    except OrynError as error:
        return "missing", error.message, error.hint or ""
    return "ok", f"the one in {folder}" if folder else "all-MiniLM-L6-v2, for research", ""
