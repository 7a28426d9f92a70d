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
taken is not read, `return` inside of a loop is just a continuation that is not called (`body`), and
an exception is a tree that forgets its continuation (`Raises`).
"""

from __future__ import annotations

import ast
import builtins
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, final

from veer.analysis.determinism import expr_kind
from veer.errors import InputError
from veer.frontends.python.reading import arithmetic, calls, comparisons, constants, texts
from veer.frontends.python.reading.branches import (
    Brancher,
    Continuation,
    Raises,
    Returns,
    State,
    Tree,
    ValueContinuation,
)
from veer.frontends.python.reading.branches import expression as expression_of
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

MOST_ROUNDS = 200
DEEPEST = 8
MOST_PARTS = 3_000


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


@final
@dataclass(frozen=True)
class _Continuations:
    """Where a body goes on: behind its end, on return, out of a loop, to its next round."""

    end: Continuation
    on_return: ValueContinuation
    on_break: Continuation | None = None
    on_continue: Continuation | None = None


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
    ) -> Tree:
        """Follow a function; the names of the caller come back behind it."""
        if len(self.frames) >= DEEPEST:
            raise NotRead("calls nested too deeply")
        names = _bind_parameters(definition, args, named)
        if names is None:
            return Raises()
        node = definition.node
        frame = (definition, _assigned(node) | names.keys())
        # What follows the call is read outside of it: frames are put back around `then`.
        outside = list(self.frames)

        def back(value: Value, inner: State) -> Tree:
            inside, self.frames = self.frames, list(outside)
            try:
                return then(value, inner.within(state.names))
            finally:
                self.frames = inside

        self.frames = [*outside, frame]
        try:
            start = state.within(names)
            if isinstance(node, ast.Lambda):
                return self.value(node.body, start, back)
            return self.body(node.body, start, _Continuations(lambda s: back(NONE, s), back))
        finally:
            self.frames = outside

    # -- statements ----------------------------------------------------------------------------

    def body(self, statements: Sequence[ast.stmt], state: State, ways: _Continuations) -> Tree:
        """Follow statements one after the other."""
        if not statements:
            return ways.end(state)
        first, rest = statements[0], statements[1:]

        def following(s: State) -> Tree:
            return self.body(rest, s, ways)

        match first:
            case ast.Return(value=value):
                return (
                    ways.on_return(NONE, state)
                    if value is None
                    else self.value(value, state, ways.on_return)
                )
            case ast.If(test=test, body=body, orelse=orelse):
                inner = _Continuations(following, ways.on_return, ways.on_break, ways.on_continue)
                return self.branch_on(
                    test,
                    state,
                    lambda s: self.body(body, s, inner),
                    lambda s: self.body(orelse, s, inner),
                )
            case ast.Assign() | ast.AnnAssign() | ast.AugAssign():
                return self._assignment(first, state, following)
            case ast.For(target=target, iter=source, body=body, orelse=orelse):
                return self.value(
                    source,
                    state,
                    lambda v, s: self.loop(
                        target, constants.items_of(v), body, s, following, ways, orelse
                    ),
                )
            case ast.Expr(value=value):
                return self.value(value, state, lambda _, s: following(s))
            case ast.Pass():
                return following(state)
            case ast.Break() if ways.on_break is not None:
                return ways.on_break(state)
            case ast.Continue() if ways.on_continue is not None:
                return ways.on_continue(state)
            case ast.Raise():
                return Raises()
            case ast.Assert(test=test):
                return self.branch_on(test, state, following, lambda _: Raises())
            case _:
                raise NotRead(f"the statement {type(first).__name__}")

    def _assignment(
        self,
        node: ast.Assign | ast.AnnAssign | ast.AugAssign,
        state: State,
        following: Continuation,
    ) -> Tree:
        match node:
            case ast.Assign(targets=[target], value=value):
                pass
            case ast.AnnAssign(target=target, value=ast.expr() as value):
                pass
            case ast.AugAssign(target=ast.Name(id=name) as target, op=op, value=operand):
                before = state.names.get(name)
                if not isinstance(before, Symbol | None) and not (
                    isinstance(before, Constant) and constants.is_scalar(before.value)
                ):
                    raise NotRead("a collection changed in its place")
                value = ast.BinOp(ast.Name(name, ast.Load()), op, operand)
            case _:
                raise NotRead(f"the statement {type(node).__name__}")
        return self.value(value, state, lambda v, s: self.bind(target, v, s, following))

    def loop(
        self,
        target: ast.expr,
        rounds: Sequence[Value],
        body: Sequence[ast.stmt],
        state: State,
        following: Continuation,
        ways: _Continuations,
        orelse: Sequence[ast.stmt],
    ) -> Tree:
        """Follow a loop round by round."""
        if len(rounds) > MOST_ROUNDS:
            raise NotRead("a loop of too many rounds")
        if not rounds:
            inner = _Continuations(following, ways.on_return, ways.on_break, ways.on_continue)
            return self.body(orelse, state, inner)

        def again(s: State) -> Tree:
            return self.loop(target, rounds[1:], body, s, following, ways, orelse)

        inner = _Continuations(again, ways.on_return, following, again)
        return self.bind(target, rounds[0], state, lambda s: self.body(body, s, inner))

    def bind(self, target: ast.expr, value: Value, state: State, then: Continuation) -> Tree:
        """Assign to a name, or to several."""
        if isinstance(value, IteratorItems):
            raise NotRead("an iterator with a name")
        match target:
            case ast.Name(id=name):
                return then(state.bind(name, value))
            case ast.Tuple(elts=targets) | ast.List(elts=targets):
                items = constants.items_of(value)
                if len(items) != len(targets):
                    return Raises()
                for one, item in zip(targets, items, strict=True):
                    if not isinstance(one, ast.Name):
                        raise NotRead("an assignment to parts of parts")
                    state = state.bind(one.id, item)
                return then(state)
            case _:
                raise NotRead(f"an assignment to a {type(target).__name__}")

    # -- conditions ----------------------------------------------------------------------------

    def branch_on(self, node: ast.expr, state: State, yes: Continuation, no: Continuation) -> Tree:
        """Branch on the truth of an expression."""
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
            case ast.UnaryOp(op=ast.Not()) | ast.Compare(ops=[_, _, *_]):
                return self.condition_value(node, state, then)
            case ast.UnaryOp(op=ast.USub(), operand=operand):
                return self.value(
                    operand, state, lambda v, s: arithmetic.negative(self, v, s, then)
                )
            case ast.Compare(left=left, ops=[sign], comparators=[right]):
                return self.values(
                    [left, right],
                    state,
                    lambda vs, s: comparisons.compare(self, sign, vs[0], vs[1], s, then),
                )
            case ast.BinOp(left=left, op=op, right=right):
                return self.values(
                    [left, right],
                    state,
                    lambda vs, s: arithmetic.compute(self, op, vs[0], vs[1], s, then),
                )
            case ast.JoinedStr(values=pieces):
                return self.joined(pieces, state, then)
            case ast.Tuple(elts=elts) | ast.List(elts=elts) | ast.Set(elts=elts):
                return self.values(elts, state, lambda vs, s: then(_listed(node, vs), s))
            case ast.Dict(keys=keys, values=items) if None not in keys:
                return self.values(
                    [*(k for k in keys if k is not None), *items],
                    state,
                    lambda vs, s: then(_table(vs), s),
                )
            case ast.Call() | ast.Attribute() | ast.Subscript():
                return calls.follow(self, node, state, then)
            case ast.NamedExpr(target=ast.Name(id=name), value=value):
                return self.value(value, state, lambda v, s: then(v, s.bind(name, v)))
            case _:
                raise NotRead(f"the expression {type(node).__name__}")

    def _connective(self, node: ast.BoolOp, state: State, then: ValueContinuation) -> Tree:
        """`a and b`, `a or b` as a value: that of the side that decides."""
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

    def condition_value(self, node: ast.expr, state: State, then: ValueContinuation) -> Tree:
        """A condition as a value."""
        if isinstance(node, ast.Compare):
            node = _chain(node)
            return self.value(node, state, then)
        assert isinstance(node, ast.UnaryOp)
        return self.branch_on(
            node.operand,
            state,
            lambda s: then(Constant(False), s),
            lambda s: then(Constant(True), s),
        )

    def name(self, name: str, state: State, then: ValueContinuation) -> Tree:
        """What a name means: a local, what it closes over, a global, a builtin."""
        if name.startswith("__") and not name.endswith("__"):
            raise NotRead("a name that is another inside of a class")
        if name in state.names:
            return then(state.names[name], state)
        definition, local = self.frames[-1]
        if name in local:
            return Raises()  # read before it is assigned: a local name is one in the whole body
        try:
            return then(Constant(definition.lookup(name)), state)
        except Missing:
            return Raises()

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
        return self.branch(IsNull(expr), state, lambda _: Raises(), lambda s: then(symbol, s))

    def compute_constant(
        self, compute: Callable[[], Any], state: State, then: ValueContinuation
    ) -> Tree:
        """A value computed while reading; where Python fails, so does the run."""
        try:
            value = compute()
        except (TypeError, ValueError, ArithmeticError, LookupError, AttributeError):
            return Raises()
        return then(Constant(value), state)

    # -- texts ---------------------------------------------------------------------------------

    def joined(self, pieces: Sequence[ast.expr], state: State, then: ValueContinuation) -> Tree:
        """An f-string."""

        def collect(left: Sequence[ast.expr], text_so_far: Value, s: State) -> Tree:
            if not left:
                return then(text_so_far, s)
            return self.piece(
                left[0],
                s,
                lambda v, t: arithmetic.compute(
                    self, ast.Add(), text_so_far, v, t, lambda m, u: collect(left[1:], m, u)
                ),
            )

        return collect(pieces, Constant(""), state)

    def piece(self, node: ast.expr, state: State, then: ValueContinuation) -> Tree:
        """A part of an f-string, as a text."""
        match node:
            case ast.Constant(value=value):
                return then(Constant(value), state)
            case ast.FormattedValue(value=value, conversion=-1 | 115, format_spec=None):
                return self.value(value, state, lambda v, s: self.text(v, s, then))
            case ast.FormattedValue(
                value=value,
                conversion=-1,
                format_spec=ast.JoinedStr(values=[ast.Constant(value=spec)]),
            ):
                return self.value(
                    value,
                    state,
                    lambda v, s: texts.formatted(self, v, str(spec), s, then),
                )
            case _:
                raise NotRead("a formatted value")

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
    assert isinstance(node, ast.BoolOp)
    return values[0] if len(values) == 1 else ast.BoolOp(node.op, values)


def _chain(node: ast.Compare) -> ast.expr:
    """`a < b < c` as `a < b and b < c`; the middle is read twice, which changes nothing."""
    sides = [node.left, *node.comparators]
    if not all(isinstance(s, ast.Name | ast.Constant | ast.UnaryOp) for s in sides[1:-1]):
        raise NotRead("a chain of comparisons around a computed value")
    pairs = [ast.Compare(sides[i], [op], [sides[i + 1]]) for i, op in enumerate(node.ops)]
    return ast.BoolOp(ast.And(), list(pairs))


def _listed(node: ast.expr, values: list[Value]) -> Value:
    if any(isinstance(v, IteratorItems) for v in values):
        raise NotRead("an iterator in a list")
    if all(isinstance(v, Constant) for v in values):
        collection = {ast.Tuple: tuple, ast.List: list, ast.Set: set}[type(node)]
        return Constant(collection([v.value for v in values if isinstance(v, Constant)]))
    if isinstance(node, ast.Set):
        raise NotRead("a set of values of the row")
    return Items(tuple(values))


def _table(values: list[Value]) -> Value:
    half = len(values) // 2
    if not all(isinstance(v, Constant) for v in values):
        raise NotRead("a dict with values of the row")
    plain = [v.value for v in values if isinstance(v, Constant)]
    return Constant(dict(zip(plain[:half], plain[half:], strict=True)))


def _bind_parameters(
    definition: Definition, args: Sequence[Value], named: dict[str, Value]
) -> dict[str, Value] | None:
    """The parameters of a call, or None if Python would refuse it."""
    parameters = definition.node.args
    if parameters.vararg or parameters.kwarg:
        raise NotRead("a variable number of parameters")
    positional = [a.arg for a in (*parameters.posonlyargs, *parameters.args)]
    if len(args) > len(positional):
        return None
    bound: dict[str, Value] = dict(zip(positional, args, strict=False))
    allowed = {a.arg for a in (*parameters.args, *parameters.kwonlyargs)}
    for name, value in named.items():
        if name in bound or name not in allowed:
            return None
        bound[name] = value
    ends = positional[len(positional) - len(definition.defaults) :]
    for name, default in (
        *zip(ends, definition.defaults, strict=True),
        *definition.keyword_defaults,
    ):
        bound.setdefault(name, Constant(default))
    wanted = {*positional, *(a.arg for a in parameters.kwonlyargs)}
    return bound if bound.keys() == wanted else None


UNREAD = (
    ast.Try,
    ast.With,
    ast.Match,
    ast.ClassDef,
    ast.FunctionDef,
    ast.AsyncFunctionDef,
    ast.Import,
    ast.ImportFrom,
    ast.Delete,
    ast.Global,
    ast.Nonlocal,
    ast.Yield,
    ast.YieldFrom,
    ast.Await,
)
COMPREHENSIONS = (ast.GeneratorExp, ast.ListComp, ast.SetComp, ast.DictComp)


def _assigned(node: ast.AST) -> frozenset[str]:
    """The names a function assigns, which are its own everywhere in it."""
    names: set[str] = set()
    stack = list(node.body) if isinstance(node, ast.FunctionDef) else []
    while stack:
        inner: ast.AST = stack.pop()
        if isinstance(inner, UNREAD):
            raise NotRead(f"the word {type(inner).__name__.lower()}")
        if isinstance(inner, COMPREHENSIONS):
            continue  # its names are its own
        if isinstance(inner, ast.NamedExpr):
            names.add(inner.target.id)
        if isinstance(inner, ast.Name) and isinstance(inner.ctx, ast.Store):
            names.add(inner.id)
        stack += ast.iter_child_nodes(inner)  # type: ignore[arg-type]
    return frozenset(names)
