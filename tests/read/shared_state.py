"""Functions that read what other functions change, and near ones that read what nobody does."""

# ruff: noqa

from __future__ import annotations

import functools

import numpy as np

from tests.read import shared_values, shared_values_set
from tests.read.shared_wildly import state_of_any
from tests.read.shared_values import *
from tests.read.shared_values import KEPT, UNTOUCHED
from tests.read.shared_values import SEEN as NOTED

COUNT = 0
ITEMS = [1]
ALIAS = ITEMS
TABLE = {"a": [1]}
INNER = TABLE["a"]
ARRAY = np.array([1.0])
HANDED = {}
PASSED = {}
IN_A_LOOP = {}
DELETED = {"a": 1}
SHARED_DEFAULT = []
GIVEN = []
STORED = {}
LABELS = {"a": ["x"]}
RATES = {"EUR": 1.0}
NAMES = ["a", "b"]
FIXED = 3
BUILT = {}
for _name in NAMES:
    BUILT[_name] = len(BUILT)
AGAIN = 1


class Counter_:
    made = 0
    seen: list = []
    limit = 5

    def __init__(self, x=1):
        self.x = x
        self.items = []

    def note(self, x):
        self.seen.append(x)

    def put(self, x):
        self.items.append(x)

    @classmethod
    def count(cls):
        cls.made += 1


class Tagged:
    tags: list = []

    def tag(self, x):
        type(self).tags = [x]


class Plain:
    factor = 2

    def __init__(self, x):
        self.x = x
        self.items = []

    def add(self, x):
        self.items.append(x)
        self.factor = 3
        return self


class Shelf:
    def __init__(self):
        self.found = {}

    def get(self, x):
        self.found[x] = 1
        return x


class Remembering(Shelf):
    @property
    def last(self):
        self.found["last"] = 1
        return 1


IN_VALUES, IN_LOOP, IN_SORTED = {"a": [1]}, [[1]], [[1]]
SHELF, LAST = Shelf(), Remembering()
GIVEN_BY_MODULE = shared_values.GIVEN_BACK
KEPT_SHELF = Shelf()
SEPARATOR = {"a": ["x"]}
IN_PAIRS, IN_ALIAS, IN_COMPREHENSION = {"a": [1]}, {"a": [1]}, [[1]]
BY_GLOBAL, BY_CLASS_BODY, TAKEN = [], [], []


class Rule:
    def __init__(self, limit):
        self.limit = limit
        self.hits = 0

    def __repr__(self):
        return f"Rule({self.limit})"

    def fits(self, x):
        return x < self.limit

    def hit(self):
        self.hits += 1


RULES, KEPT_RULES = [Rule(1), Rule(2)], [Rule(1), Rule(2)]
HOLDER = Counter_()
BY_OBJECT = Counter_()
BY_DEFAULT, BY_CLOSURE, BY_METHOD, BY_PARTIAL = [], [], [], []
VIEW = ARRAY[:]
STILL = Plain(1)


def _hand(where, x):
    where[x] = 1


def _look(where, x):
    return where.get(x)


# -- what changes things -----------------------------------------------------------------------


def change_count(x):
    global COUNT
    COUNT += 1
    return x


def change_items(x):
    ALIAS.append(x)
    return x


def change_inner(x):
    TABLE["a"].append(x)
    return x


def change_array(x):
    ARRAY[0] = x
    return x


def change_handed(x):
    _hand(HANDED, x)
    return x


def change_passed(x):
    table = PASSED
    table[x] = 1
    return x


def change_in_a_loop(x):
    for table in [IN_A_LOOP]:
        table[x] = 1
    return x


def change_deleted(x):
    del DELETED["a"]
    return x


def change_default(x):
    SHARED_DEFAULT.append(x)
    return x


def change_module(x):
    shared_values.LEVEL = x
    shared_values.FOUND.append(x)
    return x


def change_by_name(x):
    setattr(shared_values_set, "N", x)
    return x


def change_noted(x):
    NOTED.append(x)
    return x


def change_from_inside(x):
    import tests.read.shared_values as values

    values.INSIDE += 1
    return x


def change_holder(x):
    HOLDER.put(x)
    return x


def change_tagged(x):
    Tagged().tag(x)
    return x


def _given():
    return GIVEN


def change_given(x):
    _given().append(x)
    return x


class Keeper:
    def __init__(self):
        self.table = STORED

    def put(self, x):
        self.table[x] = 1


def change_stored(x):
    Keeper().put(x)
    return x


def change_its_default(x, table=BY_DEFAULT):
    table.append(x)
    return x


def _putting():
    table = BY_CLOSURE

    def put(x):
        table.append(x)

    return put


change_by_closure = _putting()
change_by_method = BY_METHOD.append
change_by_partial = functools.partial(list.append, BY_PARTIAL)
change_by_object = BY_OBJECT.put


def change_in_values(x):
    for items in IN_VALUES.values():
        items.append(x)
    return x


def change_in_loop(x):
    for items in IN_LOOP:
        items.append(x)
    return x


def change_in_sorted(x):
    sorted(IN_SORTED)[0].append(x)
    return x


def change_in_pairs(x):
    for name, items in IN_PAIRS.items():
        items.append(x)
    return x


def change_in_alias(x):
    items = IN_ALIAS["a"]
    items.append(x)
    return x


