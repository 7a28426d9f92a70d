"""The names Spark gives to columns without alias: the expression, prettily printed."""

from __future__ import annotations

from collections.abc import Sequence

from sqlglot import exp

from veer.errors import UnsupportedError
from veer.functions.registry import OPAQUE, any_function, canonical_name
from veer.functions.traits import AS_WRITTEN
from veer.read.sql.embedded import Embedded
from veer.read.sql.parse import as_call, filled, read_type, text_of
from veer.settings import name_key

ARITHMETIC: dict[type[exp.Expr], str] = {
    exp.Add: "+",
    exp.Sub: "-",
    exp.Mul: "*",
    exp.Div: "/",
    exp.Mod: "%",
    exp.IntDiv: "div",
    exp.BitwiseAnd: "&",
    exp.BitwiseOr: "|",
    exp.BitwiseXor: "^",
}
_BINARY: dict[type[exp.Expr], str] = {
    **ARITHMETIC,
    exp.EQ: "=",
    exp.LT: "<",
    exp.LTE: "<=",
    exp.GT: ">",
    exp.GTE: ">=",
    exp.NullSafeEQ: "<=>",
    exp.And: "AND",
    exp.Or: "OR",
}


UNNAMED = ""
AS_GIVEN = "veer.as given"  # on a node whose words are a constant of the program
BY_CHANCE = "veer.by chance"  # on a call: whether its name shows a seed that Spark draws
SHOWN = "veer.shown"  # what a node is printed as, where its types decide that
_CASTS = ("string", "int", "date", "bigint", "double", "boolean")


def output_name(node: exp.Expr) -> str:
    """What Spark calls the column computed by a select item without alias."""
    match node:
        case exp.Paren():
            return output_name(node.this)
        case exp.Dot() if _is_column(node.this):
            return str(node.expression.name)
        case exp.Subquery() | exp.Select():
            return "scalarsubquery()"
        case exp.Cast() if AS_GIVEN in node.meta:
            return _cast_column(node)
        case exp.Cast(this=exp.Column()) | exp.TryCast(this=exp.Column()):
            return str(node.this.name)
        case exp.Anonymous(expressions=[exp.Column() as column]) if node.name.lower() in _CASTS:
            return str(column.name)
        case _:
            return pretty(node)


def _is_column(node: exp.Expr) -> bool:
    """Whether a node is a column or a field of one; a field of what is computed has a longer name."""
    while isinstance(node, exp.Paren | exp.Dot):
        node = node.this
    return isinstance(node, exp.Column) or (
        isinstance(node, Embedded) and node.column_name is not None
    )


def _cast_column(node: exp.Expr) -> str:
    """A cast of a DataFrame: a column keeps its name, however often it is cast."""
    inner = node.this
    while isinstance(inner, exp.Cast):
        inner = inner.this
    match inner:
        case exp.Column():
            return str(inner.name)
        case Embedded(column_name=str(name)):
            return name
        case _:
            return pretty(node)


def pretty(node: exp.Expr) -> str:
    """An expression in Spark's pretty spelling, as the header of a result shows it."""
    if isinstance(node, Embedded):
        return node.shown()
    if SHOWN in node.meta:
        if node.meta[SHOWN] == UNNAMED:
            raise UnsupportedError(
                "an expression without an alias whose name Spark derives from its types, such as arithmetic of dates and times"
            )
        return str(node.meta[SHOWN])
    if node.meta.get(BY_CHANCE):
        raise UnsupportedError(
            f"{node.name} without a seed that is given no name of its own: Spark names it by the "
            "seed it draws"
        )
    symbol = _BINARY.get(type(node))
    if symbol is not None:
        return f"({pretty(node.this)} {symbol} {pretty(node.expression)})"
    for printer in (_atom, _negation, _predicate, _construct, _function):
        text = printer(node)
        if text is not None:
            return text
    return text_of(node)


# Each of these prints some kinds of nodes and gives None for all others.


