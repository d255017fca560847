"""A command's answer as data, and its two renderings: text (docs/spec/intent-language.md#answers), or one JSON object a
line (`output json`) for programs. Pure.

`{"ok": true, "command": …, "page"?: {"url", "title"}, "elements"?: […], "patterns"?: {…}, "more"?: n, "tools"?: […],
"result"?: …, "notes"?: […], "changes"?: […], "meanwhile"?: […]}`, or `{"ok": false, "command": …, "error": {"code",
"message", "hint"}, …}`."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from oryn.core import text_safety
from oryn.core.error_text import error_text, hint_section
from oryn.core.records import Record, field
from oryn.engine.output.changes import PageChange, page_line
from oryn.engine.output.elements import Element
from oryn.engine.output.folding import Overview, folded_lines
from oryn.errors import ConfirmationRequired, OrynError

if TYPE_CHECKING:
    from oryn.engine.output.target_description import TargetDescription

MAX_TOOL_NAMES = 10
"""How many tools of the page an observation names."""


class Observation(Record):
    """The result of `observe`. `line` renders an element; None has the lines of an overview. `more` counts the elements
    that the limit left out."""

    url: str
    title: str
    elements: Sequence[Element]
    patterns: dict[str, Any]
    line: Callable[[Element], str] | None = None
    overview: Overview = Overview()
    more: int = 0
    viewport: str | None = None
    """The viewport for `--full`: `1280x720 at 0,300 of 0,4200`."""
    tools: Sequence[str] = ()
    """The names of the tools that the page offers."""


class PartFailure(Record):
    """Why a part of a result is missing, of which other parts are there: one of several pages. `line` is its text."""

    line: str
    error: OrynError


class NoteLine(Record):
    """A person's note, as an answer tells it once.

    `place` is Oryn's word for what it is about (`[12]`), `about` is what the page calls that, quoted, and `text` has
    the person's own words."""

    number: int
    text: str
    place: str
    about: str
    element: int | None = None

    def line(self, *, page_words: bool = True) -> str:
        """`# note from the person: [12] button "Save": make it green (note 3)`"""
        subject = " ".join(filter(None, (self.place, self.about if page_words else "")))
        words = text_safety.one_line(self.text)
        return f"# note from the person: {f'{subject}: ' if subject else ''}{words} (note {self.number})"

    def data(self) -> dict[str, Any]:
        """The note in the JSON form, without a word of the page."""
        return {"note": self.number, "element": self.element, "place": self.place, "text": self.text}


class PrerenderedAnswer(Record):
    """An answer that an engine in another process has rendered: its text, and its JSON form if that was requested."""

    text: str
    form: dict[str, Any] | None = None

    @property
    def body(self) -> str:
        """The text without its first line if that only reports whether the command succeeded."""
        head, _, rest = self.text.partition("\n")
        return rest.lstrip("\n") if head.startswith(("ok ", "error ")) else self.text


class Answer(Record, frozen=False):
    """One command's answer. Empty parts are not printed; in the text, the parts have the order of the fields."""

    command: str = ""
    """Canonical text of the command, secrets masked, cut to a line's length."""
    error: OrynError | None = None
    observation: Observation | None = None
    page: tuple[str, str] | None = None
    """URL and title of the current page, for commands that navigate."""
    lines: list[str] = field(factory=list)
    """The engine's own lines; text of a page in them is quoted already."""
    block: str | None = None
    """Raw text of a page; rendering marks every line of it."""
    is_document: bool = False
    """Whether the block is a document in Markdown by Oryn, such as a report. The command line prints it without marks
    and without the first line, and renders it on a terminal."""
    failed: Sequence[PartFailure] = ()
    """The missing parts of the result. The command line prints them to standard error; the first one has the exit
    code."""
    person_notes: Sequence[NoteLine] = ()
    """Notes of a person that no answer has had yet. With a boundary, the person's words are outside of it, and those of
    the page inside."""
    notes: list[str] = field(factory=list)
    changes: list[PageChange] = field(factory=list)
    more_changes: int = 0
    meanwhile: list[PageChange] = field(factory=list)
    """What has changed between the last answer and this command."""
    data: Any = None
    """The result as JSON data for programs (`output json`); `lines` or `block` are its text."""
    raw: str | None = None
    """The result alone as a file would have it, if neither `block` nor `data` is that."""
    exit: bool = False
    json: bool = False
    """Whether it is rendered as JSON, because the caller has chosen `output json`."""
    record: bool = False
    """Whether it is rendered as a record, because the caller has sent a request (`language.json_codec`): its JSON form,
    whole and without a boundary, with its text in the field `text`."""
    boundary: str | None = None
    """The token of the markers around everything that may come from a page; None means no markers."""
    targets: Mapping[str, TargetDescription] = field(factory=dict)
    """What the command's targets are, by the names of its fields, as far as they are known. Not rendered."""
    prerendered: PrerenderedAnswer | None = None
    """The rendering of another engine, which replaces all parts but the notes."""
    cut: str | None = None
    """The result of `render` if the whole answer is longer than `max_output`."""

    @property
    def ok(self) -> bool:
        return self.error is None

    @property
    def blank(self) -> bool:
        """Whether the line was blank or a comment."""
        return not self.command and self.error is None

    def render(self) -> str:
        """Return the text or the JSON object to send. Empty for a blank line."""
        if self.record:
            return render_record(self)
        return self._render_one()

    def _render_one(self) -> str:
        if self.blank:
            return ""
        if self.cut is not None:
            return self.cut
        return render_json(self) if self.json else render_text(self)


