"""Whether a Python function is a function of its arguments: only what is known to be keeps it so.

The body is interpreted over traits of values (`traits.py`): what may be changed from outside, what
has the order of hashes, what shows an address. Names are followed to the objects they mean; helpers
and classes of the project into their code; of everything else only what `allow_list.py` lists is
pure. Locals have one value for the whole body, whatever the order of statements, and everything is
interpreted again until nothing new is learned.
"""

from __future__ import annotations

import ast
import builtins
import contextlib
import types
from collections.abc import Callable, Sequence
from typing import Any, TypeAlias

from veer.analysis.determinism import worst
from veer.frontends.python.purity import allow_list
from veer.frontends.python.purity.calls import Calls
from veer.frontends.python.purity.formats import is_plain_format
from veer.frontends.python.purity.results import HASH, Args, is_dunder, listed_name
from veer.frontends.python.purity.shared_state import ModuleNames, SharedState, Use, reachable
from veer.frontends.python.purity.statements import Body
from veer.frontends.python.purity.traits import (
    DATA,
    NO_TRAITS,
    NONE,
    NUMBER,
    RISKY,
    UNKNOWN_VALUE,
    UNORDERED,
    UNSTABLE_TEXT,
    AbstractValue,
    Concrete,
    LocalFunction,
    Risk,
    Trait,
    abstract,
    elements,
    join,
    new_container,
)
from veer.frontends.python.source import Definition, Missing, definition_of
from veer.functions.registry import Kind
from veer.model.types import (
    ArrayType,
    BooleanType,
    DataType,
    DateType,
    DecimalType,
    DoubleType,
    FloatType,
    IntegralType,
    MapType,
    NullType,
    StringType,
    StructType,
    TimestampNtzType,
    TimestampType,
)

MOST_ROUNDS = 30
MOST_CALLS = 400
UNSHARED_DATA = AbstractValue(DATA.own & ~Trait.SHARED, DATA.inner & ~Trait.SHARED)
SET_OPERATORS = (ast.BitAnd, ast.BitOr, ast.BitXor, ast.Sub)
COMPREHENSIONS = (ast.ListComp, ast.SetComp, ast.GeneratorExp, ast.DictComp)


# What a function is given: each argument with its keyword or "", or what any of them may be.
Arguments: TypeAlias = Sequence[tuple[str, AbstractValue]] | AbstractValue


def kind_of(function: Any, given: Arguments = DATA) -> Kind:
    """The kind of a function of some arguments."""
    try:
        return Analysis(SharedState()).run(function, given)
    except RecursionError:
        return Kind.PARTITION


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
        self.values: dict[str, AbstractValue] = {}
        self.locals: dict[ast.AST, LocalFunction] = {}
        self.hashes = False  # of a `__hash__`, whose values show in the order of sets alone


class Learned:
    """What was learned so far; only ever grows."""

    def __init__(self) -> None:
        self.kind = Kind.PURE
        self.stored = NO_TRAITS  # whatever something made in the call was changed to hold
        self.contained = NO_TRAITS  # functions and objects inside of something made in the call
        self.operator_results = NO_TRAITS  # whatever operators of the project's classes give
        self.seen = NONE  # traits of all values
        self.risks = Risk.NONE
        self.changes = 0  # how often something was changed, in this round
        self.returned: dict[Any, AbstractValue] = {}
        self.scopes: dict[Any, NameScope] = {}
        self.grown = False


