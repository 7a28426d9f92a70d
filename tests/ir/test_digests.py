"""Digests are kept in users' stores: the same data gives the same digest in every version."""

from __future__ import annotations

from veer.ir.digests import json_digest, parts_digest, text_digest


def test_digests_stay_as_they_are() -> None:
    assert text_digest("a") == "ca978112ca1bbdcafac231b39a23dc4d"
    assert text_digest("a", 16) == "ca978112ca1bbdca"
    assert json_digest({"b": 1, "a": [2]}) == text_digest('{"a": [2], "b": 1}')


def test_keys_have_no_order_and_items_do() -> None:
    assert json_digest({"a": 1, "b": 2}) == json_digest({"b": 2, "a": 1})
    assert json_digest([1, 2]) != json_digest([2, 1])


def test_parts_are_kept_apart() -> None:
    assert parts_digest("ab", "c") != parts_digest("a", "bc")
    assert parts_digest("a\x001:b") != parts_digest("a", "b")


def test_texts_of_single_surrogates_have_digests() -> None:
    assert text_digest("\ud800") != text_digest("\ud801")
