"""What library operators of workflow files compute: matchers of words, models of weighted words.

`samples` are texts on which a function shows what it does.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any, final

OTHERWISE = "otherwise"
WORD = re.compile(r"\w+")
MOST_SAMPLES = 8
# A small lexicon for texts without a model; a model file replaces it.
_POSITIVE = (
    "good great best better love loved like liked happy nice excellent amazing awesome win safe"
    " beautiful thanks thank hope enjoy enjoyed wonderful fantastic perfect glad fun"
)
_NEGATIVE = (
    "bad worse worst hate hated sad angry awful terrible horrible kill kills killed danger death"
    " dangerous sick fear loss lost fail failed poor ugly wrong sorry pain fire evacuate"
)
POSITIVE, NEGATIVE = (frozenset(words.split()) for words in (_POSITIVE, _NEGATIVE))


@final
class DictionaryMatcher:
    """The first entry of a dictionary one of whose words occurs in a text, in any case."""

    def __init__(self, dictionary: Any) -> None:
        if isinstance(dictionary, Mapping):
            entries = {str(k): v for k, v in dictionary.items() if k != OTHERWISE}
            self.otherwise = dictionary.get(OTHERWISE)
        else:
            words = [dictionary] if isinstance(dictionary, str) else list(dictionary)
            entries, self.otherwise = {str(w): [w] for w in words}, None
        self.entries = [
            (name, [str(w).lower() for w in ([words] if isinstance(words, str) else words)])
            for name, words in entries.items()
        ]
        self.samples = [word for _, words in self.entries for word in words[:2]][:MOST_SAMPLES]

    def __call__(self, text: str | None) -> str | None:
        lowered = (text or "").lower()
        for name, words in self.entries:
            if any(word in lowered for word in words):
                return name
        return None if self.otherwise is None else str(self.otherwise)


@final
class WordModel:
    """The class whose words weigh most in a text; the first of equals."""

    def __init__(
        self,
        weights: Mapping[str, tuple[Mapping[str, float], float]],
        wanted: frozenset[str] | None,
    ) -> None:
        self.weights = {c: w for c, w in weights.items() if wanted is None or c in wanted}
        heaviest = [
            sorted(words, key=lambda w: (-words[w], w))[:2] for words, _ in self.weights.values()
        ]
        self.samples = [" ".join(words) for words in heaviest if words][:MOST_SAMPLES]

    def __call__(self, text: str | None) -> str | None:
        if text is None or not self.weights:
            return None
        words = WORD.findall(text.lower())

        def score(name: str) -> float:
            weights, bias = self.weights[name]
            return bias + sum(weights.get(word, 0.0) for word in words)

        return max(self.weights, key=score)


def sentiment(text: str | None) -> str | None:
    """Positive, negative or neutral, by the words of a small lexicon."""
    if text is None:
        return None
    words = WORD.findall(text.lower())
    balance = sum((w in POSITIVE) - (w in NEGATIVE) for w in words)
    return "positive" if balance > 0 else "negative" if balance < 0 else "neutral"
