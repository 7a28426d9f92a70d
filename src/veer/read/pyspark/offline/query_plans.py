"""Plans of SQL text with its parameters, and with the plans of the views it names."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from inspect import signature
from typing import Any

from veer.errors import UnsupportedError
from veer.read.pyspark.connect.plans_with_relations import refer
from veer.read.pyspark.layout import connect_functions


def query_plan(text: str, args: Any, views: Sequence[Any], more: Mapping[str, Any]) -> Any:
    """The plan of a query; `views` are plans under the names by which the text knows them.

    `args` are the parameters of the text, by name or by place; `more` are some by name besides.
    """
    named = {**(args if isinstance(args, Mapping) else {}), **more}
    placed = [] if isinstance(args, Mapping) else list(args or ())
    from pyspark.sql.connect.plan import SQL

    make: Any = SQL
    if "views" in signature(make).parameters:
        lit = connect_functions().lit
        columns = {str(k): lit(v) for k, v in named.items()}
        return make(text, [lit(v) for v in placed], columns, views)
    if placed and named:
        raise UnsupportedError("a statement with positional parameters that may fail")
    plan = make(text, named or placed)
    return _with_views(plan, views) if views else plan


def _with_views(query: Any, views: Sequence[Any]) -> Any:
    """A query of a PySpark whose queries cannot carry views."""
    from pyspark.sql.connect.plan import LogicalPlan

    class QueryWithViews(LogicalPlan):
        """The plan of the query, and those of the views it names."""

        def plan(self, session: Any) -> Any:
            """The message of both."""
            relation = self._create_proto_relation()
            refer(relation, query.plan(session), [view.plan(session) for view in views])
            return relation

    return QueryWithViews(None)


__all__ = ["query_plan"]
