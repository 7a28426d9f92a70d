# title: Payers covering patients but never billed, and payers both covering and billed: EXCEPT / INTERSECT against distinct + anti / semi joins (coverage.payer_id is not null).
# expect: equivalent
# kind: except vs anti join
from pyspark.sql import functions as F

OUT = ["payer_id", "payer_name", "plan_type"]


def build(spark):
    covered = spark.table("coverage").select("payer_id").dropDuplicates(["payer_id"])
    billed = spark.table("encounters").where(F.col("payer_id").isNotNull())
    named = covered.join(F.broadcast(spark.table("payers")), ["payer_id"], "left")
    sinks = {}
    for name, how in [("idle", "left_anti"), ("active", "left_semi")]:
        sinks[name] = named.join(billed, "payer_id", how).select(*OUT)
    return sinks
