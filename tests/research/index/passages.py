"""Passages and vectors of one's own making."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from oryn.research.documents import Passage

MODEL = "5e" * 32
DIMENSIONS = 8
FERN = "https://botany.example/ferns"
MOSS = "https://botany.example/mosses"

TEXTS = {
    "fern-0": (FERN, "Ferns", "Ferns reproduce by spores, which grow in sori below the fronds."),
    "fern-1": (FERN, "Ferns", "The young frond unrolls; it is called a fiddlehead, and some are eaten."),
    "moss-0": (MOSS, "Mosses", "Mosses have spores too, in a capsule on a stalk."),
    "moss-1": (MOSS, "Mosses", "Peat is what becomes of mosses in bogs, where 37% of it stays for 1000 years."),
    "kana-0": ("https://botany.example/ja", "シダ", "シダ植物は胞子で増える。花は咲かない。"),
}


def passages() -> list[Passage]:
    return [Passage(id=key, url=url, title=title, text=text) for key, (url, title, text) in TEXTS.items()]


def axis(number: int) -> npt.NDArray[np.float32]:
    """A vector that is near the passage of that number, and to no other."""
    return np.eye(DIMENSIONS, dtype=np.float32)[number]


def vectors(number: int = len(TEXTS)) -> npt.NDArray[np.float32]:
    return np.eye(DIMENSIONS, dtype=np.float32)[:number]
