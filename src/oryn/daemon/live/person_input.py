"""Input of a person who has taken a session over: messages of the live page, delivered to the session's page by the
browser's own mouse and keyboard.

Points are in CSS pixels of the viewport, as the picture shows it. Keys have the names of `KeyboardEvent.key`
(https://w3c.github.io/uievents-key/). What a person types is in no log, event or history, unless a test is recorded
(`person_acts`)."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Annotated, Literal

from pydantic import BaseModel, ConfigDict, Field, TypeAdapter, ValidationError

from oryn.browsers.base.types import MouseButton
from oryn.errors import InvalidValue, NotSupported, OrynError, RequestError

if TYPE_CHECKING:
    from oryn.browsers.base import Page
    from oryn.engine import Session

MAX_TEXT_CHARACTERS = 100_000
"""Maximum length of one pasted text."""
_MAX_PIXELS = 100_000

Coordinate = Annotated[float, Field(ge=-_MAX_PIXELS, le=_MAX_PIXELS, allow_inf_nan=False)]


class _Message(BaseModel):
    model_config = ConfigDict(extra="forbid")


class MouseMove(_Message):
    """The mouse moves to a point, with the held button, if any."""

    type: Literal["move"]
    x: Coordinate
    y: Coordinate


class MousePress(_Message):
    """A button is pressed; `count` is 2 for the second press of a double click."""

    type: Literal["press"]
    x: Coordinate
    y: Coordinate
    button: MouseButton = "left"
    count: int = Field(1, ge=1, le=3)


class MouseRelease(_Message):
    """The held button is released."""

    type: Literal["release"]
    x: Coordinate
    y: Coordinate


class WheelTurn(_Message):
    """The wheel turns by `dx` and `dy` pixels."""

    type: Literal["wheel"]
    x: Coordinate
    y: Coordinate
    dx: Coordinate
    dy: Coordinate


class KeyInput(_Message):
    """A key is pressed, or released (`down` is false), which matters for modifiers alone."""

    type: Literal["key"]
    key: str = Field(min_length=1, max_length=40)
    down: bool = True


class TextInput(_Message):
    """Text that no single key types: from an input method, or from the keyboard of a phone."""

    type: Literal["text"]
    text: str = Field(max_length=MAX_TEXT_CHARACTERS)


class PastedText(_Message):
    """Text from the person's own clipboard."""

    type: Literal["paste"]
    text: str = Field(max_length=MAX_TEXT_CHARACTERS)


class DialogAnswer(_Message):
    """The answer to the page's dialog; `text` is that of a prompt."""

    type: Literal["dialog"]
    accept: bool
    text: str | None = Field(None, max_length=MAX_TEXT_CHARACTERS)


class TabChoice(_Message):
    """Another tab is to be shown."""

    type: Literal["tab"]
    number: int


class GiveBack(_Message):
    """The agent gets the session back."""

    type: Literal["give_back"]


PersonMessage = (
    MouseMove
    | MousePress
    | MouseRelease
    | WheelTurn
    | KeyInput
    | TextInput
    | PastedText
    | DialogAnswer
    | TabChoice
    | GiveBack
)

_READER: TypeAdapter[PersonMessage] = TypeAdapter(Annotated[PersonMessage, Field(discriminator="type")])


def read_message(text: str) -> PersonMessage:
    """Parse a message. Raises `RequestError`, which does not repeat what the person typed."""
    try:
        return _READER.validate_json(text)
    except ValidationError as error:
        first = error.errors(include_url=False, include_input=False, include_context=False)[0]
        raise RequestError(f"the message is not valid: {first['type']}") from None


_KEYS: Mapping[str, str] = {
    "Enter": "enter",
    "Tab": "tab",
    "Escape": "escape",
    " ": "space",
    "Backspace": "backspace",
    "Delete": "delete",
    "ArrowUp": "arrowup",
    "ArrowDown": "arrowdown",
    "ArrowLeft": "arrowleft",
    "ArrowRight": "arrowright",
    "Home": "home",
    "End": "end",
    "PageUp": "pageup",
    "PageDown": "pagedown",
    "Insert": "insert",
    **{f"F{number}": f"f{number}" for number in range(1, 13)},
}
"""The names of keys in the Intent Language, by their names in events."""
_MODIFIERS: Mapping[str, str] = {"Control": "control", "Shift": "shift", "Alt": "alt", "Meta": "meta"}
_SHORTCUT_MODIFIERS = frozenset({"control", "alt", "meta"})


class PersonInput:
    """Delivers a person's input to the current page of a session."""

    def __init__(self, session: Session) -> None:
        self._session = session
        self._pages: list[Page] = []
        """The pages that got input, in which keys or a button may be held."""

    async def deliver(self, message: PersonMessage) -> None:
        """Deliver one message. Raises `OrynError`, such as `DialogOpen`."""
        session = self._session
        if isinstance(message, TabChoice):
            await self.release()
            await session.browser.switch_tab(message.number)
            return
        session.control.note_person()
        page = session.page
        if isinstance(message, DialogAnswer):
            await page.answer_dialog(message.accept, message.text)
            return
        if page not in self._pages:
            self._pages.append(page)
        match message:
            case MouseMove():
                await page.mouse.move(message.x, message.y)
            case MousePress():
                await page.mouse.press(message.x, message.y, button=message.button, count=message.count)
            case MouseRelease():
                if page.mouse.held is not None:
                    await page.mouse.release(message.x, message.y)
            case WheelTurn():
                await page.mouse.wheel(message.x, message.y, message.dx, message.dy)
            case KeyInput():
                await _deliver_key(page, message)
            case TextInput():
                await page.keyboard.insert(message.text)
            case PastedText():
                await self._paste(page, message.text)

    async def _paste(self, page: Page, text: str) -> None:
        """Paste a text as a person does, so that the page gets the event. The session's clipboard, which the agent can
        read, does not keep it."""
        try:
            clipboard = self._session.browser.clipboard
            before = await clipboard.read()
        except NotSupported:
            await page.keyboard.insert(text)
            return
        await clipboard.write(text)
        try:
            await page.keyboard.press(("control", "v"))
        finally:
            await clipboard.write(before)

    async def release(self) -> None:
        """Release the keys and the button that are held. Errors of pages that are gone are ignored."""
        pages, self._pages = self._pages, []
        for page in pages:
            try:
                if page.keyboard.held:
                    await page.keyboard.up(page.keyboard.held[::-1])
                if page.mouse.held is not None and (position := page.mouse.position) is not None:
                    await page.mouse.release(*position)
            except OrynError:  # the tab has closed, or a dialog of the page is open
                continue


async def _deliver_key(page: Page, message: KeyInput) -> None:
    keyboard = page.keyboard
    if name := _MODIFIERS.get(message.key):
        if message.down:
            await keyboard.down(name)
        else:
            await keyboard.up((name,))
    elif message.down:
        named = _KEYS.get(message.key)
        if named is None and len(message.key) > 2:  # an emoji may have two units
            raise InvalidValue("the page's browser has no such key")
        if named is None and not _SHORTCUT_MODIFIERS.intersection(keyboard.held):
            await keyboard.type(message.key)
        else:
            await keyboard.press((named or message.key.lower(),))
