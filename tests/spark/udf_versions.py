"""Versions of Python functions: refactorings, which keep what they give, and changes that matter.

Each pair is two functions of (x: bigint, s: string, d: double) and the type they return.
"""

from __future__ import annotations

from typing import Any

LIMIT = 10
VOWELS = ("a", "e", "i", "o", "u")
PRICES = {"small": 1, "large": 3}


def _is_blank(s: Any) -> bool:
    return s is None or s.strip() == ""


def _grade(x: Any) -> str:
    if x >= 90:
        return "A"
    if x >= 60:
        return "B"
    return "C"


def _capped(x: Any, most: int = LIMIT) -> Any:
    return most if x > most else x


# -- refactorings ----------------------------------------------------------------------------------


def renamed_old(x, s, d):
    if x is None:
        return None
    result = x * 2
    offset = result + 1
    return offset


def renamed_new(x, s, d):
    if x is None:
        return None
    doubled = x * 2
    return 1 + doubled


def inverted_old(x, s, d):
    if x is not None:
        return "some"
    return "none"


def inverted_new(x, s, d):
    if x is None:
        return "none"
    return "some"


def early_old(x, s, d):
    result = 0
    if x is not None:
        if x > LIMIT:
            result = x - LIMIT
    return result


def early_new(x, s, d):
    if x is None or x <= LIMIT:
        return 0
    return x - LIMIT


def helper_old(x, s, d):
    if s is None or s.strip() == "":
        return "missing"
    return s.strip().upper()


def helper_new(x, s, d):
    return "missing" if _is_blank(s) else s.strip().upper()


def hoisted_old(x, s, d):
    return x is not None and x > 10


def hoisted_new(x, s, d):
    return x is not None and x > LIMIT


def graded_old(x, s, d):
    if x is None:
        return None
    if x >= 90:
        return "A"
    if x >= 60:
        return "B"
    return "C"


def graded_new(x, s, d):
    return None if x is None else _grade(x)


def member_old(x, s, d):
    return s == "a" or s == "e" or s == "i" or s == "o" or s == "u"


def member_new(x, s, d):
    return s in VOWELS


def table_old(x, s, d):
    if s == "small":
        return 1
    if s == "large":
        return 3
    return 0


def table_new(x, s, d):
    return PRICES.get(s, 0)


def capped_old(x, s, d):
    if x is None:
        return -1
    return min(x, 10)


def capped_new(x, s, d):
    return -1 if x is None else _capped(x)


def looped_old(x, s, d):
    if x is None:
        return False
    for limit in (1, 5, 9):  # noqa: SIM110
        if x == limit:
            return True
    return False


def looped_new(x, s, d):
    return x in [1, 5, 9]


def chained_old(x, s, d):
    return x is not None and x >= 0 and x <= 100


def chained_new(x, s, d):
    if x is None:
        return False
    return 0 <= x <= 100


def de_morgan_old(x, s, d):
    return not (x is None or s is None)


def de_morgan_new(x, s, d):
    return x is not None and s is not None


def text_old(x, s, d):
    return f"{s}-{x}"


def text_new(x, s, d):
    return str(s) + "-" + str(x)


def truthy_old(x, s, d):
    if s is not None and s != "":
        return len(s)
    return 0


def truthy_new(x, s, d):
    return len(s) if s else 0


def parity_old(x, s, d):
    if x is None:
        return None
    if x % 2 == 0:
        return "even"
    return "odd"


def parity_new(x, s, d):
    if x is not None:
        return "odd" if x % 2 != 0 else "even"
    return None


def nested_old(x, s, d):
    if x is not None and s is not None:
        if x > 0:
            return s
        return "low"
    return "none"


def nested_new(x, s, d):
    if x is None:
        return "none"
    if s is None:
        return "none"
    if x <= 0:
        return "low"
    return s


def sign_old(x, s, d):
    if x is None:
        return 0
    if x > 0:
        return 1
    if x < 0:
        return -1
    return 0


def sign_new(x, s, d):
    if not x:
        return 0
    return 1 if x > 0 else -1


def flag_old(x, s, d):
    flag = False
    if d is not None and d > 0.5:
        flag = True
    return flag


def flag_new(x, s, d):
    return bool(d is not None and d > 0.5)


def any_old(x, s, d):
    if s is None:
        return False
    return "error" in s or "fatal" in s


