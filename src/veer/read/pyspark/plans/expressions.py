"""Catalyst expressions as Veer's: exact, or a function known by its identity alone.

What `toJSON` drops - the mode of casts and arithmetic, the escape character of LIKE - is read from
the JVM. A class that is not known, or a parameter that is not, makes an opaque call whose identity
holds everything the expression says of itself.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any, TypeAlias, final

from veer.errors import IllFormedError, UnsupportedError
from veer.expressions.constant_folding import widened
from veer.expressions.failing import can_fail
from veer.facts.determinism import require_repeatable, worst
from veer.facts.run_times import require_plain
from veer.functions import registry
from veer.functions.casts import legacy_mode_in
from veer.functions.sessions import is_opaque_under
from veer.functions.zone_rules import UTC_ZONE
from veer.ir import expr as ex, types as ty
from veer.ir.dag import Dataflow
from veer.ir.expr import And, Cast, Exists, IsNull, Literal, Not, Or
from veer.ir.walk import parts
from veer.read.coercion import check_sought, in_nothing, leave_out_defaults, meant_call
from veer.read.pyspark.plans import tree, types as plans_types
from veer.read.pyspark.plans.kinds import kind_of, kind_of_tree
from veer.read.pyspark.plans.opaque_identity import SESSION, OpaqueIdentity
from veer.read.pyspark.plans.time_zones import zone_of
from veer.read.zoned_expressions import is_zoneless, zoned_call, zoned_cast
from veer.settings import current

if TYPE_CHECKING:
    from veer.read.pyspark.plans.signals import PlanSignal

COMPARED = {
    "EqualTo": "=",
    "EqualNullSafe": "<=>",
    "LessThan": "<",
    "LessThanOrEqual": "<=",
    "GreaterThan": ">",
    "GreaterThanOrEqual": ">=",
}
EVAL_CONTEXT = re.compile(r"(?:NumericEvalContext\()?([A-Z]+)")  # as the JVM prints it
# Parameters under which a function means what the registry says; others make it opaque.
MODELLED_PARAMETERS: dict[str, frozenset[str]] = {
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
# The values that parameters have in a session without ANSI.
WITHOUT_ANSI: dict[str, frozenset[str]] = {
    "evalMode": frozenset({"LEGACY"}),
    "failOnError": frozenset({"False"}),
    "ansiEnabled": frozenset({"False"}),
    "legacySizeOfNull": frozenset({"True"}),
    "useAnsiAdd": frozenset({"False"}),
}
UNIMPORTANT = frozenset({"exprId", "qualifier", "metadata", "resultId", "origin", "dataType"})
Udf: TypeAlias = Callable[[tree.Node, tuple[ex.Expr, ...]], ex.Expr]


@final
@dataclass
class VisibleColumns:
    """The columns an expression may read, by Spark's numbers; `outer` those around a subquery.

    In the condition of a join that became a subquery (`is_joined`) the columns around it are not
    marked as such.
    """

    signal: PlanSignal
    outer: VisibleColumns | None = None
    is_joined: bool = False

    def column(self, expr_id: int) -> ex.Column | None:
        """The column that Spark gave this id."""
        return self.signal.column(expr_id)


@final
@dataclass
class Expressions:
    """Reads expressions; `subquery` reads the plans inside of them, `udf` Python functions."""

    subquery: Callable[[tree.Node, VisibleColumns], Dataflow]
    udf: Udf
    common: dict[str, ex.Expr] = field(default_factory=dict)  # parts named by WITH expressions
    _truth_only: bool = False  # whether null and false make no difference here

    def condition(self, node: tree.Node, scope: VisibleColumns) -> ex.Expr:
        """An expression used only for where it is true."""
        self._truth_only = True
        try:
            return self._read(node, scope)
        finally:
            self._truth_only = False

    def read(self, node: tree.Node, scope: VisibleColumns) -> ex.Expr:
        """The expression, or an error naming what is not understood."""
        before, self._truth_only = self._truth_only, False
        try:
            return self._read(node, scope)
        finally:
            self._truth_only = before

    def _part(self, node: tree.Node, scope: VisibleColumns) -> ex.Expr:
        """A part of an expression, used like the whole."""
        before = self._truth_only
        try:
            return self._read(node, scope)
        finally:
            self._truth_only = before

    def _null_as_false(self, condition: ex.Expr) -> ex.Expr:
        """IN with a subquery: as a value, Spark gives false where SQL gives null.

        Spark runs it as a join that adds whether there is a match; in a filter it makes no difference.
        """
        if self._truth_only:
            return condition
        return ex.Call("coalesce", (condition, Literal(False, ty.BOOLEAN)), ty.BOOLEAN)

    def _not(self, inner: tree.Node, scope: VisibleColumns) -> ex.Expr:
        # NOT IN is a join of its own to Spark, which minds nulls; other expressions with an IN inside
        # would turn its false back into true where SQL has null.
        truth_only = self._truth_only
        if inner.kind == "InSubquery":
            self._truth_only = True
            negated = Not(self._read(inner, scope))
            self._truth_only = truth_only
            return self._null_as_false(negated)
        operand = self._part(inner, scope)
        if not truth_only and any(isinstance(p, ex.InQuery) for p in parts(operand)):
            raise UnsupportedError("NOT around IN with a subquery, as a value")
        return Not(operand)

    def _read(self, node: tree.Node, scope: VisibleColumns) -> ex.Expr:
        match node.kind:
            case "AttributeReference":
                return self._column(node, scope)
            case "OuterReference":
                return self._outer(node.expression("e"), scope)
            case "Alias":
                return self.read(node.children[0], scope)
            case "Literal":
                return self._literal(node)
            case "Cast":
                return self._cast(node, scope)
            case "And" | "Or" | "Not" | "IsNull" | "IsNotNull" | "In":
                return self._predicate(node, scope)
            case "InSet":
                return self._in_set(node, scope)
            case "CaseWhen":
                return self._case(self.children(node, scope))
            case "If":
                when, then, otherwise = self.children(node, scope)
                return ex.Case(((when, then),), otherwise)
            case "GetStructField":
                return self._field(node, scope)
            case "ScalarSubquery" | "Exists" | "InSubquery":
                return self._of_subquery(node, scope)
            case "With":
                return self._with(node, scope)
            case "UpdateFields":  # `withField` and `dropFields`: Spark says what they stand for
                return self.read(tree.expression_of(node.jvm.evalExpr()), scope)
            case "CommonExpressionRef":
                return self.common[node.dropped["id"]]
            case "AtLeastNNonNulls":
                return self._non_nulls(node, scope)
            case "PythonUDF":
                return self.udf(node, self.children(node, scope))
            case "NamedArgumentExpression":
                return self.read(node.children[0], scope)
            case kind if kind in COMPARED:
                return self._comparison(COMPARED[kind], node, scope)
            case _:
                return self._call(node, scope)

    def _predicate(self, node: tree.Node, scope: VisibleColumns) -> ex.Expr:
        """AND, OR, NOT, IS NULL, IN of values."""
        match node.kind:
            case "And" | "Or":
                connective = And if node.kind == "And" else Or
                return _flattened(connective, [self._part(c, scope) for c in node.children])
            case "Not":
                return self._not(node.children[0], scope)
            case "IsNull":
                return IsNull(self.read(node.children[0], scope))
            case "IsNotNull":
                return Not(IsNull(self.read(node.children[0], scope)))
            case _:
                first, *options = args = self.children(node, scope)
                if not options:
                    return in_nothing(first)
                if not ty.is_orderable(first.type):
                    return self._opaque(node, args)
                return ex.InList(first, tuple(options))

    def _in_set(self, node: tree.Node, scope: VisibleColumns) -> ex.Expr:
        """What the optimizer makes of IN with many constants."""
        args = self.children(node, scope)
        (arg,) = args
        try:
            values = [
                plans_types.row_value(v, arg.type)
                for v in tree.scala_items(node.jvm.hset().toSeq())
            ]
        except UnsupportedError:
            return self._opaque(node, args)
        if not values or not ty.is_orderable(arg.type):
            return self._opaque(node, args)
        return ex.InList(arg, tuple(Literal(v, arg.type) for v in values))

    def _of_subquery(self, node: tree.Node, scope: VisibleColumns) -> ex.Expr:
        """A scalar subquery, EXISTS, IN with a subquery."""
        if node.kind == "ScalarSubquery":
            return ex.ScalarQuery(self.subquery(node.query(), scope))
        if node.kind == "Exists":
            return Exists(self.subquery(node.query(), scope))
        *values, query = node.children
        args = tuple(self.read(v, scope) for v in values)
        check_sought(args)
        return self._null_as_false(ex.InQuery(args, self.subquery(query.query(), scope)))

    def _comparison(self, sign: str, node: tree.Node, scope: VisibleColumns) -> ex.Expr:
        left, right = self.children(node, scope)
        if any(isinstance(p, ex.InQuery) for side in (left, right) for p in parts(side)):
            raise UnsupportedError("a comparison of IN with a subquery")
        if left.type == right.type and ty.is_orderable(left.type):
            return ex.Compare(sign, left, right)
        return self._opaque(node, (left, right))

    def children(self, node: tree.Node, scope: VisibleColumns) -> tuple[ex.Expr, ...]:
        """The arguments of an expression, in order."""
        return tuple(self.read(child, scope) for child in node.children)

    def _with(self, node: tree.Node, scope: VisibleColumns) -> ex.Expr:
        """An expression in which parts are named, to be computed once."""
        body, *definitions = node.children
        for definition in definitions:
            value = self.read(definition.children[0], scope)
            self.common[definition.dropped["id"]] = require_repeatable(value, "a named part")
        return self.read(body, scope)

    def _non_nulls(self, node: tree.Node, scope: VisibleColumns) -> ex.Expr:
        """What `dropna` keeps: so many values that are neither null nor NaN."""
        args = self.children(node, scope)
        present = [
            And((Not(IsNull(a)), Not(ex.Call("isnan", (a,), ty.BOOLEAN))))
            if isinstance(a.type, ty.DoubleType | ty.FloatType)
            else Not(IsNull(a))
            for a in args
        ]
        wanted = int(node.fields["n"])
        if wanted == len(args) and wanted > 1:
            return And(tuple(present))
        if wanted == 1:
            return Or(tuple(present)) if len(present) > 1 else present[0]
        return self._opaque(node, args)

    def _column(self, node: tree.Node, scope: VisibleColumns) -> ex.Expr:
        expr_id = int(node.fields["exprId"]["id"])
        column = scope.column(expr_id)
        type_ = plans_types.type_of(node.fields["dataType"])
        if column is not None:
            # A number is the same column all over the plan; another type would be a misreading.
            if column.type != type_:
                raise UnsupportedError(
                    f"column {node.fields['name']!r} is {type_} to Spark, {column.type} to Veer"
                )
            return column
        if scope.is_joined:
            return self._outer(node, scope)
        raise UnsupportedError(f"column {node.fields['name']!r} is not in any input")

    def _outer(self, read: tree.Node, scope: VisibleColumns) -> ex.Expr:
        expr_id = int(read.fields["exprId"]["id"])
        depth, around = 1, scope.outer
        while around is not None:
            column = around.column(expr_id)
            if column is not None:
                return ex.OuterColumn(column.name, column.type, column.occurrence, depth)
            depth, around = depth + 1, around.outer
        raise UnsupportedError(f"outer column {read.fields['name']!r} is not found")

    def _literal(self, node: tree.Node) -> ex.Expr:
        type_ = plans_types.type_of(node.fields["dataType"])
        text = node.fields["value"]
        try:
            return Literal(plans_types.literal_value(text, type_), type_)
        except UnsupportedError:
            if node.jvm is None:
                raise  # no constant of Spark's own
        try:
            return Literal(plans_types.jvm_literal_value(node.jvm.value(), type_), type_)
        except UnsupportedError:
            return ex.OpaqueCall(
                f"spark constant {plans_types.opaque_literal_text(node.jvm)}", (), type_
            )

    def _cast(self, node: tree.Node, scope: VisibleColumns) -> ex.Expr:
        type_ = plans_types.type_of(node.fields["dataType"])
        bit = self._bit(node.children[0], scope) if type_ == ty.BYTE else None
        if bit is not None:
            return bit
        arg = self.read(node.children[0], scope)
        mode = str(node.jvm.evalMode().toString())
        if arg.type == type_:
            return arg
        if not (ty.is_modelled(arg.type) and ty.is_modelled(type_)):
            return self._opaque(node, (arg,))
        # A constant in a wider type is the same constant: literals are compared with literals.
        folded = widened(arg, type_) if isinstance(arg, Literal) else None
        read = ty.CastMode[mode]
        if read is ty.CastMode.LEGACY:
            read = legacy_mode_in(current().spark, arg.type, type_)
        return folded or self._cast_in_zone(node, arg, type_, read)

    def _cast_in_zone(
        self, node: tree.Node, arg: ex.Expr, type_: ty.DataType, mode: ty.CastMode
    ) -> ex.Expr:
        """A cast in the zone that it carries."""
        if is_zoneless(arg.type, type_):
            return require_plain(Cast(arg, type_, mode))
        try:
            zone = zone_of(node)
            utc = Cast(arg, type_, mode)
            meant = utc if zone == UTC_ZONE else zoned_cast(arg, type_, mode, zone)
        except UnsupportedError:
            return self._opaque(node, (arg,))
        return require_plain(meant)

    def _bit(self, node: tree.Node, scope: VisibleColumns) -> ex.Expr | None:
        """`x >> constant & 1`, what Spark makes of GROUPING: one bit of a number."""
        if node.kind != "BitwiseAnd" or node.children[0].kind != "ShiftRight":
            return None
        arg, shift = self.children(node.children[0], scope)
        mask = self.read(node.children[1], scope)
        if not isinstance(shift, Literal) or not isinstance(mask, Literal) or mask.value != 1:
            return None
        bit = ex.Call("getbit", (arg, shift), ty.BYTE)
        return bit if shift.type == ty.INT and not can_fail(bit) else None

    def _case(self, parts: Sequence[ex.Expr]) -> ex.Expr:
        pairs = tuple((parts[i], parts[i + 1]) for i in range(0, len(parts) - 1, 2))
        otherwise = parts[-1] if len(parts) % 2 else Literal(None, parts[1].type)
        return ex.Case(pairs, otherwise)

    def _field(self, node: tree.Node, scope: VisibleColumns) -> ex.Expr:
        arg = self.read(node.children[0], scope)
        names = [name for name, _ in getattr(arg.type, "fields", ())]
        name = names[int(node.fields["ordinal"])]
        if names.count(name) > 1:
            raise UnsupportedError(f"a struct with two fields {name!r}")
        return ex.GetField(arg, name)

    # -- functions -----------------------------------------------------------------------------

    def _call(self, node: tree.Node, scope: VisibleColumns) -> ex.Expr:
        """A function of the registry if it is one, with its usual parameters; else opaque."""
        if tree.is_replaceable(node):
            # What it is written as may name columns by numbers that are no longer theirs.
            return self.read(node.children[0], scope)
        if any(child.kind == "LambdaFunction" for child in node.children):
            return self._higher_order(node, scope)
        args = self.children(node, scope)
        name = registry.SPARK_CLASSES.get(node.kind, "")
        tried = registry.attempt_of(name) if _arithmetic_mode(node) is ty.CastMode.TRY else None
        legacy = self.is_legacy(node)
        if tried is None and not legacy and not self.has_modelled_parameters(node):
            return self._opaque(node, args)
        function = registry.SCALAR.get(tried or name)
        if function is not None:
            called = _registered_call(function, args)
            if called is not None:
                if is_opaque_under(current(), called.function):
                    return self._opaque(node, args)
                types = [a.type for a in called.args]
                return self._in_zone(node, meant_call(called, types, legacy=legacy))
        if legacy:
            return self._opaque(node, args)
        meaning = _replacement(node)
        if meaning is None:
            return self._opaque(node, args)
        meant = self.read(meaning, scope)
        if meaning.kind in ("Invoke", "StaticInvoke") and isinstance(meant, ex.OpaqueCall):
            return replace(meant, identity=f"spark {tree.sql_name(node)} {meant.identity}")
        return meant

    def _in_zone(self, node: tree.Node, call: ex.Call) -> ex.Expr:
        """What a call means in the zone that it carries."""
        try:
            zone = zone_of(node)
            return call if zone == UTC_ZONE else zoned_call(call, zone)
        except UnsupportedError:
            return self._opaque(node, call.args)

    def is_legacy(self, node: tree.Node) -> bool:
        """Whether a function is one of a session without ANSI, and else has its usual parameters."""
        usual = {**MODELLED_PARAMETERS, **WITHOUT_ANSI}
        decides = any(name in WITHOUT_ANSI or name == "evalContext" for name in node.fields)
        return decides and self.has_modelled_parameters(node, usual, ty.CastMode.LEGACY)

    def has_modelled_parameters(
        self,
        node: tree.Node,
        modelled: Mapping[str, frozenset[str]] = MODELLED_PARAMETERS,
        mode: ty.CastMode = ty.CastMode.ANSI,
    ) -> bool:
        """Whether every parameter that is no argument has the value the registry assumes."""
        child_numbers: list[int] = []
        for name, value in node.fields.items():
            if name in UNIMPORTANT:
                continue
            if _is_children(value):
                child_numbers += value if isinstance(value, list) else [value]
                continue
            if value == []:
                continue
            text = node.dropped[name] if value is None else str(value)
            if name == "timeZoneId":
                continue  # `_in_zone`
            if name == "evalContext":
                if _arithmetic_mode(node) is not mode:
                    return False
            elif text not in modelled.get(name, ()):
                return False
        # A number that refers to no child is a parameter of its own; equal children share theirs.
        return len(child_numbers) == len(node.children) and all(
            number <= position for position, number in enumerate(child_numbers)
        )

    def _higher_order(self, node: tree.Node, scope: VisibleColumns) -> ex.Expr:
        """A function of functions: known by its text, a function of the columns it reads."""
        positions: dict[int, int] = {}
        args: list[ex.Expr] = []

        def column(read: tree.Node) -> int:
            expr_id = int(read.fields["exprId"]["id"])
            if expr_id not in positions:
                positions[expr_id] = len(args)
                args.append(self._column(read, scope))
            return positions[expr_id]

        type_ = _type_of_node(node)
        told = OpaqueIdentity(column).text(node)
        identity = f"spark {tree.sql_name(node)} {node.kind} {told}{current().policies}"
        return ex.OpaqueCall(identity, tuple(args), type_, kind_of_tree(node))

    def _opaque(self, node: tree.Node, args: tuple[ex.Expr, ...]) -> ex.Expr:
        """A function of its arguments, equal to itself; its identity is all it says of itself.

        Fields that the JSON of a plan leaves out are printed by the JVM: what is missing from the
        identity would make two functions equal that are not.
        """
        type_ = _type_of_node(node)
        parameters = {
            name: node.dropped[name] if value is None else value
            for name, value in node.fields.items()
            if name not in ("exprId", "resultId")
        }
        if node.kind in SESSION:
            raise UnsupportedError(f"{node.kind}, which depends on the session")
        told = json.dumps(parameters, sort_keys=True)
        identity = f"spark {tree.sql_name(node)} {node.kind} {told}{current().policies}"
        kind = kind_of(node)
        if node.kind == "FormatString" and ty.shows_addresses(a.type for a in args):
            kind = worst(kind, registry.Kind.CHOICE)
        return ex.OpaqueCall(identity, args, type_, kind)

    def sort_key(self, node: tree.Node, scope: VisibleColumns) -> ex.SortKey:
        """One key of an order."""
        return ex.SortKey(
            self.read(node.children[0], scope),
            node.object_name("direction") == "Ascending",
            node.object_name("nullOrdering") == "NullsFirst",
        )


def _registered_call(
    function: registry.ScalarFunction, args: tuple[ex.Expr, ...]
) -> ex.Call | None:
    """A function of the registry, if it takes arguments of just these types."""
    if not function.keeps_values and not all(ty.is_modelled(a.type) for a in args):
        return None
    try:
        resolved = function.resolve(ex.arguments(args))
    except (IllFormedError, UnsupportedError):
        return None
    if resolved.arguments != tuple(a.type for a in args):
        return None
    return ex.Call(function.name, leave_out_defaults(function.shown, args), resolved.result)


def _is_children(value: Any) -> bool:
    """Whether a field refers to children by their numbers."""
    if isinstance(value, bool):
        return False
    if isinstance(value, list):
        return bool(value) and all(type(v) is int for v in value)
    return type(value) is int


def _replacement(node: tree.Node) -> tree.Node | None:
    """What a function means to Spark, where it only stands for something else."""
    try:
        return tree.expression_of(node.jvm.replacement())
    except Exception:  # there is no such member
        return None


def _flattened(connective: type[And] | type[Or], args: Sequence[ex.Expr]) -> ex.Expr:
    """A conjunction or disjunction, those inside of it flattened."""
    parts: list[ex.Expr] = []
    for arg in args:
        parts += arg.args if isinstance(arg, And | Or) and type(arg) is connective else [arg]
    return connective(tuple(parts))


def _type_of_node(node: tree.Node) -> ty.DataType:
    """The type of what an expression gives; parts such as the fields of `withField` have none."""
    try:
        return plans_types.type_of(json.loads(node.jvm.dataType().json()))
    except UnsupportedError:
        raise
    except Exception:  # the JVM's: there is nothing to evaluate
        raise UnsupportedError(
            f"{node.kind} inside of a function that Veer does not know"
        ) from None


def _arithmetic_mode(node: tree.Node) -> ty.CastMode | None:
    """The mode of arithmetic, as of casts: ANSI fails, TRY gives null, LEGACY wraps."""
    if "evalMode" in node.fields:  # before Spark 4.1
        stated_mode = node.fields["evalMode"] or node.dropped["evalMode"]
        return ty.CastMode[stated_mode] if stated_mode in ty.CastMode.__members__ else None
    stated = EVAL_CONTEXT.match(node.dropped.get("evalContext", ""))
    return ty.CastMode.__members__.get(stated[1]) if stated else None


def is_aggregate(node: tree.Node) -> bool:
    """Whether a node is an aggregate call."""
    return node.kind == "AggregateExpression"
