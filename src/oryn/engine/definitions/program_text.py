"""What the text of a program says without running it: its parameters, and what in it is a credential. Pure.

The text is parsed with Python's own grammar, of which programs have a subset, so that errors are found when a program
is saved, not when it runs."""

from __future__ import annotations

import ast
import builtins
import keyword
import re
from collections import Counter
from collections.abc import Collection, Iterator, Mapping
from typing import Any, NamedTuple

from oryn.core.records import Record
from oryn.engine.definitions.schema import PARAMETER_PATTERN
from oryn.engine.definitions.template import slug
from oryn.engine.program.functions import command_functions, function_names, line_of_call
from oryn.errors import InvalidProgram, LanguageError
from oryn.language import VAULT_REFERENCE, render

MIN_SECRET_CHARACTERS = 4
"""Shorter texts are not searched in the rest of a program: they may be a part of anything."""

_NAMES = frozenset(dir(builtins)) | {"page", "OrynError"}
"""Names that a program has without assigning them, beside the functions."""
_WORD = "slotz0x"
"""Takes the place of a text of which is asked whether it is a credential."""
FIELD_FUNCTIONS = ("type", "select")
"""Functions whose second argument is for the field that the first one names."""
_COMMENT = re.compile(r"\s*#\s*(.*)")


class ProgramParameter(Record):
    """A parameter of a program. `default` is None if it has to be given; a secret has none."""

    name: str
    type: str = "text"
    default: str | float | bool | list[str] | None = None
    secret: bool = False
    description: str = ""

    @property
    def data(self) -> dict[str, Any]:
        """The parameter as a definition has it."""
        found: dict[str, Any] = {} if self.type == "text" else {"type": self.type}
        if self.default is not None:
            found["default"] = self.default
        if self.description:
            found["description"] = self.description
        return {**found, "secret": True} if self.secret else found


class _Edit(NamedTuple):
    """A piece of the text, in bytes, and what takes its place."""

    start: int
    end: int
    text: str


