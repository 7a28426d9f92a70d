"""Catalyst expressions as Veer's: exact, or a function known by its identity alone.

What `toJSON` drops - the mode of casts and arithmetic, the escape character of LIKE - is read from
the JVM. A class that is not known, or a parameter that is not, makes an opaque call whose identity
holds everything the expression says of itself.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any, TypeAlias, final

from veer.analysis.constants import widened
from veer.analysis.determinism import require_plain, require_repeatable, worst
from veer.analysis.failures import can_fail
from veer.errors import IllFormedError, UnsupportedError
from veer.frontends.spark.plans.kinds import kind_of, kind_of_tree
from veer.frontends.spark.plans.opaque_identity import SESSION, Said
from veer.frontends.spark.plans.time_zones import is_utc, is_zoneless
from veer.frontends.spark.plans.tree import Node, expression_of
from veer.frontends.spark.plans.types import constant, jvm_constant, opaque_constant, type_of
from veer.functions.registry import (
    AGGREGATE,
    OVER,
    SCALAR,
    SPARK_CLASSES,
    Kind,
    ScalarFunction,
    attempt_of,
    canonical_name,
)
from veer.model.dag import Dataflow
from veer.model.expr import (
    AggregateCall,
    And,
    Call,
    Case,
    Cast,
    Column,
    Compare,
    Exists,
    Expr,
    Frame,
    GetField,
    InList,
    InQuery,
    IsNull,
    Literal,
    Not,
    OpaqueCall,
    Or,
    OuterColumn,
    OverCall,
    ScalarQuery,
    SortKey,
    arguments,
)
from veer.model.types import (
    BOOLEAN,
    BYTE,
    INT,
    CastMode,
    DataType,
    DoubleType,
    FloatType,
    is_modelled,
    is_orderable,
    shows_addresses,
)
from veer.model.walk import parts

if TYPE_CHECKING:
    from veer.frontends.spark.plans.operators import Signal

COMPARED = {
    "EqualTo": "=",
    "EqualNullSafe": "<=>",
    "LessThan": "<",
    "LessThanOrEqual": "<=",
    "GreaterThan": ">",
    "GreaterThanOrEqual": ">=",
}
# Parameters under which a function means what the registry says; others make it opaque.
USUAL: dict[str, frozenset[str]] = {
    "evalMode": frozenset({"ANSI"}),
    "failOnError": frozenset({"True"}),
    "ansiEnabled": frozenset({"True"}),
    "legacySizeOfNull": frozenset({"False"}),
    "legacyNegativeIndex": frozenset({"False"}),
    "defaultValueOutOfBound": frozenset({"None"}),
    "useStringTypeWhenEmpty": frozenset({"False"}),
    "stringTypeWhenEmpty": frozenset({"False"}),
    "escapeChar": frozenset({"\\"}),
    "nullOnDivideByZero": frozenset({"True"}),
    "trimStr": frozenset({"None"}),
    "useAnsiAdd": frozenset({"True"}),
    "inferFiltersFromWindow": frozenset({"True", "False"}),
}
COLLECTING = frozenset({"CollectList", "CollectSet"})  # which leave out nulls, unless told not to
UNIMPORTANT = frozenset({"exprId", "qualifier", "metadata", "resultId", "origin", "dataType"})
ZERO = Literal(0, INT)  # places a number is rounded to, if none are said
Udf: TypeAlias = Callable[[Node, tuple[Expr, ...]], Expr]


@final
@dataclass
class Scope:
    """The columns an expression may read, by Spark's numbers; `outer` those around a subquery."""

    signal: Signal
    outer: Scope | None = None

    def column(self, number: int) -> Column | None:
        return self.signal.column(number)


