"""`MontyInterpreter`: one program in a worker of Monty, which the host keeps warm.

A worker is a process that knows nothing of the host: it runs the text until that calls a function, and gives the call's
name and arguments to the host. Imports of anything but Monty's own modules, files, the network and the environment are
calls too, and all refused."""

from __future__ import annotations

import asyncio
import atexit
import time
import weakref
from collections.abc import AsyncGenerator, AsyncIterator, Awaitable, Callable, Collection, Mapping
from contextlib import asynccontextmanager
from functools import cache
from importlib import import_module
from typing import TYPE_CHECKING, Any, Literal

from oryn.core.suggestions import did_you_mean
from oryn.core.text_safety import shortened
from oryn.engine.program.interpreter import (
    FailureKind,
    FunctionCall,
    Interpreter,
    ProgramEnd,
    ProgramEvent,
    ProgramFailure,
    ProgramObject,
    ProgramState,
)
from oryn.errors import ProgramLimitReached
from oryn.sandbox.source import ERROR_CLASS, ERROR_FIELDS, ERROR_NAME, PREPARATION, ProgramSource
from oryn.system.optional_dependencies import require_extra
from oryn.system.processes import return_large_blocks

if TYPE_CHECKING:
    import pydantic_monty

MAX_WORKERS = 8
"""Maximum number of programs that run at once in one host."""
WAIT_SECONDS = 30.0
"""Seconds that a program waits for one of the others to end."""
MAX_COMPUTING_SECONDS = 10.0
"""Seconds that a program may compute, without the time of its commands."""
MAX_MEMORY = 64 * 1024 * 1024
MAX_CALLS = 20_000
"""Maximum number of calls of functions, reads of `page` and names that are looked up."""
MAX_SLEEP_SECONDS = 30.0
"""Maximum seconds of one `time.sleep`."""
MAX_ARGUMENT_CHARACTERS = 100_000
"""Maximum characters of all arguments of one call."""
MAX_OBJECTS = 50_000
"""Maximum number of objects that a program may pass back after it was continued."""
MAX_INTEGER_BITS = 4096
"""Maximum size of an integer that leaves a program; of a larger one, only the size does."""
MAX_BYTES = 10_000
MAX_DEPTH = 50
"""How deep a program's lists and mappings may be nested within each other when they leave it."""
MAX_VALUE_CHARACTERS = 80
MAX_VARIABLES = 20
_STOP_ATTEMPTS = 5
_EXIT_SECONDS = 0.1
"""Seconds that Python's exit leaves the threads of Monty, which nothing can join, to let go of Python's objects. One
that still takes the interpreter's lock after that aborts the process."""

_PAGE = "page"
_OWN_PREFIX = "_oryn_"
_LIMIT_ERRORS = ("MemoryError", "RecursionError", "TimeoutError")
_REJECTIONS = {"NameError": NameError, "AttributeError": AttributeError, "TypeError": TypeError}

_Pool = tuple[AsyncGenerator["pydantic_monty.AsyncMonty"], "pydantic_monty.AsyncMonty"]
_pools: weakref.WeakKeyDictionary[asyncio.AbstractEventLoop, _Pool] = weakref.WeakKeyDictionary()
"""The pool of workers of each event loop, and what closes it."""


class PageView(ProgramObject):
    """The object `page`, whose attributes are read when the program reads them."""


_PAGE_ATTRIBUTES = {"url": "url", "title": "title"}
"""The functions that read the attributes of `page`."""


@cache
def _let_threads_end_at_exit() -> None:
    atexit.register(time.sleep, _EXIT_SECONDS)


@asynccontextmanager
async def new_interpreter(functions: Collection[str], printed: Callable[[str], object]) -> AsyncIterator[Interpreter]:
    """Start an interpreter, in a worker that no other program has. As `InterpreterFactory`; raises `NotSupported`,
    `ProgramLimitReached`."""
    with require_extra("program", "a program"):
        import_module("pydantic_monty")
    loop = asyncio.get_running_loop()
    if loop not in _pools:
        opening = _pool()
        pool = await anext(opening)
        _pools.setdefault(loop, (opening, pool))  # another program may have opened one meanwhile
    _, pool = _pools[loop]
    checkout = pool.checkout(
        script_name="program",
        limits={
            "max_feed_duration_secs": MAX_COMPUTING_SECONDS,
            "max_memory": MAX_MEMORY,
            "max_suspensions": MAX_CALLS,
        },
        os_policy={"sleep": "call_host"},
    )
    try:
        session = await checkout.__aenter__()
    except TimeoutError:
        raise ProgramLimitReached(f"{MAX_WORKERS} programs run already", "Wait until one of them ends.") from None
    interpreter = MontyInterpreter(session, functions, printed)
    try:
        yield interpreter
    finally:
        interpreter.close()
        await checkout.__aexit__(None, None, None)