class ProgramText:
    """A program's text, parsed. Raises `InvalidProgram` with line and column."""

    def __init__(self, text: str) -> None:
        self.text = text
        try:
            self.tree = ast.parse(text)
        except SyntaxError as error:
            raise InvalidProgram(f"line {error.lineno}, column {error.offset}: {error.msg}") from None
        except (ValueError, RecursionError, MemoryError):
            raise InvalidProgram("the program can't be parsed: it nests too deeply, or has a null character") from None
        self._content = text.encode("utf-8", "surrogatepass")
        self._starts = [0, *(found.end() for found in re.finditer(b"\n", self._content))]
        self._stores = Counter(_assigned_names(self.tree))
        self._calls = {
            node.func.id for node in _walk(self.tree) if isinstance(node, ast.Call) and isinstance(node.func, ast.Name)
        }

    @property
    def description(self) -> str:
        """The program's docstring on one line, or an empty text."""
        return " ".join((ast.get_docstring(self.tree) or "").split())[:1000]

    # --- parameters ---

    def free_names(self) -> list[str]:
        """The names that the program reads and never assigns, in their order."""
        functions = function_names()
        found = {
            node.id: None
            for node in _walk(self.tree)
            if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Load) and node.id not in self._stores
        }
        return [name for name in found if name not in functions and name not in _NAMES]

    def head_parameters(self) -> dict[str, tuple[ast.stmt, ProgramParameter]]:
        """The assignments at the program's head that may be parameters: a name in lower case that gets a text, a
        number, a flag or a list of texts, once."""
        found: dict[str, tuple[ast.stmt, ProgramParameter]] = {}
        lines = Counter(line for each in self.tree.body for line in range(each.lineno, (each.end_lineno or 0) + 1))
        for statement in self.tree.body:
            match statement:
                case ast.Expr(value=ast.Constant(value=str())) | ast.Import() | ast.ImportFrom():
                    continue
                case ast.Assign(targets=[ast.Name(id=name)], value=value):
                    pass
                case ast.AnnAssign(target=ast.Name(id=name), value=ast.expr() as value):
                    pass
                case _:
                    break
            if any(lines[line] > 1 for line in range(statement.lineno, (statement.end_lineno or 0) + 1)):
                break
            kind, default = literal_of(value)
            if kind and self._stores[name] == 1 and self.can_have(name):
                comment = _COMMENT.match(self._line_behind(statement))
                found[name] = (
                    statement,
                    ProgramParameter(name, kind, default, description=comment[1].strip()[:1000] if comment else ""),
                )
        return found

    def _line_behind(self, statement: ast.stmt) -> str:
        end = self._place(statement.end_lineno, statement.end_col_offset)
        return self._content[end:].partition(b"\n")[0].decode("utf-8", "replace")

    def can_have(self, name: str) -> bool:
        """Return whether a parameter can have this name, which would hide a function."""
        return is_parameter_name(name) and name not in self._calls

    # --- credentials ---

    def secret_parts(self, secrets: Collection[str] = ()) -> tuple[set[str], list[tuple[ast.expr, str, str]]]:
        """Return the names in the places of credentials, and the texts there: where, the text, and a name for it.

        secrets: texts of which is known that they are credentials, wherever they stand."""
        names: set[str] = set()
        texts: dict[ast.expr, tuple[str, str]] = {}
        for call in _walk(self.tree):
            if isinstance(call, ast.Call) and isinstance(call.func, ast.Name) and call.func.id in command_functions():
                for node, label in _secret_arguments(call):
                    if isinstance(node, ast.Name):
                        names.add(node.id)
                    elif isinstance(node, ast.Constant) and not is_reference(node.value):
                        texts[node] = str(node.value), label
        inside = {part for node in _walk(self.tree) if isinstance(node, ast.JoinedStr) for part in ast.walk(node)}
        for node in _walk(self.tree):
            if isinstance(node, ast.Constant) and node.value in secrets and node not in inside:
                texts.setdefault(node, (str(node.value), "password"))
        return names, [(node, text, label) for node, (text, label) in texts.items()]

    # --- comparison ---

    def count_calls(self) -> int:
        """Return how many calls of commands the text has; 0 if all of them only look."""
        called = [
            command_functions()[node.func.id]
            for node in _walk(self.tree)
            if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id in command_functions()
        ]
        acts = any(not form.spec.reads for forms in called for form in forms)
        return len(called) if acts else 0

    def structure(self) -> Iterator[str]:
        """Yield what the text has beside its literals: equal for programs that differ only in these."""
        for node, kind, _ in self._parts():
            fields = [str(value) for _, value in ast.iter_fields(node) if isinstance(value, str | int | bytes | None)]
            yield kind or ":".join([type(node).__name__, *fields])

    def literals(self) -> list[tuple[ast.expr, str]]:
        """Return the literals in their order, each with a name for it as a parameter."""
        return [(node, label) for node, kind, label in self._parts() if kind]

    def _parts(self) -> Iterator[tuple[Any, str, str]]:
        """Yield all nodes down to the literals, each with its type if it is one, and with a name for it."""
        stack: list[tuple[ast.AST, str]] = [(self.tree, "")]
        while stack:
            node, label = stack.pop()
            is_docstring = isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant)
            kind, _ = literal_of(node) if isinstance(node, ast.expr) and label else ("", None)
            yield node, kind, label
            if not kind and not is_docstring:
                stack += reversed(list(_labelled_children(node)))

    # --- the text as it is saved ---

    def with_names(self, names: Mapping[ast.expr, str], removed: Collection[ast.stmt] = ()) -> str:
        """Return the text with names in the places of expressions, and without these statements."""
        edits = [_Edit(*self._span(node), name) for node, name in names.items()]
        edits += [_Edit(*self._line_span(each), "") for each in removed]
        content = self._content
        for edit in sorted(edits, reverse=True):
            content = content[: edit.start] + edit.text.encode() + content[edit.end :]
        return content.decode("utf-8", "surrogatepass").strip("\n") + "\n"

    def _place(self, line: int | None, column: int | None) -> int:
        return self._starts[(line or 1) - 1] + (column or 0)

    def _span(self, node: ast.expr | ast.stmt) -> tuple[int, int]:
        return self._place(node.lineno, node.col_offset), self._place(node.end_lineno, node.end_col_offset)

    def _line_span(self, node: ast.stmt) -> tuple[int, int]:
        lines = [*self._starts, len(self._content)]
        return lines[node.lineno - 1], lines[node.end_lineno or node.lineno]

    def unused_name(self, name: str, taken: Collection[str] = ()) -> str:
        """Return a name like this one that nothing in the program has."""
        used = {node.id for node in _walk(self.tree) if isinstance(node, ast.Name)} | set(self._stores) | set(taken)
        free, number = name, 1
        while free in used or not self.can_have(free):
            number += 1
            free = f"{name}_{number}"
        return free


