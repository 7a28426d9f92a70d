"""Alteryx's expression language: text to a tree. What a tree means is in `meaning`."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from typing import Any, TypeAlias, final

from lark import Lark, Token, Transformer
from lark.exceptions import LarkError, VisitError

from veer.gui.rows import NotModelled

LONGEST = 100_000  # characters of a formula

GRAMMAR = r"""
start: formula
?formula: comparison ((AND | OR) comparison)*
?comparison: sum
    | sum COMPARES sum -> compared
    | sum _IN "(" formulas ")" -> within
    | sum _NOT_IN "(" formulas ")" -> not_within
?sum: product
    | sum PLUS product -> arithmetic
    | sum MINUS product -> arithmetic
?product: signed
    | product TIMES signed -> arithmetic
?signed: atom
    | MINUS signed -> negative
    | PLUS signed -> positive
    | _NOT signed -> negation
?atom: NUMBER -> number
    | TEXT -> text
    | FIELD -> field
    | NAME -> name
    | NAME "(" formulas? ")" -> call
    | "(" formula ")"
    | _IF formula _THEN formula (_ELSEIF formula _THEN formula)* _ELSE formula _ENDIF -> choice
formulas: formula ("," formula)*

_IF.3: /IF\b/i
_THEN.3: /THEN\b/i
_ELSEIF.4: /ELSEIF\b/i
_ELSE.3: /ELSE\b/i
_ENDIF.4: /ENDIF\b/i
AND.3: /AND\b/i | "&&"
OR.3: /OR\b/i | "||"
_NOT_IN.5: /NOT\s+IN\b/i
_IN.3: /IN\b/i
_NOT.3: /NOT\b/i | "!"
COMPARES.4: "==" | "=" | "!=" | "<=" | ">=" | "<" | ">"
PLUS: "+"
MINUS: "-"
TIMES: "*" | "/"
NUMBER: /(\d+(\.\d*)?|\.\d+)([eE][-+]?\d+)?/
TEXT: /"[^"]*"/ | /'[^']*'/
FIELD: /\[[^\[\]]+\]/
NAME: /[A-Za-z_][A-Za-z_0-9]*/
LINE_COMMENT.6: /\/\/[^\n]*/
COMMENT.6: /\/\*(.|\n)*?\*\//
%ignore LINE_COMMENT
%ignore COMMENT
%ignore /[\s\ufeff]+/
"""


@final
@dataclass(frozen=True, slots=True)
class Number:
    """A number as it is written."""

    text: str


@final
@dataclass(frozen=True, slots=True)
class Text:
    """A text in quotes."""

    text: str


@final
@dataclass(frozen=True, slots=True)
class FieldOf:
    """A column, or a constant of the workflow: `[User.x]`."""

    name: str


@final
@dataclass(frozen=True, slots=True)
class CallOf:
    """A function of arguments; its name in lower case."""

    name: str
    args: tuple[Tree, ...]


@final
@dataclass(frozen=True, slots=True)
class Operation:
    """An operator between or before its arguments: `+`, `<=`, `and`, `not`, `in`, `neg`.

    `or and` is a mix of these whose meaning is not known.
    """

    op: str
    args: tuple[Tree, ...]


@final
@dataclass(frozen=True, slots=True)
class Choice:
    """IF, with its conditions in order and what holds otherwise."""

    branches: tuple[tuple[Tree, Tree], ...]
    otherwise: Tree


Tree: TypeAlias = Number | Text | FieldOf | CallOf | Operation | Choice


@final
class _Trees(Transformer[Token, Any]):
    """From what the parser gives to trees."""

    def start(self, args: list[Tree]) -> Tree:
        return args[0]

    def number(self, args: list[Token]) -> Tree:
        return Number(str(args[0]))

    def text(self, args: list[Token]) -> Tree:
        return Text(str(args[0])[1:-1])

    def field(self, args: list[Token]) -> Tree:
        return FieldOf(str(args[0])[1:-1])

    def name(self, args: list[Token]) -> Tree:
        if str(args[0]).lower() in ("true", "false"):
            raise NotModelled(f"whether {args[0]} is a column or a truth value is not known")
        return FieldOf(str(args[0]))

    def formulas(self, args: list[Tree]) -> tuple[Tree, ...]:
        return tuple(args)

    def call(self, args: list[Any]) -> Tree:
        return CallOf(str(args[0]).lower(), args[1] if len(args) > 1 else ())

    def formula(self, args: list[Any]) -> Tree:
        """AND and OR bind alike, from left to right, or AND binds first: what both agree on is read.

        That is so unless an AND follows an OR. What that means the documentation tells in two ways.
        """
        parts: list[Tree] = args[::2]
        ops = ["and" if token.type == "AND" else "or" for token in args[1::2]]
        ands = ops.index("or") if "or" in ops else len(ops)
        if "and" in ops[ands:]:
            return Operation(" ".join(ops), tuple(parts))
        first = Operation("and", tuple(parts[: ands + 1])) if ands else parts[0]
        return Operation("or", (first, *parts[ands + 1 :])) if ands < len(ops) else first

    def compared(self, args: list[Any]) -> Tree:
        _require_no_negation(args[0])
        op = {"==": "="}.get(str(args[1]), str(args[1]))
        return Operation(op, (args[0], args[2]))

    def within(self, args: list[Any]) -> Tree:
        _require_no_negation(args[0])
        return Operation("in", (args[0], *args[1]))

    def not_within(self, args: list[Any]) -> Tree:
        return Operation("not", (self.within(args),))

    def arithmetic(self, args: list[Any]) -> Tree:
        return Operation(str(args[1]), (args[0], args[2]))

    def negative(self, args: list[Any]) -> Tree:
        return Operation("neg", (args[1],))

    def positive(self, args: list[Any]) -> Tree:
        tree: Tree = args[1]
        return tree

    def negation(self, args: list[Tree]) -> Tree:
        return Operation("not", (args[0],))

    def choice(self, args: list[Tree]) -> Tree:
        pairs = zip(args[:-1:2], args[1:-1:2], strict=True)
        return Choice(tuple(pairs), args[-1])


def _require_no_negation(tree: Tree) -> None:
    """Whether `NOT a = b` is `(NOT a) = b` is not known."""
    match tree:
        case Operation("not"):
            raise NotModelled("NOT beside a comparison")


@cache
def _parser() -> Lark:
    return Lark(GRAMMAR, parser="lalr", transformer=_Trees())


@cache
def parse(formula: str) -> Tree:
    """The tree of a formula; one that is not understood leaves its tool opaque."""
    if len(formula) > LONGEST:
        raise NotModelled(f"a formula of {len(formula):,} characters")
    try:
        tree: Any = _parser().parse(formula)
    except VisitError:
        raise NotModelled(f"a formula that is not understood: {_shown(formula)}") from None
    except (LarkError, RecursionError):
        raise NotModelled(f"a formula that is not understood: {_shown(formula)}") from None
    result: Tree = tree
    return result


def fields_of(tree: Tree) -> Iterator[str]:
    """The names of columns that a formula mentions, and of constants."""
    waiting = [tree]
    while waiting:
        match waiting.pop():
            case FieldOf(name):
                yield name
            case Operation(_, args) | CallOf(_, args):
                waiting += args
            case Choice(branches, otherwise):
                waiting += [*(part for branch in branches for part in branch), otherwise]
            case Number() | Text():
                pass


def _shown(formula: str) -> str:
    line = " ".join(formula.split())
    return line if len(line) <= 80 else f"{line[:80]}..."
