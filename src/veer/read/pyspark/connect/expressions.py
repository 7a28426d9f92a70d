"""Expressions of the protocol as syntax trees of SQL, which the SQL front end reads.

Spark itself analyzes both alike: functions by name, columns by name, casts as it likes. What SQL
has no words for is in `nodes`.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import reduce
from typing import TYPE_CHECKING, Any

import sqlglot
from sqlglot import exp
from sqlglot.errors import SqlglotError

from veer.errors import UnsupportedError
from veer.ir.expr import Literal
from veer.ir.types import DOUBLE
from veer.read.pyspark.connect import nodes
from veer.read.pyspark.connect.draws import HIDING, is_drawn
from veer.read.pyspark.connect.literals import read_literal, stated_type
from veer.read.pyspark.connect.messages import tells, told
from veer.read.pyspark.connect.types import parse_type_text, read_type
from veer.read.sql.names import AS_GIVEN, BY_CHANCE, SHOWN, pretty
from veer.read.sql.parse import VeerSpark, parse_expression

if TYPE_CHECKING:
    from pyspark.sql.connect.proto.expressions_pb2 import Expression

BINARY: dict[str, type[exp.Expr]] = {
    "==": exp.EQ,
    "=": exp.EQ,
    "!=": exp.NEQ,
    "<>": exp.NEQ,
    "<": exp.LT,
    "<=": exp.LTE,
    ">": exp.GT,
    ">=": exp.GTE,
    "<=>": exp.NullSafeEQ,
    "and": exp.And,
    "or": exp.Or,
    "+": exp.Add,
    "-": exp.Sub,
    "*": exp.Mul,
    "/": exp.Div,
    "%": exp.Mod,
    "div": exp.IntDiv,
    "&": exp.BitwiseAnd,
    "|": exp.BitwiseOr,
    "^": exp.BitwiseXor,
    "like": exp.Like,
    "ilike": exp.ILike,
    "rlike": exp.RegexpLike,
}
DEVIATION = 0.05  # of an approximate count, unless another is given
MOST_PARTS = 4  # of a name that SQL's columns can have


def tree_of(expression: Expression) -> exp.Expr:
    """The syntax tree of an expression."""
    kind = expression.WhichOneof("expr_type") or "nothing"
    read = READERS.get(kind)
    if read is None:
        raise UnsupportedError(f"an expression of the kind {kind}")
    return read(getattr(expression, kind))


def trees_of(expressions: Sequence[Expression]) -> list[exp.Expr]:
    """The syntax trees of expressions."""
    return [tree_of(e) for e in expressions]


def name_parts(text: str) -> list[str]:
    """The parts of a dotted name; backticks hold parts together."""
    parts: list[str] = [""]
    at, quoted = 0, False
    while at < len(text):
        char = text[at]
        if quoted and char == "`" and text[at + 1 : at + 2] == "`":
            parts[-1] += "`"
            at += 1
        elif char == "`":
            quoted = not quoted
        elif char == "." and not quoted:
            parts.append("")
        else:
            parts[-1] += char
        at += 1
    if quoted or not all(parts):
        raise UnsupportedError(f"the name {text!r}")
    return parts


def column_tree(parts: Sequence[str]) -> exp.Expr:
    """A column by its dotted name."""
    if len(parts) > MOST_PARTS:
        return nodes.LongName(names=tuple(parts))
    names = [exp.to_identifier(part, quoted=True) for part in parts]
    return exp.column(names[-1], *reversed(names[:-1]))


def named(tree: exp.Expr, name: str) -> exp.Expr:
    """An expression under a name."""
    return exp.Alias(this=tree, alias=exp.to_identifier(name, quoted=True))


def type_tree(text: str) -> exp.Expr:
    """A type as a part of a CAST."""
    try:
        return sqlglot.parse_one(text, into=exp.DataType, dialect=VeerSpark)
    except SqlglotError:
        raise UnsupportedError(f"the type {text[:60]!r}") from None


def _attribute(node: Any) -> exp.Expr:
    if told(node, "is_metadata_column"):
        raise UnsupportedError(f"the metadata column {node.unparsed_identifier}")
    parts = name_parts(node.unparsed_identifier)
    if node.HasField("plan_id"):
        return nodes.PlanColumn(plan_id=node.plan_id, names=tuple(parts))
    return column_tree(parts)


def _star(node: Any) -> exp.Expr:
    if tells(node, "plan_id"):
        return nodes.PlanColumn(plan_id=node.plan_id, names=("*",))
    if not node.HasField("unparsed_target"):
        return exp.Star()
    *target, _ = name_parts(node.unparsed_target)
    names = [exp.to_identifier(part, quoted=True) for part in target]
    return exp.column(exp.Star(), *reversed(names))


def _alias(node: Any) -> exp.Expr:
    if len(node.name) == 1:
        return named(tree_of(node.expr), node.name[0])
    names = [exp.to_identifier(name, quoted=True) for name in node.name]
    return exp.Aliases(this=tree_of(node.expr), expressions=names)


def _cast(node: Any) -> exp.Expr:
    mode = _cast_mode(node)
    if mode == "EVAL_MODE_LEGACY":
        raise UnsupportedError("a cast in legacy mode")
    which = exp.TryCast if mode == "EVAL_MODE_TRY" else exp.Cast
    text = node.type_str if node.WhichOneof("cast_to_type") == "type_str" else ""
    target = parse_type_text(text) if text else read_type(node.type)
    tree = which(this=tree_of(node.expr), to=type_tree(str(target)))
    tree.meta[AS_GIVEN] = True
    return tree


def _cast_mode(node: Any) -> str:
    """How a cast says it is meant; before Spark 4.0 none did."""
    field = node.DESCRIPTOR.fields_by_name.get("eval_mode")
    return str(field.enum_type.values_by_number[node.eval_mode].name) if field else ""


def _sort_order(node: Any) -> exp.Expr:
    from pyspark.sql.connect.proto.expressions_pb2 import Expression as Proto

    order = Proto.SortOrder
    descending = node.direction == order.SORT_DIRECTION_DESCENDING
    first = {order.SORT_NULLS_FIRST: True, order.SORT_NULLS_LAST: False}.get(
        node.null_ordering, not descending
    )
    return exp.Ordered(this=tree_of(node.child), desc=descending, nulls_first=first)


def _lambda(node: Any) -> exp.Expr:
    names = [exp.to_identifier(".".join(a.name_parts), quoted=True) for a in node.arguments]
    return exp.Lambda(this=tree_of(node.function), expressions=names)


def _window(node: Any) -> exp.Expr:
    order = [_sort_order(key) for key in node.order_spec]
    return exp.Window(
        this=tree_of(node.window_function),
        partition_by=trees_of(node.partition_spec),
        order=exp.Order(expressions=order) if order else None,
        spec=_frame(node.frame_spec) if node.HasField("frame_spec") else None,
        over="OVER",
    )


def _frame(node: Any) -> exp.Expr | None:
    from pyspark.sql.connect.proto.expressions_pb2 import Expression as Proto

    frame = Proto.Window.WindowFrame
    kinds = {frame.FRAME_TYPE_ROW: "ROWS", frame.FRAME_TYPE_RANGE: "RANGE"}
    if node.frame_type not in kinds:
        return None
    start, start_side = _bound(node.lower, "PRECEDING")
    end, end_side = _bound(node.upper, "FOLLOWING")
    return exp.WindowSpec(
        kind=kinds[node.frame_type], start=start, start_side=start_side, end=end, end_side=end_side
    )


def _bound(node: Any, unbounded: str) -> tuple[Any, str | None]:
    match node.WhichOneof("boundary"):
        case "current_row":
            return "CURRENT ROW", None
        case "unbounded":
            return "UNBOUNDED", unbounded
        case _:
            return tree_of(node.value), "FOLLOWING"  # Spark counts back by negative numbers


def _python_call(node: Any) -> exp.Expr:
    if node.WhichOneof("function") != "python_udf" or told(node, "is_distinct"):
        raise UnsupportedError(f"the function {node.function_name}, which is not Python's")
    named = [_named(arg) for arg in node.arguments]
    keywords = tuple(name for name, _ in named)
    return nodes.PythonCall(
        expressions=[tree for _, tree in named], function=node, keywords=keywords
    )


def _named(argument: Expression) -> tuple[str, exp.Expr]:
    if argument.WhichOneof("expr_type") == "named_argument_expression":
        inner = argument.named_argument_expression
        return inner.key, tree_of(inner.value)
    return "", tree_of(argument)


def _update(node: Any) -> exp.Expr:
    parts = [tree_of(node.struct_expression)]
    if node.HasField("value_expression"):
        parts.append(tree_of(node.value_expression))
    return nodes.Updated(expressions=parts, field=node.field_name)


def _subquery(node: Any) -> exp.Expr:
    from pyspark.sql.connect.proto.expressions_pb2 import SubqueryExpression as Proto

    query = nodes.FramePlan(plan_id=node.plan_id)
    match node.subquery_type:
        case Proto.SUBQUERY_TYPE_SCALAR:
            return exp.Subquery(this=query)
        case Proto.SUBQUERY_TYPE_EXISTS:
            return exp.Exists(this=query)
        case Proto.SUBQUERY_TYPE_IN:
            values = trees_of(node.in_subquery_values)
            left = values[0] if len(values) == 1 else exp.Tuple(expressions=values)
            return exp.In(this=left, query=query)
        case _:
            raise UnsupportedError("a table as the argument of a function")


# -- functions ---------------------------------------------------------------------------------


def _function(node: Any) -> exp.Expr:
    if node.is_user_defined_function:
        raise UnsupportedError(f"the function {node.function_name} of the session")
    if told(node, "is_internal"):
        raise UnsupportedError(f"the internal function {node.function_name}")
    if node.arguments and is_drawn(node.arguments[-1]):
        tree = call_tree(node.function_name, trees_of(node.arguments[:-1]))
        tree.meta[BY_CHANCE] = node.function_name.lower() not in HIDING
        return tree
    args = trees_of(node.arguments)
    return call_tree(node.function_name, args, distinct=node.is_distinct)


def _call_function(node: Any) -> exp.Expr:
    parts = name_parts(node.function_name)
    if len(parts) > 1:
        raise UnsupportedError(f"the function {node.function_name}")
    return call_tree(parts[0], trees_of(node.arguments))


def call_tree(name: str, args: list[exp.Expr], *, distinct: bool = False) -> exp.Expr:
    """The call of a function; operators are functions to the client."""
    lowered = name.lower()
    if distinct:
        return exp.Anonymous(this=name, expressions=[exp.Distinct(expressions=args)])
    if lowered in BINARY and len(args) >= 2:
        return reduce(lambda a, b: BINARY[lowered](this=a, expression=b), args)
    special = SPECIAL.get((lowered, len(args))) or SPECIAL.get((lowered, None))
    if special is not None:
        return special(args)
    return exp.Anonymous(this=name, expressions=args)


def _case(args: list[exp.Expr]) -> exp.Expr:
    pairs = zip(args[0::2], args[1::2], strict=False)
    branches = [exp.If(this=when, true=then) for when, then in pairs]
    return exp.Case(ifs=branches, default=args[-1] if len(args) % 2 else None)


def _is_null(args: list[exp.Expr]) -> exp.Expr:
    return exp.Is(this=args[0], expression=exp.Null())


def _extract(args: list[exp.Expr]) -> exp.Expr:
    part, moment = args
    if not isinstance(part, nodes.Constant) or not isinstance(part.literal.value, str):
        raise UnsupportedError("a part of a date that is named by no constant")
    tree = exp.Extract(this=exp.Var(this=part.literal.value), expression=moment)
    tree.meta[AS_GIVEN] = True
    return tree


def _approximate_count(args: list[exp.Expr]) -> exp.Expr:
    """A function of the set of values: what is counted is a sketch, and does not see their order."""
    value, *deviation = args
    given = nodes.Constant(literal=Literal(DEVIATION, DOUBLE))
    values = exp.Anonymous(this="collect_set", expressions=[value])
    of_set = exp.Anonymous(this="sort_array", expressions=[values])
    call = exp.Anonymous(
        this="set.approx_count_distinct", expressions=[of_set, *(deviation or [given])]
    )
    call.meta[SHOWN] = pretty(
        exp.Anonymous(this="approx_count_distinct", expressions=[value.copy()])
    )
    return call


def _like_escaped(kind: type[exp.Expr]) -> Callable[[list[exp.Expr]], exp.Expr]:
    return lambda a: exp.Escape(this=kind(this=a[0], expression=a[1]), expression=a[2])


Special = Callable[[list[exp.Expr]], exp.Expr]
# Functions that SQL has syntax for, by name and number of arguments.
SPECIAL: dict[tuple[str, int | None], Special] = {
    ("not", 1): lambda a: exp.Not(this=a[0]),
    ("!", 1): lambda a: exp.Not(this=a[0]),
    ("extract", 2): _extract,
    ("date_part", 2): _extract,
    ("datepart", 2): _extract,
    ("-", 1): lambda a: exp.Neg(this=a[0]),
    ("~", 1): lambda a: exp.Anonymous(this="bitwise_not", expressions=a),
    ("isnull", 1): _is_null,
    ("isnotnull", 1): lambda a: exp.Not(this=_is_null(a)),
    ("when", None): _case,
    ("in", None): lambda a: exp.In(this=a[0], expressions=a[1:]),
    ("like", 3): _like_escaped(exp.Like),
    ("ilike", 3): _like_escaped(exp.ILike),
    ("approx_count_distinct", 1): _approximate_count,
    ("approx_count_distinct", 2): _approximate_count,
}

READERS: dict[str, Callable[[Any], exp.Expr]] = {
    "literal": lambda node: nodes.Constant(literal=read_literal(node), stated=stated_type(node)),
    "unresolved_attribute": _attribute,
    "unresolved_function": _function,
    "call_function": _call_function,
    "expression_string": lambda node: parse_expression(node.expression).copy(),
    "unresolved_star": _star,
    "alias": _alias,
    "cast": _cast,
    "sort_order": _sort_order,
    "lambda_function": _lambda,
    "unresolved_named_lambda_variable": lambda node: column_tree([".".join(node.name_parts)]),
    "window": _window,
    "unresolved_extract_value": lambda node: nodes.Part(
        expressions=[tree_of(node.child), tree_of(node.extraction)]
    ),
    "update_fields": _update,
    "common_inline_user_defined_function": _python_call,
    "subquery_expression": _subquery,
}