def saved_program(name: str, text: str, secrets: Collection[str] = ()) -> dict[str, Any]:
    """Return the data of a definition that runs a program.

    Its parameters are the names that the text never assigns, and the assignments at its head, with these values as
    their defaults. `secrets` are credentials that its commands have typed: each becomes a parameter. Raises
    `InvalidProgram`."""
    program = ProgramText(text)
    head = program.head_parameters()
    names, texts = program.secret_parts(secrets)
    names |= {each for each, (_, parameter) in head.items() if str(parameter.default) in secrets}
    of_text = {str(parameter.default): each for each, (_, parameter) in head.items() if each in names}
    parameters: dict[str, ProgramParameter] = {}
    for each in program.free_names():
        if not is_parameter_name(each):
            raise InvalidProgram(f"{each} is not defined", "A parameter's name has lower-case letters, digits and _.")
        parameters[each] = ProgramParameter(each, secret=each in names)
    for each, (_, parameter) in head.items():
        parameters[each] = parameter.replace(type="text", default=None, secret=True) if each in names else parameter
    replaced: dict[ast.expr, str] = {}
    removed = {statement for statement, _ in head.values()}
    for node, secret_text, label in texts:
        if any(node is part for statement in removed for part in ast.walk(statement)):
            continue
        if secret_text not in of_text:
            of_text[secret_text] = secret = program.unused_name(label, parameters)
            parameters[secret] = ProgramParameter(secret, secret=True)
        replaced[node] = of_text[secret_text]
    rest = program.with_names(replaced, removed)
    credentials = {*secrets, *(each for _, each, _ in texts)}
    if any(len(each) >= MIN_SECRET_CHARACTERS and each in rest for each in credentials):
        raise InvalidProgram(
            "a credential is a part of another text in it", "Write it alone, as an argument, so that it is a parameter."
        )
    data: dict[str, Any] = {"name": name, "version": "1"}
    if program.description:
        data["description"] = program.description
    if parameters:
        data["parameters"] = {each: parameter.data for each, parameter in parameters.items()}
    return {**data, "program": rest}


def is_parameter_name(name: str) -> bool:
    """Return whether a variable of this name can be a parameter."""
    is_name = name.isidentifier() and not keyword.iskeyword(name)
    return is_name and name != "timeout" and re.search(PARAMETER_PATTERN, name) is not None


def is_reference(text: Any) -> bool:
    """Return whether a text only names a value of the vault."""
    return isinstance(text, str) and not VAULT_REFERENCE.sub("", text).strip()


def literal_of(node: ast.expr) -> tuple[str, Any]:
    """Return type and value of an expression that is a parameter's default; an empty type for any other."""
    match node:
        case ast.Constant(value=bool() as value):
            return "flag", value
        case ast.Constant(value=str() as value) if value.strip():
            return "text", value
        case ast.Constant(value=int() | float() as value):
            return "number", value
        case ast.UnaryOp(op=ast.USub(), operand=ast.Constant(value=int() | float() as value)):
            return "number", -value
        case ast.List(elts=[_, *_] as items):
            texts = [each.value for each in items if isinstance(each, ast.Constant) and isinstance(each.value, str)]
            if len(texts) == len(items) and all(map(str.strip, texts)):
                return "list", texts
    return "", None