def _atom(node: exp.Expr) -> str | None:
    """Columns, constants and other things without operands, or a parenthesis, which goes."""
    match node:
        case exp.Paren():
            return pretty(node.this)
        case exp.Alias():
            return f"{pretty(node.this)} AS {node.alias}"
        case exp.Column():
            return ".".join(p.name for p in node.parts[1:]) if len(node.parts) > 2 else node.name
        case exp.Literal():
            return _number(str(node.this)) if not node.is_string else str(node.this)
        case exp.Identifier() | exp.Var():
            return str(node.this)
        case exp.Null():
            return "NULL"
        case exp.Boolean():
            return "true" if node.this else "false"
        case exp.Star():
            return "1"
        case exp.Dot():
            return f"{pretty(node.this)}.{node.expression.name}"
        case _:
            return None


def _negation(node: exp.Expr) -> str | None:
    """NOT, its abbreviations, and the minus sign."""
    match node:
        case exp.NEQ():
            return f"(NOT ({pretty(node.this)} = {pretty(node.expression)}))"
        case exp.NullSafeNEQ():
            return f"(NOT ({pretty(node.this)} <=> {pretty(node.expression)}))"
        case exp.Not(this=exp.Is() as inner) if isinstance(inner.expression, exp.Null):
            return f"({pretty(inner.this)} IS NOT NULL)"
        case exp.Not():
            return f"(NOT {pretty(node.this)})"
        case exp.Neg(this=exp.Literal()):
            return f"-{pretty(node.this)}"
        case exp.Neg():
            return f"(- {pretty(node.this)})"
        case _:
            return None


def _predicate(node: exp.Expr) -> str | None:
    """Conditions other than the comparisons of `_BINARY`."""
    match node:
        case exp.Is() if isinstance(node.expression, exp.Null):
            return f"({pretty(node.this)} IS NULL)"
        case exp.Is():
            return f"({pretty(node.this)} <=> {pretty(node.expression)})"
        case exp.In() if node.args.get("query") is None:
            return f"({pretty(node.this)} IN ({_listed(node.expressions)}))"
        case exp.In():
            return f"({pretty(node.this)} IN (listquery()))"
        case exp.Between():
            low, high = node.args["low"], node.args["high"]
            return f"between({pretty(node.this)}, {pretty(low)}, {pretty(high)})"
        case exp.Like():
            shown = f"{pretty(node.this)} LIKE {pretty(node.expression)}"
            return f"(NOT {shown})" if node.args.get("negate") else shown
        case exp.Escape():
            return f"{pretty(node.this)} ESCAPE '{pretty(node.expression)}'"
        case exp.ILike():
            return f"ilike({pretty(node.this)}, {pretty(node.expression)})"
        case exp.RegexpLike():
            return f"RLIKE({pretty(node.this)}, {pretty(node.expression)})"
        case exp.Exists():
            return "exists()"
        case _:
            return None


def _construct(node: exp.Expr) -> str | None:
    """What has words of its own inside: CASE, CAST, OVER, FILTER and others."""
    match node:
        case exp.Cast() | exp.TryCast():
            return _cast(node)
        case exp.Case():
            return _case(node)
        case exp.If():
            parts = [node.this, node.args["true"], node.args.get("false")]
            shown = ", ".join("NULL" if p is None else pretty(p) for p in parts)
            return f"(IF({shown}))"
        case exp.Filter():
            return f"{pretty(node.this)} FILTER (WHERE {pretty(node.expression.this)})"
        case exp.IgnoreNulls() | exp.RespectNulls():
            # Spark drops the words, and knows the functions by their shorter names.
            call = pretty(node.this)
            return call.replace("first_value(", "first(").replace("last_value(", "last(")
        case exp.Subquery() | exp.Select():
            return "scalarsubquery()"
        case exp.Window() if not node.args.get("alias"):
            return _window(node)
        case exp.Distinct():
            return "DISTINCT " + _listed(node.expressions)
        case exp.Bracket():
            return f"{pretty(node.this)}[{pretty(node.expressions[0])}]"
        case _:
            return None


