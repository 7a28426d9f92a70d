"""A dbt project by its `manifest.json`: models as compiled SQL, and what is declared of their tables.

Only what dbt itself writes is read; nothing of a project is run. Columns and types come from
`catalog.json` beside the manifest, from contracts, from `data_type`s of descriptions, and of models
from their SQL. `unique` and `not_null` tests are keys, `relationships` tests foreign keys, unless they
have conditions or may fail.
"""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import Any, final

from veer.errors import InputError, ParseError, UnsupportedError
from veer.frontends.projects.dialects import spark_query
from veer.frontends.projects.sql_models import model_version
from veer.model.types import quote_name
from veer.model.writes import Write
from veer.settings import SessionSettings
from veer.versions.version import Version

MOST_BYTES = 1 << 30
VERSIONS = range(9, 13)  # of the manifest
EXACT = ("spark", "databricks")  # adapters whose SQL is Spark's
KINDS = ("model", "seed", "snapshot")
STORED = ("table", "view", "materialized_view", "incremental", "seed", "snapshot")
# What of the configuration decides which rows of earlier runs stay; and how rows are stored.
OF_HISTORY = [
    "unique_key",
    "incremental_strategy",
    "on_schema_change",
    "strategy",
    "updated_at",
    "check_cols",
]
OF_HISTORY += ["invalidate_hard_deletes", "hard_deletes"]
OF_STORAGE = [
    "materialized",
    "file_format",
    "location_root",
    "partition_by",
    "clustered_by",
    "buckets",
]
OF_STORAGE += ["table_properties", "liquid_clustered_by"]
CATALOG = "catalog.json"
APPENDED = Write("table", "append")  # rows of earlier runs stay


@final
@dataclass(frozen=True)
class DbtNode:
    """A model, seed or snapshot of a manifest; a table that it fills, unless it is ephemeral."""

    id: str
    name: str
    kind: str
    materialized: str
    language: str
    relation: str
    code: str  # compiled
    raw: str
    file: str
    reads: tuple[str, ...]  # ids of nodes and sources
    macros: tuple[str, ...]
    checksum: str
    config: Mapping[str, Any] = field(default_factory=dict)
    columns: Mapping[str, Any] = field(default_factory=dict)
    contract: bool = False

    @property
    def content(self) -> str:
        """What it computes: of a model its compiled code, of a seed the digest of its file."""
        if self.kind == "seed":
            return self.checksum
        return self.code if self.language == "sql" and self.code else self.raw