def _walk(tree: ast.AST) -> Iterator[Any]:
    """Yield all nodes in the order of the text."""
    stack: list[ast.AST] = [tree]
    while stack:
        node = stack.pop()
        yield node
        stack += reversed(list(ast.iter_child_nodes(node)))


def _assigned_names(tree: ast.AST) -> Iterator[str]:
    """Yield each name that the text assigns, as often as it does."""
    for node in _walk(tree):
        match node:
            case ast.Name(id=name, ctx=ast.Store() | ast.Del()):
                yield name
            case ast.FunctionDef(name=name) | ast.AsyncFunctionDef(name=name) | ast.ClassDef(name=name):
                yield name
            case ast.arg(arg=name) | ast.ExceptHandler(name=str(name)):
                yield name
            case ast.alias(name=name, asname=other):
                yield other or name.partition(".")[0]
            case ast.MatchAs(name=str(name)) | ast.MatchStar(name=str(name)):
                yield name


def _labelled_children(node: ast.AST) -> Iterator[tuple[ast.AST, str]]:
    """Yield the parts of a node, each with a name for it as a parameter; none for a part that can't be one."""
    labels: dict[ast.AST, str] = {}
    match node:
        case ast.JoinedStr(values=parts):
            labels = dict.fromkeys(parts, "")
        case ast.keyword(arg=str(name), value=value):
            labels[value] = name.removesuffix("_")
        case (
            ast.Assign(targets=[ast.Name(id=name)], value=value)
            | ast.AnnAssign(target=ast.Name(id=name), value=ast.expr() as value)
        ):
            labels[value] = name
        case ast.Compare(comparators=parts):
            labels = dict.fromkeys(parts, "limit")
        case ast.Call(func=ast.Name(id=name), args=[ast.Constant(value=str(field)), value]) if name in FIELD_FUNCTIONS:
            labels[value] = slug(field)
        case ast.Call(func=ast.Name(id=name), args=arguments) if command_functions().get(name):
            places = command_functions()[name][0].spec.arguments
            labels = {value: place.name for value, place in zip(arguments, places, strict=False)}
    for child in ast.iter_child_nodes(node):
        yield child, labels.get(child, "value")


def _secret_arguments(call: ast.Call) -> Iterator[tuple[ast.expr, str]]:
    """Yield the names and texts in a call that a command never repeats, each with a name for it."""
    assert isinstance(call.func, ast.Name)
    if any(isinstance(each, ast.Starred) for each in call.args) or any(each.arg is None for each in call.keywords):
        return
    candidates = [
        node
        for argument in (*call.args, *(each.value for each in call.keywords))
        for node in _walk(argument)
        if isinstance(node, ast.Name) or (isinstance(node, ast.Constant) and isinstance(node.value, str))
    ]
    for chosen in candidates:
        arguments = [_sample(each, chosen) for each in call.args]
        named = {str(each.arg): _sample(each.value, chosen) for each in call.keywords}
        try:
            command = line_of_call(call.func.id, arguments, named).command
        except LanguageError:
            continue
        if command is not None and _WORD in render(command) and _WORD not in render(command.masked()):
            yield chosen, "password"


def _sample(node: ast.expr, chosen: ast.expr) -> Any:
    """Return data like the value of an expression, with a word in the place of `chosen`."""
    if node is chosen:
        return _WORD
    match node:
        case ast.Constant(value=value):
            return value
        case ast.List(elts=items) | ast.Tuple(elts=items):
            return [_sample(each, chosen) for each in items]
        case ast.Dict(keys=keys, values=values):
            return {
                str(_sample(key, chosen)): _sample(value, chosen)
                for key, value in zip(keys, values, strict=True)
                if key is not None
            }
    return "text"
