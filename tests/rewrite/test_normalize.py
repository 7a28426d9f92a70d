"""What normal forms look like: what is moved, and what stays."""

from __future__ import annotations

from veer.assumptions import KeyHolds
from veer.ir.dag import Dataflow, Link
from veer.ir.expr import Column, Compare, Literal, Named
from veer.ir.ops import AnyOperator, Deduplicate, Filter, Limit, Project, Sink, Source, TableUdf
from veer.ir.pprint import show_dataflow
from veer.ir.schema import Field
from veer.ir.types import DOUBLE, INT
from veer.read.sql import read_sql
from veer.rewrite.normalize import inlined, keys_relied_on_by_normalizing, normalized
from veer.rewrite.passes import RULES, laws
from veer.rewrite.rewriting import Rewriting

SCHEMA = "CREATE TABLE t (a INT, b INT, c INT); CREATE TABLE u (a INT, x INT)"


def shown(text: str) -> list[str]:
    """The printed first half of the normal form, without its sources and its sink."""
    lines = show_dataflow(inlined(read_sql(text, SCHEMA))).splitlines()
    return [" ".join(line.split()) for line in lines if " Source " not in line][:-1]


def test_projections_are_written_into_what_stands_above() -> None:
    text = "SELECT a, c FROM (SELECT a, b + 1 AS c FROM t) AS x WHERE c > 1 AND a > 0"
    assert shown(text) == [
        "filter_1 Filter (((b + 1) >= 2) AND (a >= 1)) <- t",
        "filter_1 columns Project a AS c0, (b + 1) AS c1 <- filter_1",
    ]


def test_columns_and_calls_nobody_reads_are_gone() -> None:
    text = "SELECT n FROM (SELECT a, COUNT(*) AS n, SUM(b) AS s, a + 1 AS m FROM t GROUP BY a) AS x"
    assert shown(text) == [
        "aggregate_1 Aggregate by a: count(*) AS n <- t",
        "project_2 columns Project n AS c0 <- aggregate_1",
    ]


def test_the_padded_side_of_a_join_is_placed() -> None:
    text = "SELECT x.m FROM t LEFT JOIN (SELECT a, COALESCE(x, 1) AS m FROM u) AS x ON t.a = x.a"
    assert shown(text)[0] == "project_1 columns Project a AS c0, coalesce(x, 1) AS c1 <- u"


def test_what_is_null_with_its_columns_is_computed_above_a_join() -> None:
    text = "SELECT x.m FROM t LEFT JOIN (SELECT a, x + 1 AS m FROM u) AS x ON t.a = x.a"
    assert shown(text) == [
        "join_1 Join left on (a = a@2) <- t, u",
        "project_2 columns Project (x + 1) AS c0 <- join_1",
    ]


def test_what_is_random_is_computed_once() -> None:
    text = "SELECT r, r + 1 AS s FROM (SELECT RAND() AS r, b FROM t) AS x WHERE r > 0.5"
    assert shown(text)[0] == "project_1 Project rand() AS r <- t"


def test_a_subquery_does_not_read_what_is_computed() -> None:
    text = (
        "SELECT n FROM (SELECT a + 1 AS n FROM t) AS x WHERE EXISTS (SELECT x FROM u WHERE u.a = n)"
    )
    assert shown(text)[0] == "project_1 columns Project (a + 1) AS c0 <- t"
    assert "Project 1 AS row" in shown(text)[1]


def test_a_limit_sees_what_is_read_of_it() -> None:
    text = "SELECT a FROM (SELECT a, b, c FROM t ORDER BY b LIMIT 3) AS x"
    assert shown(text) == [
        "sort_1 Sort by b <- t",
        "sort_1 columns Project a AS c0 <- sort_1",
        "limit_1 Limit 3 <- sort_1 columns",
    ]


def test_two_readers_of_a_limit_see_the_same_limit() -> None:
    one, two = Column("a", INT), Column("b", INT)
    source = Source("t", (Field("a", INT), Field("b", INT)))
    made = Dataflow(
        {
            "t": source,
            "limit": Limit(1),
            "one": Project((Named("x", two), Named("y", one))),
            "two": Filter(Compare(">", one, Literal(0, INT))),
            "p": Sink("p"),
            "q": Sink("q"),
        },
        [
            Link("t", "limit"),
            Link("limit", "one"),
            Link("limit", "two"),
            Link("one", "p"),
            Link("two", "q"),
        ],
    )
    found = normalized(made)
    assert [i for i, o in found.operators.items() if isinstance(o, Limit)] == ["limit"]
    assert found.schemas["p"].types == made.schemas["p"].types


