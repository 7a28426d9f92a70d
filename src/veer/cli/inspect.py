"""Commands that only look: `diff`, `show`, `schema`, `doctor`."""

from __future__ import annotations

from itertools import islice
from pathlib import Path
from typing import Annotated, Any

import click

from veer.cli import options
from veer.cli.declare import Argument, Option
from veer.cli.terminal import console, progress
from veer.errors import InputError
from veer.options import JvmUse, TextOrJson
from veer.read.pyspark.offline.loader import start_for
from veer.visible import json_text, visible


def diff(
    p: Annotated[str, options.spec("BEFORE", "The version before.")],
    q: Annotated[str, options.spec("AFTER", "The version after.")],
    schema: options.Schema = "",
    arg: options.Arguments = None,
    conf: options.Settings = None,
    spark: options.Spark = "",
    env: options.Environment = None,
    jvm: options.Jvm = JvmUse.AUTO,
    store: options.StoreLocation = "",
    mappings: Annotated[int, Option(metavar="K", min=1, help="Show the K best edit mappings.")] = 1,
    format: options.ListFormat = TextOrJson.TEXT,
) -> None:
    """Show the edits between two versions.

    Veer pairs the operators by id if ids are stable (workflow files), otherwise by structure.
    """
    start_for(jvm, p, q)
    from veer.api import best_pairs, load_pair
    from veer.show.as_text import print_edits

    with progress() as say:
        say(f"reading {p} and {q}")
        reading = options.reading(p, jvm, arg, env, store=store)
        old, new = load_pair(
            p, q, schema=schema, conf=options.settings(conf), spark=spark, **reading
        )
    listed = [_edits(pair) for pair in islice(best_pairs(old, new), mappings)]
    if format is TextOrJson.JSON:
        click.echo(json_text({"p": old.name, "q": new.name, "mappings": listed}))
        return
    output = console()
    for number, each in enumerate(listed, 1):
        if mappings > 1:
            output.print(f"[bold]mapping {number}[/]")
        print_edits(output, each["edits"])


def _edits(pair: Any) -> dict[str, Any]:
    """An edit mapping and its edits as JSON data."""
    from veer.show.as_json import edits_json
    from veer.verification.versions.describe import describe_edits

    mapped = [list(ids) for ids in sorted(pair.mapping.pairs)]
    return {"mapping": mapped, "edits": edits_json(describe_edits(pair))}


def show(
    spec: Annotated[str, options.spec("SPEC", "The version to print.")],
    schema: options.Schema = "",
    arg: options.Arguments = None,
    conf: options.Settings = None,
    spark: options.Spark = "",
    env: options.Environment = None,
    jvm: options.Jvm = JvmUse.AUTO,
    store: options.StoreLocation = "",
    format: options.ListFormat = TextOrJson.TEXT,
) -> None:
    """Print a version as Veer understands it, one operator per line.

    For a stored version (store:report@3) also what it read and where its results are.
    """
    start_for(jvm, spec)
    from veer.api import load
    from veer.ir.json import to_json
    from veer.ir.pprint import show_dataflow
    from veer.read.inputs import ReadOptions
    from veer.read.registry import front_end_of, parse

    with progress() as say:
        say(f"reading {spec}")
        reading = options.reading(spec, jvm, arg, env, store=store)
        version = load(spec, schema=schema, conf=options.settings(conf), spark=spark, **reading)
    if format is TextOrJson.JSON:
        click.echo(json_text(to_json(version.dataflow)))
        return
    source = parse(spec)
    front_end_of(source).describe(source, ReadOptions(store=store))
    click.echo(visible(show_dataflow(version.dataflow), lines=True))


def schema_of(
    tables: Annotated[
        list[str],
        Argument(
            metavar="[NAME=]TABLE|PATH...",
            help="A Parquet, ORC, Avro or Delta file or folder, a file of df.schema.json(), or a table of "
            "the catalog (db.t). NAME is the name of the table; by default that of the file or table.",
        ),
    ],
    out: Annotated[
        str, Option(metavar="FILE", help="Write to this file instead of printing.")
    ] = "",
    conf: options.Settings = None,
) -> None:
    """Write the CREATE TABLE statements of data files and tables, for --schema. The data is not read.

    Examples:

      veer schema-of warehouse/orders warehouse/customers --out tables.ddl

      veer schema-of sales.orders=exports/orders.parquet schemas/items.json

      veer schema-of sales.orders --conf spark.remote=sc://host

    A Spark session looks up tables of the catalog, which needs Java: with the warehouse and metastore
    of this folder, or those of --conf (spark.sql.warehouse.dir, spark.remote, catalogs). Files need no
    Java. Columns from names of folders (day=2024-01-01) are declared as text: correct those that Spark
    reads as dates and numbers. Add keys and NOT NULL yourself; with them Veer can prove more.
    """
    options.check_out_file(out)
    from veer.read.pyspark.catalog_schemas import LiveCatalog, is_table_name
    from veer.read.pyspark.schemas import schema_ddl, table_ddl, table_name

    statements, catalog = [], None
    for given in tables:
        name, equals, path = given.partition("=")
        if not equals or Path(given).exists():
            name, path = "", given
        try:
            if is_table_name(path) and not Path(path).exists():
                catalog = catalog or LiveCatalog(options.settings(conf))
                statements.append(schema_ddl(name or path, catalog.schema(path)))
            else:
                statements.append(table_ddl(name or table_name(Path(path)), Path(path)))
        except InputError as error:
            raise type(error)(
                f"{given}: {error}" if path not in str(error) else str(error)
            ) from None
    text = "\n".join(statements) + "\n"
    if out:
        Path(out).write_text(text, encoding="utf-8")
    else:
        click.echo(visible(text, lines=True), nl=False)


def schema() -> None:
    """Print the JSON Schema of workflow files."""
    from veer.read.workflow.schema import SCHEMA

    click.echo(json_text(SCHEMA))


def doctor() -> None:
    """Check the installation: versions, Java, and a panel of pairs with known verdicts."""
    from veer.cli.doctor import examine

    raise click.exceptions.Exit(examine(console()))
