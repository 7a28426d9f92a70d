"""The runners of `python -m benchmarks`: what each measures, how long it takes, what it needs."""

from __future__ import annotations

from pathlib import Path
from typing import NamedTuple

README = Path(__file__).parent / "README.md"
START, END = "<!-- runners -->", "<!-- end of runners -->"


class Runner(NamedTuple):
    """A line of the table: `main` of the module of its name in `runners` does it."""

    name: str
    measures: str
    takes: str
    needs: str = "nothing else"


DATA = "`--data DIR` with `calcite.jsonl` and `traps.jsonl`"
SPARK = "Java and PySpark"

RUNNERS = (
    Runner(
        "against",
        "the working tree against a git revision, interleaved: verdicts that differ, ratio of times",
        "2 minutes a round",
        "git; `--data DIR` with `*.jsonl`, `--cases`, `--workloads`; `--oracle` for all that is said",
    ),
    Runner(
        "blind",
        "near misses, and random pairs, that are proven when nothing attacks the proof",
        "30 minutes",
        f"{DATA} for more near misses",
    ),
    Runner(
        "catalyst",
        "Spark's optimized plans against the analyzed ones: TPC-DS and the 40 pairs of jobs",
        "10 minutes; 5 with `--plans DIR` read before",
        SPARK,
    ),
    Runner(
        "cluster",
        "`veer batch --master` on a standalone cluster: two workers beside one, results beside local ones",
        "10 minutes",
        "`--data DIR` with `calcite.jsonl`; Java and PySpark",
    ),
    Runner("commands", "verdicts of PySpark jobs through the command line", "2 minutes", SPARK),
    Runner(
        "coverage",
        "what is proven and what is not, by feature and by verifier; writes `docs/coverage.md`",
        "4 minutes",
        f"{DATA} for these two sets",
    ),
    Runner(
        "fuzz",
        "random pairs and runs, judged by Spark: wrong verdicts, stale results",
        "as long as told",
        SPARK,
    ),
    Runner(
        "golden",
        "Spark's own SQL tests: read or refused, rows and types beside those that Spark answered",
        "4 minutes; less with `--files TEXT`",
        "a checkout of apache/spark",
    ),
    Runner(
        "importers",
        "workflows of Texera, KNIME, Orange and Alteryx: read, known, proven with an empty filter",
        "5 minutes",
        "`--flows DIR` with a folder of files for each system",
    ),
    Runner("interpreter", "time of the interpreter on small tables", "1 minute"),
    Runner("paper", "the experiments of the paper: our figures beside the paper's", "15 minutes"),
    Runner(
        "passes",
        "every application of every rewrite of the normal form, in and out, by the interpreter",
        "20 minutes; as long as told with `--queries N`",
        f"{DATA} for these two sets",
    ),
    Runner("plans", "TPC-DS from Spark's plans against TPC-DS from SQL text", "5 minutes", SPARK),
    Runner(
        "project",
        "`veer check` on a repository of sixty jobs: what each commit alters, beside rebuilding by text",
        "40 minutes; `--commits 40` for less",
        "git, PySpark; Java for `--replay`",
    ),
    Runner("proving", "pairs each verifier decides, and the time of a pair", "5 minutes", DATA),
    Runner(
        "pyspark",
        "whole PySpark jobs and Python functions, end to end without a JVM and with one",
        "1 hour; 10 minutes with `--jvm-pairs 4`",
        SPARK,
    ),
    Runner(
        "reading",
        "queries that are read; with `--spark`, those that give Spark's rows",
        "10 seconds; 10 minutes with `--spark`",
        "`--data DIR` for more than TPC-DS",
    ),
    Runner(
        "readings",
        "PySpark read from plans of Spark Connect against Spark's analyzed plans",
        "5 minutes; 1 hour for 10,000 random programs",
        SPARK,
    ),
    Runner(
        "recheck",
        "whether a second solver agrees with the answers behind every proof; with `--on-spark` witnesses",
        "5 minutes; 30 on Spark",
        f"cvc5; {DATA}; Java and PySpark for `--on-spark`",
    ),
    Runner(
        "refactorings",
        "two hundred pairs of refactored PySpark jobs: proven, refuted, unknown, wrong",
        "20 minutes; with `--replay` on Spark 5 minutes",
        "PySpark; Java for `--replay`",
    ),
    Runner(
        "reuse",
        "time and bytes of twenty versions of each workload: plain, exact reuse, proven reuse",
        "1 hour",
        SPARK,
    ),
    Runner("startup", "time of commands in new processes, beside a revision's", "2 minutes"),
    Runner(
        "sweep",
        "time and verifier calls as dataflows grow, against the paper's search",
        "15 minutes",
    ),
    Runner(
        "view",
        "time until a browser shows HTML reports: first paint, graph drawn",
        "2 minutes; 8 with `--operators 1000,5000`",
        "a browser (`scripts/install-browser`)",
    ),
)


def listing() -> str:
    """The runners for a terminal, a line each."""
    width = max(len(runner.name) for runner in RUNNERS)
    return "\n".join(f"  {runner.name:<{width}}  {runner.measures}" for runner in RUNNERS)


def table() -> str:
    """The runners for the README, in Markdown."""
    rows = [("runner", "what it measures", "how long", "needs"), ("---",) * 4]
    rows += [(f"`{r.name}`", r.measures, r.takes, r.needs) for r in RUNNERS]
    return "\n".join(f"| {' | '.join(row)} |" for row in rows)


def readme(text: str) -> str:
    """The text of the README with the table as it is now."""
    before, rest = text.split(START)
    after = rest.split(END)[1]
    return f"{before}{START}\n{table()}\n{END}{after}"
