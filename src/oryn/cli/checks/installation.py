"""What is installed: the package, its extras with what they depend on, and the settings that hold."""

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
from oryn.cli.checks.finding import Found
from oryn.extras import PURPOSES, Extra, installation
from oryn.settings import Configuration

FORMER = "oryn"
"""A distribution of this name is another project's, or this one's before it was called otherwise; the programs and the
modules of all three are called the same."""

_DOORS: dict[Extra, str] = {
    "daemon": "oryn.daemon.serving",
    "mcp": "oryn.mcp.stdio",
    "agent": "oryn.host.agent.hosting",
    "research": "oryn.research.requests",
}
"""What imports the packages of an extra, as its commands do."""
_SELDOM: tuple[Extra, ...] = ("qdrant", "ray")
"""What most people never need; they take long to be imported, so they are only where a setting asks for them."""


class Requirement(NamedTuple):
    """A package that has to be there, in a version that is high enough, or exactly that one."""

    name: str
    bound: str
    version: str
    extra: str | None

    @classmethod
    def read(cls, text: str) -> Requirement | None:
        """From a line of the metadata: `starlette>=0.46; extra == 'daemon'`."""
        found = re.match(r"([\w.-]+)(?:\[[^]]*\])?\s*(?:(>=|==)\s*([\w.]+))?", text)
        extra = re.search(r"extra\s*==\s*['\"]([\w-]+)['\"]", text)
        return cls(found[1], found[2] or ">=", found[3] or "0", extra[1] if extra else None) if found else None

    def takes(self, version: str) -> bool:
        have, wanted = _numbers(version), _numbers(self.version)
        return have == wanted if self.bound == "==" else have >= wanted


def package(_: Configuration) -> list[Found]:
    """The package itself, what it can't do without, and what stands in its way."""
    found: list[Found] = [("ok", f"oryn {__version__} at {Path(__file__).parents[2]}", "")]
    found += [("wrong", told, _pip(f"--upgrade {DISTRIBUTION}")) for told in _problems(None)]
    if _version(FORMER) is not None:
        again = _pip(f"--force-reinstall --no-deps {DISTRIBUTION}")
        told = f"another distribution, {FORMER} {_version(FORMER)}, has programs and modules of the same names"
        found.append(("wrong", told, f"{_python()} -m pip uninstall -y {FORMER} && {again}"))
    in_path, own = shutil.which("oryn"), Path(sysconfig.get_path("scripts"), "oryn")
    if in_path and own.exists() and not own.samefile(in_path):
        found.append(("warning", f"the oryn in PATH is another one: {in_path}, not {own}", f"Put {own.parent} first."))
    return found


def extra(name: Extra, configuration: Configuration) -> Found:
    """One extra: whether all that it brings is there and can be imported; else what fails without it."""
    is_asked_for = is_wanted(name, configuration)
    problems = _problems(name)
    if not problems and (is_asked_for or name not in _SELDOM):
        problems = _not_imported(name)
    if not problems:
        return "ok", f"for {PURPOSES[name]}", ""
    told = f"{'; '.join(problems)}: fails: {PURPOSES[name]}"
    if is_asked_for:
        return "missing", told, _pip(installation(name).removeprefix("pip install "))
    if name in _SELDOM:
        return "ok", f"not installed; only for {PURPOSES[name]}", ""
    return "warning", told, _pip(installation(name).removeprefix("pip install "))


def is_wanted(name: Extra, configuration: Configuration) -> bool:
    """Whether the user can't do without an extra: every verb needs the daemon, and a setting may ask for others."""
    settings = configuration.settings
    asked = {
        "daemon": True,
        "encryption": settings.state_encryption != "off",
        "qdrant": str(settings.index or "").startswith(("http://", "https://")),
        "ray": settings.engine == "ray",
    }
    return asked.get(name, False)


def configuration(configuration: Configuration) -> Found:
    file = configuration.paths.config_file
    return "ok", f"{file}" if file.is_file() else f"no {file}; the defaults hold", ""


@cache
def _requirements() -> tuple[Requirement, ...]:
    """Those of the installed package; of a clone that is not installed, those of its `pyproject.toml`."""
    try:
        lines = list(metadata.requires(DISTRIBUTION) or ())
    except metadata.PackageNotFoundError:
        lines = list(_declared())
    read = (Requirement.read(line) for line in lines)
    return tuple(each for each in read if each is not None and _normal(each.name) != DISTRIBUTION)


def _declared() -> Iterator[str]:
    file = Path(__file__).parents[4] / "pyproject.toml"
    if file.is_file():
        project = tomllib.loads(file.read_text("utf-8"))["project"]
        yield from project["dependencies"]
        for extra, lines in project["optional-dependencies"].items():
            yield from (f"{line}; extra == '{extra}'" for line in lines)


def _problems(extra: Extra | None) -> list[str]:
    """What the extra wants and has not."""
    told = []
    for wanted in _requirements():
        if wanted.extra != extra:
            continue
        version = _version(wanted.name)
        if version is None:
            told.append(f"{wanted.name} is not installed")
        elif not wanted.takes(version):
            told.append(f"{wanted.name} is {version}, and {wanted.bound}{wanted.version} is needed")
    return told


def _not_imported(extra: Extra) -> list[str]:
    """What is installed and does not work all the same."""
    modules = [_module(wanted.name) for wanted in _requirements() if wanted.extra == extra]
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        for module in (*filter(None, modules), *filter(None, [_DOORS.get(extra)])):
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
    """Of each distribution that is installed, what it is imported as."""
    found: dict[str, list[str]] = {}
    for module, names in metadata.packages_distributions().items():
        if module.isidentifier() and not module.startswith("_"):
            for name in names:
                found.setdefault(_normal(name), []).append(module)
    return found


def _module(distribution: str) -> str | None:
    modules = _modules().get(_normal(distribution), [])
    own = [module for module in modules if _normal(module) == _normal(distribution)]
    return next(iter([*own, *sorted(modules)]), None)


def _version(distribution: str) -> str | None:
    try:
        return metadata.version(distribution)
    except metadata.PackageNotFoundError:
        return None


def _normal(name: str) -> str:
    return re.sub(r"[-_.]+", "-", name).lower()


def _numbers(version: str) -> tuple[int, ...]:
    """`1.0` and `1.0.0` are one; what follows the numbers (`rc1`, `.post1`) does not count."""
    found = re.match(r"\d+(?:\.\d+)*", version)
    numbers = tuple(map(int, found[0].split("."))) if found else ()
    return numbers + (0,) * (6 - len(numbers))


def _pip(words: str) -> str:
    """The command that installs into the environment of this very process."""
    ensured = "" if find_spec("pip") else f"{_python()} -m ensurepip && "
    return f"{ensured}{_python()} -m pip install {words}"


def _python() -> str:
    return shlex.quote(sys.executable)
