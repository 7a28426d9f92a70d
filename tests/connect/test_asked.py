"""What is asked of a server, without one: settings, paths, functions that plans call."""

from __future__ import annotations

import os
from types import SimpleNamespace
from typing import Any

import pytest
from pyspark.sql.connect.proto.relations_pb2 import Relation

from veer.errors import InputError, UnsupportedError, UsageError
from veer.ir.ops import ANYWHERE, Source
from veer.ir.types import IntegerType
from veer.read.pyspark.capture import session as session_module
from veer.read.pyspark.connect.live import LiveSurroundings, parts_with_generated_names
from veer.read.pyspark.connect.messages import called_functions, messages_in
from veer.read.pyspark.connect.plans_with_relations import KIND, node_of, refer
from veer.read.pyspark.connect.server_sources import Server, data_source, normal_path
from veer.read.pyspark.layout import classic_frame_class, connect_frame
from veer.read.session_settings import check_server_settings, server_unusual
from veer.read.spec import check_one_session
from veer.settings import NEWEST

COLUMNS = '{"fields":[{"name":"a","type":"integer","nullable":true,"metadata":{}}]}'


class Conf(dict[str, str]):
    """Settings of a session."""

    @property
    def getAll(self) -> dict[str, str]:
        return {k: v for k, v in self.items() if k != "spark.sql.ansi.enabled"}


def session(**settings: str) -> Any:
    named = {f"spark.sql.{k.replace('__', '.')}": v for k, v in settings.items()}
    usual = {"spark.sql.ansi.enabled": "true", "spark.sql.session.timeZone": "Etc/UTC"}
    return SimpleNamespace(conf=Conf({**usual, **named}), version="4.3.0")


@pytest.mark.parametrize(
    ("settings", "name"),
    [
        ({"timestampType": "TIMESTAMP_NTZ"}, "spark.sql.timestampType"),
        ({"legacy__somethingNew": "false"}, "spark.sql.legacy.somethingNew"),
        ({"ansi__doubleQuotedIdentifiers": "true"}, "doubleQuotedIdentifiers"),
        ({"extensions": "com.example.Rules"}, "spark.sql.extensions"),
        ({"legacy__statisticalAggregate": "true"}, "spark.sql.legacy.statisticalAggregate"),
    ],
)
def test_settings_that_are_refused(settings: dict[str, str], name: str) -> None:
    with pytest.raises(UnsupportedError, match=name):
        check_server_settings(session(**settings))


def test_settings_that_are_not() -> None:
    usual = {"shuffle__partitions": "3", "caseSensitive": "FALSE", "storeAssignmentPolicy": "ANSI"}
    usual |= {"extensions": "io.delta.sql.DeltaSparkSessionExtension", "ansi__enabled": "true"}
    check_server_settings(session(**usual))
    harmless = {"spark.app.id": "x", "spark.sql.adaptive.enabled": "false"}
    assert server_unusual(harmless, NEWEST) == {}


@pytest.mark.parametrize(
    ("path", "one"),
    [
        ("file:///a//b/", "file:/a/b"),
        ("file:/a/./b", "file:/a/b"),
        ("s3a://bucket/a/../b", "s3a://bucket/b"),
        ("s3a://bucket", "s3a://bucket/"),
        ("a/b", "a/b"),
    ],
)
def test_one_spelling_of_a_path(path: str, one: str) -> None:
    assert normal_path(path) == one


class Answers:
    """A client whose server knows one schema and some files."""

    host = "somewhere"

    def __init__(self, *files: str) -> None:
        self.asked: list[tuple[str, Any]] = []
        self.input_files = files
        self.schema = SimpleNamespace(json=lambda: COLUMNS)

    def _analyze(self, method: str, plan: Any) -> Any:
        self.asked.append((method, plan))
        return self


def read(client: Any, *paths: str, format_: str = "parquet", **options: str) -> Source:
    relation = Relation()
    relation.common.plan_id = 7
    relation.read.data_source.format = format_
    relation.read.data_source.paths.extend(paths)
    for name, value in options.items():
        relation.read.data_source.options[name] = value
    return data_source(Server(SimpleNamespace(client=client)), relation)


def test_files_of_a_store_far_away() -> None:
    source = read(Answers("s3a://b/x/1.parquet"), "s3a://b/x/", mergeSchema="true")
    assert source.location == source.table == "s3a://b/x"
    assert source.options == (("mergeschema", "true"),)
    assert source.fields[0].type == IntegerType() and not source.elsewhere


def test_a_path_without_its_file_system() -> None:
    source = read(Answers("hdfs://node:8020/x/1.parquet"), "/x")
    assert source.location == "hdfs://node:8020/x" and not source.elsewhere
    # Nothing shows where it is, or it may be below any folder.
    assert read(Answers(), "/x").elsewhere == (ANYWHERE,)
    assert read(Answers("hdfs://node/home/x/1.parquet"), "x").elsewhere == (ANYWHERE,)


def test_local_files_of_another_machine_may_be_linked_anyhow() -> None:
    assert read(Answers("file:///x/1.parquet"), "file:/x").elsewhere == (ANYWHERE,)


