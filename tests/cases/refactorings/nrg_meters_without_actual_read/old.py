from pyspark.sql import functions as F


def build(spark):
    meters = spark.table("meters")
    actual = (
        spark.table("meter_reads")
        .filter(~F.coalesce(F.col("estimated"), F.lit(False)))
        .select("meter_id")
        .distinct()
    )
    missing = meters.join(actual, "meter_id", "left_anti").select(
        "meter_id", "zone", "customer_type"
    )
    zones = (
        missing.withColumn("zone", F.coalesce("zone", F.lit("?")))
        .groupBy("zone")
        .agg(F.count("*").alias("missing_meters"), F.countDistinct("customer_type").alias("types"))
    )
    return {"missing": missing, "zones": zones}
