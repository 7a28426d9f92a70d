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
from veer.frontends.python.purity.traits import (
    ILLEGIBLE,
    NOTHING,
    UNORDERED,
    Trait,
    Value,
    boxed,
    joined,
    live,
)
from veer.frontends.python.source import Missing
from veer.functions.registry import Kind

if TYPE_CHECKING:
    from veer.frontends.python.purity.analysis import Analysis, Scope


LEAVING = (ast.Return, ast.Break, ast.Continue)


class Body:
    """Interprets the statements of one function."""

    def __init__(self, analysis: Analysis, scope: Scope) -> None:
        self.analysis, self.scope = analysis, scope

    def give(self, value: Value) -> None:
        self.analysis.bind(self.scope, "return ", value)

    def yielded(self, value: Value) -> None:
        self.analysis.store(value)
        self.analysis.bind(self.scope, "yield ", value)

    def result(self) -> Value:
        found = self.scope.values.get("return ", NOTHING)
        yielded = self.scope.values.get("yield ")
        return found if yielded is None else boxed([yielded], Trait.LAZY)

    def value(self, node: ast.expr) -> Value:
        return self.analysis.value(node, self.scope)

    def follow(self, statements: Sequence[ast.stmt]) -> None:
        for statement in statements:
            self.statement(statement)

    def statement(self, node: ast.stmt) -> None:
        analysis = self.analysis
        match node:
            case ast.Return(value=value):
                self.give(live(None) if value is None else self.value(value))
            case ast.Expr(value=value):
                self.value(value)
            case ast.Assign(targets=[ast.Tuple(elts=targets)], value=ast.Tuple(elts=values)) if len(
                targets
            ) == len(values) and not any(isinstance(e, ast.Starred) for e in (*targets, *values)):
                for target, found in zip(targets, analysis.values(values, self.scope), strict=True):
                    self.assign(target, found)
            case ast.Assign(targets=targets, value=value):
                found = self.value(value)
                for target in targets:
                    self.assign(target, found)
            case ast.AnnAssign(target=target, value=value):
                if value is not None:
                    self.assign(target, self.value(value))
            case ast.AugAssign(target=target, op=op, value=value):
                self.augment(target, op, self.value(value))
            case (
                ast.If(test=test, body=body, orelse=orelse)
                | ast.While(test=test, body=body, orelse=orelse)
            ):
                self.value(test)
                self.follow([*body, *orelse])
            case ast.For(target=target, iter=source, body=body, orelse=orelse):
                self.assign(target, analysis.over(self.value(source)))
                self.follow([*body, *orelse])
            case ast.Try(body=body, handlers=handlers, orelse=orelse, finalbody=final):
                if any(isinstance(n, LEAVING) for s in final for n in ast.walk(s)):
                    analysis.choose()  # whatever exception there was is dropped
                self.follow(body)
                for handler in handlers:
                    self.handler(handler)
                self.follow([*orelse, *final])
            case ast.With(items=items, body=body):
                for item in items:
                    found = self.value(item.context_expr)
                    if found.has(Trait.UNKNOWN):
                        analysis.choose()
                    if item.optional_vars is not None:
                        special = analysis.facts.special
                        self.assign(item.optional_vars, joined([found, special]))
                self.follow(body)
            case ast.Raise(exc=exc, cause=cause):
                for part in (exc, cause):
                    if part is not None:
                        self.value(part)
            case ast.Assert(test=test, msg=msg):
                self.value(test)
                if msg is not None:
                    self.value(msg)
            case ast.FunctionDef(name=name, decorator_list=[]):
                analysis.bind(self.scope, name, analysis.defined(node, self.scope))
            case ast.Import(names=aliases):
                for alias in aliases:
                    self.imported(alias)
            case ast.ImportFrom(module=module, names=aliases, level=level):
                for alias in aliases:
                    self.taken(module, alias, level)
            case ast.Delete(targets=targets):
                for target in targets:
                    if isinstance(target, ast.Subscript | ast.Attribute):
                        self.changed(target, [])
            case ast.Match(subject=subject, cases=cases):
                self.match(self.value(subject), cases)
            case ast.Pass() | ast.Break() | ast.Continue():
                pass
            case ast.Global() | ast.Nonlocal():
                analysis.note(Kind.PARTITION)
            case _:
                analysis.lost()

    def assign(self, target: ast.expr, value: Value) -> None:
        match target:
            case ast.Name(id=name):
                self.analysis.bind(self.scope, name, value)
            case ast.Tuple(elts=elts) | ast.List(elts=elts):
                item = self.analysis.over(value)
                for one in elts:
                    if isinstance(one, ast.Starred):
                        self.assign(one.value, boxed([item]))
                    else:
                        self.assign(one, item)
            case ast.Subscript() | ast.Attribute():
                self.changed(target, [value])
            case _:
                self.analysis.choose()

    def changed(self, target: ast.Subscript | ast.Attribute, stored: list[Value]) -> None:
        """An item or an attribute set or deleted."""
        base = self.value(target.value)
        if isinstance(target, ast.Subscript):
            stored.append(self.value(target.slice))
        elif base.has(Trait.CALLED) or any(type(one.value) is not str for one in base.lives):
            self.analysis.note(Kind.PARTITION)
        self.analysis.change(base, *stored)

    def augment(self, target: ast.expr, op: ast.operator, value: Value) -> None:
        """`target op= value`, which changes a list where it is."""
        analysis = self.analysis
        if not isinstance(target, ast.Name):
            assert isinstance(target, ast.Subscript | ast.Attribute)
            self.changed(target, [value])
            if isinstance(target, ast.Attribute):
                before = analysis.calls.attribute(self.value(target.value), target.attr)
            else:
                before = analysis.element(self.value(target.value))
            analysis.operate(op, before, value)
            if before.has(Trait.SHARED | Trait.UNKNOWN):
                analysis.change(before, value)
            return
        before = analysis.name(target.id, self.scope)
        if before.has(Trait.SHARED | Trait.UNKNOWN):
            analysis.change(before, value)
        if before.has(Trait.BOX) and value.has(UNORDERED) and not before.has(Trait.SET):
            analysis.choose()
        if before.has(Trait.BOX):
            analysis.change(NOTHING, analysis.element(value))
        found = analysis.operate(op, before, value)
        analysis.bind(self.scope, target.id, found)

    def handler(self, node: ast.ExceptHandler) -> None:
        """An exception: its text may show what was seen."""
        if node.type is not None:
            many = node.type.elts if isinstance(node.type, ast.Tuple) else [node.type]
            for kind in many:
                self.analysis.calls.allowed_exceptions(self.value(kind))
        else:
            self.analysis.choose()
        if node.name is not None:
            shown = self.analysis.facts.seen & (ILLEGIBLE | Trait.LAZY)
            self.analysis.bind(self.scope, node.name, Value(shown | Trait.BOX))
        self.follow(node.body)

    def match(self, subject: Value, cases: Sequence[ast.match_case]) -> None:
        item = joined([subject, self.analysis.element(subject)])
        if subject.has(UNORDERED | Trait.UNKNOWN | Trait.OBJECT):
            self.analysis.choose()
        for case in cases:
            for part in ast.walk(case.pattern):
                if isinstance(part, ast.expr):
                    if not isinstance(part, ast.expr_context):
                        self.value(part)
                elif isinstance(part, ast.MatchAs | ast.MatchStar) and part.name:
                    self.analysis.bind(self.scope, part.name, item)
                elif isinstance(part, ast.MatchMapping) and part.rest:
                    self.analysis.bind(self.scope, part.rest, boxed([item]))
            if case.guard is not None:
                self.value(case.guard)
            self.follow(case.body)

    def imported(self, alias: ast.alias) -> None:
        module = module_named(alias.name)
        top = module_named(alias.name.partition(".")[0])
        found = module if alias.asname else top
        name = alias.asname or alias.name.partition(".")[0]
        value = self.analysis.choose() if found is None else self.analysis.live(found)
        self.analysis.bind(self.scope, name, value)

    def taken(self, module: str | None, alias: ast.alias, level: int) -> None:
        if level:
            try:
                package = self.scope.lookup("__package__")
                module = importlib.util.resolve_name("." * level + (module or ""), package)
            except (Missing, ImportError, TypeError, ValueError):
                module = None
        found = None if module is None else module_named(module)
        name = alias.asname or alias.name
        if found is None or alias.name == "*":
            value = self.analysis.choose()
        else:
            value = self.analysis.calls.attribute(self.analysis.live(found), alias.name)
        self.analysis.bind(self.scope, name, value)


def module_named(name: str) -> types.ModuleType | None:
    """A module that is loaded, or one of those whose parts are known."""
    if name in sys.modules:
        return sys.modules[name]
    if name in allow_list.MODULES and name.partition(".")[0] in sys.stdlib_module_names:
        return importlib.import_module(name)
    return None
