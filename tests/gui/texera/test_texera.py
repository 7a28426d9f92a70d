"""Texera's operators against rows, what stays opaque, hostile files, and the command."""

from __future__ import annotations

import contextlib
import copy
import json
from pathlib import Path
from random import Random
from typing import Any

import pytest

import veer
from tests.command import veer as command
from tests.gui.texera.texera_files import operator, scan, where, workflow
from veer.errors import InputError
from veer.gui.reading import Reading, read_graph
from veer.gui.texera.graph import read_graph as graph_of
from veer.gui.texera.models import SYSTEM
from veer.interpreter import run_dataflow
from veer.ir.ops import OTHER_COLUMNS, TableUdf
from veer.read.sql import read_schema
from veer.verdict import Verdict

DDL = """CREATE TABLE t (k STRING, n INT, b BIGINT, d DOUBLE, p BOOLEAN);
CREATE TABLE u (k STRING, m INT)"""
ROWS: list[Any] = [
    ("a", 1, 10, 1.5, True),
    ("a", None, 20, float("nan"), None),
    ("b", 3, None, -2.0, False),
]
ROWS += [(None, 7, 5, None, True), (None, 7, 5, None, True)]
PARTNERS = [("a", 100), ("a", 200), (None, 300), ("c", 400)]


def reading(text: str, ddl: str = DDL) -> Reading:
    return read_graph(SYSTEM, graph_of(text), {}, read_schema(ddl) if ddl else {})


def rows(text: str, t: list[Any] | None = None, u: list[Any] | None = None) -> list[Any]:
    """The rows of the only result, in any order; every operator is modelled."""
    read = reading(text)
    assert not read.opaque, read.opaque
    tables = {"t": ROWS if t is None else t, "u": PARTNERS if u is None else u}
    read_tables = {name: tables[name] for name in tables if name in str(read.dataflow.operators)}
    (result,) = run_dataflow(read.dataflow, read_tables).values()
    return sorted(result.rows, key=repr)


def kept(*predicates: tuple[str, str, str]) -> list[int]:
    """Which rows of the table a filter keeps."""
    found = rows(workflow(scan(), where("f", *predicates)))
    return [i for i, row in enumerate(ROWS[:4]) if repr(row) in map(repr, found)]


@pytest.mark.parametrize(
    ("predicates", "expected"),
    [
        ([("n", ">", "1")], [2, 3]),
        ([("n", ">", "2.5")], [2, 3]),
        ([("n", "!=", "3")], [0, 3]),  # null passes nothing
        ([("b", "<=", "10")], [0, 3]),
        ([("d", ">", "1")], [0, 1]),  # NaN is greater than all
        ([("k", "=", "a")], [0, 1]),
        ([("k", "!=", "a")], [2]),
        ([("p", "=", "True")], [0, 3]),
        ([("n", "is null", "")], [1]),
        ([("n", "is not null", "")], [0, 2, 3]),
        ([("n", "=", "1"), ("k", "=", "b")], [0, 2]),  # joined by OR
        ([], []),
    ],
)
def test_filters(predicates: list[tuple[str, str, str]], expected: list[int]) -> None:
    assert kept(*predicates) == expected


@pytest.mark.parametrize(
    ("attribute", "condition", "value"),
    [
        ("k", ">", "a"),  # Java compares texts in another order than Spark
        ("k", "=", "12"),  # as numbers, where both are some
        ("k", "=", "NaN"),
        ("d", "=", "0"),  # 0.0 and -0.0 are two values to Texera
        ("d", "<", "-0.0"),
        ("n", "=", "-0"),
        ("p", ">", "false"),
        ("b", "=", "1.5"),
    ],
)
def test_comparisons_that_are_not_spark_s_are_unknown_functions(
    attribute: str, condition: str, value: str
) -> None:
    read = reading(workflow(scan(), where("f", (attribute, condition, value))))
    assert "of Texera" in str(read.dataflow.operators["Filter"])


