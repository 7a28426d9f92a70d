"""Functions that may set any name of their module: all names of it are state."""

# ruff: noqa

TOTAL = 0


def global_dict(x):
    globals()["TOTAL"] = x
    return TOTAL


def unknown_eval(x):
    return eval("x + 1")


def unknown_exec(x):
    exec("y = 1")
    return x
