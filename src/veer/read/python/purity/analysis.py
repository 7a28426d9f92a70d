"""Whether a Python function is a function of its arguments: only what is known to be keeps it so.

An abstract interpreter: a fixed point over an over-approximation, so whatever the function may do
in some call is seen. The body is interpreted over traits of values (`tr.py`): what may be
changed from outside, what has the order of hashes, what shows an address. Names are followed to the
objects they mean; helpers and classes of the project into their code; of everything else only what
`allow_list.py` lists is pure. Locals have one value for the whole body, whatever the order of
statements, and everything is interpreted again until nothing new is learned.

It errs to one side alone. Traits and kinds only ever grow (`note`, `grow`, `join`); what is not
recognized is `note_choice` or, where it may keep state, `note_unfollowed`; and giving up, for want
of rounds, calls or stack, gives the worst kind. A function is followed only where it is the one
that a value can be; functions that come out of collections are not.
"""

from __future__ import annotations

import ast
import contextlib
import importlib
import importlib.util
import sys
import types
from collections.abc import Callable, Sequence
from enum import Enum, auto
from typing import Any, TypeVar

from veer.functions.registry import Kind
from veer.read.python.purity import allow_list, traits as tr
from veer.read.python.purity.arguments import Arguments, as_args
from veer.read.python.purity.calls import Calls
from veer.read.python.purity.formats import is_plain_format
from veer.read.python.purity.parameters import names_in, parameters_of
from veer.read.python.purity.results import HASH, Args, is_dunder, listed_name
from veer.read.python.purity.shared_state import (
    ModuleNames,
    SharedState,
    reachable,
    shared_state,
)
from veer.read.python.purity.traits import abstract
from veer.read.python.source import Definition, Missing, definition_of

K = TypeVar("K")
MOST_ROUNDS = 30
MOST_CALLS = 400
MOST_REPEATED = 10_000  # how often a constant may be repeated
SET_OPERATORS = (ast.BitAnd, ast.BitOr, ast.BitXor, ast.Sub)
LEAVING = (ast.Return, ast.Break, ast.Continue)


def kind_of(function: Any, arguments: Arguments = tr.DATA) -> Kind:
    """The kind of a function of some arguments: pure, a choice, or one that keeps state.

    `arguments` says what is known of them; by default they may be any data.
    """
    return kind_and_packages(function, arguments)[0]


def kind_and_packages(
    function: Any, arguments: Arguments = tr.DATA
) -> tuple[Kind, tuple[str, ...]]:
    """The kind of a function, and the packages that are believed to be pure for it."""
    analysis = Analysis(shared_state())
    try:
        kind = analysis.run(function, arguments)
    except RecursionError:
        return Kind.PARTITION, ()
    return kind, tuple(sorted(analysis.trusted))


class Leaving(Enum):
    """How a function hands out a value."""

    RETURN = auto()
    YIELD = auto()


class NameScope:
    """The names of one function: its own, those of comprehensions, and those around it."""

    def __init__(
        self,
        bound: frozenset[str],
        inner: frozenset[str],
        around: NameScope | None,
        lookup: Callable[[str], Any],
        function: types.FunctionType | None,
    ) -> None:
        self.bound, self.inner, self.around, self.lookup = bound, inner, around, lookup
        self.function = function  # whose globals and cells are read
        self.values: dict[str, tr.AbstractValue] = {}
        self.results: dict[Leaving, tr.AbstractValue] = {}
        self.locals: dict[ast.AST, tr.LocalFunction] = {}
        self.hashes = False  # of a `__hash__`, whose values show in the order of sets alone