def test_a_function_of_whole_tables_sees_what_it_saw() -> None:
    source = Source("t", (Field("a", INT), Field("b", INT)))
    columns = (Named("y", Column("b", INT)), Named("x", Literal(1, INT)))
    made = Dataflow(
        {
            "t": source,
            "columns": Project(columns),
            "udf": TableUdf("f", (Field("z", INT),)),
            "out": Sink("out"),
        },
        [Link("t", "columns"), Link("columns", "udf"), Link("udf", "out")],
    )
    found = normalized(made)
    (below,) = found.inputs["udf"]
    assert found.schemas[below].names == ("y", "x")


KEYED = "CREATE TABLE k (id INT NOT NULL, v INT, PRIMARY KEY (id))"


def test_a_rank_by_a_key_is_a_row_number_and_the_key_is_noted() -> None:
    for order, function, relied in (
        ("id", "row_number()", [KeyHolds("k", ("id",))]),
        ("v", "rank()", []),
    ):
        dataflow = read_sql(f"SELECT id, rank() OVER (ORDER BY {order}) AS r FROM k", KEYED)
        assert f" Over {function}" in " ".join(show_dataflow(normalized(dataflow)).split())
        assert keys_relied_on_by_normalizing(dataflow) == relied


def test_distinct_values_of_a_key_need_no_distinct() -> None:
    for column, call, relied in (
        ("id", "count(*)", [KeyHolds("k", ("id",))]),
        ("v", "count(DISTINCT v)", []),
    ):
        dataflow = read_sql(f"SELECT count(DISTINCT {column}) AS n FROM k", KEYED)
        assert call in show_dataflow(normalized(dataflow))
        assert keys_relied_on_by_normalizing(dataflow) == relied


def test_a_key_is_noted_on_which_a_join_made_of_a_subquery_rests() -> None:
    for column, relied in (("id", [KeyHolds("k", ("id",))]), ("v", [])):
        text = f"SELECT v FROM k WHERE EXISTS (SELECT 1 FROM k AS o WHERE o.{column} = k.{column})"
        dataflow = read_sql(text, KEYED)
        assert ("Join" in show_dataflow(normalized(dataflow))) is not bool(relied)
        assert keys_relied_on_by_normalizing(dataflow) == relied


def test_filters_are_merged_unless_one_is_random() -> None:
    merged = shown("SELECT a FROM (SELECT a, b FROM t WHERE b > 1) WHERE a > 0")
    assert merged[0] == "filter_2 Filter ((b >= 2) AND (a >= 1)) <- t"
    apart = shown("SELECT a FROM (SELECT a, b FROM t WHERE rand() > 0.5) WHERE a > 0")
    assert sum(" Filter " in line for line in apart) == 2


def test_unions_of_unions_are_one() -> None:
    text = (
        "SELECT a + 1 AS x FROM (SELECT a FROM t UNION ALL SELECT b FROM t) "
        "UNION ALL SELECT x FROM u"
    )
    lines = shown(text)
    (union,) = (line for line in lines if " Union" in line)
    assert len(union.split("<-")[1].split(", ")) == 3
    assert sum("(a + 1)" in line or "(b + 1)" in line for line in lines) == 2


def test_every_rule_leaves_operators_of_others_alone() -> None:
    dataflow = read_sql("SELECT a FROM t WHERE b > 1 ORDER BY a LIMIT 3", SCHEMA)
    rewriting = Rewriting(dataflow, laws(), (normalized, normalized), shows_columns=True)
    for id_ in dataflow.order:
        operator = dataflow.operators[id_]
        below = [rewriting.views[i] for i in dataflow.inputs[id_]]
        views = [rule.run(rewriting, id_, operator, below) for rule in RULES]
        found = [view for view in views if view is not None]
        assert len(found) == (not isinstance(operator, Source))
        every = range(len(dataflow.schemas[id_]))
        rewriting.views[id_] = (found or [rewriting.put(id_, operator, (), every)])[0]


def deduplicated(keys: tuple[Column, ...], read: tuple[Column, ...]) -> list[str]:
    """The normal form of some columns of rows deduplicated on others."""
    fields = (Field("a", INT), Field("b", INT), Field("d", DOUBLE))
    operators: dict[str, AnyOperator] = {
        "t": Source("t", fields),
        "left": Deduplicate(keys),
        "shown": Project(tuple(Named(c.name, c) for c in read)),
        "result": Sink("result"),
    }
    links = [Link("t", "left"), Link("left", "shown"), Link("shown", "result")]
    lines = show_dataflow(normalized(Dataflow(operators, links))).splitlines()
    return [" ".join(line.split()) for line in lines if " Source " not in line][:-1]


def test_which_duplicate_is_kept_does_not_show_in_what_they_agree_on() -> None:
    a, b, d = Column("a", INT), Column("b", INT), Column("d", DOUBLE)
    assert deduplicated((a, b), (b,))[0] == "left Aggregate by a AS c0, b AS c1 <- t"
    # It shows in other columns, and in the sign of zero.
    assert deduplicated((a,), (a, b))[0].startswith("left Deduplicate")
    assert deduplicated((a, d), (a,))[0].startswith("left Deduplicate")