def test_projection() -> None:
    units = [{"originalAttribute": "n", "alias": "x"}, {"originalAttribute": "k", "alias": ""}]
    assert rows(workflow(scan(), operator("p", "Projection", attributes=units)))[0] == (1, "a")
    dropped = operator(
        "p", "Projection", isDrop=True, attributes=[{"originalAttribute": c} for c in "nbd"]
    )
    assert rows(workflow(scan(), dropped))[0] == ("a", None)


def aggregate(function: str, attribute: str, keys: list[str]) -> dict[str, Any]:
    unit = {"aggFunction": function, "attribute": attribute, "result attribute": "x"}
    return operator("a", "Aggregate", aggregations=[unit], groupByKeys=keys)


def test_aggregates_of_groups() -> None:
    def by_key(function: str, attribute: str) -> list[Any]:
        return rows(workflow(scan(), aggregate(function, attribute, ["k"])))

    assert by_key("count", "n") == [("a", 1), ("b", 1), (None, 2)]
    assert by_key("count", "") == [("a", 2), ("b", 1), (None, 2)]
    assert by_key("sum", "n") == [("a", 1), ("b", 3), (None, 14)]
    assert by_key("sum", "b") == [("a", 30), ("b", 0), (None, 10)]  # of nulls: nothing added
    assert by_key("max", "n") == [("a", 1), ("b", 3), (None, 7)]


def test_an_aggregate_of_no_rows_gives_no_row() -> None:
    assert rows(workflow(scan(), aggregate("count", "", []))) == [(5,)]
    assert rows(workflow(scan(), aggregate("count", "", [])), t=[]) == []


def test_a_sum_beyond_its_type_is_not_spark_s() -> None:
    text = workflow(scan(), aggregate("sum", "n", []))
    flow = reading(text).dataflow
    within = run_dataflow(flow, {"t": [("a", 2**31 - 1, 0, 0.0, True)]})
    assert next(iter(within.values())).rows == [(2**31 - 1,)]
    assert "beyond_int" in str(flow.operators)


def test_joins_match_nulls_and_leave_out_the_right_key() -> None:
    join = operator(
        "j", "HashJoin", buildAttributeName="k", probeAttributeName="k", joinType="inner"
    )
    inner = workflow(scan(), scan("u.csv", "u"), join, links=[(0, 2, 0), (1, 2, 1)])
    assert len(rows(inner)) == 2 * 2 + 2 * 1
    assert all(len(row) == 6 for row in rows(inner))
    join = operator(
        "j", "HashJoin", buildAttributeName="k", probeAttributeName="k", joinType="left outer"
    )
    left = workflow(scan(), scan("u.csv", "u"), join, links=[(0, 2, 0), (1, 2, 1)])
    assert [row[5] for row in rows(left) if row[0] == "b"] == [None]


def test_columns_of_one_name_beside_each_other() -> None:
    cross = operator("c", "CartesianProduct")
    text = workflow(scan("u.csv", "u"), scan("u.csv", "v"), cross, links=[(0, 2, 0), (1, 2, 1)])
    read = reading(text)
    assert read.dataflow.schemas["CartesianProduct: result"].names == ("k", "m", "k#@1", "m#@1")


@pytest.mark.parametrize(
    ("kind", "expected"),
    [
        ("Union", ["a", "a", "b", "c", None]),
        ("Intersect", ["a"]),
        ("Difference", ["b"]),
        ("SymmetricDifference", ["b", "c", None]),
    ],
)
def test_sets(kind: str, expected: list[str | None]) -> None:
    left, right = [("a", 1), ("b", 1)], [("a", 1), ("c", 1), (None, 1)]
    ddl = "CREATE TABLE l (k STRING, m INT); CREATE TABLE r (k STRING, m INT)"
    ports = [(0, 2, 0), (1, 2, 0 if kind == "Union" else 1)]
    read = reading(
        workflow(scan("l.csv", "l"), scan("r.csv", "r"), operator("s", kind), links=ports), ddl
    )
    (result,) = run_dataflow(read.dataflow, {"l": left, "r": right}).values()
    assert not read.opaque
    assert sorted((row[0] for row in result.rows), key=repr) == sorted(expected, key=repr)


