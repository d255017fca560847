"""The software bill of materials of a release, as CycloneDX 1.6 JSON (https://cyclonedx.org/docs/1.6/json/).

Its components are what the parts of a release bring: the Python packages of `oryn-browser[all]` in the versions of the
environment that builds and tests the release, the npm packages that the clients need, and what is inside the
extension. It has no time and no random number: the same contents give the same bytes."""

from __future__ import annotations

import hashlib
import json
import re
import uuid
from collections.abc import Iterator
from importlib import metadata
from pathlib import Path
from typing import Any

from cyclonedx.model import Property
from cyclonedx.model.bom import Bom
from cyclonedx.model.component import Component, ComponentType
from cyclonedx.model.license import DisjunctiveLicense, License, LicenseExpression
from cyclonedx.output.json import JsonV1Dot6
from license_expression import ExpressionError, get_spdx_licensing
from packageurl import PackageURL
from packaging.requirements import Requirement

from oryn import DISTRIBUTION, __version__

PROJECT = Path(__file__).parent.parent
NPM_PACKAGES = (PROJECT / "clients" / "typescript", PROJECT / "clients" / "plugin-kit")
EXTENSION_PACKAGES = PROJECT / "tests" / "pyodide"
BUNDLED = "pyyaml"
"""The Python package in the extension."""
PART = "oryn:part"
"""The property that says for which part of the release a component is."""


def write_sbom(out: Path) -> None:
    """Write the bill of materials."""
    bom = Bom(serial_number=uuid.UUID(int=0))
    bom.metadata.component = Component(
        name=DISTRIBUTION,
        version=__version__,
        type=ComponentType.APPLICATION,
        licenses=[LicenseExpression("Apache-2.0")],
        purl=PackageURL("pypi", name=DISTRIBUTION, version=__version__),
        bom_ref=f"pkg:pypi/{DISTRIBUTION}@{__version__}",
    )
    components = [*_python_components(), *_npm_components()]
    for component in components:
        bom.components.add(component)
    bom.register_dependency(bom.metadata.component, components)
    text = JsonV1Dot6(bom).output_as_string(indent=2)
    document = json.loads(text)
    del document["metadata"]["timestamp"]
    digest = hashlib.sha256(json.dumps(document, sort_keys=True).encode()).digest()
    document["serialNumber"] = uuid.UUID(bytes=digest[:16], version=4).urn
    out.write_text(json.dumps(document, indent=2) + "\n", "utf-8")


def _python_components() -> Iterator[Component]:
    for name in sorted(_closure()):
        try:
            about = metadata.metadata(name)
        except metadata.PackageNotFoundError:  # of another system
            continue
        licence = (
            (about["License-Expression"] if "License-Expression" in about else None)
            or _classified(about.get_all("Classifier") or [])
            or _short(about)
        )
        parts = ["python", "extension"] if name == BUNDLED else ["python"]
        yield _component("pypi", str(about["Name"]), str(about["Version"]), licence, parts)


def _closure() -> set[str]:
    """The names of all packages that `oryn-browser[all]` requires, directly or not."""
    found: set[str] = set()
    waiting = [(DISTRIBUTION, frozenset({"all"}))]
    seen = set(waiting)
    while waiting:
        name, extras = waiting.pop()
        try:
            lines = metadata.requires(name) or []
        except metadata.PackageNotFoundError:
            continue
        for line in lines:
            requirement = _read(line, extras)
            if requirement is None:
                continue
            if requirement[0] != DISTRIBUTION:
                found.add(requirement[0])
            if requirement not in seen:
                seen.add(requirement)
                waiting.append(requirement)
    return found


def _read(line: str, extras: frozenset[str]) -> tuple[str, frozenset[str]] | None:
    """The name and the extras of a requirement, or None if its marker does not hold here with these extras."""
    requirement = Requirement(line)
    holds = requirement.marker is None or any(
        requirement.marker.evaluate({"extra": extra}) for extra in ("", *sorted(extras))
    )
    return (re.sub(r"[-_.]+", "-", requirement.name).lower(), frozenset(requirement.extras)) if holds else None


def _npm_components() -> Iterator[Component]:
    parts: dict[tuple[str, str, str], list[str]] = {}
    for folder in (*NPM_PACKAGES, EXTENSION_PACKAGES):
        lock = json.loads((folder / "package-lock.json").read_text("utf-8"))
        if folder == EXTENSION_PACKAGES:  # its build copies files of these alone, not of what they need in Node
            part, wanted = "extension", {f"node_modules/{name}" for name in lock["packages"][""]["dependencies"]}
        else:
            part, wanted = folder.name, {place for place, package in lock["packages"].items() if _is_shipped(package)}
        for place in wanted - {""}:
            package = lock["packages"][place]
            name = place.rpartition("node_modules/")[2]
            parts.setdefault((name, package["version"], package.get("license", "")), []).append(part)
    for (name, version, licence), of in sorted(parts.items()):
        yield _component("npm", name, version, licence, of)


def _is_shipped(package: dict[str, Any]) -> bool:
    return not any(package.get(kind) for kind in ("dev", "devOptional", "peer"))


def _component(kind: str, name: str, version: str, licence: str, parts: list[str]) -> Component:
    namespace, _, last = name.rpartition("/")
    purl = PackageURL(kind, namespace=namespace or None, name=last, version=version)
    return Component(
        name=name,
        version=version,
        type=ComponentType.LIBRARY,
        licenses=[_license(licence)] if licence else [],
        purl=purl,
        bom_ref=purl.to_string(),
        properties=[Property(name=PART, value=part) for part in parts],
    )


def _license(text: str) -> License | LicenseExpression:
    """An SPDX expression, or if it is none, the words of the package."""
    try:
        get_spdx_licensing().parse(text, validate=True)
    except ExpressionError:
        return DisjunctiveLicense(name=text)
    return LicenseExpression(text)


def _short(about: Any) -> str:
    """The free text of old metadata, unless it is the licence itself."""
    text = str(about.get("License") or "").strip()
    return "" if "\n" in text or len(text) > 80 else text


def _classified(classifiers: list[str]) -> str:
    names = [each.rpartition(" :: ")[2] for each in classifiers if each.startswith("License :: ")]
    return " and ".join(sorted(set(names) - {"OSI Approved"}))
