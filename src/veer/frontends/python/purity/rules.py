"""Functions that are known to be pure, and the rules of those that need one of their own."""

from __future__ import annotations

import logging
import sys
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

from veer.frontends.python.purity import allow_list
from veer.frontends.python.purity.formats import is_plain_format
from veer.frontends.python.purity.results import (
    CALLING,
    EXCEPTIONS,
    ITEM_GETTER,
    LAZY_RESULTS,
    NEW_RESULTS,
    PLAIN_MODULES,
    PLAIN_RESULTS,
    THREE_INPUTS,
    WITH_NAN,
    Args,
    all_arguments,
    is_plain_type,
)
from veer.frontends.python.purity.traits import (
    NO_TRAITS,
    NONE,
    UNORDERED,
    UNSTABLE_TEXT,
    AbstractValue,
    BoundCall,
    Concrete,
    Risk,
    Trait,
    abstract,
    join,
)

if TYPE_CHECKING:
    from veer.frontends.python.purity.analysis import Analysis


MOST_PLACES = 3  # functions of numpy take outputs and permissions to overwrite after these


class Rules:
    """Calls of what `allow_list` lists."""

    def __init__(self, analysis: Analysis) -> None:
        self.analysis = analysis

    # -- functions known by name ---------------------------------------------------------------

    def call(self, name: str, args: Args) -> AbstractValue:
        """A call of something that `allow_list` lists."""
        rule = RULES.get(name)
        # An unknown argument may be an object whose methods do anything when it is looked at.
        if any(v.has(Trait.UNKNOWN) for v in all_arguments(args)):
            self.analysis.note_choice()
        if rule is not None:
            return rule(self, args)
        return self.listed_call(name, args)

    def listed_call(self, name: str, args: Args) -> AbstractValue:
        """A call of a listed function without a rule of its own: its result is made of its arguments."""
        analysis, values_given = self.analysis, all_arguments(args)
        module = name.rpartition(".")[0]
        # A listed function may look at all of its arguments: their text, their order.
        for arg in values_given:
            if not arg.has(Trait.CALLABLE) and analysis.all_traits(arg) & UNSTABLE_TEXT:
                analysis.note_choice()
            if arg.inner & Trait.ITERATOR:
                analysis.note_choice()
        if module in ("numpy", "pandas"):
            self._check_types(args)
            self._check_outputs(name, args)
        called = self.analysis.calls.call_function_arguments(values_given, values_given)
        inner = called.all_traits
        values = [g for g in values_given if not g.has(Trait.CALLABLE) or name not in CALLING]
        for arg in values:
            inner |= analysis.all_traits(arg) & ~Trait.ITERATOR
            analysis.note_contents(arg)
            analysis.unpack(arg)
        if name in EXCEPTIONS:
            analysis.change(NO_TRAITS, *values_given)
        nan = Trait.NAN if module in WITH_NAN else inner & Trait.NAN
        if name in PLAIN_RESULTS or module in PLAIN_MODULES:
            return AbstractValue(nan)
        if module in ("numpy", "pandas"):
            both = Trait.TABLE | Trait.NAN | Trait.CONTAINER | inner & Trait.SHARED
            return AbstractValue(both, inner | both)
        if name in NEW_RESULTS:
            analysis.change(NO_TRAITS, called)
            lazy = Trait.ITERATOR if module == "itertools" or name in LAZY_RESULTS else NONE
            return AbstractValue(Trait.CONTAINER | nan | lazy, inner | nan)
        # Nothing more is known of the result: it may be new, an argument, or a part of one.
        kept = [AbstractValue(g.own, g.inner, g.concretes, False, g.kind) for g in values]
        items = map(analysis.element, values)
        return join([AbstractValue(Trait.CONTAINER | nan, inner), called, *kept, *items])

    def _check_types(self, args: Args) -> None:
        """Types that texts are turned into: not those that read the clock."""
        positional, named, _ = args
        if "dtype" in named and not is_plain_type(named["dtype"]):
            self.analysis.note_choice()
        for argument in positional[1:]:
            texts = argument.texts()
            if (
                texts is not None
                and not set(texts) <= allow_list.PLAIN_TYPES | allow_list.GIVES_NEW
            ):
                self.analysis.note_choice()
            if argument.has(Trait.CALLABLE) and not is_plain_type(argument):
                self.analysis.calls.call_function_arguments([argument], positional)

    def check_keywords(self, args: Args, written: Sequence[AbstractValue]) -> None:
        """Arguments of numpy and pandas that may name what is written to."""
        _, named, rest = args
        if rest is None and named.keys() <= allow_list.TABLE_KEYWORDS:
            return
        self.analysis.note_choice()
        for value in written:
            if value.has(Trait.CONTAINER):
                self.analysis.change(value)

    def _check_outputs(self, name: str, args: Args) -> None:
        """Arrays that functions of numpy write to."""
        positional = args[0]
        self.check_keywords(args, all_arguments(args))
        if len(positional) > MOST_PLACES:
            self.check_keywords((positional, {}, NO_TRAITS), positional)
        inputs = getattr(getattr(sys.modules["numpy"], name.rpartition(".")[2], None), "nin", None)
        if inputs is None:
            inputs = 3 if name in THREE_INPUTS else 2
        for output in positional[inputs:]:
            if output.has(Trait.CONTAINER):
                self.analysis.change(output)

    def _quiet(self, args: Args) -> AbstractValue:
        """`len` and the like: neither order nor text shows."""
        return NO_TRAITS

    def _type(self, args: Args) -> AbstractValue:
        """`type` of a value; with three arguments it makes a class."""
        if len(all_arguments(args)) != 1:
            return self.analysis.note_choice()
        return AbstractValue(Trait.SHOWS_ADDRESS | Trait.CALLABLE)

    def _print(self, args: Args) -> AbstractValue:
        """`print` gives None; what a worker writes to its own output is no part of a result."""
        if "file" in args[1] or args[2] is not None:
            return self.analysis.note_choice()
        return abstract(None)

    def _set(self, args: Args) -> AbstractValue:
        items = [self.analysis.element(a) for a in all_arguments(args)]
        return self.analysis.container(items, Trait.SET)

    def _listing(self, args: Args) -> AbstractValue:
        """`list`, `tuple`, `iter`: the order stays that of the argument."""
        arguments = all_arguments(args)
        own = Trait.HASH_ORDERED if any(map(self.unordered, arguments)) else NONE
        return self.analysis.container([self.analysis.element(a) for a in arguments], own)

    def _iterating(self, args: Args) -> AbstractValue:
        listed = self._listing(args)
        return AbstractValue(listed.own | Trait.ITERATOR, listed.inner)

    def unordered(self, value: AbstractValue) -> bool:
        """Whether a loop over a value goes in the order of hashes."""
        special = self.analysis.learned.operator_results
        return value.has(UNORDERED) or (value.has(Trait.OBJECT) and special.has(UNORDERED))

    def _sorted(self, args: Args) -> AbstractValue:
        return self.analysis.container([self._extreme(args)])

    def _extreme(self, args: Args) -> AbstractValue:
        """`min`, `max`, `sorted`: the order of a set does not show if nothing is tied."""
        positional, named, rest = args
        analysis = self.analysis
        items = [analysis.element(a) for a in positional] + ([] if rest is None else [rest])
        many = [a for a in positional if self.unordered(a)]
        # Of values that compare as equal without being the same the first one met is taken.
        tied = Trait.NAN | Trait.OBJECT | Trait.TABLE | UNSTABLE_TEXT
        if many and (
            len(positional) > 1
            or not named.keys() <= {"reverse", "default"}
            or any(analysis.all_traits(i) & tied for i in items)
        ):
            analysis.note_choice()
        self.analysis.calls.call_function_arguments(named.values(), positional)
        kept = [] if len(positional) == 1 else positional
        return join([*items, *kept, *(v for n, v in named.items() if n == "default")])

    def _map(self, args: Args) -> AbstractValue:
        positional, named, rest = args
        if not positional or rest is not None or named:
            return self.analysis.note_choice()
        sources = positional[1:]
        unordered = any(map(self.unordered, sources))
        if unordered and len(sources) > 1:
            return self.analysis.note_choice()
        if unordered:
            self.analysis.risk(Risk.UNORDERED)
        returned = self.analysis.calls.call_function_arguments(positional[:1], sources)
        if positional[0].concretes and not positional[0].has(Trait.CALLABLE):
            returned = NO_TRAITS  # filter(None, ...)
        items = [returned, *map(self.analysis.element, sources)]
        return self.analysis.container(
            items, Trait.ITERATOR | (Trait.HASH_ORDERED if unordered else NONE)
        )

    def _zip(self, args: Args) -> AbstractValue:
        """`zip`, `enumerate`, `reversed`: order shows."""
        return self.analysis.container(
            [self.analysis.iterate_in_order(g) for g in all_arguments(args)], Trait.ITERATOR
        )

    def _sum(self, args: Args) -> AbstractValue:
        """`sum`, where the order shows: in floats, and in objects that are added."""
        positional, named, rest = args
        items = [self.analysis.iterate_in_order(p) for p in positional[:1]]
        more = [*positional[1:], *named.values(), *([] if rest is None else [rest])]
        addends = join([*items, *more])
        special = [self.analysis.learned.operator_results] if addends.has(Trait.OBJECT) else []
        return (
            join([addends, *special]) if more else join([AbstractValue(addends.own, addends.inner)])
        )

    def _next(self, args: Args) -> AbstractValue:
        """`next` moves the iterator on, which is a change where others hold it too."""
        arguments = all_arguments(args)
        if arguments:
            self.analysis.change(arguments[0])
        return join([*(self.analysis.iterate_in_order(g) for g in arguments[:1]), *arguments[1:]])

    def _text(self, args: Args) -> AbstractValue:
        for value in all_arguments(args):
            self.analysis.text(value)
        return NO_TRAITS

    def _format(self, args: Args) -> AbstractValue:
        self._text(args)
        self.check_formats(args[0][1:])
        return NO_TRAITS

    def check_formats(self, formats: Sequence[AbstractValue]) -> None:
        """Formats must be known, and mean the same in every locale and zone."""
        for format_ in formats:
            texts = format_.texts()
            if texts is None or not all(map(is_plain_format, texts)):
                self.analysis.note_choice()

    def _dict(self, args: Args) -> AbstractValue:
        """`dict`: it keeps the order of its argument, and of equal keys the last value."""
        analysis, arguments = self.analysis, all_arguments(args)
        items = [analysis.iterate_in_order(g) for g in arguments]
        return analysis.container([*items, *map(analysis.element, items), *args[1].values()])

    def _suppress(self, args: Args) -> AbstractValue:
        for kind in all_arguments(args):
            self.analysis.classes.check_caught(kind)
        return AbstractValue(Trait.SHOWS_ADDRESS)

    def _choice(self, args: Args) -> AbstractValue:
        """What is listed to be named, not called."""
        return self.analysis.note_choice()

    def _object(self, args: Args) -> AbstractValue:
        return AbstractValue(Trait.SHOWS_ADDRESS)

    def _partial(self, args: Args) -> AbstractValue:
        positional, named, rest = args
        if not positional or rest is not None:
            return self.analysis.note_choice()
        bound = BoundCall(positional[0], tuple(positional[1:]), tuple(named.items()))
        return AbstractValue(Trait.SHOWS_ADDRESS | Trait.CALLABLE, NONE, (Concrete(bound),), True)

    def _itemgetter(self, args: Args) -> AbstractValue:
        return AbstractValue(
            Trait.SHOWS_ADDRESS | Trait.CALLABLE, NONE, (Concrete(ITEM_GETTER),), True
        )

    def _copy(self, args: Args) -> AbstractValue:
        """`copy.copy`: something new, of which only the contents are shared."""
        value = join(all_arguments(args))
        self.analysis.unpack(value)
        return AbstractValue(value.own & ~Trait.SHARED, value.inner, (), False, value.kind)

    def _deepcopy(self, args: Args) -> AbstractValue:
        copied = self._copy(args)
        return AbstractValue(copied.own, copied.inner & ~Trait.SHARED, (), False, copied.kind)

    def _cast(self, args: Args) -> AbstractValue:
        """`typing.cast` gives its second argument."""
        return join(args[0][1:])

    def _logger(self, args: Args) -> AbstractValue:
        return abstract(logging.getLogger())


