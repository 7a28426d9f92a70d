"""What is in a pickle, without running anything: classes are names, objects are what they were given.

    {'a': Context(time=1)}   =>   {'a': Stub('orangewidget.settings.Context', state={'time': 1})}

`pickle` would call what a pickle names. Here the opcodes are walked by hand over plain values, and
nothing is ever imported or called. A pickle may share a value between many places, so that few bytes
spell a tree of any size: `Copier` counts what it copies.
"""

from __future__ import annotations

import ast
import base64
import io
import json
import math
import pickletools
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any, TypeAlias, final

from veer.errors import ParseError

MOST_BYTES = 16_000_000  # of one pickle
MOST_OPCODES = 2_000_000
MOST_VALUES = 500_000  # of the tree that settings spell
DEEPEST = 100


@final
@dataclass(eq=False)
class Stub:
    """An object of an opaque class, as the arguments it was made from."""

    name: str  # of the class or function
    args: Any = ()
    state: Any = None
    items: list[Any] = field(default_factory=list)
    pairs: list[tuple[Any, Any]] = field(default_factory=list)


@final
@dataclass(frozen=True)
class Global:
    """A class or a function, by its name."""

    name: str


@final
@dataclass(eq=False)
class Table:
    """A dict while it is read: keys of a pickle need not be hashable."""

    pairs: list[tuple[Any, Any]] = field(default_factory=list)


@final
@dataclass(eq=False)
class Bag:
    """A set while it is read."""

    items: list[Any] = field(default_factory=list)


_MARK = object()
_SETS = ("builtins.set", "__builtin__.set", "builtins.frozenset", "__builtin__.frozenset")
_LISTS = ("builtins.list", "__builtin__.list")
_RECONSTRUCT = ("copyreg._reconstructor", "copy_reg._reconstructor")


def read_pickle(data: bytes) -> Any:
    """The value that a pickle holds."""
    if len(data) > MOST_BYTES:
        raise ParseError(f"a pickle of {len(data):,} bytes; at most {MOST_BYTES:,} are read")
    machine = _Machine()
    try:
        for number, (name, arg) in enumerate(_opcodes(data)):
            if number > MOST_OPCODES:
                raise ParseError(f"a pickle of more than {MOST_OPCODES:,} steps")
            machine.step(name, arg)
        return machine.pop()
    except ParseError:
        raise
    except Exception as error:  # whatever bytes that are no pickle lead to
        raise ParseError(f"not a pickle: {type(error).__name__}") from None


_BY_CODE = {opcode.code.encode("latin-1"): opcode for opcode in pickletools.opcodes}


def _opcodes(data: bytes) -> Iterator[tuple[str, Any]]:
    """The opcodes with their arguments, as `pickletools.genops` gives them.

    That one refuses texts of Python 2 that are not ASCII, as old files have them.
    """
    stream = io.BytesIO(data)
    while True:
        opcode = _BY_CODE.get(stream.read(1))
        if opcode is None:
            raise ParseError("not a pickle: it ends early, or has an unknown opcode")
        if opcode.name == "STRING":
            quoted = stream.readline().decode("ascii").strip()
            text = ast.literal_eval(f"b{quoted}")
            yield opcode.name, text.decode("latin-1")
        else:
            yield opcode.name, None if opcode.arg is None else opcode.arg.reader(stream)
        if opcode.name == "STOP":
            return


@final
class _Machine:
    """The stack of values and the memo of those that are met again."""

    def __init__(self) -> None:
        self.stack: list[Any] = []
        self.memo: dict[int, Any] = {}

    def step(self, name: str, arg: Any) -> None:
        """One opcode."""
        if name in _IGNORED:
            return
        if name in _CONSTANTS:
            self.stack.append(_CONSTANTS[name])
        elif name in _LITERALS:
            self.stack.append(arg)
        elif name in _PUT:
            self.memo[len(self.memo) if name == "MEMOIZE" else int(arg)] = self.stack[-1]
        elif name in _GET:
            self.stack.append(self.memo[int(arg)])
        elif name in _ACTIONS:
            _ACTIONS[name](self, arg)
        else:
            raise ParseError(f"a pickle with {name}, which no settings of Orange have")

    def pop(self) -> Any:
        """The value on top."""
        value = self.stack.pop()
        if value is _MARK:
            raise ParseError("not a pickle: a mark where a value is expected")
        return value

    def since_mark(self) -> list[Any]:
        """All values above the last mark, which goes too."""
        values: list[Any] = []
        while (value := self.stack.pop()) is not _MARK:
            values.append(value)
        return values[::-1]


