"""A value that `shared_state.py` sets by its name."""

N = 1
