"""Walking expressions and operators: children, rebuilding, the columns read."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, fields, replace
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, Protocol, TypeAlias, TypeVar, assert_never, final

from veer.errors import IllFormedError, UnsupportedError
from veer.ir import expr as ex
from veer.ir.schema import Schema

if TYPE_CHECKING:
    from veer.ir.dag import Dataflow
    from veer.ir.ops import AnyOperator


T = TypeVar("T")
# Of a property whose expressions are about the rows of a table, not about those of an input.
OWN_ROWS: Mapping[str, bool] = MappingProxyType({"own_rows": True})
# Of a field that is written to JSON only where it differs from its default.
UNLESS_DEFAULT: Mapping[str, bool] = MappingProxyType({"unless_default": True})


def children(expr: ex.Expr) -> tuple[ex.Expr, ...]:
    """The direct parts of an expression; the inside of a subquery is not one."""
    match expr:
        case ex.Column() | ex.OuterColumn() | ex.RowColumn() | ex.Symbol() | ex.Literal():
            return ()
        case ex.Exists() | ex.ScalarQuery():
            return ()
        case ex.And(args) | ex.Or(args):
            return args
        case ex.Not(arg) | ex.IsNull(arg):
            return (arg,)
        case ex.Cast(arg=arg) | ex.GetField(arg=arg):
            return (arg,)
        case ex.Compare(left=left, right=right):
            return (left, right)
        case ex.InList(arg, options):
            return (arg, *options)
        case ex.Case(branches, otherwise):
            return (*(part for branch in branches for part in branch), otherwise)
        case ex.Call(args=args) | ex.OpaqueCall(args=args) | ex.InQuery(args=args):
            return args
        case _:
            assert_never(expr)


def transform(expr: ex.Expr, change: Callable[[ex.Expr], ex.Expr]) -> ex.Expr:
    """Apply `change` to every part, children first; unchanged parts stay the same objects."""
    return change(map_children(expr, lambda child: transform(child, change)))


def map_children(expr: ex.Expr, change: Callable[[ex.Expr], ex.Expr]) -> ex.Expr:
    """The expression with each direct part changed."""
    match expr:
        case ex.Column() | ex.OuterColumn() | ex.RowColumn() | ex.Symbol() | ex.Literal():
            return expr
        case ex.Exists() | ex.ScalarQuery():
            return expr
        case ex.And(args) | ex.Or(args):
            return replace(expr, args=tuple(map(change, args)))
        case ex.Not(arg) | ex.IsNull(arg):
            return replace(expr, arg=change(arg))
        case ex.Cast(arg=arg) | ex.GetField(arg=arg):
            return replace(expr, arg=change(arg))
        case ex.Compare(left=left, right=right):
            return replace(expr, left=change(left), right=change(right))
        case ex.InList(arg, options):
            return ex.InList(change(arg), tuple(map(change, options)))
        case ex.Case(branches, otherwise):
            changed = tuple((change(when), change(then)) for when, then in branches)
            return ex.Case(changed, change(otherwise))
        case ex.Call(args=args) | ex.OpaqueCall(args=args) | ex.InQuery(args=args):
            return replace(expr, args=tuple(map(change, args)))
        case _:
            assert_never(expr)


def parts(expr: ex.Expr) -> Iterator[ex.Expr]:
    """The expression and everything inside it, subqueries as single nodes."""
    stack = [expr]
    while stack:
        node = stack.pop()
        yield node
        stack.extend(reversed(children(node)))


def query_of(expr: ex.Expr) -> Dataflow | None:
    """The subquery an expression node holds, if it holds one."""
    return expr.query if isinstance(expr, ex.Exists | ex.InQuery | ex.ScalarQuery) else None


def columns_read(expr: ex.Expr) -> Iterator[ex.Column]:
    """The input columns an expression reads, those read inside its subqueries included.

    Every operator asks this of its expressions, so none can hold a variable of a proof.
    """
    for node in parts(expr):
        if isinstance(node, ex.Column):
            yield node
        elif isinstance(node, ex.RowColumn | ex.Symbol):
            raise IllFormedError("a variable of a proof is not a column of an input")
        elif (query := query_of(node)) is not None:
            for outer in outer_columns(query):
                if outer.depth == 1:
                    yield ex.Column(outer.name, outer.type, outer.occurrence)


def outer_columns(query: Dataflow) -> Iterator[ex.OuterColumn]:
    """Columns of enclosing rows that a subquery reads, depths as seen from its outside."""
    for operator in query.operators.values():
        for expr in operator_exprs(operator):
            yield from _outer_in(expr)
        if (inner := operator.own_query) is not None:
            yield from _lifted(inner)


def _outer_in(expr: ex.Expr) -> Iterator[ex.OuterColumn]:
    """Columns of enclosing rows that an expression reads, its subqueries included."""
    for node in parts(expr):
        if isinstance(node, ex.OuterColumn):
            yield node
        elif (query := query_of(node)) is not None:
            yield from _lifted(query)


def _lifted(query: Dataflow) -> Iterator[ex.OuterColumn]:
    """What a subquery reads from further out than the row it stands in, as seen from that row."""
    for outer in outer_columns(query):
        if outer.depth > 1:
            yield replace(outer, depth=outer.depth - 1)


def operator_exprs(operator: AnyOperator) -> Iterator[ex.Expr]:
    """The expressions among an operator's properties, in order."""
    for name in _parts_of(type(operator)):
        yield from exprs_in(getattr(operator, name))


