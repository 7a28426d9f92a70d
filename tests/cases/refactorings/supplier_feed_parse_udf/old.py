from pyspark.sql import functions as F
from pyspark.sql.types import LongType, StringType

PACK_SIZE = {"box": 12, "pallet": 480, "each": 1}


@F.udf(LongType())
def parse_qty(text):
    if text is None:
        return None
    try:
        return int(text.strip())
    except ValueError:
        return None


@F.udf(LongType())
def units(qty, pack):
    if qty is None:
        return 0
    size = 1
    if pack is not None:
        if pack in PACK_SIZE:
            size = PACK_SIZE[pack]
    return qty * size


@F.udf(StringType())
def note(qty, grade):
    msgs = []
    if qty is None:
        msgs.append("qty missing")
    elif qty < 0:
        msgs.append("qty negative: " + str(qty))
    if grade is None or grade == "":
        msgs.append("no grade")
    return "; ".join(msgs)


def build(spark):
    feed = spark.table("supplier_feed")
    feed = feed.withColumn("qty", parse_qty("qty_text"))
    feed = feed.withColumn("units", units("qty", "pack"))
    feed = feed.withColumn("note", note("qty", "grade"))
    feed = feed.withColumn("supplier", F.upper(F.trim("supplier")))
    bad = feed.filter(F.col("note") != "").select("line_id", "supplier", "note")
    good = feed.filter(~((F.col("note") != "") | F.col("sku").isNull()))
    per_sku = good.groupBy(F.trim("sku").alias("sku"), "supplier").agg(
        F.sum("units").alias("units"), F.max("received").alias("last_received")
    )
    return {"bad": bad, "per_sku": per_sku}
