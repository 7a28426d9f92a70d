"""SQL text split into statements: those that give one sink, and those that declare tables."""

from __future__ import annotations

from sqlglot import exp

from veer.read.sql.parse import VeerSpark, parse_statements


def can_be_replayed(text: str) -> bool:
    """Whether `sink_statements` knows a query for each sink: not for changes of tables."""
    return not any(
        isinstance(s, exp.Update | exp.Delete | exp.Merge) for s in parse_statements(text)
    )


def sink_statements(text: str, sink: str) -> list[str]:
    """Views to create first, then the query whose rows the sink holds; no table definitions."""
    before: list[str] = []
    last = ""
    for statement in parse_statements(text):
        inner = statement.args.get("expression")
        match statement:
            case exp.Create() if inner is None:
                continue
            case exp.Alter():
                continue
            case exp.Create() if str(statement.args["kind"]).upper() == "VIEW":
                before.append(statement.sql(dialect=VeerSpark))
            case exp.Create() | exp.Insert():
                target = statement.this
                name = ".".join(p.name for p in target.parts)
                query = inner.sql(dialect=VeerSpark) if inner is not None else ""
                if name == sink:
                    last = query
                # A later statement may read the table: as a view, so that nothing is written.
                elif isinstance(statement, exp.Create):
                    before.append(
                        f"CREATE OR REPLACE TEMPORARY VIEW {target.sql(VeerSpark)} AS {query}"
                    )
            case _:
                last = last or statement.sql(dialect=VeerSpark)
    prepared = [
        s.replace("CREATE VIEW", "CREATE OR REPLACE TEMPORARY VIEW", 1)
        if s.startswith("CREATE VIEW")
        else s
        for s in before
    ]
    return [*prepared, last]


def table_statements(text: str) -> dict[str, str]:
    """The CREATE TABLE statements of a schema, by the names of their tables in lower case."""
    return {
        ".".join(part.name for part in statement.this.this.parts).lower(): statement.sql(
            dialect=VeerSpark
        )
        for statement in parse_statements(text)
        if isinstance(statement, exp.Create) and isinstance(statement.this, exp.Schema)
    }


def names_used(text: str) -> set[str]:
    """The names of columns and aliases that a text uses, in lower case."""
    trees = parse_statements(text)
    columns = {c.name.lower() for tree in trees for c in tree.find_all(exp.Column)}
    aliases = {a.alias.lower() for tree in trees for a in tree.find_all(exp.Alias)}
    return (columns | aliases) - {"", "*"}


def joined(*statements: str) -> str:
    """Statements one after the other, each with or without a semicolon of its own."""
    parts = (text.strip().removesuffix(";") for text in statements)
    return ";\n".join(part for part in parts if part)