def _function(node: exp.Expr) -> str | None:
    """Calls, those by name and those the grammar has syntax for."""
    match node:
        case exp.Anonymous(expressions=[operand]) if str(node.this).lower() == "positive":
            return f"(+ {pretty(operand)})"
        case exp.Anonymous():
            return _call(str(node.this), list(node.expressions))
        case exp.Any():
            return pretty(as_call(node))
        case exp.Substring():
            parts = [node.this, node.args.get("start"), node.args.get("length")]
            return _call("substring", [p for p in parts if p is not None])
        case exp.Extract():
            part = node.this.name if AS_GIVEN in node.meta else node.this.name.lower()
            return f"extract({part} FROM {pretty(node.expression)})"
        case exp.Trim():
            return _trim(node)
        case exp.Lambda():
            return _lambda(node)
        case exp.Transform():
            return _call("transform", [node.this, node.expression])
        case exp.DPipe():
            return f"concat({pretty(node.this)}, {pretty(node.expression)})"
        case exp.CurrentDate():
            return "current_date()"
        case exp.CurrentTimestamp():
            return "current_timestamp()"
        case _:
            return None


def _lambda(node: exp.Expr) -> str:
    """A lambda function; Spark does not show the names of its variables."""
    variable = exp.Var(this="namedlambdavariable()")
    names = {name_key(e.name) for e in node.expressions}

    def hidden(part: exp.Expr) -> exp.Expr:
        is_variable = isinstance(part, exp.Column | exp.Identifier) and name_key(part.name) in names
        return variable.copy() if is_variable else part

    return f"lambdafunction({_listed([node.this.transform(hidden), *[variable] * len(names)])})"


def _listed(nodes: Sequence[exp.Expr]) -> str:
    return ", ".join(map(pretty, nodes))


def _number(text: str) -> str:
    """Digits as written; with an exponent it is a double, which Spark prints its own way."""
    return str(float(text)).replace("e+", "E").replace("e", "E") if "e" in text.lower() else text


def _cast(node: exp.Expr) -> str:
    """CAST as written; typed constants, which the parser reads as casts, as constants."""
    word = "CAST" if type(node) is exp.Cast else "TRY_CAST"
    target = str(read_type(node.args["to"])).upper()
    if (
        isinstance(node.this, exp.Literal)
        and node.this.is_string
        and target in ("DATE", "TIMESTAMP")
    ):
        return f"{target} '{node.this.this}'"
    if isinstance(node.this, exp.Literal) and not node.this.is_string:
        if target in ("BIGINT", "DOUBLE"):
            return pretty(node.this)  # 10L, 1.5D: the parser makes them casts
    return f"{word}({pretty(node.this)} AS {target})"


def _case(node: exp.Expr) -> str:
    whens = "".join(
        f" WHEN {_when(node, w)} THEN {pretty(w.args['true'])}" for w in node.args["ifs"]
    )
    default = node.args.get("default")
    otherwise = f" ELSE {pretty(default)}" if default is not None else ""
    return f"CASE{whens}{otherwise} END"


def _when(case: exp.Expr, branch: exp.Expr) -> str:
    """The condition of a branch; `CASE x WHEN y` compares."""
    if case.this is not None:
        return f"({pretty(case.this)} = {pretty(branch.this)})"
    return pretty(branch.this)


def _trim(node: exp.Expr) -> str:
    characters = node.args.get("expression")
    if characters is None:
        return f"trim({pretty(node.this)})"
    where = str(node.args.get("position") or "BOTH").upper()
    return f"TRIM({where} {pretty(characters)} FROM {pretty(node.this)})"