def _paired(values: list[Any]) -> list[tuple[Any, Any]]:
    return list(zip(values[::2], values[1::2], strict=True))


def _make(machine: _Machine, called: Any, args: Any) -> None:
    """An object instead of a call."""
    name = called.name if isinstance(called, Global) else "?"
    given = list(args) if isinstance(args, tuple | list) else [args]
    value: Any = Stub(name, tuple(given))
    if name in _SETS and len(given) <= 1 and all(isinstance(g, list | tuple) for g in given):
        value = Bag(list(given[0]) if given else [])
    elif name in _LISTS and not given:
        value = []
    elif name in _RECONSTRUCT and len(given) == 3 and isinstance(given[0], Global):
        # What follows is its state, its items.
        value = [] if given[0].name in _LISTS else Stub(given[0].name)
    machine.stack.append(value)


def _reduce(machine: _Machine, _: Any) -> None:
    args, called = machine.pop(), machine.pop()
    _make(machine, called, args)


def _newobj_ex(machine: _Machine, _: Any) -> None:
    named, args, called = machine.pop(), machine.pop(), machine.pop()
    _make(machine, called, (*args, named))


def _inst(machine: _Machine, arg: Any) -> None:
    _make(machine, Global(str(arg).replace(" ", ".")), machine.since_mark())


def _obj(machine: _Machine, _: Any) -> None:
    called, *args = machine.since_mark()
    _make(machine, called, args)


def _build(machine: _Machine, _: Any) -> None:
    state, built = machine.pop(), machine.stack[-1]
    if not isinstance(built, Stub):
        raise ParseError("not a pickle: a state of a plain value")
    built.state = state


def _append(machine: _Machine, items: list[Any]) -> None:
    target = machine.stack[-1]
    if not isinstance(target, list | Stub | Bag):
        raise ParseError("not a pickle: items of a plain value")
    (target if isinstance(target, list) else target.items).extend(items)


def _set_items(machine: _Machine, pairs: list[tuple[Any, Any]]) -> None:
    target = machine.stack[-1]
    if not isinstance(target, Table | Stub):
        raise ParseError("not a pickle: entries of a plain value")
    target.pairs.extend(pairs)


def _set_item(machine: _Machine, _: Any) -> None:
    value, key = machine.pop(), machine.pop()
    _set_items(machine, [(key, value)])


def _global_on_stack(machine: _Machine, _: Any) -> None:
    name, module = machine.pop(), machine.pop()
    machine.stack.append(Global(f"{module}.{name}"))


def _pop(machine: _Machine, _: Any) -> None:
    machine.stack.pop()


def _pop_mark(machine: _Machine, _: Any) -> None:
    machine.since_mark()


def _tuple_of(count: int) -> Callable[[_Machine, Any], None]:
    def action(machine: _Machine, _: Any) -> None:
        values = [machine.pop() for _ in range(count)]
        machine.stack.append(tuple(values[::-1]))

    return action


def _push(made: Callable[[_Machine, Any], Any]) -> Callable[[_Machine, Any], None]:
    def action(machine: _Machine, arg: Any) -> None:
        machine.stack.append(made(machine, arg))

    return action