RULES: dict[str, Callable[[Rules, Args], AbstractValue]] = {
    **{f"builtins.{n}": Rules._quiet for n in ("len", "bool", "isinstance", "issubclass")},
    **{f"builtins.{n}": Rules._quiet for n in ("callable", "any", "all")},
    **{f"builtins.{n}": Rules._set for n in ("set", "frozenset")},
    **{f"builtins.{n}": Rules._listing for n in ("list", "tuple")},
    "builtins.iter": Rules._iterating,
    **{f"builtins.{n}": Rules._extreme for n in ("min", "max")},
    **{f"builtins.{n}": Rules._map for n in ("map", "filter")},
    **{f"builtins.{n}": Rules._zip for n in ("zip", "enumerate", "reversed")},
    **{f"builtins.{n}": Rules._text for n in ("str", "repr", "ascii")},
    "builtins.sorted": Rules._sorted,
    "builtins.sum": Rules._sum,
    "builtins.next": Rules._next,
    "builtins.format": Rules._format,
    "builtins.dict": Rules._dict,
    "builtins.type": Rules._type,
    "builtins.print": Rules._print,
    "builtins.object": Rules._object,
    "functools.partial": Rules._partial,
    "operator.itemgetter": Rules._itemgetter,
    "operator.truth": Rules._quiet,
    "operator.not_": Rules._quiet,
    "copy.copy": Rules._copy,
    "copy.deepcopy": Rules._deepcopy,
    "contextlib.suppress": Rules._suppress,
    "numpy.ndarray": Rules._choice,  # unset memory
    **{f"numbers.{n}": Rules._choice for n in allow_list.MODULES["numbers"]},
    "logging.getLogger": Rules._logger,
    "typing.cast": Rules._cast,
}
