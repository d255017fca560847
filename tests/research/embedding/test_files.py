"""The model's files: pinned, checked when they are loaded, of a package or of a folder, and never of the network."""

from __future__ import annotations

import json
import shutil
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from oryn.errors import EmbeddingModelMissing
from oryn.research.embedding import Embedder, model


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A folder with the packaged model, as a user would make one."""
    (tmp_path / "model.onnx").write_bytes(model.packaged_model().model)
    shutil.copy(Path(model.__file__).with_name("tokenizer.json"), tmp_path / "tokenizer.json")
    return tmp_path


@pytest.mark.slow
def test_a_folder_is_loaded_and_has_its_own_hash(folder: Path, embedder: Embedder) -> None:
    own = Embedder.load(folder)
    assert own.hash == embedder.hash
    assert own.limit == 256
    assert np.allclose(own.embed(["a ferry"]), embedder.embed(["a ferry"]), atol=1e-6)


@pytest.mark.slow
def test_another_tokenizer_is_another_hash_and_a_folder_says_its_limit(folder: Path, embedder: Embedder) -> None:
    tokenizer = folder / "tokenizer.json"
    tokenizer.write_text(json.dumps(json.loads(tokenizer.read_text())))
    (folder / "sentence_bert_config.json").write_text('{"max_seq_length": 128}')
    own = Embedder.load(str(folder))
    assert own.hash != embedder.hash
    assert own.limit == 128
    first, cut = own.embed(["word " * 126, "word " * 126 + "another end"])
    assert np.allclose(first, cut, atol=1e-6)


@pytest.mark.parametrize("name", ["model.onnx", "tokenizer.json"])
def test_a_file_that_is_missing_is_named(folder: Path, name: str) -> None:
    (folder / name).unlink()
    with pytest.raises(EmbeddingModelMissing) as caught:
        Embedder.load(folder)
    assert caught.value.message == f"{folder / name} can't be read: No such file or directory"
    assert caught.value.hint == EmbeddingModelMissing.advice


@pytest.mark.parametrize(
    ("name", "said"),
    [("model.onnx", "model.onnx of {} can't be loaded: "), ("tokenizer.json", "tokenizer.json of {} ")],
)
def test_a_file_that_is_something_else_is_named(folder: Path, name: str, said: str) -> None:
    (folder / name).write_text("{}")
    with pytest.raises(EmbeddingModelMissing) as caught:
        Embedder.load(folder)
    assert caught.value.message.startswith(said.format(folder))


def test_a_limit_that_is_none_is_told(folder: Path) -> None:
    (folder / "sentence_bert_config.json").write_text("[]")
    with pytest.raises(EmbeddingModelMissing, match="has no max_seq_length"):
        Embedder.load(folder)


def test_the_packaged_model_must_be_the_pinned_one(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(model, "MODEL_SHA256", "0" * 64)
    with pytest.raises(EmbeddingModelMissing) as caught:
        Embedder.load()
    assert "model.onnx is not the expected file" in caught.value.message
    assert "Install 'oryn-browser[research]' anew" in str(caught.value.hint)


def test_the_package_must_be_there(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(model, "PACKAGE", "no_such_model")
    with pytest.raises(EmbeddingModelMissing, match="the package no-such-model is not installed"):
        Embedder.load()


@pytest.mark.parametrize("package", ["onnxruntime", "tokenizers"])
def test_what_runs_it_must_be_there(monkeypatch: pytest.MonkeyPatch, package: str) -> None:
    monkeypatch.setitem(sys.modules, package, None)
    monkeypatch.delitem(sys.modules, "oryn.research.onnx_runtime", raising=False)
    with pytest.raises(EmbeddingModelMissing, match=f"the package {package} is not installed"):
        Embedder.load()


OFFLINE = """
import sys
def forbid(event, arguments):
    if event.startswith(("socket.", "urllib.")):
        raise SystemExit(f"{event} {arguments}")
sys.addaudithook(forbid)
from oryn.research.embedding import Embedder
assert Embedder.load().embed(["a ferry"]).shape == (1, 384)
assert "huggingface_hub" not in sys.modules
print("offline")
"""


@pytest.mark.slow
def test_asks_nothing_of_the_network() -> None:
    done = subprocess.run([sys.executable, "-c", OFFLINE], capture_output=True, text=True, timeout=120)
    assert done.stdout == "offline\n", done.stderr


def test_the_notice_names_the_pinned_tokenizer() -> None:
    assert model.TOKENIZER_SHA256 in Path(model.__file__).with_name("NOTICE").read_text()
