"""A module one of whose functions may set any name of it."""

# ruff: noqa

N = 1


def set_any(x):
    globals()["N"] = x
    return x


def state_of_any(x):
    return N + x
