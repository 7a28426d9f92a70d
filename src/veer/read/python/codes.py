"""Digests of compiled code: what it does, whatever lines and local names it is written with."""

from __future__ import annotations

import dis
import types
import uuid
from collections.abc import Iterator
from typing import Any

from veer.ir.digests import parts_digest

SKIPPED = ("CACHE", "EXTENDED_ARG", "RESUME", "PRECALL", "NOP")


_UNLIKE: list[str] = []  # all that were made in this process


def unlike() -> str:
    """A digest that equals no other, not even that of a second look."""
    _UNLIKE.append(uuid.uuid4().hex)
    return _UNLIKE[-1]


def unlike_so_far() -> list[str]:
    """Those digests in their order: by it two loads of one job are compared."""
    return list(_UNLIKE)


class UnknownIdentity(Exception):
    """Something whose identity cannot be told for certain."""


def code_digest(code: types.CodeType) -> str:
    """A digest of what code does, whatever lines and local names it is written with."""
    return parts_digest("code", *instructions(code, code_digest))


def instructions(code: types.CodeType, nested: Any) -> Iterator[object]:
    """What code says, instruction by instruction; constants by value, jumps by place."""
    arguments = code.co_argcount + code.co_kwonlyargcount
    arguments += bool(code.co_flags & 0x04) + bool(code.co_flags & 0x08)
    parameters = code.co_varnames[:arguments]
    reads_names = bool({"locals", "vars", "dir", "eval", "exec"} & set(code.co_names))
    numbers: dict[str, int] = {}

    def local(name: object) -> object:
        # Parameters may be given by name; other locals are nobody's business.
        if isinstance(name, tuple):
            return tuple(local(n) for n in name)
        if name in parameters or reads_names or not isinstance(name, str):
            return name
        return numbers.setdefault(name, len(numbers))

    shape = (code.co_argcount, code.co_posonlyargcount, code.co_kwonlyargcount, code.co_flags)
    yield repr((shape, parameters, code.co_freevars, code.co_exceptiontable))
    for instruction in dis.get_instructions(code):
        if instruction.opname in SKIPPED:
            continue
        yield instruction.opname
        if isinstance(instruction.argval, types.CodeType):
            yield nested(instruction.argval)
        elif instruction.opname == "KW_NAMES":  # an index that `dis` does not look up
            yield _constant(code.co_consts[instruction.arg or 0])
        elif instruction.opcode in dis.hasconst:
            yield _constant(instruction.argval)
        elif instruction.opcode in dis.haslocal:
            yield repr(local(instruction.argval))
        elif isinstance(instruction.argval, str | int | tuple | None):
            yield repr(instruction.argval)
        else:
            raise UnknownIdentity(f"the instruction {instruction.opname}")


def _constant(value: Any) -> str:
    """A constant of code: its value and type, exactly."""
    if isinstance(value, tuple):
        return f"({','.join(map(_constant, value))})"
    if isinstance(value, frozenset):
        return f"{{{','.join(sorted(map(_constant, value)))}}}"
    return f"{type(value).__name__} {value!r}"


def codes_in(code: types.CodeType) -> Iterator[types.CodeType]:
    """The code of everything defined inside of some code."""
    for constant in code.co_consts:
        if isinstance(constant, types.CodeType):
            yield constant
            yield from codes_in(constant)
