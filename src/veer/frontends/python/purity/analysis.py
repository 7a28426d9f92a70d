"""Whether a Python function is a function of its arguments: only what is known to be keeps it so.

The body is interpreted over traits of values (`traits.py`): what may be changed from outside, what
has the order of hashes, what shows an address. Names are followed to the objects they mean; helpers
and classes of the project into their code; of everything else only what `pure_names.py` lists is
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
from veer.frontends.python.purity.shared_state import Event, Home, Watch, reachable
from veer.frontends.python.purity.statements import Body
from veer.frontends.python.purity.traits import (
    DATA,
    ILLEGIBLE,
    MADE_UNKNOWN,
    NONE,
    NOTHING,
    NUMBER,
    RISKY,
    UNORDERED,
    Live,
    Local,
    Risk,
    Trait,
    Value,
    boxed,
    elements,
    joined,
    live,
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
MADE = Value(DATA.own & ~Trait.SHARED, DATA.inner & ~Trait.SHARED)
SET_OPERATORS = (ast.BitAnd, ast.BitOr, ast.BitXor, ast.Sub)
COMPREHENSIONS = (ast.ListComp, ast.SetComp, ast.GeneratorExp, ast.DictComp)


# What a function is given: each argument with its keyword or "", or what any of them may be.
Given: TypeAlias = Sequence[tuple[str, Value]] | Value


def kind_of(function: Any, given: Given = DATA) -> Kind:
    """The kind of a function of some arguments."""
    try:
        return Analysis(Watch()).run(function, given)
    except RecursionError:
        return Kind.PARTITION


class Scope:
    """The names of one function: its own, those of comprehensions, and those around it."""

    def __init__(
        self,
        bound: frozenset[str],
        inner: frozenset[str],
        around: Scope | None,
        lookup: Callable[[str], Any],
        home: types.FunctionType | None,
    ) -> None:
        self.bound, self.inner, self.around, self.lookup = bound, inner, around, lookup
        self.home = home  # whose globals and cells are read
        self.values: dict[str, Value] = {}
        self.locals: dict[ast.AST, Local] = {}
        self.hashes = False  # of a `__hash__`, whose values show in the order of sets alone


class Facts:
    """What was learned so far; only ever grows."""

    def __init__(self) -> None:
        self.kind = Kind.PURE
        self.stored = NOTHING  # whatever something made in the call was changed to hold
        self.boxed = NOTHING  # functions and objects inside of something made in the call
        self.special = NOTHING  # whatever operators of the project's classes give
        self.seen = NONE  # traits of all values
        self.risks = Risk.NONE
        self.changes = 0  # how often something was changed, in this round
        self.returned: dict[Any, Value] = {}
        self.scopes: dict[Any, Scope] = {}
        self.grown = False


class Analysis:
    """Interprets a function until nothing new is learned."""

    def __init__(self, watch: Watch | None = None) -> None:
        self.watch = watch  # of what functions change, if that matters
        self.judged: dict[Any, bool] = {}
        self.facts = Facts()
        self.done: set[Any] = set()  # calls interpreted in this round
        self.active: list[int] = []  # functions being interpreted
        self.kept: dict[int, tuple[Any, Value]] = {}
        self.changing: set[Any] = set()  # calls that change something
        self.definitions: dict[int, tuple[Any, Definition | None]] = {}
        self.calls = Calls(self)

    def run(self, function: Any, given: Given) -> Kind:
        callee = self.live(function)
        for _ in range(MOST_ROUNDS):
            self.facts.grown, self.facts.changes = False, 0
            self.done.clear()
            self.calls.reached.clear()
            result = self.calls.invoke(callee, _arguments(given))
            if self.deep(result) & ILLEGIBLE:
                self.choose()
            if not self.facts.grown:
                return self.facts.kind
        return Kind.PARTITION

    def changes_held(self, event: Event, home: Home, others: Analysis) -> bool:
        """Whether a function may change what outlives it."""

        def lookup(name: str) -> Any:
            for table in (home.space, vars(builtins)):
                if name in table:
                    return table[name]
            raise Missing(name)

        for _ in range(MOST_ROUNDS):
            self.facts.grown, self.facts.changes = False, 0
            self.done.clear()
            self.calls.reached.clear()
            found = self.enter(event.function, lookup, None, ([], {}, MADE), [], {}, None)
            if self.facts.kind is Kind.PARTITION or not self.facts.grown:
                break
        if any(isinstance(one.value, Local) for one in found.lives):
            return True  # a function that may hold on to it
        if self.facts.kind is Kind.PARTITION or self.facts.stored.deep & Trait.HELD:
            return True
        if self.deep(found) & Trait.HELD and not isinstance(event.function, ast.Lambda):
            # Given back: it matters what those who call it do with it.
            function = home.space.get(event.function.name)
            return event.method or (
                isinstance(function, types.FunctionType) and others.is_changed(function)
            )
        return self.facts.grown

    # -- state of others -----------------------------------------------------------------------

    def is_state(self, value: Any) -> bool:
        """Whether some function of the project may change an object."""
        watch = self.watch
        if watch is None:
            return False
        place = (id(value), len(watch.homes))
        if place not in self.judged:
            self.judged[place] = any(self.is_changed(one) for one in reachable(value))
        return self.judged[place]

    def is_changed(self, value: Any) -> bool:
        """Whether some function changes this very object, or what it gives if it is a function."""
        assert self.watch is not None
        if id(value) in self.watch.changed:
            return True
        if isinstance(value, type):
            return False
        for event, home in self.watch.doubtful.get(id(value), ()):
            known = isinstance(event, Event)
            place = (id(event.function if known else event), id(home.space), "changes")
            if place not in self.judged:
                self.judged[place] = False  # while it is looked at
                self.judged[place] = (
                    Analysis().changes_held(event, home, self)
                    if known
                    else Analysis().run(event, MADE) is Kind.PARTITION
                )
            if self.judged[place]:
                return True
        return False

    def outer(self, name: str, scope: Scope) -> Value:
        """A name of a cell, of a module or of Python."""
        function, value = scope.home, scope.lookup(name)
        if self.watch is None or function is None:
            return self.live(value)
        home = self.watch.home(function.__globals__, function.__code__.co_filename)
        line = function.__code__.co_firstlineno
        if name in function.__code__.co_freevars:
            found = self.live(value)
            if home.is_shared_cell(name, line, bool(found.deep & Trait.HELD)):
                self.note(Kind.PARTITION)
            return found
        if name not in home.space:
            return self.live(value)
        if home.scan is None or home.is_set_again(name, line):
            self.note(Kind.PARTITION)
        return self.global_(home, name)

    def global_(self, home: Home, name: str) -> Value:
        """A name of a module of the project."""
        assert self.watch is not None
        if home.scan is None:
            return self.lost()
        if self.watch.is_rebound(home, name):
            self.note(Kind.PARTITION)
        value, source = home.space[name], home.source_of(name)
        if isinstance(value, types.ModuleType):
            return self.live(value)
        if source is not None:
            return self.calls.attribute(self.live(source[0]), source[1])
        if (
            not callable(value)
            and name != "__name__"
            and all(name != found for found, _ in home.scan.top)
        ):
            return self.choose()
        return self.live(value)

    # -- what is learned -----------------------------------------------------------------------

    def note(self, kind: Kind) -> None:
        found = worst(self.facts.kind, kind)
        if found is not self.facts.kind:
            self.facts.kind, self.facts.grown = found, True

    def choose(self) -> Value:
        """Note that something is not known to be a function of the arguments."""
        self.note(Kind.CHOICE)
        return MADE_UNKNOWN

    def risk(self, risk: Risk) -> None:
        """Note what is harmless alone."""
        if risk & ~self.facts.risks:
            self.facts.risks |= risk
            self.facts.grown = True
        if any(both in self.facts.risks for both in RISKY):
            self.choose()

    def lost(self) -> Value:
        """Note code that is not followed: it may keep state too."""
        self.note(Kind.PARTITION)
        return MADE_UNKNOWN

    def change(self, value: Value, *stored: Value) -> None:
        """Note that something is changed, and what is put into it."""
        self.facts.changes += 1
        if value.has(Trait.SHARED | Trait.UNKNOWN):
            self.note(Kind.PARTITION)
        facts = self.facts
        for item in stored:
            self.keep(item)
            found = joined([facts.stored, _inside(item)])
            if found != facts.stored:
                facts.stored, facts.grown = found, True

    def keep(self, item: Value) -> None:
        """Note an iterator over a set that is kept: how far it was used shows the order."""
        if item.has(Trait.LAZY) and item.has(UNORDERED):
            self.choose()

    def store(self, item: Value) -> None:
        """Remember the functions and objects inside of what is made in the call."""
        facts = self.facts
        if item.deep & (Trait.CALLED | Trait.OBJECT):
            found = joined([facts.boxed, _inside(item)])
            if found != facts.boxed:
                facts.boxed, facts.grown = found, True

    def unpack(self, value: Value) -> None:
        """Remember the functions and objects in something that is made into something else."""
        if value.deep & (Trait.CALLED | Trait.OBJECT) and value.has(Trait.BOX):
            self.store(self.element(value))

    def see(self, value: Value) -> Value:
        if not value.has(Trait.CALLED) and value.deep & ~self.facts.seen:
            self.facts.seen |= value.deep
            self.facts.grown = True
        return value

    def bind(self, scope: Scope, name: str, value: Value) -> None:
        self.keep(value)
        before = scope.values.get(name)
        found = value if before is None else joined([before, value])
        if found != before:
            scope.values[name] = found
            self.facts.grown = True

    # -- values --------------------------------------------------------------------------------

    def live(self, value: Any) -> Value:
        found = self.kept.get(id(value))
        if found is None:
            listed = not isinstance(value, type) and listed_name(value) is not None
            called = Value(Trait.ODD | Trait.CALLED, NONE, (Live(value),), True)
            found = self.kept[id(value)] = (value, called if listed else live(value))
        if found[1].kind is not None:
            self.calls.reach(found[1].kind)
        changeable = found[1].has(Trait.BOX) and found[1].deep & Trait.HELD
        if (changeable or isinstance(value, type)) and self.is_state(value):
            self.note(Kind.PARTITION)
        return found[1]

    def deep(self, value: Value) -> Trait:
        """Traits of a value and of all that may be inside of it."""
        return value.deep | (self.facts.stored.deep if value.deep & Trait.BOX else NONE)

    def element(self, value: Value) -> Value:
        """Something inside of a value."""
        if value.has(Trait.UNKNOWN):
            return MADE_UNKNOWN
        parts = [Value(value.inner, value.inner), elements(value)]
        if value.inner & (Trait.CALLED | Trait.OBJECT):
            parts.append(self.facts.boxed)
        if value.has(Trait.BOX):
            parts.append(self.facts.stored)
        if value.has(Trait.OBJECT):
            parts.append(self.facts.special)
        found = joined(parts)
        return Value(found.own, found.inner, found.lives, False, found.kind)

    def over(self, value: Value) -> Value:
        """What a loop over a value takes, where the order may show."""
        if value.has(UNORDERED | Trait.UNKNOWN) or (
            value.has(Trait.OBJECT) and self.facts.special.has(UNORDERED)
        ):
            self.choose()
        return self.rounds(value)

    def rounds(self, value: Value) -> Value:
        """What a loop over a value takes."""
        for one in value.lives:
            if isinstance(one.value, type):
                known = self.calls.is_enum(one.value)
                return self.calls.member(one.value) if known else self.choose()
        return self.element(value)

    def text(self, value: Value) -> Value:
        """The text of a value, which must not show an address or the order of a set."""
        if self.deep(value) & (ILLEGIBLE | Trait.LAZY):
            return self.choose()
        return NOTHING

    # -- functions -----------------------------------------------------------------------------

    def function(self, function: types.FunctionType, args: Any, key: Any = None) -> Value:
        """A call of a function of the project that exists."""
        if id(function) not in self.definitions:
            self.definitions[id(function)] = (function, definition_of(function))
        definition = self.definitions[id(function)][1]
        if definition is None:
            return self.lost()
        defaults = [self.live(d) for d in definition.defaults]
        keywords = {n: self.live(d) for n, d in definition.keyword_defaults}
        node, lookup = definition.node, definition.lookup
        return self.enter(node, lookup, None, args, defaults, keywords, key, function)

    def local(self, local: Local, args: Any) -> Value:
        """A call of a function defined inside of another."""
        node, scope = local.node, local.scope
        defaults = [self.value(d, scope) for d in node.args.defaults]
        keywords = {
            a.arg: self.value(d, scope)
            for a, d in zip(node.args.kwonlyargs, node.args.kw_defaults, strict=True)
            if d is not None
        }
        key, lookup = id(local), scope.lookup
        return self.enter(node, lookup, scope, args, defaults, keywords, key, scope.home)

    def enter(
        self,
        node: Any,
        lookup: Callable[[str], Any],
        around: Scope | None,
        args: Any,
        defaults: list[Value],
        keywords: dict[str, Value],
        key: Any,
        home: types.FunctionType | None = None,
    ) -> Value:
        given = _parameters(node.args, args, defaults, keywords)
        if node.args.vararg or node.args.kwarg:
            for arg in (*args[0], *args[1].values(), *([] if args[2] is None else [args[2]])):
                self.store(arg)
        if id(node) in self.active:
            self.risk(Risk.RECURSIVE)
        place = (id(node), key, tuple(given.items()))
        if place in self.done:
            self.facts.changes += place in self.changing
            return self.facts.returned.get(place, NOTHING)
        if len(self.done) > MOST_CALLS:
            return self.lost()
        self.done.add(place)
        before = self.facts.changes
        scope = self.facts.scopes.get(place)
        if scope is None:
            own, inner = _names_in(node)
            scope = Scope(own | given.keys(), inner, around, lookup, home)
            scope.hashes = key == HASH
            self.facts.scopes[place] = scope
            self.kept[id(node)] = (node, NOTHING)
        for name, value in given.items():
            self.bind(scope, name, value)
        body = Body(self, scope)
        self.active.append(id(node))
        if isinstance(node, ast.Lambda):
            body.give(self.value(node.body, scope))
        elif isinstance(node, ast.AsyncFunctionDef):
            self.choose()
        else:
            body.follow(node.body)
        self.active.pop()
        if self.facts.changes > before and place not in self.changing:
            self.changing.add(place)
            self.facts.grown = True
        result = body.result()
        known = self.facts.returned.get(place)
        result = result if known is None else joined([known, result])
        if result != known:
            self.facts.returned[place] = result
            self.facts.grown = True
        return result

    # -- expressions ---------------------------------------------------------------------------

    def value(self, node: ast.expr, scope: Scope) -> Value:
        return self.see(self._value(node, scope))

    def values(self, nodes: Sequence[ast.expr], scope: Scope) -> list[Value]:
        found = []
        for node in nodes:
            if isinstance(node, ast.Starred):
                found.append(self.over(self.value(node.value, scope)))
            else:
                found.append(self.value(node, scope))
        return found

    def _value(self, node: ast.expr, scope: Scope) -> Value:
        match node:
            case ast.Constant(value=value):
                return live(value)
            case ast.Name(id=name):
                return self.name(name, scope)
            case ast.Attribute(value=base, attr=name):
                return self.calls.attribute(self.value(base, scope), name)
            case ast.Call():
                return self.calls.call(node, scope)
            case ast.Subscript(value=base, slice=index):
                found = self.subscript(self.value(base, scope), index, scope)
                placed = isinstance(base, ast.Attribute) and base.attr in allow_list.PLACED
                if placed and found.has(Trait.TABLE):
                    return Value(found.own & ~Trait.LAZY, found.inner)
                return found
            case ast.Slice(lower=low, upper=high, step=step):
                self.values([n for n in (low, high, step) if n is not None], scope)
                return NOTHING
            case ast.BinOp(left=left, op=op, right=right):
                return self.operate(op, self.value(left, scope), self.value(right, scope))
            case ast.UnaryOp(op=op, operand=operand):
                found = self.value(operand, scope)
                return NOTHING if isinstance(op, ast.Not) else self.operate(op, found, found)
            case ast.BoolOp(values=values):
                return joined(self.values(values, scope))
            case ast.IfExp(test=test, body=body, orelse=orelse):
                self.value(test, scope)
                return joined(self.values([body, orelse], scope))
            case ast.Compare(left=left, ops=ops, comparators=rest):
                return self.compare([left, *rest], ops, scope)
            case ast.Tuple(elts=elts) | ast.List(elts=elts):
                return self.box(self.values(elts, scope))
            case ast.Set(elts=elts):
                return self.box(self.values(elts, scope), Trait.SET)
            case ast.Dict(keys=keys, values=values):
                plain = [k for k in keys if k is not None]
                items = [self.value(v, scope) for k, v in zip(keys, values, strict=True) if k]
                spread = [self.value(v, scope) for k, v in zip(keys, values, strict=True) if not k]
                own = joined(spread).own & UNORDERED
                return self.box(
                    [*self.values(plain, scope), *items, *map(self.element, spread)], own
                )
            case ast.ListComp() | ast.SetComp() | ast.GeneratorExp() | ast.DictComp():
                return self.comprehension(node, scope)
            case ast.JoinedStr(values=pieces):
                for piece in pieces:
                    self.piece(piece, scope)
                return NOTHING
            case ast.Lambda():
                return self.defined(node, scope)
            case ast.NamedExpr(target=ast.Name(id=name), value=value):
                found = self.value(value, scope)
                self.bind(scope, name, found)
                self.facts.changes += 1
                return found
            case ast.Starred(value=value):
                return self.over(self.value(value, scope))
            case ast.Yield(value=value):
                if value is not None:
                    Body(self, scope).yielded(self.value(value, scope))
                return DATA
            case ast.YieldFrom(value=value):
                Body(self, scope).yielded(self.over(self.value(value, scope)))
                return DATA
            case _:
                return self.lost()

    def box(self, items: Sequence[Value], own: Trait = NONE) -> Value:
        for item in items:
            self.keep(item)
            self.store(item)
        return boxed(items, own)

    def defined(self, node: Any, scope: Scope) -> Value:
        """A function defined here."""
        local = scope.locals.setdefault(node, Local(node, scope))
        return Value(Trait.ODD | Trait.CALLED, NONE, (Live(local),), True)

    def name(self, name: str, scope: Scope) -> Value:
        found: list[Value] = []
        at: Scope | None = scope
        while at is not None:
            if name in at.values:
                found.append(at.values[name])
            if name in at.bound:
                return joined(found)
            at = at.around
        if is_dunder(name) and name != "__name__":
            return self.choose()
        with contextlib.suppress(Missing):
            found.append(self.outer(name, scope))
        return joined(found)

    def subscript(self, base: Value, index: ast.expr, scope: Scope) -> Value:
        self.value(index, scope)
        if base.has(Trait.JUMBLED):
            return self.choose()
        if base.has(Trait.CALLED):
            kinds = [one.value for one in base.lives if isinstance(one.value, type)]
            if len(kinds) == len(base.lives) == 1 and self.calls.is_enum(kinds[0]):
                return self.calls.member(kinds[0])
            return self.choose()
        if isinstance(index, ast.Slice):
            self.unpack(base)
            return Value(base.own, base.inner, (), False)
        if base.has(Trait.TABLE):
            return Value(base.own, base.inner)
        return self.element(base)

    def operate(self, op: ast.operator | ast.unaryop, a: Value, b: Value) -> Value:
        both = a.own | b.own
        if both & Trait.UNKNOWN:
            return self.choose()
        if isinstance(op, ast.Mod) and not both & Trait.OBJECT:
            if self.deep(b) & (ILLEGIBLE | Trait.LAZY):  # of a text it is formatting
                return self.choose()
        if both & Trait.TABLE:
            self.plain_words(a, b)
        own = both & (UNORDERED | Trait.NAN | Trait.TABLE | Trait.BOX | Trait.ODD | Trait.CALLED)
        if both & Trait.VIEW and isinstance(op, SET_OPERATORS):
            own |= Trait.SET | Trait.BOX
        if isinstance(op, ast.Div | ast.Pow) and both & Trait.NAN:
            own |= Trait.NAN
        inner = a.inner | b.inner
        self.unpack(a)
        self.unpack(b)
        if both & Trait.OBJECT:
            special = self.facts.special
            self.store(a)
            self.store(b)
            return joined([Value(both, inner), special, *(v for v in (a, b) if v.kind)])
        return Value(own, inner)

    def plain_words(self, *values: Value) -> None:
        """Texts that pandas takes for the time of the clock."""
        for value in values:
            found = value.texts()
            if found and any(t.strip().lower() in allow_list.CLOCK_WORDS for t in found):
                self.choose()

    def compare(self, sides: list[ast.expr], ops: Sequence[ast.cmpop], scope: Scope) -> Value:
        found = self.values(sides, scope)
        for op, a, b in zip(ops, found, found[1:], strict=False):
            own = a.own | b.own
            if own & Trait.UNKNOWN:
                self.choose()
            if isinstance(op, ast.Is | ast.IsNot):
                if not (_is_single(a) or _is_single(b)):
                    self.choose()
            elif isinstance(op, ast.In | ast.NotIn):
                continue
            elif (own & Trait.JUMBLED) or (a.inner | b.inner) & Trait.JUMBLED:
                self.choose()
            if own & Trait.TABLE:
                self.plain_words(a, b)
        tables = [v for v in found if v.has(Trait.TABLE)]
        return joined([NOTHING, *(Value(v.own & ~Trait.SHARED, v.inner) for v in tables)])

    def comprehension(self, node: Any, scope: Scope) -> Value:
        own, before = NONE, self.facts.changes
        for part in node.generators:
            source = self.value(part.iter, scope)
            if part.is_async or source.has(Trait.UNKNOWN):
                self.choose()
            if source.has(UNORDERED) or (
                source.has(Trait.OBJECT) and self.facts.special.has(UNORDERED)
            ):
                own = Trait.JUMBLED
                self.risk(Risk.UNORDERED)
            Body(self, scope).assign(part.target, self.rounds(source))
            for condition in part.ifs:
                self.value(condition, scope)
        parts = [node.key, node.value] if isinstance(node, ast.DictComp) else [node.elt]
        items = self.values(parts, scope)
        if own and self.facts.changes > before:
            self.choose()
        if isinstance(node, ast.SetComp) or (own and isinstance(node, ast.DictComp)):
            # Which of several equal keys keeps its value is decided by order too.
            if isinstance(node, ast.DictComp):
                self.choose()
            own = Trait.SET
        if isinstance(node, ast.GeneratorExp):
            own |= Trait.LAZY
        return self.box(items, own)

    def piece(self, node: ast.expr, scope: Scope) -> None:
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
                found = self.value(part.value, scope)
                if not (found.exact and found.lives) or part.format_spec is not None:
                    self.choose()
                self.text(found)
                spec += "".join(str(one.value) + " " for one in found.lives)
        if not is_plain_format(spec):
            self.choose()


def _inside(item: Value) -> Value:
    """What taking something out of a box may give, if this was put in."""
    return Value(item.deep, item.deep, item.lives, False, item.kind)


def _arguments(given: Given) -> Args:
    if isinstance(given, Value):
        return [], {}, given
    return [v for n, v in given if not n], {n: v for n, v in given if n}, None


def argument(type_: DataType) -> Value:
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
            return NOTHING
        case ArrayType(element=element):
            inner = argument(element).deep
        case MapType(key=key, value=value):
            inner = argument(key).deep | argument(value).deep
        case StructType(fields=fields):
            inner = NONE
            for _, part in fields:
                inner |= argument(part).deep
        case _:
            return DATA
    own = Trait.LENT | Trait.BOX
    return Value(own | inner & Trait.NAN, inner)


def _is_single(value: Value) -> bool:
    """Whether there is only one of it: None, a truth value, a class, a member of an enum."""
    if not value.exact or not value.lives:
        return False
    return all(
        one.value is None
        or one.value is Ellipsis
        or type(one.value) is bool
        or isinstance(one.value, type)
        or (value.kind is not None and value.has(Trait.OBJECT) and not value.has(Trait.SHARED))
        for one in value.lives
    )


def _parameters(
    node: ast.arguments, args: Any, defaults: list[Value], keywords: dict[str, Value]
) -> dict[str, Value]:
    """What each parameter of a call may be; arguments beyond those listed may be any of them."""
    places, named, rest = args
    order = [a.arg for a in (*node.posonlyargs, *node.args)]
    only = [a.arg for a in node.kwonlyargs]
    found: dict[str, list[Value]] = {name: [] for name in (*order, *only)}
    more: list[Value] = []
    for name, value in zip(order[len(order) - len(defaults) :], defaults, strict=False):
        found[name].append(value)
    for name, value in keywords.items():
        found[name].append(value)
    for at, value in enumerate(places):
        if at < len(order):
            found[order[at]] = [value]
        else:
            more.append(value)
    for name, value in named.items():
        if name in found:
            found[name] = [value]
        else:
            more.append(value)
    if rest is not None:
        more.append(rest)
        for values in found.values():
            values.append(rest)
    result = {name: joined(values) for name, values in found.items()}
    for extra in (node.vararg, node.kwarg):
        if extra is not None:
            result[extra.arg] = boxed(more)
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
