"""Whether a Python function is a function of its arguments: only what is known to be keeps it so.

An abstract interpreter: a fixed point over an over-approximation, so whatever the function may do
in some call is seen. The body is interpreted over traits of values (`traits.py`): what may be
changed from outside, what has the order of hashes, what shows an address. Names are followed to the
objects they mean; helpers and classes of the project into their code; of everything else only what
`allow_list.py` lists is pure. Locals have one value for the whole body, whatever the order of
statements, and everything is interpreted again until nothing new is learned.

It errs to one side alone. Traits and kinds only ever grow (`note`, `grow`, `join`); what is not
recognized is `note_choice` or, where it may keep state, `note_unfollowed`; and giving up, for want
of rounds, calls or stack, gives the worst kind.
"""

from __future__ import annotations

import ast
import builtins
import types
from collections.abc import Callable, Sequence
from typing import Any, TypeVar

from veer.analysis.determinism import worst
from veer.frontends.python.purity.arguments import Arguments, as_args
from veer.frontends.python.purity.attributes import Attributes
from veer.frontends.python.purity.calls import Calls
from veer.frontends.python.purity.classes import Classes
from veer.frontends.python.purity.expressions import Expressions
from veer.frontends.python.purity.learned import Learned, NameScope
from veer.frontends.python.purity.methods import Methods
from veer.frontends.python.purity.module_scan import Use
from veer.frontends.python.purity.parameters import names_in, parameters_of
from veer.frontends.python.purity.results import HASH, Args, all_arguments, listed_name
from veer.frontends.python.purity.rules import Rules
from veer.frontends.python.purity.shared_state import (
    ModuleNames,
    SharedState,
    reachable,
    shared_state,
)
from veer.frontends.python.purity.statements import Body
from veer.frontends.python.purity.traits import (
    DATA,
    NO_TRAITS,
    NONE,
    RISKY,
    UNKNOWN_VALUE,
    UNORDERED,
    UNSHARED_DATA,
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

K = TypeVar("K")
MOST_ROUNDS = 30
MOST_CALLS = 400


def kind_of(function: Any, arguments: Arguments = DATA) -> Kind:
    """The kind of a function of some arguments: pure, a choice, or one that keeps state.

    `arguments` says what is known of them; by default they may be any data.
    """
    return kind_and_packages(function, arguments)[0]


def kind_and_packages(function: Any, arguments: Arguments = DATA) -> tuple[Kind, tuple[str, ...]]:
    """The kind of a function, and the packages that are believed to be pure for it."""
    analysis = Analysis(shared_state())
    try:
        kind = analysis.run(function, arguments)
    except RecursionError:
        return Kind.PARTITION, ()
    return kind, tuple(sorted(analysis.trusted))


class Analysis:
    """Interprets a function until nothing new is learned."""

    def __init__(self, shared_state: SharedState | None = None) -> None:
        self.shared_state = shared_state  # of what functions change, if that matters
        self.shared_objects: dict[tuple[int, int], bool] = {}  # whether others change an object
        self.changing_uses: dict[tuple[int, int], bool] = {}  # whether a function changes state
        self.learned = Learned()
        self.trusted: set[str] = set()  # packages that are declared to be pure, and used
        self.done: set[Any] = set()  # calls interpreted in this round
        self.active: list[int] = []  # functions being interpreted
        # Objects with what is known of them, by id; held, so that no id is given out again.
        self.kept: dict[int, tuple[Any, AbstractValue]] = {}
        self.changing: set[Any] = set()  # calls that change something
        self.definitions: dict[int, tuple[Any, Definition | None]] = {}
        self.calls = Calls(self)
        self.rules = Rules(self)
        self.classes = Classes(self)
        self.attributes = Attributes(self)
        self.methods = Methods(self)
        self.expressions = Expressions(self)

    def _start_round(self) -> None:
        self.learned.grown, self.learned.changes = False, 0
        self.done.clear()
        self.classes.noted_classes.clear()

    def run(self, function: Any, arguments: Arguments) -> Kind:
        """Interpret a call of the function again and again, until nothing new is learned."""
        callee = self.abstract(function)
        for _ in range(MOST_ROUNDS):
            self._start_round()
            result = self.calls.invoke(callee, as_args(arguments))
            if self.all_traits(result) & UNSTABLE_TEXT:
                self.note_choice()
            if not self.learned.grown:
                return self.learned.kind
        return Kind.PARTITION  # no fixed point in time: anything may be

    def changes_state(self, use: Use, module_names: ModuleNames, others: Analysis) -> bool:
        """Whether a function may change what outlives it."""

        def lookup(name: str) -> Any:
            for table in (module_names.namespace, vars(builtins)):
                if name in table:
                    return table[name]
            raise Missing(name)

        for _ in range(MOST_ROUNDS):
            self._start_round()
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
        key = (id(value), len(shared_state.modules))
        if key not in self.shared_objects:
            self.shared_objects[key] = any(self.is_changed(one) for one in reachable(value))
        return self.shared_objects[key]

    def is_changed(self, value: Any) -> bool:
        """Whether some function changes this very object, or what it gives if it is a function."""
        assert self.shared_state is not None
        if id(value) in self.shared_state.changed:
            return True
        if isinstance(value, type):
            return False
        for use, module_names in self.shared_state.may_change.get(id(value), ()):
            changing = use.function if isinstance(use, Use) else use
            key = (id(changing), id(module_names.namespace))
            if key not in self.changing_uses:
                self.changing_uses[key] = False  # while it is looked at
                self.changing_uses[key] = (
                    Analysis().changes_state(use, module_names, self)
                    if isinstance(use, Use)
                    else Analysis().run(use, UNSHARED_DATA) is Kind.PARTITION
                )
            if self.changing_uses[key]:
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
        # Whoever sets or changes the cell or global decides what this function sees, whether or not
        # this function calls it: so it keeps state, though it never writes anything itself.
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
            return self.attributes.attribute(self.abstract(source[0]), source[1])
        # A global that no statement of the text binds was put there by something else.
        if (
            not callable(value)
            and name != "__name__"
            and all(name != bound for bound, _ in module_names.scan.top_level)
        ):
            return self.note_choice()
        return self.abstract(value)

    # -- what is learned -----------------------------------------------------------------------

    def note(self, kind: Kind) -> None:
        """Note that the function is of a kind, or a worse one."""
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
        # Changing what was made in this call is nobody's business; the rest outlives it.
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
        """Note what values an exception may show."""
        if not value.has(Trait.CALLABLE) and value.all_traits & ~self.learned.seen:
            self.learned.seen |= value.all_traits
            self.learned.grown = True
        return value

    def bind(self, scope: NameScope, name: str, value: AbstractValue) -> None:
        """Note what a name may be."""
        self.grow(scope.values, name, value)

    def grow(self, table: dict[K, AbstractValue], key: K, value: AbstractValue) -> None:
        """Note one more value that something may be."""
        self.note_kept_iterator(value)
        before = table.get(key)
        after = value if before is None else join([before, value])
        if after != before:
            table[key] = after
            self.learned.grown = True

    # -- values --------------------------------------------------------------------------------

    def abstract(self, value: Any) -> AbstractValue:
        """What is known of an object that exists before the call."""
        entry = self.kept.get(id(value))
        if entry is None:
            listed = not isinstance(value, type) and listed_name(value) is not None
            called = AbstractValue(
                Trait.SHOWS_ADDRESS | Trait.CALLABLE, NONE, (Concrete(value),), True
            )
            entry = self.kept[id(value)] = (value, called if listed else abstract(value))
        described = entry[1]
        if described.kind is not None:
            self.classes.note_class(described.kind)
        changeable = described.has(Trait.CONTAINER) and described.all_traits & Trait.PERSISTENT
        if (changeable or isinstance(value, type)) and self.is_shared_state(value):
            self.note(Kind.PARTITION)
        return described

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

    def container(self, items: Sequence[AbstractValue], own: Trait = NONE) -> AbstractValue:
        """A new collection of items."""
        for item in items:
            self.note_kept_iterator(item)
            self.note_contents(item)
        return new_container(items, own)

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
                is_enum = self.classes.is_enum(one.value)
                return self.classes.member(one.value) if is_enum else self.note_choice()
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
        defaults = [self.expressions.value(d, scope) for d in node.args.defaults]
        keywords = {
            a.arg: self.expressions.value(d, scope)
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
        defaults: list[AbstractValue],
        keywords: dict[str, AbstractValue],
        key: Any,
        function: types.FunctionType | None = None,
    ) -> AbstractValue:
        """A call of a function as written, with what its arguments may be.

        Calls with the same arguments are interpreted once a round; one that is being interpreted
        gives what is known of it so far, which the next round takes up.
        """
        parameters = parameters_of(node.args, args, defaults, keywords)
        if node.args.vararg or node.args.kwarg:
            for arg in all_arguments(args):
                self.note_contents(arg)
        if id(node) in self.active:
            self.risk(Risk.RECURSIVE)  # the depth of the stack may show, if its error is caught
        call = (id(node), key, tuple(parameters.items()))
        if call in self.done:
            self.learned.changes += call in self.changing
            return self.learned.returned.get(call, NO_TRAITS)
        if len(self.done) > MOST_CALLS:
            return self.note_unfollowed()
        self.done.add(call)
        before = self.learned.changes
        scope = self.learned.scopes.get(call)
        if scope is None:  # it stays from round to round: what is known of its names only grows
            own, inner = names_in(node)
            scope = NameScope(own | parameters.keys(), inner, around, lookup, function)
            scope.hashes = key == HASH
            self._keep_scope(call, node, scope)
        for name, value in parameters.items():
            self.bind(scope, name, value)
        result = self._body(node, scope)
        if self.learned.changes > before:
            self._note_changing(call)
        self._note_returned(call, result)
        return self.learned.returned[call]

    def _keep_scope(self, call: Any, node: Any, scope: NameScope) -> None:
        self.learned.scopes[call] = scope
        self.kept[id(node)] = (node, NO_TRAITS)

    def _note_changing(self, call: Any) -> None:
        """Note that a call changes something, each time that it is made."""
        if call not in self.changing:
            self.changing.add(call)
            self.learned.grown = True

    def _body(self, node: Any, scope: NameScope) -> AbstractValue:
        """What the body of a function gives."""
        body = Body(self, scope)
        self.active.append(id(node))
        if isinstance(node, ast.Lambda):
            body.give(self.expressions.value(node.body, scope))
        elif isinstance(node, ast.AsyncFunctionDef):
            self.note_choice()
        else:
            body.follow(node.body)
        self.active.pop()
        return body.result()

    def _note_returned(self, call: Any, result: AbstractValue) -> None:
        before = self.learned.returned.get(call)
        result = result if before is None else join([before, result])
        if result != before:
            self.learned.returned[call] = result
            self.learned.grown = True


def _inside(item: AbstractValue) -> AbstractValue:
    """What taking an item out of a collection may give, if this was put in."""
    return AbstractValue(item.all_traits, item.all_traits, item.concretes, False, item.kind)