async def _pool() -> AsyncGenerator[pydantic_monty.AsyncMonty]:
    """A pool of workers, which is closed when the event loop ends its asynchronous generators: at the exit of Python it
    is too late, because threads of the pool still run then."""
    import pydantic_monty

    return_large_blocks()  # what programs send may be large
    _let_threads_end_at_exit()
    async with pydantic_monty.AsyncMonty(max_processes=MAX_WORKERS, checkout_timeout=WAIT_SECONDS) as pool:
        yield pool


class MontyInterpreter:
    """Runs one program in the worker of a session of Monty."""

    def __init__(
        self,
        session: pydantic_monty.AsyncMontySession,
        functions: Collection[str],
        printed: Callable[[str], object],
    ) -> None:
        self._session = session
        self._functions = frozenset(functions)
        self._printed = printed
        self._source = ProgramSource("")
        self._feed = ""
        """The name of the program's text in places."""
        self._written = ""
        self._objects: dict[Any, ProgramObject] = {}
        self._waiting: Any = None
        """The snapshot of the program that waits for a call."""
        self._last_failure: str | None = None

    # --- Interpreter ---

    async def start(self, text: str, inputs: Mapping[str, Any]) -> ProgramEvent:
        import builtins

        self._written, self._source = text, ProgramSource(text, self._functions)
        await self._session.feed_run(PREPARATION)
        hidden = {name: _function(name) for name in self._functions if hasattr(builtins, name)}
        variables = {name: self._sent(value) for name, value in inputs.items()}
        return await self._advance(
            self._session.feed_start(self._source.text, inputs=hidden | variables, print_callback=self._print)
        )

    async def restore(self, state: ProgramState) -> ProgramEvent:
        self._written, self._source = state.text, ProgramSource(state.text, self._functions)
        self._objects = dict(state.objects)
        return await self._advance(self._session.load_snapshot(state.data, print_callback=self._print))

    async def resume(self, value: Any) -> ProgramEvent:
        waiting, sent = self._taken(), self._sent(value)
        if _is_lookup(waiting):
            return await self._advance(waiting.resume(value=sent))
        return await self._advance(waiting.resume({"return_value": sent}))

    async def fail(self, message: str) -> ProgramEvent:
        self._last_failure = message
        waiting = self._taken()
        if _is_lookup(waiting):
            self._last_failure = _lookup_failure(waiting)
            return await self._advance(waiting.resume())
        return await self._advance(waiting.resume({"exception": FileExistsError(_encodable(message))}))

    async def reject(self, kind: Literal["NameError", "AttributeError", "TypeError"], message: str) -> ProgramEvent:
        return await self._advance(self._taken().resume({"exception": _REJECTIONS[kind](_encodable(message))}))

    def state(self) -> ProgramState:
        return ProgramState(self._waiting.dump(), self._written, dict(self._objects))

    async def variables(self) -> Mapping[str, str]:
        import pydantic_monty

        for _ in range(_STOP_ATTEMPTS):  # the program may catch what ends it
            waiting = self._taken()
            # A name that is looked up takes no exception of the host's.
            ending = waiting.resume() if _is_lookup(waiting) else waiting.resume({"exception": SystemExit("stopped")})
            try:
                snapshot = await ending
            except pydantic_monty.MontyRuntimeError:
                break
            except pydantic_monty.MontyError:
                return {}
            if isinstance(snapshot, pydantic_monty.MontyComplete):
                break
            self._waiting = snapshot
        else:
            return {}
        return await self._globals()

    async def _globals(self) -> Mapping[str, str]:
        """The short texts of the variables of a program that has ended; none if its process has ended with it."""
        import pydantic_monty

        code = f"{{name: repr(value)[:{MAX_VALUE_CHARACTERS * 4}] for name, value in locals().items()}}"
        try:
            found = await self._session.feed_run(code)
        except (pydantic_monty.MontyError, RuntimeError):  # the latter if the worker was ended for its memory
            return {}
        shown = [
            (str(name), shortened(text, MAX_VALUE_CHARACTERS))
            for name, text in found.items()
            if not str(name).startswith(_OWN_PREFIX)
            and name not in (ERROR_NAME, _PAGE)
            and name not in self._functions
            and not text.startswith(("<function ", "<class ", "<module "))
        ]
        return dict(shown[:MAX_VARIABLES])

    def close(self) -> None:
        """Drop what refers to the interpreter itself, so that its memory is free at once."""
        self._waiting = None
        self._objects = {}

    # --- what the worker answers ---

    def _taken(self) -> Any:
        waiting, self._waiting = self._waiting, None
        return waiting

    def _print(self, stream: str, text: str) -> None:
        self._printed(text)

    async def _advance(self, step: Awaitable[Any]) -> ProgramEvent:
        """Take steps until the program calls a function of the engine, or ends."""
        import pydantic_monty

        while True:
            match snapshot := await self._stepped(step):
                case ProgramFailure():
                    return snapshot
                case pydantic_monty.MontyComplete():
                    return ProgramEnd(self._received(snapshot.output))
                case pydantic_monty.AsyncFunctionSnapshot():
                    event = await self._called(snapshot)
                case pydantic_monty.AsyncNameLookupSnapshot():
                    event = self._looked_up(snapshot)
                case _:  # it awaits something
                    event = snapshot.resume(
                        {
                            call: {"exception": RuntimeError("there is nothing to await: calls return when done")}
                            for call in snapshot.pending_call_ids
                        }
                    )
            if isinstance(event, FunctionCall):
                self._waiting = snapshot
                return event
            step = event

    async def _stepped(self, step: Awaitable[Any]) -> Any:
        """Take a step: return Monty's snapshot, or a `ProgramFailure`."""
        import pydantic_monty

        try:
            return await step
        except (pydantic_monty.MontySyntaxError, pydantic_monty.MontyRuntimeError) as error:
            failure = self._failure(error)
            return failure.replace(variables=await self._globals()) if failure.kind != "syntax" else failure
        except pydantic_monty.MontyCrashedError as error:
            return ProgramFailure("crash", f"the program's process has ended ({error})")
        except pydantic_monty.MontyConversionError as error:
            return ProgramFailure("error", str(error))
        finally:
            del step  # it holds the error, whose traceback holds this frame: the program's data would stay

    async def _called(self, snapshot: Any) -> FunctionCall | Awaitable[Any]:
        """Return the call, if it is one of the engine; else how the program goes on."""
        name = str(snapshot.function_name)
        if snapshot.is_os_function:
            if not name.endswith(".sleep"):
                awaitable: Awaitable[Any] = snapshot.resume_not_handled()
                return awaitable
            seconds = snapshot.args[0] if snapshot.args and isinstance(snapshot.args[0], int | float) else 0.0
            await asyncio.sleep(min(max(seconds, 0.0), MAX_SLEEP_SECONDS))
            awaitable = snapshot.resume({"return_value": None})
            return awaitable
        if snapshot.object_id is not None:
            message = f"there is no method {name}: call the function, as in {name}(element)"
            if name == "__call__":
                message = "this is no function here, but an object that the program has given its name"
            awaitable = snapshot.resume({"exception": AttributeError(message)})
            return awaitable
        if name == ERROR_FIELDS:
            return FunctionCall("last_error", tuple(map(self._received, snapshot.args)), {})
        if name not in self._functions:
            suggestion = did_you_mean(name, self._functions)
            awaitable = snapshot.resume(
                {"exception": NameError(f"name '{name}' is not defined" + (f". {suggestion}" if suggestion else ""))}
            )
            return awaitable
        if _size((snapshot.args, snapshot.kwargs)) > MAX_ARGUMENT_CHARACTERS:
            message = f"{name} got more than {MAX_ARGUMENT_CHARACTERS} characters"
            awaitable = snapshot.resume({"exception": ValueError(message)})
            return awaitable
        line, column = self._place(snapshot.position)
        named = {str(key): self._received(value) for key, value in snapshot.kwargs.items()}
        return FunctionCall(name, tuple(map(self._received, snapshot.args)), named, line, column)

    def _looked_up(self, snapshot: Any) -> FunctionCall | Awaitable[Any]:
        name = snapshot.variable_name
        awaitable: Awaitable[Any]
        if snapshot.object_id is not None:
            if name in _PAGE_ATTRIBUTES and isinstance(self._objects.get(snapshot.object_id), PageView):
                return FunctionCall(_PAGE_ATTRIBUTES[name], (), {}, *self._place(snapshot.position))
            awaitable = snapshot.resume()
        elif name == _PAGE:
            awaitable = snapshot.resume(value=self._sent(PageView()))
        elif name in self._functions:
            awaitable = snapshot.resume(value=_function(name))
        else:
            awaitable = snapshot.resume()
        return awaitable

    def _place(self, position: Any) -> tuple[int | None, int | None]:
        if not position.filename.startswith("<python-input"):
            return None, None
        return self._source.place_of(position.start)

    def _failure(self, error: Any) -> ProgramFailure:
        """The failure of an error that has left the program."""
        import pydantic_monty

        frames = [each for each in error.traceback()[-50:] if each.filename.startswith("<python-input")]
        line = self._source.line_of(frames[-1].line) if frames else None
        column = frames[-1].column if frames else None
        if isinstance(error, pydantic_monty.MontySyntaxError):
            return ProgramFailure("syntax", error.display("msg"), line, column)
        message = error.display("type-msg")
        name, _, rest = message.partition(": ")
        kind: FailureKind = "error"
        if name in _LIMIT_ERRORS:
            kind = "limit"
        elif name == "RuntimeError" and "suspension" in rest:
            kind, message = "limit", f"more than {MAX_CALLS} calls"
        elif name == "AttributeError" and message == self._last_failure:
            kind = "command"
        elif name == ERROR_CLASS:
            kind = "command" if rest == self._last_failure else "error"
            message = f"{ERROR_NAME}: {rest}"
        elif name == "NotImplementedError" and "monty" in rest:
            kind, message = "syntax", rest.replace("The monty syntax parser does not yet support", "not supported:")
        return ProgramFailure(kind, message, line, column)

    # --- values ---

    def _sent(self, value: Any) -> Any:
        """A value as the program gets it."""
        match value:
            case ProgramObject():
                instance = _instance_class()(value, eager_attrs=tuple(value.fields()))
                instance.send = self._sent
                if len(self._objects) < MAX_OBJECTS:
                    self._objects[instance.id] = value
                return instance
            case str():
                return _encodable(value)
            case list() | tuple():
                return [self._sent(each) for each in value]
            case Mapping():
                return {_encodable(str(name)): self._sent(each) for name, each in value.items()}
        return value

    def _received(self, value: Any, depth: int = 0) -> Any:
        """A value of the program as JSON data and `ProgramObject`; text for what is neither."""
        import pydantic_monty

        below = depth + 1
        match value:
            case None | bool() | float() | str() | ProgramObject():
                return value
            case int():
                return value if value.bit_length() <= MAX_INTEGER_BITS else f"an integer of {value.bit_length()} bits"
            case pydantic_monty.MontyClassProxy():
                if (found := self._objects.get(value.id)) is not None:
                    return found
                return {name: self._received(each, below) for name, each in value.attributes.items()}
            case list() | tuple() | set() | frozenset() | dict() if depth == MAX_DEPTH:
                return "…"
            case list() | tuple() | set() | frozenset():
                return [self._received(each, below) for each in value]
            case dict():
                return {str(self._received(name, below)): self._received(each, below) for name, each in value.items()}
            case bytes():
                return str(value[:MAX_BYTES])
        return str(value)


