"""Syntax trees of expressions to typed expressions.

Aggregates, window functions and generators are not expressions of one row: they are set aside in
the reader's lists and leave a placeholder, which `select` replaces by the column computed for it.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from itertools import chain
from typing import Any, Protocol

from sqlglot import exp

from veer.errors import IllFormedError, InputError, UnsupportedError
from veer.facts.determinism import require_repeatable
from veer.functions import registry
from veer.functions.sessions import require_function
from veer.functions.traits import CalledBackwards
from veer.ir import expr as ex, types as ty
from veer.ir.dag import Dataflow
from veer.ir.walk import parts
from veer.read import coercion
from veer.read.sql import literals, parse, refusals, subqueries
from veer.read.sql.embedded import At, Embedded
from veer.read.sql.lambdas import is_higher_order, read_higher_order
from veer.read.sql.names import ARITHMETIC, SHOWN, UNNAMED, pretty
from veer.read.sql.parse import position
from veer.read.sql.placeholders import (
    Collected,
    outward,
)
from veer.read.sql.scope import Plan, fields_of, fields_of_items, unknown_column
from veer.read.sql.windows import read_over
from veer.settings import current, name_key, same_name

GENERATORS = {
    "explode": {},
    "stack": {"inline": True},
    "explode_outer": {"outer": True},
    "posexplode": {"position": True},
    "posexplode_outer": {"outer": True, "position": True},
    "inline": {"inline": True},
    "inline_outer": {"outer": True, "inline": True},
}


class QueryMaker(Protocol):
    """What reads the inside of a subquery: see `query.QueryReader`."""

    def subquery(self, node: exp.Expr, plan: Plan) -> Dataflow:
        """The dataflow of a query inside an expression over the rows of `plan`."""

    def session_function(self, name: str) -> Callable[[Sequence[ex.Expr]], ex.Expr] | None:
        """What calls the function that the session knows by a name; None if it knows none."""


Resolve = Callable[[list[str]], ex.Expr | None]
_Read = Callable[["ExprReader", Any], ex.Expr]


class ExprReader:
    """Reads expressions over the rows of `plan`, enclosed by the rows of `outer`."""

    def __init__(
        self,
        plan: Plan,
        outer: tuple[Plan, ...] = (),
        queries: QueryMaker | None = None,
        collected: Collected | None = None,
        windows: Mapping[str, exp.Expr] | None = None,
        grouping: Callable[[str, list[ex.Expr]], ex.Expr] | None = None,
    ) -> None:
        self.plan = plan
        self.outer = outer
        self.queries = queries
        self.collected = collected
        self.windows = windows or {}
        self.grouping = grouping
        self.before: Resolve | None = None  # names that win over columns
        self.after: Resolve | None = None  # names tried when there is no such column
        self.variables: list[Mapping[str, ex.Expr]] = []  # of the lambda functions around
        self.aliases_read = 0  # names of the select list that were read in place of columns
        self.outer_read = 0  # columns of the query around that were read
        self._was_alias = False  # whether the last name was one of the select list
        self._inside_aggregate = False
        self.only_truth = False  # whether null and false make no difference here

    def read(self, node: exp.Expr) -> ex.Expr:
        """The typed expression a tree means."""
        own = isinstance(node, Embedded)
        reader: _Read | None = ExprReader.embedded if own else _READERS.get(type(node))
        if reader is None:
            parse.refuse(node, node.key)
        before = self.only_truth
        self.only_truth = before and isinstance(
            node, exp.And | exp.Or | exp.Not | exp.Paren | exp.In
        )
        try:
            return reader(self, node)
        except InputError as error:
            text = str(error)
            if text.startswith("line ") or not (where := position(node)):
                raise
            raise error.told(where + text) from None
        finally:
            self.only_truth = before

    def value(self, node: exp.Expr) -> ex.Expr:
        """An expression used with its nulls."""
        before, self.only_truth = self.only_truth, False
        try:
            return self.read(node)
        finally:
            self.only_truth = before

    def condition(self, node: exp.Expr) -> ex.Expr:
        """An expression used only for where it is true."""
        before = self.only_truth
        self.only_truth = True
        try:
            return coercion.truth(self.read(node))
        finally:
            self.only_truth = before

    def embedded(self, node: Embedded) -> ex.Expr:
        """A part that is no SQL."""
        return node.read_by(self)

    # -- names -------------------------------------------------------------------------------

    def column(self, node: exp.Expr) -> ex.Expr:
        """A column by name, perhaps qualified, or a field of a struct column."""
        parse.only(node, "this", "table", "db", "catalog")
        if isinstance(node.this, exp.Star):
            parse.refuse(node, "* in an expression")
        parts = [p.name for p in node.parts]  # type: ignore[attr-defined]
        self._was_alias = False
        column = self.resolve(parts)
        if self._was_alias:
            node.meta[SHOWN] = f"lateralAliasReference({parts[-1]})"
        return column

    def resolve(self, parts: list[str]) -> ex.Expr:
        """A dotted name: of a lambda function, of this query's rows, or of an enclosing query's."""
        for variables in reversed(self.variables):
            if name_key(parts[0]) in variables:
                field = fields_of(variables[name_key(parts[0])], parts[1:])
                if field is None:
                    raise IllFormedError(f"no field {'.'.join(parts)!r}")
                return field
        if self.before is not None and not self._inside_aggregate:
            column = self.before(parts)
            if column is not None:
                return column
        column = self.plan.find(parts)
        if column is None and self.after is not None:
            column = self.after(parts)
            self._was_alias = column is not None
            self.aliases_read += self._was_alias
            if self._was_alias and self._inside_aggregate and self.before is None:
                raise IllFormedError(f"the alias {parts[-1]!r} inside an aggregate function")
        if column is not None:
            return column
        for depth, plan in enumerate(self.outer, 1):
            column = plan.find(parts)
            if column is not None:
                if len(parts) == 1 and parts[0].lower() in refusals.WITHOUT_PARENTHESES:
                    raise UnsupportedError(
                        f"{parts[0]!r}, a column of the rows around a subquery or a function,"
                        " is not supported"
                    )
                if depth > 1:
                    raise IllFormedError(
                        f"column {'.'.join(parts)!r} of a query further out than the one around"
                    )
                self.outer_read += 1
                return outward(column, depth)
        raise unknown_column(parts, self.plan)

    def dot(self, node: exp.Expr) -> ex.Expr:
        """A field of a struct that is itself computed."""
        value = self.read(node.this)
        if isinstance(value.type, ty.ArrayType) and isinstance(value.type.element, ty.StructType):
            return fields_of_items(value, node.expression.name)
        if not isinstance(value.type, ty.StructType):
            raise IllFormedError(f"field taken of {value.type}, not of a struct")
        wanted = node.expression.name
        exact = [n for n, _ in value.type.fields if same_name(n, wanted)]
        if len(exact) != 1:
            raise IllFormedError(f"no field {wanted!r} in {value.type}")
        return ex.GetField(value, exact[0])

    # -- functions ---------------------------------------------------------------------------

    def anonymous(self, node: exp.Expr) -> ex.Expr:
        """A call; the parser leaves all functions unnamed (see `parse`)."""
        parse.only(node, "this", "expressions")
        return self.function(node, str(node.this), list(node.expressions))

    def function(self, node: exp.Expr, name: str, args: list[exp.Expr]) -> ex.Expr:
        """A function call by name."""
        function = registry.canonical_name(name)
        session = None if self.queries is None else self.queries.session_function(name)
        if session is not None:
            if registry.any_function(function) is not None or function in GENERATORS:
                parse.refuse(node, f"the function {name}, which the session defines anew,")
            return session([self.value(a) for a in args])
        require_function(function, current().spark)
        args = self.starred(function, parse.filled(name, args))
        if is_higher_order(function, args):
            return read_higher_order(self, function, args)
        if function in registry.AGGREGATE:
            return self.aggregate(node, function, args, None)
        if function in registry.OVER:
            parse.refuse(node, f"{function} without OVER")
        if function in ("grouping", "grouping_id"):
            if self.grouping is None:
                parse.refuse(node, f"{function} outside GROUP BY with grouping sets")
            return self.grouping(function, [self.read(a) for a in args])
        if function in GENERATORS:
            return self.generator(node, function, args)
        if function == "struct" and args:
            return self.struct(args)
        if (
            function in ("dateadd", "date_add", "date_sub", "datediff", "date_diff")
            and len(args) == 3
        ):
            parse.refuse(node, f"{function} with a unit")
        if function in registry.SCALAR and isinstance(
            registry.SCALAR[function].sql, CalledBackwards
        ):
            args = args[::-1]
        if function == "typeof" and len(args) == 1:
            return ex.Literal(str(self.read(args[0]).type), ty.STRING)
        if function in registry.OPAQUE:
            return self.opaque(node, function, tuple(self.value(a) for a in args))
        if function not in registry.SCALAR and function not in coercion.ABBREVIATIONS:
            parse.refuse(node, f"function {name}")
        values = [self.read(a) for a in args]
        if function in refusals.BESIDE_DECIMALS:
            self.check_decimals(node, args, values)
        return self.built(node, function, values)

    def check_decimals(
        self, node: exp.Expr, written: Sequence[exp.Expr], read: Sequence[ex.Expr]
    ) -> None:
        """Refuse a whole constant beside a decimal: its precision is that of what was written."""
        decimal = any(isinstance(e.type, ty.DecimalType) for e in read)
        if decimal and any(map(literals.is_suffixed_integer, written)):
            parse.refuse(node, "an integer constant with suffix or cast together with a decimal")

    def starred(self, function: str, args: list[exp.Expr]) -> list[exp.Expr]:
        """Arguments with columns in place of `*`, which COUNT takes as it is."""
        if function == "count" or not any(_is_star(a) for a in args):
            return args
        return [
            part
            for arg in args
            for part in (
                [At(place=i) for i in self.plan.star(_qualifier(arg))] if _is_star(arg) else [arg]
            )
        ]

    def opaque(self, node: exp.Expr, function: str, args: tuple[ex.Expr, ...]) -> ex.Expr:
        """A call of a function that is known by its name alone, or has no meaning of these."""
        if not args:
            raise IllFormedError(f"{function}: 0 arguments, expected 1 or more")
        if function in registry.SCALAR:
            with suppress(UnsupportedError):
                return self.built(node, function, list(args))
        refusals.check_constants(function, args)
        entry = registry.OPAQUE[function]
        type_ = entry.result([a.type for a in args])
        if type_ is None:
            parse.refuse(node, f"{function} of {', '.join(str(a.type) for a in args)}")
        shown = entry.shows_addresses and ty.shows_addresses(a.type for a in args)
        identity = current().identity(function)
        return ex.OpaqueCall(
            identity, args, type_, registry.Kind.CHOICE if shown else registry.Kind.PURE
        )

    def built(self, node: exp.Expr, function: str, args: list[ex.Expr]) -> ex.Expr:
        """A call of a scalar function, its arguments cast as Spark does."""
        try:
            return coercion.call(function, *args)
        except TypeError:
            raise IllFormedError(f"{function}: {len(args)} arguments do not fit") from None

    def struct(self, args: list[exp.Expr]) -> ex.Expr:
        """STRUCT with aliases, which name the fields."""
        parts: list[ex.Expr] = []
        for index, arg in enumerate(args, 1):
            value = self.read(arg.this if isinstance(arg, exp.Alias) else arg)
            parts += [ex.Literal(_field_name(arg, value) or f"col{index}", ty.STRING), value]
        return coercion.call("named_struct", *parts)

    def aggregate(
        self,
        node: exp.Expr,
        function: str,
        args: list[exp.Expr],
        where: exp.Expr | None,
    ) -> ex.Expr:
        """An aggregate call, set aside."""
        if self.collected is None or self._inside_aggregate:
            parse.refuse(node, f"aggregate function {function} here")
        self._inside_aggregate = True
        try:
            call = self.aggregate_call(node, function, args, where)
        finally:
            self._inside_aggregate = False
        return self.collected.aggregate(call)

    def aggregate_call(
        self,
        node: exp.Expr,
        function: str,
        args: list[exp.Expr],
        where: exp.Expr | None,
    ) -> ex.AggregateCall:
        """The call itself; `where` is the condition of its FILTER."""
        distinct = len(args) == 1 and isinstance(args[0], exp.Distinct)
        if distinct:
            parse.only(args[0], "expressions")
            args = list(args[0].expressions)
        if distinct and parse.is_star(args):
            parse.refuse(node, "DISTINCT *; name the columns")
        if function == "count" and not args:
            raise IllFormedError("count of nothing; count(*) counts rows")
        values = [] if function == "count" and parse.is_star(args) else [self.read(a) for a in args]
        if function == "count" and not distinct and all(_is_present_constant(v) for v in values):
            values = []  # COUNT(1) counts rows, as COUNT(*) does
        if distinct and function == "mode":
            raise IllFormedError("mode of DISTINCT values")
        condition = None if where is None else self.filter_of(where)
        return coercion.aggregate_call(function, values, distinct=distinct, where=condition)

    def filter_of(self, node: exp.Expr) -> ex.Expr:
        """The condition of FILTER: a boolean, the same for every row that is looked at twice."""
        before, self.only_truth = self.only_truth, True
        try:
            condition = self.read(node)
        finally:
            self.only_truth = before
        if condition.type != ty.BOOLEAN or refusals.draws(condition):
            raise IllFormedError(f"{position(node)}FILTER needs a boolean that is not random")
        return condition

    def any_of(self, node: exp.Expr) -> ex.Expr:
        """`any(x)`, an aggregate."""
        call = parse.as_call(node)
        if call is node:
            parse.refuse(node, node.key)
        return self.anonymous(call)

    def filtered(self, node: exp.Expr) -> ex.Expr:
        """`call FILTER (WHERE condition)`."""
        parse.only(node, "this", "expression")
        inner = parse.as_call(node.this)
        if (
            not isinstance(inner, exp.Anonymous)
            or registry.canonical_name(inner.name) not in registry.AGGREGATE
        ):
            parse.refuse(node, "FILTER here")
        return self.aggregate(
            node, registry.canonical_name(inner.name), list(inner.expressions), node.expression.this
        )

    def null_treatment(self, node: exp.Expr) -> ex.Expr:
        """`first(x) IGNORE NULLS` as an aggregate."""
        parse.only(node, "this")
        inner = node.this
        if not isinstance(inner, exp.Anonymous) or registry.canonical_name(inner.name) not in (
            "first",
            "last",
        ):
            parse.refuse(node, "IGNORE NULLS here")
        ignored = exp.Boolean(this=isinstance(node, exp.IgnoreNulls))
        return self.aggregate(
            node, registry.canonical_name(inner.name), [*inner.expressions, ignored], None
        )

    def generator(self, node: exp.Expr, function: str, args: list[exp.Expr]) -> ex.Expr:
        """EXPLODE and its like, set aside."""
        if self.collected is None:
            parse.refuse(node, f"{function} here")
        before = self.aliases_read
        generated = self.generated(node, function, args)
        if self.aliases_read > before:
            parse.refuse(node, f"{function} of an alias of the select list")
        return self.collected.generator(*generated)

    def generated(self, node: exp.Expr, function: str, args: list[exp.Expr]) -> tuple[str, ex.Expr]:
        """A generator and what it makes rows of; STACK makes them of an array of structs."""
        if function == "stack":
            return "inline", self.stacked(node, [self.read(a) for a in args])
        if len(args) != 1:
            parse.refuse(node, f"generator {function}")
        return function, self.read(args[0])

    def stacked(self, node: exp.Expr, args: list[ex.Expr]) -> ex.Expr:
        """The rows of STACK, cells one after the other; nulls fill up the last one."""
        count, *cells = args or [ex.Literal(None, ty.NULL)]
        if not isinstance(count, ex.Literal) or not isinstance(count.value, int) or count.value < 1:
            parse.refuse(node, "stack with a number of rows that is not a constant")
        if not cells:
            raise IllFormedError("stack without cells")
        width = -(-len(cells) // count.value)
        cells += [ex.Literal(None, ty.NULL)] * (width * count.value - len(cells))
        columns = [self.stacked_column(node, cells[i::width]) for i in range(width)]
        names = [ex.Literal(f"col{i}", ty.STRING) for i in range(width)]
        rows = zip(*columns, strict=True)
        structs = [chain.from_iterable(zip(names, row, strict=True)) for row in rows]
        return coercion.call("array", *(coercion.call("named_struct", *s) for s in structs))

    def stacked_column(self, node: exp.Expr, cells: list[ex.Expr]) -> list[ex.Expr]:
        """The cells of a column of STACK: of one type, but for nulls that are written."""
        types = {c.type for c in cells if not _is_null(c)}
        if len(types) > 1:
            parse.refuse(node, "stack of several types in one column")
        type_ = types.pop() if types else ty.NULL
        return [ex.Literal(None, type_) if _is_null(c) else c for c in cells]

    def window(self, node: exp.Expr) -> ex.Expr:
        """A window function, set aside."""
        parse.only(node, "this", "partition_by", "order", "spec", "over", "alias", "first")
        if self.collected is None:
            parse.refuse(node, "a window function here")
        return self.collected.over(read_over(self, node))

    def sort_key(self, node: exp.Expr) -> ex.SortKey:
        """A sort key; null counts as the smallest value unless said otherwise."""
        parse.only(node, "this", "desc", "nulls_first")
        descending = bool(node.args.get("desc"))
        nulls_first = node.args.get("nulls_first")
        return ex.SortKey(
            self.read(node.this),
            not descending,
            (not descending) if nulls_first is None else bool(nulls_first),
        )

    def now(self, node: exp.Expr, function: str) -> ex.Expr:
        """A time of the run; a column of that name would win over it without parentheses."""
        if self.plan.find([function]) is not None or (self.after and self.after([function])):
            parse.refuse(node, f"{function}, a column or a function,")
        return coercion.call(function)

    # -- the rest ----------------------------------------------------------------------------

    def literal(self, node: exp.Expr) -> ex.Expr:
        """A text or a number as Spark types it."""
        if node.is_string:
            return ex.Literal(str(node.this), ty.STRING)
        return literals.number_literal(str(node.this))

    def cast(self, node: exp.Expr) -> ex.Expr:
        """CAST, which fails on what cannot be converted, and TRY_CAST, which gives null."""
        parse.only(node, "this", "to", "_type", "safe", "type")
        mode = ty.CastMode.TRY if isinstance(node, exp.TryCast) else None
        target = parse.read_type(node.args["to"])
        if literals.is_ambiguous_constant(node.this):
            parse.refuse(node, "this negative constant (put the digits into parentheses: -(0.0D))")
        value = self.read(node.this)
        folded = literals.fold_cast(value, target)
        if parse.TYPED in node.meta and not refusals.is_moment(node.this.name, target):
            parse.refuse(node, f"this constant of type {target}")
        return folded if folded is not None else coercion.cast(value, target, mode)

    def negative(self, node: exp.Expr) -> ex.Expr:
        """A minus sign; before a number it is part of the constant."""
        if isinstance(node.this, exp.Literal) and not node.this.is_string:
            return literals.number_literal("-" + str(node.this.this))
        return coercion.call("negative", self.read(node.this))

    def case(self, node: exp.Expr) -> ex.Expr:
        """CASE, with or without a value to compare."""
        parse.only(node, "this", "ifs", "default")
        subject = None
        if node.this is not None:
            subject = require_repeatable(self.read(node.this), "CASE")
        branches = []
        for branch in node.args["ifs"]:
            if subject is not None:
                when = self.compared(node, "=", subject, self.read(branch.this))
            else:
                when = self.condition(branch.this)
            branches.append((when, self.read(branch.args["true"])))
        default = node.args.get("default")
        return coercion.case(branches, None if default is None else self.read(default))

    def if_(self, node: exp.Expr) -> ex.Expr:
        """IF with syntax of its own; without a third operand it gives null."""
        otherwise = node.args.get("false")
        return coercion.case(
            [(self.condition(node.this), self.read(node.args["true"]))],
            None if otherwise is None else self.read(otherwise),
        )

    def is_(self, node: exp.Expr) -> ex.Expr:
        """IS NULL, and IS TRUE or FALSE, which are never null."""
        value, other = self.read(node.this), node.expression
        if isinstance(other, exp.Null):
            return ex.IsNull(value)
        if isinstance(other, exp.Boolean):
            truth = ex.Literal(bool(other.this), ty.BOOLEAN)
            return self.compared(node, "<=>", coercion.truth(value), truth)
        parse.refuse(node, "this operand of IS")

    def between(self, node: exp.Expr) -> ex.Expr:
        """BETWEEN; its operand is read twice, so it must not choose."""
        parse.only(node, "this", "low", "high")
        value = require_repeatable(self.read(node.this), "BETWEEN")
        return coercion.conjunction(
            [
                coercion.compare(">=", value, self.read(node.args["low"])),
                coercion.compare("<=", value, self.read(node.args["high"])),
            ]
        )

    def like(self, node: exp.Expr, escape: exp.Expr | None = None) -> ex.Expr:
        """LIKE, ILIKE and RLIKE, also with ANY or ALL of several patterns."""
        parse.only(node, "this", "expression", "negate")
        name = _LIKES[type(node)]
        text = self.read(node.this)
        patterns = [node.expression]
        if isinstance(node.expression, exp.Any | exp.All):
            require_repeatable(text, "LIKE ANY or ALL")
            patterns = _options(node.expression.this)
        matches: list[ex.Expr] = []
        for pattern in patterns:
            args = [text, self.read(pattern)]
            if escape is not None:
                args.append(self.read(escape))
            matched = coercion.call(name, *args)
            matches.append(ex.Not(matched) if node.args.get("negate") else matched)
        if not matches:
            raise IllFormedError(f"{name} with no pattern")
        every = isinstance(node.expression, exp.All)
        return coercion.conjunction(matches) if every else coercion.disjunction(matches)

    def escape(self, node: exp.Expr) -> ex.Expr:
        """LIKE with another escape character."""
        return self.like(node.this, node.expression)

    def trim(self, node: exp.Expr) -> ex.Expr:
        """TRIM from one end or both, of blanks or of other characters."""
        parse.only(node, "this", "expression", "position")
        where = str(node.args.get("position") or "BOTH").upper()
        name = {"BOTH": "trim", "LEADING": "ltrim", "TRAILING": "rtrim"}[where]
        args = [self.read(node.this)]
        if node.args.get("expression") is not None:
            args.append(self.read(node.expression))
        return coercion.call(name, *args)

    def substring(self, node: exp.Expr) -> ex.Expr:
        """SUBSTRING with FROM and FOR, or with commas."""
        parse.only(node, "this", "start", "length")
        parts = (node.this, node.args.get("start"), node.args.get("length"))
        return coercion.call("substring", *(self.read(p) for p in parts if p is not None))

    def extract(self, node: exp.Expr) -> ex.Expr:
        """EXTRACT(part FROM moment)."""
        parse.only(node, "this", "expression")
        name = node.this.name.lower()
        function = registry.extracting(name)
        if function is None:
            parse.refuse(node, f"EXTRACT of {name}")
        return coercion.call(function, self.read(node.expression))

    def interval(self, node: exp.Expr) -> ex.Expr:
        """An interval constant."""
        parse.only(node, "this", "unit")
        unit = node.args.get("unit")
        if unit is None or not isinstance(node.this, exp.Literal):
            parse.refuse(node, "an interval that is not a constant with a unit")
        return literals.read_interval(str(node.this.this), unit, node)

    def bracket(self, node: exp.Expr) -> ex.Expr:
        """An element of an array or a map."""
        parse.only(node, "this", "expressions")
        if len(node.expressions) != 1:
            parse.refuse(node, "slices")
        value = self.read(node.this)
        if isinstance(value, ex.Call) and value.function == "map":
            keys = [k.value if isinstance(k, ex.Literal) else None for k in value.args[::2]]
            if None in keys or len(set(keys)) < len(keys):  # Spark compares and makes no map
                parse.refuse(node, "a part of a map whose keys are no different constants")
        return coercion.call("item", value, self.read(node.expressions[0]))

    def comparison(self, node: exp.Expr, symbol: str) -> ex.Expr:
        """A comparison, also with ANY or ALL of a subquery."""
        if isinstance(node.expression, exp.Any | exp.All):
            return subqueries.quantified(self, node, symbol)
        left, right = node.this, node.expression
        if isinstance(left, exp.Tuple) or isinstance(right, exp.Tuple):
            parse.refuse(node, "comparison of rows")
        return self.compared(node, symbol, self.read(left), self.read(right))

    def compared(self, node: exp.Expr, symbol: str, left: ex.Expr, right: ex.Expr) -> ex.Expr:
        """A comparison of two values."""
        # Spark rewrites `(x IN (query)) = false` to NOT IN, which is false where this is null.
        if any(isinstance(p, ex.InQuery) for side in (left, right) for p in parts(side)):
            parse.refuse(node, "comparison of IN with a subquery")
        if coercion.is_truth_by_number(left, right):
            node.meta[SHOWN] = UNNAMED
        return coercion.compare(symbol, left, right)

    def null_safe(self, node: exp.Expr) -> ex.Expr:
        """`a <=> b`: null equals null."""
        return self.compared(node, "<=>", self.read(node.this), self.read(node.expression))

    def distinct_from(self, node: exp.Expr) -> ex.Expr:
        """IS DISTINCT FROM: the opposite of `<=>`."""
        return ex.Not(self.null_safe(node))

    def binary(self, node: exp.Expr, symbol: str) -> ex.Expr:
        """Arithmetic and bitwise operators."""
        parse.only(node, "this", "expression", "typed", "safe")
        sides = (node.this, node.expression)
        left, right = (self.read(side) for side in sides)
        self.check_decimals(node, sides, (left, right))
        computed = coercion.arithmetic(symbol, left, right)
        if isinstance(computed, ex.Call) and computed.function in MOVING:
            node.meta[SHOWN] = _moved(computed, sides)
        return computed

    def boolean_chain(self, node: exp.Expr) -> ex.Expr:
        """AND and OR, long chains without recursion."""
        kind = type(node)
        operands: list[exp.Expr] = []
        stack = [node]
        while stack:
            item = stack.pop()
            if type(item) is kind:
                stack += [item.expression, item.this]
            else:
                operands.append(item)
        build = coercion.conjunction if kind is exp.And else coercion.disjunction
        return build([coercion.truth(self.read(p)) for p in operands])


def _qualifier(node: exp.Expr) -> str | None:
    return node.table if isinstance(node, exp.Column) and node.table else None


def _is_star(node: exp.Expr) -> bool:
    star = node.this if isinstance(node, exp.Column) else node
    return isinstance(star, exp.Star) and not any(star.args.values())


def _field_name(node: exp.Expr, value: ex.Expr) -> str | None:
    """What a field of STRUCT is called after; None if it is computed."""
    match node:
        case exp.Alias():
            return str(node.alias)
        case exp.Column():
            return str(node.name)
        case Embedded():
            return node.column_name
        case _:
            return value.name if isinstance(value, ex.GetField) else None


MOVING = frozenset(
    {"date_add", "date_sub", "add_interval", "zoned.add_interval", "subtract_moments"}
)


def _moved(call: ex.Call, sides: Sequence[exp.Expr]) -> str:
    """The name of a date moved by a number of days; other arithmetic of dates has none here."""
    if call.function in ("date_add", "date_sub"):
        return f"{call.function}({', '.join(map(pretty, sides))})"
    return UNNAMED


def _options(node: exp.Expr) -> list[exp.Expr]:
    """The patterns behind ANY or ALL."""
    while isinstance(node, exp.Paren):
        node = node.this
    return list(node.expressions) if isinstance(node, exp.Tuple) else [node]


def _is_null(expr: ex.Expr) -> bool:
    return isinstance(expr, ex.Literal) and expr.type == ty.NULL


def _is_present_constant(expr: ex.Expr) -> bool:
    return isinstance(expr, ex.Literal) and expr.value is not None


_LIKES: dict[type[exp.Expr], str] = {
    exp.Like: "like",
    exp.ILike: "ilike",
    exp.RegexpLike: "rlike",
}
_COMPARE: dict[type[exp.Expr], str] = {
    exp.EQ: "=",
    exp.NEQ: "!=",
    exp.LT: "<",
    exp.LTE: "<=",
    exp.GT: ">",
    exp.GTE: ">=",
}


def _compare_with(symbol: str) -> Callable[[ExprReader, exp.Expr], ex.Expr]:
    return lambda reader, node: reader.comparison(node, symbol)


def _compute_with(symbol: str) -> Callable[[ExprReader, exp.Expr], ex.Expr]:
    return lambda reader, node: reader.binary(node, symbol)


_READERS: dict[type[exp.Expr], Callable[[ExprReader, Any], ex.Expr]] = {
    exp.Column: ExprReader.column,
    exp.Dot: ExprReader.dot,
    exp.Anonymous: ExprReader.anonymous,
    exp.Literal: ExprReader.literal,
    exp.Null: lambda r, n: ex.Literal(None, ty.NULL),
    exp.Boolean: lambda r, n: ex.Literal(bool(n.this), ty.BOOLEAN),
    exp.HexString: lambda r, n: literals.hex_literal(str(n.this)),
    exp.Paren: lambda r, n: r.read(n.this),
    exp.Alias: lambda r, n: r.read(n.this),  # inside of an expression a name means nothing
    exp.Identifier: lambda r, n: r.resolve([n.name]),  # a variable of a lambda function
    exp.And: ExprReader.boolean_chain,
    exp.Or: ExprReader.boolean_chain,
    exp.Not: subqueries.negated,
    exp.Neg: ExprReader.negative,
    exp.Is: ExprReader.is_,
    exp.NullSafeEQ: ExprReader.null_safe,
    exp.NullSafeNEQ: ExprReader.distinct_from,
    exp.In: subqueries.membership,
    exp.Between: ExprReader.between,
    exp.Case: ExprReader.case,
    exp.If: ExprReader.if_,
    exp.Cast: ExprReader.cast,
    exp.TryCast: ExprReader.cast,
    exp.Like: ExprReader.like,
    exp.ILike: ExprReader.like,
    exp.RegexpLike: ExprReader.like,
    exp.Escape: ExprReader.escape,
    exp.Trim: ExprReader.trim,
    exp.Substring: ExprReader.substring,
    exp.Extract: ExprReader.extract,
    exp.Interval: ExprReader.interval,
    exp.Bracket: ExprReader.bracket,
    exp.Transform: lambda r, n: r.function(n, "transform", [n.this, n.expression]),
    exp.DPipe: lambda r, n: coercion.call("concat", r.read(n.this), r.read(n.expression)),
    exp.StrPosition: lambda r, n: coercion.call("instr", r.read(n.this), r.read(n.args["substr"])),
    exp.CurrentDate: lambda r, n: r.now(n, "current_date"),
    exp.CurrentTimestamp: lambda r, n: r.now(n, "current_timestamp"),
    exp.Any: ExprReader.any_of,
    exp.Filter: ExprReader.filtered,
    exp.IgnoreNulls: ExprReader.null_treatment,
    exp.RespectNulls: ExprReader.null_treatment,
    exp.Window: ExprReader.window,
    exp.Exists: subqueries.exists,
    exp.Subquery: subqueries.scalar_query,
    exp.Select: subqueries.scalar_query,
    **{kind: _compare_with(symbol) for kind, symbol in _COMPARE.items()},
    **{kind: _compute_with(symbol) for kind, symbol in ARITHMETIC.items()},
}
