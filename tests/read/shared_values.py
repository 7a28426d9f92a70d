"""Values that `shared_state.py` reads and changes."""

# ruff: noqa

LEVEL = 1
FOUND = []
SEEN = []
INSIDE = 0
KEPT = {"n": 0}
UNTOUCHED = {"a": 1}
STARRED = 5
GIVEN_BACK = [1]


def change_kept(x):
    KEPT["n"] += 1
    return x


def read_level(x):
    return x + LEVEL


def given_back(x):
    return GIVEN_BACK
