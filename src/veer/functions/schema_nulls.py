"""What Spark's schemas say of the results of functions: a column is called nullable, or not.

That is a rule of Spark's analyzer, not a fact: `i % 2` of a column that is never null is "nullable"
in a schema, though it never is. A function that is not listed is one whose rule is not known here.
"""

from __future__ import annotations

from enum import Enum

from veer.functions.registry import AGGREGATE, OVER


class SchemaNulls(Enum):
    """When Spark calls the result of a function nullable."""

    ANY = "if an argument is"
    ALL = "if all arguments are"
    ALWAYS = "always"
    NEVER = "never"
    FIRST = "if the first argument is"


_SCALAR: dict[SchemaNulls, str] = {
    SchemaNulls.ANY: (
        "& | ^ * + - abs negative positive add_interval add_months array_distinct array_join "
        "array_size array_sort ascii concat contains date_add date_format date_sub datediff day "
        "dayofweek dayofyear endswith flatten getbit hex hour ilike initcap instr last_day left "
        "length like lower lpad ltrim make_date map_keys map_values md5 minute month months_between "
        "nanvl "
        "power quarter regexp_extract regexp_replace repeat replace reverse rlike rpad rtrim "
        "second sequence sha1 size slice sort_array space split startswith substring "
        "substring_index subtract_moments timestamp_seconds to_date_by to_timestamp_by translate trim "
        "unix_timestamp "
        "upper weekday weekofyear year"
    ),
    SchemaNulls.ALL: "coalesce greatest least",
    SchemaNulls.ALWAYS: (
        "% / array_max array_min bround ceil date_trunc div exp floor from_unixtime ln log10 log2 "
        "map_contains_key next_day pmod right round sha2 sign split_part sqrt trunc try_add "
        "try_divide try_mod try_multiply try_subtract"
    ),
    SchemaNulls.NEVER: (
        "array current_date current_timestamp format_string hash input_file_name isnan map "
        "monotonically_increasing_id named_struct rand randn spark_partition_id uuid xxhash64 "
        "set.approx_count_distinct"
    ),
    SchemaNulls.FIRST: "concat_ws",
}
_RULES = {name: rule for rule, names in _SCALAR.items() for name in names.split()}


def schema_nulls(function: str) -> SchemaNulls | None:
    """The rule of a scalar function; None if it is not known."""
    return _RULES.get(function)


def aggregate_schema_nulls(function: str) -> SchemaNulls | None:
    """The rule of an aggregate or window function; None if it is not known."""
    if function in AGGREGATE and not function.startswith("legacy."):
        return SchemaNulls.ALWAYS if AGGREGATE[function].empty_is_null else SchemaNulls.NEVER
    if function in ("lag", "lead"):
        return None
    if function in OVER:
        return SchemaNulls.ALWAYS if OVER[function].is_nullable else SchemaNulls.NEVER
    return None


__all__ = ["SchemaNulls", "aggregate_schema_nulls", "schema_nulls"]
