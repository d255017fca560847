"""The first answer of an engine's process: `ready oryn-h v0.1.0 protocol=2` (seed 000 §4.3, §6.4). Pure."""

from __future__ import annotations

import re

from oryn import DISTRIBUTION, PROTOCOL_VERSION
from oryn.errors import EngineFailed, ProtocolMismatch
from oryn.records import Record

_READY = re.compile(r"ready (\S+) v(\S+)((?: [\w-]+=\S*)*)")
_PROTOCOL = re.compile(r" protocol=([0-9]{1,9})(?= |$)", re.ASCII)
_LONGEST_LINE = 4096
_SHOWN = 200


class Ready(Record):
    """`engine` is the seed's name of the mode: `oryn-h`, `oryn-e`, `oryn-r`."""

    engine: str
    version: str
    protocol: int


def read_ready(payload: str) -> Ready:
    """What the first answer says. Raises `EngineFailed` where it is none of an engine, and `ProtocolMismatch` where
    the engine lacks what this library requires; a newer one is welcome."""
    match = _READY.fullmatch(payload)
    if match is None:
        raise _no_engine(payload)
    engine, version, fields = match.groups()
    given = _PROTOCOL.search(fields)
    if given is None and " protocol=" in fields:
        raise _no_engine(payload)
    protocol = int(given[1]) if given else 1
    if protocol < PROTOCOL_VERSION:
        raise ProtocolMismatch(
            f"{engine} {version} speaks protocol {protocol}, and this library requires {PROTOCOL_VERSION} or later",
            f"Update the engine: pip install --upgrade {DISTRIBUTION}",
        )
    return Ready(engine, version, protocol)


def check_beginning(unfinished: bytes) -> None:
    """The beginning of a first answer, as soon as it can be told. Raises `EngineFailed`: another program may never
    write what ends an answer."""
    line, end, _ = unfinished.partition(b"\n")
    if (end or len(line) > _LONGEST_LINE) and not line.startswith(b"ready "):
        raise _no_engine(line[:_LONGEST_LINE].decode("utf-8", "replace"))


def _no_engine(said: str) -> EngineFailed:
    return EngineFailed(
        f"the program is no Oryn engine: it said {said.strip()[:_SHOWN]!r} and not 'ready …'",
        "Say which program it is: Oryn(binary=…).",
    )