def test_an_unknown_table_has_the_columns_that_are_mentioned() -> None:
    read = reading(workflow(scan(), where("f", ("n", ">", "1"), ("zip", "is null", ""))), ddl="")
    assert read.dataflow.schemas["CSVFileScan"].names == ("n", "zip", OTHER_COLUMNS)


def test_what_feeds_nothing_is_shown_and_what_is_viewed_too() -> None:
    viewed = where("f", ("n", ">", "1"))
    viewed["viewResult"] = True
    read = reading(workflow(scan(), viewed, operator("l", "Limit", limit=3)))
    assert sorted(read.dataflow.sinks) == ["Filter: result", "Limit: result"]


def test_what_is_switched_off_is_left_out_with_what_it_feeds() -> None:
    off = where("f", ("n", ">", "1"))
    off["isDisabled"] = True
    text = workflow(
        scan(),
        off,
        operator("l", "Limit", limit=3),
        operator("d", "Distinct"),
        links=[(0, 1, 0), (1, 2, 0), (0, 3, 0)],
    )
    assert set(reading(text, "").dataflow.sinks) == {"Distinct: result"}


def test_programs_may_give_something_else_each_time() -> None:
    udf = operator(
        "p",
        "PythonUDFV2",
        code="...",
        outputColumns=[{"attributeName": "x", "attributeType": "integer"}],
    )
    flow = reading(workflow(scan(), udf)).dataflow
    (made,) = [op for op in flow.operators.values() if isinstance(op, TableUdf)]
    assert not made.deterministic
    assert [str(f) for f in made.fields] == ["x int"]


def test_all_forms_of_a_file_are_one_workflow() -> None:
    exported = json.loads(workflow(scan(), where("f", ("n", ">", "1"))))
    stored = {"name": "w", "content": json.dumps(exported)}
    plan = {
        "operators": [{**o["operatorProperties"], "operatorID": o["operatorID"], "operatorType": o["operatorType"]} for o in exported["operators"]],
        "links": [{"fromOpId": x["source"]["operatorID"], "fromPortId": {"id": 0, "internal": False}, "toOpId": x["target"]["operatorID"], "toPortId": {"id": 0}} for x in exported["links"]],
    }  # fmt: skip
    flows = [reading(json.dumps(form)).dataflow for form in (exported, stored, plan)]
    assert flows[0] == flows[1] == flows[2]


# -- hostile files -------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "text",
    [
        '{"operators": {}}',
        '{"operators": [7]}',
        '{"operators": [{"operatorID": "a"}]}',
        '{"operators": [{"operatorID": "a", "operatorType": "Filter", "operatorProperties": 7}]}',
        '{"operators": [{"operatorID": "a", "operatorType": "Filter"}], "links": [{"source": 1}]}',
        '{"content": "{"}',
        '{"content": [1]}',
        '{"operators": []}',
        '{"operators": [{"operatorID": "a", "operatorType": "x"}, {"operatorID": "a", "operatorType": "x"}]}',
    ],
)
def test_what_is_no_workflow_is_refused(text: str) -> None:
    with pytest.raises(InputError):
        reading(text)


def test_a_cycle_is_refused_by_name() -> None:
    text = workflow(
        where("f", ("n", ">", "1")), where("g", ("n", ">", "2")), links=[(0, 1, 0), (1, 0, 0)]
    )
    with pytest.raises(InputError, match="cycle"):
        reading(text)


def test_no_file_crashes_the_reader() -> None:
    random = Random(7)
    text = workflow(
        scan(),
        where("f", ("n", ">", "1")),
        aggregate("sum", "n", ["k"]),
        operator("s", "Sort", attributes=[{"attribute": "n", "sortPreference": "ASC"}]),
    )
    values: list[Any] = [None, 7, -1.5, "x", "", [], {}, [1], {"a": 1}, True]
    for _ in range(400):
        data = json.loads(text)
        for _ in range(random.randrange(1, 4)):
            _spoil(data, random, values)
        with contextlib.suppress(InputError):
            reading(json.dumps(data))