class Manifest:
    """A manifest that was read, and the catalog beside it."""

    def __init__(self, path: str) -> None:
        self.path = path
        self._data = _read_json(Path(path))
        metadata = _table(self._data, "metadata", path)
        version = re.search(r"/manifest/v(\d+)", str(metadata.get("dbt_schema_version", "")))
        if version is None:
            raise ParseError(f"{path}: no manifest of dbt: it has no dbt_schema_version")
        if int(version[1]) not in VERSIONS:
            raise ParseError(
                f"{path}: a manifest of version {version[1]}; known are {VERSIONS[0]} to "
                f"{VERSIONS[-1]} (dbt 1.5 to 1.11)"
            )
        self.adapter = str(metadata.get("adapter_type", "")) or "spark"
        self.project = str(metadata.get("project_name", ""))
        beside = Path(path).with_name(CATALOG)
        self._catalog = _read_json(beside) if beside.is_file() else {}

    @property
    def is_exact(self) -> bool:
        """Whether the SQL of its adapter is Spark's."""
        return self.adapter in EXACT

    @cached_property
    def nodes(self) -> dict[str, DbtNode]:
        """Models, seeds and snapshots by id."""
        listed = _table(self._data, "nodes", self.path)
        return {
            id_: self._node(id_, node)
            for id_, node in sorted(listed.items())
            if isinstance(node, dict) and node.get("resource_type") in KINDS
        }

    @cached_property
    def stored(self) -> dict[str, DbtNode]:
        """Those that fill a table or view, by the names that `dbt --select` knows."""
        kept = [n for n in self.nodes.values() if n.relation and n.materialized != "ephemeral"]
        names = [n.name for n in kept]
        return {n.name if names.count(n.name) == 1 else n.id: n for n in kept}

    def _node(self, id_: str, node: dict[str, Any]) -> DbtNode:
        config = node.get("config") or {}
        depends = node.get("depends_on") or {}
        return DbtNode(
            id_,
            str(node.get("name", "")),
            str(node["resource_type"]),
            str(config.get("materialized", "")),
            str(node.get("language", "sql")),
            str(node.get("relation_name") or ""),
            str(node.get("compiled_code") or ""),
            str(node.get("raw_code") or ""),
            str(node.get("original_file_path", "")),
            tuple(map(str, depends.get("nodes") or ())),
            tuple(map(str, depends.get("macros") or ())),
            str((node.get("checksum") or {}).get("checksum", "")),
            config,
            node.get("columns") or {},
            bool((node.get("contract") or {}).get("enforced")),
        )

    @cached_property
    def sources(self) -> dict[str, dict[str, Any]]:
        """The sources by id."""
        listed = self._data.get("sources")
        return dict(listed) if isinstance(listed, dict) else {}

    # -- what decides the rows of a model ----------------------------------------------------------

    def code_identity(self, node: DbtNode) -> str:
        """What decides the rows of a node, but for what it reads: equal texts, equal rows."""
        parts: list[Any] = [node.kind, node.language, node.relation, node.content]
        if node.materialized == "incremental" or node.kind == "snapshot":
            parts += [node.raw, *(node.config.get(key) for key in OF_HISTORY)]
            parts += [self._macro(name) for name in self._all_macros(node.macros)]
        parts += [node.config.get("pre-hook"), node.config.get("post-hook")]
        return hashlib.sha256(json.dumps(parts, sort_keys=True, default=str).encode()).hexdigest()

    def storage(self, node: DbtNode) -> str:
        """How the rows of a node are stored, as a text to compare."""
        told = [node.config.get(key) for key in OF_STORAGE]
        return json.dumps(told, sort_keys=True, default=str)

    def _macro(self, name: str) -> str:
        macros = self._data.get("macros")
        macro = macros.get(name) if isinstance(macros, dict) else None
        return str(macro.get("macro_sql", "")) if isinstance(macro, dict) else ""

    def _all_macros(self, names: Sequence[str]) -> list[str]:
        """Macros and those they call."""
        macros = self._data.get("macros")
        found: dict[str, None] = {}
        waiting = list(names)
        while waiting:
            name = waiting.pop()
            if name not in found:
                found[name] = None
                macro = macros.get(name) if isinstance(macros, dict) else None
                if isinstance(macro, dict):
                    waiting += (macro.get("depends_on") or {}).get("macros") or ()
        return sorted(found)

    # -- what is declared of tables ----------------------------------------------------------------

    def statements(self, node: DbtNode) -> tuple[dict[str, str], set[str]]:
        """CREATE TABLE statements of what a node reads, by table, as far as something tells columns.

        And the tables whose columns only a description tells.
        """
        found: dict[str, str] = {}
        described: set[str] = set()
        for id_ in node.reads:
            table, columns, is_complete = self._declared(id_)
            if table and columns:
                found[table] = f"CREATE TABLE {table} ({', '.join(columns)})"
                if not is_complete:
                    described.add(table.replace("`", ""))
        return found, described

    def _declared(self, id_: str) -> tuple[str, list[str], bool]:
        """The table of a node or source, its columns, and whether these are all there are."""
        source, node = self.sources.get(id_), self.nodes.get(id_)
        if source is not None:
            table, told = str(source.get("relation_name") or ""), source.get("columns") or {}
            is_complete = False
        elif node is not None:
            table, told = node.relation, node.columns if node.contract else {}
            is_complete = True
            if node.kind == "seed":
                types = node.config.get("column_types") or {}
                told = {name: {"name": name, "data_type": t} for name, t in types.items()}
        else:
            return "", [], False
        in_catalog = self._in_catalog(id_)
        if in_catalog:
            return table, in_catalog, True
        columns = [_column(c) for c in told.values()] if isinstance(told, Mapping) else []
        return table, [] if "" in columns else columns, is_complete

    def _in_catalog(self, id_: str) -> list[str]:
        for part in ("nodes", "sources"):
            listed = self._catalog.get(part)
            entry = listed.get(id_) if isinstance(listed, dict) else None
            if isinstance(entry, dict) and isinstance(entry.get("columns"), dict):
                columns = sorted(entry["columns"].values(), key=lambda c: c.get("index", 0))
                named = [{"name": c.get("name"), "data_type": c.get("type")} for c in columns]
                return [_column(c) for c in named]
        return []

    @cached_property
    def constraints(self) -> dict[str, list[str]]:
        """What tests and contracts declare, as ALTER TABLE statements by table."""
        found: dict[str, list[str]] = {}
        for table, text in (*self._tested(), *self._contracted()):
            found.setdefault(table, []).append(f"ALTER TABLE {table} {text}")
        return found

    def _tested(self) -> Iterator[tuple[str, str]]:
        """Constraints of `unique`, `not_null` and `relationships` tests that always hold."""
        unique: set[tuple[str, str]] = set()
        present: set[tuple[str, str]] = set()
        parents: list[tuple[str, str, str, str]] = []
        for test in _table(self._data, "nodes", self.path).values():
            told = _certain_test(test)
            table = self.relation(str(test.get("attached_node", ""))) if told else ""
            column = str(test.get("column_name") or "")
            if not told or not table or not column.isidentifier():
                continue
            if told == "unique":
                unique.add((table, column))
            elif told == "not_null":
                present.add((table, column))
            else:
                field_ = str(test["test_metadata"]["kwargs"].get("field", ""))
                others = [
                    r
                    for n in (test.get("depends_on") or {}).get("nodes", ())
                    if (r := self.relation(n))
                ]
                parents += [(table, column, r, field_) for r in others if r != table]
        for table, column in sorted(unique & present):
            yield table, f"ADD PRIMARY KEY ({quote_name(column)})"
        for table, column in sorted(unique - present):
            yield table, f"ADD CONSTRAINT {column}_is_unique UNIQUE ({quote_name(column)})"
        for table, column in sorted(present - unique):
            yield table, f"ALTER COLUMN {quote_name(column)} SET NOT NULL"
        for table, column, parent, name in sorted(parents):
            if (parent, name) in unique & present:
                keys = f"({quote_name(column)}) REFERENCES {parent} ({quote_name(name)})"
                yield table, f"ADD CONSTRAINT {column}_refers FOREIGN KEY {keys}"

    def _contracted(self) -> Iterator[tuple[str, str]]:
        """Constraints of contracts that a warehouse of Spark enforces: NOT NULL alone."""
        tested = {(t, text) for t, text in self._tested()}
        for node in self.nodes.values():
            for column in node.columns.values() if node.contract else ():
                kinds = {c.get("type") for c in column.get("constraints") or ()}
                text = f"ALTER COLUMN {quote_name(str(column.get('name')))} SET NOT NULL"
                if "not_null" in kinds and (node.relation, text) not in tested:
                    yield node.relation, text

    def relation(self, id_: str) -> str:
        """The table of a node or source."""
        if id_ in self.nodes:
            return self.nodes[id_].relation
        return str((self.sources.get(id_) or {}).get("relation_name") or "")

    # -- versions ----------------------------------------------------------------------------------

    def load(
        self,
        node: DbtNode,
        ddl: str,
        tables: str,
        settings: SessionSettings,
        called: str,
        constraints: Mapping[str, Sequence[str]],
    ) -> Version:
        """The version of a model: `ddl` is what the user declares, `tables` what other models fill."""
        _require_model(node)
        known, described = self.statements(node)
        own = {t: s for t, s in known.items() if not _mentions(t, ddl) and not _mentions(t, tables)}
        statements = [ddl, tables, *own.values()]
        read = {self.relation(id_) for id_ in node.reads}
        for table in sorted(read & constraints.keys()):
            if any(_mentions(table, text) for text in statements):
                statements += _applicable(constraints[table], statements, table)
        text = ";\n".join(s.strip().removesuffix(";") for s in statements if s.strip())
        query = node.code if self.is_exact else spark_query(node.code, self.adapter)
        return model_version(
            called,
            query,
            node.relation.replace("`", ""),
            text,
            settings,
            described=described & {t.replace("`", "") for t in own},
            write=APPENDED if node.materialized == "incremental" else None,
            file=node.file,
        )


