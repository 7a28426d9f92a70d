"""Only what is known to be a function of its arguments is taken for one."""

from __future__ import annotations

import inspect
import os
import subprocess
import sys
from collections.abc import Callable, Iterator
from typing import Any

import pytest

from tests.read import impure_functions, pure_functions, shared_state
from veer.functions.registry import Kind
from veer.ir.types import DataType, parse_type
from veer.read.python.identity import identify
from veer.read.python.purity import Arguments, argument, kind_of
from veer.read.python.purity.shared_state import nothing_runs
from veer.read.python.purity.traits import DATA, NUMBER, TABLES


@pytest.fixture(scope="module", autouse=True)
def looked_at_once() -> Iterator[None]:
    """What functions change is looked for once: none of them is called here."""
    with nothing_runs():
        yield


RUN = """
import sys
from tests.read import impure_functions
for name in sys.argv[1:]:
    print(name, repr(impure_functions.FUNCTIONS[name](5)).replace("\\n", " "))
"""
# Called twice in one process they give two results.
STATEFUL = [
    "set_symmetric",
    "list_extend",
    "list_iadd",
    "list_insort",
    "nested_get",
    "nested_copy",
    "nested_max",
    "nested_zip",
    "nested_object",
    "dict_count",
    "array_cumsum_by_place",
    "array_dot_by_place",
    "array_set",
    "memo_list",
    "class_numbered",
    "class_list_of_a_new_one",
    "held_step",
    "held_call",
    "held_property",
    "held_length",
    "generator_next",
    "count_next",
    "cached_changed",
    "counted",
    "kept",
    "bumped",
    "defaulted",
    "wrapped",
    "held_bound",
    "held_partial",
]
# In two processes with other seeds of hashes they give two results, now or then.
SEEDED = [
    "address_object",
    "address_instance",
    "address_listed",
    "address_template_method",
    "address_function",
    "address_error",
    "address_digest",
    "address_digest_json",
    "address_digest_caught",
    "address_factory",
    "address_accessor",
    "address_grouped",
    "address_located",
    "hash_text",
    "hash_method",
    "order_joined",
    "order_held",
    "order_list",
    "order_first",
    "order_dict",
    "order_fromkeys",
    "order_keys",
    "order_union",
    "order_key",
    "order_extended",
    "order_unpacked",
    "order_generator",
    "order_counter",
    "order_reduced",
    "order_named",
    "order_object",
    "order_islice",
    "order_yielded",
    "order_error",
    "order_used_in_part",
    "order_used_by_any",
    "order_used_by_all",
    "order_used_in_a_list",
    "order_failing",
    "order_failing_first",
]


def arguments_of(function: Callable[..., Any]) -> Arguments:
    """A number for each parameter that has no default."""
    try:
        parameters = inspect.signature(function).parameters.values()
    except ValueError:
        return [("", NUMBER)]
    return [("", NUMBER) for p in parameters if p.default is p.empty]


@pytest.mark.parametrize("name", pure_functions.FUNCTIONS)
def test_ordinary_functions_are_pure(name: str) -> None:
    function = pure_functions.FUNCTIONS[name]
    found = identify(function, arguments_of(function))
    assert (found.kind, found.certain) == (Kind.PURE, True)


@pytest.mark.parametrize("name", pure_functions.NOT_FOLLOWED)
def test_what_is_not_followed_is_not_known(name: str) -> None:
    assert kind_of(pure_functions.NOT_FOLLOWED[name], [("", NUMBER)]) is Kind.PARTITION


@pytest.mark.parametrize("name", impure_functions.CHOICES)
def test_what_depends_on_more_than_its_arguments_is_not_pure(name: str) -> None:
    assert kind_of(impure_functions.CHOICES[name], [("", NUMBER)]) is not Kind.PURE


@pytest.mark.parametrize("name", impure_functions.STATE)
def test_what_keeps_state_is_never_the_same_choice(name: str) -> None:
    given: Arguments = DATA if name.startswith("argument_") else [("", NUMBER)]
    found = identify(impure_functions.STATE[name], given)
    assert found.kind is Kind.PARTITION or (found.kind is Kind.CHOICE and not found.certain)


@pytest.mark.parametrize("name", shared_state.STATES)
def test_what_another_function_changes_is_state(name: str) -> None:
    assert kind_of(shared_state.STATES[name], [("", NUMBER)]) is Kind.PARTITION


