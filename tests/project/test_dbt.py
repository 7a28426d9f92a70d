"""`veer check --dbt` on manifests that dbt-core and dbt-spark write.

The project and its edits were written by somebody who had not seen Veer; for each edit it is known of
which models rows can differ.
"""

from __future__ import annotations

import json
import os
import subprocess
from pathlib import Path
from typing import Any

import pytest

from tests.cli.test_cli import ROOT, veer
from tests.project.repositories import check, verdicts

HERE = Path(__file__).parent / "dbt"
DBT = ROOT / ".venv-dbt" / "bin" / "python"
EDITS = [json.loads(line) for line in (HERE / "edits.jsonl").read_text().splitlines()]
SOME = (
    "cos_comments",
    "cos_macro_rewritten",
    "ref_cte_inlined",
    "ref_coalesce_case",
    "ref_view_to_table",
    "chg_column_added_unread",
    "chg_filter_masked_downstream",
    "chg_join_type",
    "chg_column_renamed",
    "chg_macro_zero",
    "chg_python_threshold",
    "chg_seed_region",
)
CHOSEN = [e for e in EDITS if e["id"] in SOME or os.environ.get("VEER_DBT") == "all"]
pytestmark = pytest.mark.slow


@pytest.fixture(scope="module")
def manifests(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with a copy of the project for each edit, and one without, compiled by dbt."""
    assert DBT.exists(), "make .venv-dbt/.ready"
    folder = tmp_path_factory.mktemp("dbt")
    for name, edits in (("base", []), *((e["id"], e["edits"]) for e in CHOSEN)):
        (folder / f"{name}.json").write_text(json.dumps(edits))
    targets = [str(folder / name) for name in ("base", *(e["id"] for e in CHOSEN))]
    done = subprocess.run(
        [str(DBT), str(HERE / "compile.py"), str(HERE / "shop"), *targets],
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    return folder


def manifest(folder: Path, name: str) -> str:
    return str(folder / name / "target" / "manifest.json")


def checked(folder: Path, name: str, *words: str) -> dict[str, Any]:
    base = manifest(folder, "base")
    return check(folder, "--dbt", manifest(folder, name), "--base-manifest", base, *words)


@pytest.mark.parametrize("edit", CHOSEN, ids=lambda e: e["id"])
def test_nothing_that_can_differ_is_kept(manifests: Path, edit: dict[str, Any]) -> None:
    report = checked(manifests, edit["id"])
    told, stale = verdicts(report), set(report["stale_jobs"])
    affected = {model for model in edit["affected"] if model in told}
    assert affected <= stale
    for model, verdict in told.items():
        if verdict == "changed":
            assert model in edit["changed"] or model in affected
    if edit["kind"] != "change":
        assert "changed" not in told.values()


def test_an_equivalent_model_stops_the_wave(manifests: Path) -> None:
    report = checked(manifests, "ref_coalesce_case")
    assert verdicts(report)["fct_orders"] == "equivalent"
    assert not report["recompute"] and report["command"] == ""


def test_a_column_nobody_reads_rebuilds_the_model_and_its_history_only(manifests: Path) -> None:
    report = checked(manifests, "chg_column_added_unread")
    assert report["stale_jobs"] == ["stg_orders", "fct_order_items", "dim_products"]
    assert report["command"] == "dbt build --select stg_orders fct_order_items dim_products"


def test_another_materialization_is_stored_again_and_changes_nobody(manifests: Path) -> None:
    report = checked(manifests, "ref_view_to_table")
    (again,) = report["recompute"]
    assert again["job"] == "int_customer_orders" and again["cause"] == "storage"


def test_what_is_refused_is_named(manifests: Path) -> None:
    python = checked(manifests, "chg_python_threshold")
    (job,) = (j for j in python["jobs"] if j["job"] == "mart_customer_segments")
    assert job["verdict"] == "unknown" and "Python" in job["why"]
    (seed,) = (
        j for j in checked(manifests, "chg_seed_region")["jobs"] if j["job"] == "country_codes"
    )
    assert "seed" in seed["why"]
    joined = checked(manifests, "chg_join_type")
    (items,) = (j for j in joined["jobs"] if j["job"] == "fct_order_items")
    assert "incremental" in items["why"] and items["verdict"] == "unknown"


def test_keys_come_from_tests(manifests: Path) -> None:
    report = checked(manifests, "chg_column_renamed")
    assumed = [a for j in report["jobs"] for s in j["sinks"] for a in s["assumptions"]]
    assert all(isinstance(text, str) for text in assumed)
    notes = " ".join(report["notes"])
    assert "without ANSI" in notes


def spoiled(manifests: Path, tmp_path: Path, **changes: Any) -> str:
    data = json.loads(Path(manifest(manifests, "base")).read_text())
    data["metadata"] |= changes
    (tmp_path / "manifest.json").write_text(json.dumps(data))
    return str(tmp_path / "manifest.json")


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("{", "no JSON"),
        ("[1]", "no JSON object"),
        ("{}", "metadata is missing"),
        ('{"metadata": {}}', "no dbt_schema_version"),
        ('{"metadata": {"dbt_schema_version": "https://x/manifest/v3.json"}}', "version 3"),
        ('{"metadata": {"dbt_schema_version": "https://x/manifest/v12.json"}}', "nodes is missing"),
    ],
)
def test_what_is_no_manifest(tmp_path: Path, text: str, told: str) -> None:
    file = tmp_path / "manifest.json"
    file.write_text(text)
    done = veer("check", "--dbt", str(file), "--base-manifest", str(file))
    assert done.returncode == 65 and told in done.stderr and done.stderr.count("\n") == 1


def test_another_adapter_is_read_where_it_means_the_same(manifests: Path, tmp_path: Path) -> None:
    base = spoiled(manifests, tmp_path, adapter_type="duckdb")
    (tmp_path / "now").mkdir()
    now = Path(base).read_text()
    now = now.replace("order_status <> 'draft'", "not order_status = 'draft'")
    (tmp_path / "now" / "manifest.json").write_text(now)
    report = check(
        tmp_path, "--dbt", str(tmp_path / "now" / "manifest.json"), "--base-manifest", base
    )
    assert any("SQL of duckdb is read as Spark means it" in note for note in report["notes"])
