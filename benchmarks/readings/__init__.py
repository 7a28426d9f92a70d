"""PySpark read in two ways: Spark's analyzed plans, and plans of Spark Connect without a server.

    python -m benchmarks readings [--programs 1000] [--seed 1] [--only NAME]

Both readings of a program must have the columns Spark says it has, and be the same dataflow:
proven by Veer, or giving the same rows where Veer cannot tell.
"""