def _require_model(node: DbtNode) -> None:
    """Refuse by name what is no query that can be compared."""
    if node.kind == "seed":
        raise UnsupportedError("the file of a seed changed: its rows are not compared")
    if node.kind == "snapshot":
        raise UnsupportedError("a snapshot keeps rows of earlier runs: it is not compared")
    if node.language != "sql":
        raise UnsupportedError(f"a model in {node.language.capitalize()} is not read")
    if node.materialized not in STORED:
        raise UnsupportedError(f"the materialization {node.materialized!r} is not known")
    if not node.code.strip():
        raise InputError("it has no compiled code: write the manifest with `dbt compile`")


def _certain_test(test: Any) -> str:
    """The kind of a test that declares something of all rows; empty for any other node."""
    if not isinstance(test, dict) or test.get("resource_type") != "test":
        return ""
    metadata, config = test.get("test_metadata") or {}, test.get("config") or {}
    strict = (
        config.get("enabled", True)
        and not config.get("where")
        and not config.get("limit")
        and str(config.get("severity", "error")).lower() == "error"
        and config.get("error_if", "!= 0") == "!= 0"
        and metadata.get("namespace") is None
        and isinstance(metadata.get("kwargs"), dict)
    )
    name = str(metadata.get("name", ""))
    return name if strict and name in ("unique", "not_null", "relationships") else ""