class Analysis(Calls):
    """Interprets a function until nothing new is learned."""

    def __init__(self, state: SharedState) -> None:
        super().__init__()
        self.shared_state = state
        self.shared_objects: dict[tuple[int, int], bool] = {}  # whether others change an object
        self.returned: dict[Any, tr.AbstractValue] = {}
        self.scopes: dict[Any, NameScope] = {}
        self.done: set[Any] = set()  # calls interpreted in this round
        self.active: list[int] = []  # functions being interpreted
        # Objects with what is known of them, by id; held, so that no id is given out again.
        self.kept: dict[int, tuple[Any, tr.AbstractValue]] = {}
        self.changing: set[Any] = set()  # calls that change something
        self.definitions: dict[int, tuple[Any, Definition | None]] = {}

    def run(self, function: Any, arguments: Arguments) -> Kind:
        """Interpret a call of the function again and again, until nothing new is learned."""
        callee = self.abstract(function)
        for _ in range(MOST_ROUNDS):
            self.grown, self.changes = False, 0
            self.done.clear()
            self.noted_classes.clear()
            result = self.invoke(callee, as_args(arguments))
            if self.all_traits(result) & tr.UNSTABLE_TEXT:
                self.note_choice()
            if not self.grown:
                return self.kind
        return Kind.PARTITION  # no fixed point in time: anything may be

    # -- names ---------------------------------------------------------------------------------

    def abstract(self, value: Any) -> tr.AbstractValue:
        """What is known of an object that exists before the call."""
        entry = self.kept.get(id(value))
        if entry is None:
            listed = not isinstance(value, type) and listed_name(value) is not None
            entry = self.kept[id(value)] = (
                value,
                tr.code(value) if listed else abstract(value),
            )
        described = entry[1]
        if described.all_traits & tr.Trait.OBJECT:
            for one in reachable(value):
                self.note_class(type(one))
        changeable = (
            described.has(tr.Trait.CONTAINER) and described.all_traits & tr.Trait.PERSISTENT
        )
        if (changeable or isinstance(value, type)) and self.is_shared(value):
            self.note(Kind.PARTITION)
        return described

    def is_shared(self, value: Any) -> bool:
        """Whether some function of the project may change an object."""
        key = (id(value), len(self.shared_state.modules))
        if key not in self.shared_objects:
            self.shared_objects[key] = self.shared_state.is_changed(value)
        return self.shared_objects[key]

    def name(self, name: str, scope: NameScope) -> tr.AbstractValue:
        """What a name may mean: here, in a function around, in the module, in Python."""
        meanings: list[tr.AbstractValue] = []
        at: NameScope | None = scope
        while at is not None:
            if name in at.values:
                meanings.append(at.values[name])
            if name in at.bound:
                return tr.join(meanings)
            at = at.around
        # `__file__` and its like tell where the code stands, not what it computes.
        if is_dunder(name) and name != "__name__":
            return self.note_choice()
        with contextlib.suppress(Missing):  # a name that means nothing fails, always
            meanings.append(self.free_name(name, scope))
        return tr.join(meanings)

    def free_name(self, name: str, scope: NameScope) -> tr.AbstractValue:
        """A name of a cell, of a module or of Python."""
        function, value = scope.function, scope.lookup(name)
        if function is None:
            return self.note_unfollowed()
        module_names = self.shared_state.module_names(
            function.__globals__, function.__code__.co_filename
        )
        line = function.__code__.co_firstlineno
        # Whoever sets or changes the cell or global decides what this function sees, whether or not
        # this function calls it: so it keeps state, though it never writes anything itself.
        if name in function.__code__.co_freevars:
            cell = self.abstract(value)
            if module_names.is_shared_cell(name, line, bool(cell.all_traits & tr.Trait.PERSISTENT)):
                self.note(Kind.PARTITION)
            return cell
        if name not in module_names.namespace:
            return self.abstract(value)
        if module_names.scan is None or module_names.is_set_again(name, line):
            self.note(Kind.PARTITION)
        return self.global_name(module_names, name)

    def global_name(self, module_names: ModuleNames, name: str) -> tr.AbstractValue:
        """A name of a module of the project."""
        if module_names.scan is None:
            return self.note_unfollowed()
        if self.shared_state.is_rebound(module_names, name):
            self.note(Kind.PARTITION)
        value, source = module_names.namespace[name], module_names.source_of(name)
        if isinstance(value, types.ModuleType):
            return self.abstract(value)
        if source is not None:
            return self.attribute(self.abstract(source[0]), source[1])
        # A global that no statement of the text binds was put there by something else.
        if (
            not callable(value)
            and name != "__name__"
            and all(name != bound for bound, _ in module_names.scan.top_level)
        ):
            return self.note_choice()
        return self.abstract(value)

    # -- functions -----------------------------------------------------------------------------

    def function(
        self, function: types.FunctionType, args: Args, key: Any = None
    ) -> tr.AbstractValue:
        """A call of a function of the project that exists."""
        if id(function) not in self.definitions:
            self.definitions[id(function)] = (function, definition_of(function))
        definition = self.definitions[id(function)][1]
        if definition is None:
            return self.note_unfollowed()
        defaults = [self.abstract(d) for d in definition.defaults]
        keywords = {n: self.abstract(d) for n, d in definition.keyword_defaults}
        node, lookup = definition.node, definition.lookup
        return self.interpret(node, lookup, None, args, defaults, keywords, key, function)

    def local(self, local: tr.LocalFunction, args: Args) -> tr.AbstractValue:
        """A call of a function defined inside of another."""
        node, scope = local.node, local.scope
        defaults = [self.value(d, scope) for d in node.args.defaults]
        keywords = {
            a.arg: self.value(d, scope)
            for a, d in zip(node.args.kwonlyargs, node.args.kw_defaults, strict=True)
            if d is not None
        }
        key, lookup = id(local), scope.lookup
        return self.interpret(node, lookup, scope, args, defaults, keywords, key, scope.function)

    def interpret(
        self,
        node: Any,
        lookup: Callable[[str], Any],
        around: NameScope | None,
        args: Args,
        defaults: list[tr.AbstractValue],
        keywords: dict[str, tr.AbstractValue],
        key: Any,
        function: types.FunctionType | None = None,
    ) -> tr.AbstractValue:
        """A call of a function as written, with what its arguments may be.

        Calls with the same arguments are interpreted once a round; one that is being interpreted
        gives what is known of it so far, which the next round takes up.
        """
        parameters = parameters_of(node.args, args, defaults, keywords)
        if id(node) in self.active:
            self.risk(tr.Risk.RECURSIVE)  # the depth of the stack may show, if its error is caught
        call = (id(node), key, tuple(parameters.items()))
        if call in self.done:
            self.changes += call in self.changing
            return self.returned.get(call, tr.NO_TRAITS)
        if len(self.done) > MOST_CALLS:
            return self.note_unfollowed()
        self.done.add(call)
        before = self.changes
        scope = self.scopes.get(call)
        if scope is None:  # it stays from round to round: what is known of its names only grows
            own, inner = names_in(node)
            scope = NameScope(own | parameters.keys(), inner, around, lookup, function)
            scope.hashes = key == HASH
            self.scopes[call] = scope
            self.kept[id(node)] = (node, tr.NO_TRAITS)
        for name, value in parameters.items():
            self.grow(scope.values, name, value)
        result = self._body(node, scope)
        if self.changes > before and call not in self.changing:
            self.changing.add(call)
            self.grown = True
        self.grow(self.returned, call, result)
        return self.returned[call]

    def _body(self, node: Any, scope: NameScope) -> tr.AbstractValue:
        """What the body of a function gives."""
        self.active.append(id(node))
        if isinstance(node, ast.Lambda):
            self.grow(scope.results, Leaving.RETURN, self.value(node.body, scope))
        elif isinstance(node, ast.AsyncFunctionDef):
            self.note_choice()
        else:
            self.follow(node.body, scope)
        self.active.pop()
        yielded = scope.results.get(Leaving.YIELD)
        if yielded is not None:
            return tr.new_container([yielded], tr.Trait.ITERATOR)
        return scope.results.get(Leaving.RETURN, tr.NO_TRAITS)

    # -- statements ----------------------------------------------------------------------------

    def follow(self, statements: Sequence[ast.stmt], scope: NameScope) -> None:
        """Interpret statements; both ways of a branch, since locals have one value for all."""
        for statement in statements:
            self._statement(statement, scope)

    def _statement(self, node: ast.stmt, scope: NameScope) -> None:
        """Interpret one statement; of a kind that is not listed nothing is known."""
        match node:
            case ast.Return(value=value):
                result = abstract(None) if value is None else self.value(value, scope)
                self.grow(scope.results, Leaving.RETURN, result)
            case ast.Expr(value=value):
                self.value(value, scope)
            case ast.Assign() | ast.AnnAssign() | ast.AugAssign() | ast.Delete():
                self._assignment(node, scope)
            case ast.If() | ast.While() | ast.For() | ast.Try() | ast.With() | ast.Match():
                self._block(node, scope)
            case ast.Raise(exc=first, cause=second) | ast.Assert(test=first, msg=second):
                self.values([part for part in (first, second) if part is not None], scope)
            case ast.FunctionDef(name=name, decorator_list=[]):
                self.grow(scope.values, name, self._defined(node, scope))
            case ast.Import(names=aliases):
                for alias in aliases:
                    self._imported(alias, scope)
            case ast.ImportFrom(module=module, names=aliases, level=level):
                for alias in aliases:
                    self._taken(module, alias, level, scope)
            case ast.Pass() | ast.Break() | ast.Continue():
                pass
            case _:
                self.note_unfollowed()

    def _assignment(
        self, node: ast.Assign | ast.AnnAssign | ast.AugAssign | ast.Delete, scope: NameScope
    ) -> None:
        match node:
            case ast.Assign(targets=[ast.Tuple(elts=targets)], value=ast.Tuple(elts=values)) if len(
                targets
            ) == len(values) and not any(isinstance(e, ast.Starred) for e in (*targets, *values)):
                for target, value in zip(targets, self.values(values, scope), strict=True):
                    self._assign(target, value, scope)
            case ast.Assign(targets=targets, value=expression):
                value = self.value(expression, scope)
                for target in targets:
                    self._assign(target, value, scope)
            case ast.AnnAssign(target=target, value=optional):
                if optional is not None:
                    self._assign(target, self.value(optional, scope), scope)
            case ast.AugAssign(target=target, op=op, value=expression):
                self._augment(target, op, self.value(expression, scope), scope)
            case ast.Delete(targets=targets):
                for target in targets:
                    if isinstance(target, ast.Subscript | ast.Attribute):
                        self._changed(target, [], scope)

    def _block(
        self,
        node: ast.If | ast.While | ast.For | ast.Try | ast.With | ast.Match,
        scope: NameScope,
    ) -> None:
        match node:
            case (
                ast.If(test=test, body=body, orelse=orelse)
                | ast.While(test=test, body=body, orelse=orelse)
            ):
                self.value(test, scope)
                self.follow([*body, *orelse], scope)
            case ast.For(target=target, iter=source, body=body, orelse=orelse):
                self._assign(target, self.iterate_in_order(self.value(source, scope)), scope)
                self.follow([*body, *orelse], scope)
            case ast.Try(body=body, handlers=handlers, orelse=orelse, finalbody=final):
                if any(isinstance(n, LEAVING) for s in final for n in ast.walk(s)):
                    self.note_choice()  # whatever exception there was is dropped
                self.follow(body, scope)
                for handler in handlers:
                    self._handler(handler, scope)
                self.follow([*orelse, *final], scope)
            case ast.With(items=items, body=body):
                for item in items:
                    self._context(item, scope)
                self.follow(body, scope)
            case ast.Match(subject=subject, cases=cases):
                self._match(self.value(subject, scope), cases, scope)

    def _context(self, item: ast.withitem, scope: NameScope) -> None:
        """`with value as target`"""
        manager = self.value(item.context_expr, scope)
        if manager.has(tr.Trait.UNKNOWN):
            self.note_choice()
        if item.optional_vars is not None:
            self._assign(item.optional_vars, tr.join([manager, self.operator_results]), scope)

    def _assign(self, target: ast.expr, value: tr.AbstractValue, scope: NameScope) -> None:
        """`target = value`, also into several names, items and attributes."""
        match target:
            case ast.Name(id=name):
                self.grow(scope.values, name, value)
            case ast.Tuple(elts=elts) | ast.List(elts=elts):
                item = self.iterate_in_order(value)
                for one in elts:
                    if isinstance(one, ast.Starred):
                        self._assign(one.value, tr.new_container([item]), scope)
                    else:
                        self._assign(one, item, scope)
            case ast.Subscript() | ast.Attribute():
                self._changed(target, [value], scope)
            case _:
                self.note_choice()

    def _changed(
        self,
        target: ast.Subscript | ast.Attribute,
        stored: list[tr.AbstractValue],
        scope: NameScope,
    ) -> None:
        """An item or an attribute set or deleted."""
        base = self.value(target.value, scope)
        if isinstance(target, ast.Subscript):
            stored.append(self.value(target.slice, scope))
        # Attributes of functions, classes and modules stay set; so does a method put into an object.
        elif any(value.has(tr.Trait.CALLABLE) for value in (base, *stored)) or (
            base.concrete is not None and base.kind is None and base.text is None
        ):
            self.note(Kind.PARTITION)
        self.change(base, *stored)

    def _augment(
        self, target: ast.expr, op: ast.operator, value: tr.AbstractValue, scope: NameScope
    ) -> None:
        """`target op= value`, which changes a list where it is."""
        if isinstance(target, ast.Name):
            before = self.name(target.id, scope)
        else:
            assert isinstance(target, ast.Subscript | ast.Attribute)
            self._changed(target, [value], scope)
            base = self.value(target.value, scope)
            if isinstance(target, ast.Attribute):
                before = self.attribute(base, target.attr)
            else:
                before = self.element(base)
        if before.has(tr.Trait.SHARED | tr.Trait.UNKNOWN):
            self.change(before, value)
        result = self.operate(op, before, value)
        if isinstance(target, ast.Name):
            if before.has(tr.Trait.CONTAINER):
                if value.has(tr.Trait.SET) and not before.has(tr.Trait.SET):
                    self.note_choice()
                self.change(tr.NO_TRAITS, self.element(value))
            self.grow(scope.values, target.id, result)

    def _handler(self, node: ast.ExceptHandler, scope: NameScope) -> None:
        """An exception: its text may show what was seen."""
        if node.type is not None:
            many = node.type.elts if isinstance(node.type, ast.Tuple) else [node.type]
            for kind in many:
                self.check_caught(self.value(kind, scope))
        else:
            self.note_choice()  # a bare `except` catches interrupts too
        # Messages of exceptions quote values: any that was seen in the call may show in this one.
        if node.name is not None:
            shown = self.seen & (tr.UNSTABLE_TEXT | tr.Trait.ITERATOR)
            self.grow(scope.values, node.name, tr.AbstractValue(shown | tr.Trait.CONTAINER))
        self.follow(node.body, scope)

    def _match(
        self, subject: tr.AbstractValue, cases: Sequence[ast.match_case], scope: NameScope
    ) -> None:
        """`match subject`: every name in a pattern may be the subject or a part of it."""
        item = tr.join([subject, self.element(subject)])
        # Patterns take sequences apart in their order, and objects by methods of their own.
        if subject.has(tr.Trait.SET | tr.Trait.UNKNOWN | tr.Trait.OBJECT):
            self.note_choice()
        for case in cases:
            for part in ast.walk(case.pattern):
                if isinstance(part, ast.expr):
                    self.value(part, scope)
                elif isinstance(part, ast.MatchAs | ast.MatchStar) and part.name:
                    self.grow(scope.values, part.name, item)
                elif isinstance(part, ast.MatchMapping) and part.rest:
                    self.grow(scope.values, part.rest, tr.new_container([item]))
            if case.guard is not None:
                self.value(case.guard, scope)
            self.follow(case.body, scope)

    def _imported(self, alias: ast.alias, scope: NameScope) -> None:
        """`import name as other` inside of a function."""
        module = module_named(alias.name)
        top = module_named(alias.name.partition(".")[0])
        bound = module if alias.asname else top
        name = alias.asname or alias.name.partition(".")[0]
        value = self.note_choice() if bound is None else self.abstract(bound)
        self.grow(scope.values, name, value)

    def _taken(self, module: str | None, alias: ast.alias, level: int, scope: NameScope) -> None:
        """`from module import name` inside of a function."""
        if level:
            try:
                package = scope.lookup("__package__")
                module = importlib.util.resolve_name("." * level + (module or ""), package)
            except (Missing, ImportError, TypeError, ValueError):
                module = None
        source = None if module is None else module_named(module)
        # A module that is not loaded runs code of its own when it is.
        if source is None or alias.name == "*":
            value = self.note_choice()
        else:
            value = self.attribute(self.abstract(source), alias.name)
        self.grow(scope.values, alias.asname or alias.name, value)

    # -- expressions ---------------------------------------------------------------------------

    def value(self, node: ast.expr, scope: NameScope) -> tr.AbstractValue:
        """What an expression may be; exceptions may show it."""
        value = self._value(node, scope)
        if not value.has(tr.Trait.CALLABLE) and value.all_traits & ~self.seen:
            self.seen |= value.all_traits
            self.grown = True
        return value

    def values(self, nodes: Sequence[ast.expr], scope: NameScope) -> list[tr.AbstractValue]:
        """What several expressions may be; of a starred one, any of its items."""
        return [self.value(node, scope) for node in nodes]

    def _value(self, node: ast.expr, scope: NameScope) -> tr.AbstractValue:
        match node:
            case ast.Constant(value=value):
                return abstract(value)
            case ast.Name(id=name):
                return self.name(name, scope)
            case ast.Attribute(value=base, attr=name):
                return self.attribute(self.value(base, scope), name)
            case ast.Call():
                return self._call(node, scope)
            case ast.Subscript():
                return self._subscript(node, scope)
            case ast.Slice(lower=low, upper=high, step=step):
                self.values([n for n in (low, high, step) if n is not None], scope)
                return tr.NO_TRAITS
            case ast.BinOp(left=left, op=op, right=right):
                return self.operate(op, self.value(left, scope), self.value(right, scope))
            case ast.UnaryOp(op=op, operand=operand):
                result = self.value(operand, scope)
                return tr.NO_TRAITS if isinstance(op, ast.Not) else self.operate(op, result, result)
            case ast.BoolOp(values=values):
                return tr.join(self.values(values, scope))
            case ast.IfExp(test=test, body=body, orelse=orelse):
                self.value(test, scope)
                return tr.join(self.values([body, orelse], scope))
            case ast.Compare(left=left, ops=ops, comparators=rest):
                return self._compare(self.values([left, *rest], scope), ops)
            case ast.Tuple(elts=elts) | ast.List(elts=elts):
                return self.container(self.values(elts, scope))
            case ast.Set(elts=elts):
                return self.container(self.values(elts, scope), tr.Trait.SET)
            case ast.Dict(keys=keys, values=values):
                given = self.values([k for k in keys if k is not None] + values, scope)
                spread = [self.value(v, scope) for k, v in zip(keys, values, strict=True) if not k]
                return self.container([*given, *map(self.iterate_in_order, spread)])
            case ast.ListComp() | ast.SetComp() | ast.GeneratorExp() | ast.DictComp():
                return self._comprehension(node, scope)
            case ast.JoinedStr(values=pieces):
                for piece in pieces:
                    self._piece(piece, scope)
                return tr.NO_TRAITS
            case ast.Lambda():
                return self._defined(node, scope)
            case ast.NamedExpr(target=ast.Name(id=name), value=value):
                result = self.value(value, scope)
                self.grow(scope.values, name, result)
                self.changes += 1  # a comprehension over a set shows the order by it
                return result
            case ast.Starred(value=value):
                return self.iterate_in_order(self.value(value, scope))
            case ast.Yield() | ast.YieldFrom():
                return self._yielded(node, scope)
            case _:
                return self.note_unfollowed()

    def _defined(self, node: Any, scope: NameScope) -> tr.AbstractValue:
        """A function defined here."""
        return tr.code(scope.locals.setdefault(node, tr.LocalFunction(node, scope)))

    def _yielded(self, node: ast.Yield | ast.YieldFrom, scope: NameScope) -> tr.AbstractValue:
        """What the function yields; what is sent back to it may be any data."""
        if node.value is not None:
            value = self.value(node.value, scope)
            if isinstance(node, ast.YieldFrom):
                value = self.iterate_in_order(value)
            self.grow(scope.results, Leaving.YIELD, value)
        return tr.DATA

    def _call(self, node: ast.Call, scope: NameScope) -> tr.AbstractValue:
        """A call as written; arguments behind a starred one may be any."""
        method = isinstance(node.func, ast.Attribute)
        func = node.func.value if isinstance(node.func, ast.Attribute) else node.func
        callee = self.value(func, scope)
        positional: list[tr.AbstractValue] = []
        rest: list[tr.AbstractValue] = []
        for arg in node.args:
            spread = rest or isinstance(arg, ast.Starred)
            (rest if spread else positional).append(self.value(arg, scope))
        named: dict[str, tr.AbstractValue] = {}
        for keyword in node.keywords:
            value = self.value(keyword.value, scope)
            if keyword.arg is None:
                rest.append(self.iterate_in_order(value))
            else:
                named[keyword.arg] = value
        args: Args = (positional, named, tr.join(rest) if rest else None)
        if method:
            assert isinstance(node.func, ast.Attribute)
            return self.method(callee, node.func.attr, args)
        if scope.hashes and callee.object is hash:
            return tr.NO_TRAITS  # hashes show in the order of sets alone
        return self.invoke(callee, args)

    def _subscript(self, node: ast.Subscript, scope: NameScope) -> tr.AbstractValue:
        """`base[index]`"""
        base, index = self.value(node.value, scope), self.value(node.slice, scope)
        if base.has(tr.Trait.CALLABLE):
            return self.enum_member(base.object) or self.note_choice()
        if base.has(tr.Trait.TABLE):
            self.check_clock_words(index)
            # `table.loc[index]` gives rows, where `table.loc` is lazy.
            indexed = (
                isinstance(node.value, ast.Attribute) and node.value.attr in allow_list.INDEXERS
            )
            return tr.nameless(base, tr.Trait.ITERATOR if indexed else tr.NONE)
        if isinstance(node.slice, ast.Slice):
            return tr.nameless(base)
        return self.element(base)

    def operate(
        self, op: ast.operator | ast.unaryop, a: tr.AbstractValue, b: tr.AbstractValue
    ) -> tr.AbstractValue:
        """`a op b`, or `op a` with the operand twice."""
        both, inner = a.own | b.own, a.inner | b.inner
        if both & tr.Trait.UNKNOWN:
            return self.note_choice()
        # Of a text, `%` is formatting, which shows the text of its operand.
        if isinstance(op, ast.Mod) and not both & tr.Trait.OBJECT:
            if self.all_traits(b) & (tr.UNSTABLE_TEXT | tr.Trait.ITERATOR):
                return self.note_choice()
        if both & tr.Trait.TABLE:
            self.check_clock_words(a, b)
        if _may_allocate(op, a, b):
            self.risk(tr.Risk.ALLOCATING)
        # Of an object of the project the operator is a method, which may give anything it gave
        # in some call.
        if both & tr.Trait.OBJECT:
            return tr.join([tr.AbstractValue(both, inner), self.operator_results])
        own = both & ~(tr.Trait.SHARED | tr.Trait.ITERATOR)
        # Of the keys of dicts these make a set; nothing else that is no set or table has them.
        if (
            both & tr.Trait.CONTAINER
            and not both & tr.Trait.TABLE
            and isinstance(op, SET_OPERATORS)
        ):
            own |= tr.Trait.SET
        return tr.AbstractValue(own, inner)

    def _compare(
        self, operands: list[tr.AbstractValue], ops: Sequence[ast.cmpop]
    ) -> tr.AbstractValue:
        """A chain of comparisons; `is` shows which of equal objects is the same."""
        for op, a, b in zip(ops, operands, operands[1:], strict=False):
            own = a.own | b.own
            if own & tr.Trait.UNKNOWN:
                self.note_choice()
            # Equal numbers and texts may or may not be one object, as the interpreter likes.
            if isinstance(op, ast.Is | ast.IsNot) and not (_is_single(a) or _is_single(b)):
                self.note_choice()
            if own & tr.Trait.TABLE:
                self.check_clock_words(a, b)
        tables = [v for v in operands if v.has(tr.Trait.TABLE)]
        return tr.join([tr.NO_TRAITS, *(tr.nameless(v, tr.Trait.SHARED) for v in tables)])

    def _comprehension(self, node: Any, scope: NameScope) -> tr.AbstractValue:
        """A comprehension: over a set its order is that of hashes, unless it makes a set."""
        own, before = tr.NONE, self.changes
        for part in node.generators:
            source = self.value(part.iter, scope)
            if part.is_async or source.has(tr.Trait.UNKNOWN):
                self.note_choice()
            if self.is_unordered(source):
                own = tr.Trait.SET
                self.risk(tr.Risk.UNORDERED)
            self._assign(part.target, self.iterate(source), scope)
            self.values(part.ifs, scope)
        parts = [node.key, node.value] if isinstance(node, ast.DictComp) else [node.elt]
        items = self.values(parts, scope)
        # What is changed along the way is changed in the order of hashes; a list has that order,
        # and which of several equal keys of a dict keeps its value is decided by it too.
        shows = isinstance(node, ast.ListComp | ast.DictComp) or self.changes > before
        if own and shows:
            self.note_choice()
        if isinstance(node, ast.SetComp):
            own = tr.Trait.SET
        if isinstance(node, ast.GeneratorExp):
            own |= tr.Trait.ITERATOR
        return self.container(items, own)

    def _piece(self, node: ast.expr, scope: NameScope) -> None:
        """A part of an f-string."""
        if not isinstance(node, ast.FormattedValue):
            return
        self.text(self.value(node.value, scope))
        spec = ""
        parts = node.format_spec.values if isinstance(node.format_spec, ast.JoinedStr) else []
        for part in parts:
            if not isinstance(part, ast.Constant):
                self.note_choice()  # the format is not known
            else:
                spec += str(part.value)
        if not is_plain_format(spec):
            self.note_choice()