def _call(name: str, args: list[exp.Expr]) -> str:
    """A call as Spark prints it: some names and default arguments are not those written."""
    lowered, args = name.lower(), filled(name, args)
    function = any_function(canonical_name(lowered))
    shown = AS_WRITTEN if function is None else function.shown
    if function is not None and lowered in shown.renamed:
        lowered = function.name
    if lowered == "count" and len(args) == 1 and isinstance(args[0], exp.Star):
        return "count(1)"
    if len(args) == 1 and isinstance(args[0], exp.Distinct):
        return f"{lowered}(DISTINCT {_listed(args[0].expressions)})"
    if lowered in ("isnull", "isnotnull") and len(args) == 1:
        return f"({pretty(args[0])} IS {'NOT ' if lowered == 'isnotnull' else ''}NULL)"
    if lowered in ("first", "last") and len(args) == 2:
        args = args[:1]  # whether nulls are ignored is not shown
    if len(args) == {"mode": 2, "nth_value": 3}.get(lowered):
        if pretty(args[-1]) != "false":
            raise UnsupportedError(f"{lowered} with a flag and without an alias")
        args = args[:-1]
    if lowered == "array_sort" and len(args) == 1:
        raise UnsupportedError("array_sort without an alias")
    if lowered == "bitwise_not" and len(args) == 1:
        return f"~{pretty(args[0])}"
    if lowered == "positive" and len(args) == 1:
        return f"(+ {pretty(args[0])})"
    entry = OPAQUE.get(lowered)
    inside = [pretty(a) for a in args]
    if lowered in ("aggregate", "reduce") and len(args) == 3:
        inside.append("lambdafunction(namedlambdavariable(), namedlambdavariable())")
    if lowered not in shown.plainly:
        inside += shown.defaults[len(args) - shown.least :]
    capitals = lowered in shown.capitals or (entry is not None and entry.in_capitals)
    return f"{lowered.upper() if capitals else lowered}({', '.join(inside)})"


def _window(node: exp.Expr) -> str:
    inside = []  # the parts of the window
    if node.args.get("partition_by"):
        inside.append("PARTITION BY " + _listed(node.args["partition_by"]))
    order = node.args.get("order")
    if order is not None:
        inside.append("ORDER BY " + ", ".join(map(_ordered, order.expressions)))
    inside.append(_frame(node))
    return f"{pretty(node.this)} OVER ({' '.join(inside)})"


def _ordered(node: exp.Expr) -> str:
    """A sort key; null counts as the smallest value unless said otherwise."""
    descending = bool(node.args.get("desc"))
    first = node.args.get("nulls_first")
    nulls = "FIRST" if (not descending if first is None else first) else "LAST"
    return f"{pretty(node.this)} {'DESC' if descending else 'ASC'} NULLS {nulls}"


def _frame(node: exp.Expr) -> str:
    """The frame of a window, also the one that holds if none is written."""
    call = node.this
    while isinstance(call, exp.Filter | exp.IgnoreNulls | exp.RespectNulls):
        call = call.this
    name = call.name.lower()
    if name in ("lag", "lead"):
        offset = pretty(call.expressions[1]) if len(call.expressions) > 1 else "1"
        place = f"-{offset}" if name == "lag" else offset
        return f"ROWS BETWEEN {place} FOLLOWING AND {place} FOLLOWING"
    spec = node.args.get("spec")
    if spec is None:
        if not node.args.get("order"):
            return "ROWS BETWEEN UNBOUNDED PRECEDING AND UNBOUNDED FOLLOWING"
        function = any_function(canonical_name(name))
        unit = "ROWS" if function is not None and function.shown.over_rows else "RANGE"
        return f"{unit} BETWEEN UNBOUNDED PRECEDING AND CURRENT ROW"
    bounds = [_bound(spec, side) for side in ("start", "end")]
    return f"{str(spec.args['kind']).upper()} BETWEEN {bounds[0]} AND {bounds[1]}"


def _bound(spec: exp.Expr, side: str) -> str:
    value = spec.args.get(side)
    shown = (
        value if isinstance(value, str) else pretty(value) if value is not None else "CURRENT ROW"
    )
    direction = str(spec.args.get(f"{side}_side") or "")
    return f"{shown} {direction}".strip().upper()