class Analysis:
    """Interprets a function until nothing new is learned."""

    def __init__(self, shared_state: SharedState | None = None) -> None:
        self.shared_state = shared_state  # of what functions change, if that matters
        self.judged: dict[Any, bool] = {}
        self.learned = Learned()
        self.done: set[Any] = set()  # calls interpreted in this round
        self.active: list[int] = []  # functions being interpreted
        self.kept: dict[int, tuple[Any, AbstractValue]] = {}
        self.changing: set[Any] = set()  # calls that change something
        self.definitions: dict[int, tuple[Any, Definition | None]] = {}
        self.calls = Calls(self)

    def run(self, function: Any, given: Arguments) -> Kind:
        callee = self.abstract(function)
        for _ in range(MOST_ROUNDS):
            self.learned.grown, self.learned.changes = False, 0
            self.done.clear()
            self.calls.noted_classes.clear()
            result = self.calls.invoke(callee, _arguments(given))
            if self.all_traits(result) & UNSTABLE_TEXT:
                self.note_choice()
            if not self.learned.grown:
                return self.learned.kind
        return Kind.PARTITION

    def changes_held(self, use: Use, module_names: ModuleNames, others: Analysis) -> bool:
        """Whether a function may change what outlives it."""

        def lookup(name: str) -> Any:
            for table in (module_names.namespace, vars(builtins)):
                if name in table:
                    return table[name]
            raise Missing(name)

        for _ in range(MOST_ROUNDS):
            self.learned.grown, self.learned.changes = False, 0
            self.done.clear()
            self.calls.noted_classes.clear()
            result = self.interpret(
                use.function, lookup, None, ([], {}, UNSHARED_DATA), [], {}, None
            )
            if self.learned.kind is Kind.PARTITION or not self.learned.grown:
                break
        if any(isinstance(one.value, LocalFunction) for one in result.concretes):
            return True  # a function that may hold on to it
        if self.learned.kind is Kind.PARTITION or self.learned.stored.all_traits & Trait.PERSISTENT:
            return True
        if self.all_traits(result) & Trait.PERSISTENT and not isinstance(use.function, ast.Lambda):
            # Given back: it matters what those who call it do with it.
            function = module_names.namespace.get(use.function.name)
            return use.method or (
                isinstance(function, types.FunctionType) and others.is_changed(function)
            )
        return self.learned.grown

    # -- state of others -----------------------------------------------------------------------

    def is_shared_state(self, value: Any) -> bool:
        """Whether some function of the project may change an object."""
        shared_state = self.shared_state
        if shared_state is None:
            return False
        place = (id(value), len(shared_state.modules))
        if place not in self.judged:
            self.judged[place] = any(self.is_changed(one) for one in reachable(value))
        return self.judged[place]

    def is_changed(self, value: Any) -> bool:
        """Whether some function changes this very object, or what it gives if it is a function."""
        assert self.shared_state is not None
        if id(value) in self.shared_state.changed:
            return True
        if isinstance(value, type):
            return False
        for use, module_names in self.shared_state.may_change.get(id(value), ()):
            known = isinstance(use, Use)
            place = (id(use.function if known else use), id(module_names.namespace), "changes")
            if place not in self.judged:
                self.judged[place] = False  # while it is looked at
                self.judged[place] = (
                    Analysis().changes_held(use, module_names, self)
                    if known
                    else Analysis().run(use, UNSHARED_DATA) is Kind.PARTITION
                )
            if self.judged[place]:
                return True
        return False

    def free_name(self, name: str, scope: NameScope) -> AbstractValue:
        """A name of a cell, of a module or of Python."""
        function, value = scope.function, scope.lookup(name)
        if self.shared_state is None or function is None:
            return self.abstract(value)
        module_names = self.shared_state.module_names(
            function.__globals__, function.__code__.co_filename
        )
        line = function.__code__.co_firstlineno
        if name in function.__code__.co_freevars:
            cell = self.abstract(value)
            if module_names.is_shared_cell(name, line, bool(cell.all_traits & Trait.PERSISTENT)):
                self.note(Kind.PARTITION)
            return cell
        if name not in module_names.namespace:
            return self.abstract(value)
        if module_names.scan is None or module_names.is_set_again(name, line):
            self.note(Kind.PARTITION)
        return self.global_name(module_names, name)

    def global_name(self, module_names: ModuleNames, name: str) -> AbstractValue:
        """A name of a module of the project."""
        assert self.shared_state is not None
        if module_names.scan is None:
            return self.note_unfollowed()
        if self.shared_state.is_rebound(module_names, name):
            self.note(Kind.PARTITION)
        value, source = module_names.namespace[name], module_names.source_of(name)
        if isinstance(value, types.ModuleType):
            return self.abstract(value)
        if source is not None:
            return self.calls.attribute(self.abstract(source[0]), source[1])
        if (
            not callable(value)
            and name != "__name__"
            and all(name != bound for bound, _ in module_names.scan.top_level)
        ):
            return self.note_choice()
        return self.abstract(value)

    # -- what is learned -----------------------------------------------------------------------

    def note(self, kind: Kind) -> None:
        both = worst(self.learned.kind, kind)
        if both is not self.learned.kind:
            self.learned.kind, self.learned.grown = both, True

    def note_choice(self) -> AbstractValue:
        """Note that something is not known to be a function of the arguments."""
        self.note(Kind.CHOICE)
        return UNKNOWN_VALUE

    def risk(self, risk: Risk) -> None:
        """Note what is harmless alone."""
        if risk & ~self.learned.risks:
            self.learned.risks |= risk
            self.learned.grown = True
        if any(both in self.learned.risks for both in RISKY):
            self.note_choice()

    def note_unfollowed(self) -> AbstractValue:
        """Note code that is not followed: it may keep state too."""
        self.note(Kind.PARTITION)
        return UNKNOWN_VALUE

    def change(self, value: AbstractValue, *stored: AbstractValue) -> None:
        """Note that something is changed, and what is put into it."""
        self.learned.changes += 1
        if value.has(Trait.SHARED | Trait.UNKNOWN):
            self.note(Kind.PARTITION)
        learned = self.learned
        for item in stored:
            self.note_kept_iterator(item)
            grown = join([learned.stored, _inside(item)])
            if grown != learned.stored:
                learned.stored, learned.grown = grown, True

    def note_kept_iterator(self, item: AbstractValue) -> None:
        """Note an iterator over a set that is kept: how far it was used shows the order."""
        if item.has(Trait.ITERATOR) and item.has(UNORDERED):
            self.note_choice()

    def note_contents(self, item: AbstractValue) -> None:
        """Remember the functions and objects inside of what is made in the call."""
        learned = self.learned
        if item.all_traits & (Trait.CALLABLE | Trait.OBJECT):
            grown = join([learned.contained, _inside(item)])
            if grown != learned.contained:
                learned.contained, learned.grown = grown, True

    def unpack(self, value: AbstractValue) -> None:
        """Remember the functions and objects in something that is made into something else."""
        if value.all_traits & (Trait.CALLABLE | Trait.OBJECT) and value.has(Trait.CONTAINER):
            self.note_contents(self.element(value))

    def note_seen(self, value: AbstractValue) -> AbstractValue:
        if not value.has(Trait.CALLABLE) and value.all_traits & ~self.learned.seen:
            self.learned.seen |= value.all_traits
            self.learned.grown = True
        return value

    def bind(self, scope: NameScope, name: str, value: AbstractValue) -> None:
        self.note_kept_iterator(value)
        before = scope.values.get(name)
        after = value if before is None else join([before, value])
        if after != before:
            scope.values[name] = after
            self.learned.grown = True

    # -- values --------------------------------------------------------------------------------

    def abstract(self, value: Any) -> AbstractValue:
        known = self.kept.get(id(value))
        if known is None:
            listed = not isinstance(value, type) and listed_name(value) is not None
            called = AbstractValue(
                Trait.SHOWS_ADDRESS | Trait.CALLABLE, NONE, (Concrete(value),), True
            )
            known = self.kept[id(value)] = (value, called if listed else abstract(value))
        if known[1].kind is not None:
            self.calls.note_class(known[1].kind)
        changeable = known[1].has(Trait.CONTAINER) and known[1].all_traits & Trait.PERSISTENT
        if (changeable or isinstance(value, type)) and self.is_shared_state(value):
            self.note(Kind.PARTITION)
        return known[1]

    def all_traits(self, value: AbstractValue) -> Trait:
        """Traits of a value and of all that may be inside of it."""
        return value.all_traits | (
            self.learned.stored.all_traits if value.all_traits & Trait.CONTAINER else NONE
        )

    def element(self, value: AbstractValue) -> AbstractValue:
        """Something inside of a value."""
        if value.has(Trait.UNKNOWN):
            return UNKNOWN_VALUE
        parts = [AbstractValue(value.inner, value.inner), elements(value)]
        if value.inner & (Trait.CALLABLE | Trait.OBJECT):
            parts.append(self.learned.contained)
        if value.has(Trait.CONTAINER):
            parts.append(self.learned.stored)
        if value.has(Trait.OBJECT):
            parts.append(self.learned.operator_results)
        item = join(parts)
        return AbstractValue(item.own, item.inner, item.concretes, False, item.kind)

    def iterate_in_order(self, value: AbstractValue) -> AbstractValue:
        """What a loop over a value takes, where the order may show."""
        if value.has(UNORDERED | Trait.UNKNOWN) or (
            value.has(Trait.OBJECT) and self.learned.operator_results.has(UNORDERED)
        ):
            self.note_choice()
        return self.iterate(value)

    def iterate(self, value: AbstractValue) -> AbstractValue:
        """What a loop over a value takes."""
        for one in value.concretes:
            if isinstance(one.value, type):
                known = self.calls.is_enum(one.value)
                return self.calls.member(one.value) if known else self.note_choice()
        return self.element(value)

    def text(self, value: AbstractValue) -> AbstractValue:
        """The text of a value, which must not show an address or the order of a set."""
        if self.all_traits(value) & (UNSTABLE_TEXT | Trait.ITERATOR):
            return self.note_choice()
        return NO_TRAITS

    # -- functions -----------------------------------------------------------------------------

    def function(self, function: types.FunctionType, args: Any, key: Any = None) -> AbstractValue:
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

    def local(self, local: LocalFunction, args: Any) -> AbstractValue:
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
        args: Any,
        defaults: list[AbstractValue],
        keywords: dict[str, AbstractValue],
        key: Any,
        function: types.FunctionType | None = None,
    ) -> AbstractValue:
        given = _parameters(node.args, args, defaults, keywords)
        if node.args.vararg or node.args.kwarg:
            for arg in (*args[0], *args[1].values(), *([] if args[2] is None else [args[2]])):
                self.note_contents(arg)
        if id(node) in self.active:
            self.risk(Risk.RECURSIVE)
        place = (id(node), key, tuple(given.items()))
        if place in self.done:
            self.learned.changes += place in self.changing
            return self.learned.returned.get(place, NO_TRAITS)
        if len(self.done) > MOST_CALLS:
            return self.note_unfollowed()
        self.done.add(place)
        before = self.learned.changes
        scope = self.learned.scopes.get(place)
        if scope is None:
            own, inner = _names_in(node)
            scope = NameScope(own | given.keys(), inner, around, lookup, function)
            scope.hashes = key == HASH
            self.learned.scopes[place] = scope
            self.kept[id(node)] = (node, NO_TRAITS)
        for name, value in given.items():
            self.bind(scope, name, value)
        body = Body(self, scope)
        self.active.append(id(node))
        if isinstance(node, ast.Lambda):
            body.give(self.value(node.body, scope))
        elif isinstance(node, ast.AsyncFunctionDef):
            self.note_choice()
        else:
            body.follow(node.body)
        self.active.pop()
        if self.learned.changes > before and place not in self.changing:
            self.changing.add(place)
            self.learned.grown = True
        result = body.result()
        known = self.learned.returned.get(place)
        result = result if known is None else join([known, result])
        if result != known:
            self.learned.returned[place] = result
            self.learned.grown = True
        return result

    # -- expressions ---------------------------------------------------------------------------

    def value(self, node: ast.expr, scope: NameScope) -> AbstractValue:
        return self.note_seen(self._value(node, scope))

    def values(self, nodes: Sequence[ast.expr], scope: NameScope) -> list[AbstractValue]:
        values = []
        for node in nodes:
            if isinstance(node, ast.Starred):
                values.append(self.iterate_in_order(self.value(node.value, scope)))
            else:
                values.append(self.value(node, scope))
        return values

    def _value(self, node: ast.expr, scope: NameScope) -> AbstractValue:
        match node:
            case ast.Constant(value=value):
                return abstract(value)
            case ast.Name(id=name):
                return self.name(name, scope)
            case ast.Attribute(value=base, attr=name):
                return self.calls.attribute(self.value(base, scope), name)
            case ast.Call():
                return self.calls.call(node, scope)
            case ast.Subscript(value=base, slice=index):
                found = self.subscript(self.value(base, scope), index, scope)
                placed = isinstance(base, ast.Attribute) and base.attr in allow_list.INDEXERS
                if placed and found.has(Trait.TABLE):
                    return AbstractValue(found.own & ~Trait.ITERATOR, found.inner)
                return found
            case ast.Slice(lower=low, upper=high, step=step):
                self.values([n for n in (low, high, step) if n is not None], scope)
                return NO_TRAITS
            case ast.BinOp(left=left, op=op, right=right):
                return self.operate(op, self.value(left, scope), self.value(right, scope))
            case ast.UnaryOp(op=op, operand=operand):
                found = self.value(operand, scope)
                return NO_TRAITS if isinstance(op, ast.Not) else self.operate(op, found, found)
            case ast.BoolOp(values=values):
                return join(self.values(values, scope))
            case ast.IfExp(test=test, body=body, orelse=orelse):
                self.value(test, scope)
                return join(self.values([body, orelse], scope))
            case ast.Compare(left=left, ops=ops, comparators=rest):
                return self.compare([left, *rest], ops, scope)
            case ast.Tuple(elts=elts) | ast.List(elts=elts):
                return self.container(self.values(elts, scope))
            case ast.Set(elts=elts):
                return self.container(self.values(elts, scope), Trait.SET)
            case ast.Dict(keys=keys, values=values):
                plain = [k for k in keys if k is not None]
                items = [self.value(v, scope) for k, v in zip(keys, values, strict=True) if k]
                spread = [self.value(v, scope) for k, v in zip(keys, values, strict=True) if not k]
                own = join(spread).own & UNORDERED
                return self.container(
                    [*self.values(plain, scope), *items, *map(self.element, spread)], own
                )
            case ast.ListComp() | ast.SetComp() | ast.GeneratorExp() | ast.DictComp():
                return self.comprehension(node, scope)
            case ast.JoinedStr(values=pieces):
                for piece in pieces:
                    self.piece(piece, scope)
                return NO_TRAITS
            case ast.Lambda():
                return self.defined(node, scope)
            case ast.NamedExpr(target=ast.Name(id=name), value=value):
                found = self.value(value, scope)
                self.bind(scope, name, found)
                self.learned.changes += 1
                return found
            case ast.Starred(value=value):
                return self.iterate_in_order(self.value(value, scope))
            case ast.Yield(value=value):
                if value is not None:
                    Body(self, scope).yielded(self.value(value, scope))
                return DATA
            case ast.YieldFrom(value=value):
                Body(self, scope).yielded(self.iterate_in_order(self.value(value, scope)))
                return DATA
            case _:
                return self.note_unfollowed()

    def container(self, items: Sequence[AbstractValue], own: Trait = NONE) -> AbstractValue:
        for item in items:
            self.note_kept_iterator(item)
            self.note_contents(item)
        return new_container(items, own)

    def defined(self, node: Any, scope: NameScope) -> AbstractValue:
        """A function defined here."""
        local = scope.locals.setdefault(node, LocalFunction(node, scope))
        return AbstractValue(Trait.SHOWS_ADDRESS | Trait.CALLABLE, NONE, (Concrete(local),), True)

    def name(self, name: str, scope: NameScope) -> AbstractValue:
        meanings: list[AbstractValue] = []
        at: NameScope | None = scope
        while at is not None:
            if name in at.values:
                meanings.append(at.values[name])
            if name in at.bound:
                return join(meanings)
            at = at.around
        if is_dunder(name) and name != "__name__":
            return self.note_choice()
        with contextlib.suppress(Missing):
            meanings.append(self.free_name(name, scope))
        return join(meanings)

    def subscript(self, base: AbstractValue, index: ast.expr, scope: NameScope) -> AbstractValue:
        self.value(index, scope)
        if base.has(Trait.HASH_ORDERED):
            return self.note_choice()
        if base.has(Trait.CALLABLE):
            kinds = [one.value for one in base.concretes if isinstance(one.value, type)]
            if len(kinds) == len(base.concretes) == 1 and self.calls.is_enum(kinds[0]):
                return self.calls.member(kinds[0])
            return self.note_choice()
        if isinstance(index, ast.Slice):
            self.unpack(base)
            return AbstractValue(base.own, base.inner, (), False)
        if base.has(Trait.TABLE):
            return AbstractValue(base.own, base.inner)
        return self.element(base)

    def operate(
        self, op: ast.operator | ast.unaryop, a: AbstractValue, b: AbstractValue
    ) -> AbstractValue:
        both = a.own | b.own
        if both & Trait.UNKNOWN:
            return self.note_choice()
        if isinstance(op, ast.Mod) and not both & Trait.OBJECT:
            if self.all_traits(b) & (UNSTABLE_TEXT | Trait.ITERATOR):  # of a text it is formatting
                return self.note_choice()
        if both & Trait.TABLE:
            self.check_clock_words(a, b)
        own = both & (
            UNORDERED
            | Trait.NAN
            | Trait.TABLE
            | Trait.CONTAINER
            | Trait.SHOWS_ADDRESS
            | Trait.CALLABLE
        )
        if both & Trait.DICT_VIEW and isinstance(op, SET_OPERATORS):
            own |= Trait.SET | Trait.CONTAINER
        if isinstance(op, ast.Div | ast.Pow) and both & Trait.NAN:
            own |= Trait.NAN
        inner = a.inner | b.inner
        self.unpack(a)
        self.unpack(b)
        if both & Trait.OBJECT:
            special = self.learned.operator_results
            self.note_contents(a)
            self.note_contents(b)
            return join([AbstractValue(both, inner), special, *(v for v in (a, b) if v.kind)])
        return AbstractValue(own, inner)

    def check_clock_words(self, *values: AbstractValue) -> None:
        """Texts that pandas takes for the time of the clock."""
        for value in values:
            texts = value.texts()
            if texts and any(t.strip().lower() in allow_list.CLOCK_WORDS for t in texts):
                self.note_choice()

    def compare(
        self, sides: list[ast.expr], ops: Sequence[ast.cmpop], scope: NameScope
    ) -> AbstractValue:
        operands = self.values(sides, scope)
        for op, a, b in zip(ops, operands, operands[1:], strict=False):
            own = a.own | b.own
            if own & Trait.UNKNOWN:
                self.note_choice()
            if isinstance(op, ast.Is | ast.IsNot):
                if not (_is_single(a) or _is_single(b)):
                    self.note_choice()
            elif isinstance(op, ast.In | ast.NotIn):
                continue
            elif (own & Trait.HASH_ORDERED) or (a.inner | b.inner) & Trait.HASH_ORDERED:
                self.note_choice()
            if own & Trait.TABLE:
                self.check_clock_words(a, b)
        tables = [v for v in operands if v.has(Trait.TABLE)]
        return join([NO_TRAITS, *(AbstractValue(v.own & ~Trait.SHARED, v.inner) for v in tables)])

    def comprehension(self, node: Any, scope: NameScope) -> AbstractValue:
        own, before = NONE, self.learned.changes
        for part in node.generators:
            source = self.value(part.iter, scope)
            if part.is_async or source.has(Trait.UNKNOWN):
                self.note_choice()
            if source.has(UNORDERED) or (
                source.has(Trait.OBJECT) and self.learned.operator_results.has(UNORDERED)
            ):
                own = Trait.HASH_ORDERED
                self.risk(Risk.UNORDERED)
            Body(self, scope).assign(part.target, self.iterate(source))
            for condition in part.ifs:
                self.value(condition, scope)
        parts = [node.key, node.value] if isinstance(node, ast.DictComp) else [node.elt]
        items = self.values(parts, scope)
        if own and self.learned.changes > before:
            self.note_choice()
        if isinstance(node, ast.SetComp) or (own and isinstance(node, ast.DictComp)):
            # Which of several equal keys keeps its value is decided by order too.
            if isinstance(node, ast.DictComp):
                self.note_choice()
            own = Trait.SET
        if isinstance(node, ast.GeneratorExp):
            own |= Trait.ITERATOR
        return self.container(items, own)

    def piece(self, node: ast.expr, scope: NameScope) -> None:
        """A part of an f-string."""
        if not isinstance(node, ast.FormattedValue):
            return
        self.text(self.value(node.value, scope))
        if node.format_spec is None:
            return
        assert isinstance(node.format_spec, ast.JoinedStr)
        spec = ""
        for part in node.format_spec.values:
            if isinstance(part, ast.Constant):
                spec += str(part.value)
            else:
                assert isinstance(part, ast.FormattedValue)
                nested = self.value(part.value, scope)
                if not (nested.exact and nested.concretes) or part.format_spec is not None:
                    self.note_choice()
                self.text(nested)
                spec += "".join(str(one.value) + " " for one in nested.concretes)
        if not is_plain_format(spec):
            self.note_choice()


