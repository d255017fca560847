"""The index in a folder: who has it, what stays when a process is killed, and what is said of damaged files."""

from __future__ import annotations

import asyncio
import os
import shutil
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from oryn.errors import CollectionMismatch, IndexBusy, IndexFailed
from oryn.research.index import Collection, EmbeddedIndex, Index, open_index
from oryn.research.index.shard import MAX_UNFLUSHED
from tests.research.index.killed_writer import EACH, written
from tests.research.index.passages import DIMENSIONS, MODEL, axis, passages, vectors

PROJECT = Path(__file__).parent.parent.parent.parent
MEND = "Drop the collection (oryn index drop NAME) and read its pages again: the page cache still has them."


async def filled(folder: Path) -> Collection:
    """An index with a collection, closed again."""
    index = EmbeddedIndex(folder)
    await index.upsert("plants", passages(), vectors(), model=MODEL)
    (collection,) = await index.collections()
    await index.close()
    return collection


def file_of(folder: Path, pattern: str) -> Path:
    (found,) = folder.glob(f"collections/plants-*/{pattern}")
    return found


async def test_passages_are_found_after_reopening(tmp_path: Path) -> None:
    collection = await filled(tmp_path)
    index = open_index(tmp_path)
    assert await index.collections() == [collection]
    found = await index.search("plants", "fiddlehead", axis(1), model=MODEL, limit=1)
    assert [each.passage for each in found] == [passages()[1]]
    await index.upsert("plants", passages()[:1], vectors(1), model=MODEL)
    assert await index.collections() == [collection]
    await index.close()


async def test_the_folder_is_the_owner_s_alone_and_made_by_the_first_call(tmp_path: Path) -> None:
    index = EmbeddedIndex(tmp_path / "deep" / "index")
    assert not (tmp_path / "deep").exists()
    assert await index.collections() == []
    assert (tmp_path / "deep" / "index").stat().st_mode & 0o077 == 0
    await index.close()


async def test_one_at_a_time_has_it(tmp_path: Path) -> None:
    first, second = EmbeddedIndex(tmp_path), EmbeddedIndex(tmp_path)
    await first.upsert("plants", passages(), vectors(), model=MODEL)
    with pytest.raises(IndexBusy) as busy:
        await second.collections()
    assert str(busy.value) == f"the index in {tmp_path} is open in process {os.getpid()}"
    await first.close()
    assert [each.passages for each in await second.collections()] == [5]
    await second.close()


async def test_a_closed_index_says_so_and_can_be_closed_again(tmp_path: Path) -> None:
    index = EmbeddedIndex(tmp_path)
    await index.collections()
    await index.close()
    await index.close()
    with pytest.raises(IndexFailed, match="has been closed"):
        await index.collections()


