"""Functions that are known to be pure, and the rules of those that need one of their own."""

from __future__ import annotations

import logging
import sys
from collections.abc import Callable, Iterable, Sequence
from typing import TYPE_CHECKING

from veer.frontends.python.purity import allow_list
from veer.frontends.python.purity.formats import is_plain_format
from veer.frontends.python.purity.results import (
    CALLING,
    EXCEPTIONS,
    LAZY_RESULTS,
    NEW_RESULTS,
    PLAIN_MODULES,
    PLAIN_RESULTS,
    TAKING,
    THREE_INPUTS,
    WITH_NAN,
    Args,
    all_of,
    is_plain_type,
)
from veer.frontends.python.purity.traits import (
    ILLEGIBLE,
    NONE,
    NOTHING,
    UNORDERED,
    Bound,
    Live,
    Risk,
    Trait,
    Value,
    joined,
    live,
)

if TYPE_CHECKING:
    from veer.frontends.python.purity.analysis import Analysis


MOST_PLACES = 3  # functions of numpy take outputs and permissions to overwrite after these


class Rules:
    """Calls of what `pure_names` lists."""

    analysis: Analysis

    def call_back(self, callees: Iterable[Value], given: Sequence[Value]) -> Value:
        """Functions among arguments are called with whatever else is there."""
        raise NotImplementedError

    def allowed_exceptions(self, kinds: Value) -> None:
        """Exceptions that are caught must be such as depend on the arguments alone."""
        raise NotImplementedError

    # -- functions known by name ---------------------------------------------------------------

    def known(self, name: str, args: Args) -> Value:
        """A call of something that `pure_names` lists."""
        rule = RULES.get(name)
        if any(v.has(Trait.UNKNOWN) for v in all_of(args)):
            self.analysis.choose()
        if rule is not None:
            return rule(self, args)
        return self._listed_call(name, args)

    def _listed_call(self, name: str, args: Args) -> Value:
        analysis, given = self.analysis, all_of(args)
        module = name.rpartition(".")[0]
        for arg in given:
            if not arg.has(Trait.CALLED) and analysis.deep(arg) & ILLEGIBLE:
                analysis.choose()
            if arg.inner & Trait.LAZY:
                analysis.choose()
        if module in ("numpy", "pandas"):
            self._check_types(args)
            self._check_outputs(name, args)
        called = self.call_back(given, given)
        inner = called.deep
        values = [g for g in given if not g.has(Trait.CALLED) or name not in CALLING]
        for arg in values:
            inner |= analysis.deep(arg) & ~Trait.LAZY
            analysis.store(arg)
            analysis.unpack(arg)
        if name in EXCEPTIONS:
            analysis.change(NOTHING, *given)
        nan = Trait.NAN if module in WITH_NAN else inner & Trait.NAN
        if name in PLAIN_RESULTS or module in PLAIN_MODULES:
            return Value(nan)
        if module in ("numpy", "pandas"):
            both = Trait.TABLE | Trait.NAN | Trait.BOX | inner & Trait.SHARED
            return Value(both, inner | both)
        if name in NEW_RESULTS:
            analysis.change(NOTHING, called)
            lazy = Trait.LAZY if module == "itertools" or name in LAZY_RESULTS else NONE
            return Value(Trait.BOX | nan | lazy, inner | nan)
        kept = [Value(g.own, g.inner, g.lives, False, g.kind) for g in values]
        items = map(analysis.element, values)
        return joined([Value(Trait.BOX | nan, inner), called, *kept, *items])

    def _check_types(self, args: Args) -> None:
        """Types that texts are turned into: not those that read the clock."""
        places, named, _ = args
        if "dtype" in named and not is_plain_type(named["dtype"]):
            self.analysis.choose()
        for place in places[1:]:
            found = place.texts()
            if found is not None and not set(found) <= allow_list.PLAIN_TYPES | allow_list.MADE:
                self.analysis.choose()
            if place.has(Trait.CALLED) and not is_plain_type(place):
                self.call_back([place], places)

    def check_keywords(self, args: Args, written: Sequence[Value]) -> None:
        """Arguments of numpy and pandas that may name what is written to."""
        _, named, rest = args
        if rest is None and named.keys() <= allow_list.TABLE_KEYWORDS:
            return
        self.analysis.choose()
        for value in written:
            if value.has(Trait.BOX):
                self.analysis.change(value)

    def _check_outputs(self, name: str, args: Args) -> None:
        """Arrays that functions of numpy write to."""
        places = args[0]
        self.check_keywords(args, all_of(args))
        if len(places) > MOST_PLACES:
            self.check_keywords((places, {}, NOTHING), places)
        inputs = getattr(getattr(sys.modules["numpy"], name.rpartition(".")[2], None), "nin", None)
        if inputs is None:
            inputs = 3 if name in THREE_INPUTS else 2
        for place in places[inputs:]:
            if place.has(Trait.BOX):
                self.analysis.change(place)

    def _quiet(self, args: Args) -> Value:
        """`len` and the like: neither order nor text shows."""
        return NOTHING

    def _type(self, args: Args) -> Value:
        if len(all_of(args)) != 1:
            return self.analysis.choose()
        return Value(Trait.ODD | Trait.CALLED)

    def _print(self, args: Args) -> Value:
        if "file" in args[1] or args[2] is not None:
            return self.analysis.choose()
        return live(None)

    def _set(self, args: Args) -> Value:
        items = [self.analysis.element(a) for a in all_of(args)]
        return self.analysis.box(items, Trait.SET)

    def _listing(self, args: Args) -> Value:
        """`list`, `tuple`, `iter`: the order stays that of the argument."""
        given = all_of(args)
        own = Trait.JUMBLED if any(map(self.unordered, given)) else NONE
        return self.analysis.box([self.analysis.element(a) for a in given], own)

    def _iterating(self, args: Args) -> Value:
        found = self._listing(args)
        return Value(found.own | Trait.LAZY, found.inner)

    def unordered(self, value: Value) -> bool:
        """Whether a loop over a value goes in the order of hashes."""
        special = self.analysis.facts.special
        return value.has(UNORDERED) or (value.has(Trait.OBJECT) and special.has(UNORDERED))

    def _sorted(self, args: Args) -> Value:
        return self.analysis.box([self._extreme(args)])

    def _extreme(self, args: Args) -> Value:
        """`min`, `max`, `sorted`: the order of a set does not show if nothing is tied."""
        places, named, rest = args
        analysis = self.analysis
        items = [analysis.element(a) for a in places] + ([] if rest is None else [rest])
        many = [a for a in places if self.unordered(a)]
        tied = Trait.NAN | Trait.OBJECT | Trait.TABLE | ILLEGIBLE
        if many and (
            len(places) > 1
            or not named.keys() <= {"reverse", "default"}
            or any(analysis.deep(i) & tied for i in items)
        ):
            analysis.choose()
        self.call_back(named.values(), places)
        kept = [] if len(places) == 1 else places
        return joined([*items, *kept, *(v for n, v in named.items() if n == "default")])

    def _map(self, args: Args) -> Value:
        places, named, rest = args
        if not places or rest is not None or named:
            return self.analysis.choose()
        sources = places[1:]
        unordered = any(map(self.unordered, sources))
        if unordered and len(sources) > 1:
            return self.analysis.choose()
        if unordered:
            self.analysis.risk(Risk.UNORDERED)
        found = self.call_back(places[:1], sources)
        if places[0].lives and not places[0].has(Trait.CALLED):
            found = NOTHING  # filter(None, ...)
        items = [found, *map(self.analysis.element, sources)]
        return self.analysis.box(items, Trait.LAZY | (Trait.JUMBLED if unordered else NONE))

    def _zip(self, args: Args) -> Value:
        """`zip`, `enumerate`, `reversed`: order shows."""
        return self.analysis.box([self.analysis.over(g) for g in all_of(args)], Trait.LAZY)

    def _sum(self, args: Args) -> Value:
        places, named, rest = args
        items = [self.analysis.over(p) for p in places[:1]]
        more = [*places[1:], *named.values(), *([] if rest is None else [rest])]
        found = joined([*items, *more])
        special = [self.analysis.facts.special] if found.has(Trait.OBJECT) else []
        return joined([found, *special]) if more else joined([Value(found.own, found.inner)])

    def _next(self, args: Args) -> Value:
        given = all_of(args)
        if given:
            self.analysis.change(given[0])
        return joined([*(self.analysis.over(g) for g in given[:1]), *given[1:]])

    def _text(self, args: Args) -> Value:
        for value in all_of(args):
            self.analysis.text(value)
        return NOTHING

    def _format(self, args: Args) -> Value:
        self._text(args)
        self._check_formats(args[0][1:])
        return NOTHING

    def _check_formats(self, formats: Sequence[Value]) -> None:
        for found in formats:
            texts = found.texts()
            if texts is None or not all(map(is_plain_format, texts)):
                self.analysis.choose()

    def _dict(self, args: Args) -> Value:
        analysis, given = self.analysis, all_of(args)
        items = [analysis.over(g) for g in given]
        return analysis.box([*items, *map(analysis.element, items), *args[1].values()])

    def _suppress(self, args: Args) -> Value:
        for kind in all_of(args):
            self.allowed_exceptions(kind)
        return Value(Trait.ODD)

    def _choice(self, args: Args) -> Value:
        """What is listed to be named, not called."""
        return self.analysis.choose()

    def _object(self, args: Args) -> Value:
        return Value(Trait.ODD)

    def _partial(self, args: Args) -> Value:
        places, named, rest = args
        if not places or rest is not None:
            return self.analysis.choose()
        bound = Bound(places[0], tuple(places[1:]), tuple(named.items()))
        return Value(Trait.ODD | Trait.CALLED, NONE, (Live(bound),), True)

    def _itemgetter(self, args: Args) -> Value:
        return Value(Trait.ODD | Trait.CALLED, NONE, (Live(TAKING),), True)

    def _copy(self, args: Args) -> Value:
        value = joined(all_of(args))
        self.analysis.unpack(value)
        return Value(value.own & ~Trait.SHARED, value.inner, (), False, value.kind)

    def _deepcopy(self, args: Args) -> Value:
        found = self._copy(args)
        return Value(found.own, found.inner & ~Trait.SHARED, (), False, found.kind)

    def _cast(self, args: Args) -> Value:
        return joined(args[0][1:])

    def _logger(self, args: Args) -> Value:
        return live(logging.getLogger())


RULES: dict[str, Callable[[Rules, Args], Value]] = {
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
