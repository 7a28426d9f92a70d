"""Disks that are full or cannot be written to, sources that are not there: told, and nothing harmed."""

from __future__ import annotations

import os
import subprocess
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from tests import command
from tests.store import pretend
from tests.store.pretend import new_result, new_version
from veer.errors import InputError
from veer.execution.store import SinkResult, Store
from veer.execution.store.files import LocalFiles
from veer.execution.store.gc import collect

if TYPE_CHECKING:
    from pyspark.sql import SparkSession


def mount(*words: str) -> None:
    done = subprocess.run(["mount", *words], capture_output=True, text=True, check=False)
    if done.returncode:
        pytest.skip(f"nothing can be mounted: {done.stderr.strip()}")


@pytest.fixture
def disk(tmp_path: Path) -> Iterator[Path]:
    """A file system of two megabytes."""
    if os.geteuid() != 0:
        pytest.skip("only root mounts")
    at = tmp_path / "disk"
    at.mkdir()
    mount("-t", "tmpfs", "-o", "size=2m", "tmpfs", str(at))
    yield at
    subprocess.run(["umount", "-l", str(at)], check=True)


def fill(disk: Path) -> Path:
    """Leave no room."""
    filler = disk / "filler"
    with filler.open("wb", buffering=0) as opened:
        for size in (65_536, 4_096, 1):
            try:
                while True:
                    opened.write(b"x" * size)
            except OSError:
                continue
    return filler


def record(store: Store, key: str) -> None:
    made = new_result(store, key)
    sinks = [SinkResult("out", "computed", made.id, made.rows, made.exact)]
    store.record(new_version("report", sinks), [made])


# -- full ----------------------------------------------------------------------------------------


def test_a_full_disk_is_told_and_harms_nothing(disk: Path) -> None:
    place = disk / "store"
    with Store(str(place)) as store:
        record(store, "a")
        made = new_result(store, "b")
        sinks = [SinkResult("out", "computed", made.id, made.rows, made.exact)]
        filler = fill(disk)
        with pytest.raises(InputError, match=f"{place}: database or disk is full") as told:
            for _ in range(1000):  # a page that is there has room for some
                store.new_result()
        assert told.value.exit_status == 65
        with pytest.raises(InputError, match="is full"):
            store.record(new_version("report", sinks), [made])
        assert pretend.check(store) == 1  # what is there is read
        filler.unlink()
        store.record(new_version("report", sinks), [made])
    with Store(str(place)) as store:
        assert pretend.check(store) == 2


def test_no_store_is_made_on_a_full_disk(disk: Path) -> None:
    filler = fill(disk)
    with pytest.raises(InputError, match=r"store: cannot open the store: .*(full|I/O error)"):
        Store(str(disk / "store"))
    filler.unlink()
    with Store(str(disk / "store")) as store:
        record(store, "a")
        assert pretend.check(store) == 1


def test_room_is_made_on_a_full_disk(disk: Path, tmp_path: Path) -> None:
    with Store(str(tmp_path / "store"), results=str(disk)) as store:
        for key in "abc":
            record(store, key)
        left = store.new_result()
        with pytest.raises(OSError, match="No space left"):
            fill(disk)
            pretend.write_rows(store.files.path(left), "d")
    with Store(str(tmp_path / "store")) as store:
        done = collect(store, max_bytes=0)
        assert (len(done.removed), done.problems) == (2, [])
        assert pretend.check(store) == 3


# -- not to be written to ------------------------------------------------------------------------


def test_a_disk_that_became_read_only_is_told(disk: Path) -> None:
    with Store(str(disk / "store")) as store:
        record(store, "a")
    mount("-o", "remount,ro", str(disk))
    with pytest.raises(InputError, match=f"{disk}/store: cannot open the store: .*"):
        Store(str(disk / "store"))
    with pytest.raises(InputError, match="results cannot be written there"):
        LocalFiles(str(disk / "store" / "results"))
    mount("-o", "remount,rw", str(disk))
    with Store(str(disk / "store")) as store:
        assert pretend.check(store) == 1


# -- commands ------------------------------------------------------------------------------------

FLOW = """
veer: 1
name: small
operators:
  t: {type: source, table: t, format: csv, location: t.csv, options: {header: true}, columns: {v: int}}
  g: {type: aggregate, by: [v], calls: {n: count(1)}}
  out: {type: sink, name: out}
links: [[t, g], [g, out]]
"""


def veer(folder: Path, *words: str) -> tuple[int, str]:
    """The status of a command and what it complains of."""
    done = command.veer(*words, cwd=folder)
    return done.returncode, done.stderr.strip()


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "flow.yaml").write_text(FLOW)
    (tmp_path / "t.csv").write_text("v\n1\n")
    (tmp_path / "file").write_text("")
    return tmp_path


def test_a_source_that_is_not_there_is_named(folder: Path) -> None:
    (folder / "t.csv").unlink()
    status, said = veer(folder, "run", "flow.yaml")
    assert status == 65
    assert said == f"veer: {folder / 't.csv'}: no such file or directory"
    with Store(str(folder / ".veer")) as store:
        assert pretend.check(store) == 0
        assert collect(store).orphans == []


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (
            ("run", "flow.yaml", "--store", "file/x"),
            "file/x: cannot open the store: Not a directory",
        ),
        (
            ("run", "flow.yaml", "--results", "file"),
            "results cannot be stored there: Not a directory",
        ),
        (("run", "flow.yaml", "--data", "nowhere"), "--data nowhere: no such directory"),
        (("log", "--store", "nowhere"), "nowhere: there is no store; `veer run` makes one"),
        (("gc", "--store", "nowhere"), "nowhere: there is no store; `veer run` makes one"),
    ],
    ids=lambda value: " ".join(value) if isinstance(value, tuple) else "",
)
def test_a_place_that_is_none_is_named(folder: Path, words: tuple[str, ...], said: str) -> None:
    status, complaint = veer(folder, *words)
    assert status == 65
    assert complaint.startswith("veer: ")
    assert complaint.endswith(said)


@pytest.mark.spark
def test_spark_on_a_full_disk_is_told_and_harms_nothing(
    spark: SparkSession, disk: Path, folder: Path
) -> None:
    from veer.execution.session import Session
    from veer.execution.start import RunOptions, start

    def run(rows: int) -> int:
        lines = "".join(f"{n}\n" for n in range(rows))
        (folder / "t.csv").write_text(f"v\n{lines}")
        options = RunOptions(store=str(folder / "store"), results=str(disk), data=str(folder))
        with start(str(folder / "flow.yaml"), options, Session(given=spark)) as started:
            (sink,) = started.running.run().sinks
        assert sink.rows is not None
        return sink.rows

    assert run(10) == 10
    with pytest.raises(InputError, match=r"'out' could not be computed: .*No space left") as told:
        run(1_000_000)
    assert told.value.exit_status == 65
    with Store(str(folder / "store")) as store:
        (version,) = store.versions("flow")
        assert store.files.folders() == [version.sinks[0].result]  # what was written is gone
        found = store.result(version.sinks[0].result)
        assert found is not None
        assert store.acquire(found) == ""
    # Spark may keep open for a while what it failed to write: room comes from elsewhere.
    mount("-o", "remount,size=50m", str(disk))
    assert run(20) == 20