def change_in_comprehension(x):
    return [items.pop() for items in IN_COMPREHENSION]


def change_by_global(x):
    global TAKEN
    TAKEN = BY_GLOBAL
    return x


def change_taken(x):
    TAKEN.append(x)
    return x


def change_by_class_body(x):
    class Taking:
        held = BY_CLASS_BODY

    Taking.held.append(x)
    return x


def change_rules(x):
    for rule in RULES:
        rule.hit()
    return x


def change_nothing(x):
    for rule in KEPT_RULES:
        if rule.fits(x):
            return rule.limit
    names = LABELS["a"]
    return [name for name in names]


def change_shelf(x):
    return SHELF.get(x)


def change_last(x):
    return x > LAST.last


def change_given_by_module(x):
    shared_values.given_back(x).append(x)
    return x


def look_at_separator(x):
    return [",".join(SEPARATOR["a"]), x if SEPARATOR else None]


# -- readers of state --------------------------------------------------------------------------


def state_count(x):
    return x + COUNT


def state_count_by_lambda(x):
    return (lambda: COUNT)()


def state_items(x):
    return len(ITEMS)


def state_inner(x):
    return len(INNER)


def state_around(x):
    return str(TABLE)


def state_array(x):
    return float(ARRAY[0])


def state_handed(x):
    return len(HANDED)


def state_passed(x):
    return len(PASSED)


def state_in_a_loop(x):
    return len(IN_A_LOOP)


def state_deleted(x):
    return "a" in DELETED


def state_default(x, seen=SHARED_DEFAULT):
    return len(seen)


def state_module(x):
    return shared_values.LEVEL


def state_module_list(x):
    return len(shared_values.FOUND)


def state_taken(x):
    return len(FOUND)


def state_noted(x):
    return len(shared_values.SEEN)


def state_from_inside(x):
    return shared_values.INSIDE


def state_of_the_other(x):
    return KEPT["n"]


def state_helper(x):
    return shared_values.read_level(x)


def state_class(x):
    return Counter_.made


def state_class_list(x):
    return len(Counter_.seen)


def state_class_of_a_new_one(x):
    return Counter_().made


def state_holder(x):
    return len(HOLDER.items)


def state_tagged(x):
    return len(Tagged.tags)


def state_given(x):
    return len(GIVEN)


def state_stored(x):
    return len(STORED)


def state_set_by_name(x):
    return shared_values_set.N


def state_by_default(x):
    return len(BY_DEFAULT)


def state_by_closure(x):
    return len(BY_CLOSURE)


def state_by_method(x):
    return len(BY_METHOD)


def state_by_partial(x):
    return len(BY_PARTIAL)


def state_by_object(x):
    return len(BY_OBJECT.items)


def state_in_values(x):
    return len(IN_VALUES["a"])


def state_in_loop(x):
    return len(IN_LOOP[0])


def state_in_sorted(x):
    return len(IN_SORTED[0])


def state_in_pairs(x):
    return len(IN_PAIRS["a"])


def state_in_alias(x):
    return len(IN_ALIAS["a"])


def state_in_comprehension(x):
    return len(IN_COMPREHENSION[0])


def state_by_global(x):
    return len(BY_GLOBAL)


def state_by_class_body(x):
    return len(BY_CLASS_BODY)


def state_rules(x):
    return sum([rule.hits for rule in RULES])


def state_shelf(x):
    return len(SHELF.found)


def state_last(x):
    return len(LAST.found)


def state_given_by_module(x):
    return len(GIVEN_BY_MODULE)


def state_view(x):
    return float(VIEW[0])


def state_again(x):
    return AGAIN + x


AGAIN = 2


def _cells():
    n, seen, limit, table = 0, [], 3, {}

    def bump(x):
        nonlocal n
        n += 1
        seen.append(x)
        _hand(table, x)

    def read(x):
        return n

    def read_list(x):
        return len(seen)

    def read_table(x):
        return len(table)

    def read_limit(x):
        return limit

    return bump, read, read_list, read_table, read_limit


_bump, state_cell, state_cell_list, state_cell_handed, pure_cell = _cells()


# -- readers of what stays as it is ------------------------------------------------------------


def pure_rates(x):
    return RATES.get(x, 0)


def pure_handed_rates(x):
    return _look(RATES, x)


def pure_labels(x):
    return LABELS[x]


def pure_labels_read(x):
    return len(pure_labels(x)) + len(LABELS["a"])


def pure_names(x):
    return [n for n in NAMES if n != x]


def pure_fixed(x):
    return x + FIXED + LATER


def pure_built(x):
    return BUILT.get(x)


def pure_taken(x):
    return UNTOUCHED["a"] + shared_values.UNTOUCHED["a"]


def pure_starred(x):
    return STARRED + x


def pure_object(x):
    return STILL.x + STILL.factor + len(Plain(x).add(x).items)


def pure_rules(x):
    return sum([rule.limit for rule in KEPT_RULES if rule.fits(x)])


def pure_shelf(x):
    return len(KEPT_SHELF.found)


def pure_separator(x):
    return len(SEPARATOR["a"])


def pure_hidden(x):
    ITEMS = []
    ITEMS.append(x)
    return len(ITEMS)


LATER = 4
STATES = {n: v for n, v in globals().items() if n.startswith("state_")}
PURE = {n: v for n, v in globals().items() if n.startswith("pure_")}