def any_new(x, s, d):
    return s is not None and any(word in s for word in ("error", "fatal"))


def augmented_old(x, s, d):
    total = 0
    if x is not None:
        total = total + x
    if s is not None:
        total = total + len(s)
    return total


def augmented_new(x, s, d):
    total = x if x is not None else 0
    total += len(s) if s is not None else 0
    return total


REFACTORED = [
    (renamed_old, renamed_new, "bigint"),
    (inverted_old, inverted_new, "string"),
    (early_old, early_new, "bigint"),
    (helper_old, helper_new, "string"),
    (hoisted_old, hoisted_new, "boolean"),
    (graded_old, graded_new, "string"),
    (member_old, member_new, "boolean"),
    (table_old, table_new, "int"),
    (capped_old, capped_new, "bigint"),
    (looped_old, looped_new, "boolean"),
    (chained_old, chained_new, "boolean"),
    (de_morgan_old, de_morgan_new, "boolean"),
    (text_old, text_new, "string"),
    (truthy_old, truthy_new, "int"),
    (parity_old, parity_new, "string"),
    (nested_old, nested_new, "string"),
    (sign_old, sign_new, "int"),
    (flag_old, flag_new, "boolean"),
    (any_old, any_new, "boolean"),
    (augmented_old, augmented_new, "bigint"),
]

# -- changes that matter ---------------------------------------------------------------------------


def boundary_new(x, s, d):
    if x is None or x < LIMIT:
        return 0
    return x - LIMIT + (1 if x == LIMIT else 0)


def none_new(x, s, d):
    if x is None:
        return "B"
    return _grade(x)


def swapped_new(x, s, d):
    return "some" if x is None else "none"


def forgotten_new(x, s, d):
    if s is None:
        return "missing"
    return s.strip().upper()


def case_new(x, s, d):
    return s is not None and s.lower() in VOWELS


def priced_new(x, s, d):
    return PRICES.get(s, 1)


def floor_old(x, s, d):
    return x // 2 if x is not None else None


def floor_new(x, s, d):
    return -(-x // 2) if x is not None else None


def modulo_old(x, s, d):
    return x % 3 if x is not None else None


def modulo_new(x, s, d):
    return abs(x) % 3 if x is not None else None


def or_new(x, s, d):
    return x is not None or s is not None


def len_new(x, s, d):
    return len(s.strip()) if s else 0


def spaced_new(x, s, d):
    return f"{s} - {x}"


def zero_old(x, s, d):
    return x if x is not None else 5


def zero_new(x, s, d):
    return x or 5


def strict_new(x, s, d):
    return d is not None and d >= 0.5


def both_new(x, s, d):
    return s is not None and "error" in s and "fatal" in s


def half_open_new(x, s, d):
    return x is not None and 0 <= x < 100


def doubled_new(x, s, d):
    return None if x is None else x * 2 + 2


def negative_new(x, s, d):
    if not x:
        return 0
    return 1 if x >= -1 else -1


def wider_new(x, s, d):
    return x in (1, 5, 9, 10)


def parity_changed(x, s, d):
    if x is None:
        return "even"
    return "odd" if x % 2 else "even"


def replaced_old(x, s, d):
    return s.replace("a", "b") if s is not None else None


def replaced_new(x, s, d):
    return s.replace("b", "a") if s is not None else None


CHANGED = [
    (early_old, boundary_new, "bigint"),
    (graded_old, none_new, "string"),
    (inverted_old, swapped_new, "string"),
    (helper_old, forgotten_new, "string"),
    (member_old, case_new, "boolean"),
    (table_old, priced_new, "int"),
    (floor_old, floor_new, "bigint"),
    (modulo_old, modulo_new, "bigint"),
    (de_morgan_old, or_new, "boolean"),
    (truthy_old, len_new, "int"),
    (text_old, spaced_new, "string"),
    (zero_old, zero_new, "bigint"),
    (flag_old, strict_new, "boolean"),
    (any_old, both_new, "boolean"),
    (chained_old, half_open_new, "boolean"),
    (renamed_old, doubled_new, "bigint"),
    (sign_old, negative_new, "int"),
    (looped_old, wider_new, "boolean"),
    (parity_old, parity_changed, "string"),
    (replaced_old, replaced_new, "string"),
]
