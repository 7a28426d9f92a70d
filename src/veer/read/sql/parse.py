"""Spark SQL text to syntax trees, without sqlglot's reinterpretation of functions.

The stock Spark dialect maps function names onto its own vocabulary and reads CAST as TRY_CAST.
Here every function stays what the user wrote, and each tree is printed and read again: what does
not come back the same is refused.
"""

from __future__ import annotations

import logging
from functools import lru_cache
from typing import Any, NoReturn

import sqlglot
from sqlglot import exp
from sqlglot.dialects.spark import Spark
from sqlglot.errors import SqlglotError
from sqlglot.tokenizer_core import TokenType

from veer.errors import ParseError, UnsupportedError
from veer.ir import types as ty
from veer.read.sql.embedded import Embedded
from veer.read.sql.token_checks import check_tokens
from veer.settings import SPARK_4_1, SessionSettings, SparkVersion, current

logging.getLogger("sqlglot").setLevel(logging.ERROR)  # what it cannot read is refused here
TYPED = "typed constant"  # a mark on casts: written as DATE '...', not as CAST('...' AS DATE)
MAX_BYTES = 4_000_000
MOST_DIGITS = 1_000
MOST_REMEMBERED = 1_000  # texts
GRAMMAR = ("CAST", "TRY_CAST", "EXTRACT", "POSITION", "SUBSTRING", "TRIM")  # with words inside
HINTS = (
    "BROADCAST",
    "BROADCASTJOIN",
    "MAPJOIN",
    "MERGE",
    "MERGEJOIN",
    "SHUFFLEMERGE",
    "SHUFFLE_HASH",
    "SHUFFLE_REPLICATE_NL",
)

# The ranks of operators, comparisons weakest; those of one rank associate to the left.
_OPERATORS: dict[TokenType, tuple[int, type[exp.Expr]]] = {
    **{token: (0, kind) for token, kind in Spark.Parser.EQUALITY.items()},
    **{token: (0, kind) for token, kind in Spark.Parser.COMPARISON.items()},
    TokenType.PIPE: (1, exp.BitwiseOr),
    TokenType.CARET: (2, exp.BitwiseXor),
    TokenType.AMP: (3, exp.BitwiseAnd),
    **{token: (4, kind) for token, kind in Spark.Parser.TERM.items()},
    TokenType.DPIPE: (4, exp.DPipe),
}