def module_named(name: str) -> types.ModuleType | None:
    """A module that is loaded, or one of those whose parts are known."""
    if name in sys.modules:
        return sys.modules[name]
    if name in allow_list.MODULES and name.partition(".")[0] in sys.stdlib_module_names:
        return importlib.import_module(name)
    return None


def _is_single(value: tr.AbstractValue) -> bool:
    """Whether there is only one of it: None, a truth value, a class, a member of an enum."""
    if value.concrete is None:
        return False
    one = value.object
    return one is None or type(one) in (bool, type(...)) or isinstance(one, type | Enum)


def _may_allocate(op: ast.operator | ast.unaryop, a: tr.AbstractValue, b: tr.AbstractValue) -> bool:
    """Whether an operator may make something of any size: `"x" * n`, `2**n`, `1 << n`.

    Products of two values that may be texts or numbers are taken for numbers.
    """
    if isinstance(op, ast.Mult):
        return any(_is_sequence(x) and not _is_small(y) for x, y in ((a, b), (b, a)))
    is_float = bool((a.own | b.own) & tr.Trait.NAN) and not (a.own | b.own) & tr.Trait.CONTAINER
    return isinstance(op, ast.Pow | ast.LShift) and not is_float and not _is_small(b)


def _is_sequence(value: tr.AbstractValue) -> bool:
    """Whether a value is known to be repeated by `*`: a collection, a constant text."""
    text = type(value.object) in (str, bytes)
    return text or (
        value.has(tr.Trait.CONTAINER) and not value.has(tr.Trait.TABLE | tr.Trait.OBJECT)
    )


def _is_small(value: tr.AbstractValue) -> bool:
    number = value.object
    return isinstance(number, bool | int | float) and abs(number) <= MOST_REPEATED