def _spoil(data: Any, random: Random, values: list[Any]) -> None:
    """Put something else in the place of any part."""
    while isinstance(data, dict | list) and data:
        key = random.choice(sorted(data)) if isinstance(data, dict) else random.randrange(len(data))
        if random.random() < 0.2 or not isinstance(data[key], dict | list):
            data[key] = copy.deepcopy(random.choice(values))
            return
        data = data[key]


# -- the command ---------------------------------------------------------------------------------


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """Versions of one workflow: two filters, exchanged, and one of them loosened."""
    amount, region = ("amount", ">", "100"), [("region", "=", "west"), ("region", "=", "east")]
    first, second = where("f", amount, name="Large"), where("g", *region, name="Coasts")
    texts = {
        "p.json": workflow(scan("in/sales.csv"), first, second),
        "exchanged.json": workflow(scan("in/sales.csv"), second, first),
        "loosened.json": workflow(
            scan("in/sales.csv"), where("f", ("amount", ">=", "100"), name="Large"), second
        ),
    }
    for name, text in texts.items():
        (tmp_path / name).write_text(text)
    (tmp_path / "s.ddl").write_text("CREATE TABLE sales (region STRING, amount INT, day DATE)")
    (tmp_path / "q.sql").write_text(
        "SELECT * FROM sales WHERE region IN ('east', 'west') AND 100 < amount"
    )
    return tmp_path


def test_the_command_verifies_versions(folder: Path) -> None:
    done = command("verify", "p.json", "exchanged.json", cwd=folder)
    assert done.returncode == 0, done.stdout + done.stderr
    shown = " ".join(done.stdout.split())
    assert "assuming in/sales.csv has the columns used (amount, region), and" in shown
    done = command("verify", "p.json", "loosened.json", cwd=folder)
    assert done.returncode == 2, done.stdout  # of a column of any type nothing is known
    done = command("verify", "--schema", "s.ddl", "p.json", "loosened.json", cwd=folder)
    assert done.returncode == 1 and "100" in done.stdout, done.stdout


def test_the_command_compares_with_sql(folder: Path) -> None:
    done = command("verify", "--schema", "s.ddl", "p.json", "q.sql", cwd=folder)
    assert done.returncode == 0, done.stdout + done.stderr


def test_the_command_names_operators_as_people_see_them(folder: Path) -> None:
    done = command("diff", "p.json", "loosened.json", "--schema", "s.ddl", cwd=folder)
    assert "Large" in done.stdout and "amount >= 100" in done.stdout, done.stdout
    done = command("show", "p.json", cwd=folder)
    assert "Coasts" in done.stdout


def test_what_cannot_be_read_is_one_line(folder: Path) -> None:
    (folder / "broken.json").write_text('{"operators": [{"operatorID": "a"')
    done = command("show", "broken.json", cwd=folder)
    assert done.returncode == 65 and len(done.stderr.strip().splitlines()) == 1, done.stderr
    assert "broken.json" in done.stderr


def test_an_equivalent_is_attacked(folder: Path) -> None:
    """What is proven of unknown types holds of each type, on any rows."""
    for type_, values in (("INT", [None, 99, 100, 101]), ("DOUBLE", [None, 100.0, 100.5])):
        ddl = f"CREATE TABLE sales (region STRING, amount {type_})"
        p, q = (veer.load(str(folder / n), schema=ddl) for n in ("p.json", "exchanged.json"))
        table = [(r, v) for r in ("west", "north", None) for v in values]
        (one,), (two,) = (run_dataflow(v.dataflow, {"sales": table}).values() for v in (p, q))
        assert sorted(one.rows, key=repr) == sorted(two.rows, key=repr)
        assert veer.verify(p, q).verdict is Verdict.EQUIVALENT