_IGNORED = {"PROTO", "FRAME", "STOP"}
_CONSTANTS = {"NONE": None, "NEWTRUE": True, "NEWFALSE": False, "MARK": _MARK}
_LITERALS = {
    *("INT", "BININT", "BININT1", "BININT2", "LONG", "LONG1", "LONG4", "FLOAT", "BINFLOAT"),
    *("STRING", "BINSTRING", "SHORT_BINSTRING", "BINBYTES", "SHORT_BINBYTES", "BINBYTES8"),
    *("UNICODE", "BINUNICODE", "SHORT_BINUNICODE", "BINUNICODE8", "BYTEARRAY8"),
}
_PUT = {"PUT", "BINPUT", "LONG_BINPUT", "MEMOIZE"}
_GET = {"GET", "BINGET", "LONG_BINGET"}
_ACTIONS: dict[str, Callable[[_Machine, Any], None]] = {
    "EMPTY_LIST": _push(lambda _m, _a: []),
    "EMPTY_TUPLE": _push(lambda _m, _a: ()),
    "EMPTY_DICT": _push(lambda _m, _a: Table()),
    "EMPTY_SET": _push(lambda _m, _a: Bag()),
    "LIST": _push(lambda m, _a: m.since_mark()),
    "TUPLE": _push(lambda m, _a: tuple(m.since_mark())),
    "TUPLE1": _tuple_of(1),
    "TUPLE2": _tuple_of(2),
    "TUPLE3": _tuple_of(3),
    "DICT": _push(lambda m, _a: Table(_paired(m.since_mark()))),
    "FROZENSET": _push(lambda m, _a: Bag(m.since_mark())),
    "APPEND": lambda m, _a: _append(m, [m.pop()]),
    "APPENDS": lambda m, _a: _append(m, m.since_mark()),
    "ADDITEMS": lambda m, _a: _append(m, m.since_mark()),
    "SETITEM": _set_item,
    "SETITEMS": lambda m, _a: _set_items(m, _paired(m.since_mark())),
    "POP": _pop,
    "POP_MARK": _pop_mark,
    "DUP": _push(lambda m, _a: m.stack[-1]),
    "GLOBAL": _push(lambda _m, a: Global(str(a).replace(" ", "."))),
    "STACK_GLOBAL": _global_on_stack,
    "REDUCE": _reduce,
    "NEWOBJ": _reduce,
    "NEWOBJ_EX": _newobj_ex,
    "INST": _inst,
    "OBJ": _obj,
    "BUILD": _build,
    "PERSID": _push(lambda _m, a: Stub("persistent id", (a,))),
    "BINPERSID": _push(lambda m, _a: Stub("persistent id", (m.pop(),))),
}


# -- values of JSON --------------------------------------------------------------------------------

Json: TypeAlias = Any
# The keys under which values are written that JSON does not have: no dict of a workflow is one.
_RESERVED = frozenset({"pairs", "set", "bytes", "number", "literal", "class"})


@final
class Copier:
    """Values of settings, read from pickles or literals, as JSON; the same from both.

    Tuples are lists, dicts with keys that are no texts are lists of pairs, sets are sorted. All that
    one copies is counted together.
    """

    def __init__(self) -> None:
        self.count = 0

    def of(self, value: Any, depth: int = 0) -> Json:
        """A value as JSON; its parts are counted."""
        self.count += 1
        if self.count > MOST_VALUES:
            raise ParseError(f"settings of more than {MOST_VALUES:,} values")
        if depth > DEEPEST:
            raise ParseError(f"settings nested deeper than {DEEPEST}")
        match value:
            case None | bool() | int() | str():
                return value
            case float():
                return value if math.isfinite(value) else {"number": repr(value)}
            case bytes() | bytearray():
                return {"bytes": base64.b64encode(bytes(value)).decode()}
            case list() | tuple():
                return [self.of(item, depth + 1) for item in value]
            case dict():
                return self.table(list(value.items()), depth)
            case Table():
                return self.table(value.pairs, depth)
            case Bag():
                return self.bag(value.items, depth)
            case set() | frozenset():
                return self.bag(list(value), depth)
            case Global():
                return {"class": value.name}
            case Stub():
                return self.stub(value, depth)
            case _:
                return {"literal": repr(value)}  # complex numbers, and whatever else there is

    def table(self, pairs: list[tuple[Any, Any]], depth: int) -> Json:
        """A dict; of several values of a key the last one counts."""
        copied = [(self.of(k, depth + 1), self.of(v, depth + 1)) for k, v in pairs]
        if all(isinstance(key, str) and key not in _RESERVED for key, _ in copied):
            return dict(copied)
        by_key = {json.dumps(key, sort_keys=True): [key, value] for key, value in copied}
        return {"pairs": [by_key[key] for key in sorted(by_key)]}

    def bag(self, items: list[Any], depth: int) -> Json:
        """A set: in an order of its own, each item once."""
        copied = {json.dumps(c, sort_keys=True): c for c in (self.of(i, depth + 1) for i in items)}
        return {"set": [copied[key] for key in sorted(copied)]}

    def stub(self, stub: Stub, depth: int) -> Json:
        """An object by its class and what it was made from."""
        shown: dict[str, Json] = {"class": stub.name}
        for key, part in (("args", list(stub.args)), ("state", stub.state), ("items", stub.items)):
            if part not in (None, []):
                shown[key] = self.of(part, depth + 1)
        if stub.pairs:
            shown["entries"] = self.table(stub.pairs, depth + 1)
        return shown


def pairs_of(value: Json) -> list[tuple[Any, Any]]:
    """The entries of a dict, whatever its keys are."""
    match value:
        case {"pairs": [*entries]}:
            return [(e[0], e[1]) for e in entries if isinstance(e, list) and len(e) == 2]
        case Mapping():
            return list(value.items())
        case _:
            return []
