# title: an hour without forecast now has bias 0 (coalesce around the difference) instead of its whole generation
# expect: inequivalent
# kind: coalesce place
from pyspark.sql import functions as F


def build(spark):
    rows = spark.table("plants").join(spark.table("generation"), "plant_id", "left")
    return rows.groupBy("owner").agg(
        F.sum(F.expr("CASE WHEN mwh IS NOT NULL THEN coalesce(mwh - forecast, 0) END"))
        .cast("decimal(23,3)")
        .alias("bias"),
        F.sum(
            F.expr("CASE WHEN hour_ts IS NULL THEN NULL WHEN forecast IS NULL THEN 1 ELSE 0 END")
        ).alias("unforecast_hours"),
        F.expr("nullif(count(hour_ts), 0)").alias("hours"),
    )
