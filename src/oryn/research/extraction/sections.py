"""The sections of a page: what its headings divide, wherever they stand in the tree of elements.

A segment belongs to the section of the last heading before it. That of a heading is within the section of the last
heading of a higher level."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from oryn.research.extraction.layout import MEASURES, Floats, Integers, PageLayout

_HEADING = MEASURES.index("heading")
_CHARACTERS = MEASURES.index("characters")
LEVELS = tuple(f"h{level}" for level in range(1, 7))
MAX_DISTANCE = 200


class PageSections:
    """The sections of a page. For each segment, `heading` is the segment that is the heading it stands under, `higher`
    the heading which that one stands under (−1 if there is none), and `number` counts the sections."""

    def __init__(self, layout: PageLayout) -> None:
        count = len(layout.own)
        is_heading = layout.measures[:, _HEADING] > 0
        levels = np.zeros(count, dtype=np.int32)
        for level, name in reversed(list(enumerate(LEVELS, 1))):
            levels[layout.has(name)[layout.own]] = level
        heading, higher = [-1] * count, [-1] * count
        open_: list[tuple[int, int]] = []
        ranks = levels.tolist()
        for at, begins in enumerate(is_heading.tolist()):
            if begins:
                while open_ and open_[-1][0] >= ranks[at]:
                    open_.pop()
            heading[at] = open_[-1][1] if open_ else -1
            higher[at] = open_[-2][1] if len(open_) > 1 else -1
            if begins:
                open_.append((ranks[at], at))
        self._layout = layout
        self._levels = levels
        self.heading: Integers = np.array(heading, dtype=np.int32)
        self.higher: Integers = np.array(higher, dtype=np.int32)
        self.number: npt.NDArray[np.int64] = np.cumsum(is_heading)

    def scores(self, of_headings: npt.NDArray[np.float64], of_higher: npt.NDArray[np.float64]) -> Floats:
        """Scores of texts, as those of the headings above each segment; 0 if there is none."""
        return np.column_stack(
            [
                np.where(self.heading < 0, 0, of_headings[self.heading]),
                np.where(self.higher < 0, 0, of_higher[self.higher]),
            ]
        ).astype(np.float32)

    def places(self) -> Floats:
        """Where each segment stands in its section: the distance to the heading, whether each of three elements around
        the heading has it, the heading's level, and the section's segments and characters."""
        layout, heading = self._layout, self.heading
        place = np.arange(len(heading))
        distance = np.where(heading < 0, MAX_DISTANCE, np.minimum(place - heading, MAX_DISTANCE))
        columns = [np.log1p(distance)]
        around = layout.wider[layout.own[heading]]
        for _ in range(3):
            columns.append((heading >= 0) & (place < layout.ends[around]))
            around = layout.wider[around]
        columns.append(np.where(heading < 0, 0, self._levels[heading]))
        sizes = np.bincount(self.number, minlength=1)
        characters = np.bincount(self.number, weights=layout.measures[:, _CHARACTERS], minlength=1)
        columns += [np.log1p(sizes[self.number]), np.log1p(characters[self.number])]
        return np.column_stack(columns).astype(np.float32)

    def of_probabilities(self, probabilities: Floats) -> Floats:
        """The probabilities of the headings above each segment, and their means in its section and in those beside
        it."""
        characters = self._layout.measures[:, _CHARACTERS].astype(np.float64)
        sizes = np.maximum(np.bincount(self.number), 1)
        weighed = np.bincount(self.number, weights=probabilities * characters)
        means = np.bincount(self.number, weights=probabilities) / sizes
        by_characters = weighed / np.maximum(np.bincount(self.number, weights=characters), 1)
        padded = np.concatenate([[0.0], by_characters, [0.0]])
        return np.column_stack(
            [
                np.where(self.heading < 0, -1, probabilities[self.heading]),
                np.where(self.higher < 0, -1, probabilities[self.higher]),
                means[self.number],
                by_characters[self.number],
                padded[self.number],
                padded[self.number + 2],
            ]
        ).astype(np.float32)