def value_text(value: Any) -> str:
    """Return JSON data as text for a reader: a string is itself."""
    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False, indent=1)


def render_text(answer: Answer) -> str:
    """Render the answer as text, with markers if it has a boundary."""
    return _joined(_sections(answer) if answer.boundary is None else _fenced_sections(answer, answer.boundary))


def _joined(sections: Iterable[str]) -> str:
    return "\n\n".join(filter(None, sections))


def _sections(answer: Answer) -> Iterator[str]:
    if answer.prerendered is not None:
        yield answer.prerendered.text
        yield _person_lines(answer)
        yield _headed("note", list(map(text_safety.one_line, answer.notes)))
        return
    if answer.error is not None:
        yield error_text(answer.error, answer.command)
    elif answer.observation is not None:
        yield from _observation_sections(answer.observation)
    else:
        yield f"ok {answer.command}"
    yield _person_lines(answer)
    yield from _body_sections(answer)


def _fenced_sections(answer: Answer, fence_id: str) -> Iterator[str]:
    """Yield Oryn's own text, and within markers what may come from a page."""
    from oryn.engine.output import boundary

    error, inside = answer.error, list(_body_sections(answer))
    if error is None:
        yield f"ok {answer.command}"
        if answer.observation is not None:
            inside = [*_observation_sections(answer.observation), *inside]
    else:
        message = text_safety.one_line(error.message)
        ours = boundary.message_is_ours(error), boundary.hint_is_ours(error)
        yield f"error {answer.command}" + (f": {message}" if ours[0] else "")
        yield hint_section(error) if ours[1] else ""
        inside = ["" if ours[0] else message, "" if ours[1] else hint_section(error), *inside]
    yield _person_lines(answer, page_words=False)
    inside.append(_headed("noted", [f"note {each.number}: {each.about}" for each in answer.person_notes if each.about]))
    yield boundary.fence(_joined(inside), fence_id)


def _person_lines(answer: Answer, *, page_words: bool = True) -> str:
    return "\n".join(note.line(page_words=page_words) for note in answer.person_notes)


def _body_sections(answer: Answer) -> Iterator[str]:
    """Yield everything below the first line and the observation."""
    if answer.prerendered is not None:
        yield answer.prerendered.body
    if answer.page is not None:
        yield f"@ {page_line(*answer.page)}"
    yield "\n".join(answer.lines)
    if answer.block is not None:
        yield text_safety.block(answer.block)
    yield _headed("failed", [failure.line for failure in answer.failed])
    yield _headed("note", list(map(text_safety.one_line, answer.notes)))
    rows = [change.render() for change in answer.changes]
    if answer.more_changes:
        rows.append(f"… {answer.more_changes} more; run 'observe'")
    yield _headed("changes", rows)
    yield _headed("meanwhile", [change.render() for change in answer.meanwhile])


def _headed(title: str, rows: list[str]) -> str:
    return f"# {title}\n" + "\n".join(rows) if rows else ""


def render_observation(seen: Observation) -> str:
    """Render an observation alone, for an answer that contains it among other parts."""
    return _joined(_observation_sections(seen))


def _observation_sections(seen: Observation) -> Iterator[str]:
    yield f"@ {page_line(seen.url, seen.title)}" + (f"\nviewport {seen.viewport}" if seen.viewport else "")
    line = seen.line
    rows = folded_lines(seen.elements, seen.overview) if line is None else [line(each) for each in seen.elements]
    yield "\n".join(rows) or "no interactive elements"
    left_out = seen.overview.left_out(seen.elements) if line is None else set()
    more = seen.more - len(left_out - {element["id"] for element in seen.elements})
    if left_out:
        plural = "element" if len(left_out) == 1 else "elements"
        yield f'# rows\n{len(left_out)} {plural} of further rows; observe --limit 0 shows all, --near "<text>" a row'
    if more > 0:
        plural = "element" if more == 1 else "elements"
        yield f'# more\n{more} more {plural}; observe --limit 0 shows all, --near "<text>" and --viewport fewer'
    lines = (pattern_line(name, parts) for name, parts in seen.patterns.items())
    yield _headed("patterns", [line for line in lines if line])
    yield _headed("tools", _tool_names(seen.tools))


def _tool_names(names: Sequence[str]) -> list[str]:
    """Render the names of a page's tools on one line, none of which may be long."""
    if not names:
        return []
    listed = [text_safety.plain(text_safety.shortened(name, 40)) for name in names[:MAX_TOOL_NAMES]]
    more = f" and {len(names) - MAX_TOOL_NAMES} more" if len(names) > MAX_TOOL_NAMES else ""
    return [f"{', '.join(listed)}{more} ('tools' describes them)"]


