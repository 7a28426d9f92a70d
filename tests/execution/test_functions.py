"""Bodies of opaque functions: which operator gets which."""

from __future__ import annotations

import pytest

from veer.errors import UnsupportedError
from veer.ir.expr import Column
from veer.ir.ops import RowUdf
from veer.ir.schema import Field
from veer.ir.types import STRING
from veer.read.function_bodies import Bodies

IDENTITY = "SentimentAnalyzer {}"


def sentiment_udf(kind: str) -> RowUdf:
    return RowUdf(IDENTITY, (Column("text", STRING),), (Field("mood", STRING),), kind)


def test_a_library_operator_has_a_body() -> None:
    body = Bodies().of(sentiment_udf("SentimentAnalyzer"))
    assert body.function("a good day") == "positive" and body.digest is not None


def test_a_function_that_is_only_called_like_a_library_operator_has_none() -> None:
    with pytest.raises(UnsupportedError, match="has no definition"):
        Bodies().of(sentiment_udf("UDF"))


@pytest.mark.parametrize("name", [IDENTITY, "SentimentAnalyzer"])
def test_a_function_of_the_user_goes_first(name: str) -> None:
    body = Bodies(own={name: lambda text: "own"}).of(sentiment_udf("SentimentAnalyzer"))
    assert body.function("a good day") == "own"