class VeerSpark(Spark):
    """Spark's grammar with functions left alone."""

    class Parser(Spark.Parser):  # type: ignore[misc, valid-type]
        """The parser: no function has a meaning, CAST is strict, precedence is Spark's."""

        FUNCTIONS: dict[str, Any] = {}  # noqa: RUF012
        FUNCTION_PARSERS = {  # noqa: RUF012
            name: parser
            for name, parser in Spark.Parser.FUNCTION_PARSERS.items()
            if name in GRAMMAR or name in HINTS
        }
        STRICT_CAST = True
        ARRAY_CONSTRUCTORS: dict[str, Any] = {}  # noqa: RUF012  # brackets only ever take a part
        UNARY_PARSERS = {  # noqa: RUF012
            **Spark.Parser.UNARY_PARSERS,
            TokenType.DASH: lambda self: self._parse_negative(),
            TokenType.PLUS: lambda self: self._parse_positive(),
        }

        def parse(self, raw_tokens: list[Any], sql: str) -> list[exp.Expr | None]:
            """The syntax trees of a text, without a loss."""
            check_tokens(raw_tokens, sql)
            return super().parse(raw_tokens, sql)  # type: ignore[no-any-return]

        def _parse_positive(self) -> exp.Expr | None:
            """`+x` casts a text to a number, and takes numbers and intervals only."""
            inner = self._parse_unary()
            return self.expression(exp.Anonymous(this="positive", expressions=[inner]))  # type: ignore[no-any-return]

        def _parse_interval(self, *args: Any, **named: Any) -> exp.Expr | None:
            """An interval of one unit or span; sqlglot adds up those that follow one another."""
            tree: exp.Expr | None = super()._parse_interval(*args, **named)
            if isinstance(tree, exp.Add):
                self.raise_error("An interval of several units")
            return tree

        def _parse_function_call(self, *args: Any, **named: Any) -> exp.Expr | None:
            """EXISTS of a query in parentheses, which sqlglot takes for a function."""
            tree: exp.Expr | None = super()._parse_function_call(*args, **named)
            match tree:
                case exp.Anonymous(this=str() as name, expressions=[exp.Query() as query]) if (
                    name.upper() == "EXISTS"
                ):
                    return self.expression(exp.Exists(this=query))  # type: ignore[no-any-return]
            return tree

        def _parse_in(self, *args: Any, **named: Any) -> exp.In:
            """IN with at least one value."""
            tree: exp.In = super()._parse_in(*args, **named)
            if not any(tree.args.get(k) for k in ("expressions", "query", "unnest", "field")):
                self.raise_error("IN () of no values")
            return tree

        def _parse_type(self, *args: Any, **named: Any) -> exp.Expr | None:
            """What follows a typed constant, as in `DATE '2020-01-01'::STRING`, belongs to all of it."""
            first, second = self._curr, self._next
            tree: exp.Expr | None = super()._parse_type(*args, **named)
            typed = (
                isinstance(tree, exp.Cast)
                and first is not None
                and second is not None
                and first.token_type in self.TYPE_TOKENS
                and second.token_type == TokenType.STRING
            )
            if not typed or tree is None:
                return tree
            constant = tree
            text = next(n for n in constant.find_all(exp.Literal) if n.is_string)
            if text.parent is not constant:
                tree = constant.this.pop()
                text.replace(exp.Cast(this=text.copy(), to=constant.args["to"]))
                constant = next(n for n in tree.find_all(exp.Cast) if n.this == text)
            constant.meta[TYPED] = True
            return tree

        def _parse_negative(self) -> exp.Expr | None:
            """`-x`; the sign of a number belongs to it: -1::STRING is text, -128Y a number."""
            is_number = self._curr is not None and self._curr.token_type == TokenType.NUMBER
            inner: exp.Expr | None = self._parse_unary()
            number = inner
            while is_number and isinstance(number, exp.Cast | exp.Bracket):
                number = number.this
            if not is_number or not isinstance(number, exp.Literal) or number is inner:
                return self.expression(exp.Neg(this=inner))  # type: ignore[no-any-return]
            number.replace(exp.Neg(this=number.copy()))
            return inner

        def _parse_primary(self) -> exp.Expr | None:
            """Texts in a row are one text; since Spark 4.1 a doubled quote stands for itself."""
            first = self._curr
            pieces = self._texts_in_a_row()
            if len(pieces) < 2:
                return super()._parse_primary()  # type: ignore[no-any-return]
            text = self.PRIMARY_PARSERS[TokenType.STRING](self, first)
            text.set("this", "".join(pieces))
            return text  # type: ignore[no-any-return]

        def _texts_in_a_row(self) -> list[str]:
            """The pieces of the text that begins here; only if there are several they are taken."""
            begin, pieces = self._index, list[str]()
            while self._curr is not None and self._curr.token_type == TokenType.STRING:
                joined = pieces and current().spark >= SPARK_4_1 and self._is_connected()
                quotes = {self.sql[token.start] for token in (self._prev, self._curr) if token}
                pieces += [*(quotes if joined and len(quotes) == 1 else ()), self._curr.text]
                self._advance()
            if len(pieces) < 2:
                self._retreat(begin)
            return pieces

        # Spark's precedence: predicates such as LIKE and IN bind weaker than all of `_OPERATORS`.
        # These override inner methods of sqlglot: hence the narrow range of versions.

        def _parse_equality(self, parse_is: bool = True) -> exp.Expr | None:
            return self._parse_range(parse_is=parse_is)  # type: ignore[no-any-return]

        def _parse_comparison(self, this: exp.Expr | None = None) -> exp.Expr | None:
            return this or self._parse_equality()

        def _parse_bitwise(self, least: int = 0) -> exp.Expr | None:
            this: exp.Expr | None = self._parse_factor()
            while self._curr is not None and self._curr.token_type in _OPERATORS:
                rank, kind = _OPERATORS[self._curr.token_type]
                twice = self._next is not None and self._next.token_type == self._curr.token_type
                if rank < least or (rank == 0 and twice):  # << and >> are two tokens
                    break
                self._advance()
                comments = self._prev_comments
                right = self._parse_bitwise(rank + 1)
                this = self.expression(kind(this=this, expression=right), comments=comments)
            return this

    class Generator(Spark.Generator):  # type: ignore[misc, valid-type]
        """The printer: Spark knows WITH inside of WITH, which is not moved elsewhere."""

        EXPRESSIONS_WITHOUT_NESTED_CTES: set[type[exp.Expr]] = set()  # noqa: RUF012


