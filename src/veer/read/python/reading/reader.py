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

from veer.errors import InputError
from veer.facts.determinism import expr_kind
from veer.functions.registry import Kind, scalar_function
from veer.ir import expr as ex
from veer.ir.digests import text_digest
from veer.ir.types import DataType
from veer.ir.walk import parts
from veer.read.python.reading import (
    arithmetic,
    branches,
    calls,
    comparisons,
    comprehensions,
    constants,
    exceptions,
    lists,
    local_functions,
    statements,
    texts,
    values as val,
)
from veer.read.python.reading.branches import State, Tree, ValueContinuation
from veer.read.python.reading.parameters import assigned_names, bind_parameters
from veer.read.python.reading.returned import PICKLED, leaf_conversion
from veer.read.python.reading.values import Constant, NotRead, Value, text
from veer.read.python.source import Definition, Missing, definition_of

DEEPEST = 8  # calls inside of calls
NOTHING: Mapping[str, val.Value] = {}
MOST_PARTS = 3_000  # of the expression a function is read as


def read_function(
    function: Any, args: Sequence[tuple[str, ex.Expr]], type_: DataType, evaluated: int
) -> ex.Expr:
    """What a live function gives for arguments, each with its keyword or "", as an expression.

    `evaluated` is Spark's evalType: how arguments and result are converted. Raises `NotRead` for
    whatever is outside of the Python that is read; the function is then known by identity alone.
    """
    definition = definition_of(function)
    if definition is None:
        raise val.NotRead("its source is not to be had")
    return _read(definition, args, type_, evaluated)


def read_source(source: str, args: Sequence[ex.Expr], type_: DataType) -> ex.Expr:
    """What the last function of a text gives; the text may define helpers and constants.

    Raises `NotRead` where the text holds more than that. Nothing of it is run.
    """
    try:
        tree = ast.parse(source)
    except (SyntaxError, ValueError, RecursionError) as error:
        raise val.NotRead(f"no Python: {error}") from None
    return _read(constants.module_definition(tree), [("", a) for a in args], type_, PICKLED)


def source_digest(source: str) -> str:
    """A digest of what a text says, whatever its comments and lines."""
    try:
        meaning = ast.dump(ast.parse(source))
    except (SyntaxError, ValueError, RecursionError):
        meaning = source
    return text_digest(meaning, 16)


def _read(
    definition: Definition, args: Sequence[tuple[str, ex.Expr]], type_: DataType, evaluated: int
) -> ex.Expr:
    for _, arg in args:
        if expr_kind(arg) not in (Kind.PURE, Kind.RUN_CONSTANT):
            raise val.NotRead("an argument that is not the same each time")
    reader = FunctionReader()
    positional = [val.argument(a) for name, a in args if not name]
    named: dict[str, val.Value] = {name: val.argument(a) for name, a in args if name}
    try:
        tree = reader.call(
            definition,
            positional,
            named,
            branches.State(),
            lambda value, _: branches.Returns(value),
        )
        expression = branches.expression(tree, leaf_conversion(tree, type_, evaluated))
    except (RecursionError, InputError) as error:
        raise val.NotRead(str(error) or "nested too deeply") from None
    if sum(1 for _ in parts(expression)) > MOST_PARTS:
        raise val.NotRead("an expression of too many parts")
    return expression


