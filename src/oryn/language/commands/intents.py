"""*Intents*: several steps in one command, built in or one's own."""

from __future__ import annotations

from typing import Any, Literal, Self

from oryn.language.command import (
    MASK,
    Command,
    TargetCommand,
    argument,
    flag,
    has_line_break,
    mask_secret,
    names_password,
    option,
    output_option,
    overwrite_flag,
)
from oryn.language.effects import FILL, PRESS, PRESS_AND_FILL, Effect
from oryn.language.kinds import (
    DURATION,
    JSON_OBJECT,
    NAME,
    PASSWORD,
    PATH,
    PROGRAM,
    TARGET,
    ChoiceKind,
    DefinedNameKind,
    DismissKind,
    StringKind,
)
from oryn.language.targets import Target

__all__ = [
    "AcceptCookies",
    "Define",
    "Dismiss",
    "Export",
    "FillForm",
    "Intents",
    "Learn",
    "LearnDiscard",
    "LearnSave",
    "Login",
    "Logout",
    "Pack",
    "Packs",
    "Program",
    "ProgramSave",
    "Run",
    "ScrollUntil",
    "Search",
    "Undefine",
]

_FAMILY = "Intents"

SubmitBy = Literal["enter", "click", "auto"]
LoadUnload = Literal["load", "unload"]
StatusShow = Literal["status", "show"]
ProgramReport = Literal["none", "last", "all"]


class Login(
    Command,
    path="login",
    api_name="sign_in",
    family=_FAMILY,
    effects=PRESS_AND_FILL,
    result="IntentRun | None",
    help="Fill in the login form and submit it",
    guarantee="both fields hold what was typed, and the press that sends the form reached its button",
    example='login "ann" "secret"',
):
    """`wait` is in seconds."""

    user: str = argument(StringKind("user"), "name or address")
    password: str = argument(PASSWORD, "the password")
    no_submit: bool = flag("fill in the form, but don't submit it")
    wait: float | None = option(DURATION, "time to wait for the result")

    @property
    def effects(self) -> tuple[Effect, ...]:
        return FILL if self.no_submit and not has_line_break((self.user, self.password)) else self.spec.effects


class Search(
    Command,
    path="search",
    api_name="site_search",
    family=_FAMILY,
    effects=PRESS_AND_FILL,
    result="IntentRun | None",
    help="Use the page's search field",
    guarantee="the page reacted to the search",
    example='search "red shoes"',
):
    """`wait` is in seconds."""

    query: str = argument(StringKind("query"), "what to search for")
    submit: SubmitBy | None = option(
        ChoiceKind[SubmitBy]("enter", "click", "auto"),
        "how to submit; auto, the default, presses enter and clicks the button if nothing happens",
    )
    wait: float | None = option(DURATION, "time to wait for results")


class Dismiss(
    Command,
    path="dismiss",
    family=_FAMILY,
    effects=PRESS,
    result="IntentRun | None",
    help="Close a popup, dialog or banner",
    guarantee="what was to be closed is closed",
    example="dismiss popups",
):
    """`what` is one of `POPUP_KINDS` (`popup`, `popups`, `modal`, `modals`, `banner`), else a name or a text."""

    what: str = argument(DismissKind(), "a kind of popup, or its name or text")


class AcceptCookies(
    Command,
    path="accept_cookies",
    family=_FAMILY,
    effects=PRESS,
    result="IntentRun | None",
    help="Accept the cookie banner",
    guarantee="the press reached the button that accepts",
    aliases=("accept cookies",),
):
    """Find the banner and accept it."""


class ScrollUntil(
    TargetCommand,
    path="scroll until",
    family=_FAMILY,
    result="list[str] | IntentRun",
    safe=True,
    help="Scroll until an element appears",
):
    """Until it is there and in view, or the page ends."""

    target: Target = argument(TARGET, "the element")


class Logout(
    Command,
    path="logout",
    family=_FAMILY,
    effects=PRESS,
    result="IntentRun | None",
    help="Find the logout control and log out",
    guarantee="the press reached what logs out",
):
    """End the session on the site."""


class FillForm(
    Command,
    path="fill_form",
    family=_FAMILY,
    effects=FILL,
    result="IntentRun | None",
    help="Fill in several fields",
    guarantee="each field has its value when the page has settled; an error names the field",
    example='fill_form {"Name": "Ann", "City": "Oslo"}',
):
    """Fields by their labels, placeholders, names or ids."""

    values_by_field: dict[str, Any] = argument(JSON_OBJECT, "fields and their values")

    @property
    def effects(self) -> tuple[Effect, ...]:
        """In a field of one line, a line break is Enter."""
        return *self.spec.effects, *(PRESS if has_line_break(self.values_by_field) else ())

    def masked(self) -> Self:
        values = {
            name: mask_secret(str(each)) if names_password(name) else each
            for name, each in self.values_by_field.items()
        }
        return self.replace(values_by_field=values) if values != self.values_by_field else self


