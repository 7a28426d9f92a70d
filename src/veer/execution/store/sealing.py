"""Secrets never enter the store: what may be one is kept as a digest under the key of the store.

A value is kept as it is only under a name that is known to be harmless. Equal values have equal
digests within a store, so versions that differ in a secret are still told apart.
"""

from __future__ import annotations

import hmac
import re
from collections.abc import Mapping
from dataclasses import replace
from typing import Any, final

from veer.errors import InputError
from veer.ir import ops
from veer.ir.dag import Dataflow
from veer.ir.secrets import SECRET_ASSIGNMENT, without_secrets
from veer.ir.sources import map_sources, undeclared

SEALED = re.compile(r"sealed-[0-9a-f]{32}")
HIDDEN = "***"
SHORTEST = 4  # characters of a value that is blotted out of messages
PLAIN = ("true", "false", "none", "null")
QUOTED = re.compile(r"'([^']+)'")
# Options of readers that say how to read, not who may: their values are stored as they are.
_HARMLESS = """
    header sep delimiter quote escape comment encoding charset mode nullvalue nanvalue emptyvalue
    positiveinf negativeinf dateformat timestampformat timestampntzformat multiline linesep
    inferschema enforceschema samplingratio preferdate locale maxcolumns
    maxcharspercolumn chartoescapequoteescaping ignoreleadingwhitespace ignoretrailingwhitespace
    unescapedquotehandling columnnameofcorruptrecord enabledatetimeparsingfallback columnpruning
    primitivesasstring preferdecimal allowcomments allowunquotedfieldnames
    allowsinglequotes allownumericleadingzeros allowbackslashescapinganycharacter
    allowunquotedcontrolchars allownonnumericnumbers dropfieldifallnull ignorenullfields timezone
    rowtag roottag excludeattribute attributeprefix valuetag ignorenamespace
    wildcardcolname treatemptyvaluesasnulls
    mergeschema datetimerebasemode int96rebasemode compression wholetext
    recursivefilelookup pathglobfilter modifiedbefore modifiedafter basepath ignorecorruptfiles
    ignoremissingfiles serialization.format
    driver fetchsize batchsize numpartitions partitioncolumn lowerbound upperbound querytimeout
    pushdownpredicate pushdownaggregate pushdownlimit pushdownoffset pushdowntablesample
    prefertimestampntz isolationlevel
"""
HARMLESS = frozenset(_HARMLESS.split())
TABLE = re.compile(r"[\w.`]+")


@final
class Seal:
    """Seals values with a key; those it sealed itself it can give back."""

    def __init__(self, key: str) -> None:
        self._key = key.encode()
        self._values: dict[str, str] = {}  # by digest
        self._sources: dict[ops.Source, ops.Source] = {}  # as they are, by how they are stored

    def value(self, name: str, value: str) -> str:
        """A digest of a value under a name."""
        text = f"{name.lower()}\0{value}".encode("utf-8", "surrogatepass")
        sealed = f"sealed-{hmac.new(self._key, text, 'sha256').hexdigest()[:32]}"
        self._values[sealed] = value
        return sealed

    def text(self, text: str) -> str:
        """A path or URL without the names, passwords and tokens in it."""
        return without_secrets(text, lambda n, v: v if is_sealed(v) else self.value(n, v))

    def option(self, name: str, value: str) -> str:
        """The value of a reader's option as it may be stored."""
        table = name.lower() == "dbtable" and TABLE.fullmatch(value)
        if table or name.lower() in HARMLESS or is_sealed(value):
            return self.text(value)
        return self.value(name, value)

    def settings(self, settings: Mapping[str, Any]) -> dict[str, str]:
        """Settings of a session as they may be stored: their names are, their values are not."""
        return {name: self.value(name, str(value)) for name, value in settings.items()}

    def source(self, source: ops.Source) -> ops.Source:
        """A source as it may be stored."""
        sealed = replace(
            source,
            table=self.text(source.table),
            location=self.text(source.location),
            options=tuple((name, self.option(name, value)) for name, value in source.options),
        )
        if sealed != source:
            self._sources[undeclared(sealed)] = undeclared(source)
        return sealed

    def dataflow(self, dataflow: Dataflow) -> Dataflow:
        """A dataflow as it may be stored."""
        sealed = map_sources(dataflow, self.source)
        operators = {
            i: replace(op, target=self.text(op.target)) if isinstance(op, ops.Sink) else op
            for i, op in sealed.operators.items()
        }
        return Dataflow(operators, sealed.links, sealed.declared)

    def opened(self, source: ops.Source) -> ops.Source:
        """A source that was sealed here, as it is read."""
        original = self._sources.get(undeclared(source))
        if original is not None:
            return replace(
                source, table=original.table, location=original.location, options=original.options
            )
        hidden = [name for name, value in source.options if SEALED.search(value)]
        if hidden or SEALED.search(source.location):
            what = f"its option {hidden[0]!r}" if hidden else "a part of its location"
            raise InputError(
                f"source {source.table!r}: {what} is not kept in the store; run its file instead"
            )
        return source

    def hide(self, text: str) -> str:
        """A message without the values that were sealed here."""
        inside = (part for value in self._values.values() for part in _parts(value))
        for value in sorted({*self._values.values(), *inside}, key=len, reverse=True):
            if len(value) >= SHORTEST and value.lower() not in PLAIN:
                text = text.replace(value, HIDDEN)
        return text


def _parts(value: str) -> list[str]:
    """Parts of a value that a message may show alone: what is quoted, what follows a name."""
    parts = [*SECRET_ASSIGNMENT.findall(value), *QUOTED.findall(value)]
    return parts if re.search(r"[\s/]", value) else [*parts, *value.split(":")]


def is_sealed(value: str) -> bool:
    """Whether a value stands for another one that is not told."""
    return SEALED.fullmatch(value) is not None


__all__ = ["Seal", "is_sealed"]
