"""Builds a validated definition from plain data (`schema.py` declares its structure).

Errors are found when an intent is defined, not when its fifth step runs."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from oryn.engine.definitions import schema
from oryn.engine.definitions.model import (
    Branch,
    CommandStep,
    Condition,
    Definition,
    Loop,
    Parameter,
    Step,
    Steps,
    Try,
    read_value,
)
from oryn.engine.definitions.program_text import ProgramText
from oryn.engine.definitions.schema import check_depth, refuse
from oryn.engine.definitions.template import Template, parameter_names, without_comment
from oryn.errors import InvalidDefinition, InvalidProgram
from oryn.language import (
    Command,
    CssTarget,
    Define,
    Exit,
    Learn,
    LearnDiscard,
    LearnSave,
    Output,
    ProgramSave,
    Run,
    SessionClose,
    SessionNew,
    Sessions,
    SessionShow,
    SessionSwitch,
    Undefine,
    is_selector,
    quote,
)
from oryn.language.kinds import DURATION
from oryn.language.lexer import Cursor

NOT_STEPS: tuple[type[Command], ...] = (
    Define, Undefine, Exit, Output, Learn, LearnSave, LearnDiscard, ProgramSave,
    Sessions, SessionShow, SessionSwitch, SessionNew, SessionClose,
)  # fmt: skip
"""Commands that can't be steps: they affect the host or intents themselves."""

Types = dict[str, str]


def read_definition(data: Any) -> Definition:
    """Build the definition from plain data. Raises `InvalidDefinition` with the position of the error."""
    check_depth(data)
    checked = schema.DEFINITION.read(data, "")
    parameters = {name: _parameter(name, each) for name, each in checked.get("parameters", {}).items()}
    reading = _DefinitionLoader({name: each.type for name, each in parameters.items()}, checked["name"])
    steps = reading.steps(checked.get("steps", []), "steps")
    limits = checked.get("limits", {})
    if "program" in checked:
        reading.check_program(checked)
    return Definition(
        checked["name"],
        checked.get("version", "1"),
        checked.get("description", ""),
        {
            name: Parameter(name, "text", None, each.required, True, each.description)
            if name in reading.secrets
            else each
            for name, each in parameters.items()
        },
        steps,
        reading.conditions(checked.get("success", []), "success"),
        reading.conditions(checked.get("failure", []), "failure"),
        limits.get("steps", schema.DEFAULT_STEP_LIMIT),
        float(DURATION.read(Cursor(limits["time"])).value) if "time" in limits else None,
        data,
        checked.get("program"),
    )  # fmt: skip


def definition_of_lines(name: str, lines: Sequence[str]) -> Definition:
    """Build a definition from the lines of `define`. The lines are the steps, and every name in braces is a required
    text."""
    steps = [step for line in lines if (step := without_comment(line))]
    names = dict.fromkeys(name for line in steps for name in parameter_names(line))
    parameters: dict[str, dict[str, Any]] = {name: {} for name in names}
    data = {"name": name, "version": "1", **({"parameters": parameters} if names else {}), "steps": steps}
    found = read_definition(data)
    for secret in found.secrets:
        parameters[secret]["secret"] = True
    return found


def _parameter(name: str, data: Mapping[str, Any]) -> Parameter:
    where = f"parameters.{name}"
    if name == "timeout":
        refuse(where, "every command has an option of this name", "Choose another name.")
    kind, secret = data.get("type", "text"), data.get("secret", False)
    if secret and kind != "text":
        refuse(where, "a secret is a text", "Leave its type out.")
    if secret and "default" in data:
        refuse(where, "a secret has no default", "A definition is no place for a credential: it is given with run.")
    default = _default(data["default"], kind, where) if "default" in data else None
    required = data.get("required", default is None)
    return Parameter(name, kind, default, required, secret, data.get("description", ""))


def _default(value: Any, kind: str, where: str) -> str | tuple[str, ...]:
    if kind == "list":
        if not isinstance(value, list):
            refuse(where, "the default of a list is a list")
        return tuple(value)
    if isinstance(value, bool):
        value = "true" if value else "false"
    if isinstance(value, list) or (text := read_value(kind, str(value))) is None:
        refuse(where, f"the default is no {kind}")
    return text