class Define(
    Command,
    path="define",
    family=_FAMILY,
    result="dict[str, Any]",
    safe=True,
    help="Define an intent; its steps follow as indented lines",
):
    """`body` has the canonical text of its lines, comments included."""

    name: str = argument(DefinedNameKind(), "its name")
    body: tuple[str, ...] = ()


class Undefine(Command, path="undefine", family=_FAMILY, safe=True, help="Remove an intent"):
    """One's own intent."""

    name: str = argument(NAME, "the intent", source="intents")


class Run(
    Command,
    path="run",
    api_name="run_intent",
    family=_FAMILY,
    result="IntentRun",
    safe=True,
    help="Run a defined intent",
    open=True,
    example="run review --rating 5",
):
    """`parameters` are names and values, each name once, with the last value that was written."""

    name: str = argument(NAME, "the intent", source="intents")
    parameters: tuple[tuple[str, str], ...] = ()


class Program(
    Command,
    path="program",
    family=_FAMILY,
    result="ProgramRun",
    safe=True,
    acts=False,
    either=("path", "text", "resume"),
    help="Run a program: many commands in one call, in a subset of Python",
    example="program order.py --report all",
):
    """Every command is a function: `click("Save", double=True)`. What looks returns data, what acts its changes."""

    path: str | None = argument(PATH, "the file with the program", default=None)
    text: str | None = option(PROGRAM, "the program itself")
    resume: str | None = option(NAME, "the stopped program to go on with", aliases=("from",))
    report: ProgramReport | None = option(
        ChoiceKind[ProgramReport]("none", "last", "all"),
        "the acts whose changes the answer has; last, the default, also those that changed nothing",
    )
    yielding: bool = flag("let other commands of the session run between its own")


class ProgramSave(
    Command,
    path="program save",
    family=_FAMILY,
    effects=("intents",),
    result="SavedIntent",
    help="Save a program as an intent, with its parameters",
    example="program save order",
):
    """Of the last program that has ended well, or of a file or a text. Its parameters are the values at its head."""

    name: str = argument(NAME, "the intent's name")
    path: str | None = argument(PATH, "the file with the program; default: the last program", default=None)
    text: str | None = option(PROGRAM, "the program itself")

    def masked(self) -> Self:
        """Without the text, which may have credentials that become parameters."""
        return self.replace(text=MASK) if self.text else self


class Intents(
    Command, path="intents", family=_FAMILY, result="list[IntentRow]", safe=True, reads=True, help="List the intents"
):
    """Built in, from files, and defined in the session."""

    session: bool = flag("list only those defined in this session")


class Export(
    Command,
    path="export",
    family=_FAMILY,
    result="dict[str, Any]",
    safe=True,
    help="Show an intent as YAML, or write it to a file",
):
    """The definition of an intent."""

    name: str = argument(NAME, "the intent", source="intents")
    output: str | None = output_option()
    overwrite: bool = overwrite_flag()


class Packs(
    Command,
    path="packs",
    family=_FAMILY,
    result="list[PackRow]",
    safe=True,
    reads=True,
    help="List the packs of intents",
):
    """Those that are there, and which are loaded."""


class Pack(
    Command, path="pack", family=_FAMILY, result="list[str] | None", safe=True, help="Load or unload a pack of intents"
):
    """A loaded pack is active on the pages that it is for."""

    action: LoadUnload = argument(ChoiceKind[LoadUnload]("load", "unload"), "load or unload")
    name: str = argument(NAME, "the pack", source="packs")


class Learn(
    Command,
    path="learn",
    family=_FAMILY,
    result="LearnStatus | list[dict[str, Any]]",
    safe=True,
    reads=True,
    help="Count or show the intents that could be learnt",
):
    """Sequences of commands seen twice."""

    action: StatusShow = argument(ChoiceKind[StatusShow]("status", "show"), "count, or show as YAML")


class LearnSave(
    Command,
    path="learn save",
    family=_FAMILY,
    effects=("intents",),
    result="SavedIntent",
    help="Save a learnt proposal as an intent",
):
    """Write the proposal under a name."""

    name: str = argument(NAME, "the intent's name")


class LearnDiscard(
    Command,
    path="learn discard",
    family=_FAMILY,
    effects=("intents",),
    result="list[str]",
    help="Discard learnt proposals",
):
    """One proposal, or all."""

    name: str | None = argument(NAME, "the proposal; default: all", default=None)