class FunctionReader(branches.Brancher):
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
        args: Sequence[val.Value],
        named: dict[str, val.Value],
        state: branches.State,
        then: branches.ValueContinuation,
        captured: Mapping[str, val.Value] = NOTHING,
    ) -> branches.Tree:
        """Follow a function; the names of the caller come back behind it.

        `captured` are names around a function that is defined inside of another.
        """
        if len(self.frames) >= DEEPEST:
            raise val.NotRead("calls nested too deeply")
        if any(isinstance(v, val.IteratorItems) for v in (*args, *named.values())):
            raise val.NotRead("an iterator with a name")
        names = bind_parameters(definition, args, named)
        if names is None:
            return self.raises(TypeError, state)
        node = definition.node
        assigned = assigned_names(node)
        frame = (definition, assigned | names.keys())
        names = {**{n: v for n, v in captured.items() if n not in assigned}, **names}
        # What follows the call is read outside of it: frames are put back around `then`.
        outside = list(self.frames)

        def back(value: val.Value, inner: branches.State) -> branches.Tree:
            inside, self.frames = self.frames, list(outside)
            try:
                return then(value, inner.within(state.names).handled_by(state.handler))
            finally:
                self.frames = inside

        def handled(exception: type[BaseException], inner: branches.State) -> branches.Tree:
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
            ways = branches.Continuations(lambda s: back(val.NONE, s), back)
            return self.follow_body(node.body, start, ways)
        finally:
            self.frames = outside

    def follow_body(
        self, body: Sequence[ast.stmt], state: branches.State, ways: branches.Continuations
    ) -> branches.Tree:
        """Follow statements to wherever they leave."""
        return statements.follow(self, body, state, ways)

    # -- conditions ----------------------------------------------------------------------------

    def branch_on(
        self,
        node: ast.expr,
        state: branches.State,
        yes: branches.Continuation,
        no: branches.Continuation,
    ) -> branches.Tree:
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
        self,
        value: val.Value,
        state: branches.State,
        yes: branches.Continuation,
        no: branches.Continuation,
    ) -> branches.Tree:
        """Branch on the truth of a value."""
        if isinstance(value, val.IteratorItems):
            raise val.NotRead("the truth of an iterator")
        if isinstance(value, val.Items):
            return yes(state) if value.items else no(state)
        if isinstance(value, val.Constant):
            return yes(state) if constants.require_data(value.value) else no(state)
        return self.unless_none(
            value,
            state,
            no,
            lambda v, s: self.branch(val.is_truthy(val.as_symbol(v)), s, yes, no),
        )

    # -- expressions ---------------------------------------------------------------------------

    def values(
        self,
        nodes: Sequence[ast.expr],
        state: branches.State,
        then: Callable[[list[val.Value], branches.State], branches.Tree],
    ) -> branches.Tree:
        """Several expressions, from left to right."""
        if not nodes:
            return then([], state)
        return self.value(
            nodes[0],
            state,
            lambda v, s: self.values(nodes[1:], s, lambda vs, t: then([v, *vs], t)),
        )

    # One `match` over the kinds of expressions: a helper for each would use up Python's stack.
    def value(
        self, node: ast.expr, state: branches.State, then: branches.ValueContinuation
    ) -> branches.Tree:
        """Follow an expression; `then` takes its value."""
        match node:
            case ast.Constant(value=value):
                return then(val.Constant(value), state)
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
                    lambda s: then(val.Constant(False), s),
                    lambda s: then(val.Constant(True), s),
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
                return joined(self, pieces, state, then)
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
                raise val.NotRead(f"the expression {type(node).__name__}")

    def _connective(
        self, node: ast.BoolOp, state: branches.State, then: branches.ValueContinuation
    ) -> branches.Tree:
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
        left: val.Value,
        signs: Sequence[ast.cmpop],
        sides: Sequence[ast.expr],
        state: branches.State,
        then: branches.ValueContinuation,
    ) -> branches.Tree:
        """`left < b < c`: each side is computed once, and only where all before it hold."""

        def compared(right: val.Value, s: branches.State) -> branches.Tree:
            return comparisons.compare(
                self, signs[0], left, right, s, lambda v, t: decided(right, v, t)
            )

        def decided(right: val.Value, holds: val.Value, s: branches.State) -> branches.Tree:
            if len(signs) == 1:
                return then(holds, s)
            more = lambda t: self._compared(right, signs[1:], sides[1:], t, then)  # noqa: E731
            return self.branch_on_value(holds, s, more, lambda t: then(holds, t))

        return self.value(sides[0], state, compared)

    def name(
        self, name: str, state: branches.State, then: branches.ValueContinuation
    ) -> branches.Tree:
        """What a name means: a local, what it closes over, a global, a builtin."""
        if name.startswith("__") and not name.endswith("__"):
            raise val.NotRead("a name that is another inside of a class")
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
        return then(val.Constant(value), state)

    def is_own_list(self, name: str) -> bool:
        """Whether a name of the function being read holds a list that nothing else holds."""
        node = self.frames[-1][0].node
        return isinstance(node, ast.FunctionDef) and name in lists.own_lists(node)

    def is_builtin(self, name: str, state: branches.State) -> bool:
        """Whether a name means Python's own function here."""
        definition, local = self.frames[-1]
        if name in state.names or name in local:
            return False
        try:
            return definition.lookup(name) is getattr(builtins, name)
        except Missing:
            return False

    def continue_with(
        self, symbol: val.Symbol, state: branches.State, then: branches.ValueContinuation
    ) -> branches.Tree:
        """Go on with a computed value; where computing it fails nothing goes on, used or not."""
        expr = symbol.expr
        if not isinstance(expr, ex.Call) or not scalar_function(expr.function).can_fail:
            return then(symbol, state)
        if state.handler is not None:
            return exceptions.continue_unless_raised(self, symbol, expr, state, then)
        return self.branch(
            ex.IsNull(expr), state, lambda _: branches.Raises(), lambda s: then(symbol, s)
        )

    def compute_constant(
        self, compute: Callable[[], Any], state: branches.State, then: branches.ValueContinuation
    ) -> branches.Tree:
        """A value computed while reading; where Python fails, so does the run."""
        try:
            value = compute()
        except (TypeError, ValueError, ArithmeticError, LookupError, AttributeError) as error:
            return self.raises(type(error), state)
        return then(val.Constant(value), state)

    # -- texts ---------------------------------------------------------------------------------

    def text(
        self, value: val.Value, state: branches.State, then: branches.ValueContinuation
    ) -> branches.Tree:
        """`str(value)`"""
        if isinstance(value, val.Constant):
            return self.compute_constant(
                lambda: str(constants.require_ordered(value.value)), state, then
            )
        return self.unless_none(
            value,
            state,
            lambda s: then(val.Constant("None"), s),
            lambda v, s: then(text(val.as_symbol(v)), s),
        )


