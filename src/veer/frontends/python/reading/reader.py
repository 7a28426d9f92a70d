"""Bodies of Python functions as expressions, with Python's meaning.

The body is followed along every path; what depends on the row is kept as an expression, the rest
is computed. Whatever is not understood stops the reading, and the function stays opaque.

The reader is written in continuation-passing style: a method does not return the value of an
expression, it takes a function `then` of the value and gives the whole tree of what happens from
there to the end of the call. For a value may depend on conditions of the row, and what follows is
then followed once under each of them. Reading `return -x if x < 0 else x` is

    value(IfExp, state, then)
      => branch(x < 0, state,
                lambda s: value(-x, s, then),     # `s` knows that x < 0 holds
                lambda s: value(x, s, then))      # `s` knows that it does not
      => Branch(x < 0, Returns(-x), Returns(x))

with `then = lambda value, state: Returns(value)`. A `state` goes along each path: what names stand
for, which conditions were decided. So a condition is asked once a path, a branch that cannot be
taken is not read, `return` inside of a loop is just a continuation that is not called (`statements`), and
an exception is a tree that forgets its continuation (`Raises`).
"""

from __future__ import annotations

import ast
import builtins
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from veer.analysis.determinism import expr_kind
from veer.errors import InputError
from veer.frontends.python.reading import (
    arithmetic,
    calls,
    comparisons,
    comprehensions,
    constants,
    exceptions,
    f_strings,
    lists,
    local_functions,
    statements,
)
from veer.frontends.python.reading.branches import (
    Brancher,
    Continuation,
    Continuations,
    Raises,
    Returns,
    State,
    Tree,
    ValueContinuation,
)
from veer.frontends.python.reading.branches import expression as expression_of
from veer.frontends.python.reading.parameters import assigned_names, bind_parameters
from veer.frontends.python.reading.returned import PICKLED, leaf_conversion
from veer.frontends.python.reading.values import (
    NONE,
    Constant,
    Items,
    IteratorItems,
    NotRead,
    Symbol,
    Value,
    argument,
    as_symbol,
    is_truthy,
    text,
)
from veer.frontends.python.source import Definition, Missing, definition_of
from veer.functions.registry import Kind, scalar_function
from veer.model.digests import text_digest
from veer.model.expr import Call, Expr, IsNull
from veer.model.types import DataType
from veer.model.walk import parts

DEEPEST = 8  # calls inside of calls
NOTHING: Mapping[str, Value] = {}
MOST_PARTS = 3_000  # of the expression a function is read as


def read_function(
    function: Any, args: Sequence[tuple[str, Expr]], type_: DataType, evaluated: int
) -> Expr:
    """What a live function gives for arguments, each with its keyword or "", as an expression.

    `evaluated` is Spark's evalType: how arguments and result are converted. Raises `NotRead` for
    whatever is outside of the Python that is read; the function is then known by identity alone.
    """
    definition = definition_of(function)
    if definition is None:
        raise NotRead("its source is not to be had")
    return _read(definition, args, type_, evaluated)


def read_source(source: str, args: Sequence[Expr], type_: DataType) -> Expr:
    """What the last function of a text gives; the text may define helpers and constants.

    Raises `NotRead` where the text holds more than that. Nothing of it is run.
    """
    try:
        tree = ast.parse(source)
    except (SyntaxError, ValueError, RecursionError) as error:
        raise NotRead(f"no Python: {error}") from None
    return _read(constants.module_definition(tree), [("", a) for a in args], type_, PICKLED)


def source_digest(source: str) -> str:
    """A digest of what a text says, whatever its comments and lines."""
    try:
        meaning = ast.dump(ast.parse(source))
    except (SyntaxError, ValueError, RecursionError):
        meaning = source
    return text_digest(meaning, 16)