def subqueries(operator: AnyOperator) -> Iterator[Dataflow]:
    """The dataflows inside an operator: in its expressions, or its own."""
    for expr in operator_exprs(operator):
        for part in parts(expr):
            if (query := query_of(part)) is not None:
                yield query
    if (inner := operator.own_query) is not None:
        yield inner


def size(dataflow: Dataflow) -> int:
    """How many operators there are, those of subqueries included."""

    def counted() -> int:
        inner = sum(size(query) for o in dataflow.operators.values() for query in subqueries(o))
        return len(dataflow.operators) + inner

    return dataflow.cached("size", counted)


def exprs_in(value: Any) -> Iterator[ex.Expr]:
    """The outermost expressions inside a property: in tuples and in named, sort or call parts."""
    kind = type(value)
    if kind in _EXPRS:
        yield value
    elif kind is tuple:
        for item in value:
            yield from exprs_in(item)
    else:
        for name in _parts_of(kind):
            yield from exprs_in(getattr(value, name))


_EXPRS = frozenset(ex.EXPR_CLASSES)


_parts: dict[type[Any], tuple[str, ...]] = {}


def _parts_of(kind: type[Any]) -> tuple[str, ...]:
    """The properties of a class that may hold expressions; of a plain value none."""
    names = _parts.get(kind)
    if names is None:
        names = ()
        if issubclass(kind, ex.ExprHolder):
            names = tuple(f.name for f in fields(kind) if not f.metadata.get("own_rows"))
        _parts[kind] = names
    return names


def map_exprs(value: T, change: Callable[[ex.Expr], ex.Expr]) -> T:
    """The property with its outermost expressions changed; see `exprs_in`."""
    if isinstance(value, ex.EXPR_CLASSES):
        return change(value)  # type: ignore[return-value]
    if isinstance(value, tuple):
        items = tuple(map_exprs(item, change) for item in value)
        same = all(new is old for new, old in zip(items, value, strict=True))
        return value if same else items  # type: ignore[return-value]
    if isinstance(value, ex.ExprHolder):
        changed = {name: map_exprs(getattr(value, name), change) for name in _parts_of(type(value))}
        if all(changed[name] is getattr(value, name) for name in changed):
            return value
        return replace(value, **changed)
    return value


def replace_down(expr: ex.Expr, change: Callable[[ex.Expr], ex.Expr | None]) -> ex.Expr:
    """Replace the outermost parts for which `change` gives something."""
    replacement = change(expr)
    if replacement is not None:
        return replacement
    return map_children(expr, lambda child: replace_down(child, change))


