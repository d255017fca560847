"""Splits text into sentences.

The rules are those of `sentencex` (Wikimedia; abbreviations, initials, numbers, quotes and full stops of some 300
languages). Added here: a line ends a sentence, and characters that the library can't handle are replaced."""

from __future__ import annotations

import re

_LINE = re.compile(r"[^\n\r\v\f\x85\u2028\u2029]+")
_SPACE = re.compile(r"\s")
_SURROGATE = re.compile("[\ud800-\udfff]")


def sentences(text: str, language: str = "en") -> list[tuple[int, int]]:
    """The offsets of each sentence (begin, end), in order and without the white space around it; all text but white
    space is in one. `language` is a code (`en`, `pt-BR`); an unsupported one is treated as English."""
    return [span for line in _LINE.finditer(text) for span in _of_line(line.group(), line.start(), language or "en")]


def _of_line(line: str, offset: int, language: str) -> list[tuple[int, int]]:
    spans = []
    for begin, end in _boundaries(line, language):
        piece = line[begin:end]
        if bare := piece.strip():
            start = offset + begin + len(piece) - len(piece.lstrip())
            spans.append((start, start + len(bare)))
    return spans


def _boundaries(line: str, language: str) -> list[tuple[int, int]]:
    from sentencex import get_sentence_boundaries

    # Lone surrogates have no UTF-8, and sentencex 1.0.32 panics at an initial after a no-break space.
    readable = _SURROGATE.sub("?", _SPACE.sub(" ", line))
    try:
        found = get_sentence_boundaries(language, readable)
    except BaseException as error:
        # A panic of the library is no Exception; what a page says must not end us, so such a line is one sentence.
        if type(error).__name__ != "PanicException":
            raise
        return [(0, len(line))]
    return [(each["start_index"], each["end_index"]) for each in found]
