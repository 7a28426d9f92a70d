"""What the store keeps, notices and refuses; the same in SQLite and PostgreSQL."""

from __future__ import annotations

import os
import re
import sqlite3
import threading
import time
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from sqlalchemy import delete, select, update

from tests.store.pretend import FLOW, Place, new_result, new_version, rows_in
from veer.errors import InputError, UsageError
from veer.execution.store import (
    SinkResult,
    Store,
    StoredResult,
    StoredVersion,
    database,
    leases as leases_module,
    tables,
)
from veer.execution.store.files import LocalFiles
from veer.execution.store.gc import collect
from veer.execution.stored import existing_store


@pytest.fixture
def store(place: Place) -> Iterator[Store]:
    with place.open() as opened:
        yield opened


def put(store: Store, key: str = "a", name: str = "report", **given: Any) -> StoredResult:
    """A result that is the only sink of a new version."""
    result = new_result(store, key, **given)
    store.record(
        new_version(name, [SinkResult("out", "computed", result.id, result.rows)]), [result]
    )
    found = store.result(result.id)
    assert found is not None
    return found


def the_file(store: Store, result: StoredResult) -> Path:
    return Path(store.files.path(result.id)) / result.files[0].name


def leases(store: Store) -> list[str]:
    with store.read() as db:
        return sorted(db.execute(select(tables.leases.c.result)).scalars())


def end_leases(store: Store) -> None:
    with store.write() as db:
        db.execute(update(tables.leases).values(expires=time.time() - 1))


# -- versions ------------------------------------------------------------------------------------


def test_versions_are_numbered_by_name(store: Store) -> None:
    for name in ("a", "b", "a", "a"):
        store.record(new_version(name), [])
    assert store.names() == ["a", "b"]
    assert [v.label for v in store.versions("a")] == ["a@1", "a@2", "a@3"]
    assert store.versions("c") == []
    latest, first = store.version("a"), store.version("a", 1)
    assert latest is not None
    assert first is not None
    assert (latest.number, first.number) == (3, 1)
    assert store.version("a", 4) is None
    assert store.version("c") is None


def test_a_version_comes_back_as_it_was(store: Store) -> None:
    result = new_result(store, "a")
    asked = StoredVersion(
        name="ünïcode",
        dataflow=FLOW,
        fingerprint="f",
        stable_ids=False,
        spec="main:report.yaml",
        sources={"t": "x", "u": {"y": 1}},
        environment={"spark": "4", "settings": {"a": "b"}},
        started=1_700_000_000.125,
        seconds=2.5,
        sinks=(
            SinkResult("one", "computed", result.id, result.rows, "why"),
            SinkResult("two", "not kept", "", None, "a source changed"),
        ),
        edits=({"kind": "add operator", "operator": "f"},),
        code={"f": "def f(): pass\n\0"},
    )
    recorded = store.record(asked, [result])
    assert recorded == replace(asked, number=1)
    assert store.version(asked.name) == recorded


def test_sinks_of_a_version_that_ran_again_are_renewed(store: Store) -> None:
    put(store, "a")
    again = new_result(store, "a")
    version = store.version("report")
    assert version is not None
    renewed = replace(version, sinks=(SinkResult("out", "computed", again.id, again.rows),))
    store.renew_sinks(renewed, [again])
    assert store.versions("report") == [renewed]


def test_a_version_is_recorded_with_all_its_results_or_not_at_all(store: Store) -> None:
    made = new_result(store, "a")
    sinks = [SinkResult("out", "computed", made.id), SinkResult("gone", "reused", "0" * 32)]
    with pytest.raises(InputError, match="'gone' was removed while"):
        store.record(new_version("report", sinks), [made])
    assert store.names() == []
    assert store.with_exact(["a"]) == []


