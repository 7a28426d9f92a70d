"""The names Spark gives to columns without alias: the expression, prettily printed."""

from __future__ import annotations

from sqlglot import exp

from veer.frontends.sql.parse import read_type

_BINARY: dict[type[exp.Expr], str] = {
    exp.Add: "+",
    exp.Sub: "-",
    exp.Mul: "*",
    exp.Div: "/",
    exp.Mod: "%",
    exp.IntDiv: "div",
    exp.EQ: "=",
    exp.LT: "<",
    exp.LTE: "<=",
    exp.GT: ">",
    exp.GTE: ">=",
    exp.NullSafeEQ: "<=>",
    exp.And: "AND",
    exp.Or: "OR",
    exp.BitwiseAnd: "&",
    exp.BitwiseOr: "|",
    exp.BitwiseXor: "^",
}


def output_name(node: exp.Expr) -> str:
    """What Spark calls the column computed by a select item without alias."""
    if isinstance(node, exp.Paren):
        return output_name(node.this)
    if isinstance(node, exp.Dot):
        return str(node.expression.name)
    if isinstance(node, exp.Subquery):
        return "scalarsubquery()"
    return pretty(node)


def pretty(node: exp.Expr) -> str:
    """An expression in Spark's pretty spelling."""
    symbol = _BINARY.get(type(node))
    if symbol is not None:
        return f"({pretty(node.this)} {symbol} {pretty(node.expression)})"
    match node:
        case exp.Paren():
            return pretty(node.this)
        case exp.Column():
            return str(node.name)
        case exp.Literal() | exp.Identifier() | exp.Var():
            return str(node.this)
        case exp.Null():
            return "NULL"
        case exp.Boolean():
            return "true" if node.this else "false"
        case exp.Star():
            return "1"
        case exp.NEQ():
            return f"(NOT ({pretty(node.this)} = {pretty(node.expression)}))"
        case exp.Not(this=exp.Is() as inner) if isinstance(inner.expression, exp.Null):
            return f"({pretty(inner.this)} IS NOT NULL)"
        case exp.Not():
            return f"(NOT {pretty(node.this)})"
        case exp.Neg():
            if isinstance(node.this, exp.Literal):
                return f"-{node.this.this}"
            return f"(- {pretty(node.this)})"
        case exp.Is() if isinstance(node.expression, exp.Null):
            return f"({pretty(node.this)} IS NULL)"
        case exp.Is():
            return f"({pretty(node.this)} <=> {pretty(node.expression)})"
        case exp.Cast() | exp.TryCast():
            word = "CAST" if type(node) is exp.Cast else "TRY_CAST"
            if isinstance(node.this, exp.Literal) and node.args.get("_type") is not None:
                if not node.this.is_string:
                    return f"CAST({pretty(node.this)} AS {str(read_type(node.args['to'])).upper()})"
            return f"{word}({pretty(node.this)} AS {str(read_type(node.args['to'])).upper()})"
        case exp.Case():
            whens = "".join(
                f" WHEN {_when(node, w)} THEN {pretty(w.args['true'])}" for w in node.args["ifs"]
            )
            default = node.args.get("default")
            tail = f" ELSE {pretty(default)}" if default is not None else ""
            return f"CASE{whens}{tail} END"
        case exp.If():
            parts = [node.this, node.args["true"], node.args.get("false")]
            shown = ", ".join("NULL" if p is None else pretty(p) for p in parts)
            return f"(IF({shown}))"
        case exp.In() if node.args.get("query") is None:
            options = ", ".join(map(pretty, node.expressions))
            return f"({pretty(node.this)} IN ({options}))"
        case exp.Between():
            return f"between({pretty(node.this)}, {pretty(node.args['low'])}, {pretty(node.args['high'])})"
        case exp.Anonymous():
            return _call(str(node.this), list(node.expressions))
        case exp.Substring():
            parts = [node.this, node.args.get("start"), node.args.get("length")]
            return _call("substring", [p for p in parts if p is not None])
        case exp.Trim():
            where = str(node.args.get("position") or "BOTH").upper()
            if not node.args.get("expression") and not node.args.get("position"):
                return f"trim({pretty(node.this)})"
            chars = node.args.get("expression")
            shown = pretty(chars) if chars is not None else ""
            return f"TRIM({where} {shown} FROM {pretty(node.this)})"
        case exp.DPipe():
            return f"concat({pretty(node.this)}, {pretty(node.expression)})"
        case exp.Filter():
            return f"{pretty(node.this)} FILTER (WHERE {pretty(node.expression.this)})"
        case exp.Exists():
            return "exists()"
        case exp.Subquery():
            return "scalarsubquery()"
        case exp.Window():
            return node.sql(dialect="spark")
        case exp.Distinct():
            return "DISTINCT " + ", ".join(map(pretty, node.expressions))
        case exp.CurrentDate():
            return "current_date()"
        case exp.Bracket():
            return f"{pretty(node.this)}[{pretty(node.expressions[0])}]"
        case _:
            return node.sql(dialect="spark")


def _when(case: exp.Case, branch: exp.Expr) -> str:
    if case.this is not None:
        return f"({pretty(case.this)} = {pretty(branch.this)})"
    return pretty(branch.this)


def _call(name: str, args: list[exp.Expr]) -> str:
    lowered = name.lower()
    if lowered == "count" and len(args) == 1 and isinstance(args[0], exp.Star):
        return "count(1)"
    if len(args) == 1 and isinstance(args[0], exp.Distinct):
        inside = ", ".join(map(pretty, args[0].expressions))
        return f"{lowered}(DISTINCT {inside})"
    return f"{lowered}({', '.join(map(pretty, args))})"