def _is_lookup(snapshot: Any) -> bool:
    """Whether a snapshot waits for the value of a name or an attribute, and not for a call."""
    return hasattr(snapshot, "variable_name")


def _lookup_failure(snapshot: Any) -> str:
    """What Monty raises if the host has no value for an attribute of `page`."""
    return f"AttributeError: '{PageView.__name__}' object has no attribute '{snapshot.variable_name}'"


def _size(value: Any, depth: int = 0) -> int:
    """The characters of an argument, about; each value in it counts as one at least."""
    match value:
        case str() | bytes():
            return len(value) + 1
        case int() if value.bit_length() > MAX_INTEGER_BITS:
            return MAX_ARGUMENT_CHARACTERS + 1
        case list() | tuple() | set() | frozenset() if depth < MAX_DEPTH:
            return 1 + sum(_size(each, depth + 1) for each in value)
        case Mapping() if depth < MAX_DEPTH:
            return 1 + sum(_size(each, depth + 1) for each in (*value, *value.values()))
    return 1


@cache
def _instance_class() -> Any:
    """The class of what the host sends, whose base is Monty's."""
    import pydantic_monty

    def convert_value(self: Any, /, name: str, value: Any) -> Any:
        return self.send(value)

    return type("Instance", (pydantic_monty.ClassInstance,), {"convert_value": convert_value})


def _encodable(text: str) -> str:
    """The text without lone surrogates, which UTF-8 has no form for."""
    return text if text.isascii() else text.encode("utf-8", "replace").decode()


def _function(name: str) -> Callable[..., None]:
    """A function of this name, for a program that passes it on instead of calling it."""

    def function() -> None: ...

    function.__name__ = function.__qualname__ = name
    return function