def test_a_number_taken_meanwhile_is_not_given_twice(place: Place, store: Store) -> None:
    """Both ask for the last number before either records."""
    ready = threading.Barrier(4)
    errors: list[BaseException] = []

    def record() -> None:
        try:
            with place.open() as own:
                ready.wait(30)
                for _ in range(5):
                    own.record(new_version("report"), [])
        except BaseException as error:
            errors.append(error)

    threads = [threading.Thread(target=record) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert errors == []
    assert [v.number for v in store.versions("report")] == list(range(1, 21))


# -- results -------------------------------------------------------------------------------------


def test_results_are_found_by_key_and_by_look(store: Store) -> None:
    one = put(store, "a")
    two = put(store, "a")
    other = put(store, "b", signature="looks like a")
    assert [r.id for r in store.with_exact(["a"])] == [two.id, one.id]  # the newest first
    assert [r.id for r in store.with_exact(["a", "b"])] == [other.id, two.id, one.id]
    assert {r.id for r in store.with_signature("looks like a")} == {one.id, two.id, other.id}
    assert store.with_exact(["c"]) == store.with_signature("c") == store.with_exact([]) == []
    assert store.result(one.id) == one
    assert one.dataflow == FLOW


def test_a_result_nobody_registered_is_not_found(store: Store) -> None:
    written = new_result(store, "a")
    assert store.with_exact(["a"]) == []
    assert store.result(written.id) is None
    assert store.acquire(written) == "it was removed"


def test_a_whole_result_is_usable(store: Store) -> None:
    result = put(store)
    assert store.acquire(result) == ""
    assert store.files.damage(result.id, result.files, deep=True) == ""


def truncate(file: Path) -> None:
    file.write_bytes(file.read_bytes()[:-1])


def alter(file: Path) -> None:
    data = bytearray(file.read_bytes())
    data[len(data) // 2] ^= 1
    file.write_bytes(bytes(data))


def add(file: Path) -> None:
    file.with_name("part-9.parquet").write_bytes(b"")


def remove_all(file: Path) -> None:
    for each in file.parent.iterdir():
        each.unlink()
    file.parent.rmdir()


DAMAGE: dict[str, tuple[Callable[[Path], None], str]] = {
    "truncated": (truncate, "part-0.parquet has .* bytes, not"),
    "deleted": (Path.unlink, "part-0.parquet is missing"),
    "altered": (alter, "part-0.parquet has another content"),
    "one more file": (add, "part-9.parquet was added"),
    "no folder": (remove_all, "is missing"),
}


@pytest.mark.parametrize("what", DAMAGE)
def test_damage_is_noticed_and_never_read(store: Store, what: str) -> None:
    result = put(store)
    damage, said = DAMAGE[what]
    os.utime(the_file(store, result), ns=(1, 1))  # a copy bears another time, and is fine
    assert store.acquire(result) == ""
    damage(the_file(store, result))
    problem = store.acquire(result)
    assert re.search(said, problem)
    assert store.with_exact(["a"]) == []
    assert store.result(result.id) is None
    assert store.acquire(result) == "it was removed"
    assert leases(store) == []
    done = collect(store)
    assert done.removed == [result.id]
    assert store.files.folders() == []
    version = store.version("report")
    assert version is not None
    assert version.sinks == (
        SinkResult("out", "computed", "", result.rows, "its files were damaged"),
    )


def test_content_altered_behind_the_back_is_noticed_by_a_deep_look(store: Store) -> None:
    result = put(store)
    file = the_file(store, result)
    kept = file.stat()
    alter(file)
    os.utime(file, ns=(kept.st_atime_ns, kept.st_mtime_ns))
    assert store.files.damage(result.id, result.files) == ""
    assert store.files.damage(result.id, result.files, deep=True) == (
        "part-0.parquet has another content"
    )


def test_what_cannot_be_looked_at_now_is_not_damaged(
    store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A network file system that does not answer is no reason to forget a result."""
    result = put(store)

    def fail(*_: object) -> None:
        raise OSError(5, "Input/output error")

    with monkeypatch.context() as patched:
        patched.setattr(Path, "iterdir", fail)
        assert "cannot be read: Input/output error" in store.acquire(result)
    assert result.id not in leases(store)
    assert store.acquire(result) == ""


# -- leases --------------------------------------------------------------------------------------


def test_who_reads_or_writes_holds_a_lease(place: Place, store: Store) -> None:
    result = put(store, "a")
    assert leases(store) == [result.id]
    with place.open() as reader:
        assert reader.acquire(result) == ""
        assert reader.acquire(result) == ""
        assert leases(store) == [result.id, result.id]
        written = reader.new_result()
        assert sorted([result.id, result.id, written]) == leases(store)
        reader.release(written)
        reader.release(written)
        assert leases(store) == [result.id, result.id]
    assert leases(store) == [result.id]


def test_a_lease_that_was_not_given_is_not_believed_in(
    store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A transaction that fails after the lease was taken leaves no lease: the next look takes one."""
    result = put(store, "a")
    store.release(result.id)
    monkeypatch.setattr(leases_module, "LEASE", "no number")
    with pytest.raises((InputError, TypeError)):
        store.acquire(result)
    monkeypatch.undo()
    assert leases(store) == []
    assert store.acquire(result) == ""
    assert leases(store) == [result.id]


def test_a_lease_that_was_taken_away_is_taken_again(store: Store) -> None:
    """A machine that slept for an hour looks at a result once more."""
    result = put(store, "a")
    with store.write() as db:
        db.execute(delete(tables.leases))
    assert store.acquire(result) == ""
    assert leases(store) == [result.id]


def test_leases_are_renewed(store: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(leases_module, "RENEW", 0.01)
    store.new_result()
    end_leases(store)
    for _ in range(1000):
        with store.read() as db:
            if db.execute(select(tables.leases.c.expires)).scalar_one() > time.time():
                return
        time.sleep(0.01)
    raise AssertionError("the lease was not renewed")


def test_nobody_renews_for_a_store_that_is_closed(
    place: Place, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(leases_module, "RENEW", 0.01)
    store = place.open()
    store.new_result()
    renewing = store.leases._renewing
    store.close()
    assert renewing is not None
    renewing.join(30)
    assert not renewing.is_alive()


def test_clocks_that_differ_end_no_lease(place: Place, monkeypatch: pytest.MonkeyPatch) -> None:
    """The machines of a team have their own clocks; the database has one."""
    if not place.results:
        pytest.skip("a folder is on one machine")
    with place.open() as reader:
        now = time.time()
        with monkeypatch.context() as patched:
            patched.setattr(time, "time", lambda: now - 7200)
            result = put(reader, "a")
            new_result(reader, "b")
            put(reader, "c")  # the latest
        with place.open() as collector:
            done = collect(collector, max_bytes=0)
        assert (done.removed, done.orphans) == ([], [])
        assert rows_in(reader, result)


def test_a_result_written_for_too_long_is_not_registered(store: Store) -> None:
    """Its folder may have been deleted, and written to again since."""
    written = new_result(store, "a")
    end_leases(store)
    assert collect(store).orphans == [written.id]
    with pytest.raises(InputError, match="run again"):
        store.record(new_version("report"), [written])
    assert store.names() == []


def test_a_lease_that_ended_counts_if_nobody_noticed(store: Store) -> None:
    written = new_result(store, "a")
    end_leases(store)
    store.record(new_version("report", [SinkResult("out", "computed", written.id)]), [written])
    assert collect(store, max_bytes=0).orphans == []
    assert store.acquire(written) == ""


# -- collecting ----------------------------------------------------------------------------------


def test_what_is_held_or_latest_stays(place: Place) -> None:
    with place.open() as store:
        old, held, latest = (put(store, key) for key in "abc")
    with place.open() as store, place.open() as reader:
        assert reader.acquire(held) == ""
        expected = [old.id]
        assert collect(store, max_bytes=0, dry=True).removed == expected
        assert store.result(old.id) is not None
        done = collect(store, max_bytes=0)
        assert done.removed == expected
        assert (done.kept, done.bytes) == (2, old.bytes)
        assert rows_in(reader, held)
        assert set(store.files.folders()) == {held.id, latest.id}
    with place.open() as store:
        assert collect(store, max_age=0).removed == [held.id]
        sinks = [v.sinks[0] for v in store.versions("report")]
        assert [s.result for s in sinks] == ["", "", latest.id]
        assert sinks[0].note == "its result was removed to make room"
        with pytest.raises(InputError, match="was removed while"):
            store.record(new_version("report", [SinkResult("out", "reused", held.id)]), [])


def test_what_was_used_since_it_was_weighed_stays(
    place: Place, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A run that begins and ends while `gc` works may make an old result that of the latest version."""
    with place.open() as store:
        old = put(store, "a")
        put(store, "b")
    from veer.execution.store import gc

    weighed = gc._items

    def meanwhile(store: Store) -> list[gc.Item]:
        found = weighed(store)
        with place.open() as other:
            assert other.acquire(old) == ""
            other.record(new_version("report", [SinkResult("out", "reused", old.id)]), [])
        return found

    monkeypatch.setattr(gc, "_items", meanwhile)
    with place.open() as store:
        assert collect(store, max_bytes=0).removed == []
        assert store.acquire(old) == ""


def test_a_collection_that_died_is_finished_by_the_next(
    place: Place, monkeypatch: pytest.MonkeyPatch
) -> None:
    with place.open() as store:
        old = put(store, "a")
        put(store, "b")
    with place.open() as store:
        with monkeypatch.context() as patched:
            patched.setattr(
                LocalFiles, "remove", lambda *_: (_ for _ in ()).throw(KeyboardInterrupt)
            )
            with pytest.raises(KeyboardInterrupt):
                collect(store, max_bytes=0)
        assert store.result(old.id) is None  # marked, so nobody reads what may be half deleted
        assert store.acquire(old) == "it was removed"
        assert collect(store).removed == [old.id]
        assert old.id not in store.files.folders()


def test_only_folders_of_results_are_deleted(place: Place, tmp_path: Path) -> None:
    """`--results` may be a folder in which other things are: those of the user, another store's."""
    shared = tmp_path / "shared"
    (shared / "photographs").mkdir(parents=True)
    (shared / "0123456789abcdef0123456789abcdef").mkdir()
    with Store(str(tmp_path / "other"), results=str(shared)) as other:
        kept = put(other, "a")
    asked = replace(place, results=str(shared))
    with asked.open() as store:
        Path(store.files.root, "photographs").mkdir()
        new_result(store, "a")
        end_leases(store)
        assert len(collect(store).orphans) == 1
        assert os.listdir(store.files.root) == ["photographs"]
    with Store(str(tmp_path / "other")) as other:
        assert other.acquire(kept) == ""
    assert {"photographs", "0123456789abcdef0123456789abcdef"} < set(os.listdir(shared))


def test_what_cannot_be_deleted_is_told_and_tried_again(
    store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    written = new_result(store, "a")
    end_leases(store)
    with monkeypatch.context() as patched:
        patched.setattr("veer.execution.store.files.shutil.rmtree", lambda *_, **__: None)
        assert collect(store).problems == [f"{store.files.path(written.id)} cannot be deleted"]
    assert collect(store).problems == []
    assert store.files.folders() == []


# -- what is remembered --------------------------------------------------------------------------


def test_what_was_found_out_is_remembered(place: Place) -> None:
    wide = "table " + ", ".join(f"a long name of column {os.urandom(8).hex()}" for _ in range(400))
    with place.open() as store:
        assert store.verdict("p", "q", "1") is None
        store.remember_verdict("p", "q", "1", "equivalent", "because")
        store.remember_verdict("p", "q", "1", "unknown", "too late")
        assert store.pool(wide) is store.pool("t") is None
        assert store.add_pool(wide, [[1, None, "ü"]]) == [[1, None, "ü"]]
        assert store.add_pool(wide, []) == [[1, None, "ü"]]
        assert store.constraint("s", wide) is None
        store.remember_constraint("s", wide, False)
        store.remember_constraint("s", "key", True)
    with place.open() as store:
        assert store.verdict("p", "q", "1") == ("equivalent", "because")
        assert store.verdict("q", "p", "1") is store.verdict("p", "q", "2") is None
        assert store.pool(wide) == [[1, None, "ü"]]
        assert store.constraint("s", wide) is False
        assert store.constraint("s", "key") is True
        assert store.constraint("s", wide + "x") is None


# -- places --------------------------------------------------------------------------------------


def test_a_store_of_another_format_is_refused(place: Place) -> None:
    with place.open() as store, store.write() as db:
        db.execute(update(tables.about).where(tables.about.c.key == "format").values(value="99"))
    with pytest.raises(InputError, match="a store of format 99, expected 1"):
        place.open()


def test_results_stay_where_they_are(place: Place, tmp_path: Path) -> None:
    with place.open() as store:
        result = put(store)
    with pytest.raises(UsageError, match="its results are in"):
        Store(place.store, results=str(tmp_path / "elsewhere"))
    with Store(place.store) as store:
        assert store.acquire(result) == ""


def test_results_are_found_from_another_directory(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("here", "there"):
        (tmp_path / name).mkdir()
    monkeypatch.chdir(tmp_path / "here")
    with Store(str(tmp_path / "store"), results="mine") as store:
        result = put(store)
    monkeypatch.chdir(tmp_path / "there")
    with Store(str(tmp_path / "store")) as store:
        assert store.acquire(result) == ""
    assert os.listdir() == []


def test_results_that_are_not_mounted_are_not_lost(place: Place, tmp_path: Path) -> None:
    asked = replace(place, results=str(tmp_path / "mount"))
    with asked.open() as store:
        result = put(store)
    (tmp_path / "mount").rename(tmp_path / "aside")
    with pytest.raises(InputError, match="are missing; is the folder mounted"):
        asked.open()
    (tmp_path / "aside").rename(tmp_path / "mount")
    with asked.open() as store:
        assert store.acquire(result) == ""


def test_versions_are_listed_without_their_results(place: Place, tmp_path: Path) -> None:
    asked = replace(place, results=str(tmp_path / "mount"))
    with asked.open() as store:
        put(store)
    (tmp_path / "mount").rename(tmp_path / "aside")
    with existing_store(place.store) as store:
        assert store.names() == ["report"]


@pytest.mark.parametrize("name", ["what?", "a b", "50%41", "[x]", "#", "ü"])
def test_a_folder_may_have_any_name(tmp_path: Path, name: str) -> None:
    with Store(str(tmp_path / name)) as store:
        put(store)
    assert sorted(os.listdir(tmp_path)) == [name]
    assert "veer.db" in os.listdir(tmp_path / name)


@pytest.mark.parametrize(
    ("place", "kind", "said"),
    [
        ("mysql://somebody@host/x", UsageError, "a folder or a PostgreSQL database"),
        ("sqlite:///x.db", UsageError, "a folder or a PostgreSQL database"),
        ("postgresql://host:port/x", UsageError, "neither a folder nor postgresql"),
        ("postgresql://u:secret@127.0.0.1:1/x", InputError, "cannot open the store: .*refused"),
    ],
)
def test_a_wrong_url_is_told(place: str, kind: type[Exception], said: str) -> None:
    pytest.importorskip("psycopg")
    with pytest.raises(kind, match=said) as told:
        Store(place, results="/nowhere")
    assert "secret" not in str(told.value)


def test_a_database_that_is_not_there_is_told(postgres: Callable[[], str]) -> None:
    url = postgres()
    with pytest.raises(InputError, match='database "none" does not exist'):
        Store(_with_database(url, "none"), results="/nowhere")
    with pytest.raises(UsageError, match="give the place of the results: --results PATH"):
        Store(url)
    with pytest.raises(InputError, match="there is no store"):
        existing_store(postgres())


def _with_database(url: str, name: str) -> str:
    server, _, options = url.partition("?")
    return f"{server.rpartition('/')[0]}/{name}?{options}"


def test_a_password_is_never_shown(postgres: Callable[[], str], tmp_path: Path) -> None:
    url = postgres().replace("veer@", "veer:secret@")
    with Store(url, results=str(tmp_path)) as store:
        assert "secret" not in store.location
        assert "veer:***@" in store.location


def test_a_place_that_cannot_be_written_to_is_told(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    with pytest.raises(InputError, match="file/store: cannot open the store: Not a directory"):
        Store(str(tmp_path / "file" / "store"))
    with pytest.raises(InputError, match="file: cannot open the store: File exists"):
        Store(str(tmp_path / "file"))
    with pytest.raises(InputError, match="results cannot be stored there: Not a directory"):
        Store(str(tmp_path / "store"), results=str(tmp_path / "file"))
    with pytest.raises(InputError, match="results cannot be stored"):
        Store(str(tmp_path / "store"), results="/proc/veer")
    with Store(str(tmp_path / "store")) as store:  # what failed left nothing that is in the way
        put(store)


def test_a_database_that_is_none_is_told(tmp_path: Path) -> None:
    (tmp_path / "veer.db").write_text("not a database, but a text that is long enough for a header")
    with pytest.raises(InputError, match="cannot open the store: file is not a database"):
        Store(str(tmp_path))


def test_a_database_that_others_keep_locked_is_told(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(database, "WAIT", 0.05)
    with Store(str(tmp_path)) as store:
        other = sqlite3.connect(tmp_path / "veer.db", isolation_level=None)
        other.execute("BEGIN IMMEDIATE")
        with pytest.raises(InputError, match=r": database is locked"):
            store.new_result()
        assert store.names() == []  # reading goes on
        other.execute("ROLLBACK")
        other.close()
        put(store)


def test_a_store_that_cannot_be_reached_any_more_is_closed_quietly(tmp_path: Path) -> None:
    """What went wrong before is what the user is told."""
    with pytest.raises(ZeroDivisionError), Store(str(tmp_path)) as store:
        store.new_result()
        with store.write() as db:
            db.exec_driver_sql("DROP TABLE veer_leases")
        raise ZeroDivisionError
