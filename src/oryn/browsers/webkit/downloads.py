"""Downloads of a session.

WebKit stores what a server sends as an attachment in a folder of its own, under the name that the server gives it, and
reports nothing but the end of the navigation. So the folder is looked at while downloads run; a complete file is moved
from there to where the session stores its files. WebKit's browsers ignore other responses that they can't show."""

from __future__ import annotations

import asyncio
import os
import re
from collections.abc import Callable, Iterator
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING, Any
from urllib.parse import unquote, urlsplit

from oryn.browsers.base import Download
from oryn.browsers.common.downloads import DownloadRegistry, RunningDownloads
from oryn.browsers.common.target_feature import TargetFeature
from oryn.browsers.webkit.session import WebKitSession

if TYPE_CHECKING:
    from oryn.browsers.common.target_feature import InterceptedTarget

_LOOK_SECONDS = 0.03
_PARTIAL = ".wkdownload"
"""What the name of an unfinished file ends with; beside it is an empty file of the final name."""
STORE_SECONDS = 5.0
"""How long the browser may take to store anything of a download."""
_STABLE_SECONDS = 0.2
"""A file of unknown size is complete if it has not grown for this long."""
_MAX_NAME_CHARACTERS = 200
_NAME = re.compile(r"""filename\*?\s*=\s*(?:UTF-8''([^;]+)|"([^"]*)"|([^;\s]+))""", re.IGNORECASE)


class StoredFile:
    """A download that runs, and the file in which the browser stores it, once there is one."""

    def __init__(self, id: str, size: int | None, now: float) -> None:
        self.id = id
        self.size = size
        self.path: Path | None = None
        self.received = 0
        self.changed = now
        """When it was last seen to grow."""

    @property
    def partial(self) -> Path:
        assert self.path is not None, "it has a file"
        return self.path.with_name(self.path.name + _PARTIAL)


class WebKitDownloads(TargetFeature[WebKitSession], RunningDownloads):
    """The downloads of one session. `folder` returns the folder in which the browser stores them."""

    def __init__(self, registry: DownloadRegistry, folder: Callable[[], Path | None]) -> None:
        RunningDownloads.__init__(self, registry)
        self._folder = folder
        self._files: dict[str, StoredFile] = {}
        self._refused: list[StoredFile] = []
        """Files of downloads that were broken off, which the browser goes on to store."""
        self._task: asyncio.Task[None] | None = None
        self._number = 0

    def attach(self, page: InterceptedTarget[WebKitSession], session: WebKitSession) -> None:
        last = [""]
        session.on("Network.responseReceived", lambda event: self._on_response(page, event, last))

    def _on_response(self, page: Any, event: dict[str, Any], last: list[str]) -> None:
        """`last` has the id of the request that was reported last, because the browser reports a download twice."""
        response = event["response"]
        headers = {name.lower(): value for name, value in response.get("headers", {}).items()}
        disposition = headers.get("content-disposition", "").strip()
        if event.get("type") != "Document" or not disposition.lower().startswith("attachment"):
            return
        if last[0] == event["requestId"]:
            return
        last[0] = event["requestId"]
        self._number += 1
        length = headers.get("content-length", "")
        size = int(length) if length.isdecimal() and "content-encoding" not in headers else None
        id = f"{last[0]} {self._number}"
        self._files[id] = StoredFile(id, size, asyncio.get_running_loop().time())
        self._begin(page, Download(_file_name(disposition, response["url"]), response["url"], size, id=id))
        if self._task is None or self._task.done():
            self._task = asyncio.get_running_loop().create_task(self._watch())

    async def close(self, timeout: float) -> None:
        """Fail unfinished downloads, because the browser ends, and wait at most `timeout` seconds until complete files
        are where the session stores its files."""
        await self.wait_until_moved(timeout)
        self.on_lost()
        self._files.clear()
        self._refused.clear()
        if self._task is not None:
            self._task.cancel()
            self._task = None

    async def _watch(self) -> None:
        while self._files or self._refused:
            self._look()
            await asyncio.sleep(_LOOK_SECONDS)  # nothing reports what the browser stores

    def _look(self) -> None:
        folder, now = self._folder(), asyncio.get_running_loop().time()
        for file in list(self._files.values()):
            if file.path is None and folder is not None:
                file.path = next(self._new_files(folder), None)
            if file.path is None:
                if now - file.changed > STORE_SECONDS:
                    self._forget(file.id)
                    self._fail(file.id, "the browser did not store it")
                continue
            self._follow(file, now)
        for file in list(self._refused):
            # It ends by itself: what it has written until then takes no room on the disk.
            with suppress(OSError):
                os.truncate(file.partial, 0)
            if not file.partial.exists():
                file.partial.with_name(file.path.name if file.path else "").unlink(missing_ok=True)
                self._refused.remove(file)

    def _new_files(self, folder: Path) -> Iterator[Path]:
        """Files that belong to no download yet, the oldest first."""
        taken = {each.path for each in (*self._files.values(), *self._refused)}
        with suppress(OSError):
            found = sorted(folder.iterdir(), key=lambda path: path.stat().st_mtime_ns)
            for path in dict.fromkeys(path.with_name(path.name.removesuffix(_PARTIAL)) for path in found):
                if path not in taken:
                    yield path

    def _follow(self, file: StoredFile, now: float) -> None:
        assert file.path is not None, "it has a file"
        is_partial = file.partial.exists()
        try:
            received = (file.partial if is_partial else file.path).stat().st_size
        except OSError:
            if is_partial:
                return  # it has just been renamed
            self._forget(file.id)
            self._fail(file.id, "it was broken off")
            return
        if received != file.received:
            file.received, file.changed = received, now
        self._progress(file.id, received, file.size)
        if file.id not in self._files:
            return  # it was too large
        is_whole = received == file.size if file.size is not None else now - file.changed > _STABLE_SECONDS
        if not is_partial and is_whole:
            self._forget(file.id)
            self._change(file.id, received=received, size=received)
            self._finish(file.id, str(file.path))

    def _forget(self, id: str) -> StoredFile | None:
        return self._files.pop(id, None)

    def _cancel(self, guid: str) -> None:
        # The browser can't be told to break it off.
        file = self._forget(guid)
        if file is not None and file.path is not None:
            self._refused.append(file)


def _file_name(disposition: str, url: str) -> str:
    """The name that a server gives to a file, without folders. https://www.rfc-editor.org/rfc/rfc6266"""
    found = _NAME.search(disposition)
    encoded, quoted, plain = found.groups() if found is not None else (None, None, None)
    name = unquote(encoded) if encoded is not None else quoted or plain or unquote(urlsplit(url).path)
    return re.split(r"[/\\]", name)[-1][:_MAX_NAME_CHARACTERS] or "download"
