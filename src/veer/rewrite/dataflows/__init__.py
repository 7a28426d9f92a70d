"""Passes over whole dataflows: each is given a dataflow and gives an equal one."""