def test_a_data_file_beside_the_workflow_tells_its_columns(folder: Path) -> None:
    (folder / "in").mkdir()
    (folder / "in" / "sales.csv").write_text("region,amount,day\nwest,7,2024-01-01\n")
    done = command("show", "p.json", cwd=folder)
    assert "(region string, amount string, day string)" in done.stdout, done.stdout
    done = command("verify", "p.json", "exchanged.json", cwd=folder)
    shown = " ".join(done.stdout.split())
    assert (
        done.returncode == 0 and "the columns used (amount, day, region), of any type" in shown
    ), shown


def test_paths_that_lead_out_of_the_folder_are_not_looked_at(folder: Path) -> None:
    (folder / "flows").mkdir()
    (folder / "secret.csv").write_text("password\n")
    (folder / "flows" / "w.json").write_text(
        workflow(scan("../secret.csv"), where("f", ("n", ">", "1")))
    )
    done = command("show", "flows/w.json", cwd=folder)
    assert done.returncode == 0 and "password" not in done.stdout


def test_the_command_compares_all_versions_of_a_folder(folder: Path) -> None:
    versions = folder / "versions"
    versions.mkdir()
    for number, name in enumerate(["p", "exchanged", "loosened"], 9):
        (versions / f"sales_v{number}.json").write_text((folder / f"{name}.json").read_text())
    (versions / "notes.txt").write_text("no version of anything")
    done = command("batch", "versions", "--schema", "s.ddl", "--workers", "1", cwd=folder)
    found = {line["id"]: line["verdict"] for line in map(json.loads, done.stdout.splitlines())}
    assert found == {
        "sales_v9.json -> sales_v10.json": "equivalent",
        "sales_v10.json -> sales_v11.json": "inequivalent",
    }, done.stderr


def test_a_type_that_nobody_tells_is_no_other_type(folder: Path) -> None:
    cast = operator(
        "c", "TypeCasting", typeCastingUnits=[{"attribute": "n", "resultType": "integer"}]
    )
    (folder / "plain.json").write_text(workflow(scan(), where("f", ("n", "is null", ""))))
    (folder / "cast.json").write_text(workflow(scan(), where("f", ("n", "is null", "")), cast))
    done = command("verify", "plain.json", "cast.json", cwd=folder)
    assert done.returncode == 2, done.stdout  # it may be an integer before


def test_the_same_name_in_another_folder_is_another_table(folder: Path) -> None:
    for year in ("2020", "2021"):
        text = workflow(scan(f"{year}/sales.csv"), where("f", ("amount", ">", "1")))
        (folder / f"of{year}.json").write_text(text)
    done = command("verify", "of2020.json", "of2021.json", "--schema", "s.ddl", cwd=folder)
    assert done.returncode != 0, done.stdout
    done = command("verify", "of2020.json", "of2020.json", "--schema", "s.ddl", cwd=folder)
    assert done.returncode == 0, done.stdout


def test_a_column_that_is_gone_stays_gone() -> None:
    dropped = operator("p", "Projection", isDrop=True, attributes=[{"originalAttribute": "x"}])
    read = reading(workflow(scan(), dropped, where("f", ("x", ">", "1"))), ddl="")
    assert "no column 'x'" in read.opaque["Filter"]


def test_the_case_of_names_does_not_count(folder: Path) -> None:
    for name in ("Price", "price"):
        (folder / f"{name}_.json").write_text(workflow(scan(), where("f", (name, "is null", ""))))
    done = command("verify", "Price_.json", "price_.json", cwd=folder)
    assert done.returncode == 0, done.stdout


def test_rows_that_an_opaque_operator_has_are_not_any_rows(folder: Path) -> None:
    source = operator(
        "t", "TextInput", attributeType="integer", attributeName="n", textInput="1\n2"
    )
    (folder / "all.json").write_text(
        workflow(source, where("f", ("n", "is not null", "")), where("g", ("n", "is not null", "")))
    )
    (folder / "some.json").write_text(
        workflow(source, where("f", ("n", "is null", "")), where("g", ("n", "is not null", "")))
    )
    done = command("verify", "all.json", "some.json", cwd=folder)
    assert done.returncode == 2, done.stdout