@pytest.mark.parametrize("name", shared_state.PURE)
def test_what_nothing_changes_is_read_freely(name: str) -> None:
    assert kind_of(shared_state.PURE[name], [("", NUMBER)]) is Kind.PURE


def test_states_show_when_run_twice() -> None:
    for name in STATEFUL:
        function = impure_functions.FUNCTIONS[name]
        assert function(5) != function(5), name


def test_hashes_and_addresses_show_between_processes() -> None:
    shown: dict[str, set[str]] = {name: set() for name in SEEDED}
    for seed in range(6):
        env = {**os.environ, "PYTHONHASHSEED": str(seed), "PYTHONPATH": os.pathsep.join(sys.path)}
        done = subprocess.run(
            [sys.executable, "-c", RUN, *SEEDED],
            capture_output=True, text=True, check=True, timeout=120, env=env,
        )  # fmt: skip
        for line in done.stdout.splitlines():
            name, _, text = line.partition(" ")
            shown[name].add(text)
    assert [name for name, texts in shown.items() if len(texts) < 2] == []


# -- arguments ----------------------------------------------------------------------------------


def given(*types: str) -> list[tuple[str, Any]]:
    return [("", argument(parse_type(t))) for t in types]


def counted_up(x: Any) -> Any:
    x += 1
    return x


def deduplicated(items: Any) -> Any:
    return sorted(set(items))


def by_field(row: Any) -> Any:
    return row.price * row.lines[0].amount if row.name else row["other"]


def keys_joined(table: Any) -> Any:
    return ",".join(sorted(table.keys())) + ",".join(f"{k}={v}" for k, v in table.items())


def grouped(items: Any) -> Any:
    found: dict[str, list[str]] = {}
    for item in items:
        found.setdefault(item[0], []).append(item)
    return found


@pytest.mark.parametrize(
    ("function", "types", "kind"),
    [
        (counted_up, ["bigint"], Kind.PURE),
        (counted_up, ["array<int>"], Kind.PARTITION),  # `+=` changes the list another one sees
        (deduplicated, ["array<string>"], Kind.PURE),
        (deduplicated, ["array<double>"], Kind.CHOICE),  # where NaN is, nothing is sorted
        (by_field, ["struct<price:double,name:string,lines:array<struct<amount:int>>>"], Kind.PURE),
        (keys_joined, ["map<string,int>"], Kind.PURE),
        (grouped, ["array<string>"], Kind.PURE),
        (impure_functions.argument_sort, ["array<int>"], Kind.PARTITION),
        (impure_functions.argument_nested, ["array<map<string,int>>"], Kind.PARTITION),
    ],
)
def test_types_of_arguments_matter(function: Any, types: list[str], kind: Kind) -> None:
    assert kind_of(function, given(*types)) is kind


def test_types_not_known_may_be_anything() -> None:
    assert argument(DataType()) == DATA


# -- tables -------------------------------------------------------------------------------------


def centred(table: Any) -> Any:
    return table.assign(v=(table.v - table.v.mean()).round(2), s=table["s"].str.upper())


def applied(table: Any) -> Any:
    table = table.sort_values("t").reset_index(drop=True)
    return table[table["v"].apply(lambda v: v > 3)]


def sampled(table: Any) -> Any:
    return table.sample(2)


def sampled_by_name(table: Any) -> Any:
    return table.agg("sample")


def recent(table: Any) -> Any:
    return table[table.t < "now"]


def of_the_day(table: Any) -> Any:
    return table.s.astype("datetime64[ns]")


def chance(table: Any) -> Any:
    import numpy as np

    return table.assign(r=np.random.rand(len(table)))


@pytest.mark.parametrize("function", [centred, applied])
def test_plain_work_on_tables_is_pure(function: Any) -> None:
    assert kind_of(function, TABLES) is Kind.PURE


@pytest.mark.parametrize("function", [sampled, sampled_by_name, recent, of_the_day, chance])
def test_clocks_and_chance_in_tables_are_choices(function: Any) -> None:
    assert kind_of(function, TABLES) is Kind.CHOICE


# -- no source ----------------------------------------------------------------------------------


def test_what_has_no_source_is_not_known() -> None:
    space: dict[str, Any] = {}
    exec("def f(x):\n    return x + 1", space)
    assert kind_of(space["f"]) is Kind.PARTITION
