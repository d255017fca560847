"""When a film's pictures are shown. Pure."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

LONGEST_STILL = 1000
"""Milliseconds after which a picture that has not changed is shown again, so that players can seek in it."""

KEY_EVERY = 5000
"""Milliseconds between frames that can be decoded alone."""


@dataclass(frozen=True, slots=True)
class Taken:
    """A picture in the film's file, and when the page looked so (Unix time in seconds)."""

    start: int
    length: int
    time: float


@dataclass(frozen=True, slots=True)
class Shown:
    """A frame of the film."""

    picture: Taken
    milliseconds: int
    key: bool


def frames(taken: Sequence[Taken], ended: float) -> list[Shown]:
    """The frames of a film that lasts until `ended`; the first picture is there from its start."""
    shown: list[Shown] = []
    last_key = -KEY_EVERY
    for picture, milliseconds in _moments(taken, ended):
        if shown and milliseconds <= shown[-1].milliseconds:
            continue  # two pictures of one moment, or clocks that disagree
        key = milliseconds - last_key >= KEY_EVERY
        last_key = milliseconds if key else last_key
        shown.append(Shown(picture, milliseconds, key))
    return shown


def _moments(taken: Sequence[Taken], ended: float) -> Iterator[tuple[Taken, int]]:
    begun = taken[0].time
    for position, picture in enumerate(taken):
        at = round((picture.time - begun) * 1000)
        following = taken[position + 1].time if position + 1 < len(taken) else ended
        until = round((following - begun) * 1000)
        yield picture, at
        yield from ((picture, again) for again in range(at + LONGEST_STILL, until, LONGEST_STILL))
    yield taken[-1], round((ended - begun) * 1000)
