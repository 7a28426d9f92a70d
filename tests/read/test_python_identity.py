"""Functions are the same if their code and everything it reads are."""

from __future__ import annotations

import json
import subprocess
import sys
import textwrap
from pathlib import Path
from typing import Any

import pytest

from tests.read import computed_constants
from veer.functions.registry import Kind
from veer.read.python.identity import identify
from veer.read.python.purity.traits import NUMBER

PROGRAM = """
import json, sys
sys.path.insert(0, sys.argv[1])
from veer.read.python.identity import identify
from veer.read.python.purity.traits import NUMBER
import jobs.report as report
found = identify(getattr(report, sys.argv[2]))
print(json.dumps([found.digest, found.kind.value, found.certain]))
"""
REPORT = """
    from jobs import helpers
    from jobs.helpers import half

    LIMIT = 3
    TABLE = {"a": 1, "b": [2, 3]}

    def near(x, k=1):
        y = half(x) + k
        return y if y < LIMIT else TABLE["a"]

    def through_a_module(x):
        return helpers.half(x)
"""
HELPERS = """
    from jobs.deep import quarter

    def half(x):
        return quarter(x) * 2
"""
DEEP = """
    def quarter(x):
        return x / 4
"""


def identity(root: Path, function: str = "near", **texts: str) -> list[Any]:
    """The identity of a function of a small project, as another process sees it."""
    package = root / "jobs"
    package.mkdir(parents=True, exist_ok=True)
    files = {"__init__": "", "report": REPORT, "helpers": HELPERS, "deep": DEEP, **texts}
    for name, text in files.items():
        (package / f"{name}.py").write_text(textwrap.dedent(text), encoding="utf-8")
    done = subprocess.run(
        [sys.executable, "-B", "-c", PROGRAM, str(root), function],
        capture_output=True, text=True, check=True, timeout=60,
    )  # fmt: skip
    found: list[Any] = json.loads(done.stdout)
    return found


@pytest.fixture(scope="module")
def known(tmp_path_factory: pytest.TempPathFactory) -> list[Any]:
    return identity(tmp_path_factory.mktemp("known"))


def test_two_loads_of_one_file_agree(tmp_path: Path, known: list[Any]) -> None:
    assert known[1:] == ["pure", True]
    assert identity(tmp_path / "elsewhere") == known


@pytest.mark.parametrize(
    "text",
    [
        "# moved down\n\n" + textwrap.dedent(REPORT),
        REPORT.replace("y = half(x) + k", "y = half(x) + k  # a comment"),
        REPORT.replace("def near(x, k=1):\n", 'def near(x, k=1):\n        """Said."""\n'),
        REPORT.replace("y = ", "other = ").replace("return y if y", "return other if other"),
        REPORT.replace("LIMIT = 3", "LIMIT = 2 + 1"),
    ],
    ids=["moved", "comment", "docstring", "local", "constant"],
)
def test_what_changes_nothing_is_not_noticed(tmp_path: Path, known: list[Any], text: str) -> None:
    assert identity(tmp_path, report=text) == known


@pytest.mark.parametrize(
    "texts",
    [
        {"deep": DEEP.replace("4", "5")},
        {"helpers": HELPERS.replace("* 2", "* 2.0")},
        {"report": REPORT.replace("LIMIT = 3", "LIMIT = 4")},
        {"report": REPORT.replace("k=1", "k=True")},
        {"report": REPORT.replace("[2, 3]", "[3, 2]")},
        {"report": REPORT.replace("y < LIMIT", "y <= LIMIT")},
        {"report": REPORT.replace("near(x, k=1)", "near(k, x=1)")},
    ],
    ids=["two modules away", "helper", "global", "default", "inside a dict", "code", "parameters"],
)
def test_what_matters_is_noticed(tmp_path: Path, known: list[Any], texts: dict[str, str]) -> None:
    assert identity(tmp_path, **texts)[0] != known[0]


def test_a_helper_reached_through_its_module_is_followed(tmp_path: Path) -> None:
    first = identity(tmp_path / "a", "through_a_module")
    assert first[2] and identity(tmp_path / "b", "through_a_module") == first
    changed = identity(tmp_path / "c", "through_a_module", deep=DEEP.replace("4", "5"))
    assert changed[0] != first[0]


def test_what_cannot_be_told_equals_nothing() -> None:
    lock = __import__("threading").Lock()

    def locked(x: Any) -> Any:
        return (lock, x)

    assert identify(locked).digest != identify(locked).digest
    assert not identify(locked).certain


def test_closures_are_compared_by_value() -> None:
    def made(limit: Any) -> Any:
        return lambda x: x > limit

    assert identify(made(1)) == identify(made(1))
    assert len({identify(made(v)).digest for v in (1, 1.0, True, "1", (1,), [1], None)}) == 7


def test_methods_know_their_object() -> None:
    class Scaler:
        def __init__(self, factor: int) -> None:
            self.factor = factor

        def apply(self, x: int) -> int:
            return x * self.factor

    assert identify(Scaler(2).apply).digest == identify(Scaler(2).apply).digest
    assert identify(Scaler(2).apply).digest != identify(Scaler(3).apply).digest


