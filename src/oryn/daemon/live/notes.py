"""Notes of a person on the live page: they point at the picture of a session's page, and write what they want.

Only these routes make notes, and they take requests of the live page and of programs with the daemon's token alone: the
session's page has nothing of a mark in its document, and no way here."""

from __future__ import annotations

import base64
import json
from typing import TYPE_CHECKING, Annotated, Any, TypeVar

from pydantic import BaseModel, ConfigDict, Field, ValidationError
from starlette.responses import Response
from starlette.routing import BaseRoute, Route

from oryn.browsers.base import Rect
from oryn.daemon.live.page import SECURITY_HEADERS
from oryn.daemon.request.json_body import read_body
from oryn.engine.handlers.notes import note_row
from oryn.engine.page.marks import mark_label, take_mark
from oryn.errors import NotSupported, OrynError, RequestError, SessionNotFound

if TYPE_CHECKING:
    from starlette.requests import Request

    from oryn.engine import Session
    from oryn.engine.person_notes import Mark, PersonNote
    from oryn.sessions.sessions import Sessions

MAX_NOTE_BYTES = 256 * 1024
"""Maximum size of a request: more than any note has, so that one that is too long gets an error about that."""
_MAX_PIXELS = 100_000
_HEADERS = {**SECURITY_HEADERS, "Cache-Control": "no-store"}

_Coordinate = Annotated[float, Field(ge=-_MAX_PIXELS, le=_MAX_PIXELS, allow_inf_nan=False)]
_Side = Annotated[float, Field(ge=0, le=_MAX_PIXELS, allow_inf_nan=False)]


class _Body(BaseModel):
    model_config = ConfigDict(extra="forbid")


class MarkRequest(_Body):
    """What a person points at, in CSS pixels of the viewport: a point, or a region."""

    x: _Coordinate
    y: _Coordinate
    width: _Side = 0
    height: _Side = 0


class NoteRequest(_Body):
    """The words for a mark."""

    mark: str = Field(max_length=100)
    text: str


class NoteChange(_Body):
    """An answer of the person's, or that the note is done, or both."""

    text: str | None = None
    done: bool = False


_BodyType = TypeVar("_BodyType", bound=_Body)


async def _read(request: Request, kind: type[_BodyType]) -> _BodyType:
    """Read a request's body. Raises `RequestError`, which does not repeat the person's words."""
    try:
        return kind.model_validate_json(await read_body(request, MAX_NOTE_BYTES))
    except ValidationError as error:
        first = error.errors(include_url=False, include_input=False, include_context=False)[0]
        place = ".".join(map(str, first["loc"]))
        raise RequestError(f"the request is not valid: {place or 'the body'}: {first['type']}") from None


def _number(request: Request) -> int:
    """The number of a note in the path; 0, which no note has, for anything else."""
    text: str = request.path_params["number"]
    return int(text) if text.isascii() and text.isdecimal() and len(text) < 10 else 0


def note_routes(sessions: Sessions) -> list[BaseRoute]:
    """The routes of marks and notes."""

    def session_of(request: Request) -> Session:
        session = sessions.get(request.path_params["name"])
        if session is None:
            raise SessionNotFound.among(sessions.own_of(sessions.names))
        return session

    async def marks(request: Request) -> Response:
        session, body = session_of(request), await _read(request, MarkRequest)
        if session.browser.is_external:
            raise NotSupported("the session is in your own browser", "Mark it there: its bar has a button.")
        mark = await take_mark(session, Rect(body.x, body.y, body.width, body.height), session.command_lock)
        session.person_notes.mark(mark)
        return _json(session, mark_row(mark))

    async def notes(request: Request) -> Response:
        session = session_of(request)
        if request.method == "POST":
            body = await _read(request, NoteRequest)
            return _json(session, _row(session, session.person_notes.add(body.mark, body.text)))
        return _json(session, {"notes": note_rows(session)})

    async def note(request: Request) -> Response:
        session, number = session_of(request), _number(request)
        if request.method == "DELETE":
            session.person_notes.remove(number)
            return _json(session, {})
        body = await _read(request, NoteChange)
        found = session.person_notes
        if body.done:
            return _json(session, _row(session, found.finish(number, body.text, "person")))
        return _json(session, _row(session, found.answer(number, body.text or "", "person")))

    async def picture(request: Request) -> Response:
        found = session_of(request).person_notes.get(_number(request))
        if found.mark.picture is None:
            return Response(status_code=404, headers=_HEADERS)
        return Response(found.mark.picture, media_type=f"image/{found.mark.picture_format}", headers=_HEADERS)

    return [
        Route("/sessions/{name}/marks", marks, methods=["POST"]),
        Route("/sessions/{name}/notes", notes, methods=["GET", "POST"]),
        Route("/sessions/{name}/notes/{number}", note, methods=["POST", "DELETE"]),
        Route("/sessions/{name}/notes/{number}/picture", picture),
    ]


def mark_row(mark: Mark) -> dict[str, Any]:
    """A mark as JSON data: `mark`, by which a note names it, `label`, and its `picture` in base64, or null."""
    return {
        "mark": mark.id,
        "label": mark_label(mark),
        "picture": base64.b64encode(mark.picture).decode("ascii") if mark.picture else None,
    }


def note_rows(session: Session) -> list[dict[str, Any]]:
    """The notes of a session as JSON data, the oldest first: `NoteRow`s with `label`, and whether there is a
    `picture`."""
    return [_row(session, note) for note in session.person_notes] if session.has_person_notes else []


def _row(session: Session, note: PersonNote) -> dict[str, Any]:
    try:
        document = session.page.document
    except OrynError:  # there is no page
        document = None
    present = note.mark.present and document is not None and note.mark.document == document
    row = note_row(note, document) | {"label": mark_label(note.mark), "picture": note.mark.picture is not None}
    return row | {"present": present, "told": note.told}


def _json(session: Session, data: Any) -> Response:
    """A JSON response in ASCII, without secrets: a page's names may contain unpaired surrogates."""
    text = json.dumps(session.mask_data(data), separators=(",", ":"))
    return Response(text, media_type="application/json", headers=_HEADERS)