@pytest.mark.slow
async def test_passages_of_a_killed_process_are_found(tmp_path: Path) -> None:
    # More than are brought to the disk at once: some stand in the log alone, some don't.
    number = MAX_UNFLUSHED + 500
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join([str(PROJECT / "src"), str(PROJECT)])}
    killed = await asyncio.create_subprocess_exec(
        sys.executable,
        "-m",
        "tests.research.index.killed_writer",
        str(tmp_path),
        str(number),
        env=environment,
        stdout=subprocess.PIPE,
    )
    said, _ = await killed.communicate()
    assert (said, killed.returncode) == (b"done\n", -9)
    index = EmbeddedIndex(tmp_path)
    assert await index.collections() == [Collection("plants", number - 50, MODEL, DIMENSIONS)]
    for last in (50, number // 2, number - 1):
        found = await index.search("plants", f"word{last}", None, model=MODEL, mode="bm25", limit=1)
        assert [each.passage.id for each in found] == [str(last)]
    assert not [
        each
        for each in await index.search("plants", "word7", None, model=MODEL, mode="bm25", limit=1)
        if each.passage.id == "7"
    ]
    await index.upsert("plants", passages(), vectors(), model=MODEL)
    assert (await index.collections())[0].passages == number - 45
    await index.close()


@pytest.mark.slow
async def test_close_frees_the_space_of_deleted_passages(tmp_path: Path) -> None:
    number = 3 * MAX_UNFLUSHED // 2
    index = EmbeddedIndex(tmp_path)
    await index.upsert("plants", written(0, number), np.ones((number, DIMENSIONS), np.float32), model=MODEL)
    for page in range(number // EACH // 2):
        await index.delete("plants", f"https://botany.example/{page}")
    segments = {path.name for path in file_of(tmp_path, "shard/segments").iterdir()}
    await index.close()
    assert {path.name for path in file_of(tmp_path, "shard/segments").iterdir()}.isdisjoint(segments)
    index = EmbeddedIndex(tmp_path)
    assert (await index.collections())[0].passages == number // 2
    for last, there in ((number // 2 - 1, False), (number // 2, True), (number - 1, True)):
        found = await index.search("plants", f"word{last}", None, model=MODEL, mode="bm25", limit=1)
        assert ([each.passage.id for each in found] == [str(last)]) is there
    await index.upsert("plants", written(0, EACH), np.ones((EACH, DIMENSIONS), np.float32), model=MODEL)
    assert (await index.collections())[0].passages == number // 2 + EACH
    await index.close()


DAMAGES = ["segments/*/segment.json", "edge_config.json", "wal/first-index", "segments/*/payload_storage/config.json"]


@pytest.mark.parametrize("pattern", DAMAGES)
async def test_damaged_files_are_an_error_that_says_what_to_do_and_can_be_dropped(tmp_path: Path, pattern: str) -> None:
    await filled(tmp_path)
    file_of(tmp_path, f"shard/{pattern}").write_bytes(b"\0not what was there")
    index = EmbeddedIndex(tmp_path)
    with pytest.raises(IndexFailed) as failed:
        await index.search("plants", "spores", axis(0), model=MODEL)
    assert str(failed.value).startswith(f"the index's files in {tmp_path / 'collections'}{os.sep}plants-")
    assert failed.value.hint == f"Is the disk full? If not: {MEND}"
    await index.drop("plants")
    await index.upsert("plants", passages(), vectors(), model=MODEL)
    assert (await index.collections())[0].passages == 5
    await index.close()


async def test_a_panic_of_the_engine_is_an_error_like_others(tmp_path: Path) -> None:
    await filled(tmp_path)
    file_of(tmp_path, "shard/segments/*/vector_storage-dense/vectors/status.dat").write_bytes(b"")
    index = EmbeddedIndex(tmp_path)
    with pytest.raises(IndexFailed, match="the index's files in"):
        await index.search("plants", "spores", axis(0), model=MODEL)
    await index.close()


async def test_passages_that_are_missing_are_no_empty_success(tmp_path: Path) -> None:
    await filled(tmp_path)
    file_of(tmp_path, "shard/segments/*/mutable_id_tracker.mappings").unlink()
    shutil.rmtree(file_of(tmp_path, "shard/wal"))
    index = EmbeddedIndex(tmp_path)
    with pytest.raises(IndexFailed) as failed:
        await index.search("plants", "spores", axis(0), model=MODEL)
    assert str(failed.value) == (
        "the collection 'plants' had 5 passages when it was closed, and has 0 now: its files are damaged"
    )
    assert failed.value.hint == MEND
    await index.close()


@pytest.mark.parametrize(
    ("note", "said"),
    [
        (b"{", "can't be read"),
        (b'{"format": 1}', "can't be read"),
        (b"[]", "can't be read"),
        (
            b'{"format": 99, "sound": true, "collection":'
            b' {"name": "plants", "passages": 5, "model": "m", "dimensions": 8}}',
            "the collection 'plants' was written by another version of Oryn",
        ),
    ],
)
async def test_a_note_that_is_none_is_an_error_too(tmp_path: Path, note: bytes, said: str) -> None:
    await filled(tmp_path)
    file_of(tmp_path, "collection.json").write_bytes(note)
    index = EmbeddedIndex(tmp_path)
    with pytest.raises(IndexFailed, match=said):
        await index.search("plants", "spores", axis(0), model=MODEL)
    assert await index.collections() == []
    await index.drop("plants")
    await index.close()


async def test_a_collection_that_was_half_made_is_none(tmp_path: Path) -> None:
    await filled(tmp_path)
    file_of(tmp_path, "collection.json").unlink()
    index = EmbeddedIndex(tmp_path)
    assert await index.collections() == []
    await index.upsert("plants", passages()[:2], vectors(2), model="another")
    assert (await index.collections())[0].passages == 2
    with pytest.raises(CollectionMismatch):
        await index.upsert("plants", passages()[:2], vectors(2), model=MODEL)
    await index.close()


async def test_a_folder_that_can_t_be_is_an_error(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    index = EmbeddedIndex(tmp_path / "file" / "index")
    with pytest.raises(IndexFailed, match=r"the index in .*file.index can't be opened"):
        await index.collections()
    await index.close()


def test_a_place_is_a_folder_or_a_server(tmp_path: Path) -> None:
    def kind(place: Path | str) -> str:
        index: Index = open_index(place)
        return type(index).__name__

    assert kind(tmp_path) == kind(str(tmp_path)) == "EmbeddedIndex"
    assert kind("http://127.0.0.1:6333") == kind("https://index.example") == "ServerIndex"