@final
@dataclass
class Expressions:
    """Reads expressions; `subquery` reads the plans inside of them, `udf` Python functions."""

    subquery: Callable[[Node, Scope], Dataflow]
    udf: Udf
    common: dict[str, Expr] = field(default_factory=dict)  # parts named by WITH expressions
    _truth_only: bool = False  # whether null and false make no difference here

    def condition(self, node: Node, scope: Scope) -> Expr:
        """An expression of which only matters where it is true."""
        self._truth_only = True
        try:
            return self._read(node, scope)
        finally:
            self._truth_only = False

    def read(self, node: Node, scope: Scope) -> Expr:
        """The expression, or an error naming what is not understood."""
        before, self._truth_only = self._truth_only, False
        try:
            return self._read(node, scope)
        finally:
            self._truth_only = before

    def _part(self, node: Node, scope: Scope) -> Expr:
        """A part of which only matters what matters of the whole."""
        before = self._truth_only
        try:
            return self._read(node, scope)
        finally:
            self._truth_only = before

    def _truth(self, found: Expr) -> Expr:
        """IN with a subquery: as a value, Spark gives false where SQL gives null."""
        if self._truth_only:
            return found
        return Call("coalesce", (found, Literal(False, BOOLEAN)), BOOLEAN)

    def _not(self, inner: Node, scope: Scope) -> Expr:
        truth_only = self._truth_only
        if inner.kind == "InSubquery":
            self._truth_only = True
            found = Not(self._read(inner, scope))
            self._truth_only = truth_only
            return self._truth(found)
        made = self._part(inner, scope)
        if not truth_only and any(isinstance(p, InQuery) for p in parts(made)):
            raise UnsupportedError("NOT around IN with a subquery, as a value")
        return Not(made)

    def _read(self, node: Node, scope: Scope) -> Expr:
        match node.kind:
            case "AttributeReference":
                return self._column(node, scope)
            case "OuterReference":
                return self._outer(node, scope)
            case "Alias":
                return self.read(node.children[0], scope)
            case "Literal":
                return self._literal(node)
            case "Cast":
                return self._cast(node, scope)
            case "And" | "Or":
                made = And if node.kind == "And" else Or
                return _joined(made, [self._part(c, scope) for c in node.children])
            case "Not":
                return self._not(node.children[0], scope)
            case "IsNull":
                return IsNull(self.read(node.children[0], scope))
            case "IsNotNull":
                return Not(IsNull(self.read(node.children[0], scope)))
            case "In":
                first, *options = args = self._all(node, scope)
                if not is_orderable(first.type):
                    return self._opaque(node, args)
                return InList(first, tuple(options))
            case "CaseWhen":
                return self._case(self._all(node, scope))
            case "If":
                when, then, otherwise = self._all(node, scope)
                return Case(((when, then),), otherwise)
            case "GetStructField":
                return self._field(node, scope)
            case "ScalarSubquery":
                return ScalarQuery(self.subquery(node.query(), scope))
            case "Exists":
                return Exists(self.subquery(node.query(), scope))
            case "InSubquery":
                *values, query = node.children
                args = tuple(self.read(v, scope) for v in values)
                return self._truth(InQuery(args, self.subquery(query.query(), scope)))
            case "With":
                return self._with(node, scope)
            case "CommonExpressionRef":
                return self.common[node.dropped["id"]]
            case "AtLeastNNonNulls":
                return self._non_nulls(node, scope)
            case "PythonUDF":
                return self.udf(node, self._all(node, scope))
            case "NamedArgumentExpression":
                return self.read(node.children[0], scope)
            case kind if kind in COMPARED:
                left, right = self._all(node, scope)
                if any(isinstance(p, InQuery) for side in (left, right) for p in parts(side)):
                    raise UnsupportedError("a comparison of IN with a subquery")
                if left.type == right.type and is_orderable(left.type):
                    return Compare(COMPARED[kind], left, right)
                return self._opaque(node, (left, right))
            case _:
                return self._call(node, scope)

    def _all(self, node: Node, scope: Scope) -> tuple[Expr, ...]:
        return tuple(self.read(child, scope) for child in node.children)

    def _with(self, node: Node, scope: Scope) -> Expr:
        """An expression in which parts are named, to be computed once."""
        body, *definitions = node.children
        for definition in definitions:
            value = self.read(definition.children[0], scope)
            self.common[definition.dropped["id"]] = require_repeatable(value, "a named part")
        return self.read(body, scope)

    def _non_nulls(self, node: Node, scope: Scope) -> Expr:
        """What `dropna` keeps: so many values that are neither null nor NaN."""
        args = self._all(node, scope)
        known = [
            And((Not(IsNull(a)), Not(Call("isnan", (a,), BOOLEAN))))
            if isinstance(a.type, DoubleType | FloatType)
            else Not(IsNull(a))
            for a in args
        ]
        wanted = int(node.fields["n"])
        if wanted == len(args) and wanted > 1:
            return And(tuple(known))
        if wanted == 1:
            return Or(tuple(known)) if len(known) > 1 else known[0]
        return self._opaque(node, args)

    def _column(self, node: Node, scope: Scope) -> Expr:
        number = int(node.fields["exprId"]["id"])
        found = scope.column(number)
        type_ = type_of(node.fields["dataType"])
        if found is not None:
            if found.type != type_:
                raise UnsupportedError(
                    f"column {node.fields['name']!r} is {type_} to Spark, {found.type} to Veer"
                )
            return found
        raise UnsupportedError(f"column {node.fields['name']!r} comes from nowhere")

    def _outer(self, node: Node, scope: Scope) -> Expr:
        read = node.expression("e")
        number = int(read.fields["exprId"]["id"])
        depth, around = 1, scope.outer
        while around is not None:
            found = around.column(number)
            if found is not None:
                return OuterColumn(found.name, found.type, found.occurrence, depth)
            depth, around = depth + 1, around.outer
        raise UnsupportedError(f"outer column {read.fields['name']!r} is not found")

    def _literal(self, node: Node) -> Expr:
        type_ = type_of(node.fields["dataType"])
        text = node.fields["value"]
        try:
            return Literal(constant(text, type_), type_)
        except UnsupportedError:
            if node.jvm is None:
                raise  # no constant of Spark's own
        try:
            return Literal(jvm_constant(node.jvm.value(), type_), type_)
        except UnsupportedError:
            return OpaqueCall(f"spark constant {opaque_constant(node.jvm)}", (), type_)

    def _cast(self, node: Node, scope: Scope) -> Expr:
        type_ = type_of(node.fields["dataType"])
        bit = self._bit(node.children[0], scope) if type_ == BYTE else None
        if bit is not None:
            return bit
        arg = self.read(node.children[0], scope)
        mode = str(node.jvm.evalMode().toString())
        if arg.type == type_:
            return arg
        if not is_utc(node.fields.get("timeZoneId")) and not is_zoneless(arg.type, type_):
            return self._opaque(node, (arg,))
        if not (is_modelled(arg.type) and is_modelled(type_)):
            return self._opaque(node, (arg,))
        folded = widened(arg, type_) if isinstance(arg, Literal) else None
        return folded or require_plain(Cast(arg, type_, CastMode[mode]))

    def _bit(self, node: Node, scope: Scope) -> Expr | None:
        """`x >> constant & 1`, what Spark makes of GROUPING: one bit of a number."""
        if node.kind != "BitwiseAnd" or node.children[0].kind != "ShiftRight":
            return None
        arg, place = self._all(node.children[0], scope)
        mask = self.read(node.children[1], scope)
        if not isinstance(place, Literal) or not isinstance(mask, Literal) or mask.value != 1:
            return None
        bit = Call("getbit", (arg, place), BYTE)
        return bit if place.type == INT and not can_fail(bit) else None

    def _case(self, parts: Sequence[Expr]) -> Expr:
        pairs = tuple((parts[i], parts[i + 1]) for i in range(0, len(parts) - 1, 2))
        otherwise = parts[-1] if len(parts) % 2 else Literal(None, parts[1].type)
        return Case(pairs, otherwise)

    def _field(self, node: Node, scope: Scope) -> Expr:
        arg = self.read(node.children[0], scope)
        names = [name for name, _ in getattr(arg.type, "fields", ())]
        name = names[int(node.fields["ordinal"])]
        if names.count(name) > 1:
            raise UnsupportedError(f"a struct with two fields {name!r}")
        return GetField(arg, name)

    # -- functions -----------------------------------------------------------------------------

    def _call(self, node: Node, scope: Scope) -> Expr:
        """A function of the registry if it is one, with its usual parameters; else opaque."""
        if _is_replaceable(node):
            # What it is written as may name columns by numbers that are no longer theirs.
            return self.read(node.children[0], scope)
        if any(child.kind == "LambdaFunction" for child in node.children):
            return self._higher_order(node, scope)
        args = self._all(node, scope)
        name = SPARK_CLASSES.get(node.kind, "")
        tried = attempt_of(name) if _evaluated(node).startswith("TRY") else None
        if tried is None and not self._is_usual(node):
            return self._opaque(node, args)
        function = SCALAR.get(tried or name)
        if function is not None:
            if function.name in ("round", "bround") and len(args) == 2 and args[1] == ZERO:
                args = args[:1]
            called = _registered_call(function, args)
            if called is not None:
                return called
        meaning = _replacement(node)
        if meaning is None:
            return self._opaque(node, args)
        meant = self.read(meaning, scope)
        if meaning.kind in ("Invoke", "StaticInvoke") and isinstance(meant, OpaqueCall):
            return replace(meant, identity=f"spark {_sql_name(node)} {meant.identity}")
        return meant

    def _is_usual(self, node: Node) -> bool:
        """Whether every parameter that is no argument has the value the registry assumes."""
        numbers: list[int] = []
        for name, value in node.fields.items():
            if name in UNIMPORTANT:
                continue
            if _is_children(value):
                numbers += value if isinstance(value, list) else [value]
                continue
            if value == []:
                continue
            text = node.dropped[name] if value is None else str(value)
            if name == "timeZoneId":
                if not is_utc(text):
                    return False
            elif name == "evalContext":
                if not _evaluated(node).startswith("ANSI"):
                    return False
            elif text not in USUAL.get(name, ()):
                return False
        # A number that refers to no child is a parameter of its own; equal children share theirs.
        return len(numbers) == len(node.children) and all(
            number <= place for place, number in enumerate(numbers)
        )

    def _higher_order(self, node: Node, scope: Scope) -> Expr:
        """A function of functions: known by its text, a function of the columns it reads."""
        numbers: dict[int, int] = {}
        args: list[Expr] = []

        def column(read: Node) -> int:
            number = int(read.fields["exprId"]["id"])
            if number not in numbers:
                numbers[number] = len(args)
                args.append(self._column(read, scope))
            return numbers[number]

        type_ = type_of(json.loads(node.jvm.dataType().json()))
        identity = f"spark {_sql_name(node)} {node.kind} {Said(column).text(node)}"
        return OpaqueCall(identity, tuple(args), type_, kind_of_tree(node))

    def _opaque(self, node: Node, args: tuple[Expr, ...]) -> Expr:
        """A function of its arguments, equal to itself; its identity is all it says of itself."""
        type_ = type_of(json.loads(node.jvm.dataType().json()))
        said = {
            name: node.dropped[name] if value is None else value
            for name, value in node.fields.items()
            if name not in ("exprId", "resultId")
        }
        if node.kind in SESSION:
            raise UnsupportedError(f"{node.kind}, which the session decides")
        identity = f"spark {_sql_name(node)} {node.kind} {json.dumps(said, sort_keys=True)}"
        kind = kind_of(node)
        if node.kind == "FormatString" and shows_addresses(a.type for a in args):
            kind = worst(kind, Kind.CHOICE)
        return OpaqueCall(identity, args, type_, kind)

    # -- aggregates and window functions -------------------------------------------------------

    def aggregate(self, node: Node, scope: Scope) -> AggregateCall:
        """An aggregate call."""
        function = node.children[0]
        where = self.read(node.children[1], scope) if len(node.children) > 1 else None
        name, args, type_ = self._folded(function, scope)
        distinct = bool(node.fields["isDistinct"])
        if distinct and not all(is_orderable(a.type) for a in args):
            raise UnsupportedError(f"the aggregate function {name} of DISTINCT {args[0].type}")
        if distinct and not args:
            raise UnsupportedError(f"the aggregate function {name} of DISTINCT constants")
        return AggregateCall(name, args, type_, distinct, where)

    def _folded(self, node: Node, scope: Scope) -> tuple[str, tuple[Expr, ...], DataType]:
        if _is_replaceable(node):
            return self._folded(node.children[0], scope)
        name = SPARK_CLASSES.get(node.kind) or canonical_name(_sql_name(node))
        args = self._all(node, scope)
        if name == "count" and all(isinstance(a, Literal) and a.value is not None for a in args):
            args = ()
        if name in ("first", "last") and node.fields.get("ignoreNulls") is True:
            args = (args[0], Literal(True, type_of("boolean")))
        elif not self._is_usual_fold(node):
            raise UnsupportedError(f"the aggregate function {name} with unusual parameters")
        function = AGGREGATE.get(name)
        if function is None or node.kind not in function.spark:
            raise UnsupportedError(f"the aggregate function {name}")
        if not function.keeps_values and not all(is_modelled(a.type) for a in args):
            raise UnsupportedError(f"the aggregate function {name} of {args[0].type}")
        found = function.resolve(arguments(args))
        if found.arguments != tuple(a.type for a in args):
            raise UnsupportedError(f"the aggregate function {name} of {args[0].type}")
        return name, args, found.result

    def _is_usual_fold(self, node: Node) -> bool:
        offsets = ["mutableAggBufferOffset", "inputAggBufferOffset"]
        ignoring = node.fields.get("ignoreNulls")
        if ignoring is not None and ignoring is (node.kind in COLLECTING):
            offsets.append("ignoreNulls")  # as usual
        kept = {n: v for n, v in node.fields.items() if n not in offsets}
        return self._is_usual(Node(node.kind, kept, node.find, node.children))

    def over(self, node: Node, scope: Scope) -> OverCall:
        """A window function with its window."""
        function, window = node.children
        where = None
        if function.kind == "AggregateExpression":
            if function.fields["isDistinct"]:
                raise UnsupportedError("a window function over DISTINCT values")
            if len(function.children) > 1:
                where = self.read(function.children[1], scope)
            name, args, type_ = self._folded(function.children[0], scope)
        else:
            name, args, type_ = self._ranked(function, scope)
        *parts, frame = window.children
        partition = tuple(self.read(p, scope) for p in parts if p.kind != "SortOrder")
        order = tuple(self.sort_key(p, scope) for p in parts if p.kind == "SortOrder")
        return OverCall(name, args, type_, partition, order, self._frame(frame), False, where)

    def _ranked(self, node: Node, scope: Scope) -> tuple[str, tuple[Expr, ...], DataType]:
        name = SPARK_CLASSES.get(node.kind) or canonical_name(_sql_name(node))
        function = OVER.get(name)
        if function is None or node.fields.get("ignoreNulls") is True:
            raise UnsupportedError(f"the window function {name}")
        if node.kind not in function.spark:
            raise UnsupportedError(f"the window function {name}")
        args = self._all(node, scope)
        if function.reads_order_alone:
            args = ()
        elif name in ("lag", "lead") and isinstance(args[2], Literal) and args[2].value is None:
            args = args[:2]
        found = function.resolve(arguments(args))
        if found.arguments != tuple(a.type for a in args):
            raise UnsupportedError(f"the window function {name} of {args[0].type}")
        return name, args, found.result

    def _frame(self, node: Node) -> Frame:
        if node.kind != "SpecifiedWindowFrame":
            raise UnsupportedError(f"the window frame {node.kind}")
        unit = "rows" if node.object_name("frameType") == "RowFrame" else "range"
        start, end = (self._bound(child) for child in node.children)
        if start == "last" or end == "first":
            raise UnsupportedError("a window frame that is empty")
        return Frame(unit, None if start == "first" else start, None if end == "last" else end)

    def _bound(self, node: Node) -> Any:
        match node.kind.rstrip("$"):
            case "UnboundedPreceding":
                return "first"
            case "UnboundedFollowing":
                return "last"
            case "CurrentRow":
                return 0
            case "Literal":
                return constant(node.fields["value"], type_of(node.fields["dataType"]))
            case "UnaryMinus":
                return -self._bound(node.children[0])
            case kind:
                raise UnsupportedError(f"the window bound {kind}")

    def sort_key(self, node: Node, scope: Scope) -> SortKey:
        """One key of an order."""
        return SortKey(
            self.read(node.children[0], scope),
            node.object_name("direction") == "Ascending",
            node.object_name("nullOrdering") == "NullsFirst",
        )


