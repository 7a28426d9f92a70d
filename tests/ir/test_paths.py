"""Locations of sources: several paths in one text and back."""

from __future__ import annotations

import pytest

from veer.ir.sources import location_of, paths_of


@pytest.mark.parametrize("paths", [["a"], ["a b"], ["b", "a"], ["s3://x/a b", "s3://x/c"], ["[0]"]])
def test_paths_come_back_from_their_location(paths: list[str]) -> None:
    assert paths_of(location_of(paths)) == sorted(paths)


def test_a_path_with_a_bracket_is_one_path() -> None:
    assert paths_of("[data") == ["[data"]


def test_urls_with_blanks_between_them() -> None:
    assert paths_of("s3:/a s3:/b") == ["s3:/a", "s3:/b"]
    assert paths_of("s3:/a b") == ["s3:/a b"]
