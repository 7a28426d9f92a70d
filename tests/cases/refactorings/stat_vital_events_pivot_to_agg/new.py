# title: Pivot with fill replaced by conditional counts; year filter as date range
# expect: equivalent
# kind: pivot to agg
from pyspark.sql import functions as F

MEASURES = {"births": "BIRTH", "deaths": "DEATH", "marriages": "MARRIAGE"}


def build(spark, year=2024):
    mun = spark.table("municipalities").selectExpr(
        "municipality_code", "initcap(trim(municipality_name)) AS municipality_name", "region_code"
    )
    located = (
        spark.table("vital_events")
        .where(
            (F.col("event_date") >= f"{year}-01-01") & (F.col("event_date") < f"{year + 1}-01-01")
        )
        .join(F.broadcast(mun), "municipality_code", "left")
    )
    summary = (
        located.groupBy("region_code", F.expr("concat('Q', quarter(event_date))").alias("quarter"))
        .agg(
            *[
                F.count(F.when(F.upper("event_type") == code, F.col("event_id"))).alias(name)
                for name, code in MEASURES.items()
            ]
        )
        .withColumn("natural_increase", F.expr("births - deaths"))
    )
    late = located.where("datediff(CAST(registered_at AS DATE), event_date) >= 2").select(
        "event_id", "municipality_name", "event_date", "registered_at"
    )
    return {"summary": summary, "late_registrations": late}