def _inside(item: AbstractValue) -> AbstractValue:
    """What taking something out of a box may give, if this was put in."""
    return AbstractValue(item.all_traits, item.all_traits, item.concretes, False, item.kind)


def _arguments(given: Arguments) -> Args:
    if isinstance(given, AbstractValue):
        return [], {}, given
    return [v for n, v in given if not n], {n: v for n, v in given if n}, None


def argument(type_: DataType) -> AbstractValue:
    """What a Python function sees of a type of Spark's."""
    match type_:
        case FloatType() | DoubleType():
            return NUMBER
        case (
            BooleanType()
            | IntegralType()
            | StringType()
            | DecimalType()
            | DateType()
            | TimestampType()
            | TimestampNtzType()
            | NullType()
        ):
            return NO_TRAITS
        case ArrayType(element=element):
            inner = argument(element).all_traits
        case MapType(key=key, value=value):
            inner = argument(key).all_traits | argument(value).all_traits
        case StructType(fields=fields):
            inner = NONE
            for _, part in fields:
                inner |= argument(part).all_traits
        case _:
            return DATA
    own = Trait.ARGUMENT | Trait.CONTAINER
    return AbstractValue(own | inner & Trait.NAN, inner)


def _is_single(value: AbstractValue) -> bool:
    """Whether there is only one of it: None, a truth value, a class, a member of an enum."""
    if not value.exact or not value.concretes:
        return False
    return all(
        one.value is None
        or one.value is Ellipsis
        or type(one.value) is bool
        or isinstance(one.value, type)
        or (value.kind is not None and value.has(Trait.OBJECT) and not value.has(Trait.SHARED))
        for one in value.concretes
    )


