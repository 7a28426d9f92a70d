"""`veer check --dbt` on manifests that dbt-core and dbt-spark write.

The project and its edits were written by somebody who had not seen Veer; for each edit it is known of
which models rows can differ.
"""

from __future__ import annotations

import json
import os
import re
import subprocess
from pathlib import Path
from typing import Any

import pytest

from tests.command import ROOT, veer
from tests.projects.repositories import check, verdicts

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


def with_codes(manifests: Path, folder: Path, codes: dict[str, str], **metadata: Any) -> str:
    """The manifest of the base with other compiled code of some models."""
    folder.mkdir(parents=True, exist_ok=True)
    data = json.loads(Path(manifest(manifests, "base")).read_text())
    data["metadata"] |= metadata
    for model, code in codes.items():
        node = data["nodes"][f"model.shop.{model}"]
        node["compiled_code"] = code
        node["depends_on"]["nodes"] = [
            id_
            for id_, other in (*data["nodes"].items(), *data["sources"].items())
            if (name := other.get("relation_name")) and re.search(rf"\b{re.escape(name)}\b", code)
        ]
    (folder / "manifest.json").write_text(json.dumps(data))
    return str(folder / "manifest.json")


def compared(
    manifests: Path, tmp_path: Path, model: str, old: str, new: str, **metadata: Any
) -> dict[str, Any]:
    """What is said of a model whose code was another."""
    base = with_codes(manifests, tmp_path / "base", {model: old}, **metadata)
    now = with_codes(manifests, tmp_path / "now", {model: new}, **metadata)
    report = check(tmp_path, "--dbt", now, "--base-manifest", base)
    (job,) = (j for j in report["jobs"] if j["job"] == model)
    return {**job, "notes": report["notes"]}


def test_keys_come_from_tests(manifests: Path, tmp_path: Path) -> None:
    old = "select distinct customer_id from shop.stg_customers"
    told = compared(manifests, tmp_path, "mart_daily_revenue", old, old.replace("distinct ", ""))
    assert told["verdict"] == "equivalent"
    assert told["sinks"][0]["assumptions"] == ["customer_id is a key of shop.stg_customers"]
    assert "without ANSI" in " ".join(told["notes"])
    # Nothing says that of a country.
    old = old.replace("customer_id", "country_code")
    told = compared(manifests, tmp_path, "mart_daily_revenue", old, old.replace("distinct ", ""))
    assert told["verdict"] == "changed"


def test_a_description_may_leave_columns_out(manifests: Path, tmp_path: Path) -> None:
    star, model = "select * from shop_raw.refunds", "stg_refunds"
    data = json.loads(Path(manifest(manifests, "base")).read_text())
    (source,) = (s for s in data["sources"].values() if s["name"] == "refunds")
    named = f"select {', '.join(source['columns'])} from shop_raw.refunds"
    told = compared(manifests, tmp_path, model, star, named)
    assert told["verdict"] == "unknown" and "may not name all of them" in told["why"]
    inner = f"with r as ({star}) select refund_id from r"
    told = compared(manifests, tmp_path, model, inner, "select refund_id from shop_raw.refunds")
    assert told["verdict"] == "equivalent"


def test_another_adapter_is_read_where_it_means_the_same(manifests: Path, tmp_path: Path) -> None:
    old = "select refund_id from shop_raw.refunds where refund_id > 1"
    new = "select refund_id from shop_raw.refunds where not refund_id <= 1"
    told = compared(manifests, tmp_path, "stg_refunds", old, new, adapter_type="duckdb")
    assert told["verdict"] == "equivalent"
    assert any("SQL of duckdb is read with Spark's meaning" in note for note in told["notes"])
    for other in (
        "refund_id / 2 > 1",
        "refund_id * 1.5 > 1",
        "reason_code > 'b'",
        "len(refund_id) > 1",
    ):
        code = old.replace("refund_id > 1", other)
        told = compared(manifests, tmp_path, "stg_refunds", old, code, adapter_type="duckdb")
        assert told["verdict"] == "unknown", other


def test_models_in_a_circle(manifests: Path, tmp_path: Path) -> None:
    one = {
        "stg_refunds": "select id from shop.stg_payments",
        "stg_payments": "select id from shop.stg_refunds",
    }
    two = {**one, "stg_refunds": "select id + 1 as id from shop.stg_payments"}
    base, now = (with_codes(manifests, tmp_path / n, c) for n, c in (("base", one), ("now", two)))
    report = check(tmp_path, "--dbt", now, "--base-manifest", base)
    assert verdicts(report)["stg_refunds"] == "unknown"
    assert {"stg_refunds", "stg_payments"} <= set(report["stale_jobs"])


def test_a_manifest_of_a_hundred_megabytes(manifests: Path, tmp_path: Path) -> None:
    data = json.loads(Path(manifest(manifests, "base")).read_text())
    data["docs"] = {f"doc.{i}": {"block_contents": "x" * 1_000_000} for i in range(100)}
    file = tmp_path / "manifest.json"
    file.write_text(json.dumps(data))
    report = check(
        tmp_path, "--dbt", str(file), "--base-manifest", manifest(manifests, "base"), status=0
    )
    assert set(verdicts(report).values()) == {"unchanged"}


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("{", "not JSON"),
        ("[1]", "not a JSON object"),
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
