"""Calls inside of Python functions: of the project's code, of listed functions, of anything."""

from __future__ import annotations

import ast
import functools
import types
from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, Any

from veer.frontends.declared import declarations
from veer.frontends.python.origins import is_importable, is_library
from veer.frontends.python.purity.results import (
    Args,
    ItemGetter,
    all_arguments,
    listed_name,
)
from veer.frontends.python.purity.traits import (
    NO_TRAITS,
    UNORDERED,
    UNSHARED_DATA,
    UNSTABLE_TEXT,
    AbstractValue,
    BoundCall,
    BuiltinMethod,
    LocalFunction,
    Trait,
    join,
)
from veer.functions.registry import Kind

if TYPE_CHECKING:
    from veer.frontends.python.purity.analysis import Analysis
    from veer.frontends.python.purity.learned import NameScope


class Calls:
    """Follows calls for one analysis."""

    def __init__(self, analysis: Analysis) -> None:
        self.analysis = analysis

    def call(self, node: ast.Call, scope: NameScope) -> AbstractValue:
        """A call as written; arguments behind a starred one may be any."""
        analysis = self.analysis
        base = None
        if isinstance(node.func, ast.Attribute):
            base = analysis.expressions.value(node.func.value, scope)
        else:
            callee = analysis.expressions.value(node.func, scope)
        positional: list[AbstractValue] = []
        rest: list[AbstractValue] = []
        for arg in node.args:
            if isinstance(arg, ast.Starred):
                rest.append(analysis.iterate_in_order(analysis.expressions.value(arg.value, scope)))
            elif rest:
                rest.append(analysis.expressions.value(arg, scope))
            else:
                positional.append(analysis.expressions.value(arg, scope))
        named: dict[str, AbstractValue] = {}
        for keyword in node.keywords:
            value = analysis.expressions.value(keyword.value, scope)
            if keyword.arg is None:
                rest.append(analysis.iterate_in_order(value))
            else:
                named[keyword.arg] = value
        args: Args = (positional, named, join(rest) if rest else None)
        if base is not None:
            assert isinstance(node.func, ast.Attribute)
            return self.analysis.methods.method(base, node.func.attr, args)
        if scope.hashes and any(one.value is hash for one in callee.concretes):
            return NO_TRAITS  # hashes show in the order of sets alone
        return self.invoke(callee, args)

    def invoke(self, callee: AbstractValue, args: Args) -> AbstractValue:
        """Call whatever a value may be."""
        if callee.has(Trait.UNKNOWN) or not callee.concretes:
            if callee.kind is not None and callee.has(Trait.OBJECT):
                return self.analysis.methods.method(callee, "__call__", args)
            return self.unknown(args)
        return join([self._invoke_concrete(one.value, args, callee) for one in callee.concretes])

    def _invoke_concrete(self, value: Any, args: Args, callee: AbstractValue) -> AbstractValue:
        analysis = self.analysis
        positional, named, rest = args
        name = listed_name(value)
        if name is not None:
            return self.analysis.rules.call(name, args)
        match value:
            case LocalFunction():
                return analysis.local(value, args)
            case ItemGetter():
                return join(map(analysis.element, all_arguments(args)))
            case BoundCall() | functools.partial() | types.MethodType():
                return self._invoke_bound(value, args)
            case BuiltinMethod():
                return self.analysis.methods.plain_method(value.base, value.name, args)
            case types.FunctionType() | types.BuiltinFunctionType() if self._is_trusted(
                value, args
            ):
                return UNSHARED_DATA
            case types.FunctionType():
                if is_library(value.__module__ or ""):
                    return self.unknown(args, value.__module__)
                return analysis.function(value, args)
            case types.BuiltinFunctionType():
                return self._builtin(value, args)
            case types.MethodDescriptorType() | types.WrapperDescriptorType():
                first = [*positional, *([] if rest is None else [rest])]
                if not first:
                    return NO_TRAITS  # it fails
                return self.analysis.methods.plain_method(
                    first[0], value.__name__, (positional[1:], named, rest)
                )
            case type():
                return self.analysis.classes.construct(value, args)
            case _ if callee.kind is not None and callee.has(Trait.OBJECT):
                return self.analysis.methods.method(callee, "__call__", args)
            case _ if type(value) in (str, int, float, bool, type(None)):
                return NO_TRAITS  # it fails
            case _:
                return self.unknown(args)

    def _is_trusted(self, value: Any, args: Args) -> bool:
        """Whether a call is of a package that is declared to be pure, with plain data.

        What shows more than values, such as the order of a set, is not for it to answer for.
        """
        analysis = self.analysis
        package = declarations().trusted(value.__module__)
        if not package or not is_importable(value) or not is_library(value.__module__):
            return False
        if not isinstance(getattr(value, "__self__", None), types.ModuleType | None):
            return False  # a method, whose object may hold anything
        if any(
            analysis.all_traits(a) & (UNSTABLE_TEXT | Trait.CALLABLE) for a in all_arguments(args)
        ):
            return False
        analysis.trusted.add(package)
        return True

    def _invoke_bound(self, value: Any, args: Args) -> AbstractValue:
        """A function that has its first arguments already."""
        analysis = self.analysis
        positional, named, rest = args
        match value:
            case BoundCall():
                callee, first, more = value.callee, value.first, dict(value.named)
            case functools.partial():
                callee = analysis.abstract(value.func)
                first = tuple(map(analysis.abstract, value.args))
                more = {n: analysis.abstract(v) for n, v in value.keywords.items()}
            case _:
                callee, more = analysis.abstract(value.__func__), {}
                first = (analysis.abstract(value.__self__),)
        return self.invoke(callee, ([*first, *positional], {**more, **named}, rest))

    def _builtin(self, value: Any, args: Args) -> AbstractValue:
        owner = value.__self__
        if owner is None or isinstance(owner, types.ModuleType):
            return self.unknown(args, value.__module__ or "")
        if isinstance(owner, type):
            return self.analysis.methods.class_method(owner, value.__name__, args)
        return self.analysis.methods.plain_method(
            self.analysis.abstract(owner), value.__name__, args
        )

    def unknown(self, args: Args, module: str = "") -> AbstractValue:
        """A call of something not known to be pure; it may change what it is given."""
        for arg in all_arguments(args):
            lent = arg.has(Trait.ARGUMENT) and not arg.has(Trait.TABLE)
            if arg.has(Trait.CONTAINER) and (lent or arg.has(Trait.PERSISTENT)):
                self.analysis.note(Kind.PARTITION)
        self.call_function_arguments(all_arguments(args), all_arguments(args))
        if module.partition(".")[0] == "pyspark":
            self.analysis.note(Kind.PARTITION)
        return self.analysis.note_choice()

    def call_function_arguments(
        self, callees: Iterable[AbstractValue], others: Sequence[AbstractValue]
    ) -> AbstractValue:
        """Functions among arguments are called with whatever else is there."""
        analysis = self.analysis
        items = [v for g in others for v in (g, analysis.element(g)) if not g.has(Trait.CALLABLE)]
        result: AbstractValue | None = None
        for callee in callees:
            if not callee.has(Trait.CALLABLE):
                continue
            if callee.has(Trait.UNKNOWN) or not callee.concretes:
                analysis.note_choice()
                continue
            before, unordered = analysis.learned.changes, any(g.has(UNORDERED) for g in others)
            # What a function gives it may be given next, as in `reduce`: until that is stable.
            for _ in range(4):
                again = [] if result is None else [result, analysis.element(result)]
                returned = self.invoke(callee, ([], {}, join([*items, *again])))
                grown = returned if result is None else join([result, returned])
                if grown == result:
                    break
                result = grown
            else:
                analysis.note_choice()
            # Called for each item of a set, a function that changes something shows their order.
            if unordered and analysis.learned.changes > before:
                analysis.note_choice()
        if result is None:
            return NO_TRAITS
        analysis.note_contents(result)
        return result
