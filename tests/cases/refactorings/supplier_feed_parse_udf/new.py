# title: UDFs refactored: try/except catches AttributeError instead of a None test, dict.get with default, list of checks in a comprehension, f-string
# expect: equivalent
# kind: UDF refactored
from pyspark.sql import functions as F

PACK_SIZE = {"box": 12, "pallet": 480, "each": 1}


def to_int(text, default=None):
    """int() of a text field, default where it is not a number."""
    try:
        return int(text.strip())
    except (AttributeError, ValueError):
        return default


def pack_units(qty, pack):
    return PACK_SIZE.get(pack, 1) * qty if qty is not None else 0


def describe(qty, grade):
    checks = [
        ("qty missing", qty is None),
        (f"qty negative: {qty}", qty is not None and qty < 0),
        ("no grade", not grade),
    ]
    return "; ".join(msg for msg, failed in checks if failed)


parse_qty = F.udf(to_int, "bigint")
units = F.udf(pack_units, "bigint")
note = F.udf(describe, "string")


def build(spark):
    feed = (
        spark.table("supplier_feed")
        .withColumn("qty", parse_qty(F.col("qty_text")))
        .select(
            "line_id",
            F.expr("upper(trim(supplier)) as supplier"),
            "sku",
            "received",
            units(F.col("qty"), F.col("pack")).alias("units"),
            note(F.col("qty"), F.col("grade")).alias("note"),
        )
    )
    bad = feed.where("note <> ''").select("line_id", "supplier", "note")
    per_sku = (
        feed.where((F.col("note") == "") & F.col("sku").isNotNull())
        .groupBy(F.expr("trim(sku)").alias("sku"), F.col("supplier"))
        .agg(F.sum("units").alias("units"), F.max("received").alias("last_received"))
    )
    return {"bad": bad, "per_sku": per_sku}
