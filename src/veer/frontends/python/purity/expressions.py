"""Expressions of Python functions, and what they do to purity."""

from __future__ import annotations

import ast
import contextlib
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from veer.frontends.python.purity import allow_list
from veer.frontends.python.purity.formats import is_plain_format
from veer.frontends.python.purity.learned import NameScope
from veer.frontends.python.purity.results import is_dunder
from veer.frontends.python.purity.statements import Body
from veer.frontends.python.purity.traits import (
    DATA,
    NO_TRAITS,
    NONE,
    UNORDERED,
    UNSTABLE_TEXT,
    AbstractValue,
    Concrete,
    LocalFunction,
    Risk,
    Trait,
    abstract,
    join,
)
from veer.frontends.python.source import Missing

if TYPE_CHECKING:
    from veer.frontends.python.purity.analysis import Analysis

MOST_REPEATED = 10_000  # how often a constant may be repeated
SET_OPERATORS = (ast.BitAnd, ast.BitOr, ast.BitXor, ast.Sub)


class Expressions:
    """Interprets expressions for one analysis."""

    def __init__(self, analysis: Analysis) -> None:
        self.analysis = analysis

    def value(self, node: ast.expr, scope: NameScope) -> AbstractValue:
        """What an expression may be."""
        return self.analysis.note_seen(self._value(node, scope))

    def values(self, nodes: Sequence[ast.expr], scope: NameScope) -> list[AbstractValue]:
        """What several expressions may be; of a starred one, any of its items."""
        values = []
        for node in nodes:
            if isinstance(node, ast.Starred):
                values.append(self.analysis.iterate_in_order(self.value(node.value, scope)))
            else:
                values.append(self.value(node, scope))
        return values

    def _value(self, node: ast.expr, scope: NameScope) -> AbstractValue:
        match node:
            case ast.Constant(value=value):
                return abstract(value)
            case ast.Name(id=name):
                return self.name(name, scope)
            case ast.Attribute(value=base, attr=name):
                return self.analysis.attributes.attribute(self.value(base, scope), name)
            case ast.Call():
                return self.analysis.calls.call(node, scope)
            case ast.Subscript():
                return self._subscripted(node, scope)
            case ast.Slice(lower=low, upper=high, step=step):
                self.values([n for n in (low, high, step) if n is not None], scope)
                return NO_TRAITS
            case ast.BinOp(left=left, op=op, right=right):
                return self.operate(op, self.value(left, scope), self.value(right, scope))
            case ast.UnaryOp(op=op, operand=operand):
                result = self.value(operand, scope)
                return NO_TRAITS if isinstance(op, ast.Not) else self.operate(op, result, result)
            case ast.BoolOp(values=values):
                return join(self.values(values, scope))
            case ast.IfExp(test=test, body=body, orelse=orelse):
                self.value(test, scope)
                return join(self.values([body, orelse], scope))
            case ast.Compare(left=left, ops=ops, comparators=rest):
                return self.compare([left, *rest], ops, scope)
            case ast.Tuple() | ast.List() | ast.Set() | ast.Dict():
                return self._display(node, scope)
            case ast.ListComp() | ast.SetComp() | ast.GeneratorExp() | ast.DictComp():
                return self.comprehension(node, scope)
            case ast.JoinedStr(values=pieces):
                return self._f_string(pieces, scope)
            case ast.Lambda():
                return self.defined(node, scope)
            case ast.NamedExpr(target=ast.Name(id=name), value=value):
                return self._named(name, value, scope)
            case ast.Starred(value=value):
                return self.analysis.iterate_in_order(self.value(value, scope))
            case ast.Yield() | ast.YieldFrom():
                return self._yielded(node, scope)
            case _:
                return self.analysis.note_unfollowed()

    def _subscripted(self, node: ast.Subscript, scope: NameScope) -> AbstractValue:
        """`base[index]` as written; `table.loc[index]` gives rows, where `table.loc` is lazy."""
        result = self.subscript(self.value(node.value, scope), node.slice, scope)
        indexed = isinstance(node.value, ast.Attribute) and node.value.attr in allow_list.INDEXERS
        if indexed and result.has(Trait.TABLE):
            return AbstractValue(result.own & ~Trait.ITERATOR, result.inner)
        return result

    def _f_string(self, pieces: Sequence[ast.expr], scope: NameScope) -> AbstractValue:
        for piece in pieces:
            self.piece(piece, scope)
        return NO_TRAITS

    def _named(self, name: str, node: ast.expr, scope: NameScope) -> AbstractValue:
        """`name := node`, which a comprehension over a set shows the order by."""
        result = self.value(node, scope)
        self.analysis.bind(scope, name, result)
        self.analysis.learned.changes += 1
        return result

    def _yielded(self, node: ast.Yield | ast.YieldFrom, scope: NameScope) -> AbstractValue:
        """What the function yields; what is sent back to it may be any data."""
        if node.value is not None:
            value = self.value(node.value, scope)
            if isinstance(node, ast.YieldFrom):
                value = self.analysis.iterate_in_order(value)
            Body(self.analysis, scope).yielded(value)
        return DATA

    def _display(
        self, node: ast.Tuple | ast.List | ast.Set | ast.Dict, scope: NameScope
    ) -> AbstractValue:
        """A collection as written: `[a, b]`, `{a: b, **c}`."""
        if isinstance(node, ast.Dict):
            pairs = list(zip(node.keys, node.values, strict=True))
            keys = [k for k in node.keys if k is not None]
            items = [self.value(v, scope) for k, v in pairs if k]
            spread = [self.value(v, scope) for k, v in pairs if not k]
            contents = [*self.values(keys, scope), *items, *map(self.analysis.element, spread)]
            return self.analysis.container(contents, join(spread).own & UNORDERED)
        own = Trait.SET if isinstance(node, ast.Set) else NONE
        return self.analysis.container(self.values(node.elts, scope), own)

    def defined(self, node: Any, scope: NameScope) -> AbstractValue:
        """A function defined here."""
        local = scope.locals.setdefault(node, LocalFunction(node, scope))
        return AbstractValue(Trait.SHOWS_ADDRESS | Trait.CALLABLE, NONE, (Concrete(local),), True)

    def name(self, name: str, scope: NameScope) -> AbstractValue:
        """What a name may mean: here, in a function around, in the module, in Python."""
        meanings: list[AbstractValue] = []
        at: NameScope | None = scope
        while at is not None:
            if name in at.values:
                meanings.append(at.values[name])
            if name in at.bound:
                return join(meanings)
            at = at.around
        # `__file__` and its like tell where the code stands, not what it computes.
        if is_dunder(name) and name != "__name__":
            return self.analysis.note_choice()
        with contextlib.suppress(Missing):  # a name that means nothing fails, always
            meanings.append(self.analysis.free_name(name, scope))
        return join(meanings)

    def subscript(self, base: AbstractValue, index: ast.expr, scope: NameScope) -> AbstractValue:
        """`base[index]`"""
        self.value(index, scope)
        if base.has(Trait.HASH_ORDERED):
            return self.analysis.note_choice()
        if base.has(Trait.CALLABLE):
            kinds = [one.value for one in base.concretes if isinstance(one.value, type)]
            if len(kinds) == len(base.concretes) == 1 and self.analysis.classes.is_enum(kinds[0]):
                return self.analysis.classes.member(kinds[0])
            return self.analysis.note_choice()
        if isinstance(index, ast.Slice):
            self.analysis.unpack(base)
            return AbstractValue(base.own, base.inner, (), False)
        if base.has(Trait.TABLE):
            return AbstractValue(base.own, base.inner)
        return self.analysis.element(base)

    def operate(
        self, op: ast.operator | ast.unaryop, a: AbstractValue, b: AbstractValue
    ) -> AbstractValue:
        """`a op b`, or `op a` with the operand twice."""
        both = a.own | b.own
        if both & Trait.UNKNOWN:
            return self.analysis.note_choice()
        # Of a text, `%` is formatting, which shows the text of its operand.
        if isinstance(op, ast.Mod) and not both & Trait.OBJECT:
            if self.analysis.all_traits(b) & (UNSTABLE_TEXT | Trait.ITERATOR):
                return self.analysis.note_choice()
        if both & Trait.TABLE:
            self.check_clock_words(a, b)
        if _may_allocate(op, a, b):
            self.analysis.risk(Risk.ALLOCATING)
        own = both & (
            UNORDERED
            | Trait.NAN
            | Trait.TABLE
            | Trait.CONTAINER
            | Trait.SHOWS_ADDRESS
            | Trait.CALLABLE
        )
        if both & Trait.DICT_VIEW and isinstance(op, SET_OPERATORS):
            own |= Trait.SET | Trait.CONTAINER
        if isinstance(op, ast.Div | ast.Pow) and both & Trait.NAN:
            own |= Trait.NAN
        inner = a.inner | b.inner
        self.analysis.unpack(a)
        self.analysis.unpack(b)
        # Of an object of the project the operator is a method, which may give anything it gave
        # in some call.
        if both & Trait.OBJECT:
            special = self.analysis.learned.operator_results
            self.analysis.note_contents(a)
            self.analysis.note_contents(b)
            return join([AbstractValue(both, inner), special, *(v for v in (a, b) if v.kind)])
        return AbstractValue(own, inner)

    def check_clock_words(self, *values: AbstractValue) -> None:
        """Texts that pandas takes for the time of the clock."""
        for value in values:
            texts = value.texts()
            if texts and any(t.strip().lower() in allow_list.CLOCK_WORDS for t in texts):
                self.analysis.note_choice()

    def compare(
        self, sides: list[ast.expr], ops: Sequence[ast.cmpop], scope: NameScope
    ) -> AbstractValue:
        """A chain of comparisons; `is` shows which of equal objects is the same."""
        operands = self.values(sides, scope)
        for op, a, b in zip(ops, operands, operands[1:], strict=False):
            own = a.own | b.own
            if own & Trait.UNKNOWN:
                self.analysis.note_choice()
            if isinstance(op, ast.Is | ast.IsNot):
                # Equal numbers and texts may or may not be one object, as the interpreter likes.
                if not (_is_single(a) or _is_single(b)):
                    self.analysis.note_choice()
            elif isinstance(op, ast.In | ast.NotIn):
                continue  # what is in a set does not depend on its order
            elif (own & Trait.HASH_ORDERED) or (a.inner | b.inner) & Trait.HASH_ORDERED:
                self.analysis.note_choice()
            if own & Trait.TABLE:
                self.check_clock_words(a, b)
        tables = [v for v in operands if v.has(Trait.TABLE)]
        return join([NO_TRAITS, *(AbstractValue(v.own & ~Trait.SHARED, v.inner) for v in tables)])

    def comprehension(self, node: Any, scope: NameScope) -> AbstractValue:
        """A comprehension: over a set its order is that of hashes, unless it makes a set."""
        own, before = NONE, self.analysis.learned.changes
        for part in node.generators:
            source = self.value(part.iter, scope)
            if part.is_async or source.has(Trait.UNKNOWN):
                self.analysis.note_choice()
            if source.has(UNORDERED) or (
                source.has(Trait.OBJECT) and self.analysis.learned.operator_results.has(UNORDERED)
            ):
                own = Trait.HASH_ORDERED
                self.analysis.risk(Risk.UNORDERED)
            Body(self.analysis, scope).assign(part.target, self.analysis.iterate(source))
            for condition in part.ifs:
                self.value(condition, scope)
        parts = [node.key, node.value] if isinstance(node, ast.DictComp) else [node.elt]
        items = self.values(parts, scope)
        # Whatever is changed along the way was changed in the order of hashes.
        if own and self.analysis.learned.changes > before:
            self.analysis.note_choice()
        if isinstance(node, ast.SetComp) or (own and isinstance(node, ast.DictComp)):
            # Which of several equal keys keeps its value is decided by order too.
            if isinstance(node, ast.DictComp):
                self.analysis.note_choice()
            own = Trait.SET
        if isinstance(node, ast.GeneratorExp):
            own |= Trait.ITERATOR
        return self.analysis.container(items, own)

    def piece(self, node: ast.expr, scope: NameScope) -> None:
        """A part of an f-string."""
        if not isinstance(node, ast.FormattedValue):
            return
        self.analysis.text(self.value(node.value, scope))
        if node.format_spec is None:
            return
        assert isinstance(node.format_spec, ast.JoinedStr)
        spec = ""
        for part in node.format_spec.values:
            if isinstance(part, ast.Constant):
                spec += str(part.value)
            else:
                assert isinstance(part, ast.FormattedValue)
                nested = self.value(part.value, scope)
                if not (nested.exact and nested.concretes) or part.format_spec is not None:
                    self.analysis.note_choice()
                self.analysis.text(nested)
                spec += "".join(str(one.value) + " " for one in nested.concretes)
        if not is_plain_format(spec):
            self.analysis.note_choice()