def _registered_call(function: ScalarFunction, args: tuple[Expr, ...]) -> Call | None:
    """A function of the registry, if it takes arguments of just these types."""
    if not function.keeps_values and not all(is_modelled(a.type) for a in args):
        return None
    try:
        resolved = function.resolve(arguments(args))
    except (IllFormedError, UnsupportedError):
        return None
    if resolved.arguments != tuple(a.type for a in args):
        return None
    return Call(function.name, args, resolved.result)


def _sql_name(node: Node) -> str:
    return str(node.jvm.prettyName())


def _is_children(value: Any) -> bool:
    """Whether a field refers to children by their numbers."""
    if isinstance(value, bool):
        return False
    if isinstance(value, list):
        return bool(value) and all(type(v) is int for v in value)
    return type(value) is int


def _is_tree(value: Any) -> bool:
    return isinstance(value, list) and bool(value) and isinstance(value[0], dict)


def _is_replaceable(node: Node) -> bool:
    """Whether a function is written as one thing and means another, its only child."""
    is_sparks = "." not in node.kind
    return (
        is_sparks
        and len(node.children) == 1
        and any(
            _is_tree(v) or (isinstance(v, list) and v and _is_tree(v[0]))
            for v in node.fields.values()
        )
    )


def _replacement(node: Node) -> Node | None:
    """What a function means to Spark, where it only stands for something else."""
    try:
        return expression_of(node.jvm.replacement())
    except Exception:  # there is no such member
        return None


def _joined(made: type[And] | type[Or], args: Sequence[Expr]) -> Expr:
    """A conjunction or disjunction, those inside of it flattened."""
    flat: list[Expr] = []
    for arg in args:
        flat += arg.args if isinstance(arg, And | Or) and type(arg) is made else [arg]
    return made(tuple(flat))


def _evaluated(node: Node) -> str:
    """The mode of arithmetic: ANSI fails, TRY gives null, LEGACY wraps."""
    return node.dropped.get("evalContext", "").removeprefix("NumericEvalContext(")


def is_aggregate(node: Node) -> bool:
    """Whether a node is an aggregate call."""
    return node.kind == "AggregateExpression"
