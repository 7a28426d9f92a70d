"""Statements of Python functions, and what they do to purity."""

from __future__ import annotations

import ast
import importlib
import importlib.util
import sys
import types
from collections.abc import Sequence
from typing import TYPE_CHECKING

from veer.frontends.python.purity import allow_list
from veer.frontends.python.purity.learned import Leaving, NameScope
from veer.frontends.python.purity.traits import (
    NO_TRAITS,
    UNORDERED,
    UNSTABLE_TEXT,
    AbstractValue,
    Trait,
    abstract,
    join,
    new_container,
)
from veer.frontends.python.source import Missing
from veer.functions.registry import Kind

if TYPE_CHECKING:
    from veer.frontends.python.purity.analysis import Analysis


LEAVING = (ast.Return, ast.Break, ast.Continue)


class Body:
    """Interprets the statements of one function."""

    def __init__(self, analysis: Analysis, scope: NameScope) -> None:
        self.analysis, self.scope = analysis, scope

    def give(self, value: AbstractValue) -> None:
        """Note what the function returns."""
        self.analysis.grow(self.scope.results, Leaving.RETURN, value)

    def yielded(self, value: AbstractValue) -> None:
        """Note what the function yields, which makes it a generator."""
        self.analysis.note_contents(value)
        self.analysis.grow(self.scope.results, Leaving.YIELD, value)

    def result(self) -> AbstractValue:
        """What a call of the function gives."""
        yielded = self.scope.results.get(Leaving.YIELD)
        if yielded is not None:
            return new_container([yielded], Trait.ITERATOR)
        return self.scope.results.get(Leaving.RETURN, NO_TRAITS)

    def value(self, node: ast.expr) -> AbstractValue:
        """The value of an expression here."""
        return self.analysis.expressions.value(node, self.scope)

    def follow(self, statements: Sequence[ast.stmt]) -> None:
        """Interpret statements; both ways of a branch, since locals have one value for all."""
        for statement in statements:
            self.statement(statement)

    def statement(self, node: ast.stmt) -> None:
        """Interpret one statement; of a kind that is not listed nothing is known."""
        analysis = self.analysis
        match node:
            case ast.Return(value=value):
                self.give(abstract(None) if value is None else self.value(value))
            case ast.Expr(value=value):
                self.value(value)
            case ast.Assign() | ast.AnnAssign() | ast.AugAssign() | ast.Delete():
                self._assignment(node)
            case ast.If() | ast.While() | ast.For() | ast.Try() | ast.With() | ast.Match():
                self._block(node)
            case ast.Raise(exc=first, cause=second) | ast.Assert(test=first, msg=second):
                for part in (first, second):
                    if part is not None:
                        self.value(part)
            case ast.FunctionDef(name=name, decorator_list=[]):
                analysis.bind(self.scope, name, analysis.expressions.defined(node, self.scope))
            case ast.Import(names=aliases):
                for alias in aliases:
                    self.imported(alias)
            case ast.ImportFrom(module=module, names=aliases, level=level):
                for alias in aliases:
                    self.taken(module, alias, level)
            case ast.Pass() | ast.Break() | ast.Continue():
                pass
            case ast.Global() | ast.Nonlocal():
                analysis.note(Kind.PARTITION)  # declared to be set: what is set outlives the call
            case _:
                analysis.note_unfollowed()

    def _assignment(self, node: ast.Assign | ast.AnnAssign | ast.AugAssign | ast.Delete) -> None:
        match node:
            case ast.Assign(targets=[ast.Tuple(elts=targets)], value=ast.Tuple(elts=values)) if len(
                targets
            ) == len(values) and not any(isinstance(e, ast.Starred) for e in (*targets, *values)):
                assigned = self.analysis.expressions.values(values, self.scope)
                for target, value in zip(targets, assigned, strict=True):
                    self.assign(target, value)
            case ast.Assign(targets=targets, value=expression):
                value = self.value(expression)
                for target in targets:
                    self.assign(target, value)
            case ast.AnnAssign(target=target, value=optional):
                if optional is not None:
                    self.assign(target, self.value(optional))
            case ast.AugAssign(target=target, op=op, value=expression):
                self.augment(target, op, self.value(expression))
            case ast.Delete(targets=targets):
                for target in targets:
                    if isinstance(target, ast.Subscript | ast.Attribute):
                        self.changed(target, [])  # a local name that is deleted concerns nobody

    def _block(self, node: ast.If | ast.While | ast.For | ast.Try | ast.With | ast.Match) -> None:
        analysis = self.analysis
        match node:
            case (
                ast.If(test=test, body=body, orelse=orelse)
                | ast.While(test=test, body=body, orelse=orelse)
            ):
                self.value(test)
                self.follow([*body, *orelse])
            case ast.For(target=target, iter=source, body=body, orelse=orelse):
                self.assign(target, analysis.iterate_in_order(self.value(source)))
                self.follow([*body, *orelse])
            case ast.Try(body=body, handlers=handlers, orelse=orelse, finalbody=final):
                if any(isinstance(n, LEAVING) for s in final for n in ast.walk(s)):
                    analysis.note_choice()  # whatever exception there was is dropped
                self.follow(body)
                for handler in handlers:
                    self.handler(handler)
                self.follow([*orelse, *final])
            case ast.With(items=items, body=body):
                for item in items:
                    self._context(item)
                self.follow(body)
            case ast.Match(subject=subject, cases=cases):
                self.match(self.value(subject), cases)

    def _context(self, item: ast.withitem) -> None:
        """`with value as target`"""
        manager = self.value(item.context_expr)
        if manager.has(Trait.UNKNOWN):
            self.analysis.note_choice()
        if item.optional_vars is not None:
            entered = self.analysis.learned.operator_results
            self.assign(item.optional_vars, join([manager, entered]))

    def assign(self, target: ast.expr, value: AbstractValue) -> None:
        """`target = value`, also into several names, items and attributes."""
        match target:
            case ast.Name(id=name):
                self.analysis.bind(self.scope, name, value)
            case ast.Tuple(elts=elts) | ast.List(elts=elts):
                item = self.analysis.iterate_in_order(value)
                for one in elts:
                    if isinstance(one, ast.Starred):
                        self.assign(one.value, new_container([item]))
                    else:
                        self.assign(one, item)
            case ast.Subscript() | ast.Attribute():
                self.changed(target, [value])
            case _:
                self.analysis.note_choice()

    def changed(self, target: ast.Subscript | ast.Attribute, stored: list[AbstractValue]) -> None:
        """An item or an attribute set or deleted."""
        base = self.value(target.value)
        if isinstance(target, ast.Subscript):
            stored.append(self.value(target.slice))
        # Attributes of functions, classes, modules and objects that existed before stay set.
        elif base.has(Trait.CALLABLE) or any(type(one.value) is not str for one in base.concretes):
            self.analysis.note(Kind.PARTITION)
        self.analysis.change(base, *stored)

    def augment(self, target: ast.expr, op: ast.operator, value: AbstractValue) -> None:
        """`target op= value`, which changes a list where it is."""
        analysis = self.analysis
        if not isinstance(target, ast.Name):
            assert isinstance(target, ast.Subscript | ast.Attribute)
            self.changed(target, [value])
            if isinstance(target, ast.Attribute):
                before = analysis.attributes.attribute(self.value(target.value), target.attr)
            else:
                before = analysis.element(self.value(target.value))
            analysis.expressions.operate(op, before, value)
            if before.has(Trait.SHARED | Trait.UNKNOWN):
                analysis.change(before, value)
            return
        before = analysis.expressions.name(target.id, self.scope)
        if before.has(Trait.SHARED | Trait.UNKNOWN):
            analysis.change(before, value)
        if before.has(Trait.CONTAINER) and value.has(UNORDERED) and not before.has(Trait.SET):
            analysis.note_choice()
        if before.has(Trait.CONTAINER):
            analysis.change(NO_TRAITS, analysis.element(value))
        result = analysis.expressions.operate(op, before, value)
        analysis.bind(self.scope, target.id, result)

    def handler(self, node: ast.ExceptHandler) -> None:
        """An exception: its text may show what was seen."""
        if node.type is not None:
            many = node.type.elts if isinstance(node.type, ast.Tuple) else [node.type]
            for kind in many:
                self.analysis.classes.check_caught(self.value(kind))
        else:
            self.analysis.note_choice()  # a bare `except` catches interrupts too
        # Messages of exceptions quote values: any that was seen in the call may show in this one.
        if node.name is not None:
            shown = self.analysis.learned.seen & (UNSTABLE_TEXT | Trait.ITERATOR)
            self.analysis.bind(self.scope, node.name, AbstractValue(shown | Trait.CONTAINER))
        self.follow(node.body)

    def match(self, subject: AbstractValue, cases: Sequence[ast.match_case]) -> None:
        """`match subject`: every name in a pattern may be the subject or a part of it."""
        item = join([subject, self.analysis.element(subject)])
        # Patterns take sequences apart in their order, and objects by methods of their own.
        if subject.has(UNORDERED | Trait.UNKNOWN | Trait.OBJECT):
            self.analysis.note_choice()
        for case in cases:
            for part in ast.walk(case.pattern):
                if isinstance(part, ast.expr):
                    if not isinstance(part, ast.expr_context):
                        self.value(part)
                elif isinstance(part, ast.MatchAs | ast.MatchStar) and part.name:
                    self.analysis.bind(self.scope, part.name, item)
                elif isinstance(part, ast.MatchMapping) and part.rest:
                    self.analysis.bind(self.scope, part.rest, new_container([item]))
            if case.guard is not None:
                self.value(case.guard)
            self.follow(case.body)

    def imported(self, alias: ast.alias) -> None:
        """`import name as other` inside of a function."""
        module = module_named(alias.name)
        top = module_named(alias.name.partition(".")[0])
        bound = module if alias.asname else top
        name = alias.asname or alias.name.partition(".")[0]
        value = self.analysis.note_choice() if bound is None else self.analysis.abstract(bound)
        self.analysis.bind(self.scope, name, value)

    def taken(self, module: str | None, alias: ast.alias, level: int) -> None:
        """`from module import name` inside of a function."""
        if level:
            try:
                package = self.scope.lookup("__package__")
                module = importlib.util.resolve_name("." * level + (module or ""), package)
            except (Missing, ImportError, TypeError, ValueError):
                module = None
        source = None if module is None else module_named(module)
        name = alias.asname or alias.name
        # A module that is not loaded runs code of its own when it is.
        if source is None or alias.name == "*":
            value = self.analysis.note_choice()
        else:
            value = self.analysis.attributes.attribute(self.analysis.abstract(source), alias.name)
        self.analysis.bind(self.scope, name, value)


def module_named(name: str) -> types.ModuleType | None:
    """A module that is loaded, or one of those whose parts are known."""
    if name in sys.modules:
        return sys.modules[name]
    if name in allow_list.MODULES and name.partition(".")[0] in sys.stdlib_module_names:
        return importlib.import_module(name)
    return None