def _column(told: Any) -> str:
    """A column of a CREATE TABLE statement; empty if its type is not told."""
    if not isinstance(told, Mapping) or not told.get("name") or not told.get("data_type"):
        return ""
    return f"{quote_name(str(told['name']))} {told['data_type']}"


def _mentions(table: str, ddl: str) -> bool:
    """Whether a schema declares a table."""
    plain = table.replace("`", "").lower()
    return re.search(rf"\bcreate table {re.escape(plain)}\s*\(", _plain(ddl)) is not None


def _plain(text: str) -> str:
    return re.sub(r"\s+", " ", text.replace("`", "").lower())


def _applicable(constraints: Sequence[str], statements: Sequence[str], table: str) -> list[str]:
    """Constraints of which all tables are declared."""
    kept = []
    for text in constraints:
        parent = re.search(r"REFERENCES (\S+) \(", text)
        if parent is None or any(_mentions(parent[1], s) for s in statements):
            kept.append(text)
    return kept


def _read_json(path: Path) -> dict[str, Any]:
    try:
        if path.stat().st_size > MOST_BYTES:
            raise ParseError(f"{path}: more than {MOST_BYTES >> 20} MiB")
        data = json.loads(path.read_bytes())
    except OSError as error:
        raise InputError(f"{path}: {error.strerror}") from None
    except (ValueError, RecursionError) as error:
        raise ParseError(f"{path}: no JSON: {error}") from None
    if not isinstance(data, dict):
        raise ParseError(f"{path}: no JSON object")
    return data


def _table(data: Mapping[str, Any], key: str, path: str) -> dict[str, Any]:
    value = data.get(key)
    if not isinstance(value, dict):
        raise ParseError(f"{path}: no manifest of dbt: {key} is missing")
    return value