class _DefinitionLoader:
    """Builds steps and conditions from validated data; `secrets` collects the parameters in the places of
    credentials."""

    def __init__(self, types: Types, name: str) -> None:
        self.types, self.name = types, name
        self.secrets: set[str] = set()

    def template(self, text: str, where: str) -> Template:
        template = Template.read(text, self.types, where)
        self.secrets |= template.secrets(self.types)
        return template

    def steps(self, data: Sequence[Any], where: str) -> Steps:
        return tuple(self._step(each, f"{where}[{index}]") for index, each in enumerate(data, 1))

    def _step(self, data: Any, where: str) -> Step:
        if isinstance(data, str):
            return self._do(data, where)
        ((kind, inner),) = data.items()
        where = f"{where}.{kind}"
        if kind == "branch":
            return Branch(
                self.condition(inner["if"], f"{where}.if"),
                self.steps(inner["then"], f"{where}.then"),
                self.steps(inner.get("else", []), f"{where}.else"),
            )
        if kind == "try":
            steps = self.steps(inner["steps"], f"{where}.steps")
            return Try(steps, self.steps(inner.get("catch", []), f"{where}.catch"))
        return self._loop(inner, where)

    def _do(self, text: str, where: str) -> CommandStep:
        template = self.template(text, where)
        command = template.sample(self.types)
        if isinstance(command, NOT_STEPS):
            refuse(where, f"{command.spec.name} is no step", "Steps act on the page; this is for the session itself.")
        if isinstance(command, Run) and command.name == self.name:
            raise InvalidDefinition(f"{where}: {self.name} calls itself", "Use a loop to do something several times.")
        return CommandStep(template)

    def _loop(self, data: Mapping[str, Any], where: str) -> Loop:
        kinds = [kind for kind in ("times", "while", "until", "over") if kind in data]
        if len(kinds) != 1:
            refuse(where, "a loop has one of times, while, until, over")
        (kind,) = kinds
        value = data[kind]
        wanted = {"times": "number", "over": "list"}.get(kind)
        if wanted and isinstance(value, str) and self.types.get(value) != wanted:
            refuse(f"{where}.{kind}", f"{value} is no parameter of the type {wanted}")
        item = data.get("as", "item")
        outer = self.types
        condition = self.condition(value, f"{where}.{kind}") if kind in ("while", "until") else None
        self.types = {**outer, item: "text"} if kind == "over" else outer
        steps = self.steps(data["steps"], f"{where}.steps")
        self.types = outer
        return Loop(
            steps,
            times=value if kind == "times" else None,
            over=(value if isinstance(value, str) else tuple(value)) if kind == "over" else None,
            item=item,
            condition=condition,
            until=kind == "until",
            limit=data.get("limit", schema.DEFAULT_ROUND_LIMIT),
        )

    def check_program(self, checked: Mapping[str, Any]) -> None:
        """Check a program, and collect the parameters that it uses as credentials."""
        if "failure" in checked:
            refuse("failure", "a program has no failure conditions", "It looks itself, and raises an error.")
        if "steps" in checked.get("limits", {}):
            refuse("limits.steps", "a program has no steps", "limits: {time: …} limits it.")
        try:
            program = ProgramText(checked["program"])
        except InvalidProgram as error:
            refuse("program", error.message)
        for name in self.types:
            if not program.can_have(name):
                refuse(f"parameters.{name}", "no variable of this program can have this name", "Choose another name.")
        names, _ = program.secret_parts()
        self.secrets |= names & self.types.keys()

    def conditions(self, data: Sequence[Any], where: str) -> tuple[Condition, ...]:
        return tuple(self.condition(each, f"{where}[{index}]") for index, each in enumerate(data, 1))

    def condition(self, data: Mapping[str, Any], where: str) -> Condition:
        ((kind, value),) = data.items()
        where = f"{where}.{kind}"
        if kind in ("all", "any"):
            return Condition(kind, parts=self.conditions(value, where))
        if kind == "not":
            return Condition(kind, parts=(self.condition(value, where),))
        if kind == "given":
            if value not in self.types:
                refuse(where, f"{value} is no parameter")
            return Condition(kind, texts=(value,))
        if kind == "equals":
            for name in (name for text in value for name in parameter_names(text)):
                if self.types.get(name, "list") == "list":
                    refuse(where, f"{{{{{name[:40]}}}}} is no parameter that is one text")
            return Condition(kind, texts=tuple(value))
        return Condition(kind, self.template(_condition_command(kind, value), where))


def _condition_command(kind: str, value: str) -> str:
    """Return the command line of a condition; its text is quoted unless it is a target or a selector."""
    lines = {
        "text": "is visible {quoted}", "visible": "is visible {value}", "enabled": "is enabled {value}",
        "checked": "is checked {value}", "exists": "exists {selector}", "gone": "exists {selector}",
        "url": "wait url {quoted}", "script": "eval {quoted}",
    }  # fmt: skip
    selector = quote(value) if is_selector(value) else str(CssTarget(value))
    return lines[kind].format(quoted=quote(value), value=value, selector=selector)
