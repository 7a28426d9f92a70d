"""Secrets in sources: told apart, given back where they are read, and never kept."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import pytest

from veer.errors import InputError
from veer.execution.store import SinkResult, Store, StoredVersion
from veer.execution.store.sealing import HARMLESS, Seal, is_sealed
from veer.ir.dag import Dataflow, Link
from veer.ir.json import to_json
from veer.ir.ops import Sink, Source
from veer.ir.schema import Field
from veer.ir.types import IntegerType
from veer.read.spec import load, load_pair

SECRET = "hunter2-hunter2"


def source(location: str = "", **options: str) -> Source:
    fields = (Field("v", IntegerType(), True),)
    return Source("t", fields, format="csv", location=location, options=tuple(options.items()))


@pytest.mark.parametrize(
    "given",
    [
        source(password=SECRET),
        source(Password=SECRET),
        source(url=f"jdbc:postgresql://h/db?user=u&password={SECRET}"),
        source(**{"fs.s3a.secret.key": SECRET}),
        source(**{"a new option": SECRET}),
        source(dbtable=f"(SELECT * FROM t WHERE token = '{SECRET}')"),
        source(basePath=f"s3a://key:{SECRET}@bucket/x"),
        source(f"s3a://key:{SECRET}@bucket/x"),
        source(f"s3a:/key:{SECRET}@bucket/x"),
        source(f'["s3a://{SECRET}@bucket/x", "s3a://{SECRET}@bucket/y"]'),
        source(f"https://host/x.csv?sig={SECRET}&v=1"),
        source(f"abfss://box:{SECRET}@host/x"),
        replace(source(f"s3a://key:{SECRET}@b/x"), table=f"s3a://key:{SECRET}@b/x"),
    ],
    ids=lambda s: str(s.options or s.location)[:40],
)
def test_a_secret_is_not_kept_but_read(given: Source) -> None:
    seal = Seal("k")
    sealed = seal.source(given)
    flow = seal.dataflow(Dataflow({"t": given, "s": Sink("s")}, [Link("t", "s")]))
    assert SECRET not in repr(sealed) and SECRET not in json.dumps(to_json(flow))
    assert seal.opened(sealed) == given
    declared = replace(sealed, keys=(("v",),), fields=(Field("v", IntegerType(), False),))
    assert SECRET in repr(seal.opened(declared)), "whatever is declared of it"
    assert seal.source(sealed) == sealed, "once is enough"
    assert Seal("k").source(given) == sealed != Seal("other").source(given)
    with pytest.raises(InputError, match="not kept in the store"):
        Seal("k").opened(sealed)
    assert SECRET not in seal.hide(f"could not connect with {SECRET}")


def test_secrets_are_told_apart() -> None:
    seal = Seal("k")
    assert seal.source(source(password="one")) != seal.source(source(password="two"))
    assert seal.value("a", "x") != seal.value("b", "x")
    assert is_sealed(seal.value("a", "x")) and not is_sealed("sealed-x")


def test_what_is_harmless_stays_readable() -> None:
    seal = Seal("k")
    for given in (
        source("/data/t.csv", header="true", sep=";", Mode="PERMISSIVE"),
        source("abfss://container@account.host/x"),
        source("hdfs://host:8020/part-?.csv"),
        source(dbtable="public.orders"),
    ):
        assert seal.source(given) is not None and seal.source(given) == given
        assert seal.opened(given) == given
    assert not [n for n in HARMLESS if n != n.lower()]
    speaking = ("pass", "pwd", "token", "secret", "key", "cred", "url", "user", "auth", "query")
    assert not [n for n in HARMLESS if any(word in n for word in speaking if n != "querytimeout")]


def test_a_store_keeps_its_key(tmp_path: Path) -> None:
    made = []
    for _ in range(2):
        with Store(str(tmp_path / "one")) as store:
            made.append(store.seal.value("n", "x"))
    with Store(str(tmp_path / "two")) as store:
        made.append(store.seal.value("n", "x"))
    assert made[0] == made[1] != made[2]


def test_a_store_made_without_a_key_gets_one(tmp_path: Path) -> None:
    from sqlalchemy import delete

    from veer.execution.store import tables

    with Store(str(tmp_path)) as store, store.write() as db:
        db.execute(delete(tables.about).where(tables.about.c.key == "key"))
    with Store(str(tmp_path)) as one, Store(str(tmp_path)) as two:
        assert one.seal.value("n", "x") == two.seal.value("n", "x")


def test_a_stored_version_is_compared_with_its_file(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The file has the password, the store its digest: both are the same source."""
    monkeypatch.chdir(tmp_path)
    table = {"type": "source", "table": "t", "format": "csv", "location": "t.csv"}

    def flow(password: str) -> None:
        operators = {
            "t": {**table, "columns": {"v": "int"}, "options": {"password": password}},
            "out": {"type": "sink"},
        }
        text = json.dumps({"veer": 1, "operators": operators, "links": [["t", "out"]]})
        (tmp_path / "flow.json").write_text(text)

    flow(SECRET)
    with Store(".veer") as store:
        kept = store.seal.dataflow(load("flow.json").dataflow)
        sinks = (SinkResult("out", "not kept"),)
        store.record(StoredVersion("q", kept, "", True, "flow.json", {}, {}, 0.0, 0.0, sinks), [])
    old, new = load_pair("store:q@1", "flow.json")
    assert old.dataflow == new.dataflow
    flow("another")
    assert load_pair("flow.json", "store:q@1")[0].dataflow != old.dataflow
