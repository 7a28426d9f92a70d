"""Random pairs and runs, judged by Spark.

    python -m benchmarks fuzz [--mode sql|frames|runs|all] [--pairs 1000] [--runs 300] [--seed 1]
                              [--out DIR] [--workers 1] [--replay FILE]

No label is trusted: what Veer says is checked by running both versions on Spark. An EQUIVALENT is
run on several databases that honour the declared constraints, an INEQUIVALENT on its witness,
which must honour them too. Everything that is wrong is saved as a file; the exit status is 1 then.
See docs/fuzzing.md.
"""
