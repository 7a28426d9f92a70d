"""Secrets in options and texts."""

from __future__ import annotations

import pytest

from veer.ir.ops import Source
from veer.ir.pprint import brief, show_operator
from veer.ir.schema import Field
from veer.ir.secrets import (
    CREDENTIALS,
    SECRET_ASSIGNMENT,
    hidden_value,
    is_secret_option,
    without_credentials,
    without_secret_values,
    without_secrets,
)
from veer.ir.types import INT


@pytest.mark.parametrize("name", ["password", "sfPassword", "fs.s3a.secret.key", "PWD", "userName"])
def test_options_that_may_hold_a_secret(name: str) -> None:
    assert is_secret_option(name)
    assert SECRET_ASSIGNMENT.findall(f"jdbc:x;{name}=hunter2;a=b") == ["hunter2"]


@pytest.mark.parametrize("name", ["header", "sep", "inferSchema", "mode", "dbtable", "path", "url"])
def test_options_that_hold_none(name: str) -> None:
    assert not is_secret_option(name)
    assert not SECRET_ASSIGNMENT.findall(f"{name}=x")


@pytest.mark.parametrize(
    "text",
    [
        "postgresql://ann:hunter2@host/db",
        "postgresql://ann:hunt@hunter2@host/db",
        "jdbc:oracle:thin:ann/hunter2@//host:1521/db",
        "jdbc:oracle:thin:ann/hunter2@host:1521:db",
        "jdbc:sqlserver://host;databaseName=d;password=hunter2",
        "https://host/file.csv?sig=hunter2",
        "https://host/file.csv#access_token=hunter2",
        "https://host/file.csv#a=b&access_token=hunter2",
        "DefaultEndpointsProtocol=https;AccountName=a;AccountKey=hunter2/x==",
    ],
)
def test_texts_with_a_secret(text: str) -> None:
    assert "hunter2" not in without_secrets(text)
    other = text.replace("hunter2", "hunter3")
    assert without_secrets(text, hidden_value) != without_secrets(other, hidden_value)


@pytest.mark.parametrize(
    "path",
    [
        "/data/orders;key=5/part-0.parquet",
        "data/#tmp/dt=1/part-0.parquet",
        "s3://bucket/#tmp/dt=2026-01-01/part-0.parquet",
        "file:/data/a@b/orders.csv",
        "abfss://container@account.dfs.core.windows.net/orders",
        "jdbc:oracle:thin:@//host:1521/db",
    ],
)
def test_paths_that_hold_none_stay(path: str) -> None:
    assert without_secrets(path) == path


def test_every_credential_is_a_secret() -> None:
    assert all(map(is_secret_option, CREDENTIALS))


def test_another_secret_is_another_option() -> None:
    (one,), (two,) = (without_secret_values([("token", value)]) for value in ("a", "b"))
    assert one != two
    assert "a" not in (one[1], two[1])


def test_a_write_is_the_same_under_another_credential_only() -> None:
    """A keyspace is no credential, though its name looks like one: it is hidden, not left out."""
    assert without_credentials([("password", "a"), ("x", "1")]) == (("x", "1"),)
    one, two = (without_credentials([("keyspace", value)]) for value in ("left", "right"))
    assert one != two
    assert "left" not in str(one)


def test_a_source_that_is_shown_briefly_hides_secrets_too() -> None:
    fields = tuple(Field(f"column_number_{i}", INT) for i in range(30))
    source = Source("t", fields, location="jdbc:postgresql://h/d?user=u&password=hunter2")
    assert "column_number_29" not in brief(source)  # it is the short form
    assert "hunter2" not in brief(source) + show_operator(source)
