"""Methods of texts, collections, dates and tables, and what they do to purity."""

from __future__ import annotations

import datetime
import logging
import types
from typing import TYPE_CHECKING

from veer.frontends.python.origins import is_library
from veer.frontends.python.purity import allow_list
from veer.frontends.python.purity.formats import is_plain_template
from veer.frontends.python.purity.results import (
    CODE_TYPES,
    NAMED_FUNCTIONS,
    Args,
    all_arguments,
    is_plain_type,
    is_special,
    listed_name,
)
from veer.frontends.python.purity.traits import (
    NO_TRAITS,
    NONE,
    UNKNOWN_VALUE,
    UNORDERED,
    UNSTABLE_TEXT,
    AbstractValue,
    Trait,
    abstract,
    join,
)
from veer.functions.registry import Kind

if TYPE_CHECKING:
    from veer.frontends.python.purity.analysis import Analysis


class Methods:
    """Follows calls of methods for one analysis."""

    def __init__(self, analysis: Analysis) -> None:
        self.analysis = analysis

    def method(self, base: AbstractValue, name: str, args: Args) -> AbstractValue:
        """`base.name(args)`"""
        if base.has(Trait.UNKNOWN):
            self.analysis.calls.unknown(args)
            return UNKNOWN_VALUE
        results = []
        others = not base.exact or not base.concretes
        for one in base.concretes:
            value = one.value
            if isinstance(value, type) and is_library(value.__module__):
                results.append(self.class_method(value, name, args))
            elif isinstance(value, logging.Logger):
                results.append(self._logged(name, args))
            elif isinstance(value, (types.ModuleType, type)) or is_special(value):
                results.append(
                    self.analysis.calls.invoke(
                        self.analysis.attributes.attribute_of(value, base, name), args
                    )
                )
            elif base.kind is not None:
                one_value = AbstractValue(base.own, base.inner, (one,), True, type(value))
                results.append(
                    self.analysis.calls.invoke(
                        self.analysis.attributes.own_attribute(one_value, name), args
                    )
                )
            elif isinstance(value, CODE_TYPES):
                results.append(self.analysis.calls.unknown(args))
            else:
                others = True
        if others:
            results.append(self._own_method(base, name, args))
        return join(results)

    def _own_method(self, base: AbstractValue, name: str, args: Args) -> AbstractValue:
        if base.has(Trait.OBJECT):
            if base.kind is None:
                self.analysis.note(Kind.PARTITION if base.has(Trait.SHARED) else Kind.CHOICE)
                return self.analysis.calls.unknown(args)
            return self.analysis.calls.invoke(
                self.analysis.attributes.of_instance(base, base.kind, name), args
            )
        return self.plain_method(base, name, args)

    def _logged(self, name: str, args: Args) -> AbstractValue:
        """A message to a logger, which gives nothing back; other methods configure it."""
        return abstract(None) if name in allow_list.LOGGING else self.analysis.calls.unknown(args)

    def class_method(self, kind: type, name: str, args: Args) -> AbstractValue:
        """A method of a class of Python's, called on the class."""
        class_name = listed_name(kind)
        positional, named, rest = args
        if class_name is None:
            return self.analysis.calls.unknown(args, kind.__module__)
        if name in allow_list.CLASS_METHODS.get(class_name, ()):
            if name == "fromkeys" and any(map(self.analysis.rules.unordered, positional)):
                return self.analysis.container(
                    [self.analysis.element(p) for p in positional], Trait.SET
                )
            return self.analysis.rules.listed_call(f"{class_name}.{name}", args)
        if class_name == "datetime.datetime" and name == "strptime" and len(positional) == 2:
            self.analysis.rules.check_formats(positional[1:])
            return NO_TRAITS
        if class_name == "datetime.datetime" and name == "fromtimestamp":
            # Without a zone it is the machine's; only a fixed offset is the same everywhere.
            zone = named.get("tz", positional[1] if len(positional) == 2 else NO_TRAITS)
            fixed = [isinstance(z.value, datetime.timezone) for z in zone.concretes]
            if zone.exact and fixed and all(fixed):
                return NO_TRAITS
            return self.analysis.calls.unknown(args)
        item = next((vars(c)[name] for c in kind.__mro__ if name in vars(c)), None)
        if (
            isinstance(item, types.MethodDescriptorType | types.WrapperDescriptorType)
            and positional
        ):
            return self.plain_method(positional[0], name, (positional[1:], named, rest))
        return self.analysis.calls.unknown(args)

    def plain_method(self, base: AbstractValue, name: str, args: Args) -> AbstractValue:
        """A method of a text, a collection, a date, a series: known by its name alone."""
        analysis, arguments = self.analysis, all_arguments(args)
        if any(v.has(Trait.UNKNOWN) for v in (base, *arguments)):
            analysis.note_choice()
        if base.has(Trait.TABLE):
            self._check_writing(base, name, args)
        if name == "strftime":
            self.analysis.rules.check_formats(arguments)
            return self._table_result(base, name) if base.has(Trait.TABLE) else NO_TRAITS
        if name in allow_list.MUTATING:
            return self._mutating_method(base, name, args)
        if name in allow_list.SET_METHODS:
            return analysis.container([analysis.element(v) for v in (base, *arguments)], Trait.SET)
        # The type of a value is not known, only the name of the method: a name is listed if it is
        # harmless for every type that has it.
        if name not in allow_list.GIVES_SCALAR | allow_list.GIVES_NEW | allow_list.GIVES_ITEMS:
            if base.has(Trait.PERSISTENT) or (
                base.has(Trait.ARGUMENT) and not base.has(Trait.TABLE)
            ):
                analysis.note(Kind.PARTITION)
            self.analysis.calls.unknown(args)
            return UNKNOWN_VALUE
        if name in ("issubset", "issuperset", "isdisjoint"):
            return NO_TRAITS
        if name == "copy":
            analysis.unpack(base)
            return AbstractValue(base.own & ~Trait.SHARED, base.inner)
        if any(map(self.analysis.rules.unordered, (base, *arguments))):
            if base.has(Trait.HASH_ORDERED) or name not in ("get", "keys", "values", "items"):
                return analysis.note_choice()
            if name != "get":
                return AbstractValue(
                    Trait.CONTAINER | Trait.HASH_ORDERED | Trait.DICT_VIEW, base.inner
                )
        return self._reading_method(base, name, args)

    def _reading_method(self, base: AbstractValue, name: str, args: Args) -> AbstractValue:
        analysis, arguments = self.analysis, all_arguments(args)
        if name in allow_list.GIVES_SCALAR:
            for value in arguments:
                if not value.has(Trait.CALLABLE) and analysis.all_traits(value) & UNSTABLE_TEXT:
                    if name not in ("index", "count"):
                        analysis.note_choice()
                if name in ("format", "format_map"):
                    analysis.text(value)
        if name in ("format", "format_map"):
            texts = base.texts()
            if texts is None or not all(map(is_plain_template, texts)):
                return analysis.note_choice()
        if base.has(Trait.TABLE):
            self._check_table(base, name, args)
        called = self.analysis.calls.call_function_arguments(arguments, [base, *arguments])
        if base.has(Trait.TABLE):
            return join([self._table_result(base, name), called])
        if name in allow_list.GIVES_SCALAR:
            return NO_TRAITS
        if name in allow_list.GIVES_ITEMS:
            return join([analysis.element(base), *arguments, called])
        own = Trait.CONTAINER | (Trait.DICT_VIEW if name in ("keys", "items") else NONE)
        if name in ("finditer", "elements"):
            own |= Trait.ITERATOR
        inner = base.all_traits | called.all_traits
        for value in arguments:
            inner |= value.all_traits & ~Trait.CALLABLE
        item = analysis.element(base)
        analysis.note_contents(item)
        return AbstractValue(own, inner & ~(Trait.DICT_VIEW | Trait.CALLABLE) | item.all_traits)

    def _table_result(self, base: AbstractValue, name: str) -> AbstractValue:
        lazy = Trait.ITERATOR if name in allow_list.OPAQUE_PRINTED else NONE
        return AbstractValue(base.own & ~Trait.ITERATOR | lazy, base.inner)

    def _check_writing(self, base: AbstractValue, name: str, args: Args) -> None:
        """Methods of arrays that change them, or write to another given by place or keyword."""
        positional, _, rest = args
        if name not in allow_list.COLUMN_KEYWORDS or rest is not None:
            self.analysis.rules.check_keywords(args, [base, *all_arguments(args)])
        if name == "partition":  # of an array it sorts in place
            self.analysis.change(base)
        for argument in positional[1:]:
            if argument.has(Trait.TABLE | Trait.UNKNOWN) and name not in allow_list.TWO_TABLES:
                self.analysis.change(argument)

    def _check_table(self, base: AbstractValue, name: str, args: Args) -> None:
        """Methods of pandas that take types or names of functions as texts."""
        positional, named, rest = args
        if rest is not None:
            self.analysis.note_choice()
        if name == "astype" and not all(map(is_plain_type, all_arguments(args))):
            self.analysis.note_choice()
        if "dtype" in named and not is_plain_type(named["dtype"]):
            self.analysis.note_choice()
        if name in NAMED_FUNCTIONS:
            for value in positional[:1] + [v for n, v in named.items() if n in ("func", "aggfunc")]:
                texts = value.texts()
                if value.has(Trait.CALLABLE) or (value.has(Trait.CONTAINER) and name == "map"):
                    continue
                if (
                    texts is None
                    or not set(texts) <= allow_list.GIVES_SCALAR | allow_list.GIVES_NEW
                ):
                    self.analysis.note_choice()
        self.analysis.expressions.check_clock_words(*all_arguments(args))

    def _mutating_method(self, base: AbstractValue, name: str, args: Args) -> AbstractValue:
        analysis, arguments = self.analysis, all_arguments(args)
        # Adding a set to a set loses nothing; adding it to a list shows its order.
        if any(map(self.analysis.rules.unordered, arguments)) and not base.has(Trait.SET):
            analysis.note_choice()
        # Which item a set gives first, and a sort leaves tied, is decided by hashes.
        if base.has(UNORDERED) and name in ("pop", "popitem", "sort", "reverse"):
            analysis.note_choice()
        items = [
            v for g in arguments if not g.has(Trait.CALLABLE) for v in (g, analysis.element(g))
        ]
        called = [g for g in arguments if g.has(Trait.CALLABLE)]
        if name == "sort":
            self.analysis.calls.call_function_arguments(called, [base])
        else:
            items += called
        analysis.change(base, *items)
        if name in ("pop", "popleft", "popitem", "setdefault"):
            return join([analysis.element(base), *arguments])
        return abstract(None)
