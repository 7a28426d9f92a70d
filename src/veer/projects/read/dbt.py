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
from veer.ir.ops import Source
from veer.ir.types import quote_name
from veer.ir.writes import Write
from veer.projects.read.dialects import spark_query
from veer.projects.read.sql_models import model_version
from veer.read.sql import read_schema
from veer.read.sql.statements import joined
from veer.settings import SessionSettings
from veer.verification.versions.version import Version

MOST_BYTES = 1 << 30
VERSIONS = range(9, 13)  # of the manifest
EXACT = ("spark", "databricks")  # adapters whose SQL is Spark's
KINDS = ("model", "seed", "snapshot")
STORED = ("table", "view", "materialized_view", "incremental", "seed", "snapshot")
# What of the configuration says nothing of rows.
NOT_OF_ROWS = frozenset(
    [
        "access",
        "alias",
        "database",
        "docs",
        "enabled",
        "grants",
        "group",
        "meta",
        "packages",
        "persist_docs",
        "schema",
        "static_analysis",
        "tags",
    ]
)
# How rows are stored.
OF_STORAGE = [
    "materialized",
    "file_format",
    "location_root",
    "partition_by",
    "clustered_by",
    "buckets",
]
OF_STORAGE += ["table_properties", "liquid_clustered_by"]
OWN_PACKAGES = ("dbt", "dbt_spark", "dbt_databricks", "dbt_duckdb", "dbt_postgres", "dbt_snowflake")
AROUND_ONE = ("pre-hook", "post-hook", "sql_header")  # statements that run with a node
ENFORCED = ("table", "incremental")  # what constraints of contracts are applied to
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


@final
@dataclass(frozen=True)
class Constraint:
    """What is declared of a column of a table, as a part of ALTER TABLE; of a foreign key its parent."""

    table: str
    column: str
    text: str
    parent: tuple[str, str] | None = None


