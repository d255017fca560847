"""`Result`: the answer to a typed call, with its text for a reader and its data for a program."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, Generic, Literal, NamedTuple, TypeVar

from oryn.errors import NotStored, OrynError, error_class_of

Data = TypeVar("Data", covariant=True)

_PICTURES = {".png": "png", ".jpg": "jpeg", ".jpeg": "jpeg"}


class PageSeen(NamedTuple):
    """The page that a command has opened, led to, or looked at."""

    url: str
    title: str


class Change(NamedTuple):
    """A change of the page that a command has led to.

    `sign` is `+` (new), `-` (gone), `~` (changed) or `@` (another page). `kind` is `appeared`, `gone`, `changed`,
    `page`, `url`, `title`, `text`, `dialog`, `tab`, `tab_closed` or `download`. `data` has the rest: `element` or
    `elements`, `url`, `title`, `text` …"""

    sign: Literal["+", "-", "~", "@"]
    kind: str
    data: Mapping[str, Any]


class Result(Generic[Data]):
    """The answer to a command.

    * `ok`: whether it succeeded; `error` has the reason if not, with `code`, `message`, `hint`, `command` and `target`.
    * `text`: the whole answer for a reader, as `send` returns it; also `str(result)`.
    * `data`: the result, of the type that the method declares; None if the command has none.
    * `page`, `changes`, `meanwhile` (changes before the command), `notes`: what else the answer has.
    * `command`: the command as it is written in a line, with secrets masked.

    `bool(result)` is the answer to a question (`is_visible`, `exists`), and `ok` of any other command.
    `"Saved" in result` searches the text."""

    __slots__ = ("changes", "command", "data", "error", "meanwhile", "more_changes", "notes", "ok", "page", "text")

    def __init__(
        self,
        *,
        ok: bool,
        command: str,
        text: str,
        data: Data,
        page: PageSeen | None = None,
        changes: Sequence[Change] = (),
        more_changes: int = 0,
        meanwhile: Sequence[Change] = (),
        notes: Sequence[str] = (),
        error: OrynError | None = None,
    ) -> None:
        self.ok = ok
        self.command = command
        self.text = text
        self.data = data
        self.page = page
        self.changes = tuple(changes)
        self.more_changes = more_changes
        """How many further changes the answer leaves out."""
        self.meanwhile = tuple(meanwhile)
        self.notes = tuple(notes)
        self.error = error

    @classmethod
    def of_record(cls, form: Mapping[str, Any]) -> Result[Any]:
        """Return the result of an answer's record: its JSON form (`output json`) with its `text`."""
        page, error, data = form.get("page"), form.get("error"), form.get("result")
        changes = list(_changes(form.get("changes")))
        page = page or next((each.data for each in reversed(changes) if each.kind == "page"), None)
        if "elements" in form:
            data = {**form["page"], **{key: form[key] for key in ("elements", "patterns", "more")}}
            data |= {"tools": form["tools"]} if "tools" in form else {}
        return Result(
            ok=form["ok"],
            command=form["command"],
            text=form["text"],
            data=data,
            page=PageSeen(page["url"], page["title"]) if page else None,
            changes=changes,
            more_changes=form.get("more_changes", 0),
            meanwhile=list(_changes(form.get("meanwhile"))),
            notes=form.get("notes", ()),
            error=error_of(error, form["command"]) if error else None,
        )

    # --- files ---

    @property
    def files(self) -> tuple[Path, ...]:
        """The files that the command has written: its own, then finished downloads."""
        own = [self.data["path"]] if isinstance(self.data, dict) and isinstance(self.data.get("path"), str) else []
        downloads = [each.data.get("path") for each in self.changes if each.kind == "download"]
        return tuple(Path(each) for each in (*own, *downloads) if each)

    @property
    def path(self) -> Path:
        """The first of `files`: the picture, the PDF, the video, the download. Raises `NotStored` if there is none."""
        if not self.files:
            raise NotStored(f"'{self.command}' has written no file", "A picture, a PDF and a download have one.")
        return self.files[0]

    def read_bytes(self) -> bytes:
        """Return the content of `path`. Raises `NotStored`, and `OSError` if the file can't be read."""
        return self.path.read_bytes()

    # --- for a reader ---

    def __str__(self) -> str:
        return self.text

    def __bool__(self) -> bool:
        return self.data if isinstance(self.data, bool) else self.ok

    def __contains__(self, text: str) -> bool:
        return text in self.text

    def __repr__(self) -> str:
        parts = ["ok" if self.ok else "error", self.command]
        if self.error is not None:
            parts.append(f"{self.error.code}: {self.error.message}")
        elif self.data is not None:
            parts.append(f"data={_shortened(repr(self.data))}")
        if self.page is not None:
            parts.append(f"page={_shortened(self.page.url)!r}")
        if self.changes:
            parts.append(f"changes={len(self.changes) + self.more_changes}")
        return f"<Result {' '.join(parts)}>"

    def _repr_mimebundle_(self, include: Any = None, exclude: Any = None) -> dict[str, Any]:
        """Return the text for a notebook, and the picture if there is one.

        https://ipython.readthedocs.io/en/stable/config/integrating.html#custom-methods"""
        bundle: dict[str, Any] = {"text/plain": self.text or repr(self)}
        if self.files and (kind := _PICTURES.get(self.path.suffix.lower())):
            try:
                bundle[f"image/{kind}"] = self.read_bytes()
            except OSError:  # it was deleted meanwhile: the text has its path
                pass
        return bundle


def error_of(form: Mapping[str, Any], command: str | None = None) -> OrynError:
    """Return the error of its JSON form: `{"code", "message", "hint"}`. `command` is the line that failed with it."""
    kind = error_class_of(form["code"])
    error = kind.__new__(kind)
    OrynError.__init__(error, form.get("message") or form["code"], form.get("hint"))
    if kind.code != form["code"]:  # the code of a later version
        error.code = form["code"]  # type: ignore[misc]
    error.command = command
    return error


def _changes(rows: Sequence[Mapping[str, Any]] | None) -> Iterator[Change]:
    for row in rows or ():
        data = {key: value for key, value in row.items() if key not in ("sign", "change")}
        yield Change(row["sign"], row["change"], data)


def _shortened(text: str, limit: int = 60) -> str:
    return text if len(text) <= limit else f"{text[: limit - 1]}…"
