"""The front end of `.sql` files."""

from __future__ import annotations

from veer.errors import InputError
from veer.ir.ops import Source
from veer.read.inputs import Input, ReadOptions, place_of
from veer.read.sql import read_schema, read_sql
from veer.settings import current
from veer.verification.versions.version import Version


def declared_tables(options: ReadOptions) -> dict[str, Source]:
    """The tables of `--schema`, by name."""
    try:
        return read_schema(options.ddl())
    except InputError as error:
        raise type(error)(f"--schema: {error}") from None


def read(source: Input, options: ReadOptions) -> Version:
    """The version of a file of Spark SQL, with the tables of `--schema`."""
    text = source.read_text()
    dataflow = read_sql(text, declared_tables(options))
    place = place_of(source.path)
    return Version(
        source.name, dataflow, stable_ids=False, text=text, place=place, settings=current()
    )