def test_predicates_of_a_database_tell_rows() -> None:
    options = {"url": "jdbc:x", "dbtable": "t", "password": "p"}
    one = read(Answers(), format_="jdbc", **options)
    relation = Relation()
    relation.read.data_source.format = "jdbc"
    relation.read.data_source.options.update(options)
    relation.read.data_source.predicates.extend(["a < 5", "a > 3"])
    two = data_source(Server(SimpleNamespace(client=Answers())), relation)
    assert one.table != two.table and "p" not in dict(one.options).values()


def test_leaves_are_asked_for_without_their_number() -> None:
    client = Answers("s3a://b/x/1.parquet")
    read(client, "s3a://b/x")
    assert all(not plan.root.HasField("common") for _, plan in client.asked)


# -- functions -------------------------------------------------------------------------------------


def plan_with_calls() -> Relation:
    """select(upper(a), <python function named lower>(trim(a))) over SQL that calls `f`."""
    relation = Relation()
    relation.project.input.sql.query = "SELECT My_F (a), 'x' FROM t"
    calls = relation.project.expressions
    calls.add().unresolved_function.function_name = "upper"
    inline = calls.add().common_inline_user_defined_function
    inline.function_name = "lower"
    inline.arguments.add().expression_string.expression = "trim(a)"
    calls.add().unresolved_function.function_name = "=="
    return relation


def test_functions_that_a_plan_calls() -> None:
    assert called_functions(plan_with_calls()) == {"upper", "my_f", "trim", "=="}
    assert any(m.DESCRIPTOR.name == "SQL" for m in messages_in(plan_with_calls()))


def test_parts_whose_columns_spark_names() -> None:
    inner = plan_with_calls()  # two columns without names over SQL
    outer = Relation()
    outer.filter.input.CopyFrom(inner)
    assert list(parts_with_generated_names(outer)) == [inner, inner.project.input]
    named = Relation()
    named.project.input.range.end = 3
    named.project.expressions.add().unresolved_attribute.unparsed_identifier = "id"
    named.project.expressions.add().alias.expr.literal.integer = 1
    assert not list(parts_with_generated_names(named))
    whole, reference = Relation(), Relation()
    reference.subquery_alias.input.CopyFrom(named)
    refer(whole, outer, [reference])
    parts = [node_of(p, KIND) for p in parts_with_generated_names(whole)]
    assert [p.root for p in parts] == [inner, inner.project.input]
    assert all(list(p.references) == [reference] for p in parts)


class Catalog:
    """A catalog whose `upper` is somebody's own."""

    def functionExists(self, name: str) -> bool:
        assert name != "=="
        return name in ("upper", "trim")

    def getFunction(self, name: str) -> Any:
        own = "org.apache.spark.sql.classic.UDFRegistration$$Lambda"
        spark = "org.apache.spark.sql.catalyst.expressions.StringTrim"
        return SimpleNamespace(className=own if name == "upper" else spark)


def live_session(version: str, *functions: str) -> Any:
    rows = [(name,) for name in functions]
    return SimpleNamespace(
        version=version,
        catalog=Catalog(),
        sql=lambda _: SimpleNamespace(collect=lambda: rows),
    )


def test_functions_of_the_session_are_refused_by_name() -> None:
    around = LiveSurroundings(live_session("4.3.0", "spark_catalog.default.my_f"))
    with pytest.raises(UnsupportedError, match="my_f"):
        around.check_functions(plan_with_calls())
    assert around.registered("other") is None


def test_older_servers_let_functions_hide_those_of_spark() -> None:
    with pytest.raises(UnsupportedError, match="upper"):
        LiveSurroundings(live_session("4.0.1")).check_functions(plan_with_calls())
    LiveSurroundings(live_session("4.3.0")).check_functions(plan_with_calls())


def test_a_pickle_that_is_none() -> None:
    assert LiveSurroundings(live_session("4.3.0")).python(b"no pickle") is None


def test_rows_that_the_server_holds_are_no_others() -> None:
    relation = Relation()
    relation.range.end = 3
    around = LiveSurroundings(SimpleNamespace(client=Answers()))
    with pytest.raises(UnsupportedError, match="range"):
        around.source(relation)
    with pytest.raises(InputError, match="streaming"):
        relation.read.is_streaming = True
        around.source(relation)


def test_frames_of_one_session() -> None:
    from pyspark.sql.connect.plan import LogicalPlan

    sessions: list[Any] = [SimpleNamespace(session_id=name) for name in "ab"]
    one, two = (connect_frame(LogicalPlan(None), session) for session in sessions)
    check_one_session(one, one)
    check_one_session(one, "jobs/report.py:build")
    with pytest.raises(UsageError, match="two"):
        check_one_session(one, two)
    with pytest.raises(UsageError, match="classic"):
        check_one_session(one, object.__new__(classic_frame_class()))


def test_sessions_that_veer_starts_are_classic(monkeypatch: pytest.MonkeyPatch) -> None:
    from pyspark.sql import SparkSession

    class Builder:
        def master(self, name: str) -> Any:
            remote = [n for n in os.environ if n.startswith(("SPARK_REMOTE", "SPARK_CONNECT"))]
            raise InputError(f"{name} {remote}")

    monkeypatch.setenv("SPARK_REMOTE", "sc://somewhere")
    monkeypatch.setenv("SPARK_CONNECT_MODE_ENABLED", "1")
    monkeypatch.setattr(session_module, "ensure_java", lambda: "")
    monkeypatch.setattr(SparkSession, "builder", Builder())
    with pytest.raises(InputError, match=r"local\[1\] \[\]"):
        session_module.local_session("", {}, "")
