"""Parts of syntax trees that are not SQL: other front ends express their own constructs as such trees."""

from __future__ import annotations

from abc import abstractmethod
from typing import TYPE_CHECKING, final

from sqlglot import exp

if TYPE_CHECKING:
    from veer.ir.expr import Expr
    from veer.read.sql.expressions import ExprReader


class Embedded(exp.Expression):
    """A node that knows itself how it is read and what its column is called.

    As in all nodes, what it consists of is in `args`, by keyword: trees are copied by them.
    """

    key = "embedded"
    arg_types = {"expressions": False}  # noqa: RUF012

    @abstractmethod
    def read_by(self, reader: ExprReader) -> Expr:
        """The typed expression that the node means."""

    @abstractmethod
    def shown(self) -> str:
        """The node as Spark prints it in the name of a column."""

    @property
    def column_name(self) -> str | None:
        """What a column is called that is just this node, if the node says so itself."""
        return None


@final
class At(Embedded):
    """The column at a place of the rows."""

    def read_by(self, reader: ExprReader) -> Expr:
        place = int(self.args["place"])
        self.set("name", reader.plan.columns[place].name)
        return reader.plan.column(place)

    def shown(self) -> str:
        return str(self.args["name"])

    @property
    def column_name(self) -> str:
        return str(self.args["name"])
