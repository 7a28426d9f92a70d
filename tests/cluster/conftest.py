"""A repository with a change, for `veer check`."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.projects.repositories import edit, repository


@pytest.fixture
def project(tmp_path: Path) -> Path:
    folder = repository(tmp_path / "project")
    edit(folder, "common/cleaning.py", "> 10", "> 11")
    edit(folder, "sql/countries.sql", "DISTINCT country", "DISTINCT raw_customers.country")
    return folder