def parse_statements(text: str) -> list[exp.Expr]:
    """The statements of a text."""
    return [s for s in _guarded(text, lambda: sqlglot.parse(text, dialect=VeerSpark)) if s]


def parse_expression(text: str) -> exp.Expr:
    """One expression: a condition or a computed column; trees are shared, never change them."""
    return _parse_expression(text, current().spark)


@lru_cache(maxsize=16384)
def _parse_expression(text: str, _spark: SparkVersion) -> exp.Expr:
    tree: exp.Expr = _guarded(text, lambda: [sqlglot.parse_one(text, dialect=VeerSpark)])[0]
    return tree


def _guarded(text: str, parse: Any) -> list[Any]:
    if len(text) > MAX_BYTES:
        raise ParseError(f"SQL text of {len(text):,} characters; at most {MAX_BYTES:,} are read")
    try:
        trees = _parsed(parse)
        for tree in trees:
            _check_numbers(tree)
            _check_aliases(tree)
            # Table definitions are read constraint by constraint, and UNIQUE does not print.
            if tree is not None and not _defines_table(tree):
                _spell_out(tree)
                if (text, current()) not in _survived:
                    check_round_trip(tree)
        _survived[text, current()] = None
        if len(_survived) > MOST_REMEMBERED:
            del _survived[next(iter(_survived))]
        return trees
    except SqlglotError as error:
        raise ParseError(_message(error)) from None
    except RecursionError:
        raise ParseError("SQL nested too deeply") from None


def _check_numbers(tree: exp.Expr | None) -> None:
    """Refuse constants that are longer than any number of Spark."""
    for number in tree.find_all(exp.Literal) if tree is not None else ():
        if not number.is_string and len(number.name) > MOST_DIGITS:
            raise ParseError(f"{position(number)}a number of {len(number.name):,} digits")


def _check_aliases(tree: exp.Expr | None) -> None:
    """Refuse `v:path`, a part of a VARIANT, which the parser takes for the column v and an alias."""
    for alias in tree.find_all(exp.Alias) if tree is not None else ():
        if not isinstance(alias.args.get("alias"), exp.Identifier | str):
            refuse(alias, "a path into a VARIANT")


def _parsed(parse: Any) -> list[Any]:
    """What the parser makes of a text; it fails in odd ways on odd texts."""
    try:
        return parse()  # type: ignore[no-any-return]
    except (ValueError, TypeError, KeyError, IndexError, AttributeError, AssertionError) as error:
        if isinstance(error, SqlglotError):
            raise
        raise ParseError(f"not SQL: {str(error).splitlines()[0] if str(error) else ''}") from None


def _message(error: SqlglotError) -> str:
    """The first complaint on one line, with its position."""
    details = getattr(error, "errors", None)
    if details:
        first = details[0]
        near = first.get("highlight") or ""
        return (
            f"line {first.get('line')}, column {first.get('col')}: "
            f"{str(first.get('description')).rstrip('.')}{f' near {near[:40]!r}' if near else ''}"
        )
    return str(error).splitlines()[0]


_survived: dict[tuple[str, SessionSettings], None] = {}  # texts whose trees passed the check


def check_round_trip(tree: exp.Expr) -> None:
    """Refuse a tree that does not survive being printed and read again."""
    _spell_out(tree)
    try:
        again = sqlglot.parse_one(tree.sql(dialect=VeerSpark), dialect=VeerSpark)
    except SqlglotError:
        raise ParseError("Veer cannot read its own text of the statement") from None
    if again != tree:
        for old, new in zip(tree.walk(), again.walk(), strict=False):
            if type(old) is not type(new):
                refuse(old, f"{old.key} that reads back as {new.key}")
        raise ParseError("Veer reads its own text of the statement differently")


