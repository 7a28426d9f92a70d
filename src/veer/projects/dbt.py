"""A dbt project at two revisions, each by its manifest."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import final

from veer.errors import UsageError
from veer.projects.jobs import JobPair
from veer.projects.lineage import KnownTables
from veer.projects.loading import Revision
from veer.projects.read.dbt import Constraint, DbtNode, Manifest
from veer.projects.repository import Reading
from veer.read.session_settings import session_settings, spark_asked_for
from veer.settings import SessionSettings
from veer.verification.versions.version import Version

ANSI = "spark.sql.ansi.enabled"
HISTORY = (
    "an incremental model: its table has rows of earlier runs, which a comparison of its code cannot "
    "check; build it with --full-refresh if necessary"
)
HOOKS = "it has hooks, and Veer does not read their statements"
AROUND = "hooks of all models, or materializations, changed"


@final
@dataclass(frozen=True)
class DbtRevision(Revision):
    """The models of one manifest; `constraints` are those declared now, by table."""

    manifest: Manifest
    called: str
    schema: str
    settings: SessionSettings
    constraints: Mapping[str, Sequence[Constraint]]

    @property
    def jobs(self) -> dict[str, str]:
        """What each model is called in reports."""
        return {name: f"{self.called}{name}" for name in self.manifest.stored}

    def load(self, name: str, tables: str) -> Version:
        """A model; `tables` are CREATE TABLE statements of what other models fill."""
        node = self.manifest.stored[name]
        return self.manifest.load(
            node, self.schema, tables, self.settings, self.jobs[name], self.constraints
        )

    def mentions(self, name: str, table: str) -> bool:
        """Whether the SQL of a model has the name of a table in it."""
        code = self.manifest.stored[name].code
        return table.lower() in code.replace("`", "").replace('"', "").lower()

    def known_tables(self, name: str) -> KnownTables | None:
        """What the manifest says a node depends on, and the table it fills."""
        node = self.manifest.stored[name]
        read = [*map(self.manifest.relation, self.manifest.all_reads(node))]
        read += self.manifest.mentioned(node)
        return KnownTables(tuple(filter(None, read)), (node.relation,))


@final
@dataclass(frozen=True)
class DbtProject:
    """Both revisions of a dbt project, and its models in pairs."""

    base: DbtRevision
    now: DbtRevision
    pairs: tuple[JobPair, ...]
    notes: tuple[str, ...]
    changed_sources: tuple[str, ...]


def dbt_project(
    manifest: str, base_manifest: str, chosen: Sequence[str], reading: Reading
) -> DbtProject:
    """The project of two manifests."""
    now, base = Manifest(manifest), Manifest(base_manifest)
    if now.adapter != base.adapter:
        raise UsageError(
            f"{manifest} is for the adapter {now.adapter!r}, but {base_manifest} for {base.adapter!r}"
        )
    conf = {**({ANSI: "false"} if now.adapter == "spark" else {}), **reading.conf}
    settings = session_settings(conf, spark_asked_for(reading.spark))
    revisions = [
        DbtRevision(each, called, reading.schema, settings, now.constraints)
        for each, called in ((base, "base:"), (now, ""))
    ]
    pairs = tuple(_pairs(base, now))
    known = {pair.name for pair in pairs}
    for name in chosen:
        if name not in known:
            raise UsageError(f"{name}: there is no model of this name")
    notes, sources = tuple(_notes(now, conf)), tuple(now.changed_sources(base))
    return DbtProject(revisions[0], revisions[1], pairs, notes, sources)


def _pairs(base: Manifest, now: Manifest) -> Iterator[JobPair]:
    old, new = base.stored, now.stored
    for name in sorted({*old, *new}):
        p, q = old.get(name), new.get(name)
        same = p is not None and q is not None and _is_same(base, p, now, q)
        otherwise = p is not None and q is not None and base.storage(p) != now.storage(q)
        history = next((h for m, n in ((now, q), (base, p)) if n and (h := _history(m, n))), "")
        if base.around_all != now.around_all:
            same, history = False, history or AROUND
        yield JobPair(name, p and name, q and name, same, otherwise, history)


def _history(manifest: Manifest, node: DbtNode) -> str:
    """Why the rows of a node do not follow from its query and what it reads."""
    if node.materialized == "incremental":
        return HISTORY
    return HOOKS if manifest.has_hooks(node) else ""


def _is_same(base: Manifest, p: DbtNode, now: Manifest, q: DbtNode) -> bool:
    one, two = base.code_identity(p), now.code_identity(q)
    return one is not None and one == two


def _notes(manifest: Manifest, conf: Mapping[str, str]) -> Iterator[str]:
    if manifest.adapter == "spark" and conf.get(ANSI) == "false":
        yield "read without ANSI, as dbt-spark runs it; --conf spark.sql.ansi.enabled=true otherwise"
    if not manifest.is_exact:
        yield (
            f"SQL of {manifest.adapter} is read with Spark's meaning; Veer refuses constructs that may mean something "
            "else there"
        )