def _is_single(value: AbstractValue) -> bool:
    """Whether there is only one of it: None, a truth value, a class, a member of an enum."""
    if not value.exact or not value.concretes:
        return False
    return all(
        one.value is None
        or one.value is Ellipsis
        or type(one.value) is bool
        or isinstance(one.value, type)
        or (value.kind is not None and value.has(Trait.OBJECT) and not value.has(Trait.SHARED))
        for one in value.concretes
    )


def _may_allocate(op: ast.operator | ast.unaryop, a: AbstractValue, b: AbstractValue) -> bool:
    """Whether an operator may make something of any size: `"x" * n`, `2**n`, `1 << n`.

    Products of two values that may be texts or numbers are taken for numbers.
    """
    if isinstance(op, ast.Mult):
        return any(_is_sequence(x) and not _is_small(y) for x, y in ((a, b), (b, a)))
    is_float = bool((a.own | b.own) & Trait.NAN) and not (a.own | b.own) & Trait.CONTAINER
    return isinstance(op, ast.Pow | ast.LShift) and not is_float and not _is_small(b)


def _is_sequence(value: AbstractValue) -> bool:
    """Whether a value is known to be repeated by `*`: a collection, a constant text."""
    texts = any(type(one.value) in (str, bytes) for one in value.concretes)
    return texts or (value.has(Trait.CONTAINER) and not value.has(Trait.TABLE | Trait.OBJECT))


def _is_small(value: AbstractValue) -> bool:
    numbers = [one.value for one in value.concretes]
    return value.exact and all(
        isinstance(n, bool | int | float) and abs(n) <= MOST_REPEATED for n in numbers
    )