def _defines_table(tree: exp.Expr) -> bool:
    return isinstance(tree, exp.Alter) or (
        isinstance(tree, exp.Create) and isinstance(tree.this, exp.Schema)
    )


def _spell_out(tree: exp.Expr) -> None:
    """Write abbreviations in full, as the printer does."""
    for type_ in tree.find_all(exp.DataType):
        if getattr(type_.this, "value", "") == "VARCHAR" and not type_.expressions:
            type_.set("this", exp.DataType.Type.TEXT)
    for spec in tree.find_all(exp.WindowSpec):
        if spec.args.get("start") and not spec.args.get("end"):
            spec.set("end", "CURRENT ROW")


def refuse(node: exp.Expr, what: str) -> NoReturn:
    """Say that a construct is not supported, and where it stands."""
    raise UnsupportedError(f"{position(node)}{what} is not supported: {shorten(text_of(node))}")


def text_of(node: exp.Expr) -> str:
    """A tree as SQL, parts that are no SQL as Spark prints them."""
    plain = node.transform(lambda n: exp.Var(this=n.shown()) if isinstance(n, Embedded) else n)
    return str(plain.sql(VeerSpark))


def position(node: exp.Expr) -> str:
    """`line 3, column 7: ` of the first token under a node that knows its place."""
    for part in node.walk():
        if "line" in part.meta:
            first = part.meta["col"] - (part.meta["end"] - part.meta["start"])
            return f"line {part.meta['line']}, column {first}: "
    return ""


def shorten(text: str, most: int = 60) -> str:
    """A text on one line, cut for a message."""
    one_line = " ".join(text.split())
    return one_line if len(one_line) <= most else one_line[: most - 3] + "..."


def only(node: exp.Expr, *handled: str) -> None:
    """Refuse a node that carries anything but what the caller handles: nothing is dropped."""
    for name, value in node.args.items():
        if value and name not in handled:
            shown = value[0] if isinstance(value, list) else value
            where = shown if isinstance(shown, exp.Expr) else node
            refuse(where, f"{name.strip('_').replace('_', ' ')} in {node.key}")


def is_star(args: list[exp.Expr]) -> bool:
    """Whether the only argument of a call is a plain `*`, as in COUNT(*)."""
    return len(args) == 1 and isinstance(args[0], exp.Star) and not any(args[0].args.values())


_TYPE_NAMES = {
    "TEXT": "string",
    "VARCHAR": "string",
    "CHAR": "string",
    "NVARCHAR": "string",
    "TIMESTAMPTZ": "timestamp",
    "TIMESTAMP": "timestamp_ntz",
    "TIMESTAMPNTZ": "timestamp_ntz",
    "TIMESTAMPLTZ": "timestamp",
    "NULL": "void",
    "DECIMAL": "decimal",
}


def read_type(node: exp.Expr) -> ty.DataType:
    """A type in a cast or a column definition."""
    if not isinstance(node, exp.DataType):
        refuse(node, "this type")
    name = getattr(node.this, "value", str(node.this))
    if name in ("ARRAY", "MAP", "STRUCT") or name == "DECIMAL" or "INTERVAL" in str(name):
        return ty.parse_type(node.sql(dialect=VeerSpark))
    if node.expressions and name not in ("VARCHAR", "CHAR", "TEXT", "NVARCHAR"):
        refuse(node, f"type {str(name).lower()} with a size")
    try:
        return ty.parse_type(_TYPE_NAMES.get(name, str(name).lower()))
    except ParseError:
        refuse(node, f"type {str(name).lower()}")


def filled(name: str, args: list[exp.Expr]) -> list[exp.Expr]:
    """The arguments of a call; UNIX_TIMESTAMP of nothing is that of the moment of the run."""
    if args or name.lower() != "unix_timestamp":
        return args
    return [exp.Anonymous(this="current_timestamp")]


def as_call(node: exp.Expr) -> exp.Expr:
    """The node; `any(x)`, which the parser takes for ANY of a subquery, as a call."""
    if not isinstance(node, exp.Any) or node.find(exp.Select) is not None:
        return node
    inner = node.this.this if isinstance(node.this, exp.Paren) else node.this
    return exp.Anonymous(this="any", expressions=[inner])