def _read(
    definition: Definition, args: Sequence[tuple[str, Expr]], type_: DataType, evaluated: int
) -> Expr:
    for _, arg in args:
        if expr_kind(arg) not in (Kind.PURE, Kind.RUN_CONSTANT):
            raise NotRead("an argument that is not the same each time")
    reader = FunctionReader()
    positional = [argument(a) for name, a in args if not name]
    named: dict[str, Value] = {name: argument(a) for name, a in args if name}
    try:
        tree = reader.call(definition, positional, named, State(), lambda value, _: Returns(value))
        expression = expression_of(tree, leaf_conversion(tree, type_, evaluated))
    except (RecursionError, InputError) as error:
        raise NotRead(str(error) or "nested too deeply") from None
    if sum(1 for _ in parts(expression)) > MOST_PARTS:
        raise NotRead("an expression of too many parts")
    return expression


class FunctionReader(Brancher):
    """Follows one call of a function.

    `frames` are the functions being read, the innermost last, each with the names that are its
    own. What follows a call belongs to the caller: continuations restore the caller's frames.
    """

    def __init__(self) -> None:
        super().__init__()
        self.frames: list[tuple[Definition, frozenset[str]]] = []

    # -- functions -----------------------------------------------------------------------------

    def call(
        self,
        definition: Definition,
        args: Sequence[Value],
        named: dict[str, Value],
        state: State,
        then: ValueContinuation,
        captured: Mapping[str, Value] = NOTHING,
    ) -> Tree:
        """Follow a function; the names of the caller come back behind it.

        `captured` are names around a function that is defined inside of another.
        """
        if len(self.frames) >= DEEPEST:
            raise NotRead("calls nested too deeply")
        if any(isinstance(v, IteratorItems) for v in (*args, *named.values())):
            raise NotRead("an iterator with a name")
        names = bind_parameters(definition, args, named)
        if names is None:
            return self.raises(TypeError, state)
        node = definition.node
        assigned = assigned_names(node)
        frame = (definition, assigned | names.keys())
        names = {**{n: v for n, v in captured.items() if n not in assigned}, **names}
        # What follows the call is read outside of it: frames are put back around `then`.
        outside = list(self.frames)

        def back(value: Value, inner: State) -> Tree:
            inside, self.frames = self.frames, list(outside)
            try:
                return then(value, inner.within(state.names).handled_by(state.handler))
            finally:
                self.frames = inside

        def handled(exception: type[BaseException], inner: State) -> Tree:
            inside, self.frames = self.frames, list(outside)
            try:
                return self.raises(exception, inner.within(state.names).handled_by(state.handler))
            finally:
                self.frames = inside

        self.frames = [*outside, frame]
        try:
            start = state.within(names).handled_by(handled if state.handler else None)
            if isinstance(node, ast.Lambda):
                return self.value(node.body, start, back)
            ways = Continuations(lambda s: back(NONE, s), back)
            return self.follow_body(node.body, start, ways)
        finally:
            self.frames = outside

    def follow_body(self, body: Sequence[ast.stmt], state: State, ways: Continuations) -> Tree:
        """Follow statements to wherever they leave."""
        return statements.follow(self, body, state, ways)

    # -- conditions ----------------------------------------------------------------------------

    def branch_on(self, node: ast.expr, state: State, yes: Continuation, no: Continuation) -> Tree:
        """Branch on the truth of an expression.

        The right side of `and` and `or` is followed only on paths where the left does not decide:
        as in Python, where it may fail without harm on the others.
        """
        match node:
            case ast.BoolOp(op=ast.And(), values=[first, *rest]):
                inner = lambda s: self.branch_on(_rest(node, rest), s, yes, no)  # noqa: E731
                return self.branch_on(first, state, inner if rest else yes, no)
            case ast.BoolOp(op=ast.Or(), values=[first, *rest]):
                inner = lambda s: self.branch_on(_rest(node, rest), s, yes, no)  # noqa: E731
                return self.branch_on(first, state, yes, inner if rest else no)
            case ast.UnaryOp(op=ast.Not(), operand=operand):
                return self.branch_on(operand, state, no, yes)
            case _:
                return self.value(node, state, lambda v, s: self.branch_on_value(v, s, yes, no))

    def branch_on_value(
        self, value: Value, state: State, yes: Continuation, no: Continuation
    ) -> Tree:
        """Branch on the truth of a value."""
        if isinstance(value, IteratorItems):
            raise NotRead("the truth of an iterator")
        if isinstance(value, Items):
            return yes(state) if value.items else no(state)
        if isinstance(value, Constant):
            return yes(state) if constants.require_data(value.value) else no(state)
        return self.unless_none(
            value,
            state,
            no,
            lambda v, s: self.branch(is_truthy(as_symbol(v)), s, yes, no),
        )

    # -- expressions ---------------------------------------------------------------------------

    def values(
        self, nodes: Sequence[ast.expr], state: State, then: Callable[[list[Value], State], Tree]
    ) -> Tree:
        """Several expressions, from left to right."""
        if not nodes:
            return then([], state)
        return self.value(
            nodes[0],
            state,
            lambda v, s: self.values(nodes[1:], s, lambda vs, t: then([v, *vs], t)),
        )

    # One `match` over the kinds of expressions: a helper for each would use up Python's stack.
    def value(self, node: ast.expr, state: State, then: ValueContinuation) -> Tree:
        """Follow an expression; `then` takes its value."""
        match node:
            case ast.Constant(value=value):
                return then(Constant(value), state)
            case ast.Name(id=name):
                return self.name(name, state, then)
            case ast.IfExp(test=test, body=body, orelse=orelse):
                return self.branch_on(
                    test,
                    state,
                    lambda s: self.value(body, s, then),
                    lambda s: self.value(orelse, s, then),
                )
            case ast.BoolOp():
                return self._connective(node, state, then)
            case ast.UnaryOp(op=ast.Not(), operand=operand):
                return self.branch_on(
                    operand,
                    state,
                    lambda s: then(Constant(False), s),
                    lambda s: then(Constant(True), s),
                )
            case ast.UnaryOp(op=ast.USub(), operand=operand):
                return self.value(
                    operand, state, lambda v, s: arithmetic.negative(self, v, s, then)
                )
            case ast.Compare(left=left, ops=signs, comparators=sides):
                return self.value(
                    left, state, lambda v, s: self._compared(v, signs, sides, s, then)
                )
            case ast.BinOp(left=left, op=op, right=right):
                return self.values(
                    [left, right],
                    state,
                    lambda vs, s: arithmetic.compute(self, op, vs[0], vs[1], s, then),
                )
            case ast.JoinedStr(values=pieces):
                return f_strings.joined(self, pieces, state, then)
            case ast.Tuple(elts=elts) | ast.List(elts=elts) | ast.Set(elts=elts):
                return self.values(elts, state, lambda vs, s: then(_collection(node, vs), s))
            case ast.Dict(keys=keys, values=items) if None not in keys:
                return self.values(
                    [*(k for k in keys if k is not None), *items],
                    state,
                    lambda vs, s: then(_dict(vs), s),
                )
            case ast.ListComp() | ast.GeneratorExp() | ast.SetComp() | ast.DictComp():
                return comprehensions.follow(self, node, state, then)
            case ast.Lambda():
                return local_functions.define(self, node, state, then)
            case ast.Call() | ast.Attribute() | ast.Subscript():
                return calls.follow(self, node, state, then)
            case ast.NamedExpr(target=ast.Name(id=name), value=value):
                return self.value(value, state, lambda v, s: then(v, s.bind(name, v)))
            case _:
                raise NotRead(f"the expression {type(node).__name__}")

    def _connective(self, node: ast.BoolOp, state: State, then: ValueContinuation) -> Tree:
        """`a and b`, `a or b` as a value: that of the side that decides, not a truth value."""
        first, *rest = node.values
        if not rest:
            return self.value(first, state, then)
        others = lambda s: self.value(_rest(node, rest), s, then)  # noqa: E731
        is_and = isinstance(node.op, ast.And)
        return self.value(
            first,
            state,
            lambda v, s: self.branch_on_value(
                v,
                s,
                others if is_and else lambda t: then(v, t),
                (lambda t: then(v, t)) if is_and else others,
            ),
        )

    def _compared(
        self,
        left: Value,
        signs: Sequence[ast.cmpop],
        sides: Sequence[ast.expr],
        state: State,
        then: ValueContinuation,
    ) -> Tree:
        """`left < b < c`: each side is computed once, and only where all before it hold."""

        def compared(right: Value, s: State) -> Tree:
            return comparisons.compare(
                self, signs[0], left, right, s, lambda v, t: decided(right, v, t)
            )

        def decided(right: Value, holds: Value, s: State) -> Tree:
            if len(signs) == 1:
                return then(holds, s)
            more = lambda t: self._compared(right, signs[1:], sides[1:], t, then)  # noqa: E731
            return self.branch_on_value(holds, s, more, lambda t: then(holds, t))

        return self.value(sides[0], state, compared)

    def name(self, name: str, state: State, then: ValueContinuation) -> Tree:
        """What a name means: a local, what it closes over, a global, a builtin."""
        if name.startswith("__") and not name.endswith("__"):
            raise NotRead("a name that is another inside of a class")
        if name in state.names:
            return then(state.names[name], state)
        definition, local = self.frames[-1]
        if name in local:
            # Read before it is assigned: a local name is one in the whole body.
            return self.raises(UnboundLocalError, state)
        try:
            value = definition.lookup(name)
        except Missing:
            return self.raises(NameError, state)
        return then(Constant(value), state)

    def is_own_list(self, name: str) -> bool:
        """Whether a name of the function being read holds a list that nothing else holds."""
        node = self.frames[-1][0].node
        return isinstance(node, ast.FunctionDef) and name in lists.own_lists(node)

    def is_builtin(self, name: str, state: State) -> bool:
        """Whether a name means Python's own function here."""
        definition, local = self.frames[-1]
        if name in state.names or name in local:
            return False
        try:
            return definition.lookup(name) is getattr(builtins, name)
        except Missing:
            return False

    def continue_with(self, symbol: Symbol, state: State, then: ValueContinuation) -> Tree:
        """Go on with a computed value; where computing it fails nothing goes on, used or not."""
        expr = symbol.expr
        if not isinstance(expr, Call) or not scalar_function(expr.function).can_fail:
            return then(symbol, state)
        if state.handler is not None:
            return exceptions.continue_unless_raised(self, symbol, expr, state, then)
        return self.branch(IsNull(expr), state, lambda _: Raises(), lambda s: then(symbol, s))

    def compute_constant(
        self, compute: Callable[[], Any], state: State, then: ValueContinuation
    ) -> Tree:
        """A value computed while reading; where Python fails, so does the run."""
        try:
            value = compute()
        except (TypeError, ValueError, ArithmeticError, LookupError, AttributeError) as error:
            return self.raises(type(error), state)
        return then(Constant(value), state)

    # -- texts ---------------------------------------------------------------------------------

    def text(self, value: Value, state: State, then: ValueContinuation) -> Tree:
        """`str(value)`"""
        if isinstance(value, Constant):
            return self.compute_constant(
                lambda: str(constants.require_ordered(value.value)), state, then
            )
        return self.unless_none(
            value,
            state,
            lambda s: then(Constant("None"), s),
            lambda v, s: then(text(as_symbol(v)), s),
        )


def _rest(node: ast.expr, values: list[ast.expr]) -> ast.expr:
    """What is left of `and` or `or` behind its first operand."""
    assert isinstance(node, ast.BoolOp)
    return values[0] if len(values) == 1 else ast.BoolOp(node.op, values)


def _collection(node: ast.expr, values: list[Value]) -> Value:
    """A tuple, list or set as written: a constant if all of its items are."""
    if any(isinstance(v, IteratorItems) for v in values):
        raise NotRead("an iterator in a list")
    if all(isinstance(v, Constant) for v in values):
        collection = {ast.Tuple: tuple, ast.List: list, ast.Set: set}[type(node)]
        return Constant(collection([v.value for v in values if isinstance(v, Constant)]))
    if isinstance(node, ast.Set):
        raise NotRead("a set of values of the row")  # equal ones would be one item
    return Items(tuple(values), is_list=isinstance(node, ast.List))


def _dict(values: list[Value]) -> Value:
    """A dict as written, of its keys and then its values."""
    half = len(values) // 2
    if not all(isinstance(v, Constant) for v in values):
        raise NotRead("a dict with values of the row")
    plain = [v.value for v in values if isinstance(v, Constant)]
    return Constant(dict(zip(plain[:half], plain[half:], strict=True)))