def test_what_an_opaque_operator_sees_of_the_order_of_rows_counts() -> None:
    lines = operator("c", "LineChart", yLabel="y")
    sort = operator("s", "Sort", attributes=[{"attribute": "n", "sortPreference": "ASC"}])
    identities = [
        next(
            op.identity
            for op in reading(text).dataflow.operators.values()
            if isinstance(op, TableUdf)
        )
        for text in (
            workflow(scan(), sort, lines),
            workflow(scan(), lines),
            workflow(scan(), where("f", ("n", ">", "1")), lines),
        )
    ]
    assert identities[0] != identities[1] == identities[2]


def test_swapped_tables_of_which_nobody_knows_the_columns(folder: Path) -> None:
    cross = operator("c", "CartesianProduct")
    for name, files in (("pq", ("p.csv", "q.csv")), ("qp", ("q.csv", "p.csv"))):
        text = workflow(
            scan(files[0], "a"), scan(files[1], "b"), cross, links=[(0, 2, 0), (1, 2, 1)]
        )
        (folder / f"{name}.json").write_text(text)
    assert command("verify", "pq.json", "qp.json", cwd=folder).returncode == 2


def test_functions_are_told_apart_by_every_character() -> None:
    texts = [workflow(scan(), where("f", ("k", ">", value))) for value in ("new york", "new_york")]
    one, two = (reading(text).dataflow.operators["Filter"] for text in texts)
    assert one != two


def test_no_order_outlives_operators_on_several_machines() -> None:
    sort = operator("s", "Sort", attributes=[{"attribute": "n", "sortPreference": "ASC"}])
    limit = operator("l", "Limit", limit=1)
    ordered = reading(workflow(scan(), sort, limit)).dataflow
    scattered = reading(workflow(scan(), sort, where("f", ("b", ">", "0")), limit)).dataflow
    kinds = [
        [type(flow.operators[i]).__name__ for i in flow.order] for flow in (ordered, scattered)
    ]
    assert kinds == [
        ["Source", "Sort", "Limit", "Sink"],
        ["Source", "Sort", "Union", "Filter", "Limit", "Sink"],
    ]


def test_a_program_that_runs_twice_is_not_one_that_runs_once(folder: Path) -> None:
    columns = [{"attributeName": "x", "attributeType": "integer"}]
    one, two = (operator(i, "PythonUDFSourceV2", code="random()", columns=columns) for i in "ab")
    union = operator("u", "Union")
    (folder / "once.json").write_text(workflow(one, union, links=[(0, 1, 0), (0, 1, 0)]))
    (folder / "twice.json").write_text(workflow(one, two, union, links=[(0, 2, 0), (1, 2, 0)]))
    assert command("verify", "once.json", "twice.json", cwd=folder).returncode == 2
    done = command("verify", "once.json", "once.json", cwd=folder)
    assert done.returncode == 0, done.stdout


def test_of_given_rows_and_of_joins_the_order_is_all_that_is_above() -> None:
    lines = operator("c", "LineChart", yLabel="y")
    given = operator("t", "TextInput", textInput="a\nb", attributeName="k")

    def identity(text: str) -> str:
        flow = reading(text).dataflow
        return next(op.identity for op in flow.operators.values() if isinstance(op, TableUdf))

    kept = [workflow(given, where("f", ("k", "=", value)), lines) for value in ("a", "b")]
    assert identity(kept[0]) != identity(kept[1])
    cross, sides = operator("c", "CartesianProduct"), []
    for name in ("k", "k#@1"):
        taken = operator("p", "Projection", attributes=[{"originalAttribute": name, "alias": "x"}])
        sides.append(
            workflow(
                scan("u.csv", "u"),
                scan("u.csv", "v"),
                cross,
                taken,
                lines,
                links=[(0, 2, 0), (1, 2, 1), (2, 3, 0), (3, 4, 0)],
            )
        )
    assert identity(sides[0]) != identity(sides[1])
