"""Slotted value classes, declared like dataclasses.

`dataclasses` compiles code for half a millisecond for each class. For the commands and values before the first answer,
that would be a third of the start-up time. Here one `__init__`, `__eq__` and `__repr__` serve every class, and only a
class of which several values are made gets an `__init__` of its own, ten times faster. To type checkers they are
dataclasses (https://typing.python.org/en/latest/spec/dataclasses.html#dataclass-transform)."""

from __future__ import annotations

from collections.abc import Callable
from itertools import pairwise
from typing import Any, ClassVar, Self, TypeVar, dataclass_transform

COMPILE_AFTER = 16
"""The number of values of a class after which its `__init__` is compiled. That takes as long as making four: a program
that makes few never pays for it."""

Value = TypeVar("Value")


class Field:
    """A declared field with options.

    `default`: its default value. `required`: it has no default. `keyword`: it is passed by name only. `factory`: makes
    the default of each instance."""

    __slots__ = ("default", "factory", "keyword", "name", "required")

    def __init__(
        self,
        *,
        default: Any = None,
        required: bool = False,
        keyword: bool = False,
        factory: Callable[[], Any] | None = None,
    ) -> None:
        self.name = ""
        self.default = default
        self.factory = factory
        self.required = required
        self.keyword = keyword


def field(*, factory: Callable[[], Value]) -> Value:
    """A field whose default `factory` makes for each instance."""
    return Field(factory=factory)  # type: ignore[return-value]


@dataclass_transform(frozen_default=True, field_specifiers=(Field, field))
class RecordType(type):
    """Turns the annotations of a class body into slots and `__fields__`, in order, inherited fields last."""

    __fields__: dict[str, Field]
    __created__: int
    """How many values the class has, up to `COMPILE_AFTER`."""

    def __new__(
        mcls, name: str, bases: tuple[type, ...], namespace: dict[str, Any], *, frozen: bool | None = None
    ) -> RecordType:
        if frozen is False:
            namespace |= {"__setattr__": object.__setattr__, "__delattr__": object.__delattr__, "__hash__": None}
        own: dict[str, Field] = {}
        for attribute, annotation in namespace.get("__annotations__", {}).items():
            if str(annotation).startswith("ClassVar"):
                continue
            value = namespace.pop(attribute, Field(required=True))
            own[attribute] = field = value if isinstance(value, Field) else Field(default=value)
            field.name = attribute
        fields = dict(own)
        for base in bases:
            fields.update(getattr(base, "__fields__", {}))
        namespace["__slots__"] = tuple(own)
        namespace["__match_args__"] = tuple(key for key, field in fields.items() if not field.keyword)
        namespace["__created__"] = 0
        if bases:  # else the class would inherit one that was compiled for other fields
            namespace.setdefault("__init__", Record.__init__)
        type_ = super().__new__(mcls, name, bases, namespace)
        type_.__fields__ = fields
        return type_


class Record(metaclass=RecordType):
    """Base of value classes.

    Two are equal if their class and all their fields are. A record is frozen, and hashable if its fields are, unless it
    is declared with `frozen=False`."""

    __match_args__: ClassVar[tuple[str, ...]]

    def __init__(self, *values: Any, **named: Any) -> None:
        names = self.__match_args__
        if len(values) > len(names):
            raise TypeError(f"{type(self).__name__} takes {len(names)} positional values, got {len(values)}")
        arguments = dict(zip(names, values, strict=False))
        if twice := arguments.keys() & named.keys():
            raise TypeError(f"{type(self).__name__} got {', '.join(sorted(twice))} twice")
        arguments.update(named)
        for name, field in type(self).__fields__.items():
            if name in arguments:
                value = arguments.pop(name)
            elif field.required:
                raise TypeError(f"{type(self).__name__} needs {name}")
            else:
                value = field.default if field.factory is None else field.factory()
            object.__setattr__(self, name, value)
        if arguments:
            raise TypeError(f"{type(self).__name__} has no {', '.join(sorted(arguments))}")
        type(self).__created__ += 1
        if type(self).__created__ == COMPILE_AFTER:
            _compile_init(type(self))

    def __setattr__(self, name: str, value: Any) -> None:
        raise AttributeError(f"{type(self).__name__} is frozen")

    def __delattr__(self, name: str) -> None:
        raise AttributeError(f"{type(self).__name__} is frozen")

    def values(self) -> dict[str, Any]:
        """Each field's value by its name, in order."""
        return {name: getattr(self, name) for name in type(self).__fields__}

    def replace(self, **changes: Any) -> Self:
        """A copy with the given fields changed."""
        return type(self)(**{**self.values(), **changes})

    def __reduce__(self) -> tuple[Any, ...]:
        return _restore, (type(self), self.values())

    def __eq__(self, other: object) -> bool:
        return type(other) is type(self) and self.values() == other.values()

    def __hash__(self) -> int:
        return hash((type(self), *self.values().values()))

    def __repr__(self) -> str:
        fields = type(self).__fields__
        arguments = [
            repr(value) if name in self.__match_args__ and fields[name].required else f"{name}={value!r}"
            for name, value in self.values().items()
            if fields[name].required or value != fields[name].default
        ]
        return f"{type(self).__name__}({', '.join(arguments)})"


_FROM_FACTORY: Any = object()


def _compile_init(type_: type[Record]) -> None:
    """Give a class an `__init__` for its fields, unless a required field follows one with a default."""
    fields = [type_.__fields__[name] for name in type_.__match_args__]
    named = [field for field in type_.__fields__.values() if field.keyword]
    if any(before.required < after.required for before, after in pairwise(fields)):
        return
    names: dict[str, Any] = {"__assign__": object.__setattr__, "__factory__": _FROM_FACTORY}
    parameters, body = ["self"], list[str]()
    for field in [*fields, *named]:
        name = field.name
        if field is next(iter(named), None):
            parameters.append("*")
        if field.factory is not None:
            names[f"__make_{name}__"] = field.factory
            parameters.append(f"{name}=__factory__")
            body.append(f"__assign__(self, {name!r}, __make_{name}__() if {name} is __factory__ else {name})")
            continue
        names[f"__default_{name}__"] = field.default
        parameters.append(name if field.required else f"{name}=__default_{name}__")
        body.append(f"__assign__(self, {name!r}, {name})")
    source = f"def __init__({', '.join(parameters)}):\n " + ("\n ".join(body) or "pass")
    exec(compile(source, f"<{type_.__qualname__}>", "exec"), names)
    names["__init__"].__qualname__ = f"{type_.__qualname__}.__init__"
    type_.__init__ = names["__init__"]  # type: ignore[method-assign]


def _restore(type_: type[Record], values: dict[str, Any]) -> Record:
    """Recreate a pickled record."""
    return type_(**values)
