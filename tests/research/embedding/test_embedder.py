"""The embedder, with the real model: agreement with sentence-transformers, and every kind of text."""

from __future__ import annotations

import json
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from oryn.research.embedding import Embedder

HERE = Path(__file__).parent
TEXTS: list[str] = json.loads((HERE / "texts.json").read_text())
VECTORS = np.load(HERE / "vectors.npy").astype(np.float32)
"""What sentence-transformers 5 makes of them with the model's own weights (float32), kept as float16."""


def cosines(one: np.ndarray, other: np.ndarray) -> np.ndarray:
    lengths = np.linalg.norm(one, axis=-1) * np.linalg.norm(other, axis=-1)
    return np.asarray((one * other).sum(axis=-1) / lengths)


@pytest.mark.slow
def test_agrees_with_sentence_transformers(embedder: Embedder) -> None:
    found = cosines(embedder.embed(TEXTS), VECTORS)
    assert found.mean() >= 0.999
    assert found.min() >= 0.995


@pytest.mark.slow
def test_vectors_are_unit_rows_in_the_order_of_the_texts(embedder: Embedder) -> None:
    together = embedder.embed(TEXTS)
    assert together.shape == (len(TEXTS), 384)
    assert together.dtype == np.float32
    assert np.allclose(np.linalg.norm(together, axis=1), 1, atol=1e-5)
    alone = np.vstack([embedder.embed([text]) for text in TEXTS[:20]])
    assert cosines(alone, together[:20]).min() > 0.99999


def test_none_is_no_rows(embedder: Embedder) -> None:
    assert embedder.embed([]).shape == (0, 384)


def test_what_it_tells_of_itself(embedder: Embedder) -> None:
    assert (embedder.dimensions, embedder.limit) == (384, 256)
    assert embedder.hash == "f87529e193a9b20b1b5ae68902aa2e11eb2323b558f13d3a35b865a1e83a7168"


def test_reads_up_to_its_limit_and_not_further(embedder: Embedder) -> None:
    full = "word " * (embedder.limit - 2)
    assert embedder.count(full) == embedder.limit
    vectors = embedder.embed([full, full + "another end", "another end " + full, full.replace("word ", "word. ", 1)])
    first, cut, *others = vectors
    assert cosines(first, cut) > 0.99999
    assert all(cosines(first, other) < 0.9999 for other in others)


def test_counts_as_the_model_reads(embedder: Embedder) -> None:
    assert embedder.count("") == 2
    assert embedder.count("hello world") == 4
    assert embedder.count("日本語") == 5
    assert embedder.count("a " * 300) == 302


def test_a_text_of_megabytes_is_cut_before_it_is_read(embedder: Embedder) -> None:
    text = "ferry " * 1_000_000
    assert embedder.count(text) > embedder.limit
    assert cosines(embedder.embed([text])[0], embedder.embed(["ferry " * 254])[0]) > 0.99999


def test_lone_surrogates_are_read_as_question_marks(embedder: Embedder) -> None:
    broken, marked = embedder.embed(["half a \ud83d pair", "half a ? pair"])
    assert cosines(broken, marked) > 0.99999
    assert embedder.count("\ud83d") == 3


@pytest.mark.slow
@settings(deadline=None, max_examples=25)
@given(st.lists(st.text(max_size=60), max_size=6))
def test_every_text_has_a_vector(embedder: Embedder, texts: list[str]) -> None:
    vectors = embedder.embed(texts)
    assert vectors.shape == (len(texts), 384)
    assert np.allclose(np.linalg.norm(vectors, axis=1), 1, atol=1e-5)


@pytest.mark.slow
def test_several_threads_may_ask_at_once(embedder: Embedder) -> None:
    expected = embedder.embed(TEXTS[:12])
    with ThreadPoolExecutor(4) as pool:
        answers = list(pool.map(embedder.embed, [TEXTS[:12]] * 8))
    assert all(np.allclose(answer, expected, atol=1e-6) for answer in answers)


@pytest.mark.slow
@pytest.mark.parametrize("threads", [1, 3])
def test_threads_change_nothing(embedder: Embedder, threads: int) -> None:
    assert np.allclose(Embedder.load(threads=threads).embed(TEXTS[:30]), embedder.embed(TEXTS[:30]), atol=1e-6)


def test_near_in_meaning_is_near(embedder: Embedder) -> None:
    question, answer, other = embedder.embed(
        ["How do ferns reproduce?", "Ferns make spores.", "The ferry takes eleven minutes."]
    )
    assert cosines(question, answer) > cosines(question, other) + 0.3
