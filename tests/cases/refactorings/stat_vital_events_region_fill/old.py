from pyspark.sql import functions as F

TYPES = ["BIRTH", "DEATH", "MARRIAGE"]


def build(spark, year=2024):
    events = (
        spark.table("vital_events")
        .withColumn("event_type", F.upper("event_type"))
        .filter(F.year("event_date") == year)
        .withColumn("quarter", F.concat(F.lit("Q"), F.quarter("event_date").cast("string")))
    )
    mun = spark.table("municipalities").withColumn(
        "municipality_name", F.initcap(F.trim("municipality_name"))
    )
    located = events.join(mun, "municipality_code", "left")
    counts = (
        located.groupBy("region_code", "quarter")
        .pivot("event_type", TYPES)
        .agg(F.count("event_id"))
        .na.fill(0, subset=TYPES)
    )
    for t in TYPES:
        counts = counts.withColumnRenamed(t, t.lower() + "s")
    late = located.filter(F.datediff(F.to_date("registered_at"), "event_date") > 1).select(
        "event_id", "municipality_name", "event_date", "registered_at"
    )
    summary = counts.withColumn("natural_increase", F.col("births") - F.col("deaths")).select(
        "region_code", "quarter", "births", "deaths", "marriages", "natural_increase"
    )
    return {"summary": summary, "late_registrations": late}
