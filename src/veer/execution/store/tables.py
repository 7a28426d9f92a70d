"""The tables of the store, the same in SQLite and PostgreSQL."""

from __future__ import annotations

from sqlalchemy import (
    BigInteger,
    Boolean,
    Column,
    Float,
    Index,
    Integer,
    MetaData,
    String,
    Table,
    Text,
)

FORMAT = 1
metadata = MetaData()

about = Table(
    "veer_about", metadata, Column("key", String, primary_key=True), Column("value", Text)
)

# One row per recorded version; never changed afterwards.
versions = Table(
    "veer_versions",
    metadata,
    Column("name", String, primary_key=True),
    Column("number", Integer, primary_key=True),
    Column("dataflow", Text, nullable=False),
    Column("fingerprint", String, nullable=False),
    Column("stable_ids", Boolean, nullable=False),
    Column("spec", Text, nullable=False),
    Column("code", Text, nullable=False),
    Column("edits", Text, nullable=False),
    Column("sources", Text, nullable=False),  # what was read, with fingerprints
    Column("environment", Text, nullable=False),
    Column("started", Float, nullable=False),
    Column("seconds", Float, nullable=False),
)

# What a sink of a version gave: a result, or the reason why none is kept.
sinks = Table(
    "veer_sinks",
    metadata,
    Column("name", String, primary_key=True),
    Column("number", Integer, primary_key=True),
    Column("sink", String, primary_key=True),
    Column("result", String),
    Column("rows", BigInteger),
    Column("how", String, nullable=False),
    Column("note", Text, nullable=False),
    Index("veer_sinks_result", "result"),
)

# What runs did, those that made no new version and those that go on among them.
runs = Table(
    "veer_runs",
    metadata,
    Column("id", String, primary_key=True),
    Column("name", String, nullable=False),
    Column("number", Integer),  # of the version, once it is recorded
    Column("spec", Text, nullable=False),
    Column("state", String, nullable=False),
    Column("stage", Text, nullable=False),  # what it is doing, or why it failed
    Column("started", Float, nullable=False),
    Column("updated", Float, nullable=False),
    Column("seconds", Float),
    Column("work", Text, nullable=False),
    Index("veer_runs_started", "started"),
)

# Rows under the results folder; only those whose state is "live" are ever read.
results = Table(
    "veer_results",
    metadata,
    Column("id", String, primary_key=True),
    Column("state", String, nullable=False),
    Column("exact", String, nullable=False),  # the computation, its sources and environment
    Column("signature", String, nullable=False),  # what simulation gives, and the types
    Column("environment", String, nullable=False),
    Column("sources", Text, nullable=False),
    Column("dataflow", Text, nullable=False),
    Column("names", Text, nullable=False),
    Column("files", Text, nullable=False),
    Column("rows", BigInteger, nullable=False),
    Column("bytes", BigInteger, nullable=False),
    Column("seconds", Float, nullable=False),  # it took to compute
    Column("created", Float, nullable=False),
    Column("used", Float, nullable=False),
    Index("veer_results_exact", "exact"),
    Index("veer_results_signature", "signature"),
)

# Who reads a result, or writes one that is not registered yet.
leases = Table(
    "veer_leases",
    metadata,
    Column("id", String, primary_key=True),
    Column("result", String, nullable=False),
    Column("holder", String, nullable=False),
    Column("expires", Float, nullable=False),
    Index("veer_leases_result", "result"),
)

# What was found out about two computations, whatever their data.
verdicts = Table(
    "veer_verdicts",
    metadata,
    Column("p", String, primary_key=True),
    Column("q", String, primary_key=True),
    Column("code", String, primary_key=True),
    Column("verdict", String, nullable=False),
    Column("reason", Text, nullable=False),
)

# The small tables signatures are computed on, one list per source table.
pools = Table(
    "veer_pools",
    metadata,
    Column("source", String, primary_key=True),
    Column("instances", Text, nullable=False),
)

# Whether the content of a source keeps what is declared of it.
constraints = Table(
    "veer_constraints",
    metadata,
    Column("source", String, primary_key=True),
    Column("declared", String, primary_key=True),
    Column("holds", Boolean, nullable=False),
)