def _rest(node: ast.expr, values: list[ast.expr]) -> ast.expr:
    """What is left of `and` or `or` behind its first operand."""
    assert isinstance(node, ast.BoolOp)
    return values[0] if len(values) == 1 else ast.BoolOp(node.op, values)


def _collection(node: ast.expr, values: list[val.Value]) -> val.Value:
    """A tuple, list or set as written: a constant if all of its items are."""
    if any(isinstance(v, val.IteratorItems) for v in values):
        raise val.NotRead("an iterator in a list")
    if all(isinstance(v, val.Constant) for v in values):
        collection = {ast.Tuple: tuple, ast.List: list, ast.Set: set}[type(node)]
        return val.Constant(collection([v.value for v in values if isinstance(v, val.Constant)]))
    if isinstance(node, ast.Set):
        raise val.NotRead("a set of values of the row")  # equal ones would be one item
    return val.Items(tuple(values), is_list=isinstance(node, ast.List))


def _dict(values: list[val.Value]) -> val.Value:
    """A dict as written, of its keys and then its values."""
    half = len(values) // 2
    if not all(isinstance(v, val.Constant) for v in values):
        raise val.NotRead("a dict with values of the row")
    plain = [v.value for v in values if isinstance(v, val.Constant)]
    return val.Constant(dict(zip(plain[:half], plain[half:], strict=True)))


# -- f-strings of Python functions: their pieces added to one text -------------------------------


def joined(
    reader: FunctionReader, pieces: Sequence[ast.expr], state: State, then: ValueContinuation
) -> Tree:
    """The text of an f-string, its pieces from left to right."""

    def collect(left: Sequence[ast.expr], text_so_far: Value, s: State) -> Tree:
        if not left:
            return then(text_so_far, s)
        return _piece(
            reader,
            left[0],
            s,
            lambda v, t: arithmetic.compute(
                reader, ast.Add(), text_so_far, v, t, lambda m, u: collect(left[1:], m, u)
            ),
        )

    return collect(pieces, Constant(""), state)


def _piece(reader: FunctionReader, node: ast.expr, state: State, then: ValueContinuation) -> Tree:
    """A part of an f-string, as a text: `{x}` and `{x!s}` are `str(x)`, None included."""
    match node:
        case ast.Constant(value=value):
            return then(Constant(value), state)
        case ast.FormattedValue(value=value, conversion=-1 | 115, format_spec=None):
            return reader.value(value, state, lambda v, s: reader.text(v, s, then))
        case ast.FormattedValue(
            value=value,
            conversion=-1,
            format_spec=ast.JoinedStr(values=[ast.Constant(value=spec)]),
        ):
            return reader.value(
                value,
                state,
                lambda v, s: texts.formatted(reader, v, str(spec), s, then),
            )
        case _:
            raise NotRead("a formatted value")