def pattern_line(name: str, parts: Mapping[str, Any]) -> str:
    """Render a pattern: `login_form: email [1], password [2], submit [3]`; page numbers as `pages [4] [5] [6]`, titles
    quoted. Empty if no part of it is displayed."""
    texts = []
    for part, value in parts.items():
        if isinstance(value, bool) or value is None or part in ("container", "form", "selector"):
            continue
        if isinstance(value, int):
            texts.append(f"{part} [{value}]")
        elif isinstance(value, list) and value:
            texts.append(f"{part} " + " ".join(f"[{number}]" for number in value))
        elif isinstance(value, str) and value:
            texts.append(f"{part} {text_safety.quoted(value)}")
    return f"{name}: {', '.join(texts)}" if texts else ""


def render_json(answer: Answer) -> str:
    """Render the answer as one JSON object on one line."""
    # ASCII only: line separators and lone surrogates of a page's text can't break the line.
    return json.dumps(json_form(answer), ensure_ascii=True, separators=(",", ":"))


def raw_text(answer: Answer) -> str | None:
    """Return the result alone, without the first line, marks and notes, for a file or another program: a page's text,
    JSON, CSV. None if the command failed or has no result.

    It is as the page has it, so a terminal should get it through `text_safety.visible`."""
    if answer.error is not None:
        return None
    for text in (answer.raw, answer.block):
        if text is not None:
            return text
    data = answer.data if answer.prerendered is None else (answer.prerendered.form or {}).get("result")
    if isinstance(data, str):
        return data
    if isinstance(data, bool):
        return "yes" if data else "no"
    if answer.lines:
        return "\n".join(answer.lines)
    return None if data is None else value_text(data)


def render_record(answer: Answer) -> str:
    """Render the answer as a JSON object with its text, on one line."""
    form = answer_form(answer) | {"text": answer._render_one()}
    return json.dumps(form, ensure_ascii=True, separators=(",", ":"))


def json_form(answer: Answer) -> dict[str, Any]:
    """Return the answer as JSON data; with a boundary, in the form of `boundary.fence_form`."""
    shape = answer_form(answer)
    if answer.boundary is None:
        return shape
    from oryn.engine.output.boundary import fence_form

    return fence_form(shape, answer.error, answer.boundary)


def answer_form(answer: Answer) -> dict[str, Any]:
    """Return the answer as JSON data, without a boundary."""
    if answer.prerendered is not None:
        return _prerendered_form(answer, answer.prerendered)
    shape: dict[str, Any] = {"ok": answer.ok, "command": answer.command}
    if answer.error is not None:
        shape["error"] = _error_form(answer.error)
    if seen := answer.observation:
        shape["page"] = {"url": seen.url, "title": seen.title}
        shape["elements"] = list(seen.elements)
        shape["patterns"] = seen.patterns
        shape["more"] = seen.more
        if seen.tools:
            shape["tools"] = list(seen.tools)
    elif answer.page:
        shape["page"] = {"url": answer.page[0], "title": answer.page[1]}
    if answer.data is not None:
        shape["result"] = answer.data
    elif answer.block is not None:
        shape["result"] = answer.block
    elif answer.lines:
        shape["result"] = answer.lines
    shape |= _person_form(answer)
    if answer.notes:
        shape["notes"] = answer.notes
    if answer.changes:
        shape["changes"] = [{"sign": change.sign, **change.data} for change in answer.changes]
    if answer.more_changes:
        shape["more_changes"] = answer.more_changes
    if answer.meanwhile:
        shape["meanwhile"] = [{"sign": change.sign, **change.data} for change in answer.meanwhile]
    return shape


def _prerendered_form(answer: Answer, prerendered: PrerenderedAnswer) -> dict[str, Any]:
    """Return the JSON form of another engine's answer; if there is none, with its text as the result."""
    shape: dict[str, Any] = {"ok": answer.ok, "command": answer.command}
    if answer.error is not None:
        shape["error"] = _error_form(answer.error)
    form = {"result": prerendered.text} if prerendered.form is None else prerendered.form
    shape |= {name: value for name, value in form.items() if name not in ("ok", "command", "error")}
    shape |= _person_form(answer)
    if answer.notes:
        theirs = shape.get("notes")
        shape["notes"] = [*answer.notes, *(theirs if isinstance(theirs, list) else ())]
    return shape


def _person_form(answer: Answer) -> dict[str, Any]:
    """A person's notes, and apart from them what the page calls their elements."""
    if not answer.person_notes:
        return {}
    about = [{"note": each.number, "about": each.about} for each in answer.person_notes]
    return {"person_notes": [each.data() for each in answer.person_notes], "noted": about}


def _error_form(error: OrynError) -> dict[str, Any]:
    form: dict[str, Any] = {"code": error.code, "message": error.message, "hint": error.hint}
    return form | ({"id": error.id} if isinstance(error, ConfirmationRequired) else {})