def substitute_columns(
    expr: ex.Expr, change: Callable[[ex.Column], ex.Expr], depth: int = 0
) -> ex.Expr:
    """Replace the columns of the row `depth` queries out, also where subqueries read them.

    Inside a subquery a column can only become another column.
    """

    def replaced(node: ex.Expr) -> ex.Expr:
        if isinstance(node, ex.Column) and depth == 0:
            return change(node)
        if isinstance(node, ex.OuterColumn) and node.depth == depth:
            column = change(ex.Column(node.name, node.type, node.occurrence))
            if not isinstance(column, ex.Column):
                raise UnsupportedError("a subquery reads a column that is computed outside it")
            return replace(node, name=column.name, type=column.type, occurrence=column.occurrence)
        if isinstance(node, ex.Exists | ex.InQuery | ex.ScalarQuery):
            query = substitute_in_query(node.query, change, depth + 1)
            return node if query is node.query else replace(node, query=query)
        return node

    return transform(expr, replaced)


def substitute_in_query(
    query: Dataflow, change: Callable[[ex.Column], ex.Expr], depth: int
) -> Dataflow:
    """`substitute_columns` for every expression of a subquery."""
    if not any(outer.depth == depth for outer in outer_columns(query)):
        return query
    changed = {}
    for id_, operator in query.operators.items():
        operator = map_exprs(operator, lambda e: substitute_columns(e, change, depth))
        if (inner := operator.own_query) is not None:
            operator = operator.with_own_query(substitute_in_query(inner, change, depth + 1))
        changed[id_] = operator
    return type(query)(changed, query.links)


def struct_parts(expr: ex.Expr) -> tuple[ex.Expr, ...]:
    """The parts of a struct that is put together; else the value itself."""
    match expr:
        case ex.Call("named_struct", args):
            return args[1::2]
    return (expr,)


# -- expressions over an operator's input, as expressions over what its columns hold -------------


@final
@dataclass(frozen=True, slots=True)
class ResolvedRow:
    """A row of an input: for each column of its schema the expression that is its value."""

    schema: Schema
    values: tuple[ex.Expr, ...]

    def value(self, name: str, occurrence: int) -> ex.Expr:
        """The value of one column."""
        return self.values[self.schema.place(name, occurrence)]


EnclosingRows: TypeAlias = tuple[ResolvedRow, ...]  # the innermost query's row first


class SubqueryReader(Protocol):
    """Gives subqueries a value, where the rows they may read are known."""

    def exists(self, query: Dataflow, rows: EnclosingRows) -> ex.Expr:
        """Whether the query has a row; never null."""

    def contains(self, args: tuple[ex.Expr, ...], query: Dataflow, rows: EnclosingRows) -> ex.Expr:
        """`args IN query`, with its three truth values; the arguments are resolved."""

    def scalar(self, query: Dataflow, rows: EnclosingRows) -> ex.Expr:
        """The single value of the query."""


def resolve(
    expr: ex.Expr,
    rows: EnclosingRows,
    subqueries: SubqueryReader,
    finish: Callable[[ex.Expr], ex.Expr] = lambda node: node,
) -> ex.Expr:
    """The expression with its columns replaced by their values, and its subqueries by theirs.

    `finish` is applied to every other node once its parts are resolved.
    """
    match expr:
        case ex.Column(name, _, occurrence):
            return rows[0].value(name, occurrence)
        case ex.OuterColumn(name, _, occurrence, depth):
            return rows[depth].value(name, occurrence)
        case ex.RowColumn() | ex.Symbol():
            # It would be taken for one of the variables that stand for the columns.
            raise IllFormedError("a variable of a proof is not a column of an input")
        case ex.Exists(query):
            return subqueries.exists(query, rows)
        case ex.InQuery(args, query):
            resolved = tuple(resolve(a, rows, subqueries, finish) for a in args)
            return subqueries.contains(resolved, query, rows)
        case ex.ScalarQuery(query):
            return subqueries.scalar(query, rows)
        case _:
            return finish(map_children(expr, lambda e: resolve(e, rows, subqueries, finish)))