def test_what_reads_more_than_its_arguments_is_a_choice() -> None:
    import datetime
    import random

    assert identify(lambda x: x + random.random()).kind is Kind.CHOICE
    assert identify(lambda x: datetime.datetime.now() > x).kind is Kind.CHOICE
    assert identify(lambda x: input(x), [("", NUMBER)]).kind is Kind.CHOICE
    assert identify(lambda x: round(x, 2)).kind is Kind.PURE

    def drawn(x: Any) -> Any:
        from numpy.random import standard_normal

        return x + standard_normal()

    def looked_up(x: Any) -> Any:
        import pandas as pd  # type: ignore[import-untyped]

        return pd.read_csv(x)

    pytest.importorskip("numpy.random")
    pytest.importorskip("pandas")
    assert identify(drawn).kind is Kind.CHOICE
    assert identify(looked_up, [("", NUMBER)]).kind is Kind.CHOICE


SEEN: set[Any] = set()
ALLOWED: set[Any] = set()
COUNTS: list[int] = []


class Counter:
    n = 0


def counting(x: Any) -> Any:
    Counter.n += 1
    return Counter.n


def marking(x: Any) -> Any:
    marking.n = 1  # type: ignore[attr-defined]
    return x


def growing(x: Any, seen: Any = ()) -> Any:
    COUNTS[0] += x
    return seen


def partitioned(x: Any) -> Any:
    from pyspark import TaskContext

    return TaskContext.get()


@pytest.mark.parametrize("function", [counting, marking, growing, partitioned])
def test_state_is_noticed_wherever_it_is(function: Any) -> None:
    found = identify(function)
    assert found.kind is Kind.PARTITION or not found.certain


def test_what_keeps_state_depends_on_the_partition() -> None:
    def first(x: Any) -> bool:
        new = x not in SEEN
        SEEN.add(x)
        return new

    assert identify(first).kind is Kind.PARTITION
    assert identify(lambda x: x in SEEN).kind is Kind.PARTITION  # `first` adds to it
    assert identify(lambda x: x in ALLOWED).kind is Kind.PURE


def same(one: Any, two: Any) -> bool:
    """Whether two functions are certainly the same."""
    a, b = identify(one), identify(two)
    return a.certain and b.certain and a.digest == b.digest


def test_names_of_arguments_are_part_of_a_call() -> None:
    import datetime

    assert not same(lambda x: datetime.timedelta(days=x), lambda x: datetime.timedelta(hours=x))
    assert not same(lambda x: dict(a=x, b=1), lambda x: dict(b=x, a=1))  # noqa: C408
    assert same(lambda x: dict(a=x), lambda x: dict(a=x))  # noqa: C408


def test_what_an_object_holds_as_a_builtin_is_not_overlooked() -> None:
    class Rates(dict):  # type: ignore[type-arg]
        pass

    class Named(str):
        pass

    def made(value: Any) -> Any:
        return lambda x: value[x]

    for one, two in ((Rates(a=1), Rates(a=2)), (Named("a"), Named("b"))):
        assert not same(made(one), made(two))


def test_slots_are_read_under_their_real_names() -> None:
    class Hidden:
        __slots__ = ("__k",)

        def __init__(self, k: int) -> None:
            self.__k = k

        def get(self, x: int) -> int:
            return x + self.__k

    assert not same(Hidden(1).get, Hidden(2).get)


def test_caches_and_introspection_equal_nothing() -> None:
    import functools

    cached = functools.lru_cache(None)(lambda x: str(x))
    assert not identify(lambda x: cached(x)).certain
    assert not identify(lambda f: f.__name__).certain
    assert not identify(lambda x: getattr(x, "now")()).certain  # noqa: B009
    assert not identify(lambda x: __import__(x)).certain


def test_classes_made_while_running_equal_nothing() -> None:
    import dataclasses

    one, two = (dataclasses.make_dataclass("P", [("a", int, n)]) for n in (1, 2))
    assert not same(lambda x: one(), lambda x: two())


def test_a_constant_changed_from_outside_is_not_what_workers_see(tmp_path: Path) -> None:
    text = PROGRAM.replace("found =", "report.LIMIT = 5; found =")
    package = tmp_path / "jobs"
    package.mkdir()
    for name, body in {"__init__": "", "report": REPORT, "helpers": HELPERS, "deep": DEEP}.items():
        (package / f"{name}.py").write_text(textwrap.dedent(body), encoding="utf-8")
    done = subprocess.run(
        [sys.executable, "-B", "-c", text, str(tmp_path), "near"],
        capture_output=True, text=True, check=True, timeout=60,
    )  # fmt: skip
    assert json.loads(done.stdout)[2] is False


def test_dataclasses_are_their_fields() -> None:
    import dataclasses

    def made(default: int, order: bool = False, shown: bool = True) -> Any:
        @dataclasses.dataclass(order=order)  # type: ignore[literal-required]
        class Point:
            x: int
            y: int = dataclasses.field(default=default, repr=shown)

        return lambda x: str(Point(x))

    assert same(made(1), made(1))
    assert not same(made(1), made(2))
    assert not same(made(1), made(1, order=True))
    assert not same(made(1), made(1, shown=False))


@pytest.mark.parametrize("function", computed_constants.COMPUTED_ANEW, ids=lambda f: f.__name__)
def test_a_constant_another_process_computes_anew_is_a_choice(function: Any) -> None:
    assert identify(function).kind is not Kind.PURE


@pytest.mark.parametrize("function", computed_constants.ALIKE, ids=lambda f: f.__name__)
def test_a_constant_every_process_computes_alike_is_none(function: Any) -> None:
    found = identify(function)
    assert found.kind is Kind.PURE and found.certain