def _parameters(
    node: ast.arguments,
    args: Any,
    defaults: list[AbstractValue],
    keywords: dict[str, AbstractValue],
) -> dict[str, AbstractValue]:
    """What each parameter of a call may be; arguments beyond those listed may be any of them."""
    positional, named, rest = args
    order = [a.arg for a in (*node.posonlyargs, *node.args)]
    only = [a.arg for a in node.kwonlyargs]
    options: dict[str, list[AbstractValue]] = {name: [] for name in (*order, *only)}
    extras: list[AbstractValue] = []
    for name, value in zip(order[len(order) - len(defaults) :], defaults, strict=False):
        options[name].append(value)
    for name, value in keywords.items():
        options[name].append(value)
    for at, value in enumerate(positional):
        if at < len(order):
            options[order[at]] = [value]
        else:
            extras.append(value)
    for name, value in named.items():
        if name in options:
            options[name] = [value]
        else:
            extras.append(value)
    if rest is not None:
        extras.append(rest)
        for values in options.values():
            values.append(rest)
    result = {name: join(values) for name, values in options.items()}
    for extra in (node.vararg, node.kwarg):
        if extra is not None:
            result[extra.arg] = new_container(extras)
    return result


def _names_in(node: Any) -> tuple[frozenset[str], frozenset[str]]:
    """The names a function assigns itself, and those that only its comprehensions do."""
    own: set[str] = set()
    inner: set[str] = set()

    def visit(at: ast.AST, into: set[str]) -> None:
        match at:
            case (
                ast.FunctionDef(name=name)
                | ast.AsyncFunctionDef(name=name)
                | ast.ClassDef(name=name)
            ):
                into.add(name)
                return
            case ast.Lambda():
                return
            case ast.Name(id=name, ctx=ast.Store() | ast.Del()):
                into.add(name)
            case ast.ExceptHandler(name=str() as name):
                into.add(name)
            case ast.alias(name=name, asname=asname):
                into.add(asname or name.partition(".")[0])
            case ast.MatchAs(name=str() as name) | ast.MatchStar(name=str() as name):
                into.add(name)
            case ast.MatchMapping(rest=str() as name):
                into.add(name)
            case ast.NamedExpr(target=ast.Name(id=name)):
                own.add(name)
        deeper = inner if isinstance(at, COMPREHENSIONS) else into
        for child in ast.iter_child_nodes(at):
            visit(child, deeper)

    if not isinstance(node, ast.Lambda):
        for statement in node.body:
            visit(statement, own)
    else:
        visit(node.body, own)
    return frozenset(own), frozenset(inner - own)
