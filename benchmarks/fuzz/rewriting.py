"""Making a second version: a few rewrites, each at a random place.

A rule is a function of a node that gives another node, or none where it does not apply. Whether a
rule keeps the meaning is not recorded: many do so only for some types, keys or nulls, and Spark
judges. `expression_rules` and `query_rules` hold them.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from random import Random

from benchmarks.fuzz.queries import Generator
from benchmarks.fuzz.schemas import Schema
from benchmarks.fuzz.tree import Node, Query, replaced, walk


@dataclass
class Context:
    """What a rule may use."""

    rng: Random
    schema: Schema
    make: Generator


Rule = Callable[[Context, Node], Node | None]
RULES: list[tuple[type[Node], Rule]] = []


def rule(kind: type[Node]) -> Callable[[Rule], Rule]:
    """Register a rule for nodes of a class."""

    def register(function: Rule) -> Rule:
        RULES.append((kind, function))
        return function

    return register


def rewritten(
    rng: Random, schema: Schema, make: Generator, query: Query
) -> tuple[Query, list[str]]:
    """A query after one to four rewrites, and their names."""
    context = Context(rng, schema, make)
    names: list[str] = []
    for _ in range(rng.choice((1, 1, 2, 2, 3, 4))):
        for _ in range(20):
            kind, rewrite = rng.choice(RULES)
            new = _once(context, kind, rewrite, query)
            if new is not None:
                query = new
                names.append(rewrite.__name__)
                break
    return query, names


def _once(context: Context, kind: type[Node], rewrite: Rule, query: Query) -> Query | None:
    """A query with a rule applied at some place."""
    places = [node for node in walk(query) if isinstance(node, kind)]
    context.rng.shuffle(places)
    for place in places[:12]:
        new = rewrite(context, place)
        if new is not None and new is not place:
            return replaced(query, place, new)
    return None