class Manifest:
    """A manifest that was read, and the catalog beside it."""

    def __init__(self, path: str) -> None:
        self.path = path
        self._data = _read_json(Path(path))
        metadata = _table(self._data, "metadata", path)
        version = re.search(r"/manifest/v(\d+)", str(metadata.get("dbt_schema_version", "")))
        if version is None:
            raise ParseError(f"{path}: not a manifest of dbt: it has no dbt_schema_version")
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
        config, depends = _mapping(node.get("config")), _mapping(node.get("depends_on"))
        checksum = _mapping(node.get("checksum"))
        is_digest = checksum.get("name") == "sha256"
        return DbtNode(
            id_,
            str(node.get("name", "")),
            str(node["resource_type"]),
            str(config.get("materialized", "")),
            str(node.get("language", "sql")),
            _plain_name(node.get("relation_name")),
            str(node.get("compiled_code") or ""),
            str(node.get("raw_code") or ""),
            str(node.get("original_file_path", "")),
            tuple(map(str, _list(depends.get("nodes")))),
            tuple(map(str, _list(depends.get("macros")))),
            str(checksum.get("checksum", "")) if is_digest else "",
            config,
            _mapping(node.get("columns")),
            bool(_mapping(node.get("contract")).get("enforced")),
        )

    @cached_property
    def sources(self) -> dict[str, dict[str, Any]]:
        """The sources by id."""
        listed = _mapping(self._data.get("sources"))
        return {str(id_): source for id_, source in listed.items() if isinstance(source, dict)}

    # -- what decides the rows of a model ----------------------------------------------------------

    def code_identity(self, node: DbtNode) -> str | None:
        """What decides the rows of a node, but for what it reads: equal texts, equal rows.

        None if that is not told: of the file of a large seed dbt keeps no digest.
        """
        if node.kind == "seed" and not node.checksum:
            return None
        parts: list[Any] = [node.kind, node.language, node.relation, node.content]
        if node.materialized == "incremental" or node.kind != "model" or node.language != "sql":
            told = {k: v for k, v in node.config.items() if k not in NOT_OF_ROWS}
            parts += [node.raw, node.code, told]
            parts += [self._macro(name) for name in self._all_macros(node.macros)]
        if self.has_hooks(node):
            parts += [*(node.config.get(key) for key in AROUND_ONE), self._own_macros()]
        return hashlib.sha256(json.dumps(parts, sort_keys=True, default=str).encode()).hexdigest()

    def has_hooks(self, node: DbtNode) -> bool:
        """Whether statements run before or after a node is built."""
        return any(node.config.get(key) for key in AROUND_ONE)

    @cached_property
    def around_all(self) -> str:
        """What runs around all models, and how they are materialized, as a digest."""
        nodes = _mapping(self._data.get("nodes"))
        operations = [
            [id_, node.get("raw_code"), node.get("compiled_code")]
            for id_, node in sorted(nodes.items())
            if isinstance(node, dict) and node.get("resource_type") == "operation"
        ]
        functions = [
            node.get("raw_code") or node.get("compiled_code")
            for table in (nodes, _mapping(self._data.get("functions")))
            for node in table.values()
            if isinstance(node, dict) and node.get("resource_type") == "function"
        ]
        own = self._own_macros() if operations else self._overriding_macros()
        text = json.dumps([operations, functions, own], sort_keys=True, default=str)
        return hashlib.sha256(text.encode()).hexdigest()

    def _own_macros(self) -> list[str]:
        """The macros of the project itself, and of packages that are not dbt's."""
        return [str(macro.get("macro_sql", "")) for macro in self._macros(of_dbt=False)]

    def _overriding_macros(self) -> list[str]:
        """Own macros that take the place of dbt's: by name, or for an adapter."""
        names = {macro.get("name") for macro in self._macros(of_dbt=True)}
        return [
            str(macro.get("macro_sql", ""))
            for macro in self._macros(of_dbt=False)
            if macro.get("name") in names
            or "__" in str(macro.get("name"))
            or str(macro.get("name")).startswith("materialization_")
        ]

    def _macros(self, *, of_dbt: bool) -> list[Mapping[str, Any]]:
        macros = sorted(_mapping(self._data.get("macros")).items())
        return [
            macro
            for _, macro in macros
            if isinstance(macro, dict)
            and (str(macro.get("package_name", "")) in OWN_PACKAGES) is of_dbt
        ]

    def changed_sources(self, other: Manifest) -> Iterator[str]:
        """Tables of sources that another manifest has elsewhere."""
        for id_ in self.sources.keys() & other.sources.keys():
            one, two = (
                [m.sources[id_].get(key) for key in ("relation_name", "external", "identifier")]
                for m in (self, other)
            )
            if json.dumps(one, sort_keys=True, default=str) != json.dumps(
                two, sort_keys=True, default=str
            ):
                yield from filter(None, (self.relation(id_), other.relation(id_)))

    def storage(self, node: DbtNode) -> str:
        """How the rows of a node are stored, as a text to compare."""
        told = [node.config.get(key) for key in OF_STORAGE]
        return json.dumps(told, sort_keys=True, default=str)

    def _macro(self, name: str) -> str:
        macro = _mapping(_mapping(self._data.get("macros")).get(name))
        return str(macro.get("macro_sql", ""))

    def _all_macros(self, names: Sequence[str]) -> list[str]:
        """Macros and those they call."""
        macros = _mapping(self._data.get("macros"))
        found: dict[str, None] = {}
        waiting = list(names)
        while waiting:
            name = waiting.pop()
            if name not in found:
                found[name] = None
                depends = _mapping(_mapping(macros.get(name)).get("depends_on"))
                waiting += map(str, _list(depends.get("macros")))
        return sorted(found)

    # -- what is declared of tables ----------------------------------------------------------------

    def statements(self, node: DbtNode) -> tuple[dict[str, str], set[str]]:
        """CREATE TABLE statements of what a node reads, by table, as far as something tells columns.

        And the tables whose columns only a description tells.
        """
        found: dict[str, str] = {}
        described: set[str] = set()
        for id_ in self.all_reads(node):
            table, columns, is_complete = self._declared(id_)
            if table and columns:
                found[table] = f"CREATE TABLE {_quoted(table)} ({', '.join(columns)})"
                if not is_complete:
                    described.add(table)
        return found, described

    def mentioned(self, node: DbtNode) -> list[str]:
        """Tables whose names stand in the code of a node, though it may not say that it reads them."""
        code = re.sub(r'[`"]', "", f"{node.code} {node.raw}").lower()
        words = set(re.findall(r"\w+", code))
        tables = [n.relation for n in self.nodes.values()]
        return [
            t for t in tables if t and t.rpartition(".")[2].lower() in words and t != node.relation
        ]

    def all_reads(self, node: DbtNode) -> list[str]:
        """What a node reads; of ephemeral models, which are part of it, what they read."""
        found: dict[str, None] = {}
        waiting = list(node.reads)
        while waiting:
            id_ = waiting.pop(0)
            if id_ not in found:
                found[id_] = None
                inner = self.nodes.get(id_)
                if inner is not None and inner.materialized == "ephemeral":
                    waiting += inner.reads
        return list(found)

    def _declared(self, id_: str) -> tuple[str, list[str], bool]:
        """The table of a node or source, its columns, and whether these are all there are."""
        source, node = self.sources.get(id_), self.nodes.get(id_)
        if source is not None:
            table, told = _plain_name(source.get("relation_name")), _mapping(source.get("columns"))
            is_complete = False
        elif node is not None:
            table, told = node.relation, node.columns if node.contract else {}
            is_complete = True
            if node.kind == "seed":
                types = _mapping(node.config.get("column_types"))
                told = {name: {"name": name, "data_type": t} for name, t in types.items()}
        else:
            return "", [], False
        in_catalog = self._in_catalog(id_)
        if in_catalog:
            return table, in_catalog, True
        columns = [_column(c) for c in told.values()]
        return table, [] if "" in columns else columns, is_complete

    def _in_catalog(self, id_: str) -> list[str]:
        for part in ("nodes", "sources"):
            entry = _mapping(_mapping(self._catalog.get(part)).get(id_))
            told = [c for c in _mapping(entry.get("columns")).values() if isinstance(c, dict)]
            if told:
                columns = sorted(told, key=lambda c: int(c.get("index") or 0))
                named = [{"name": c.get("name"), "data_type": c.get("type")} for c in columns]
                return [_column(c) for c in named]
        return []

    @cached_property
    def constraints(self) -> dict[str, list[Constraint]]:
        """What tests and contracts declare, by table."""
        found: dict[str, list[Constraint]] = {}
        for constraint in dict.fromkeys([*self._tested(), *self._contracted()]):
            found.setdefault(constraint.table, []).append(constraint)
        return found

    def _tested(self) -> Iterator[Constraint]:
        """Constraints of `unique`, `not_null` and `relationships` tests that always hold."""
        unique: set[tuple[str, str]] = set()
        present: set[tuple[str, str]] = set()
        parents: list[tuple[str, str, str, str]] = []
        for test in _table(self._data, "nodes", self.path).values():
            told = _certain_test(test)
            table = self.relation(str(test.get("attached_node", ""))) if told else ""
            column = str(test.get("column_name") or "") if told else ""
            if not table or not column.isidentifier():
                continue
            if told == "unique":
                unique.add((table, column))
            elif told == "not_null":
                present.add((table, column))
            else:
                field_ = str(test["test_metadata"]["kwargs"].get("field", ""))
                read = map(str, _list(_mapping(test.get("depends_on")).get("nodes")))
                parents += [
                    (table, column, r, field_)
                    for r in map(self.relation, read)
                    if r not in ("", table)
                ]
        for table, column in sorted(unique & present):
            yield Constraint(table, column, f"ADD PRIMARY KEY ({quote_name(column)})")
        for table, column in sorted(unique - present):
            text = f"ADD CONSTRAINT {column}_is_unique UNIQUE ({quote_name(column)})"
            yield Constraint(table, column, text)
        for table, column in sorted(present - unique):
            yield Constraint(table, column, f"ALTER COLUMN {quote_name(column)} SET NOT NULL")
        for table, column, parent, name in sorted(parents):
            if (parent, name) in unique & present:
                keys = f"({quote_name(column)}) REFERENCES {_quoted(parent)} ({quote_name(name)})"
                text = f"ADD CONSTRAINT {column}_refers FOREIGN KEY {keys}"
                yield Constraint(table, column, text, (parent, name))

    def _contracted(self) -> Iterator[Constraint]:
        """Constraints of contracts that are enforced: NOT NULL of Delta tables alone."""
        for node in self.nodes.values():
            is_delta = self.adapter == "databricks" or node.config.get("file_format") == "delta"
            is_enforced = node.contract and is_delta and node.materialized in ENFORCED
            for column in map(_mapping, node.columns.values()) if is_enforced else ():
                kinds = {_mapping(c).get("type") for c in _list(column.get("constraints"))}
                name = str(column.get("name"))
                if "not_null" in kinds:
                    text = f"ALTER COLUMN {quote_name(name)} SET NOT NULL"
                    yield Constraint(node.relation, name, text)

    def relation(self, id_: str) -> str:
        """The table of a node or source."""
        if id_ in self.nodes:
            return self.nodes[id_].relation
        return _plain_name(_mapping(self.sources.get(id_)).get("relation_name"))

    # -- versions ----------------------------------------------------------------------------------

    def load(
        self,
        node: DbtNode,
        ddl: str,
        tables: str,
        settings: SessionSettings,
        called: str,
        constraints: Mapping[str, Sequence[Constraint]],
    ) -> Version:
        """The version of a model: `ddl` is what the user declares, `tables` what other models fill."""
        _require_model(node)
        known, described = self.statements(node)
        own = {t: s for t, s in known.items() if not _mentions(t, ddl) and not _mentions(t, tables)}
        statements = [ddl, tables, *own.values()]
        text = joined(*statements)
        declared = read_schema(text)
        for table in sorted(constraints):
            statements += _applicable(constraints[table], declared)
        text = joined(*statements)
        query = node.code if self.is_exact else spark_query(node.code, self.adapter)
        return model_version(
            called,
            query,
            node.relation,
            text,
            settings,
            described=described & own.keys(),
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
    metadata, config = _mapping(test.get("test_metadata")), _mapping(test.get("config"))
    name = str(metadata.get("name", ""))
    macros = _list(_mapping(test.get("depends_on")).get("macros"))
    strict = (
        config.get("enabled", True)
        and config.get("fail_calc", "count(*)") == "count(*)"
        and f"macro.dbt.test_{name}" in macros
        and not config.get("where")
        and not config.get("limit")
        and str(config.get("severity", "error")).lower() == "error"
        and config.get("error_if", "!= 0") == "!= 0"
        and metadata.get("namespace") is None
        and isinstance(metadata.get("kwargs"), dict)
    )
    return name if strict and name in ("unique", "not_null", "relationships") else ""


def _column(told: Any) -> str:
    """A column of a CREATE TABLE statement; empty if its type is not told."""
    if not isinstance(told, Mapping) or not told.get("name") or not told.get("data_type"):
        return ""
    return f"{quote_name(str(told['name']))} {told['data_type']}"


def _mentions(table: str, ddl: str) -> bool:
    """Whether a schema declares a table."""
    plain = re.sub(r"\s+", " ", ddl.replace("`", "").lower())
    return re.search(rf"\bcreate table {re.escape(table.lower())}\s*\(", plain) is not None


def _plain_name(relation: Any) -> str:
    """The name of a relation without quotes: those of any adapter; empty if it has odd parts."""
    parts = re.findall(r'`[^`]*`|"[^"]*"|[^.`"]+', str(relation or ""))
    plain = [part.strip('`"') for part in parts]
    return ".".join(plain) if all(re.fullmatch(r"[\w $-]+", p) for p in plain) else ""


def _quoted(table: str) -> str:
    return ".".join(map(quote_name, table.split(".")))


def _mapping(value: Any) -> Mapping[str, Any]:
    return value if isinstance(value, Mapping) else {}


def _list(value: Any) -> list[Any]:
    return value if isinstance(value, list) else []


def _applicable(constraints: Sequence[Constraint], declared: Mapping[str, Source]) -> list[str]:
    """Constraints with only declared tables and columns."""
    kept = []
    for constraint in constraints:
        needed = [(constraint.table, constraint.column)]
        needed += [constraint.parent] if constraint.parent else []
        columns = [
            {f.name.lower() for f in declared[t.lower()].fields} if t.lower() in declared else set()
            for t, _ in needed
        ]
        if all(name.lower() in there for (_, name), there in zip(needed, columns, strict=True)):
            kept.append(f"ALTER TABLE {_quoted(constraint.table)} {constraint.text}")
    return kept


def _read_json(path: Path) -> dict[str, Any]:
    try:
        if path.stat().st_size > MOST_BYTES:
            raise ParseError(f"{path}: more than {MOST_BYTES >> 20} MiB")
        data = json.loads(path.read_bytes())
    except OSError as error:
        raise InputError(f"{path}: {error.strerror}") from None
    except (ValueError, RecursionError) as error:
        raise ParseError(f"{path}: not JSON: {error}") from None
    if not isinstance(data, dict):
        raise ParseError(f"{path}: not a JSON object")
    return data


def _table(data: Mapping[str, Any], key: str, path: str) -> dict[str, Any]:
    value = data.get(key)
    if not isinstance(value, dict):
        raise ParseError(f"{path}: not a manifest of dbt: {key} is missing")
    return value
