"""All laws of expressions, in order, and the simplifiers that use them.

An expression is simplified from its parts upwards. At each node the first law that applies rewrites it,
and all are tried again until none applies. Three simplifiers use more laws each: `fold` known values
alone, `simplified` what prover and refuter want, `normal_node` all, of expressions that are not random.
"""

from __future__ import annotations

from veer.expressions import (
    arrays,
    cases,
    casts,
    comparisons,
    composite_values,
    connectives,
    constant_folding,
    dates,
    nulls,
    ranges,
    text_conditions,
    texts,
)
from veer.expressions.law import Law, Simplifier, Stage

LAWS: tuple[Law, ...] = (
    connectives.connective_flattened,
    connectives.negation_moved_down,
    cases.conditions_of_branches,
    cases.known_conditions,
    casts.cast_there_and_back,
    casts.cast_of_value_or_constant,
    dates.day_of_cut_moment,
    composite_values.field_of_struct,
    composite_values.item_of_array,
    composite_values.value_of_map,
    composite_values.element_of_map,
    texts.part_by_place,
    texts.function_of_python,
    texts.first_or_last_piece,
    constant_folding.constants_computed,
    texts.trim_before_case,
    texts.trim_once,
    texts.case_once,
    texts.empty_in_any_case,
    texts.search_in_original,
    texts.formatted_text,
    texts.function_of_alternatives,
    comparisons.list_of_one,
    text_conditions.parts_as_searches,
    connectives.negated_twice,
    nulls.null_of_strict,
    nulls.null_of_present,
    comparisons.constant_on_the_right,
    text_conditions.part_as_search,
    dates.fields_of_date,
    text_conditions.pieces_as_search,
    text_conditions.place_as_search,
    text_conditions.length_of_empty,
    text_conditions.like_as_search,
    text_conditions.regex_as_search,
    text_conditions.search_for_nothing,
    comparisons.list_in_order,
    comparisons.number_on_the_right,
    comparisons.bit_is_set,
    comparisons.order_with_equality,
    texts.concat_once,
    cases.zero_or_null,
    cases.value_or_constant_of_branches,
    dates.days_moved,
    texts.letters_of_alternatives,
    casts.cast_back_of_alternatives,
    comparisons.comparison_before_cast,
    comparisons.comparison_of_branches,
    connectives.alternatives_once,
    connectives.shared_conditions_first,
    ranges.branches_by_ranges,
    nulls.case_without_null_test,
    arrays.function_of_items,
    arrays.search_of_items,
    arrays.size_of_original,
    arrays.size_of_some,
    arrays.extreme_of_truths,
    arrays.function_of_present_items,
    arrays.null_of_items,
)

fold = Simplifier(LAWS, Stage.FOLDING)
simplified = Simplifier(LAWS, Stage.SIMPLER)
normal_node = Simplifier(LAWS, Stage.NORMAL)
