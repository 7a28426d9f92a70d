"""What an analysis knows about a function so far; it only grows."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TypeVar

from veer.facts.determinism import worst
from veer.functions.registry import Kind
from veer.read.python.purity import traits

K = TypeVar("K")


class Learned:
    """What was learned so far, and what is known of values by it."""

    def __init__(self) -> None:
        self.kind = Kind.PURE
        self.risks = traits.Risk.NONE
        self.stored = traits.NO_TRAITS  # whatever something made in the call was changed to hold
        self.operator_results = traits.NO_TRAITS  # whatever operators of the project's classes give
        self.seen = traits.NONE  # traits of all values
        self.changes = 0  # how often something was changed, in this round
        self.grown = False  # something was learned in this round
        self.classes: set[type] = set()  # of the project, whose instances may be met
        self.trusted: set[str] = set()  # packages that are declared to be pure, and used

    def note(self, kind: Kind) -> None:
        """Note that the function is of a kind, or a worse one."""
        both = worst(self.kind, kind)
        if both is not self.kind:
            self.kind, self.grown = both, True

    def note_choice(self) -> traits.AbstractValue:
        """Note that something is not known to be a function of the arguments."""
        self.note(Kind.CHOICE)
        return traits.UNKNOWN_VALUE

    def note_unfollowed(self) -> traits.AbstractValue:
        """Note code that is not followed: it may keep state too."""
        self.note(Kind.PARTITION)
        return traits.UNKNOWN_VALUE

    def risk(self, risk: traits.Risk) -> None:
        """Note what is harmless alone."""
        if risk & ~self.risks:
            self.risks |= risk
            self.grown = True
        if any(both in self.risks for both in traits.RISKY):
            self.note_choice()

    def change(self, value: traits.AbstractValue, *stored: traits.AbstractValue) -> None:
        """Note that something is changed, and what is put into it."""
        self.changes += 1
        # Changing what was made in this call is nobody's business; the rest outlives it.
        if value.has(traits.Trait.SHARED | traits.Trait.UNKNOWN):
            self.note(Kind.PARTITION)
        for item in stored:
            self.note_kept_iterator(item)
            grown = traits.join(
                [self.stored, traits.AbstractValue(item.all_traits, item.all_traits)]
            )
            if grown != self.stored:
                self.stored, self.grown = grown, True

    def note_operator_result(self, value: traits.AbstractValue) -> None:
        """Note what an operator of a class of the project gives."""
        grown = traits.join([self.operator_results, traits.nameless(value)])
        if grown != self.operator_results:
            self.operator_results, self.grown = grown, True

    def note_kept_iterator(self, item: traits.AbstractValue) -> None:
        """Note an iterator over a set that is kept: how far it was used shows the order."""
        if item.has(traits.Trait.ITERATOR) and item.has(traits.Trait.SET):
            self.note_choice()

    def grow(
        self, table: dict[K, traits.AbstractValue], key: K, value: traits.AbstractValue
    ) -> None:
        """Note one more value that something may be."""
        self.note_kept_iterator(value)
        before = table.get(key)
        after = value if before is None else traits.join([before, value])
        if after != before:
            table[key] = after
            self.grown = True

    # -- values --------------------------------------------------------------------------------

    def all_traits(self, value: traits.AbstractValue) -> traits.Trait:
        """Traits of a value and of all that may be inside of it."""
        stored = (
            self.stored.all_traits if value.all_traits & traits.Trait.CONTAINER else traits.NONE
        )
        return value.all_traits | stored

    def element(self, value: traits.AbstractValue) -> traits.AbstractValue:
        """Something inside of a value."""
        if value.has(traits.Trait.UNKNOWN):
            return traits.UNKNOWN_VALUE
        parts = [traits.AbstractValue(value.inner, value.inner)]
        if value.has(traits.Trait.CONTAINER):
            parts.append(self.stored)
        if value.has(traits.Trait.OBJECT):
            parts.append(self.operator_results)
        item = traits.join(parts)
        if (
            item.has(traits.Trait.OBJECT)
            and not item.has(traits.Trait.CALLABLE)
            and len(self.classes) == 1
        ):
            (kind,) = self.classes  # the only one there is
            return traits.AbstractValue(item.own, item.inner, traits.instance_of(kind).concrete)
        return item

    def container(
        self, items: Sequence[traits.AbstractValue], own: traits.Trait = traits.NONE
    ) -> traits.AbstractValue:
        """A new collection of items."""
        for item in items:
            self.note_kept_iterator(item)
        return traits.new_container(items, own)

    def is_unordered(self, value: traits.AbstractValue) -> bool:
        """Whether a loop over a value goes in the order of hashes."""
        by_method = value.has(traits.Trait.OBJECT) and self.operator_results.has(traits.Trait.SET)
        return value.has(traits.Trait.SET) or by_method

    def any_unordered(self, values: Iterable[traits.AbstractValue]) -> bool:
        """Whether a loop over one of several values goes in the order of hashes."""
        return any(map(self.is_unordered, values))

    def text(self, value: traits.AbstractValue) -> traits.AbstractValue:
        """The text of a value, which must not show an address or the order of a set."""
        if self.all_traits(value) & (traits.UNSTABLE_TEXT | traits.Trait.ITERATOR):
            return self.note_choice()
        return traits.NO_TRAITS
